"""The notebooks of the course: made from their texts, in the agreed form, with outputs that are fresh, and true.

In sync: the .ipynb has the cells that its text makes, numbered. Fresh: its outputs were made by the code that it has,
which a digest tells. In form: a title, a dozen code cells, something to move, an exercise whose solution is folded
wherever it is shown, and assertions at the end. True, by night: IPython runs each in a process of its own, nothing goes
to stderr, and what it prints and shows is what is stored, but for the last digits.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jupytext", reason="the notebooks need jupytext and IPython (extra `notebooks`)")
pytest.importorskip("IPython", reason="the notebooks need jupytext and IPython (extra `notebooks`)")

from oracles.notebooks import differences, faults, of_the_machine, pictures, printed, same_text, written
from tools import course

TEXTS = course.texts()
RENEW = "run python -m tools.course"
KB = 1000

each_text = pytest.mark.parametrize("text", TEXTS, ids=[text.stem for text in TEXTS])


def test_there_is_a_course_and_it_is_light() -> None:
    assert [text.name[:2] for text in TEXTS] == [f"{n:02d}" for n in range(1, 10)]
    sizes = [text.with_suffix(".ipynb").stat().st_size for text in TEXTS]
    assert max(sizes) < 600 * KB
    assert sum(sizes) < 3000 * KB


@each_text
def test_a_notebook_is_in_sync_fresh_and_in_form(text: Path) -> None:
    stored = course.stored(text)
    assert differences(stored, course.notebook_of(text)) == [], RENEW
    assert not course.is_stale(text), f"the outputs of {text.name} are stale: {RENEW}"
    assert faults(stored) == []
    assert of_the_machine(stored) == []


@pytest.mark.nightly
@each_text
def test_it_runs_and_what_is_stored_is_what_it_shows(text: Path) -> None:
    done, complaints = course.executed(course.notebook_of(text))
    assert complaints == []
    kept = course.stored(text)
    changed = [b for a, b in zip(printed(kept), printed(done), strict=True) if not same_text(a, b)]
    assert changed == [], f"run python -m tools.course {text.name[:2]}"
    shown = [[pictures(cell) for cell in each.cells if cell.cell_type == "code"] for each in (kept, done)]
    assert shown[0] == shown[1]


# Each check fails on something wrong.


def test_another_counterexample_makes_the_outputs_stale_that_opened_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other, referee = (next(text for text in TEXTS if text.name.startswith(n)) for n in ("01", "09"))
    another = tmp_path / "another.toml"
    another.write_text("ratio = 2.0\n")
    monkeypatch.setattr(course, "file_of", lambda name: another)
    assert course.is_stale(referee)
    assert not course.is_stale(other)


@pytest.fixture(scope="module")
def executed_example(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The example, run once: its .ipynb."""
    return course.write_pair(written(tmp_path_factory.mktemp("example"))).read_bytes()


@pytest.fixture
def example(executed_example: bytes, tmp_path: Path) -> Path:
    text = written(tmp_path)
    text.with_suffix(".ipynb").write_bytes(executed_example)
    return text


def edit(text: Path, old: str, new: str) -> None:
    """The .ipynb is not made again."""
    assert old in text.read_text()
    text.write_text(text.read_text().replace(old, new))


def test_the_example_is_sound(example: Path, tmp_path: Path) -> None:
    assert course.texts(tmp_path) == [example]
    notebook = course.stored(example)
    assert faults(notebook) == of_the_machine(notebook) == []
    assert not course.is_stale(example)
    assert [cell.id for cell in notebook.cells] == [f"cell-{i}" for i in range(1, 14)]
    assert notebook.metadata.kernelspec.name == "python3"
    assert printed(notebook) == [*(f"{i}\n" for i in range(8)), "", "", ""]  # and nothing of the widget
    assert [pictures(cell) for cell in notebook.cells if cell.cell_type == "code"] == [0] * 8 + [1, 0, 0]


