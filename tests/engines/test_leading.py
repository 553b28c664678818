"""Exact leading terms: against closed forms in fractions, the limit at small steps, and what K does to them."""

from fractions import Fraction
from typing import Any

import pytest
import sympy

import ratecert as rc
from ratecert.errors import UserError
from ratecert.solvers.engines.expansion import K
from ratecert.solvers.engines.leading import LIMIT_TERMS

WORLD = rc.worlds.Quadratic(A=1.0, B=0.5, P=1.0, D=1.0, s_f=0.5, s_g=0.5)
STEPS: dict[str, Any] = {"alpha": 10.0, "beta": 10.0, "rho_1": 0.25, "rho_2": 2.0, "theta": 0.25, "Q": 5}
METHODS = {"LocalBSGM": 1, "LocalBSGVRM": 2}  # power of eta above the floor


def made(method: str, eta: float = 2.0**-12, p: int = 1, **changed: Any) -> Any:
    return getattr(rc.methods, method)(**{**STEPS, "eta": eta, "p": p, **changed})


def test_gradient_descent_has_a_limit_that_is_known_by_heart() -> None:
    """x+ = x - eta (P x + s m): E grad^2 -> P eta s^2/2 (1 + eta P/2 + ...), as 1/(1 - (1 - eta P)^2) says."""
    world = rc.worlds.Quadratic(A=1.0, B=0.0, P=0.75, D=0.0, s_f=0.5)
    solver = rc.methods.LocalSGD(eta=0.1, rho_1=1.0, rho_2=1.0, p=1, theta=0.5, Q=0)
    found = rc.leading(world, solver).gradient
    assert (found.floor, found.power) == (0, 1)
    assert found.constant == sympy.Rational(3, 4) * sympy.Rational(1, 4) / 2 / K
    assert found.constant != sympy.Rational(3, 4) * sympy.Rational(1, 4) / K
    assert found.terms == tuple(found.constant * sympy.Rational(3, 8) ** i for i in range(LIMIT_TERMS))


@pytest.mark.parametrize("method", METHODS)
def test_the_first_power_and_its_constant_over_K(method: str) -> None:
    found = rc.leading(WORLD, made(method, momenta="fresh"))
    for expansion in (found.gradient, found.tracking):
        assert expansion.power == METHODS[method]
        assert not sympy.cancel(expansion.constant * K).free_symbols
        assert expansion.floor == 0
    assert found.drift_x.power is None


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("eta", [2.0**-12, 2.0**-40])
def test_the_limit_agrees_to_the_next_order(method: str, eta: float) -> None:
    found = rc.leading(WORLD, made(method, momenta="fresh"))
    limit = rc.stationary(WORLD, made(method, eta, momenta="fresh"), K=4, certified=True)
    for name in ("gradient", "tracking"):
        off = abs(getattr(found, name)(eta, 4) / getattr(limit, name) - 1)
        assert off <= 100 * eta + 1e-12
    next_order = abs(found.gradient(eta, 4) / limit.gradient - 1)
    assert eta < 1e-6 or next_order > eta / 100  # there is a next order, and the comparison sees it


def test_the_floor_of_the_neumann_sum_is_a_fraction() -> None:
    """Without noise the method rests where the truncated hypergradient is zero: grad Phi there, squared."""
    world = rc.worlds.Quadratic(A=1.0, B=0.5, P=1.0, D=1.0, a=1.0, b=0.25, s_f=0.5)
    found = rc.leading(world, made("LocalBSGM", Q=1)).gradient
    A, B, P, D, a, b, theta = (Fraction(v) for v in (1.0, 0.5, 1.0, 1.0, 1.0, 0.25, 0.25))
    cut = theta * (1 + (1 - theta * A))  # the sum of two terms in the place of 1/A
    slope = B / A
    x = (P * a + B * cut * D * b) / (P + B * cut * D * slope)
    gradient = P * (x - a) + slope * D * (slope * x - b)
    assert found.floor == sympy.Rational(gradient.numerator, gradient.denominator) ** 2
    assert found.floor > 0


def test_drift_of_a_round_is_of_the_fourth_order() -> None:
    found = rc.leading(WORLD, made("LocalBSGM", p=3)).drift_x
    assert found.power == 4
    limit = rc.stationary(WORLD, made("LocalBSGM", 2.0**-20, p=3), K=4, certified=True).drift_x
    assert found(2.0**-20, 4) == pytest.approx(limit, rel=1e-3, abs=0)
    assert found.constant.subs(K, 1) == 0


@pytest.mark.nightly
def test_two_dimensions() -> None:
    world = rc.worlds.Quadratic(
        A=[[1.0, 0.25], [0.25, 2.0]], B=[[0.5], [0.25]], P=1.0, D=[[1.0, 0.0], [0.0, 0.5]], s_f=0.5, s_g=0.5
    )
    solver = rc.methods.LocalSGD(eta=2.0**-20, rho_1=0.25, rho_2=0.5, p=1, theta=0.25, Q=2)
    found, limit = rc.leading(world, solver), rc.stationary(world, solver, K=4, certified=True)
    assert found.gradient(2.0**-20, 4) == pytest.approx(limit.gradient, rel=1e-4, abs=0)


class Coin(rc.methods.LocalBSGM):
    """Every second step is not made."""

    @property
    def stages(self) -> tuple[Any, ...]:
        (stage,) = super().stages
        choice = rc.contract.Choice((0.5, stage.step), (0.5, lambda _t, s, _oracle: s))
        return (rc.contract.Stage(choice, repeats=stage.repeats, averaged=stage.averaged),)


@pytest.mark.parametrize(
    ("world", "solver", "sentence"),
    [
        (rc.worlds.heterogeneous(K=2), made("LocalBSGM"), "leading needs devices that are alike"),
        (WORLD, made("LocalBSGM", rc.contract.CubeRoot(scale=0.01)), "leading needs a constant step size"),  # type: ignore[arg-type]
        (WORLD, rc.methods.TTSA(alpha=0.1, beta=0.1, theta=0.2, N=2), "has no constant eta"),
        (WORLD, Coin(**vars(made("LocalBSGM"))), "Coin draws which; use stationary"),
        (rc.worlds.random_quadratic(d_x=3, d_y=3, seed=0), made("LocalBSGM"), "second moments are too many"),
    ],
)
def test_what_cannot_be_expanded_is_said(world: Any, solver: Any, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        rc.leading(world, solver)
