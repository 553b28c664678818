"""The course: every notebook is a text, notebooks/NN_name.py in the percent format, with an .ipynb beside it.

    python -m tools.course            run the notebooks whose code has changed, and write all of them
    python -m tools.course 03 07      run these, changed or not

The text is what is edited. The .ipynb has the same cells, numbered cell-1, cell-2, ..., and their outputs, so that it
can be read with its figures wherever it is shown. Its metadata hold a digest of the code that made the outputs, and of
the counterexamples that it opens: where only prose has changed the outputs are kept, and where these have changed they
are stale.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import jupytext

from ratecert.base.files import atomic_write
from ratecert.catalogue.cases import file_of
from tools.run_notebook import solutions

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "notebooks"
FORMATS = "ipynb,py:percent"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
TIMEOUT = 300  # seconds for a notebook
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


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
    notebook.metadata["jupytext"] = {"formats": FORMATS}
    notebook.metadata["ratecert"] = {"code": digest(notebook)}
    notebook.nbformat, notebook.nbformat_minor = 4, 5  # the first format whose cells have ids
    return notebook


def digest(notebook: Any) -> str:
    """Of all the code that is run, cells and solutions of exercises, and of the counterexamples that it names."""
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    parts = [code, solutions(notebook), *counterexamples(code)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def counterexamples(code: list[str]) -> list[str]:
    """The files that the code asks for by name."""
    asked = re.findall(r'check_witness\("([^"]+)"', "\n".join(code))
    return [file_of(name).read_text(encoding="utf-8") for name in asked]


def stored(text: Path) -> Any | None:
    """The .ipynb beside a text."""
    beside = text.with_suffix(".ipynb")
    return jupytext.read(beside) if beside.exists() else None


def is_stale(text: Path) -> bool:
    """The outputs that are kept were made by other code, or there are none."""
    kept = stored(text)
    made_by = kept.metadata.get("ratecert", {}).get("code") if kept else None
    return bool(made_by != digest(notebook_of(text)))


def executed(notebook: Any) -> tuple[Any, list[str]]:
    """The notebook with its outputs, and what was written to stderr, by a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "notebook.ipynb"
        path.write_text(jupytext.writes(notebook, fmt="ipynb"), encoding="utf-8")
        environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": str(ROOT), "IPYTHONDIR": folder}
        command = [sys.executable, "-m", "tools.run_notebook", str(path)]
        done = subprocess.run(
            command, env=environment, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
    if done.returncode:
        raise Failed(done.stdout + done.stderr)
    found = json.loads(done.stdout.splitlines()[-1])
    return jupytext.reads(json.dumps(found["notebook"]), fmt="ipynb"), found["complaints"]


def with_outputs_of(kept: Any, notebook: Any) -> Any:
    """The notebook with the outputs that another one with the same code has."""
    codes = ([cell for cell in each.cells if cell.cell_type == "code"] for each in (kept, notebook))
    for old, new in zip(*codes, strict=True):
        new.outputs, new.execution_count = old.outputs, old.execution_count
    return notebook


def write_pair(text: Path, *, again: bool = False) -> Path:
    """The .ipynb beside the text, written whole or not at all; it is run where its outputs are stale, or again."""
    target, notebook = text.with_suffix(".ipynb"), notebook_of(text)
    if again or is_stale(text):
        notebook, complaints = executed(notebook)
        if complaints:
            raise Failed(f"{text.name} wrote to standard error: {complaints}")
    else:
        notebook = with_outputs_of(stored(text), notebook)
    with atomic_write(target) as temporary:
        temporary.write_text(jupytext.writes(notebook, fmt="ipynb"), encoding="utf-8")
    return target


def main(numbers: list[str]) -> None:
    for text in texts():
        if not numbers or text.name[:2] in numbers:
            print(write_pair(text, again=bool(numbers)).relative_to(ROOT), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