@pytest.mark.parametrize(
    ("old", "new", "cells", "stale"),
    [
        ("x_3 = 3", "x_3 = 4", ["cell-5"], True),
        ("# y = x_3 + 1", "# y = 1 + x_3", ["cell-12"], True),
        ("# # A title", "# # Another title", ["cell-1"], False),
        ("# %%\nx_4", '# %% tags=["hide-cell"]\nx_4', ["cell-6"], False),
        ("\n# %%\nassert x_1 == 1\n", "", ["cell-13"], True),
        ("# %%\nassert", "# %%\nmore = 1\n\n# %%\nassert", ["cell-13", "cell-14"], True),
    ],
    ids=["code", "solution", "prose", "tag", "a cell less", "a cell more"],
)
def test_an_edited_text_is_out_of_sync_and_stale_where_code_has_changed(
    old: str, new: str, cells: list[str], stale: bool, example: Path
) -> None:
    edit(example, old, new)
    assert differences(course.stored(example), course.notebook_of(example)) == cells
    assert course.is_stale(example) is stale


def test_new_prose_keeps_the_outputs_and_nothing_is_run(
    example: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(course, "executed", None)
    before = printed(course.stored(example))
    edit(example, "# # A title", "# # Another title")
    course.write_pair(example)
    assert differences(course.stored(example), course.notebook_of(example)) == []
    assert printed(course.stored(example)) == before


def test_without_an_ipynb_or_a_digest_the_outputs_are_stale(example: Path) -> None:
    kept = example.with_suffix(".ipynb")
    kept.write_text(kept.read_text().replace('"ratecert": {', '"other": {'))
    assert course.is_stale(example)
    kept.unlink()
    assert course.is_stale(example)


SPOILED: dict[str, tuple[Callable[[Any], object], list[str]]] = {
    "no title": (lambda cells: cells[0].update(source="no title"), ["title"]),
    "few cells": (lambda cells: [cells.pop(7), cells.pop(7)], ["10 to 13 code cells", "outputs"]),
    "no output": (lambda cells: cells[1].update(execution_count=None), ["outputs"]),
    "no figure": (lambda cells: cells[9].update(outputs=[]), ["a figure"]),
    "no slider": (lambda cells: cells[10].update(source="pass"), ["something to move"]),
    "no exercise": (lambda cells: _replace(cells[-2], "## Exercise", ""), ["exercise"]),
    "an open solution": (
        lambda cells: _replace(cells[-2], "<details>", ""),
        ["a solution that is checked", "solutions folded"],
    ),
    "a solution in a cell": (lambda cells: cells.insert(10, cells.pop(11)), ["solutions folded"]),
    "a solution without a check": (
        lambda cells: _replace(cells[-2], "assert y == 4", "print(y)"),
        ["a solution that is checked"],
    ),
    "no assertions": (lambda cells: cells[-1].update(source="print(x_1)"), ["assertions at the end"]),
    "a last word": (lambda cells: cells.append(cells[0]), ["assertions at the end"]),
}


def _replace(cell: Any, old: str, new: str) -> None:
    cell.source = cell.source.replace(old, new)


@pytest.mark.parametrize("name", SPOILED)
def test_a_fault_in_the_form_is_noticed(name: str, example: Path) -> None:
    notebook = course.stored(example)
    spoil, found = SPOILED[name]
    spoil(notebook.cells)
    assert faults(notebook) == found


@pytest.mark.parametrize(
    "word", ["/home/someone/ratecert/x.py", "<function f at 0x7f3b2c1d5e40>", "\x1b[2K", "5" * 16 + "ab" * 8]
)
def test_a_word_of_this_machine_is_noticed(word: str, example: Path) -> None:
    notebook = course.stored(example)
    notebook.cells[1].outputs[0].text = f"see {word}\n"
    assert of_the_machine(notebook) != []


@pytest.mark.nightly
@pytest.mark.parametrize(("old", "new"), [("x_1 == 1", "x_1 == 2"), ("y == 4", "y == 5")])
def test_a_false_assertion_fails_in_a_cell_and_in_a_solution(old: str, new: str, example: Path) -> None:
    notebook = course.notebook_of(example)
    for cell in notebook.cells:
        _replace(cell, old, new)
    with pytest.raises(course.Failed, match=new):
        course.executed(notebook)


@pytest.mark.nightly
def test_a_warning_is_noticed_and_nothing_is_written(example: Path) -> None:
    before = example.with_suffix(".ipynb").read_bytes()
    edit(example, "x_2 = 2", "x_2 = 2\nimport warnings\n\nwarnings.warn('careful')")
    with pytest.raises(course.Failed, match="careful"):
        course.write_pair(example)
    assert example.with_suffix(".ipynb").read_bytes() == before
