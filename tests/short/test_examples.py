"""The theorems of docs/theorems, each a file of a dozen lines, with the verdict that is known of it."""

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import ratecert as rc
from ratecert.api.theorem import SAID
from ratecert.binding.outcomes import FAMILIES
from ratecert.cli.main import main
from ratecert.short.letters import LETTERS, MEANINGS

EXAMPLES = Path(__file__).parents[2] / "docs" / "theorems"
HOLDS = {  # theorem -> the largest measured/bound that a short search may find, and the least
    "gradient_descent.py:contraction": (1 - 1e-9, 1.0),
    "heavy_ball.py:theorem-1 repaired": (0.5, 0.8),
    "nesterov.py:accelerated": (0.9, 1.0),
    "nesterov.py:lyapunov": (0.999, 1.0),
    "sgd_floor.py:floor": (0.9, 1.0),
    "local_sgd.py:theorem-1": (0.9, 1.0),
    "svrg_epoch.py:epoch": (0.4, 0.6),
    "compressed.py:contraction": (1 - 1e-9, 1.0),
}
BREAKS = {"heavy_ball.py:theorem-1": 5.135, "two_level_momentum.py:forgetful": float("inf")}


def searched(name: str, budget: int = 200) -> rc.results.Outcome:
    statement, _, variant = f"{EXAMPLES}/{name}".partition(" ")
    return rc.falsify(statement, variant or "printed", budget=budget)


@pytest.mark.parametrize("name", HOLDS)
def test_a_true_theorem_is_not_refuted(name: str) -> None:
    found, (least, most) = searched(name, 80), HOLDS[name]
    assert not found.falsified
    assert least <= found.largest <= most + 1e-12
    assert found.inside > 10


@pytest.mark.parametrize("name", BREAKS)
def test_a_false_one_is(name: str) -> None:
    found = searched(name)
    assert found.falsified
    assert found.largest == pytest.approx(BREAKS[name], rel=1e-3)


def test_the_lost_factor_is_to_blame() -> None:
    """The cure is the same theorem with a reason: an erratum at the one term that differs."""
    (erratum,) = rc.paper("repaired", str(EXAMPLES / "heavy_ball.py")).errata
    assert erratum.place == "theorem-1.term.noise"
    assert erratum.reason == "1/(1 - beta) is lost"
    assert searched("heavy_ball.py:theorem-1").findings[0].simple.witness.place == erratum.place


def test_every_example_is_tried() -> None:
    files = {name.partition(":")[0] for name in (*HOLDS, *BREAKS)}
    assert files == {path.name for path in EXAMPLES.glob("*.py")}


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_it_is_short_and_sound(path: Path) -> None:
    """Code, without blank lines; compressed.py brings an estimator and a family of its own."""
    code = [line for line in path.read_text("utf-8").splitlines() if line.strip()]
    assert len(code) <= (36 if path.stem == "compressed" else 25)
    assert [found for found in rc.lint(str(path)) if found.severity != "note"] == []


@pytest.mark.parametrize("shape", ["average", "bilevel", "contraction", "cost", "floor", "lyapunov"])
def test_every_shape_is_a_sound_paper_with_a_true_theorem(
    shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "mine", "--shape", shape]) == 0
    suite: dict[str, Any] = {"__file__": str(tmp_path / "test_mine.py")}
    exec(
        (tmp_path / "test_mine.py").read_text(encoding="utf-8").replace("200", "60").replace("100", "30"),
        suite,
    )
    suite["test_the_statements_are_sound"]()
    suite["test_no_world_breaks_the_theorem"]()
    code = [line for line in (tmp_path / "mine.py").read_text(encoding="utf-8").splitlines() if line.strip()]
    assert len(code) <= 25


@pytest.mark.nightly
def test_on_two_levels_x_moves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what its motion costs the theorem of that shape is false."""
    monkeypatch.chdir(tmp_path)
    assert main(["new", "mine", "--shape", "bilevel"]) == 0
    text = Path("mine.py").read_text(encoding="utf-8")
    Path("still.py").write_text(text.replace(" + 2 * moved / (beta * mu) ** 2", ""), encoding="utf-8")
    assert rc.falsify("still.py:theorem-1", budget=16).falsified


def table(heading: str) -> list[list[str]]:
    """The rows of the page's table with this head."""
    page = (EXAMPLES.parent / "your_own_paper.md").read_text("utf-8")
    rows = page.partition(f"\n| {heading} |")[2].partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row[1:-1].split("|")] for row in rows]


def quoted(text: str) -> list[str]:
    return re.findall(r"`([\w/]+)`", text)


def test_the_page_has_every_letter_and_what_it_means() -> None:
    shown = table("letter")
    assert [means for _, means, _ in shown] == [*MEANINGS]
    for letters, means, units in shown:
        assert quoted(letters) == MEANINGS[means].letters.split()
        assert units == (MEANINGS[means].units or "of the rate")
    assert [name for letters, _, _ in shown for name in quoted(letters)] == [*LETTERS]


def test_the_page_has_every_argument_of_a_theorem() -> None:
    shown, known = table("`rc.theorem`"), {*SAID, *inspect.signature(rc.theorem).parameters} - {"more"}
    assert known <= {name for row in shown for cell in row for name in quoted(cell)}
    assert {name for first, _ in shown for name in quoted(first)} <= known


def test_the_page_explains_every_number_of_a_world() -> None:
    explained = [name for first, _ in table("number") for name in quoted(first)]
    assert sorted(explained) == sorted({level.name for each in FAMILIES.values() for level in each.levels})


def test_the_page_shows_one_of_them() -> None:
    page = (EXAMPLES.parent / "your_own_paper.md").read_text("utf-8")
    block = page.partition("```py\n")[2].partition("```")[0]
    assert block in (EXAMPLES / "gradient_descent.py").read_text("utf-8")
