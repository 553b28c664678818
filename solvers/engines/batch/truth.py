"""What is true of a world, from the means of its own oracles, for all settings at once.

    one level     grad F(x) = H (x - x*)
    two levels    y*(x) = y_0 + S (x - x_0),        S = -A^{-1} G_x        for E grad_y g = G_x x + A y + c
                  grad Phi(x) = H (x - x_0) + h = E grad_x f - E grad_xy g A^{-1} E grad_y f  at (x, y*(x))     (Lemma 1)

x_0 is the minimiser where there is one, and then h = 0; else the origin.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ratecert.base.errors import UserError
from ratecert.solvers.engines.batch.many import Array, Many, constants, namespace
from ratecert.solvers.engines.batch.signs import MEAN, Book, Form


@dataclass(frozen=True)
class Truth:
    x: Array  # (N, d_x): x_0
    H: Array  # (N, d_x, d_x): of F or Phi
    h: Array | None  # (N, d_x): the gradient at x_0; None is 0
    y: Array | None = None  # (N, d_y): y*(x_0)
    S: Array | None = None  # (N, d_y, d_x)

    def require_minimiser(self) -> None:
        if self.h is not None:
            raise UserError(
                "the gap and the distance need a single minimiser, and the Hessian of this problem is singular; "
                "measure the gradient."
            )


def truth_of(problem: Any, spaces: dict[str, int], pattern: Array) -> Truth:
    """The truth of a world whose data are `Many`."""
    if "y" in spaces:
        return _two_levels(problem, spaces["x"], spaces["y"], pattern)
    d = spaces["x"]
    (H,), h = _mean(lambda book, x: problem.grad_f(problem.sample_f(book), x), (d,), pattern, problem)
    known = _known_minimiser(problem)
    if known is not None:
        return Truth(known, H, None)
    return _with_minimiser(H, h)


def _known_minimiser(problem: Any) -> Array | None:
    """The x* that the world says without computing anything."""
    try:
        found = problem.x_star
    except (TypeError, AttributeError, ValueError, UserError):
        return None
    return found.values if isinstance(found, Many) else None


def _two_levels(problem: Any, d_x: int, d_y: int, pattern: Array) -> Truth:
    levels, through = (d_x, d_y), (d_x, d_y, d_y)
    (G_x, A), c = _mean(
        lambda book, x, y: problem.grad_y_g(problem.sample_g(book), x, y), levels, pattern, problem
    )
    (xx, xy), f_x = _mean(
        lambda book, x, y: problem.grad_x_f(problem.sample_f(book), x, y), levels, pattern, problem
    )
    (yx, yy), f_y = _mean(
        lambda book, x, y: problem.grad_y_f(problem.sample_f(book), x, y), levels, pattern, problem
    )
    (_, _, J), _ = _mean(
        lambda book, x, y, r: problem.jacobian_g(problem.sample_jacobian(book), x, y, r), through, pattern, problem
    )
    S, at_0 = -_solve(A, G_x), -_solve(A, c[..., None])[..., 0]
    H = xx + xy @ S - J @ _solve(A, yx + yy @ S)
    inner = f_y + _times(yy, at_0)
    h = f_x + _times(xy, at_0) - _times(J, _solve(A, inner[..., None])[..., 0])
    found = _with_minimiser(H, h)
    return Truth(found.x, H, found.h, at_0 + _times(S, found.x), S)


def _with_minimiser(H: Array, h: Array) -> Truth:
    try:
        x = -_solve(H, h[..., None])[..., 0]
    except (np.linalg.LinAlgError, RuntimeError):
        return Truth(namespace(h).zeros_like(h), H, h)
    return Truth(x, H, None)


def _solve(A: Array, B: Array) -> Array:
    xp = namespace(A)
    n = max(A.shape[0], B.shape[0])
    return xp.linalg.solve(xp.broadcast_to(A, (n, *A.shape[1:])), xp.broadcast_to(B, (n, *B.shape[1:])))


def _times(A: Array, v: Array) -> Array:
    return (A @ v[..., None])[..., 0]


def _mean(
    oracle: Callable[..., Any], dimensions: Sequence[int], pattern: Array, problem: Any
) -> tuple[list[Array], Array]:
    """The blocks of a mean by argument, and its constant part; terms that are drawn by number are averaged."""
    first = Book(dimensions, pattern)
    made = [oracle(first, *first.point)]
    if first.bases:
        books = [Book(dimensions, pattern, None, (i,)) for i in range(first.bases[0])]
        made = [oracle(book, *book.point) for book in books]
    found = [_mean_part(form) for form in made]
    L = sum(found[1:], found[0]) / len(found)
    ends = np.cumsum([0, *dimensions]).tolist()
    return [L[..., a:b] for a, b in zip(ends[:-1], ends[1:], strict=True)], L[..., -1]


def _mean_part(form: Form) -> Array:
    if MEAN in form.parts:
        return form.parts[MEAN][:, 0]
    return constants(form.book.pattern, np.zeros((1, form.d, form.book.size)))
