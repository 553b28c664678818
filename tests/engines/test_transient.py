"""Exact transients: against closed forms in fractions, long runs, and the same runs from a wrong start."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
import sympy

import ratecert as rc
from ratecert.base.exact import ETA
from ratecert.errors import NoLimitError, UserError
from ratecert.solvers.contract.stage import Oracle, State
from ratecert.solvers.engines import leading
from ratecert.solvers.engines.expansion import K, transient_of
from ratecert.solvers.engines.series import series

WORLD = rc.worlds.Quadratic(A=1.0, B=0.5, P=1.0, D=1.0, a=0.25, b=-0.5, E=0.25, F=0.25, s_f=0.5, s_g=0.5)
STEPS: dict[str, Any] = {"alpha": 10.0, "beta": 10.0, "rho_1": 0.25, "rho_2": 2.0, "theta": 0.25, "Q": 5}
START = {"x0": 1.0, "y0": 0.5}
METHODS = {
    "LocalBSGM": (-1, 2**26),
    "LocalBSGVRM": (-2, 2**34),
}  # the first power of eta, and a T that is long
ETAS = 2.0**-12

# A world of one level: x moves along P x + s m, and P = 3/4, s = 1/2.
LINE = rc.worlds.Quadratic(A=1.0, B=0.0, P=0.75, D=0.0, s_f=0.5)
P, SIGMA2, X0 = sympy.Rational(3, 4), sympy.Rational(1, 4), sympy.Rational(3, 2)


def made(method: str, eta: float = ETAS, p: int = 1, **changed: Any) -> Any:
    return getattr(rc.methods, method)(**{**STEPS, "eta": eta, "p": p, **changed})


def sgd(p: int = 1, method: Any = rc.methods.LocalSGD) -> Any:
    return method(eta=0.1, rho_1=1.0, rho_2=1.0, p=p, theta=0.5, Q=0)


@pytest.mark.parametrize("p", [1, 2, 3])
def test_gradient_descent(p: int) -> None:
    """E x_t^2 - m = q^2t (x_0^2 - m), q = 1 - eta P: S = P^2 (x_0^2 - m)/(1 - q^2), m = eta^2 s^2/K/(1 - q^2).

    With a = P/2, 1/(1 - q^2) = sum of (a eta)^n/(2 eta P), and its square is the sum of (n + 1) (a eta)^n/(2 eta P)^2.
    Rounds do not change the mean of devices that are alike, and their drift, the same in each, has no transient.
    """
    found = rc.leading(LINE, sgd(p), x0=1.5, y0=0.0).transient
    a = P / 2
    expected = [a * X0**2 * a**n - SIGMA2 / (4 * K) * n * a ** (n - 1) for n in range(4)]
    assert found.gradient.power == -1
    assert [sympy.cancel(x - y) for x, y in zip(found.gradient.terms, expected, strict=True)] == [0] * 4
    assert found.drift_x.power is None


def test_momentum() -> None:
    """In the time eta t, z'' + alpha z' + alpha rho P z = 0 with z'(0) = -rho (P z(0) + the first sample's noise).

    Multiplied by z' and by z, and integrated, it has the integral of z^2 in closed form.
    """
    alpha, rho = sympy.Integer(10), sympy.Rational(1, 4)
    found = rc.leading(LINE, made("LocalBSGM", Q=0), x0=1.5, y0=0.0).transient.gradient
    start = X0**2 * (alpha**2 - alpha * rho * P + rho**2 * P**2) / (2 * alpha**2 * rho * P)
    first = SIGMA2 / K * rho / (2 * alpha**2 * P)
    assert found.power == -1
    assert sympy.cancel(found.constant - P**2 * (start + first)) == 0
    assert sympy.cancel(found.constant - P**2 * start) != 0


@pytest.mark.parametrize("B", [1, 3])
def test_reduced_variance(B: int) -> None:
    """The error e of the momentum forgets its first noise, v = s^2/(B K), at the rate alpha eta^2 an iteration.

    x follows at -c e, c = rho/(rho P - alpha eta): P^2 E x^2 sums to v/(2 alpha eta^2) + v/(rho P eta). From x_0 on,
    P^2 x^2 - e^2, x = -e/P + (x_0 + e/P) exp(-rho P tau), has the integral P x_0^2/(2 rho) - 3 v/(2 rho P) besides.
    """
    alpha, rho, v = sympy.Integer(10), sympy.Rational(1, 4), SIGMA2 / (B * K)
    found = rc.leading(LINE, made("LocalBSGVRM", Q=0, B=B), x0=1.5, y0=0.0).transient.gradient
    assert found.power == -2
    assert sympy.cancel(found.terms[0] - v / (2 * alpha)) == 0
    assert sympy.cancel(found.terms[1] - (P * X0**2 / (2 * rho) - v / (2 * rho * P))) == 0


@pytest.mark.parametrize(
    ("method", "p", "momenta"),
    [
        *((method, p, "fresh") for method in METHODS for p in (1, 2)),
        ("LocalBSGM", 3, "carry"),
        pytest.param("LocalBSGVRM", 3, "carry", marks=pytest.mark.nightly),
    ],
)
def test_a_long_run_agrees_to_the_next_order(method: str, p: int, momenta: str) -> None:
    """T (average - limit) at eta = 2^-12, term by term; another start is seen."""
    power, T = METHODS[method]
    solver, T = made(method, p=p, momenta=momenta, Q=1), T - T % p
    found = rc.leading(WORLD, solver, K=4, **START).transient
    run = rc.expect(WORLD, solver, K=4, T=T, **START, times=[], certified=True)
    limit = rc.stationary(WORLD, solver, K=4, certified=True)
    for name in ("gradient", "tracking"):
        expansion, measured = getattr(found, name), T * (getattr(run, name) - getattr(limit, name))
        assert expansion.power == power
        one, two, three = (expansion(ETAS, 4, terms=terms) for terms in (1, 2, 3))
        assert measured - one == pytest.approx(two - one, rel=2 * abs((three - two) / (two - one)))
        assert measured - two == pytest.approx(three - two, rel=0.05)
        assert measured != pytest.approx(one, rel=1e-5)
    elsewhere = rc.leading(WORLD, solver, K=4, x0=1.0, y0=0.75).transient
    measured = T * (run.tracking - limit.tracking)
    assert abs(elsewhere.tracking(ETAS, 4, terms=3) / measured - 1) > 1e-4


@pytest.mark.parametrize("method", METHODS)
def test_a_number_of_devices_and_the_letter_agree(method: str) -> None:
    solver = made(method, momenta="fresh", Q=1)
    letter, four = (rc.leading(WORLD, solver, K=devices, **START) for devices in (None, 4))
    for name in ("gradient", "tracking"):
        for some, other in ((letter, four), (letter.transient, four.transient)):
            expected = [term.subs(K, 4) for term in getattr(some, name).terms]
            assert list(getattr(other, name).terms) == expected
            assert not any(term.free_symbols for term in getattr(other, name).terms)
    assert letter.gradient.terms[0] != letter.gradient.terms[0].subs(K, 4)


def test_the_limit_does_not_depend_on_the_start() -> None:
    """And without a start there is no transient."""
    solver = made("LocalBSGM", Q=1)
    alone, started = rc.leading(WORLD, solver), rc.leading(WORLD, solver, **START)
    assert alone.transient is None
    assert alone.gradient == started.gradient


# The algebra.


def test_no_more_terms_are_given_than_are_known() -> None:
    """(eta^3 + 2 eta^4 + ...)/(1 + eta)/eta^2, of which five powers are known: eta + eta^2 and no more."""
    short = partial(series, length=5)
    found = transient_of(short(ETA**3 + 2 * ETA**4 + ETA**5), short(1 + ETA), pole=2, orders=5, terms=4)
    assert (found.power, found.terms) == (1, (1, 1))
    whole = transient_of(ETA**4 + ETA**6, ETA**2 + ETA**3, pole=2, orders=12, terms=4)
    assert (whole.power, whole.terms) == (0, (1, -1, 2, -2))


def test_a_late_transient_is_found() -> None:
    """The drift of LocalBSGM within rounds of 3 steps is of high order, in its transient too."""
    found = rc.leading(LINE, made("LocalBSGM", p=3, Q=0), K=2, x0=1.5, y0=0.0)
    solver, T = made("LocalBSGM", p=3, Q=0, eta=2.0**-8), 3 * 2**16
    run = rc.expect(LINE, solver, K=2, T=T, x0=1.5, y0=0.0, times=[], certified=True)
    limit = rc.stationary(LINE, solver, K=2, certified=True)
    measured = T * (run.drift_x - limit.drift_x)
    assert measured == pytest.approx(found.transient.drift_x(2.0**-8, 2, terms=4), rel=1e-3)


@dataclass(frozen=True, kw_only=True)
class Followed(rc.methods.LocalSGD):
    """Two more fields, which approach one another at the rate eta and, only together, x at the rate eta^2."""

    def start(self, s: State, oracle: Oracle) -> State:
        return State(x=s.x, y=s.y, v=s.x, w=s.x)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        moved, eta = super().step(t, s, oracle), self.step_size(t)
        v, w = s.v + eta * (s.w - s.v), s.w + eta * (s.v - s.w) + (eta * eta) * (s.x - s.w)
        return State(x=moved.x, y=moved.y, v=v, w=w)


def test_there_whole_polynomials_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """The measures do not read these fields, and are those without them."""
    expected = rc.leading(LINE, sgd(), K=1, x0=1.5, y0=0.0)
    seen = []
    whole = leading._from_polynomials
    monkeypatch.setattr(leading, "_from_polynomials", lambda *given: seen.append(1) or whole(*given))
    found = rc.leading(LINE, sgd(method=Followed), K=1, x0=1.5, y0=0.0)
    assert seen
    assert found.gradient.constant == expected.gradient.constant
    assert found.transient.gradient == expected.transient.gradient


def test_what_never_comes_to_rest_is_said() -> None:
    flat = rc.worlds.Quadratic(A=1.0, B=0.0, P=0.75, D=0.0, s_f=0.5)
    with pytest.raises(NoLimitError, match="no limit of their own"):
        rc.leading(flat, sgd(method=Kept), K=1)


@dataclass(frozen=True, kw_only=True)
class Kept(Followed):
    """The fields never forget where they began."""

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        moved = rc.methods.LocalSGD.step(self, t, s, oracle)
        return State(x=moved.x, y=moved.y, v=s.v, w=s.w)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"x0": 1.0}, "leading starts from x0 and y0, or from neither, got x0 = 1.0 and y0 = None"),
        ({"x0": 1.0, "y0": [1.0, 2.0]}, "y0 must be 1 finite number"),
        ({"K": 0}, "K must be"),
    ],
)
def test_a_wrong_start_is_refused(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        rc.leading(WORLD, made("LocalBSGM"), **given)
