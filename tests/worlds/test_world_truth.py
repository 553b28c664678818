"""The truth of the base world, found again by SymPy.

    g(x, y; zeta) = 1/2 y'(A + e E)y - y'((B + e' F)x + c) + s_g n'y
    f(x, y; xi)   = 1/2 (x-a)'P(x-a) + 1/2 (y-b)'D(y-b) + s_f m_x'x + s_f m_y'y

SymPy differentiates these two lines at rational entries, and the mean of a sample is taken over all outcomes
of its signs. Each check has a twin in which it sees a wrong field.
"""

from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp
from numpy.typing import NDArray

from oracles.world_signs import every_outcome, noise_free
from ratecert.synthetic import Quadratic

Array = NDArray[np.float64]


# Worlds with rational entries, and f and g as printed.


def matrix(*rows: str) -> sp.Matrix:
    return sp.Matrix([[sp.Rational(entry) for entry in row.split()] for row in rows])


RATIONAL: dict[str, dict[str, Any]] = {
    "d=1": {
        "A": matrix("3/2"), "E": [matrix("1/2")], "B": matrix("2/3"), "F": [matrix("-1/5")],
        "c": matrix("1/7"), "P": matrix("5/4"), "D": matrix("7/3"), "a": matrix("-1/2"), "b": matrix("4/5"),
        "s_f": sp.Rational(1, 3), "s_g": sp.Rational(2, 5),
    },
    "d=2": {
        "A": matrix("2 1/3", "1/3 3/2"),
        "E": [matrix("1/4 1/5", "1/5 -1/6"), matrix("0 1/3", "1/3 1/7")],
        "B": matrix("1/2 -2/3", "5/7 1"),
        "F": [matrix("1/3 0", "1/5 -1/2"), matrix("2/7 1/9", "0 1/4")],
        "c": matrix("1/3", "-2/5"),
        "P": matrix("3/2 -1/4", "-1/4 2/3"),
        "D": matrix("4/3 1/6", "1/6 5/2"),
        "a": matrix("1/2", "-3/4"),
        "b": matrix("2/3", "1/8"),
        "s_f": sp.Rational(1, 6), "s_g": sp.Rational(3, 4),
    },
    "d_x=2,d_y=1": {
        "A": matrix("5/3"), "E": [matrix("2/3")], "B": matrix("1/2 -4/3"), "F": [matrix("1/6 1/2")],
        "c": matrix("3/8"), "P": matrix("1 1/5", "1/5 3/4"), "D": matrix("2/9"), "a": matrix("1/4", "2"),
        "b": matrix("-1/3"), "s_f": sp.Rational(1, 2), "s_g": sp.Rational(1, 7),
    },
}  # fmt: skip


def printed_f(w: dict[str, Any], x: sp.Matrix, y: sp.Matrix, m_x: sp.Matrix, m_y: sp.Matrix) -> sp.Expr:
    u, v = x - w["a"], y - w["b"]
    mean = (u.T * w["P"] * u)[0] / 2 + (v.T * w["D"] * v)[0] / 2
    return mean + w["s_f"] * (m_x.dot(x) + m_y.dot(y))


def printed_g(
    w: dict[str, Any], x: sp.Matrix, y: sp.Matrix, e: sp.Matrix, e_F: sp.Matrix, n: sp.Matrix
) -> sp.Expr:
    M = sum((e_i * E_i for e_i, E_i in zip(e, w["E"], strict=True)), w["A"])
    N = sum((e_i * F_i for e_i, F_i in zip(e_F, w["F"], strict=True)), w["B"])
    return (y.T * M * y)[0] / 2 - (y.T * (N * x + w["c"]))[0] + w["s_g"] * n.dot(y)


def letters(name: str, n: int) -> sp.Matrix:
    return sp.Matrix(sp.symbols(f"{name}:{n}", real=True))


def sizes(w: dict[str, Any]) -> tuple[int, int]:
    return w["P"].rows, w["A"].rows


