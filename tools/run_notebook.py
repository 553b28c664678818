"""Runs a notebook in IPython itself, without a kernel and its sockets, and prints it with its outputs.

    python -m tools.run_notebook NOTEBOOK.ipynb

The last line of standard output is JSON: the notebook, and what went to standard error. A cell that fails ends the run
with its traceback and exit code 1. The solutions of exercises, which are code in prose, are run after all cells: they
see what the cells have made, and no cell needs them.

The same notebook gives the same bytes. Widgets need a kernel, and their ids are drawn at random: a cell with one is
kept without outputs. Pictures are drawn again with few colours and without what a library writes into them of itself.
"""

import base64
import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

WIDGET = "application/vnd.jupyter.widget-view+json"
COLOURS = 96  # of a picture: lines, their edges, and text
SOLUTION = re.compile(r"<details><summary>Solution</summary>(.*?)</details>", re.DOTALL)


class Shell(InteractiveShell):
    def enable_gui(self, gui: Any = None) -> None:
        """There is none; figures are shown inline."""


def solutions(notebook: Any) -> list[str]:
    """The code of every folded solution."""
    prose = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    folded = [part for text in prose for part in SOLUTION.findall(text)]
    return [code for part in folded for code in re.findall(r"```python\n(.*?)\n```", part, re.DOTALL)]


def run(notebook: Any) -> list[str]:
    """Gives its outputs to every code cell; what was written to stderr is returned."""
    shell, complaints = Shell.instance(colors="nocolor"), []
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for number, cell in enumerate(code, start=1):
        captured = _run(shell, cell.source)
        cell.execution_count, cell.outputs = number, outputs_of(captured)
        complaints += [captured.stderr] if captured.stderr else []
    for solution in solutions(notebook):
        captured = _run(shell, solution)
        complaints += [captured.stderr] if captured.stderr else []
    return complaints


def _run(shell: Any, source: str) -> Any:
    with capture_output() as captured:
        result = shell.run_cell(source)
    if not result.success:
        print(captured.stdout, source, sep="\n", file=sys.stderr)
        raise SystemExit(1)
    return captured


def outputs_of(captured: Any) -> list[Any]:
    """What a cell printed, then what it showed; nothing of a cell with a widget, which draws one of its positions."""
    made: list[Any] = []
    if any(WIDGET in shown.data for shown in captured.outputs):
        return made
    if captured.stdout:
        made.append(nbformat.v4.new_output("stream", name="stdout", text=captured.stdout))
    made += [nbformat.v4.new_output("display_data", data=compact(shown.data)) for shown in captured.outputs]
    return made


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


if __name__ == "__main__":
    notebook = nbformat.read(Path(sys.argv[1]), as_version=4)
    complaints = run(notebook)
    print(json.dumps({"notebook": notebook, "complaints": complaints}))
