"""One device of a quadratic world, with all sources of noise on: its sampled derivatives as functions of the point.

    g(x, y; zeta) = 1/2 y'(A + e E)y - y'((B + e' F)x + c) + s_g n'y        grad_xy g = -(B + e' F)'
    f(x, y; xi)   = 1/2 (x-a)'P(x-a) + 1/2 (y-b)'D(y-b) + s_f m_x'x + s_f m_y'y

`signs` is an iterator; a sample takes from it what it needs, in the order of the letters above: e, e', n and m_x, m_y.
A hypergradient takes xi, then the e' of grad_xy g, then (cut at random) k, then the e of its factors.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Signs = Iterator[float]
Path = Iterable[tuple[Any, Any]]  # x and y: one vector, or one per device


def take(signs: Signs, n: int) -> Array:
    taken = np.array(list(islice(signs, n)))
    assert len(taken) == n
    return taken


def whole(signs: Signs, n: int) -> int:
    """floor(n b), b the number in [0, 1) of which 32 signs are the binary digits: -1 is the digit 1."""
    return int(n * sum(2.0 ** -(j + 1) for j, sign in enumerate(take(signs, 32)) if sign < 0))


def mean(vectors: Sequence[Array]) -> Array:
    return sum(vectors[1:], start=vectors[0]) / len(vectors)


def hessian(w: Any, signs: Signs) -> Array:
    """A + e E."""
    return w.A + sum(e * E for e, E in zip(take(signs, len(w.E)), w.E, strict=True))


def coupling(w: Any, signs: Signs) -> Array:
    """B + e' F = -(grad_xy g)'."""
    return w.B + sum(e * F for e, F in zip(take(signs, len(w.F)), w.F, strict=True))


def grad_y_g(w: Any, signs: Signs) -> Callable[[Array, Array], Array]:
    A, B, n = hessian(w, signs), coupling(w, signs), take(signs, w.d_y)
    return lambda x, y: A @ y - B @ x - w.c + w.s_g * n


def grad_f(w: Any, signs: Signs) -> tuple[Callable[[Array], Array], Callable[[Array], Array]]:
    """grad_x f, a function of x alone, and grad_y f, one of y alone, with one xi."""
    m_x, m_y = take(signs, w.d_x), take(signs, w.d_y)
    return lambda x: w.P @ (x - w.a) + w.s_f * m_x, lambda y: w.D @ (y - w.b) + w.s_f * m_y


def full_sum(w: Any, signs: Signs, theta: float, Q: int) -> Callable[[Array, Array], Array]:
    """E2: grad_x f + (B + e'F)' theta (r_0 + ... + r_Q), r_0 = grad_y f, r_j = (I - theta (A + e_j E)) r_{j-1}."""
    (grad_x_f, grad_y_f), B = grad_f(w, signs), coupling(w, signs)
    hessians = [hessian(w, signs) for _ in range(Q)]

    def h(x: Array, y: Array) -> Array:
        terms = [grad_y_f(y)]
        for A in hessians:
            terms.append(terms[-1] - theta * A @ terms[-1])
        return grad_x_f(x) + B.T @ (theta * sum(terms))

    return h


def cut_at_random(w: Any, signs: Signs, theta: float, N: int) -> Callable[[Array, Array], Array]:
    """E1: grad_x f + (B + e'F)' r, r = N theta (I - theta A_k) ... (I - theta A_1) grad_y f, k below N at random."""
    (grad_x_f, grad_y_f), B, k = grad_f(w, signs), coupling(w, signs), whole(signs, N)
    hessians = [hessian(w, signs) for _ in range(k)]

    def h(x: Array, y: Array) -> Array:
        r = N * theta * grad_y_f(y)
        for A in hessians:
            r = r - theta * A @ r
        return grad_x_f(x) + B.T @ r

    return h
