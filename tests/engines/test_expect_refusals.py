"""What `expect` refuses, and in which words: one sentence that names what is wrong.

A world or an algorithm for which second moments do not close is refused with the reason, not approximated. Warnings
are errors here as everywhere, so that none from linear algebra can leak through.
"""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from ratecert.contract import Gradient
from ratecert.errors import DivergedError, NotAffineError, UserError
from ratecert.papers._template import ParallelSGD
from ratecert.solvers import (
    CubeRoot,
    LocalBSGM,
    LocalBSGVRM,
    LowerGradient,
    Stage,
    State,
    StochasticNeumann,
    expect,
)
from ratecert.solvers.contract.stage import Oracle
from ratecert.synthetic import Quadratic, SingleLevel, random_quadratic, scalar

WORLD = random_quadratic(d_x=2, d_y=1, sigma_H=0.2, sigma_J=0.2, s_f=0.5, s_g=0.5, seed=1)
STEPS: dict[str, Any] = {"alpha": 1.0, "beta": 1.0, "rho_1": 0.1, "rho_2": 0.1, "p": 3, "theta": 0.2, "Q": 2}
SOLVER = LocalBSGM(eta=0.1, **STEPS)
CALL: dict[str, Any] = {"K": 2, "T": 10, "x0": [1.0, 0.0], "y0": [0.5]}


def sentence(error: pytest.ExceptionInfo[Any]) -> str:
    """The message, which is one line that ends with a full stop."""
    message = str(error.value)
    assert message.endswith(".")
    assert "\n" not in message
    return message


# Calls that make no sense.

BAD_CALLS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "T-0": ({"T": 0}, ("T", "0")),
    "T-negative": ({"T": -5}, ("T", "-5")),
    "T-fraction": ({"T": 2.5}, ("T", "2.5")),
    "T-beyond-2^63": ({"T": 2**63 + 1}, ("T", str(2**63 + 1))),
    "K-0": ({"K": 0}, ("K", "0")),
    "K-fraction": ({"K": 1.5}, ("K", "1.5")),
    "x0-too-short": ({"x0": [1.0]}, ("x0", "2", "[1.0]")),
    "x0-too-long": ({"x0": [1.0, 2.0, 3.0]}, ("x0", "2", "[1.0, 2.0, 3.0]")),
    "x0-nan": ({"x0": [1.0, np.nan]}, ("x0", "finite", "nan")),
    "y0-inf": ({"y0": [np.inf]}, ("y0", "finite", "inf")),
    "time-after-T": ({"times": [0, 11]}, ("times", "10", "11")),
    "time-negative": ({"times": [-1]}, ("times", "-1")),
}


@pytest.mark.parametrize(("bad", "words"), BAD_CALLS.values(), ids=BAD_CALLS)
def test_a_bad_argument_is_named_with_its_value(bad: dict[str, Any], words: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=re.escape(words[0])) as error:
        expect(WORLD, SOLVER, **{**CALL, **bad})
    message = sentence(error)
    assert all(word in message for word in words)


@pytest.mark.parametrize(
    "good", [{"T": 1}, {"T": 2**63}, {"K": 1}, {"times": []}, {"times": [0, 10]}], ids=str
)
def test_the_border_is_accepted(good: dict[str, Any]) -> None:
    result = expect(WORLD, SOLVER, **{**CALL, **good})
    assert 0 < result.gradient < np.inf


@pytest.mark.parametrize("name", ["T", "K"])
def test_whole_numbers_of_numpy_are_whole_numbers(name: str) -> None:
    result = expect(WORLD, SOLVER, **{**CALL, name: np.int64(CALL[name])})
    assert result.gradient == expect(WORLD, SOLVER, **CALL).gradient


def test_times_stay_whole_at_the_border() -> None:
    """2^63 does not fit an int64, and a time that is read back is the time that was asked for."""
    times = [0, 2**62 + 1, 2**63]
    result = expect(WORLD, SOLVER, **{**CALL, "T": 2**63, "times": times})
    assert [int(t) for t in result.curves.t] == times


# Step sizes at which second moments grow without bound.

