"""Every notebook is a text, notebooks/NN_name.py in the percent format; this makes the .ipynb beside it.

    python notebooks/pair.py

The text is what is edited. The .ipynb holds the same cells without outputs, numbered cell-1, cell-2, ..., so that the
same text always makes the same notebook.
"""

from pathlib import Path
from typing import Any

import jupytext

from ratecert.output.files import atomic_write

FOLDER = Path(__file__).resolve().parent
FORMATS = "ipynb,py:percent"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def texts(folder: Path = FOLDER) -> list[Path]:
    """The course in order."""
    return sorted(folder.glob("[0-9][0-9]_*.py"))


def notebook_of(text: Path) -> Any:
    """The notebook that a text makes."""
    notebook = jupytext.read(text, fmt="py:percent")
    for number, cell in enumerate(notebook.cells, start=1):
        cell["id"] = f"cell-{number}"
    notebook.metadata["kernelspec"] = dict(KERNEL)
    notebook.metadata["jupytext"] = {"formats": FORMATS}
    notebook.nbformat, notebook.nbformat_minor = 4, 5  # the first format whose cells have ids
    return notebook


def write_pair(text: Path) -> Path:
    """The .ipynb beside the text, written whole or not at all."""
    target = text.with_suffix(".ipynb")
    with atomic_write(target) as temporary:
        temporary.write_text(jupytext.writes(notebook_of(text), fmt="ipynb"), encoding="utf-8")
    return target


if __name__ == "__main__":
    for text in texts():
        print(write_pair(text).relative_to(FOLDER.parent))
