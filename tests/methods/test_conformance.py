"""What every algorithm of the package keeps: a new one joins by its line in solvers.ALGORITHMS and an example here."""

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ratecert.solvers import (
    ALGORITHMS,
    Power,
    enumerate_outcomes,
    expect,
    fixed_point,
    simulate,
)
from ratecert.solvers.contract.result import MEASURES
from ratecert.synthetic import Quadratic, random_quadratic
from ratecert.synthetic.devices import Heterogeneous, heterogeneous
from ratecert.testing import AlgorithmCase, checks_of, parametrize_with_checks

pytestmark = pytest.mark.nightly

Array = NDArray[np.float64]

LOCAL = {"eta": 0.1, "alpha": 2.0, "beta": 2.0, "rho_1": 0.2, "rho_2": 0.5, "p": 2, "theta": 0.15, "Q": 1}
NEST = {"alpha": 0.05, "beta": 0.1, "tau": 2, "T_in": 1, "theta": 0.15, "N": 3}
STORM = {"eta": 0.2, "gamma": 0.2, "lam": 0.5, "c_u": 2.0, "c_v": 2.0, "theta": 0.15}
DOUBLE = {"alpha": 0.05, "beta": 0.1, "T_in": 2, "theta": 0.15}
SLOW, FAST = Power(scale=0.05, exponent=0.6), Power(scale=0.1, exponent=0.4)
ACC = {"eta": 0.2, "p": 2, "c_nu": 2.0, "c_w": 2.0, "gamma": 0.5}
EXAMPLES: dict[str, dict[str, Any]] = {
    "LocalBSGM": LOCAL,
    "LocalBSGVRM": LOCAL,
    "LocalSGD": {"eta": 0.1, "rho_1": 0.2, "rho_2": 0.5, "p": 2, "theta": 0.15, "Q": 1},
    "FedNest": NEST,
    "LFedNest": NEST,
    "FedBiOAcc": ACC | {"lam": 0.2, "theta": 0.15, "Q": 1},
    "FedBiOAccGlobal": ACC | {"lam": 0.02, "tau": 0.3, "c_q": 2.0},
    "STEM": {"eta": 0.2, "p": 2, "rho": 0.3, "c_u": 2.0},
    "BSA": DOUBLE | {"N": 3},
    "TTSA": {"alpha": SLOW, "beta": FAST, "theta": 0.15, "N": 3},
    "StocBiO": DOUBLE | {"Q": 1},
    "SMB": {"eta": 0.1, "tau": 0.5, "b": 0.3, "theta": 0.15, "Q": 1},
    "SUSTAIN": STORM | {"N": 3},
    "MRBO": STORM | {"Q": 1},
    "VRBO": {"alpha": 0.05, "beta": 0.1, "q": 2, "T_in": 1, "S": 2, "S_2": 1, "theta": 0.15, "Q": 1},
    "SOBA": {"rho": 0.1, "gamma": 0.02},
}
STEP_OF_X = {  # the field that is the step size of x
    **dict.fromkeys(("LocalBSGM", "LocalBSGVRM", "LocalSGD"), "rho_1"),
    **dict.fromkeys(("FedNest", "LFedNest", "BSA", "TTSA", "StocBiO", "VRBO"), "alpha"),
    **dict.fromkeys(("FedBiOAcc", "FedBiOAccGlobal"), "lam"),
    **dict.fromkeys(("SUSTAIN", "MRBO", "SOBA"), "gamma"),
    "STEM": "rho",
    "SMB": "eta",
}
DRAWS = ("FedNest", "LFedNest", "BSA", "TTSA", "SUSTAIN")  # a series cut at random
FEDERATED = ("FedNest", "LFedNest", "FedBiOAcc", "FedBiOAccGlobal")
NOISES = ("sigma_H", "sigma_J", "s_f", "s_g")


def make(name: str, **changes: Any) -> Any:
    if name not in EXAMPLES:
        pytest.fail(
            f"{name} is in solvers.ALGORITHMS but has no example in tests/methods/test_conformance.py; add one line."
        )
    return ALGORITHMS[name](**EXAMPLES[name] | changes)


