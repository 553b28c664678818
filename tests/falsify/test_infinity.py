"""Runs are searched up to T = 2^62, and not at T = infinity: from the solution both sides are there what they are in
the limit, which no start changes.
"""

import math
from typing import Any

import pytest

import ratecert as rc
from ratecert.counterexamples.theorem_case import LONGEST, TheoremCase
from ratecert.executable.sides import made
from ratecert.registry import paper
from ratecert.solvers.contract.measures import Measure
from ratecert.theory.language.statements import Theorem
from ratecert.theory.numbers.evaluation import complete, evaluate

AVERAGED = {  # theorems on the mean over a run with a constant step: its fractions of the most that is allowed
    "parallel-sgd:sgd-descent": ({"alpha": 1.0}, {"alpha": 1e-3}),
    "ghadimi-lan:constant-steps": ({"gamma": 0.5}, {"gamma": 1e-3}),
    "sg:theorem-4-8": ({"abar": 1.0}, {"abar": 1e-3}),
    "pasgd:theorem-1": ({"eta": 0.5, "tau": 1.0}, {"eta": 1e-3, "tau": 1.0}),
}
WORLDS = ({"L": 1.0, "spread": 1.0, "s": 1.0}, {"L": 7.0, "spread": 100.0, "s": 0.01})


def ratios(id: str, fractions: dict[str, float], world: dict[str, float], T: int) -> tuple[float, float]:
    """measured/bound after T iterations from the solution, and in the limit of many."""
    key, _, statement = id.partition(":")
    case, source = TheoremCase(key, statement, "printed"), paper("printed", key)
    numbers = {
        **{level.name: 1.0 for level in case.levels},
        **world,
        "x_off": 0.0,
        "T": float(T),
        "K": 4.0,
        "family": 1.0,
        **{f"of {name}": value for name, value in fractions.items()},
    }
    instance = case.instance(numbers, source)
    tried = case.attempt(instance, source)
    setting, letters = case.setting_and_letters(instance)
    theorem, run = source.the(Theorem, statement), case.executable
    full = complete(source, theorem, letters, later=set(run.measured))
    left: Any = made("measure", run.measure, full)
    assert isinstance(left, Measure)
    rest = rc.stationary(setting.world, run.solver(source, full), K=setting.K, measures={"left": left})
    bound = evaluate(source, statement, {**letters, run.iterations: math.ldexp(1.0, 900)}).total
    return tried.ratio, rest.left / bound


@pytest.mark.parametrize("id", AVERAGED)
@pytest.mark.parametrize("world", WORLDS, ids=["one curvature", "two"])
def test_the_longest_run_is_the_limit(id: str, world: dict[str, float]) -> None:
    for fractions in AVERAGED[id]:
        longest, limit = ratios(id, fractions, world, LONGEST)
        assert longest == pytest.approx(limit, rel=1e-8)


@pytest.mark.parametrize("id", AVERAGED)
def test_a_short_run_is_not(id: str) -> None:
    _, small = AVERAGED[id]
    short, limit = ratios(id, small, WORLDS[1], 2)
    assert short < 0.9 * limit
