"""The notebooks of the course: made from their texts, in the agreed form, with outputs that are fresh.

In sync: the .ipynb has the cells that its text makes, numbered. Fresh: its outputs were made by the code that it has,
which a digest tells; test_notebooks_run.py runs all of them. In form: a title, a dozen code cells, something to move,
an exercise whose solution is folded wherever it is shown, and assertions at the end.
"""

import base64
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("jupytext", reason="the notebooks need jupytext and IPython (extra `notebooks`)")
pytest.importorskip("IPython", reason="the notebooks need jupytext and IPython (extra `notebooks`)")

from oracles.notebooks import differences, faults, of_the_machine, pictures, printed, written
from tools import course, run_notebook

TEXTS = course.texts()
RENEW = "run python -m tools.course"
KB = 1000

each_text = pytest.mark.parametrize("text", TEXTS, ids=[text.stem for text in TEXTS])


def test_there_is_a_course() -> None:
    assert [text.name[:2] for text in TEXTS] == [f"{n:02d}" for n in range(1, len(TEXTS) + 1)]
    assert len(TEXTS) == 9


@each_text
def test_the_pair_is_in_sync(text: Path) -> None:
    assert text in course.texts()
    assert differences(course.stored(text), course.notebook_of(text)) == [], RENEW


@each_text
def test_the_outputs_are_fresh(text: Path) -> None:
    assert not course.is_stale(text), f"the outputs of {text.name} are stale: {RENEW}"


@each_text
def test_the_form(text: Path) -> None:
    assert faults(course.stored(text)) == []


@each_text
def test_outputs_do_not_know_the_machine(text: Path) -> None:
    assert of_the_machine(course.stored(text)) == []


def test_the_course_is_light() -> None:
    sizes = [text.with_suffix(".ipynb").stat().st_size for text in TEXTS]
    assert max(sizes) < 600 * KB
    assert sum(sizes) < 3000 * KB


# Twins: each check fails on something wrong.


@pytest.fixture(scope="module")
def executed_example(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The example, run once: the bytes of its .ipynb."""
    return str(course.write_pair(written(tmp_path_factory.mktemp("example"))).read_text(encoding="utf-8"))


@pytest.fixture
def example(executed_example: str, tmp_path: Path) -> Path:
    text = written(tmp_path)
    text.with_suffix(".ipynb").write_text(executed_example, encoding="utf-8")
    return text


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
    assert old in example.read_text()
    example.write_text(example.read_text().replace(old, new))  # and the .ipynb is not made again
    assert differences(course.stored(example), course.notebook_of(example)) == cells
    assert course.is_stale(example) is stale


def test_new_prose_keeps_the_outputs_and_nothing_is_run(
    example: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(course, "executed", None)
    before = printed(course.stored(example))
    example.write_text(example.read_text().replace("# # A title", "# # Another title"))
    course.write_pair(example)
    assert differences(course.stored(example), course.notebook_of(example)) == []
    assert printed(course.stored(example)) == before


def test_without_an_ipynb_or_a_digest_the_outputs_are_stale(example: Path) -> None:
    kept = example.with_suffix(".ipynb")
    kept.write_text(kept.read_text().replace('"ratecert": {', '"other": {'))
    assert course.is_stale(example)
    kept.unlink()
    assert course.is_stale(example)


def test_another_counterexample_makes_the_outputs_stale_that_opened_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (referee,) = [text for text in TEXTS if text.name.startswith("09")]
    (other,) = [text for text in TEXTS if text.name.startswith("01")]
    another = tmp_path / "another.toml"
    another.write_text("ratio = 2.0\n")
    monkeypatch.setattr(course, "named", lambda name: another)
    assert course.is_stale(referee)
    assert not course.is_stale(other)


def _without_title(notebook: Any) -> None:
    notebook.cells[0].source = "no title"


def _with_few_cells(notebook: Any) -> None:
    del notebook.cells[7:9]


def _without_an_output(notebook: Any) -> None:
    notebook.cells[1].execution_count = None


def _without_a_figure(notebook: Any) -> None:
    notebook.cells[9].outputs = []


def _without_a_slider(notebook: Any) -> None:
    notebook.cells[10].source = "pass"


def _without_exercise(notebook: Any) -> None:
    notebook.cells[-2].source = notebook.cells[-2].source.replace("## Exercise", "")


def _with_an_open_solution(notebook: Any) -> None:
    notebook.cells[-2].source = notebook.cells[-2].source.replace("<details>", "")


def _with_a_solution_in_a_cell(notebook: Any) -> None:
    notebook.cells[10], notebook.cells[11] = notebook.cells[11], notebook.cells[10]


def _with_an_unchecked_solution(notebook: Any) -> None:
    notebook.cells[-2].source = notebook.cells[-2].source.replace("assert y == 4", "print(y)")


def _without_assertions(notebook: Any) -> None:
    notebook.cells[-1].source = "print(x_1)"


def _with_a_last_word(notebook: Any) -> None:
    notebook.cells.append(notebook.cells[0])


@pytest.mark.parametrize(
    ("spoil", "found"),
    [
        (_without_title, ["title"]),
        (_with_few_cells, ["10 to 13 code cells", "outputs"]),
        (_without_an_output, ["outputs"]),
        (_without_a_figure, ["a figure"]),
        (_without_a_slider, ["something to move"]),
        (_without_exercise, ["exercise"]),
        (_with_an_open_solution, ["a solution that is checked", "solutions folded"]),
        (_with_a_solution_in_a_cell, ["solutions folded"]),
        (_with_an_unchecked_solution, ["a solution that is checked"]),
        (_without_assertions, ["assertions at the end"]),
        (_with_a_last_word, ["assertions at the end"]),
    ],
)
def test_a_fault_in_the_form_is_noticed(
    spoil: Callable[[Any], None], found: list[str], example: Path
) -> None:
    notebook = course.stored(example)
    spoil(notebook)
    assert faults(notebook) == found


@pytest.mark.parametrize(
    "word", ["/home/someone/ratecert/x.py", "<function f at 0x7f3b2c1d5e40>", "\x1b[2K", "5" * 16 + "ab" * 8]
)
def test_a_word_of_this_machine_is_noticed(word: str, example: Path) -> None:
    notebook = course.stored(example)
    notebook.cells[1].outputs[0].text = f"see {word}\n"
    assert of_the_machine(notebook) != []


def test_a_rare_colour_of_a_picture_is_kept() -> None:
    """The green of a line in a legend, 33 pixels, beside two wide lines with edges in many shades."""
    green, lines = np.array([0, 158, 115]), np.array([[0, 114, 178], [213, 94, 0]])
    edges = np.linspace(0, 1, 200)[:, None, None]
    shades = (1 - edges) * lines + edges * 255  # of both lines, from the colour to white
    drawn = np.full((256, 256, 3), 255, dtype=np.uint8)
    drawn[:200, :100], drawn[:200, 100:200] = shades[:, :1], shades[:, 1:]
    drawn[220:223, 100:111] = green
    file = io.BytesIO()
    Image.fromarray(drawn).save(file, "PNG")
    kept = run_notebook.compact({"image/png": file.getvalue()})
    shown = np.asarray(Image.open(io.BytesIO(base64.b64decode(kept["image/png"]))).convert("RGB"))
    assert np.abs(shown[221, 105] - green).max() <= 16
