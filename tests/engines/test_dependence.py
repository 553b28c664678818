"""Coordinates that follow from others: shown in fractions, refused where a single coefficient is off."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.base.arrays import Balls, doubles
from ratecert.base.exact import rational
from ratecert.solvers.contract.measures import defaults
from ratecert.solvers.engines.certified import certified_engine
from ratecert.solvers.engines.moments.dependence import proved_dependence
from ratecert.solvers.engines.moments.exchangeable import ExchangeableEngine

WORLD = rc.worlds.scalar(sigma_H=0.25, s_f=0.5, s_g=0.5)
STEPS: dict[str, Any] = {
    "eta": 0.01, "alpha": 2.0, "beta": 2.0, "rho_1": 0.2, "rho_2": 0.5, "p": 4, "theta": 0.15, "Q": 3,
}  # fmt: skip
SOLVER = rc.methods.LocalBSGVRM(**STEPS)


def engine() -> ExchangeableEngine:
    made = certified_engine(WORLD, SOLVER, 3, defaults(WORLD), 256)
    assert isinstance(made, ExchangeableEngine)
    return made


def test_the_last_move_follows_from_the_momentum() -> None:
    found = engine().space(2)
    assert isinstance(found.l, Balls)
    assert len(found.chosen) == 5  # x, y, both momenta and 1
    step = engine().step_map(0, 1)
    before = np.append(np.cos(np.arange(1.0, 7.0)), 1.0)
    after = before + doubles(step.matrix) @ before
    assert doubles(found.l) @ after[found.chosen] == pytest.approx(after, rel=1e-12, abs=1e-15)
    assert doubles(found.l) @ before[found.chosen] != pytest.approx(before, rel=1e-3)


def test_a_coefficient_that_is_off_by_a_little_is_no_dependence() -> None:
    made = engine()
    exact = made.interpreter.in_rationals
    assert exact is not None
    step, chosen = exact.step(0, 1), made.space(2).chosen
    assert proved_dependence([step], chosen) is not None
    matrix = step.matrix.copy()
    matrix[-2, exact.layout.slices["u"]] += rational(2.0**-200)
    assert proved_dependence([replace(step, matrix=matrix)], chosen) is None


def test_where_nothing_is_shown_all_coordinates_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    run: dict[str, Any] = {"K": 3, "T": 1001, "x0": 1.0, "y0": 0.5, "times": [], "certified": True}
    few = rc.expect(WORLD, SOLVER, **run)
    monkeypatch.setattr(ExchangeableEngine, "_proved", lambda *_: None)
    assert len(engine().space(2).chosen) == 7
    all_of_them = rc.expect(WORLD, SOLVER, **run)
    for name in ("gradient", "tracking", "drift_x", "drift_y"):
        (a, b), (c, d) = getattr(few.enclosure, name), getattr(all_of_them.enclosure, name)
        assert max(a, c) <= min(b, d)


def test_sums_over_iterates_are_coordinates_too() -> None:
    """The mean of the iterates of a method whose last move is left out: all engines agree."""
    run: dict[str, Any] = {"K": 2, "T": 3, "x0": 1.0, "y0": 0.5, "times": []}
    run["measures"] = {
        "at_mean": rc.measures.gradient().at_mean(),
        "tracking": rc.measures.tracking().at_mean(),
    }
    world, solver = rc.worlds.scalar(sigma_H=0.25), replace(SOLVER, p=2, Q=1)
    outcomes = rc.enumerate_outcomes(world, solver, **run)
    for certified in (True, False):
        exact = rc.expect(world, solver, **run, certified=certified)
        assert exact.values == pytest.approx(outcomes.values, rel=1e-12, abs=0)
    long = {**run, "T": 2**20}
    enclosed = rc.expect(world, solver, **long, certified=True)
    assert enclosed.values == pytest.approx(
        rc.expect(world, solver, **long, certified=False).values, rel=1e-9
    )
