"""What `expect` refuses: steps that grow, and worlds, steps and samples for which second moments do not close.

One table each: what is called and the words that name what is wrong. Nothing is approximated, and warnings are errors
here as everywhere, so that none from linear algebra can leak through. Wrong arguments of a run stand in
tests/methods/test_refusals.py, for every engine.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from oracles.long_form import ParallelSGD
from ratecert.contract import Gradient
from ratecert.errors import DivergedError, NotAffineError, UserError
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


def refused(call: Callable[[], Any], words: str, kind: type[Exception] = NotAffineError) -> str:
    """The message: one line that ends with a full stop."""
    with pytest.raises(kind, match=words) as error:
        call()
    message = str(error.value)
    assert message.endswith(".")
    assert "\n" not in message
    return message


# T up to 2^63, and whole numbers of every kind.


def test_T_goes_to_the_border_and_not_beyond_and_times_stay_whole() -> None:
    """2^63 does not fit an int64, and a time that is read back is the time that was asked for."""
    for good in ({"T": 1}, {"K": 1}, {"times": []}):
        assert 0 < expect(WORLD, SOLVER, **{**CALL, **good}).gradient < np.inf
    times = [0, 2**62 + 1, 2**63]
    result = expect(WORLD, SOLVER, **{**CALL, "T": 2**63, "times": times})
    assert [int(t) for t in result.curves.t] == times
    refused(lambda: expect(WORLD, SOLVER, **{**CALL, "T": 2**63 + 1}), f"T .*{2**63 + 1}", UserError)
    for name in ("T", "K"):
        numpy_s = expect(WORLD, SOLVER, **{**CALL, name: np.int64(CALL[name])})
        assert numpy_s.gradient == expect(WORLD, SOLVER, **CALL).gradient


# Step sizes at which second moments grow without bound.

MEAN_STABLE = scalar(mu=0.1, L_1=4.0, sigma_H=1.9, s_g=0.1)


def local(method: Any = LocalBSGM, eta: Any = 1.0, **steps: float) -> Any:
    return method(eta=eta, **{**STEPS, **steps})


UNSTABLE: dict[str, tuple[Quadratic, Any, int]] = {
    "stepping": (scalar(), local(rho_1=30.0, rho_2=30.0), 400),
    "doubling": (scalar(), local(rho_1=3.0, rho_2=3.0), 10**6),
    "doubling-to-2^63": (scalar(), local(LocalBSGVRM, rho_2=3.0), 2**63),
    "within-one-round": (scalar(), local(rho_2=3.0, p=10**6), 10**5),
    "slowly-varying": (scalar(), local(eta=CubeRoot(scale=2.0, offset=10.0), rho_2=40.0), 10**5),
    "in-the-second-moment-only": (MEAN_STABLE, local(rho_1=1e-3, rho_2=0.95), 10**6),
}


@pytest.mark.parametrize(("world", "solver", "T"), UNSTABLE.values(), ids=UNSTABLE)
def test_an_unstable_step_size_is_a_sentence(world: Quadratic, solver: Any, T: int) -> None:
    """A RuntimeWarning would be an error here, and not this one."""
    run: dict[str, Any] = {"K": 2, "T": T, "x0": [1.0], "y0": [1.0]}
    message = refused(lambda: expect(world, solver, **run), type(solver).__name__, DivergedError)
    assert f"{solver.step_size(0):.6g}" in message


def test_the_mean_step_alone_would_not_have_diverged() -> None:
    """|1 - rho A| < 1 for the mean A = 2 and E[(1 - rho(A + e E))^2] > 1: only the second moment tells."""
    world, solver, _ = UNSTABLE["in-the-second-moment-only"]
    without_noise = Quadratic(A=world.A, B=world.B, P=world.P, D=world.D, s_g=0.1)
    assert expect(without_noise, solver, K=2, T=10**6, x0=[1.0], y0=[1.0]).gradient < 100


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
    "sine-in-grad_y_g": (Wavy(grad_y_g=sine_of_x), "LowerGradient on Wavy .*ufunc"),
    "product-in-grad_y_g": (Wavy(grad_y_g=product_of_points), "product of two random vectors"),
    "product-in-the-curvature": (Wavy(neumann_factor_g=curvature_in_y), "product of two random vectors"),
    "row-of-signs-on-the-left": (Wavy(grad_y_g=lambda zeta, x, y: zeta.n * y), r"\(e,\) = bits.signs\(1\)"),
    "row-of-signs-on-the-right": (Wavy(grad_y_g=lambda zeta, x, y: y * zeta.n), r"\(e,\) = bits.signs\(1\)"),
    "sign-beside-a-vector": (Wavy(grad_y_g=lambda zeta, x, y: y + 0.5 * zeta.n[0]), "noise that is added is a row"),
    "sign-beside-a-number": (Wavy(grad_y_g=lambda zeta, x, y: (1 + zeta.n[0]) * y), "as in x . s . e . x"),
    "sine-in-y_star": (Wavy(y_star=sine_of_y_star), "the measure 'tracking' of Wavy"),
}  # fmt: skip


@pytest.mark.parametrize(("world", "reason"), NOT_AFFINE_WORLDS.values(), ids=NOT_AFFINE_WORLDS)
@pytest.mark.parametrize("algorithm", [LocalBSGM, LocalBSGVRM])
def test_a_world_that_is_not_affine_is_refused(algorithm: Any, world: Wavy, reason: str) -> None:
    refused(lambda: expect(world, algorithm(eta=0.1, **STEPS), **CALL), reason)
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


def evaluates_at_a_new_point(t: int, s: State, oracle: Oracle, x: Any, y: Any) -> Any:
    return x, y - 0.1 * oracle.sample(LowerGradient(label="second"), t)(x, y)


def shares_a_label(t: int, s: State, oracle: Oracle, x: Any, y: Any) -> Any:
    other = StochasticNeumann(theta=0.2, Q=1, label="zeta")
    return x - 0.1 * oracle.sample(other, t)(s.x, s.y), y


def reuses_an_old_sample(t: int, s: State, oracle: Oracle, x: Any, y: Any) -> Any:
    """It correlates what moments take to be independent; a number that ignores it would be wrong by percents."""
    return x, y - 0.1 * oracle.sample(LowerGradient(), max(t - 1, 0))(s.x, s.y)


def mixes_batches(t: int, s: State, oracle: Oracle, x: Any, y: Any) -> Any:
    """The first member of the batch is the sample that y has already moved by."""
    return x, y - 0.1 * oracle.sample(LowerGradient(), t, batch=2)(s.x, s.y)


NOT_AFFINE = "a step of Written is not affine"
WRONG_STEPS: dict[str, tuple[Any, str]] = {
    "multiplies": (lambda t, s, oracle, x, y: (x, y * s.y), "multiplies two vectors"),
    "clips": (lambda t, s, oracle, x, y: (np.clip(x, -10.0, 10.0), y), NOT_AFFINE),
    "squares": (lambda t, s, oracle, x, y: (x, y**2), NOT_AFFINE),
    "takes a sine": (lambda t, s, oracle, x, y: (np.sin(x), y), NOT_AFFINE),
    "compares": (lambda t, s, oracle, x, y: (x if x > 0 else -x, y), NOT_AFFINE),
    "adds a number": (lambda t, s, oracle, x, y: (1.0 + x, y), NOT_AFFINE),
    "a new point": (evaluates_at_a_new_point, "depends on a sample of the same step"),
    "an old sample": (reuses_an_old_sample, "samples of 'zeta' are used twice"),
    "mixes batches": (mixes_batches, "samples of 'zeta' are used twice"),
}


@pytest.mark.parametrize(("change", "reason"), WRONG_STEPS.values(), ids=WRONG_STEPS)
def test_a_step_that_is_not_affine_or_has_no_fresh_samples_is_refused(change: Any, reason: str) -> None:
    refused(lambda: expect(WORLD, Written(change), **CALL), reason)


def test_two_estimators_with_one_label_are_refused() -> None:
    words = "two estimators draw from the stream 'zeta'"
    refused(lambda: expect(WORLD, Written(shares_a_label), **CALL), words, UserError)


def test_without_the_change_the_algorithm_is_fine() -> None:
    unchanged = Written(lambda t, s, oracle, x, y: (x, y))
    assert 0 < expect(WORLD, unchanged, **CALL).gradient < np.inf


@dataclass(frozen=True, kw_only=True)
class Misspelt(ParallelSGD):
    """Reads a field that it does not have."""

    def step(self, t: int, state: Any, oracle: Any) -> Any:
        return State(x=state.x - self.alpah * oracle.sample(Gradient(), t)(state.x))


def test_a_misspelt_field_is_told_as_such() -> None:
    run: dict[str, Any] = {"K": 1, "T": 2, "start": {"x": [1.0]}}
    refused(
        lambda: expect(SingleLevel(H=1.0), Misspelt(alpha=0.1), **run),
        r"Misspelt reads self\.alpah",
        UserError,
    )
