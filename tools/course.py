"""The course: every notebook is a text, notebooks/NN_name.py in the percent format, with an .ipynb beside it.

    python -m tools.course            run the notebooks whose code has changed, and write all of them
    python -m tools.course 03 07      run these, changed or not
    python -m tools.course A.ipynb    print it as JSON with its outputs: what a process of its own does for the above

The text is what is edited. The .ipynb has the same cells, numbered cell-1, cell-2, ..., and their outputs, so that it
can be read with its figures wherever it is shown. Its metadata hold a digest of the code that made the outputs, and of
the counterexamples that it opens: where only prose has changed the outputs stay, and where these have changed they are
stale.

IPython itself runs a notebook, without a kernel and its sockets, and the same notebook gives the same bytes. Widgets
need a kernel, and their ids are drawn at random: a cell with one is stored without outputs. Pictures are drawn again
with few colours and without what a library writes into them of itself. The solutions of exercises, which are code in
prose, are run after all cells: they see what the cells have made, and no cell needs them.
"""

import base64
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from ratecert.base.files import write_text
from ratecert.catalogue.cases import file_of

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "notebooks"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
TIMEOUT = 300  # seconds for a notebook
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
WIDGET = "application/vnd.jupyter.widget-view+json"
COLOURS = 96  # of a picture: lines, their edges, and text
SOLUTION = re.compile(r"<details><summary>Solution</summary>(.*?)</details>", re.DOTALL)


class Failed(AssertionError):
    """A cell of a notebook failed; the message has its traceback."""


def texts(folder: Path = FOLDER) -> list[Path]:
    """The course in order."""
    return sorted(folder.glob("[0-9][0-9]_*.py"))


def notebook_of(text: Path) -> Any:
    """The notebook that a text makes, without outputs."""
    notebook = jupytext.read(text, fmt="py:percent")
    for number, cell in enumerate(notebook.cells, start=1):
        cell["id"] = f"cell-{number}"
    notebook.metadata["kernelspec"] = dict(KERNEL)
    notebook.metadata["jupytext"] = {"formats": "ipynb,py:percent"}
    notebook.metadata["ratecert"] = {"code": digest(notebook)}
    notebook.nbformat, notebook.nbformat_minor = 4, 5  # the first format whose cells have ids
    return notebook


def code_of(notebook: Any) -> list[Any]:
    """The cells with code."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def solutions(notebook: Any) -> list[str]:
    """The code of every folded solution."""
    prose = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    folded = [part for text in prose for part in SOLUTION.findall(text)]
    return [code for part in folded for code in re.findall(r"```python\n(.*?)\n```", part, re.DOTALL)]


def digest(notebook: Any) -> str:
    """Of all the code that is run, cells and solutions of exercises, and of the counterexamples that it names."""
    code = [cell.source for cell in code_of(notebook)]
    asked = re.findall(r'check_witness\("([^"]+)"', "\n".join(code))
    parts = [code, solutions(notebook), *(file_of(name).read_text(encoding="utf-8") for name in asked)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def stored(text: Path) -> Any | None:
    """The .ipynb beside a text."""
    beside = text.with_suffix(".ipynb")
    return jupytext.read(beside) if beside.exists() else None


def is_stale(text: Path) -> bool:
    """The outputs that are stored were made by other code, or there are none."""
    found = stored(text)
    made_by = found.metadata.get("ratecert", {}).get("code") if found else None
    return bool(made_by != digest(notebook_of(text)))


def write_pair(text: Path, *, again: bool = False) -> Path:
    """The .ipynb beside the text, written whole or not at all; it is run where its outputs are stale, or again."""
    target, notebook = text.with_suffix(".ipynb"), notebook_of(text)
    if again or is_stale(text):
        notebook, complaints = executed(notebook)
        if complaints:
            raise Failed(f"{text.name} wrote to standard error: {complaints}")
    else:
        for old, new in zip(code_of(stored(text)), code_of(notebook), strict=True):
            new.outputs, new.execution_count = old.outputs, old.execution_count
    write_text(target, jupytext.writes(notebook, fmt="ipynb"))
    return target


def executed(notebook: Any) -> tuple[Any, list[str]]:
    """The notebook with its outputs, and what was written to stderr, by a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "notebook.ipynb"
        path.write_text(jupytext.writes(notebook, fmt="ipynb"), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "tools.course", str(path)],
            env={**os.environ, **ONE_THREAD, "PYTHONPATH": str(ROOT), "IPYTHONDIR": folder},
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
    if done.returncode:
        raise Failed(done.stdout + done.stderr)
    found = json.loads(done.stdout.splitlines()[-1])
    return jupytext.reads(json.dumps(found["notebook"]), fmt="ipynb"), found["complaints"]


# In that process.


class Shell(InteractiveShell):
    def enable_gui(self, gui: Any = None) -> None:
        """There is none; figures are shown inline."""


def run(notebook: Any) -> list[str]:
    """Gives its outputs to every code cell; what was written to stderr is returned."""
    shell, complaints = Shell.instance(colors="nocolor"), []
    for number, cell in enumerate(code_of(notebook), start=1):
        captured = _run(shell, cell.source)
        cell.execution_count, cell.outputs = number, outputs_of(captured)
        complaints.append(captured.stderr)
    complaints += [_run(shell, solution).stderr for solution in solutions(notebook)]
    return [complaint for complaint in complaints if complaint]


def _run(shell: Any, source: str) -> Any:
    with capture_output() as captured:
        result = shell.run_cell(source)
    if not result.success:
        print(captured.stdout, source, sep="\n", file=sys.stderr)
        raise SystemExit(1)
    return captured


def outputs_of(captured: Any) -> list[Any]:
    """What a cell printed, then what it showed; nothing of a cell with a widget, which draws one of its positions."""
    if any(WIDGET in shown.data for shown in captured.outputs):
        return []
    printed = (
        [nbformat.v4.new_output("stream", name="stdout", text=captured.stdout)] if captured.stdout else []
    )
    return printed + [
        nbformat.v4.new_output("display_data", data=compact(shown.data)) for shown in captured.outputs
    ]


def compact(data: dict[str, Any]) -> dict[str, Any]:
    """The same output, smaller: a picture says by itself that it is a figure of some size.

    Its colours cover all that were drawn, be they ever so rare: one line of a legend may have a few dozen pixels.
    """
    if "image/png" not in data:
        return dict(data)
    from PIL import Image  # matplotlib's, which has drawn it

    raw = data["image/png"]
    drawn = Image.open(io.BytesIO(base64.b64decode(raw) if isinstance(raw, str) else raw)).convert("RGB")
    few = drawn.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE)
    file = io.BytesIO()
    few.save(file, "PNG", optimize=True)
    return {"image/png": base64.b64encode(file.getvalue()).decode(), "text/plain": "<a figure>"}


def main(asked: list[str]) -> None:
    if asked and asked[0].endswith(".ipynb"):
        notebook = jupytext.read(asked[0])
        complaints = run(notebook)
        print(json.dumps({"notebook": notebook, "complaints": complaints}))
        return
    for text in texts():
        if not asked or text.name[:2] in asked:
            print(write_pair(text, again=bool(asked)).relative_to(ROOT), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
