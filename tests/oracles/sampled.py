"""One device of a quadratic world, with any sources of noise on: its sampled derivatives as functions of the point.

    g(x, y; zeta) = 1/2 y'(A + e E)y - y'((B + e' F)x + c) + s_g n'y        grad_xy g = -(B + e' F)'
    f(x, y; xi)   = 1/2 (x-a)'P(x-a) + 1/2 (y-b)'D(y-b) + s_f m_x'x + s_f m_y'y

A sample takes from `signs` what it needs, in the order of the letters above: e, e', n and m_x, m_y; a source that is
switched off takes none. A hypergradient takes xi, then the e' of grad_xy g, then (cut at random) k, then the e of its
factors. Vectors are (..., d) and matrices (..., d, d): whatever stands before d are outcomes of the noise.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Path = Iterable[tuple[Any, Any]]  # x and y: one vector, or one per device
Oracle = Callable[[Array, Array], Array]  # of (x, y)


class Signs:
    """Hands out the last axis of a table, piece by piece."""

    def __init__(self, table: Array) -> None:
        self.table, self.used = table, 0

    def take(self, n: int) -> Array:
        self.used += n
        assert self.used <= self.table.shape[-1]
        return self.table[..., self.used - n : self.used]


def whole(signs: Signs, n: int) -> int:
    """floor(n b), b the number in [0, 1) of which 32 signs are the binary digits: -1 is the digit 1."""
    return int(n * sum(2.0 ** -(j + 1) for j, sign in enumerate(signs.take(32)) if sign < 0))


def times(matrices: Array, vectors: Array) -> Array:
    return (matrices @ vectors[..., None])[..., 0]


def mean(vectors: Sequence[Array]) -> Array:
    return sum(vectors[1:], start=vectors[0]) / len(vectors)


def signed(matrix: Array, directions: Array, signs: Any) -> Array:
    """matrix + sum_i e_i directions_i."""
    return matrix + np.einsum("...i,ijk->...jk", signs.take(len(directions)), directions)


def additive(level: float, d: int, signs: Any) -> Any:
    return level * signs.take(d) if level else 0.0


def hessian(w: Any, signs: Any) -> Array:
    """A + e E."""
    return signed(w.A, w.E, signs)


def grad_xy_g(w: Any, signs: Any) -> Array:
    """-(B + e' F)'."""
    return -np.swapaxes(signed(w.B, w.F, signs), -1, -2)


def grad_y_g(w: Any, signs: Any) -> Oracle:
    A, B, noise = hessian(w, signs), signed(w.B, w.F, signs), additive(w.s_g, w.d_y, signs)
    return lambda x, y: times(A, y) - times(B, x) - w.c + noise


def grad_f(w: Any, signs: Any) -> tuple[Callable[[Array], Array], Callable[[Array], Array]]:
    """grad_x f, a function of x alone, and grad_y f, one of y alone, with one xi."""
    noise_x, noise_y = additive(w.s_f, w.d_x, signs), additive(w.s_f, w.d_y, signs)
    return lambda x: times(w.P, x - w.a) + noise_x, lambda y: times(w.D, y - w.b) + noise_y


def full_sum(w: Any, signs: Any, *, theta: float, Q: int) -> Oracle:
    """E2: grad_x f - grad_xy g theta (r_0 + ... + r_Q), r_0 = grad_y f, r_j = (I - theta (A + e_j E)) r_{j-1}.

    Read from left to right each product has one more factor on its left than the one before it. The Q samples are
    exchangeable: which of them is called A_Q changes no expectation. With the factors reversed it would be Horner's
    sum, which has the same mean and another variance.
    """
    (grad_x_f, grad_y_f), J = grad_f(w, signs), grad_xy_g(w, signs)
    hessians = [hessian(w, signs) for _ in range(Q)]

    def h(x: Array, y: Array) -> Array:
        terms = [grad_y_f(y)]
        for A in hessians:
            terms.append(terms[-1] - theta * times(A, terms[-1]))
        return grad_x_f(x) - times(J, theta * sum(terms))

    return h


def cut_at_random(w: Any, signs: Any, *, theta: float, N: int) -> Oracle:
    """E1: grad_x f - grad_xy g r, r = N theta (I - theta A_k) ... (I - theta A_1) grad_y f, k below N at random."""
    (grad_x_f, grad_y_f), J, k = grad_f(w, signs), grad_xy_g(w, signs), whole(signs, N)
    hessians = [hessian(w, signs) for _ in range(k)]

    def h(x: Array, y: Array) -> Array:
        r = N * theta * grad_y_f(y)
        for A in hessians:
            r = r - theta * times(A, r)
        return grad_x_f(x) - times(J, r)

    return h
