"""Exact moments of a world that is quadratic near (a, b) only: where all points provably stay there, and nowhere else.

Compared with the plain quadratic world, with all outcomes, and with noise that is chosen to lead away.
"""

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from oracles.adversary import reached
from ratecert.errors import NoCertificateError
from ratecert.solvers import (
    CubeRoot,
    LocalBSGM,
    LocalBSGVRM,
    Stage,
    State,
    StochasticNeumann,
    enumerate_outcomes,
    expect,
    reachable_radius,
    simulate,
    stationary,
)
from ratecert.solvers.contract.result import MEASURES
from ratecert.solvers.engines.certificates.certified import asks_at_iterates_only
from ratecert.solvers.engines.certificates.reach import certified_reach
from ratecert.synthetic import Quadratic, random_quadratic, scalar
from ratecert.synthetic.huberised import Huberised, huberised

PLAIN = random_quadratic(d_x=2, d_y=3, s_f=0.5, s_g=0.5, seed=4)
NOISY = random_quadratic(d_x=2, d_y=3, sigma_H=0.3, sigma_J=0.2, s_f=0.5, s_g=0.5, seed=4)
SMALL = scalar(s_f=0.3, s_g=0.3, a=0.5, b=-0.4, c=0.2)


# Paths.

STEPS: dict[str, Any] = {"eta": 0.1, "rho_1": 0.2, "rho_2": 1.0, "p": 2, "theta": 0.2, "Q": 2}
SOLVERS: dict[str, Any] = {
    "bsgm": LocalBSGM(alpha=2.0, beta=2.0, **STEPS),
    "bsgm-fresh": LocalBSGM(alpha=2.0, beta=2.0, momenta="fresh", **STEPS),
    "vrm-local": LocalBSGVRM(alpha=5.0, beta=5.0, B=2, **STEPS),
    "vrm-averaged": LocalBSGVRM(alpha=5.0, beta=5.0, previous="averaged", **STEPS),
    "vrm-fresh": LocalBSGVRM(alpha=5.0, beta=5.0, momenta="fresh", **STEPS),
}
every_solver = pytest.mark.parametrize("name", SOLVERS)


def values(result: Any) -> list[float]:
    return [getattr(result, measure) for measure in MEASURES]


def run_on(world: Any, **changes: Any) -> dict[str, Any]:
    x0 = world.x_star + 0.5
    return {"K": 2, "T": 20, "x0": x0, "y0": world.y_star(x0) + 0.1} | changes


@every_solver
@pytest.mark.parametrize("world", [PLAIN, NOISY], ids=["E = F = 0", "E and F"])
def test_paths_are_those_of_the_plain_world_bit_by_bit(world: Quadratic, name: str) -> None:
    run = run_on(world, replicates=64, seed=1)
    plain, large, tight = (
        simulate(w, SOLVERS[name], **run)
        for w in (world, huberised(world, radius=1e3), huberised(world, radius=1.0))
    )
    for measure in MEASURES:
        assert np.array_equal(getattr(plain.curves, measure), getattr(large.curves, measure))
    assert values(plain) == values(large)
    assert plain.gradient != tight.gradient  # twin: where the linear part is reached, bits differ


# Exact expectations, where nothing leaves the quadratic part, and refusals, where something might.


def certified(world: Quadratic, solver: Any, **run: Any) -> Huberised:
    """With the least radius that is accepted, up to 1e-9."""
    reach = certified_reach(world, solver, run["K"], x0=run["x0"], y0=run["y0"])
    return huberised(world, radius=max(reach.iterates, reach.truth) * (1 + 1e-9))


@every_solver
def test_expectations_are_those_of_the_plain_world_and_of_all_outcomes(name: str) -> None:
    """Enumeration runs the huberised oracles themselves; it agrees to 1e-12."""
    run = run_on(SMALL, T=3 if name == "bsgm" else 2)
    h = certified(SMALL, SOLVERS[name], **run)
    exact = expect(h, SOLVERS[name], **run)
    assert values(exact) == values(expect(SMALL, SOLVERS[name], **run))
    np.testing.assert_allclose(values(enumerate_outcomes(h, SOLVERS[name], **run)), values(exact), rtol=1e-12)


def sentence(error: pytest.ExceptionInfo[Any]) -> str:
    message = str(error.value)
    assert message.endswith("use simulate.")
    assert "\n" not in message
    return message


@every_solver
def test_a_radius_that_is_too_small_is_refused_and_has_to_be(name: str) -> None:
    """By enumeration, exactly, the plain expectation is wrong there by more than a tenth."""
    run = run_on(SMALL, T=3 if name == "bsgm" else 2)
    tight = huberised(SMALL, radius=0.3)
    with pytest.raises(
        NoCertificateError, match=r"radius = 0\.3 .* iterates may get .* or use simulate"
    ) as error:
        expect(tight, SOLVERS[name], **run)
    sentence(error)
    plain, truth = expect(SMALL, SOLVERS[name], **run), enumerate_outcomes(tight, SOLVERS[name], **run)
    assert abs(plain.gradient - truth.gradient) > 0.1 * truth.gradient


