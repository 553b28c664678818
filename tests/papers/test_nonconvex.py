"""The sampled claim: Corollary 1 on a nonconvex Phi. Its quick budget is run once, with wider intervals."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from ratecert.base.errors import UndecidedError
from ratecert.base.words import VerdictWord
from ratecert.claims.claim import CONFIDENCE, Budget, Judgement, build
from ratecert.claims.slope import quantile
from ratecert.papers.federated_bilevel.claims import nonconvex
from ratecert.papers.federated_bilevel.claims.measured_run import L_tilde, claimed
from ratecert.papers.federated_bilevel.scalings import along
from ratecert.solvers import simulate
from ratecert.synthetic.worlds.wavy import Wavy
from ratecert.testing.verify_rate import LEAST, MOST, replicates_within

(CLAIM,) = nonconvex.CLAIMS
PIECES = CLAIM.pieces(Budget(quick=True))
WIDER = 1.5  # relative errors, and so intervals, over the planned ones
Change = Callable[[str, int, dict[str, Any]], dict[str, Any]]  # of a row, by its role and its T


@cache
def computed() -> str:
    found = []
    for piece in PIECES:
        wider = {
            name: v * (WIDER if name == "relative_error" else 1)
            for name, v in piece.arguments.items()
            if name != "role"
        }
        found.append(nonconvex.sampled_point(role=piece.arguments["role"], **wider))
    return json.dumps(found, allow_nan=False)


def judged(change: Change = lambda role, T, row: row) -> Judgement:
    """The claim, with every row changed."""
    values = json.loads(computed())
    rows = [
        [change(p.arguments["role"], p.arguments["T"], row)] for p, (row,) in zip(PIECES, values, strict=True)
    ]
    return CLAIM.judged(PIECES, rows)


@pytest.mark.nightly
def test_the_claim_holds_and_its_interval_is_as_planned() -> None:
    """The half-width is a third of the tolerance, up to the pilot's luck and the least number of runs."""
    found = judged()
    assert found.verdict == CLAIM.expected == "not refuted"
    assert found.decisive is not None
    assert found.decisive.predicted == claimed("corollary-1", "T") == claimed("corollary-1", "K") == -1 / 2
    assert 0.7 < found.checks[0].uncertainty / (WIDER * nonconvex.TOLERANCE / 3) < 1.15


def tilted(column: str, power: float, *roles: str) -> Change:
    """The column of these roles times T^power."""

    def change(role: str, T: int, row: dict[str, Any]) -> dict[str, Any]:
        return {**row, column: row[column] * T**power} if role in roles else row

    return change


WRONG: dict[str, tuple[Change, VerdictWord]] = {
    "larger steps": (tilted("measure", 0.12, "printed"), "refuted"),
    "nothing told apart": (tilted("measure", -0.2, "contrast"), "refuted"),
    "no speedup": (
        lambda role, _, row: {**row, "measure": 1.0, "measure_error": 1e-3} if role == "devices" else row,
        "refuted",
    ),
    "gradient too fast": (tilted("gradient", -0.1, "printed"), "refuted"),
    "too few runs": (lambda _, __, row: {**row, "measure_error": 20 * row["measure_error"]}, "undecided"),
}


@pytest.mark.nightly
@pytest.mark.parametrize(("change", "verdict"), WRONG.values(), ids=WRONG)
def test_a_wrong_input_changes_the_verdict(change: Any, verdict: VerdictWord) -> None:
    assert judged(change).verdict == verdict


@pytest.mark.parametrize("quick", [True, False])
def test_p_is_a_whole_number_along_the_window(quick: bool) -> None:
    """So the only rounded number is Q; and the contrast differs in its step alone."""
    points = [p.arguments for p in CLAIM.pieces(Budget(quick=quick)) if p.arguments["role"] == "printed"]
    assert len(points) >= 3
    for K, T in ((point["K"], point["T"]) for point in points):
        solver = along("corollary-1", K=K, T=T, theta=nonconvex.THETA, units=nonconvex.UNITS).solver
        assert solver.p == pytest.approx(T**0.25 / K**0.75, abs=1e-9)


def test_a_piece_is_a_function_of_its_arguments() -> None:
    def point(**other: Any) -> dict[str, Any]:
        (row,) = nonconvex.sampled_point(
            **{"role": "printed", "K": 2, "T": 16, "seed": 0, "relative_error": 0.03, **other}
        )
        return dict(row)

    first = point()
    assert point() == first
    assert point(seed=1)["measure"] != first["measure"]
    assert point(relative_error=0.01)["replicates"] > first["replicates"]
    large = point(role="contrast", replicates=17)
    assert large["replicates"] == 17
    assert large["eta"] == pytest.approx(2**0.5 / 2)
    assert first["eta"] == pytest.approx(2**0.5 / 4)
    assert (large["p"], large["Q"]) == (first["p"], first["Q"])


def test_a_plan_beyond_its_budget_is_refused_with_its_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slope with a tangent in the place of the cosine: one run in many is far out, and millions would be planned."""
    monkeypatch.setattr(Wavy, "_slope_of_w", lambda self, x: 1 + self.dial * np.tan(self._phase(x)))
    with pytest.raises(UndecidedError, match=r"(\d+) runs are planned .* at most (\d+) are allowed") as error:
        PIECES[0].function(**PIECES[0].arguments)
    assert f"at most {MOST} are" in str(error.value)


def test_a_pilot_without_a_spread_plans_nothing() -> None:
    assert replicates_within(1.0, 0.01, 0.01) == LEAST
    for value, error in ((0.0, 0.0), (1.0, math.inf), (math.nan, 1.0)):
        with pytest.raises(UndecidedError, match=r"the pilot of 128 runs .* no number of runs follows"):
            replicates_within(value, error, 0.01)


@pytest.mark.nightly
def test_false_alarms_are_as_rare_as_stated_and_no_run_leaves_the_ball() -> None:
    """The skewness of one run's measure, the tail that follows with the fewest runs of any planned point."""
    world, T, n, farthest, total = build(nonconvex.WORLD), 128, 2048, 0.0, 0.0
    weight, y0 = L_tilde(world, nonconvex.RADIUS), world.y_star(nonconvex.X0)
    solver = along("corollary-1", K=2, T=T, theta=nonconvex.THETA, units=nonconvex.UNITS).solver

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
