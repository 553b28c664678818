"""The sampled claim: Corollary 1 on a nonconvex Phi. Its quick budget is run once."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from ratecert.base.words import VerdictWord
from ratecert.claims.claim import CONFIDENCE, Budget, Judgement, build
from ratecert.claims.slope import quantile
from ratecert.papers.federated_bilevel.claims import nonconvex
from ratecert.papers.federated_bilevel.claims.measured_run import L_tilde
from ratecert.solvers import simulate
from ratecert.testing.verify_rate import LEAST

(CLAIM,) = nonconvex.CLAIMS
PIECES = CLAIM.tasks(Budget(quick=True))
Change = Callable[[dict[str, Any]], dict[str, Any]]


@cache
def computed() -> str:
    return json.dumps([task.function(**task.arguments) for task in PIECES], allow_nan=False)


def judged(role: str = "", quantity: str = "", x: str = "", **other: float) -> Judgement:
    """The claim, with other numbers in the rows of this role, quantity and letter."""
    values = json.loads(computed())
    for task, (row,) in zip(PIECES, values, strict=True):
        if (task.arguments["role"], task.arguments["quantity"], row["x"]) == (role, quantity, x):
            row.update(other)
    return CLAIM.judged(PIECES, values)


@pytest.mark.nightly
def test_the_claim_holds_and_its_interval_is_as_planned() -> None:
    """The half-width is half of the tolerance, up to the pilot's luck and the least number of runs."""
    found = judged()
    assert found.verdict == CLAIM.expected == "not refuted"
    assert [check.predicted for check in found.checks] == [-0.5] * 4 + [-0.4]
    assert 0.6 < found.checks[0].uncertainty / (nonconvex.TOLERANCE / 2) < 1.15


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("where", "other", "verdict"),
    [
        (("printed", "measure", "T"), {"exponent": -0.38}, "refuted"),
        (("printed", "gradient", "T"), {"exponent": -0.6}, "refuted"),
        (("printed", "measure", "K"), {"exponent": 0.0}, "refuted"),
        (("contrast", "measure", "T"), {"exponent": -0.57}, "refuted"),
        (("printed", "measure", "T"), {"uncertainty": 0.4}, "undecided"),
    ],
    ids=["larger steps", "gradient too fast", "no speedup", "a contrast without contrast", "too few runs"],
)
def test_a_wrong_input_changes_the_verdict(
    where: tuple[str, str, str], other: dict[str, float], verdict: VerdictWord
) -> None:
    assert judged(*where, **other).verdict == verdict


def test_p_is_a_whole_number_along_the_window_and_the_contrast_differs_in_its_step_alone() -> None:
    for K, T in ((nonconvex.DEVICES, T) for T in nonconvex.TIMES):
        solver = nonconvex.scaled(T, K)
        assert solver.p == pytest.approx(T**0.25 / K**0.75, abs=1e-9)
        larger = nonconvex.larger_steps(T, K)
        assert larger.step_size(0) == pytest.approx(solver.step_size(0) * T**0.25)
        assert replace(larger, eta=solver.eta) == solver


@pytest.mark.nightly
def test_false_alarms_are_as_rare_as_stated_and_no_run_leaves_the_ball() -> None:
    """The skewness of one run's measure, the tail that follows with the fewest runs of any planned point."""
    world, T, n, farthest, total = build(nonconvex.WORLD), 128, 2048, 0.0, 0.0
    weight, y0, solver = L_tilde(world, nonconvex.RADIUS), world.y_star(nonconvex.X0), nonconvex.scaled(T, 2)

    class Recorded:
        """The algorithm, which adds up the measure of every replicate at every iteration."""

        def __getattr__(self, name: str) -> Any:
            return getattr(solver, name)

        @property
        def stages(self) -> Any:
            return tuple(replace(stage, step=self.recording(stage.step)) for stage in solver.stages)

        def recording(self, step: Any) -> Any:
            def recorded(t: int, s: Any, oracle: Any) -> Any:
                nonlocal farthest, total
                if isinstance(s.x, np.ndarray):
                    x, y = (v.reshape(len(v), 2, -1).mean(axis=1) for v in (s.x, s.y))
                    total = total + (world.hypergradient(x) ** 2).sum(axis=0)
                    total = total + weight**2 * ((y - world.y_star(x)) ** 2).sum(axis=0)
                    away = np.concatenate([x - world.a[:, None], y - world.b[:, None]])
                    farthest = max(farthest, float(np.linalg.norm(away, axis=0).max()))
                return step(t, s, oracle)

            return recorded

    options: dict[str, Any] = {"replicates": n, "seed": 7, "times": [], "lanes": 2 * n}
    result = simulate(world, Recorded(), K=2, T=T, x0=nonconvex.X0, y0=y0, **options)  # type: ignore[arg-type]
    measure: Any = total / T
    assert measure.mean() == pytest.approx(result.measure(weight)[0], rel=1e-9)
    off = measure - measure.mean()
    skewness = (off**3).mean() / (off**2).mean() ** 1.5
    assert 0.3 < skewness < 1.2
    assert farthest < nonconvex.RADIUS
    tail = (1 - CONFIDENCE) * (1 + skewness**2 * quantile(CONFIDENCE, LEAST) ** 6 / (18 * LEAST))
    assert 5 * tail < CLAIM.false_alarm < 50 * tail
