"""The notebooks of the course are true: each is run by IPython in a process of its own and writes nothing to stderr.

Its last cell asserts what the text claims, and so does the solution of its exercise. What it prints and shows is what
is stored, but for the last digits.
"""

from pathlib import Path

import pytest

pytest.importorskip("jupytext", reason="the notebooks need jupytext and IPython (extra `notebooks`)")
pytest.importorskip("IPython", reason="the notebooks need jupytext and IPython (extra `notebooks`)")

from oracles.notebooks import pictures, printed, same_text, written
from tools import course

pytestmark = pytest.mark.nightly

TEXTS = course.texts()


@pytest.mark.parametrize("text", TEXTS, ids=[text.stem for text in TEXTS])
def test_it_runs_and_what_is_stored_is_what_it_shows(text: Path) -> None:
    done, complaints = course.executed(course.notebook_of(text))
    assert complaints == []
    kept = course.stored(text)
    changed = [b for a, b in zip(printed(kept), printed(done), strict=True) if not same_text(a, b)]
    assert changed == [], f"run python -m tools.course {text.name[:2]}"
    shown = [[pictures(cell) for cell in each.cells if cell.cell_type == "code"] for each in (kept, done)]
    assert shown[0] == shown[1]


# Twins: each check fails on something wrong.


@pytest.fixture
def example(tmp_path: Path) -> Path:
    text = written(tmp_path)
    course.write_pair(text)
    return text


def test_running_again_makes_the_same_bytes(example: Path, tmp_path: Path) -> None:
    before = example.with_suffix(".ipynb").read_bytes()
    assert course.write_pair(example, again=True).read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["01_example.ipynb", "01_example.py"]


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("rate -0.50001 of 3", "rate -0.50002 of 3", True),
        ("gap 2e-17", "gap -1e-16", True),
        ("rate -0.5", "rate -0.51", False),
        ("rate -0.5", "rate 0.5", False),
        ("rate 1", "ratio 1", False),
        ("1 2", "1", False),
    ],
)
def test_outputs_are_compared_by_their_numbers(a: str, b: str, same: bool) -> None:
    assert same_text(a, b) is same


@pytest.mark.parametrize("wrong", ["cell", "solution"])
def test_a_false_assertion_fails(wrong: str, example: Path) -> None:
    notebook = course.notebook_of(example)
    old, new = ("x_1 == 1", "x_1 == 2") if wrong == "cell" else ("y == 4", "y == 5")
    for cell in notebook.cells:
        cell.source = cell.source.replace(old, new)
    with pytest.raises(course.Failed, match=new):
        course.executed(notebook)


def test_a_warning_is_noticed_and_nothing_is_written(example: Path) -> None:
    before = example.with_suffix(".ipynb").read_bytes()
    warning = "import warnings\n\nwarnings.warn('careful')"
    example.write_text(example.read_text().replace("x_2 = 2", f"x_2 = 2\n{warning}"))
    with pytest.raises(course.Failed, match="careful"):
        course.write_pair(example)
    assert example.with_suffix(".ipynb").read_bytes() == before
