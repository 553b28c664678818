"""The truth and the samples of a world, derived by SymPy from the two lines that its docstring prints, f and g.

g is quadratic in y. Noise enters by symbols: signs, of mean 0, or the shares of n rows, of mean 1/n.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from oracles.world_signs import every_outcome, noise_free

Array = NDArray[np.float64]
THETA = 0.375  # of the Neumann factor; an exact float


def letters(name: str, n: int) -> sp.Matrix:
    return sp.Matrix(sp.symbols(f"{name}:{n}", real=True))


def matrix(*rows: str) -> sp.Matrix:
    return sp.Matrix([[sp.Rational(entry) for entry in row.split()] for row in rows])


def numbers(value: Any) -> Any:
    """A rational matrix, a list of them or a rational, as floats."""
    if isinstance(value, list):
        return np.array([numbers(M) for M in value])
    return np.array(value.tolist(), dtype=float) if isinstance(value, sp.MatrixBase) else float(value)


def signs_of(sample: Any) -> Array:
    """The signs of a sample in the order in which they were drawn, one column per outcome."""
    return np.concatenate([v for v in vars(sample).values() if v is not None])


@dataclass(frozen=True, kw_only=True)
class Printed:
    """f(x, y; noise_f) and g(x, y; noise_g) as expressions."""

    x: sp.Matrix
    y: sp.Matrix
    f: sp.Expr
    g: sp.Expr
    noise_f: Sequence[sp.Symbol]
    noise_g: Sequence[sp.Symbol]
    rows: bool = False  # the noise is a choice of rows, and not signs
    values_of: Callable[[Any], Array] = signs_of  # of the symbols, for a sample

    @cached_property
    def truth(self) -> dict[str, Callable[..., Any]]:
        """y*(x) from grad_y g = 0, Phi by substitution, grad Phi by differentiation."""
        f, g = (
            e.subs({s: sp.Rational(1, len(noise)) if self.rows else 0 for s in noise})
            for e, noise in ((self.f, self.noise_f), (self.g, self.noise_g))
        )
        y_star = sp.hessian(g, list(self.y)).LUsolve(
            -sp.Matrix([g.diff(s) for s in self.y]).subs(dict.fromkeys(self.y, 0))
        )
        Phi = f.subs(dict(zip(self.y, y_star, strict=True)))
        made = {"y_star": list(y_star), "objective": Phi, "hypergradient": [Phi.diff(s) for s in self.x]}
        return {k: sp.lambdify(list(self.x), v, "math") for k, v in made.items()}

    @cached_property
    def oracles(self) -> dict[str, Callable[..., Any]]:
        """Every oracle as a function of (x, y, r, noise)."""
        x, y, r = list(self.x), list(self.y), letters("r", len(self.y))
        upper = {"grad_x_f": [self.f.diff(s) for s in x], "grad_y_f": [self.f.diff(s) for s in y]}
        product = sp.hessian(self.g, y) * r
        lower = {
            "grad_y_g": [self.g.diff(s) for s in y],
            "hessian_g": list(product),
            "jacobian_g": [sum(self.g.diff(s, t) * q for t, q in zip(y, r, strict=True)) for s in x],
            "neumann_factor_g": list(r - sp.Rational(3, 8) * product),
        }
        made = {k: sp.lambdify([*x, *y, *r, *self.noise_f], v, "math") for k, v in upper.items()}
        return made | {k: sp.lambdify([*x, *y, *r, *self.noise_g], v, "math") for k, v in lower.items()}


def assert_truth(world: Any, printed: Printed, points: Array, rtol: float = 1e-12) -> None:
    """y*, Phi and grad Phi at columns and at single points."""
    for name, expected in printed.truth.items():
        by_sympy = np.array([expected(*x) for x in points.T]).T
        told = getattr(world, name)
        np.testing.assert_allclose(told(points), by_sympy, rtol=rtol, atol=1e-13, err_msg=name)
        np.testing.assert_allclose(told(points[:, 0]), by_sympy[..., 0], rtol=rtol, atol=1e-13, err_msg=name)


def assert_samples(world: Any, printed: Printed) -> None:
    """Every oracle at every outcome, each at a point of its own; the mean at one point is the oracle without noise."""
    rng = np.random.default_rng(3)
    for name, expected in printed.oracles.items():
        draw = world.sample_f if name.endswith("_f") else world.sample_g
        sample, n = every_outcome(draw)
        noise = printed.values_of(sample)
        x, y, r = (rng.uniform(-2.0, 2.0, (d, n)) for d in (world.d_x, world.d_y, world.d_y))
        assert noise.shape[1] == n == len(np.unique(noise, axis=1).T)
        more = {"hessian_g": (r,), "jacobian_g": (r,), "neumann_factor_g": (r, THETA)}.get(name, ())
        by_sympy = np.array([expected(*column) for column in np.concatenate([x, y, r, noise]).T]).T
        oracle = getattr(world, name)
        np.testing.assert_allclose(
            oracle(sample, x, y, *more), by_sympy, rtol=1e-12, atol=1e-13, err_msg=name
        )
        one = [np.repeat(v[:, :1], n, axis=1) for v in (x, y, r)]
        more = (one[2], *more[1:]) if more else ()
        at_one = oracle(sample, *one[:2], *more)
        quiet = oracle(noise_free(draw), *one[:2], *more)
        np.testing.assert_allclose(at_one.mean(axis=1), quiet[:, 0], rtol=1e-12, atol=1e-13, err_msg=name)
