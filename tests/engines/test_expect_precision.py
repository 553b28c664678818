"""How many digits exact expectations have, and how many they say they have.

The witness is oracles/many_digits.py: 80 digits, scalar worlds, its own algebra and its own doubling.
It is itself held against all outcomes of the noise first. Then eta goes down to 1e-8 and T up to 2^40, where
1 - alpha eta^2 is 1 in doubles and a run can be 1e-12 of the way to where it is going, or all of it.
"""

from dataclasses import dataclass, fields
from itertools import product
from typing import Any

import numpy as np
import pytest

from oracles import many_digits
from oracles.many_digits import (
    MEASURES,
    Number,
    neumann_moments,
    number,
    scalars,
)
from ratecert.solvers import ALGORITHMS, BSA, SUSTAIN, TTSA, enumerate_outcomes, expect
from ratecert.solvers.contract.result import ExactResult
from ratecert.synthetic import Quadratic, random_quadratic, scalar

pytestmark = pytest.mark.nightly

READINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "BSGM-carry": ("LocalBSGM", {"momenta": "carry"}),
    "BSGM-fresh": ("LocalBSGM", {"momenta": "fresh"}),
    "BSGVRM-carry-local": ("LocalBSGVRM", {"momenta": "carry", "previous": "local", "B": 2}),
    "BSGVRM-carry-averaged": ("LocalBSGVRM", {"momenta": "carry", "previous": "averaged", "B": 2}),
    "BSGVRM-fresh": ("LocalBSGVRM", {"momenta": "fresh", "B": 2}),
}
STEPS: dict[str, Any] = {"alpha": 3.0, "beta": 2.5, "rho_1": 0.4, "rho_2": 0.7, "theta": 0.4}
NOISES: dict[str, dict[str, float]] = {
    "Hessian": {"sigma_H": 0.2},
    "Jacobian": {"sigma_J": 0.3},
    "additive": {"s_f": 0.5, "s_g": 0.4},
}
ALL_NOISES = {name: level for levels in NOISES.values() for name, level in levels.items()}
ZERO = 1e-45  # what is smaller is a zero: the drift where every iteration ends with an average


def world_of(**levels: float) -> Quadratic:
    return scalar(mu=1.0, L_1=2.5, a=0.5, b=-0.2, c=0.3, **levels)


@dataclass(frozen=True)
class Case:
    reading: str
    eta: float
    K: int = 2
    p: int = 8
    Q: int = 3
    noise: str = "all"

    def __str__(self) -> str:
        return f"{self.reading}-eta{self.eta:.0e}-K{self.K}-p{self.p}-Q{self.Q}-{self.noise}"

    @property
    def world(self) -> Quadratic:
        return world_of(**(ALL_NOISES if self.noise == "all" else NOISES[self.noise]))

    def arguments(self, **changed: Any) -> dict[str, Any]:
        _, reading = READINGS[self.reading]
        return {**STEPS, **reading, "eta": self.eta, "p": self.p, "Q": self.Q, **changed}

    @property
    def algorithm(self) -> str:
        return READINGS[self.reading][0]


def witnessed(
    case: Case, lengths: list[int], x0: float = 1.0, y0: float = 0.5
) -> list[tuple[dict[str, Number], dict[str, Number]]]:
    """Averages over t < T and values at T, to 80 digits."""
    method = many_digits.method(case.algorithm, **case.arguments())
    return list(many_digits.moments(case.world, method, K=case.K, lengths=lengths, x0=x0, y0=y0))


def expected(case: Case, T: int, x0: float = 1.0, y0: float = 0.5) -> ExactResult:
    solver = ALGORITHMS[case.algorithm](**case.arguments())
    return expect(case.world, solver, K=case.K, T=T, x0=[x0], y0=[y0], times=[T])


def error(found: Any, truth: dict[str, Number]) -> float:
    """The largest relative error; a true zero has to be found as one."""
    errors = [0.0]
    for name in MEASURES:
        value = getattr(found, name)
        value = number(value[0] if hasattr(value, "__len__") else value)
        if abs(truth[name]) > ZERO:
            errors.append(float(abs(value - truth[name]) / abs(truth[name])))
        else:
            assert abs(value) <= ZERO
    return max(errors)


# The witness.


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("reading", READINGS)
def test_the_witness_is_a_mean_over_all_outcomes(reading: str, noise: str) -> None:
    """Of T = 3 iterations on two devices, to what double precision can say about them."""
    case = Case(reading, eta=0.3, p=2, Q=1 if noise == "Hessian" else 0, noise=noise)
    K = 1 if noise == "additive" else 2
    batch = {"B": 1} if case.algorithm == "LocalBSGVRM" else {}
    method = many_digits.method(case.algorithm, **case.arguments(**batch))
    ((truth, _),) = many_digits.moments(case.world, method, K=K, lengths=[3], x0=1.0, y0=0.5)
    solver = ALGORITHMS[case.algorithm](**case.arguments(**batch))
    outcomes = enumerate_outcomes(case.world, solver, K=K, T=3, x0=[1.0], y0=[0.5])
    for name in MEASURES:
        assert getattr(outcomes, name) == pytest.approx(float(truth[name]), rel=1e-13, abs=1e-28)


