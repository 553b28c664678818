"""Runs the code cells of a notebook in IPython itself, without a kernel and its sockets, and prints what came of it.

    python run_notebook.py NOTEBOOK.ipynb

The last line of standard output is JSON: the number of pictures that were shown, and what went to standard error. A
cell that fails ends the run with its traceback and exit code 1.
"""

import json
import sys
from pathlib import Path
from typing import Any

import nbformat
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output


class Shell(InteractiveShell):
    def enable_gui(self, gui: Any = None) -> None:
        """There is none; figures are shown inline."""


def run(path: Path) -> dict[str, Any]:
    shell, pictures, complaints = Shell.instance(colors="nocolor"), 0, []
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            with capture_output() as captured:
                result = shell.run_cell(cell.source)
            if not result.success:
                print(captured.stdout, cell.source, sep="\n", file=sys.stderr)
                raise SystemExit(1)
            pictures += sum("image/png" in output.data for output in captured.outputs)
            complaints += [captured.stderr] if captured.stderr else []
    return {"pictures": pictures, "complaints": complaints}


if __name__ == "__main__":
    print(json.dumps(run(Path(sys.argv[1]))))