MEAN_STABLE = scalar(mu=0.1, L_1=4.0, sigma_H=1.9, s_g=0.1)
UNSTABLE: dict[str, tuple[Quadratic, Any, int]] = {
    "stepping": (scalar(), LocalBSGM(eta=1.0, **{**STEPS, "rho_1": 30.0, "rho_2": 30.0}), 400),
    "doubling": (scalar(), LocalBSGM(eta=1.0, **{**STEPS, "rho_1": 3.0, "rho_2": 3.0}), 10**6),
    "doubling-to-2^63": (scalar(), LocalBSGVRM(eta=1.0, **{**STEPS, "rho_2": 3.0}), 2**63),
    "within-one-round": (scalar(), LocalBSGM(eta=1.0, **{**STEPS, "rho_2": 3.0, "p": 10**6}), 10**5),
    "slowly-varying": (
        scalar(),
        LocalBSGM(eta=CubeRoot(scale=2.0, offset=10.0), **{**STEPS, "rho_2": 40.0}),
        10**5,
    ),
    "in-the-second-moment-only": (
        MEAN_STABLE,
        LocalBSGM(eta=1.0, **{**STEPS, "beta": 1.0, "rho_1": 1e-3, "rho_2": 0.95}),
        10**6,
    ),
}


@pytest.mark.parametrize(("world", "solver", "T"), UNSTABLE.values(), ids=UNSTABLE)
def test_an_unstable_step_size_is_a_sentence(world: Quadratic, solver: Any, T: int) -> None:
    """A RuntimeWarning would be an error here, and not this one."""
    with pytest.raises(DivergedError, match="step size") as error:
        expect(world, solver, K=2, T=T, x0=[1.0], y0=[1.0])
    message = sentence(error)
    assert type(solver).__name__ in message
    assert f"{solver.step_size(0):.6g}" in message


def test_the_mean_step_alone_would_not_have_diverged() -> None:
    """|1 - rho A| < 1 for the mean A = 2 and E[(1 - rho(A + e E))^2] > 1: only the second moment tells."""
    world, solver, _ = UNSTABLE["in-the-second-moment-only"]
    without_noise = Quadratic(A=world.A, B=world.B, P=world.P, D=world.D, s_g=0.1)
    result = expect(without_noise, solver, K=2, T=10**6, x0=[1.0], y0=[1.0])
    assert result.gradient < 100


# Worlds that are not affine.


class Wavy:
    """A quadratic world with some of its parts replaced."""

    def __init__(self, **parts: Any) -> None:
        self.parts = parts

    def __getattr__(self, name: str) -> Any:
        return self.parts[name] if name in self.parts else getattr(WORLD, name)


def sine_of_x(zeta: Any, x: Any, y: Any) -> Any:
    return WORLD.grad_y_g(zeta, np.sin(x), y)


def product_of_points(zeta: Any, x: Any, y: Any) -> Any:
    return WORLD.grad_y_g(zeta, x, y) * y


def curvature_in_y(zeta: Any, x: Any, y: Any, r: Any, theta: float) -> Any:
    return WORLD.neumann_factor_g(zeta, x, y, r, theta) - theta * (y * r)


def sine_of_y_star(x: Any) -> Any:
    return np.sin(WORLD.y_star(x))


NOT_AFFINE_WORLDS: dict[str, tuple[Wavy, str]] = {
    "sine-in-grad_y_g": (Wavy(grad_y_g=sine_of_x), "LowerGradient on Wavy is not affine.*ufunc"),
    "product-in-grad_y_g": (Wavy(grad_y_g=product_of_points), "product of two random vectors"),
    "product-in-the-curvature": (Wavy(neumann_factor_g=curvature_in_y), "product of two random vectors"),
    "sine-in-y_star": (
        Wavy(y_star=sine_of_y_star),
        "the measure 'tracking' of Wavy is not affine in the state",
    ),
}


@pytest.mark.parametrize(("world", "reason"), NOT_AFFINE_WORLDS.values(), ids=NOT_AFFINE_WORLDS)
@pytest.mark.parametrize("algorithm", [LocalBSGM, LocalBSGVRM])
def test_a_world_that_is_not_affine_is_refused(algorithm: Any, world: Wavy, reason: str) -> None:
    with pytest.raises(NotAffineError, match=reason) as error:
        expect(world, algorithm(eta=0.1, **STEPS), **CALL)
    sentence(error)


def test_the_stand_in_is_fine_where_nothing_is_replaced() -> None:
    assert expect(Wavy(), SOLVER, **CALL).gradient == expect(WORLD, SOLVER, **CALL).gradient


# Algorithms that are not affine, or whose samples are not fresh.