@pytest.mark.parametrize("Q", range(6))
def test_the_neumann_sum_of_the_witness(Q: int) -> None:
    """E[N] and E[N^2] are means over 2^Q outcomes."""
    w, theta = scalars(world_of(sigma_H=0.2)), number(0.4)
    outcomes = []
    for signs in product((1, -1), repeat=Q):
        term = total = theta
        for e in signs:
            term = term * (1 - theta * (w.A + e * w.E))
            total = total + term
        outcomes.append(total)
    for power, moment in enumerate(neumann_moments(w, theta, Q), start=1):
        assert abs(sum(N**power for N in outcomes) / 2**Q - moment) < number("1e-75")


# The digits.

LENGTHS = [1000, 2**20 + 5, 2**40]
SIZES = ({"eta": 1e-2, "K": 2, "p": 8}, {"eta": 1e-4, "K": 1000, "p": 1}, {"eta": 1e-8, "K": 1000, "p": 8})
LONG = [
    *(Case(reading, **size) for reading in READINGS for size in SIZES),
    Case("BSGM-carry", eta=1e-8, K=1, p=1),
    Case("BSGVRM-fresh", eta=1e-2, K=1000, p=8),
    Case("BSGVRM-fresh", eta=1e-8, K=1, p=1),
    *(Case("BSGVRM-fresh", eta=1e-4, K=2, p=8, noise=noise) for noise in NOISES),
    *(Case("BSGM-carry", eta=1e-4, K=2, p=8, noise=noise) for noise in NOISES),
    Case("BSGM-fresh", eta=1e-4, K=1000, p=8, Q=80),
    Case("BSGVRM-fresh", eta=1e-4, K=1000, p=8, Q=80),
]


@pytest.mark.parametrize("case", LONG, ids=str)
def test_ten_digits_at_any_length_and_a_result_knows_its_precision(case: Case) -> None:
    """The error is at most what the result says, and the result does not hide behind a large number."""
    results = [expected(case, T) for T in LENGTHS]
    for result, (truth, _) in zip(results, witnessed(case, LENGTHS), strict=True):
        assert error(result, truth) <= min(1e-10, result.precision)
        assert result.precision <= 1e-9


ENDS = [
    (Case("BSGM-carry", eta=1e-6, K=1000, p=4, Q=80), 1e3, 2**26 + 4),
    (Case("BSGM-carry", eta=1e-6, K=1000, p=4, Q=80), 1.0, 2**27),
    (Case("BSGM-fresh", eta=1e-8, K=2, p=1), 1.0, 2**40),
    (Case("BSGVRM-fresh", eta=1e-3, K=1000, p=8), 1e3, 2**30),
    (Case("BSGVRM-fresh", eta=1e-2, K=2, p=8), 1.0, 2**20 + 3),
]


@pytest.mark.parametrize(("case", "x0", "T"), ENDS, ids=[f"{c}-x{x0:.0f}-T{T}" for c, x0, T in ENDS])
def test_the_end_of_a_long_run_has_ten_digits_too(case: Case, x0: float, T: int) -> None:
    """Where the iterates have come to rest, however far away they began: nothing of the way may remain."""
    ((_, truth),) = witnessed(case, [T], x0=x0, y0=x0)
    assert error(expected(case, T, x0=x0, y0=x0).curves, truth) <= 1e-10


# A start near rest.


@pytest.mark.parametrize("algorithm", ["LocalBSGM", "LocalBSGVRM"])
def test_a_start_near_rest_keeps_its_digits(algorithm: str) -> None:
    """y_0 - y*(x_0) is 1e-9 of y_0, so that a difference of squares would have no digit left."""
    world = scalar(mu=1.0, L_1=2.5, a=0.5, b=-0.2, c=0.3)
    x0 = float(world.x_star[0])
    y0 = float(world.y_star(world.x_star)[0]) + 1e-9
    arguments = {**STEPS, "eta": 1e-3, "p": 2, "Q": 60}
    ((truth, _),) = many_digits.moments(
        world, many_digits.method(algorithm, **arguments), K=3, lengths=[64], x0=x0, y0=y0
    )
    found = expect(world, ALGORITHMS[algorithm](**arguments), K=3, T=64, x0=[x0], y0=[y0], times=[])
    assert float(truth["tracking"]) < 2e-18
    assert found.tracking == pytest.approx(float(truth["tracking"]), rel=1e-6, abs=0)


@pytest.mark.parametrize("method", [TTSA, BSA, SUSTAIN])
def test_a_draw_that_stops_mattering_leaves_nothing(method: Any) -> None:
    """Where grad_y f goes to zero so does the noise of a random cut: nothing else is random, and the iterates converge.

    The variance of the cut is a square that must not be had as the difference of squares of y and b.
    """
    plain = random_quadratic(d_x=2, d_y=2, seed=1)
    numbers = {f.name: getattr(plain, f.name) for f in fields(Quadratic)}
    calm = Quadratic(**{**numbers, "b": plain.y_star(plain.a)})
    tense = Quadratic(**{**numbers, "b": plain.y_star(plain.a) + 1.0})
    double = {"alpha": 0.05, "beta": 0.1, "theta": 0.15, "N": 3}
    steps = {
        TTSA: double,
        BSA: {**double, "T_in": 2},
        SUSTAIN: {"eta": 0.3, "gamma": 0.1, "lam": 0.3, "c_u": 2.0, "c_v": 2.0, "theta": 0.15, "N": 3},
    }
    run: dict[str, Any] = {"K": 1, "T": 10**6, "x0": np.ones(2), "y0": np.ones(2), "times": [10**6]}
    assert expect(calm, method(**steps[method]), **run).curves.gradient[-1] < 1e-26
    assert expect(tense, method(**steps[method]), **run).curves.gradient[-1] > 1e-6
