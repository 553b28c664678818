"""Algorithms 1 and 2 on devices that differ, in expectation, for numbers x and y and additive noise, to 80 digits.

Iterations of one device are those of many_digits.py. All w_k together move by w <- M w + noise, and two such maps in a
row make one: S <- M S M' + Sigma, with the measures summed over them tr(W_i S) + c_i. These are plain coordinates: what
cancels in them costs digits, of which there are enough.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from oracles.many_digits import (
    DIGITS,
    Estimates,
    Matrix,
    Method,
    Number,
    beginning,
    iteration,
    number,
    point,
    scalars,
    truth,
    unit_rows,
)


@dataclass(frozen=True)
class Map:
    """w <- M w + noise, once or many times in a row."""

    M: Matrix
    Sigma: Matrix
    W: tuple[Matrix, ...]
    c: tuple[Number, ...]

    def then(self, later: "Map") -> "Map":
        return Map(
            later.M * self.M,
            later.M * self.Sigma * later.M.T + later.Sigma,
            tuple(a + self.M.T * b * self.M for a, b in zip(self.W, later.W, strict=True)),
            tuple(c + d + trace(W * self.Sigma) for c, d, W in zip(self.c, later.c, later.W, strict=True)),
        )

    def times(self, n: int) -> "Map":
        """n >= 0 of them in a row."""
        if n == 0:
            zero = 0 * self.M
            return Map(DIGITS.eye(self.M.rows), zero, (zero,) * len(self.W), tuple(0 * c for c in self.c))
        half = self.times(n // 2)
        both = half.then(half)
        return both.then(self) if n % 2 else both


def trace(X: Matrix) -> Number:
    return DIGITS.fsum(X[i, i] for i in range(X.rows))


def blocks(matrices: Sequence[Matrix]) -> Matrix:
    n = matrices[0].rows
    total = DIGITS.zeros(n * len(matrices))
    for k, matrix in enumerate(matrices):
        total[k * n : k * n + n, k * n : k * n + n] = matrix
    return total


def moments_of_devices(world: Any, q: Method, *, T: int, x0: float, y0: float) -> list[Number]:
    """The gradient and the tracking error averaged over t < T, under `carry`; T is a round at least."""
    devices, n = [Estimates.of(device, q) for device in world.devices], len(q.fields)
    K, own, rows = len(devices), [iteration(w, q) for w in devices], unit_rows(q.fields)
    one, zero = DIGITS.matrix(rows["one"]), DIGITS.zeros(K * n)

    mean = point({f: [each / K for each in rows[f] * K] for f in q.fields})
    W = tuple(DIGITS.matrix(row) * DIGITS.matrix(row).T for row in truth(scalars(world), mean))
    none = (DIGITS.mpf(0),) * len(W)
    step = Map(blocks([it.M for it in own]), blocks([it.injected(one * one.T) for it in own]), W, none)
    averaged = [f not in (*q.local, "one") for f in q.fields]
    average = Map(averaging(averaged, K), zero, (zero,) * len(W), none)

    begun = [beginning(w, q, number(x0), number(y0))[1:] for w in devices]
    expected = DIGITS.matrix([C[i, n - 1] for _, C in begun for i in range(n)])
    S = expected * expected.T + blocks([S - C for S, C in begun])
    at_0 = DIGITS.matrix([number({"x": x0, "y": y0, "one": 1.0}.get(f, 0.0)) for f in q.fields] * K)
    rounds, tail = divmod(T, q.p)
    run = step.times(q.p - 1).then(average)
    run = run.then(step.times(q.p).then(average).times(rounds - 1)).then(step.times(tail))
    later = [trace(W_i * S) + c for W_i, c in zip(run.W, run.c, strict=True)]
    return [(sums + trace(W_i * at_0 * at_0.T)) / T for sums, W_i in zip(later, W, strict=True)]


def averaging(averaged: Sequence[bool], K: int) -> Matrix:
    """Every averaged field becomes its mean over K devices."""
    n, total = len(averaged), DIGITS.eye(K * len(averaged))
    for i in [i for i, each in enumerate(averaged) if each]:
        for k in range(K):
            for j in range(K):
                total[k * n + i, j * n + i] = DIGITS.mpf(1) / K
    return total