@dataclass(frozen=True)
class Written:
    """x <- x - eta h, y <- y - eta g and then, by `change`, something else."""

    change: Any
    eta: float = 0.1
    label: str = "zeta"

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (Stage(self.step, 2, ("x", "y")),)

    def check(self, problem: Any) -> None: ...

    def step_size(self, t: int) -> float:
        return self.eta

    def start(self, s: State, oracle: Oracle) -> State:
        return s

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        h = oracle.sample(StochasticNeumann(theta=0.2, Q=1), t)
        g = oracle.sample(LowerGradient(), t)
        x, y = self.change(t, s, oracle, s.x - self.eta * h(s.x, s.y), s.y - self.eta * g(s.x, s.y))
        return State(x=x, y=y)


def nothing(t: int, s: State, oracle: Oracle, x: Any, y: Any) -> Any:
    return x, y


def multiplies(t: int, s: State, oracle: Oracle, x: Any, y: Any) -> Any:
    return x, y * s.y


def clips(t: int, s: State, oracle: Oracle, x: Any, y: Any) -> Any:
    return np.clip(x, -10.0, 10.0), y


def squares(t: int, s: State, oracle: Oracle, x: Any, y: Any) -> Any:
    return x, y**2


def takes_a_sine(t: int, s: State, oracle: Oracle, x: Any, y: Any) -> Any:
    return np.sin(x), y


def compares(t: int, s: State, oracle: Oracle, x: Any, y: Any) -> Any:
    return (x if x > 0 else -x), y


def adds_a_number(t: int, s: State, oracle: Oracle, x: Any, y: Any) -> Any:
    return 1.0 + x, y


def evaluates_at_a_new_point(t: int, s: State, oracle: Oracle, x: Any, y: Any) -> Any:
    return x, y - 0.1 * oracle.sample(LowerGradient(label="second"), t)(x, y)


def shares_a_label(t: int, s: State, oracle: Oracle, x: Any, y: Any) -> Any:
    other = StochasticNeumann(theta=0.2, Q=1, label="zeta")
    return x - 0.1 * oracle.sample(other, t)(s.x, s.y), y


def reuses_an_old_sample(t: int, s: State, oracle: Oracle, x: Any, y: Any) -> Any:
    return x, y - 0.1 * oracle.sample(LowerGradient(), max(t - 1, 0))(s.x, s.y)


def mixes_batches(t: int, s: State, oracle: Oracle, x: Any, y: Any) -> Any:
    """The first member of the batch is the sample that y has already moved by."""
    return x, y - 0.1 * oracle.sample(LowerGradient(), t, batch=2)(s.x, s.y)


NOT_AFFINE_STEPS: dict[Any, str] = {
    multiplies: "multiplies two vectors",
    clips: "clip|compare|affine",
    squares: "power|affine",
    takes_a_sine: "ufunc|sin|affine",
    compares: "compare|affine",
    adds_a_number: "float|number|affine",
    evaluates_at_a_new_point: "depends on a sample of the same step",
}


@pytest.mark.parametrize(
    ("change", "reason"), NOT_AFFINE_STEPS.items(), ids=[c.__name__ for c in NOT_AFFINE_STEPS]
)
def test_a_step_that_is_not_affine_is_refused(change: Any, reason: str) -> None:
    with pytest.raises(NotAffineError, match=reason) as error:
        expect(WORLD, Written(change), **CALL)
    sentence(error)


def test_two_estimators_with_one_label_are_refused() -> None:
    with pytest.raises(ValueError, match="two estimators draw from the stream 'zeta'") as error:
        expect(WORLD, Written(shares_a_label), **CALL)
    sentence(error)


@pytest.mark.parametrize("change", [reuses_an_old_sample, mixes_batches], ids=lambda c: c.__name__)
def test_samples_that_are_not_fresh_are_refused(change: Any) -> None:
    """They correlate what moments take to be independent; a number that ignores it would be wrong by percents."""
    with pytest.raises((NotAffineError, ValueError), match="zeta") as error:
        expect(WORLD, Written(change), **CALL)
    sentence(error)


def test_without_the_change_the_algorithm_is_fine() -> None:
    assert 0 < expect(WORLD, Written(nothing), **CALL).gradient < np.inf


@dataclass(frozen=True, kw_only=True)
class Misspelt(ParallelSGD):
    """Reads a field that it does not have."""

    def step(self, t: int, state: Any, oracle: Any) -> Any:
        return State(x=state.x - self.alpah * oracle.sample(Gradient(), t)(state.x))


def test_a_misspelt_field_is_told_as_such() -> None:
    with pytest.raises(UserError, match=r"a step of Misspelt reads self\.alpah, which it does not have"):
        expect(SingleLevel(H=1.0), Misspelt(alpha=0.1), K=1, T=2, start={"x": [1.0]})
