"""Runs are searched up to T = 2^62, and in the limit T = infinity where a bound has one above zero."""

import math
import re
from pathlib import Path

import pytest

import ratecert as rc
from ratecert.catalogue.cases import bound_case
from ratecert.catalogue.find import paper
from ratecert.cli.main import main
from ratecert.errors import OutsideConditionsError
from ratecert.search.case import LONGEST, Case, Trial

AVERAGED = {  # theorems with a constant step: its fractions of the most that is allowed
    "parallel-sgd:sgd-descent": ({"eta": 1.0}, {"eta": 1e-3}),
    "ghadimi-lan:constant-steps": ({"gamma": 0.5}, {"gamma": 1e-3}),
    "sg:theorem-4-6": ({"abar": 1.0}, {"abar": 1e-3}),
    "sg:theorem-4-8": ({"abar": 1.0}, {"abar": 1e-3}),
    "pasgd:theorem-1": ({"eta": 0.5, "tau": 1.0}, {"eta": 1e-3, "tau": 1.0}),
}
WORLDS = ({"L": 1.0, "spread": 1.0, "s": 1.0}, {"L": 7.0, "spread": 100.0, "s": 0.01})


def tried(id: str, fractions: dict[str, float], world: dict[str, float], T: float) -> Trial:
    """After T iterations from the solution, on four devices where there are several."""
    key, _, statement = id.partition(":")
    case, source = bound_case(key, statement, "printed"), paper("printed", key)
    assert set(fractions) <= set(case.letters)
    numbers = {
        **{level.name: 1.0 for level in case.levels},
        **world,
        "x_off": 0.0,
        "T": T,
        "K": 4.0,
        "family": 1.0,
        **{f"of {name}": value for name, value in fractions.items()},
    }
    return case.attempt(case.instance(numbers, source), source)


@pytest.mark.parametrize("id", AVERAGED)
@pytest.mark.parametrize("world", WORLDS, ids=["one curvature", "two"])
def test_from_the_solution_the_longest_run_is_the_limit(id: str, world: dict[str, float]) -> None:
    for fractions in AVERAGED[id]:
        longest, limit = (tried(id, fractions, world, T).ratio for T in (float(LONGEST), math.inf))
        assert longest == pytest.approx(limit, rel=1e-8)


@pytest.mark.parametrize("id", sorted(set(AVERAGED) - {"sg:theorem-4-6"}))  # whose bound begins at zero there
def test_a_short_run_is_not(id: str) -> None:
    _, small = AVERAGED[id]
    short, limit = (tried(id, small, WORLDS[1], T).ratio for T in (2.0, math.inf))
    assert short < 0.9 * limit


def test_the_limit_of_sgd_is_the_closed_form() -> None:
    """x+ = x - a (L x + n) has E(Lx)^2 = a L s^2/(2 - a L) in each of two coordinates, over K devices."""
    for fraction in (0.25, 0.5, 0.9):
        found = tried("parallel-sgd:sgd-descent", {"eta": fraction}, WORLDS[0], math.inf)
        a = found.values["eta"]
        assert found.measured == pytest.approx(2 * a / (2 - a) / 4, rel=1e-8)


@pytest.mark.parametrize(
    ("id", "limits"),
    [
        ("parallel-sgd:sgd-descent", 1),
        ("sg:theorem-4-8", 3),
        ("pep-gradient-descent:convex", 0),  # falls to zero
        ("pep-stochastic:sgd", 0),  # speaks of one step
        ("ghadimi-lan:diminishing-steps", 0),  # steps that depend on T
        ("stich-local-sgd:theorem-2-2", 0),  # weights that grow
    ],
)
def test_where_there_is_a_limit_it_is_searched(id: str, limits: int) -> None:
    key, _, statement = id.partition(":")
    case = bound_case(key, statement, "printed")
    assert sum(held.get("T") == math.inf for held in case.subspaces) == limits


def test_a_floor_that_is_too_low_is_found_in_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing else is searched here, and what is found is kept, and computed again from the file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Case, "subspaces", property(lambda self: self._limits))
    assert main(["new", "my_paper"]) == 0
    path = tmp_path / "my_paper.py"
    text = path.read_text("utf-8")
    sound = rc.falsify(f"{path}:theorem-1", budget=30)
    assert not sound.falsified
    assert sound.nearest["run"]["T"] == math.inf
    path.write_text(
        text.replace("alpha * L * sigma**2 / K", "alpha * L * sigma**2 / (4 * K)"), encoding="utf-8"
    )
    assert main(["falsify", "my_paper.py:theorem-1", "--budget", "30", "--jobs", "1", "--out", "found"]) == 0
    assert "refuted" in capsys.readouterr().out
    witness = Path("found/my_paper.theorem-1.printed.toml")
    assert re.search(r"^T = inf$", witness.read_text("utf-8"), re.MULTILINE)
    assert main(["check", str(witness)]) == 0
    assert "enclosed in balls" in capsys.readouterr().out


def test_a_count_of_devices_has_no_limit() -> None:
    case, source = bound_case("parallel-sgd", "sgd-descent", "printed"), paper("printed", "parallel-sgd")
    numbers = {level.name: 1.0 for level in case.levels} | {"family": 1.0}
    instance = case.instance(numbers, source)
    run = {**instance["run"], "K": math.inf}
    with pytest.raises(
        OutsideConditionsError, match=r"run\.K must be a whole number from 1 to 2\^62, got inf"
    ):
        case.attempt({**instance, "run": run}, source)