def number(value: Any) -> Any:
    """A rational matrix, a list of them or a rational, as floats; a column is a vector."""
    if isinstance(value, list):
        return np.array([np.array(M.tolist(), dtype=float) for M in value])
    if isinstance(value, sp.MatrixBase):
        array = np.array(value.tolist(), dtype=float)
        return array[:, 0] if array.shape[1] == 1 else array
    return float(value)


def as_world(name: str) -> Quadratic:
    w = RATIONAL[name]
    d_x, d_y = sizes(w)
    shapes = {"A": (d_y, d_y), "B": (d_y, d_x), "P": (d_x, d_x), "D": (d_y, d_y)}
    return Quadratic(**{k: np.reshape(number(v), shapes.get(k, np.shape(number(v)))) for k, v in w.items()})


@cache
def symbolic_truth(name: str) -> tuple[sp.Matrix, sp.Matrix, sp.Expr, sp.Matrix, sp.Matrix]:
    """x, y*(x) from grad_y g = 0, Phi by substitution, its gradient by sympy.diff, its critical point."""
    w = RATIONAL[name]
    d_x, d_y = sizes(w)
    x, y = letters("x", d_x), letters("y", d_y)
    zeros = [sp.zeros(len(w["E"]), 1), sp.zeros(len(w["F"]), 1), sp.zeros(d_y, 1)]
    y_star = sp.solve([sp.diff(printed_g(w, x, y, *zeros), y_i) for y_i in y], list(y), dict=True)[0]
    Phi = printed_f(w, x, y, sp.zeros(d_x, 1), sp.zeros(d_y, 1)).subs(y_star)
    gradient = sp.Matrix([sp.diff(Phi, x_i) for x_i in x])
    x_star = x.subs(sp.solve(list(gradient), list(x), dict=True)[0])
    return x, y.subs(y_star), Phi, gradient, x_star