@every_solver
@pytest.mark.parametrize("K", [1, 2])
def test_the_radius_that_a_refusal_names_is_enough(name: str, K: int) -> None:
    run = run_on(PLAIN, K=K)
    with pytest.raises(NoCertificateError, match="make radius >= ") as error:
        expect(huberised(PLAIN, radius=0.1), SOLVERS[name], **run)
    enough = float(re.findall(r"radius >= (\S+) or", str(error.value))[0])
    exact = expect(huberised(PLAIN, radius=enough), SOLVERS[name], **run)
    assert values(exact) == values(expect(PLAIN, SOLVERS[name], **run))
    with pytest.raises(NoCertificateError, match="make radius >= "):
        expect(huberised(PLAIN, radius=enough * (1 - 1e-4)), SOLVERS[name], **run)


def test_the_measures_need_a_radius_too() -> None:
    """At y0 = b, far from y*(x0) = 2: all iterates stay within 2, the path is right, and grad Phi(x0) is not."""
    world = Quadratic(A=1.0, B=2.0, P=1.0, D=1.0, s_f=0.01)
    solver = LocalBSGM(alpha=5.0, beta=5.0, **{**STEPS, "rho_1": 1.0, "rho_2": 0.02, "Q": 20})
    run, h = {"K": 1, "T": 1, "x0": [1.0], "y0": [0.0]}, huberised(world, radius=2.0)
    reach = certified_reach(world, solver, 1, x0=[1.0], y0=[0.0])
    assert reach.iterates < h.radius < reach.truth
    with pytest.raises(NoCertificateError, match=r"make radius >= 2\.\d+ or"):
        expect(h, solver, **run)
    plain, truth = expect(world, solver, **run), enumerate_outcomes(h, solver, **run)
    assert truth.tracking == pytest.approx(plain.tracking, rel=1e-14)
    assert truth.gradient == pytest.approx(plain.gradient * 4 / 5, rel=1e-12)  # (delta/s)^2, s^2 = 1 + 2^2


def test_the_limit_is_that_of_the_plain_world() -> None:
    """And of long runs from a start of its own."""
    solver = SOLVERS["bsgm"]
    enough = certified_reach(PLAIN, solver, 3)
    h = huberised(PLAIN, radius=1.01 * max(enough.iterates, enough.truth))
    limit = stationary(h, solver, K=3)
    assert values(limit) == values(stationary(PLAIN, solver, K=3))
    with pytest.raises(NoCertificateError, match="make radius >= ") as error:
        stationary(huberised(PLAIN, radius=1.0), solver, K=3)
    sentence(error)
    run = {"K": 3, "x0": PLAIN.x_star, "y0": PLAIN.y_star(PLAIN.x_star), "times": []}
    gaps = [expect(h, solver, T=T, **run).gradient - limit.gradient for T in (10**6, 10**7)]
    assert gaps[1] == pytest.approx(gaps[0] / 10, rel=1e-6)


def test_shared_noise_is_covered() -> None:
    run = run_on(PLAIN, shared_noise=True)
    h = certified(PLAIN, SOLVERS["vrm-local"], **{**run, "K": 1})
    assert values(expect(h, SOLVERS["vrm-local"], **run)) == values(
        expect(PLAIN, SOLVERS["vrm-local"], **run)
    )


@pytest.mark.parametrize("name", ["bsgm", "vrm-local"])
def test_decaying_steps_are_covered(name: str) -> None:
    """And a radius that is a little smaller than the certified one is refused."""
    decaying = replace(SOLVERS[name], eta=CubeRoot(scale=SOLVERS[name].step_size(0)))
    run = run_on(PLAIN)
    start = {key: run[key] for key in ("x0", "y0")}
    reach = certified_reach(PLAIN, decaying, run["K"], **start)
    needed = max(reach.iterates, reach.truth)
    enough, little = (huberised(PLAIN, radius=factor * needed) for factor in (1.0, 0.99))
    assert values(expect(enough, decaying, **run)) == values(expect(PLAIN, decaying, **run))
    with pytest.raises(NoCertificateError, match="make radius >="):
        expect(little, decaying, **run)


FALLING = LocalBSGM(alpha=1.0, beta=1.0, **{**STEPS, "eta": CubeRoot(scale=0.1)})


@pytest.mark.parametrize(
    ("world", "solver", "reason"),
    [
        (NOISY, FALLING, "step sizes vary and the noise grows"),
        (scalar(sigma_H=0.9, sigma_J=0.5), SOLVERS["bsgm"], "the slowest mode"),
        (NOISY, SOLVERS["vrm-local"], "not every field is averaged|the slowest mode"),
    ],
    ids=["schedule", "strong noise", "partial average"],
)
def test_without_a_certificate_the_reason_is_said(world: Quadratic, solver: Any, reason: str) -> None:
    run = run_on(world)
    with pytest.raises(NoCertificateError, match=f"radius = 1e.06 .* no certificate: .*({reason})") as error:
        expect(huberised(world, radius=1e6), solver, **run)
    sentence(error)
    assert expect(world, solver, **run).gradient > 0  # twin: the plain world is taken


