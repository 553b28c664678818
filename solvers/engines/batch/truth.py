"""What is true of a world, from the means of its own oracles, for all settings at once.

    one level     grad F(x) = H (x - x_0)
    two levels    y*(x) = y_0 + S (x - x_0),        S = -A^{-1} G_x        for E grad_y g = G_x x + A y + c
                  grad Phi(x) = H (x - x_0) + h = E grad_x f - E grad_xy g A^{-1} E grad_y f    at (x, y*(x))

x_0 is the minimiser where there is one, and then h = 0; else the origin. The points are pairs of doubles: what is seen
from them cancels. Where devices differ, every mean is over them too, by their shares.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, product
from typing import Any

import numpy as np

from ratecert.base.errors import UserError
from ratecert.solvers.engines.batch.arrays import Array, apply, constants, namespace
from ratecert.solvers.engines.batch.pairs import MeanVector, NoSigns, Pair, exactly, refined
from ratecert.solvers.engines.batch.signs import MEAN, Book, Form, worlds_code

Oracle = Callable[..., Any]  # of a problem, a source of signs and points


@dataclass(frozen=True)
class Devices:
    """Problems of one device each, whose data are `Many`, and how much each counts: (N,) or (1,), of sum 1."""

    problems: tuple[Any, ...]
    shares: tuple[Array, ...]

    def value(self, oracle: Oracle, *points: Pair) -> Pair:
        """The mean of an oracle at points (N, d), in pairs."""
        total: Pair | None = None
        for problem, share in zip(self.problems, self.shares, strict=True):
            own = value_at(partial(oracle, problem), *points)
            own = own * share[:, None] if len(self.problems) > 1 else own
            total = own if total is None else total + own
        assert total is not None
        return total

    def matrices(
        self, oracle: Oracle, dimensions: Sequence[int], pattern: Array
    ) -> tuple[list[Array], Array]:
        """The blocks of a mean by argument, and its constant part."""
        parts = [
            share[:, None, None] * _matrix(partial(oracle, problem), dimensions, pattern)
            for problem, share in zip(self.problems, self.shares, strict=True)
        ]
        L, ends = sum(parts[1:], parts[0]), np.cumsum([0, *dimensions]).tolist()
        return [L[..., a:b] for a, b in pairwise(ends)], L[..., -1]


@dataclass(frozen=True)
class Truth:
    x: Pair  # (N, d_x): x_0
    H: Array  # (N, d_x, d_x): of F or Phi
    h: Array | None  # (N, d_x): the gradient at x_0; None is 0
    y: Pair | None = None  # (N, d_y): y*(x_0)
    S: Array | None = None  # (N, d_y, d_x)

    def require_minimiser(self) -> None:
        if self.h is not None:
            raise UserError(
                "the gap and the distance need a single minimiser, and the Hessian of this problem is singular; "
                "measure the gradient."
            )


def truth_of(devices: Devices, spaces: Mapping[str, int], pattern: Array) -> Truth:
    """The truth of the mean over devices, of which there may be one."""
    with worlds_code():
        return _truth(devices, spaces, pattern)


def _truth(devices: Devices, spaces: Mapping[str, int], pattern: Array) -> Truth:
    if "y" in spaces:
        return _two_levels(devices, spaces["x"], spaces["y"], pattern)

    def gradient(problem: Any, bits: Any, x: Any) -> Any:
        return problem.grad_f(problem.sample_f(bits), x)

    (H,), h = devices.matrices(gradient, (spaces["x"],), pattern)
    return Truth(*_minimiser(H, h, lambda x: devices.value(gradient, x)))


def value_at(oracle: Oracle, *points: Pair) -> Pair:
    """The mean of an oracle at points (N, d), in pairs; over the terms that it draws by number, each as likely."""
    columns = [MeanVector(Pair(point.hi[..., None], point.lo[..., None])) for point in points]
    bits = NoSigns()
    made = [oracle(bits, *columns)]
    if bits.bases:
        made = [oracle(NoSigns(case), *columns) for case in product(*map(range, bits.bases))]
    total: Pair = made[0].value
    for each in made[1:]:
        total = total + each.value
    mean = total * (1 / len(made)) if len(made) > 1 else total
    return Pair(mean.hi[..., 0], mean.lo[..., 0])


def _two_levels(devices: Devices, d_x: int, d_y: int, pattern: Array) -> Truth:
    def lower(problem: Any, bits: Any, x: Any, y: Any) -> Any:
        return problem.grad_y_g(problem.sample_g(bits), x, y)

    def upper_x(problem: Any, bits: Any, x: Any, y: Any) -> Any:
        return problem.grad_x_f(problem.sample_f(bits), x, y)

    def upper_y(problem: Any, bits: Any, x: Any, y: Any) -> Any:
        return problem.grad_y_f(problem.sample_f(bits), x, y)

    def hessian(problem: Any, bits: Any, x: Any, y: Any, r: Any) -> Any:
        return problem.hessian_g(problem.sample_hessian(bits), x, y, r)

    def jacobian(problem: Any, bits: Any, x: Any, y: Any, r: Any) -> Any:
        return problem.jacobian_g(problem.sample_jacobian(bits), x, y, r)

    levels = (d_x, d_y)
    (G_x, A), c = devices.matrices(lower, levels, pattern)
    (xx, xy), f_x = devices.matrices(upper_x, levels, pattern)
    (yx, yy), f_y = devices.matrices(upper_y, levels, pattern)
    (_, _, J), _ = devices.matrices(jacobian, (d_x, d_y, d_y), pattern)
    S, y_0 = -_solve(A, G_x), -_solve(A, c[..., None])[..., 0]
    H = xx + xy @ S - J @ _solve(A, yx + yy @ S)
    h = f_x + apply(xy, y_0) - apply(J, _solved(A, f_y + apply(yy, y_0)))

    def y_star(x: Pair) -> Pair:
        start = y_0 + apply(S, x.rounded)
        return refined(lambda b: _solved(A, b), lambda y: devices.value(lower, x, y), start)

    def gradient(x: Pair) -> Pair:
        y = y_star(x)
        b = devices.value(upper_y, x, y)
        v = refined(
            lambda r: _solved(A, r), lambda v: devices.value(hessian, x, y, v) - b, _solved(A, b.rounded)
        )
        return devices.value(upper_x, x, y) - devices.value(jacobian, x, y, v)

    x, H, left = _minimiser(H, h, gradient)
    return Truth(x, H, left, y_star(x), S)


def _minimiser(H: Array, h: Array, gradient: Callable[[Pair], Pair]) -> tuple[Pair, Array, Array | None]:
    """x_0, the Hessian, and the gradient at x_0 where that is no minimiser."""
    try:
        start = -_solved(H, h)
        return refined(lambda b: _solved(H, b), gradient, start), H, None
    except (np.linalg.LinAlgError, RuntimeError):
        return exactly(namespace(h).zeros_like(h)), H, h


def _solved(A: Array, b: Array) -> Array:
    return _solve(A, b[..., None])[..., 0]


def _solve(A: Array, B: Array) -> Array:
    xp = namespace(A)
    n = max(A.shape[0], B.shape[0])
    return xp.linalg.solve(xp.broadcast_to(A, (n, *A.shape[1:])), xp.broadcast_to(B, (n, *B.shape[1:])))


def _matrix(oracle: Oracle, dimensions: Sequence[int], pattern: Array) -> Array:
    """The mean of an oracle on (arguments, 1); terms that are drawn by number are averaged."""
    first = Book(dimensions, pattern)
    made = [oracle(first, *first.point)]
    if first.bases:
        books = [Book(dimensions, pattern, None, case) for case in product(*map(range, first.bases))]
        made = [oracle(book, *book.point) for book in books]
    found = [_mean_part(form) for form in made]
    return sum(found[1:], found[0]) / len(found)


def _mean_part(form: Form) -> Array:
    if MEAN in form.parts:
        return form.parts[MEAN][:, 0, :, :]
    return constants(form.book.pattern, np.zeros((1, form.d, form.book.size)))