def steady(name: str, **changes: Any) -> Any:
    """With constant step sizes."""
    constant = {"alpha": 0.05, "beta": 0.1} if name == "TTSA" else {}
    return make(name, **constant | changes)


def devices(name: str) -> int:
    return 1 if getattr(ALGORITHMS[name], "one_machine", False) else 2


def cycle(solver: Any) -> int:
    return sum(stage.repeats for stage in solver.stages)


def suited(name: str, world: Quadratic) -> Quadratic:
    """STEM is for one level."""
    one_level = {"B": np.zeros_like(world.B), "F": np.zeros_like(world.F)}
    return replace(world, **one_level) if name == "STEM" else world


def plane(name: str, **noise: float) -> Quadratic:
    return suited(name, random_quadratic(d_x=2, d_y=2, seed=1, **noise))


def values(result: Any) -> list[float]:
    return [getattr(result, measure) for measure in MEASURES]


# What everybody's algorithm has to pass.

SUBJECTS = [
    AlgorithmCase(
        make(name),
        one_level=name == "STEM",
        sees=("s_f",) if name == "STEM" else NOISES,  # the only noise that it sees
        step=STEP_OF_X[name],
    )
    for name in ALGORITHMS
]


@parametrize_with_checks(SUBJECTS)
def test_every_algorithm_conforms(subject: AlgorithmCase, check: Callable[[AlgorithmCase], None]) -> None:
    check(subject)


def test_exact_moments_of_x_that_drifts() -> None:
    """At p = 2 the x of FedBiOAcc does not drift."""
    drifting = AlgorithmCase(make("FedBiOAcc", p=3), sees=("s_g",))
    checks_of(drifting)["exact_moments_equal_the_mean_over_all_outcomes"](drifting)


# The engines agree.


@pytest.mark.parametrize("name", FEDERATED)
@pytest.mark.parametrize("noise", [{"sigma_H": 0.3}, {"s_g": 0.3}], ids=str)
def test_on_devices_that_differ_too(name: str, noise: dict[str, float]) -> None:
    """Up to two draws of FedNest, with drift; and two devices that are their mean have other expectations."""
    world = heterogeneous(d_x=1, d_y=1, K=2, dial=0.5, **noise)
    solver = (
        make(name, tau=3, N=2) if name == "FedNest" else make(name)
    )  # of two steps the average hides the drift
    T = cycle(solver) + (6 if name == "FedNest" and "s_g" in noise else 1)
    run: dict[str, Any] = {"K": 2, "T": T, "x0": 1.0, "y0": 1.0, "times": []}
    outcomes, exact = enumerate_outcomes(world, solver, **run), expect(world, solver, **run)
    np.testing.assert_allclose(values(exact), values(outcomes), rtol=1e-12, atol=1e-20)
    assert max(values(outcomes)[2:]) > 1e-7
    alike = expect(mean_of(world), solver, **run)
    assert np.max(np.abs(np.subtract(values(alike), values(outcomes)))) > 1e-6


def mean_of(world: Heterogeneous) -> Quadratic:
    return Quadratic(**{f.name: getattr(world, f.name) for f in fields(Quadratic)})


# Without noise.


def zero_of_mean(devices: Sequence[Quadratic], theta: float, terms: int, lower: Any = None) -> Array:
    """Where the mean over devices of P(x - a) + B_k' H_k D(y - b) is 0, H_k = theta sum_{q < terms} (I - theta A_k)^q.

    y is the device's own y*_k(x), or that of `lower`.
    """
    left, right = [], []
    for w in devices:
        H = theta * sum(np.linalg.matrix_power(np.eye(w.d_y) - theta * w.A, q) for q in range(terms))
        M, of_y = w.B.T @ H @ w.D, lower or w
        left.append(w.P + M @ np.linalg.solve(of_y.A, of_y.B))
        right.append(w.P @ w.a - M @ (np.linalg.solve(of_y.A, of_y.c) - w.b))
    return np.linalg.solve(np.mean(left, axis=0), np.mean(right, axis=0))


def documented_place(solver: Any, world: Quadratic) -> Array:
    """Full sums have Q + 1 terms, sums cut at random N on average; the others have no bias."""
    if not hasattr(solver, "theta"):
        return world.x_star
    return zero_of_mean([world], solver.theta, solver.N if hasattr(solver, "N") else solver.Q + 1)