def test_the_reach_of_the_world_itself_is_refused_with_a_hint() -> None:
    with pytest.raises(NoCertificateError, match=r"quadratic near .* only; .* quadratic_part"):
        reachable_radius(huberised(PLAIN, radius=1e6), SOLVERS["bsgm"], 1)
    assert reachable_radius(huberised(PLAIN).quadratic_part, SOLVERS["bsgm"], 1) > 0


# What the certificate rests on: where f is asked, and how far (xbar, y*(xbar)) gets.


@dataclass(frozen=True, kw_only=True)
class Ahead(LocalBSGM):
    """Asks at a point that is no iterate."""

    def momentum(self, t: int, s: State, oracle: Any) -> tuple[Any, Any]:
        return super().momentum(t, State(**{**vars(s), "x": 3.0 * s.x}), oracle)


@dataclass(frozen=True)
class Elsewhere(StochasticNeumann):
    """An estimate from another point than the one it is given."""

    def evaluate(self, problem: Any, sample: Any, *point: Any) -> Any:
        return super().evaluate(problem, sample, 3.0 * point[0], point[1])


@dataclass(frozen=True, kw_only=True)
class Estranged(LocalBSGM):
    @property
    def hypergradient(self) -> StochasticNeumann:
        return Elsewhere(theta=self.theta, Q=self.Q)


@dataclass(frozen=True, kw_only=True)
class HalfAveraged(LocalBSGVRM):
    """(mean of x_previous, own y_previous) need not lie where the iterates do."""

    @property
    def stages(self) -> tuple[Stage, ...]:
        (stage,) = super().stages
        return (Stage(stage.step, stage.repeats, (*stage.averaged, "x_previous")),)


@every_solver
@pytest.mark.parametrize("p", [1, 2, 5])
def test_the_algorithms_ask_at_iterates_only(name: str, p: int) -> None:
    assert asks_at_iterates_only(replace(SOLVERS[name], p=p))


@pytest.mark.parametrize("kind", [Ahead, Estranged])
def test_an_algorithm_that_asks_elsewhere_is_refused_and_has_to_be(kind: Any) -> None:
    """No iterate leaves the radius, but at 3 x0 = 30 f is linear: the expectation is another one."""
    world, solver = (
        Quadratic(A=1.0, B=0.1, P=1.0, D=1.0, s_f=0.1, s_g=0.1),
        kind(alpha=2.0, beta=2.0, **STEPS),
    )
    run = {"K": 1, "T": 3, "x0": [10.0], "y0": [0.0]}
    h = certified(world, solver, **run)
    with pytest.raises(
        NoCertificateError, match=f"{kind.__name__} asks for gradients of f away from its iterates"
    ) as error:
        expect(h, solver, **run)
    sentence(error)
    plain, truth = expect(world, solver, **run), enumerate_outcomes(h, solver, **run)
    assert abs(plain.gradient - truth.gradient) > 1e-3 * truth.gradient


def test_half_an_average_is_seen() -> None:
    half = HalfAveraged(alpha=5.0, beta=5.0, **STEPS)
    assert not asks_at_iterates_only(half)
    assert asks_at_iterates_only(SOLVERS["vrm-averaged"])


@pytest.mark.parametrize("name", ["bsgm", "vrm-averaged"])
@pytest.mark.parametrize("away", [0.0, 2.0])
def test_adversarial_noise_keeps_the_truth_within_its_radius_and_comes_near(name: str, away: float) -> None:
    """Patterns of signs in many rhythms; the radius for a tenth of the noise is left."""
    x0 = SMALL.x_star + away
    start = {"x0": x0, "y0": SMALL.y_star(x0)}
    reach = certified_reach(SMALL, SOLVERS[name], 1, **start)
    seen = reached(SMALL, SOLVERS[name], 1, *start.values(), T=1500, truth=True)
    assert seen <= reach.truth <= 5 * seen
    if away == 0.0:  # otherwise the start is what the radius is about
        quiet = replace(SMALL, s_f=0.1 * SMALL.s_f, s_g=0.1 * SMALL.s_g)
        assert certified_reach(quiet, SOLVERS[name], 1, **start).truth < seen


def test_without_noise_the_truth_stays_at_the_solution() -> None:
    """Q = 200 makes the Neumann sum exact, so that the solution is the fixed point."""
    quiet, solver = replace(PLAIN, s_f=0.0, s_g=0.0), replace(SOLVERS["bsgm"], Q=200, rho_1=0.02)
    here = np.linalg.norm(np.concatenate([quiet.x_star - quiet.a, quiet.y_star(quiet.x_star) - quiet.b]))
    reach = certified_reach(quiet, solver, 2)
    assert (reach.iterates, reach.truth) == pytest.approx((here, here), rel=1e-8)
    assert certified_reach(PLAIN, solver, 2).truth > 1.1 * here
