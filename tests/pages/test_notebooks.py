"""The notebooks of the course: made from their texts, in the agreed form, and true.

In sync: the .ipynb has the cells that its text makes, numbered, without outputs. In form: a title, 10 to 12 code cells,
an exercise whose hidden solution is the code that is run, and assertions at the end. True: each is executed by IPython
in a process of its own, shows a figure and writes nothing to stderr; its last cell asserts what the text claims.
"""

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXTS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.py"))
RUNNER = Path(__file__).resolve().parents[1] / "oracles" / "run_notebook.py"
HIDDEN = 'jupyter={"source_hidden": true} tags=["hide-cell"]'  # in JupyterLab, and on the site
TIMEOUT = 300  # seconds for a notebook
MISSING = "the notebooks need jupytext and IPython: pip install 'ratecert[notebooks]'"

each_text = pytest.mark.parametrize("text", TEXTS, ids=[text.stem for text in TEXTS])


@pytest.fixture
def pair() -> Any:
    """notebooks/pair.py, which is a script and in no package."""
    pytest.importorskip("jupytext", reason=MISSING)
    spec = importlib.util.spec_from_file_location("pair", ROOT / "notebooks" / "pair.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read(path: Path) -> Any:
    nbformat = pytest.importorskip("nbformat", reason=MISSING)
    return nbformat.read(path, as_version=4)


def differences(notebook: Any, other: Any) -> list[str]:
    """The ids of the cells of one that are not in the same place in the other."""
    cells, others = ([_identity(cell) for cell in each.cells] for each in (notebook, other))
    longest = max(len(cells), len(others))
    padded = [[*each, *[None] * (longest - len(each))] for each in (cells, others)]
    return [f"cell-{i}" for i, (a, b) in enumerate(zip(*padded, strict=True), start=1) if a != b]


def _identity(cell: Any) -> tuple[Any, ...]:
    return cell.id, cell.cell_type, cell.source, tuple(cell.metadata.get("tags", ()))


def faults(notebook: Any) -> list[str]:
    """What is missing of the agreed form."""
    cells, code = notebook.cells, [cell for cell in notebook.cells if cell.cell_type == "code"]
    prose = [cell.source for cell in cells if cell.cell_type == "markdown"]
    solutions = [s for s in prose if "<details><summary>Solution</summary>" in s and "</details>" in s]
    hidden = [
        cell.source
        for cell in code
        if "hide-cell" in cell.metadata.get("tags", ())
        and cell.metadata.get("jupyter", {}).get("source_hidden")
    ]
    blocks = [block for s in solutions for block in re.findall(r"```python\n(.*?)\n```", s, re.DOTALL)]
    found = {
        "title": bool(cells) and cells[0].cell_type == "markdown" and cells[0].source.startswith("# "),
        "10 to 12 code cells": 10 <= len(code) <= 12,
        "no outputs": not any(cell.outputs or cell.execution_count for cell in code),
        "exercise": any("## Exercise" in s for s in prose),
        "hidden solution": bool(blocks),
        "the solution is what is run": bool(hidden) and all(source in blocks for source in hidden),
        "assertions at the end": bool(code) and cells[-1] is code[-1] and "assert" in code[-1].source,
    }
    return [name for name, present in found.items() if not present]


class Failed(AssertionError):
    """A cell of a notebook failed; the message has its traceback."""


def executed(notebook: Any, folder: Path) -> dict[str, Any]:
    """The number of pictures, and what was written to stderr, by a process of its own with the packages of here."""
    pytest.importorskip("IPython", reason=MISSING)
    nbformat = pytest.importorskip("nbformat", reason=MISSING)
    path = folder / "notebook.ipynb"
    nbformat.write(notebook, path)
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "OPENBLAS_NUM_THREADS": "1",
        "IPYTHONDIR": str(folder),
    }
    done = subprocess.run(
        [sys.executable, str(RUNNER), str(path)],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    if done.returncode:
        raise Failed(done.stdout + done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_there_is_a_course() -> None:
    assert [text.name[:2] for text in TEXTS] == [f"{n:02d}" for n in range(1, len(TEXTS) + 1)]
    assert len(TEXTS) == 8


@each_text
def test_the_pair_is_in_sync(text: Path, pair: Any) -> None:
    assert text in pair.texts()
    assert differences(read(text.with_suffix(".ipynb")), pair.notebook_of(text)) == [], (
        "run python notebooks/pair.py"
    )


@each_text
def test_the_form(text: Path) -> None:
    assert faults(read(text.with_suffix(".ipynb"))) == []


BY_DAY = ("01_hypergradient", "04_linear_speedup", "08_your_own_work")


@pytest.mark.parametrize(
    "text",
    [text if text.stem in BY_DAY else pytest.param(text, marks=pytest.mark.nightly) for text in TEXTS],
    ids=[text.stem for text in TEXTS],
)
def test_it_runs_and_its_assertions_hold(text: Path, pair: Any, tmp_path: Path) -> None:
    done = executed(pair.notebook_of(text), tmp_path)
    assert done["complaints"] == []
    assert done["pictures"] >= 1


# Twins: each check fails on something wrong.


def example(pair: Any, folder: Path) -> Path:
    """A short text in the agreed form."""
    cells = ["# %% [markdown]\n# # A title", *(f"# %%\nx_{i} = {i}" for i in range(9))]
    cells += [
        "# %% [markdown]\n# ## Exercise\n# <details><summary>Solution</summary>\n#\n# ```python\n# y = 1\n# ```"
    ]
    cells[-1] += "\n#\n# </details>"
    cells += [f"# %% {HIDDEN}\ny = 1", "# %%\nassert y == 1"]
    text = folder / "01_example.py"
    text.write_text("\n\n".join(cells) + "\n")
    pair.write_pair(text)
    return text


def test_the_example_is_sound(pair: Any, tmp_path: Path) -> None:
    text = example(pair, tmp_path)
    assert pair.texts(tmp_path) == [text]
    notebook = read(text.with_suffix(".ipynb"))
    assert faults(notebook) == []
    assert [cell.id for cell in notebook.cells] == [f"cell-{i}" for i in range(1, 14)]
    assert notebook.metadata.kernelspec.name == "python3"


def test_the_same_text_makes_the_same_bytes(pair: Any, tmp_path: Path) -> None:
    written = example(pair, tmp_path).with_suffix(".ipynb")
    first = written.read_bytes()
    assert example(pair, tmp_path).with_suffix(".ipynb").read_bytes() == first
    assert sorted(path.name for path in tmp_path.iterdir()) == ["01_example.ipynb", "01_example.py"]


@pytest.mark.parametrize(
    ("old", "new", "cells"),
    [
        ("x_3 = 3", "x_3 = 4", ["cell-5"]),
        ("# # A title", "# # Another title", ["cell-1"]),
        (f" {HIDDEN}", "", ["cell-12"]),
        ("\n# %%\nassert y == 1\n", "", ["cell-13"]),
        (
            "# %%\nx_8 = 8\n",
            "# %%\nx_8 = 8\n\n# %%\nmore = 1\n",
            ["cell-11", "cell-12", "cell-13", "cell-14"],
        ),
    ],
    ids=["code", "prose", "tag", "a cell less", "a cell more"],
)
def test_a_pair_out_of_sync_is_noticed(
    old: str, new: str, cells: list[str], pair: Any, tmp_path: Path
) -> None:
    text = example(pair, tmp_path)
    assert old in text.read_text()
    text.write_text(text.read_text().replace(old, new))  # and the .ipynb is not made again
    assert differences(read(text.with_suffix(".ipynb")), pair.notebook_of(text)) == cells
    pair.write_pair(text)
    assert differences(read(text.with_suffix(".ipynb")), pair.notebook_of(text)) == []


def _without_title(notebook: Any) -> None:
    notebook.cells[0].source = "no title"


def _with_few_cells(notebook: Any) -> None:
    del notebook.cells[1:3]


def _with_many_cells(notebook: Any) -> None:
    notebook.cells[1:1] = notebook.cells[1:3]


def _with_an_output(notebook: Any) -> None:
    notebook.cells[1].execution_count = 1


def _without_exercise(notebook: Any) -> None:
    notebook.cells[-3].source = notebook.cells[-3].source.replace("## Exercise", "")


def _with_an_open_solution(notebook: Any) -> None:
    notebook.cells[-3].source = notebook.cells[-3].source.replace("<details>", "")


def _with_another_solution(notebook: Any) -> None:
    notebook.cells[-2].source = "y = 2 - 1"


def _without_assertions(notebook: Any) -> None:
    notebook.cells[-1].source = "print(y)"


def _with_a_last_word(notebook: Any) -> None:
    notebook.cells.append(notebook.cells[0])


@pytest.mark.parametrize(
    ("spoil", "found"),
    [
        (_without_title, ["title"]),
        (_with_few_cells, ["10 to 12 code cells"]),
        (_with_many_cells, ["10 to 12 code cells"]),
        (_with_an_output, ["no outputs"]),
        (_without_exercise, ["exercise"]),
        (_with_an_open_solution, ["hidden solution", "the solution is what is run"]),
        (_with_another_solution, ["the solution is what is run"]),
        (_without_assertions, ["assertions at the end"]),
        (_with_a_last_word, ["assertions at the end"]),
    ],
)
def test_a_fault_in_the_form_is_noticed(
    spoil: Callable[[Any], None], found: list[str], pair: Any, tmp_path: Path
) -> None:
    notebook = read(example(pair, tmp_path).with_suffix(".ipynb"))
    spoil(notebook)
    assert faults(notebook) == found


def test_a_false_assertion_fails(pair: Any, tmp_path: Path) -> None:
    notebook = read(example(pair, tmp_path).with_suffix(".ipynb"))
    notebook.cells[-1].source = "assert y == 2"
    with pytest.raises(Failed, match="assert y == 2"):
        executed(notebook, tmp_path)


def test_a_warning_is_noticed_and_a_missing_figure_too(pair: Any, tmp_path: Path) -> None:
    notebook = read(example(pair, tmp_path).with_suffix(".ipynb"))
    notebook.cells[1].source = "import warnings\n\nwarnings.warn('careful')"
    done = executed(notebook, tmp_path)
    (told,) = done["complaints"]
    assert "careful" in told
    assert done["pictures"] == 0