def assert_truth(world: Quadratic, name: str) -> None:
    """y*, Phi, grad Phi at rational points and x* agree with the symbolic ones."""
    x, y_star, Phi, gradient, x_star = symbolic_truth(name)
    np.testing.assert_allclose(world.x_star, number(x_star), rtol=1e-12)
    for numerators in ((0, 0), (7, -2), (-5, 11)):
        point = {x_i: sp.Rational(k, 3) for x_i, k in zip(x, numerators, strict=False)}
        at = np.array([float(value) for value in point.values()])
        np.testing.assert_allclose(world.y_star(at), number(y_star.subs(point)), rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(world.objective(at), float(Phi.subs(point)), rtol=1e-13)
        np.testing.assert_allclose(world.hypergradient(at), number(gradient.subs(point)), rtol=1e-13)


@pytest.mark.smoke
@pytest.mark.parametrize("name", RATIONAL)
def test_truth_equals_sympy(name: str) -> None:
    assert_truth(as_world(name), name)


@pytest.mark.parametrize("field", ["A", "B", "c", "P", "D", "a", "b"])
@pytest.mark.parametrize("name", RATIONAL)
def test_sympy_sees_every_wrong_field(name: str, field: str) -> None:
    world = as_world(name)
    wrong = replace(world, **{field: 1.01 * getattr(world, field)})
    with pytest.raises(AssertionError):
        assert_truth(wrong, name)


# Samples, outcome by outcome, against the derivatives of the printed f(.; xi) and g(.; zeta).


@cache
def symbolic_samples(name: str) -> dict[str, Callable[..., Array]]:
    """Each oracle as a function of the numbers (x, y, r) and the signs (m_x, m_y) or (e, e', n)."""
    w = RATIONAL[name]
    d_x, d_y = sizes(w)
    x, y, r = letters("x", d_x), letters("y", d_y), letters("r", d_y)
    xi = (letters("u", d_x), letters("v", d_y))
    zeta = (letters("e", len(w["E"])), letters("k", len(w["F"])), letters("n", d_y))
    f, g = printed_f(w, x, y, *xi), printed_g(w, x, y, *zeta)
    upper = {"grad_x_f": [f.diff(s) for s in x], "grad_y_f": [f.diff(s) for s in y]}
    lower = {
        "grad_y_g": [g.diff(s) for s in y],
        "hessian_g": sp.hessian(g, list(y)) * r,
        "jacobian_g": sp.Matrix([[g.diff(s, t) for t in y] for s in x]) * r,
    }
    compiled = {k: sp.lambdify([*x, *y, *r, *xi[0], *xi[1]], list(v)) for k, v in upper.items()}
    return compiled | {
        k: sp.lambdify([*x, *y, *r, *zeta[0], *zeta[1], *zeta[2]], list(v)) for k, v in lower.items()
    }


def evaluate(world: Quadratic, oracle: str, sample: Any, x: Array, y: Array, r: Array) -> Array:
    extra = (r,) if oracle in ("hessian_g", "jacobian_g") else ()
    return np.asarray(getattr(world, oracle)(sample, x, y, *extra))


def assert_sample(world: Quadratic, name: str, oracle: str) -> None:
    """At every outcome the oracle is the derivative; its mean over all outcomes is the noise-free one."""
    draw = world.sample_f if oracle.endswith("_f") else world.sample_g
    sample, outcomes = every_outcome(draw)
    rng = np.random.default_rng(3)
    x, y, r = (rng.uniform(-2.0, 2.0, d) for d in (world.d_x, world.d_y, world.d_y))
    columns = [np.repeat(v[:, None], outcomes, axis=1) for v in (x, y, r)]
    measured = evaluate(world, oracle, sample, *columns)
    signs = np.concatenate([getattr(sample, field.name) for field in fields(sample)])
    assert len(np.unique(signs, axis=1).T) == outcomes == 2 ** len(signs)
    derivative = symbolic_samples(name)[oracle]
    expected = np.array([derivative(*x, *y, *r, *outcome) for outcome in signs.T]).T
    np.testing.assert_allclose(measured, expected, rtol=1e-12, atol=1e-13)
    mean = evaluate(world, oracle, noise_free(draw), x[:, None], y[:, None], r[:, None])
    np.testing.assert_allclose(measured.mean(axis=1), mean[:, 0], rtol=1e-12, atol=1e-13)


ORACLES = ["grad_x_f", "grad_y_f", "grad_y_g", "hessian_g", "jacobian_g"]


@pytest.mark.parametrize("oracle", ORACLES)
@pytest.mark.parametrize("name", RATIONAL)
def test_samples_are_derivatives_at_every_outcome(name: str, oracle: str) -> None:
    assert_sample(as_world(name), name, oracle)


@pytest.mark.parametrize(
    ("oracle", "field"),
    [
        ("grad_x_f", "P"), ("grad_x_f", "a"), ("grad_x_f", "s_f"),
        ("grad_y_f", "D"), ("grad_y_f", "b"), ("grad_y_f", "s_f"),
        ("grad_y_g", "A"), ("grad_y_g", "E"), ("grad_y_g", "B"), ("grad_y_g", "F"), ("grad_y_g", "c"),
        ("grad_y_g", "s_g"), ("hessian_g", "A"), ("hessian_g", "E"), ("jacobian_g", "B"), ("jacobian_g", "F"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", RATIONAL)
def test_enumeration_sees_every_wrong_field(name: str, oracle: str, field: str) -> None:
    world = as_world(name)
    wrong = replace(world, **{field: 1.01 * getattr(world, field)})
    with pytest.raises(AssertionError):
        assert_sample(wrong, name, oracle)


def test_a_source_that_is_off_draws_no_signs() -> None:
    """Zero directions of E and F are dropped, and s_f = s_g = 0 ask for nothing."""
    world = as_world("d=2")
    silent = replace(world, E=np.zeros((2, 2, 2)), F=np.zeros((1, 2, 2)), s_f=0.0, s_g=0.0)
    for draw in (silent.sample_f, silent.sample_g, silent.sample_hessian, silent.sample_jacobian):
        assert every_outcome(draw)[1] == 1
    padded = replace(world, E=np.concatenate([np.zeros((1, 2, 2)), world.E]))
    assert every_outcome(padded.sample_hessian)[1] == every_outcome(world.sample_hessian)[1] == 2**2
