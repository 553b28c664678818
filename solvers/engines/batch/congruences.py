"""Congruences X -> A X A' on packed symmetric matrices, and m equal steps of one class of devices.

X is kept as its entries k <= l, so that a congruence is a matrix,

    congruence(A)   A_ik A_jl + [k < l] A_il A_jk                       rows (i, j), columns (k, l)
    change(D)       (I + D)_ik D_jl + D_ik I_jl + [k < l] ...           the same for A = I + D, less the identity

A step takes Y = E[w w'] to M Y M' + F Y, with M = I + D and what noise adds. After m of them, M^m Y M^m' + F_m Y. With
P = change(D), two runs one after the other make

    D = D1 + D2 + D2 D1         F = F1 + F2 + P2 F1 + F2 (P1 + F1)
    psi = psi1 + psi2 + psi2 P1                            the sum of <W, M^t . M^t'>: where it is led
    phi = phi1 + phi2 + phi2 (P1 + F1) + psi2 F1           the sum of <W, F_t .>: what noise adds
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.solvers.engines.batch.arrays import Array, constants, namespace

Counts = NDArray[np.uint64]  # of steps, one for each setting or for all: they stay with numpy, and 2^63 fits


@lru_cache(maxsize=64)
def _places(n: int) -> tuple[Any, Any, Any]:
    """Rows and columns of the packed entries, and where each entry of a matrix is among them."""
    rows, columns = np.triu_indices(n)
    place = np.empty((n, n), dtype=np.int64)
    place[rows, columns] = place[columns, rows] = np.arange(len(rows))
    return rows.astype(np.int64), columns.astype(np.int64), place


def size_of(n: int) -> int:
    """How many entries a packed matrix of order n has."""
    return n * (n + 1) // 2


def packed(X: Array) -> Array:
    """(..., n, n) to (..., size)."""
    xp, n = namespace(X), X.shape[-1]
    rows, columns, _ = _places(n)
    flat = xp.reshape(X, (*X.shape[:-2], n * n))
    return xp.take(flat, constants(X, rows * n + columns), axis=-1)


def unpacked(v: Array, n: int) -> Array:
    """(..., size) to (..., n, n)."""
    xp = namespace(v)
    return xp.reshape(xp.take(v, constants(v, _places(n)[2].ravel()), axis=-1), (*v.shape[:-1], n, n))


def functional(W: Array) -> Array:
    """The row r with r . packed(X) = <W, X> for symmetric W."""
    rows, columns, _ = _places(W.shape[-1])
    return packed(W) * constants(W, np.where(rows == columns, 1.0, 2.0))


def congruence(A: Array) -> Array:
    """The matrix of X -> A X A' on packed X, for A (..., m, n)."""
    xp = namespace(A)
    i, j, _ = _places(A.shape[-2])
    rows_i, rows_j = (xp.take(A, constants(A, each), axis=-2) for each in (i, j))
    return _folded(rows_i[..., :, None] * rows_j[..., None, :])


def change(D: Array) -> Array:
    """The matrix of X -> (I + D) X (I + D)' - X on packed X, with nothing subtracted."""
    xp, n = namespace(D), D.shape[-1]
    i, j, _ = _places(n)
    eye = np.eye(n)
    rows_i, rows_j = (xp.take(D, constants(D, each), axis=-2) for each in (i, j))
    led = rows_i + constants(D, eye[i])
    stays = constants(D, eye[j])[..., None, :]
    return _folded(led[..., :, None] * rows_j[..., None, :] + rows_i[..., :, None] * stays)


def _folded(outer: Array) -> Array:
    """(..., m, n, n) to (..., m, size): columns (k, l) and (l, k) are one entry of a symmetric matrix."""
    xp, n = namespace(outer), outer.shape[-1]
    k, l, _ = _places(n)
    flat = xp.reshape(outer, (*outer.shape[:-2], n * n))
    straight, turned = (xp.take(flat, constants(flat, each), axis=-1) for each in (k * n + l, l * n + k))
    return straight + constants(flat, (k < l).astype(np.float64)) * turned


@dataclass(frozen=True)
class Run:
    """Equal steps of one class: increments, what noise adds, and the sums over them of several forms."""

    D: Array  # (N, n, n)
    F: Array  # (N, size, size)
    psi: Array  # (N, forms, size)
    phi: Array  # (N, forms, size)

    def then(self, later: "Run") -> "Run":
        """This run, and the later one after it."""
        P1, P2 = change(self.D), change(later.D)
        led = P1 + self.F
        return Run(
            self.D + later.D + later.D @ self.D,
            self.F + later.F + P2 @ self.F + later.F @ led,
            self.psi + later.psi + later.psi @ P1,
            self.phi + later.phi + later.phi @ led + later.psi @ self.F,
        )

    def where(self, mask: Array, other: "Run") -> "Run":
        """This run in the settings of the mask, the other elsewhere."""
        xp = namespace(self.D)
        pairs = zip(
            (self.D, self.F, self.psi, self.phi), (other.D, other.F, other.psi, other.phi), strict=True
        )
        return Run(*(xp.where(mask[:, None, None], a, b) for a, b in pairs))


def no_run(run: Run) -> Run:
    """No step at all: what a run is multiplied out from."""
    xp = namespace(run.D)
    return Run(*(xp.zeros_like(part) for part in (run.D, run.F, run.psi, run.phi)))


def ladder(run: Run, longest: int) -> list[Run]:
    """Runs of 1, 2, 4, ... steps, as many as the binary digits of the longest."""
    found = [run]
    while len(found) < longest.bit_length():
        found.append(found[-1].then(found[-1]))
    return found


def power(steps: list[Run], counts: Counts) -> Run:
    """A run of as many steps as counts say, one for each setting, from a ladder of them."""
    total: Run | None = None
    for i, run in enumerate(steps):
        taken = digits(counts, i)
        if not taken.any():
            continue
        longer = run if total is None else total.then(run)
        total = longer if taken.all() else longer.where(mask_of(taken, run.D), total or no_run(run))
    return total or no_run(steps[0])


def digits(counts: Counts, i: int) -> NDArray[np.bool_]:
    """Which counts have the binary digit i."""
    found: NDArray[np.bool_] = (counts >> np.uint64(i) & np.uint64(1)).astype(bool)
    return found


def mask_of(chosen: NDArray[np.bool_], pattern: Array) -> Array:
    """The settings that are chosen, as an array beside the pattern."""
    return constants(pattern, chosen.astype(np.int64)) > 0