def long_series(name: str) -> dict[str, Any]:
    """26 terms with theta = 0.55: 0.45^26 = 1e-9 is left of the bias, as the curvatures are 1 to 2.5."""
    terms = {"N": 26} if "N" in EXAMPLES[name] else {"Q": 25}
    return {"theta": 0.55, **terms} if "theta" in EXAMPLES[name] else {}


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name != "STEM"])
def test_the_mean_comes_to_rest_at_the_documented_place(name: str) -> None:
    """Without a bias, or with a negligible one, that is the solution. STEM leaves y anywhere."""
    world = plane(name)
    for changes in ({}, long_series(name)):
        solver = steady(name, **changes)
        rest, place = fixed_point(world, solver), documented_place(solver, world)
        np.testing.assert_allclose(rest.x, place, atol=1e-13)
        np.testing.assert_allclose(rest.y, world.y_star(place), atol=1e-13)
    assert np.sum(world.hypergradient(rest.x) ** 2) < 1e-16
    short = fixed_point(world, steady(name)).x
    visible = np.sum(world.hypergradient(short) ** 2) > 1e-3
    assert visible == (name not in ("FedBiOAccGlobal", "SOBA"))
    if visible:  # with one term more it would be another place
        longer = steady(name, **{n: EXAMPLES[name][n] + 1 for n in ("N", "Q") if n in EXAMPLES[name]})
        assert np.max(np.abs(short - documented_place(longer, world))) > 1e-3


def test_where_the_federated_methods_rest_on_devices_that_differ() -> None:
    """FedNest has the inverse of the mean Hessian, at tau = 2 too, and so has FedBiOAccGlobal, without a series;
    LFedNest has the devices' own inverses, FedBiOAcc their own lower solutions as well. These are four places."""
    world, terms = heterogeneous(d_x=1, d_y=2, K=2, dial=0.5), 4
    places = {
        "FedNest": zero_of_mean([mean_of(world)], 0.15, terms),
        "LFedNest": zero_of_mean(world.devices, 0.15, terms, lower=world),
        "FedBiOAcc": zero_of_mean(world.devices, 0.15, terms),
        "FedBiOAccGlobal": world.x_star,
    }
    rest = {
        "FedNest": fixed_point(world, make("FedNest", N=terms)),
        "LFedNest": fixed_point(world, make("LFedNest", N=terms, tau=1)),
        "FedBiOAcc": fixed_point(world, make("FedBiOAcc", Q=terms - 1, p=1)),
        "FedBiOAccGlobal": fixed_point(world, make("FedBiOAccGlobal", p=1)),
    }
    for name, place in places.items():
        np.testing.assert_allclose(rest[name].x, place, atol=1e-12)
    for one, other in combinations(FEDERATED, 2):
        assert np.max(np.abs(places[one] - places[other])) > 1e-5


@pytest.mark.parametrize("name", DRAWS)
def test_a_draw_is_noise_unless_grad_y_f_is_zero_at_the_solution(name: str) -> None:
    """With a = b = c = 0 it is, and both moments vanish; with b = y*(a) too, and all paths end there."""
    world, solver, T = plane(name), steady(name), 10**6
    run: dict[str, Any] = {"K": devices(name), "x0": np.ones(2), "y0": np.ones(2)}
    place = documented_place(solver, world)
    noisy = expect(world, solver, T=T, times=[T], **run).curves.gradient[0]
    assert noisy > 1.01 * np.sum(world.hypergradient(place) ** 2)
    zero = np.zeros(2)
    still = expect(replace(world, a=zero, b=zero, c=zero), solver, T=T, times=[T], **run).curves
    assert max(still.gradient[0], still.tracking[0]) < 1e-16
    aligned = replace(world, b=world.y_star(world.a))
    T = max(600, 250 * cycle(solver))
    ends = simulate(aligned, solver, T=T, times=[0, T], replicates=20, seed=0, **run).curves
    assert max(ends.gradient[-1], ends.tracking[-1]) < 1e-16
    assert ends.gradient[0] > 1
