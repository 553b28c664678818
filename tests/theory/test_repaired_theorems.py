"""Both sides of a theorem's inequality: no better rate holds, nothing is said outside the conditions, balls hold runs.

The left side comes from exact moments, the bound from the theorem, its constants from a ball that holds every outcome.
That the repaired theorems hold wherever they are tried, and the printed ones do not, is in test_claims_theorems.py.
"""

from dataclasses import replace

import numpy as np
import pytest

from ratecert.by_id import admissible
from ratecert.errors import NoCertificateError, OutsideConditionsError
from ratecert.papers.federated_bilevel.claims import theorem_1, theorem_2, theorem_3
from ratecert.papers.federated_bilevel.evidence.theorems.grid import WORLDS, TheoremSetting
from ratecert.papers.federated_bilevel.evidence.theorems.instances import solver_of
from ratecert.papers.federated_bilevel.evidence.theorems.tightness import measure
from ratecert.registry import paper
from ratecert.solvers import CubeRoot, LocalBSGVRM, State, reachable_radius
from ratecert.solvers.engines.monte_carlo.array_oracle import ArrayOracle
from ratecert.solvers.engines.monte_carlo.noise import Reader
from ratecert.synthetic import scalar
from ratecert.theory.numbers.evaluation import evaluate

THEOREMS = ("theorem-1", "theorem-2", "theorem-3")
DESCENT = {
    id: module.TRIALS.tight_settings["start_x"]
    for id, module in zip(THEOREMS, (theorem_1, theorem_2, theorem_3), strict=True)
}
"""Long runs without noise, from a point with y = y*(x), with many devices: start_x dominates."""


@pytest.mark.parametrize("theorem", THEOREMS)
def test_descent_comes_within_a_factor_of_the_bound_and_no_better_rate_in_T_holds(theorem):
    row = measure(theorem, DESCENT[theorem])
    assert row.ball.certified
    assert row.bound.dominating == "start_x"
    assert 0.4 < row.ratio < 0.5
    faster = row.bound.total - row.bound.terms["start_x"] * (1 - row.setting.T**-0.5)  # T^(-3/2) for T^-1
    assert row.measured > faster


@pytest.mark.parametrize(
    ("theorem", "step"), [("theorem-1", "eta"), ("theorem-2", "eta"), ("theorem-3", "rho_2")]
)
def test_outside_the_conditions_a_bound_is_refused(theorem, step):
    noisy = TheoremSetting(world=WORLDS["noisy"], K=8, p=4, T=1000)
    inside = admissible(theorem, noisy.problem(), 8, 4, 1000, radius=1.0)
    evaluate(paper("repaired"), theorem, inside.values)
    twice = {**inside.values, step: 2 * inside.values[step]}
    message = rf"{step} <=? .*: {step} = {twice[step]:.6g}, the right side is .*, margin 0\.5"
    with pytest.raises(OutsideConditionsError, match=message):
        evaluate(paper("repaired"), theorem, twice)
    with pytest.raises(OutsideConditionsError, match=message):
        measure(theorem, replace(noisy, fixed={step: twice[step]}))


def test_a_measured_value_is_taken_as_large_as_its_precision_allows():
    """Below zero by rounding, too: the ratio is an upper one."""
    row = measure("theorem-1", DESCENT["theorem-1"])
    for measured in (1.0, -1.0):
        wide = replace(row, measured=measured, precision=0.5)
        assert wide.ratio == pytest.approx((measured + 0.5) / row.bound.total)


def farthest(world, solver, signs, *, K, T):
    """The largest ||(x - a, y - b)|| of a run with chosen signs: signs(t) is one row of K."""

    class Chosen:
        def reader(self, t, label, member, ahead):
            return Reader(lambda first, count: np.tile(signs(t), (count, 1)), ahead)

    state = State(x=np.zeros((1, K)), y=np.zeros((1, K)))
    oracle, far = ArrayOracle(world, Chosen()), 0.0
    for t in range(T):
        far = max(far, float(np.hypot(state.x - world.a, state.y - world.b).max()))
        state = solver.carry(t, state, oracle)
        if (t + 1) % solver.p == 0:
            for name in solver.averaged:
                setattr(
                    state, name, np.broadcast_to(getattr(state, name).mean(axis=1, keepdims=True), (1, K))
                )
    return far


@pytest.mark.parametrize(
    ("L_1", "noise", "least"),
    [
        (4.0, {"s_f": 1.0}, 0.1),
        (1.0 + 1e-9, {"s_f": 1.0}, 0.3),
        (4.0, {"s_g": 1.0}, 0.1),
        (1.0 + 1e-9, {"s_g": 1.0}, 0.3),
        (4.0, {"s_f": 1.0, "s_g": 1.0}, 0.1),
    ],
)
def test_the_radius_for_decaying_steps_holds_runs_that_try_to_leave_it(L_1, noise, least):
    """With (almost) uncoupled levels the modes are x and y themselves, and less is given away."""
    world = scalar(L_1=L_1, P=0.5, D=0.5, b=0.5, **noise)
    schedule = CubeRoot(scale=0.2, floor=8.0)
    solver = LocalBSGVRM(eta=schedule, alpha=20.0, beta=20.0, rho_1=0.5, rho_2=0.5, p=3, theta=0.2, Q=5)
    radius = reachable_radius(world, solver, 2, x0=np.zeros(1), y0=np.zeros(1))
    rng = np.random.default_rng(0)
    apart = np.array([1.0, -1.0])
    runs = (
        lambda t: np.ones(2),
        lambda t: -np.ones(2),
        lambda t: apart,
        lambda t: rng.choice(apart, 2),
        lambda t: np.full(2, (-1.0) ** (t // 50)),
    )
    reached = max(farthest(world, solver, signs, K=2, T=300) for signs in runs)
    assert least * radius < reached <= radius


def test_no_radius_is_certified_where_noise_grows_with_the_iterates():
    setting = TheoremSetting(world=WORLDS["noisy Hessian"], K=8, p=16, T=1000)
    rows = [measure(theorem, setting) for theorem in THEOREMS]
    assert not any(row.ball.certified for row in rows)
    inside = admissible("theorem-3", setting.problem(), 8, 16, 1000, radius=1.0)
    with pytest.raises(NoCertificateError, match="step sizes vary and the noise grows"):
        reachable_radius(setting.problem(), solver_of("theorem-3", inside), 8)
