"""The limit of many cycles, enclosed: doubling until what is left is provably nothing.

A cycle takes the deviations z to A z + b. With m cycles done from zero, s_m = b + A b + ... + A^{m-1} b, and
q = ||A^m|| < 1,

    limit = s_m + A^m limit,    so    ||limit - s_m|| <= q ||s_m|| / (1 - q):

the same doubling that moves a run gives the limit, the error, and, since q < 1, the proof that there is one. Where the
trace of A^m exceeds the number of coordinates, A has an eigenvalue larger than 1, and there is none.
"""

from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from ratecert.base.arrays import Balls, doubles
from ratecert.base.errors import NoLimitError, UndecidedError
from ratecert.solvers.engines.moments.additive import AdditiveMap, Congruence
from ratecert.solvers.engines.moments.device_moments import DeviceMoments
from ratecert.solvers.engines.moments.round_map import Linear

Array = NDArray[Any]  # of balls
MOST_DOUBLINGS = 400  # a contraction by 1 - 2^-300 a cycle would need more


def enclosed_limit(cycle: Linear | AdditiveMap, bits: int) -> Balls:
    """The measures summed over a cycle, in the limit of many cycles; NoLimitError where there provably is none."""
    many: Any = cycle
    for _ in range(MOST_DOUBLINGS):
        parts = _parts(many)
        if all(_size(A) < arb(2) ** -(bits // 2) for A, _ in parts):
            sums, _ = cycle.apply(_limit(many))
            return Balls.of(sums)
        if any(_trace(A) > len(A) for A, _ in parts):
            raise NoLimitError(
                f"the second moments do not converge: the spectral radius of one round is {_radius(cycle):.12g}, not "
                f"< 1; choose other step sizes."
            )
        many = many.then(many)
        if not many.finite:
            break
    raise UndecidedError(
        f"whether the second moments converge is undecided with {bits} bits: the spectral radius of one round is too "
        f"close to 1, or a field is never moved; take other step sizes, or a run of T iterations."
    )


def _parts(many: Linear | AdditiveMap) -> list[tuple[Array, Array]]:
    """(A^m, s_m) of the deviations: of the packed moments, or of the mean and of the deviations between devices."""
    if isinstance(many, AdditiveMap):
        n = len(many.mean.D)
        identity = Balls.identity(n)
        mean = (identity + many.mean.D)[:-1, :-1]
        within = (identity + many.within.D)[:-1, :-1]
        return [(mean, many.mean.D[:-1, -1:]), (within, many.within.N[:-1, :-1])]
    others = np.delete(np.arange(len(many.C)), _one(many))
    A = Balls.identity(len(others)) + many.C[np.ix_(others, others)]
    return [(A, many.C[others, _one(many)][:, None])]


def _radius(cycle: Linear | AdditiveMap) -> float:
    """The spectral radius of the second moments over one cycle, in doubles."""
    radii = [float(np.abs(np.linalg.eigvals(doubles(A))).max()) for A, _ in _parts(cycle)]
    return max(radii) ** 2 if isinstance(cycle, AdditiveMap) else max(radii)


def _limit(many: Linear | AdditiveMap) -> Any:
    """The state after m cycles from the origin, widened by what is left."""
    if isinstance(many, AdditiveMap):
        return DeviceMoments(_widened_mean(many.mean), _widened(many.within.N, many.within))
    one = _one(many)
    ((A, s),) = _parts(many)
    q = _size(A)
    left = (q * _size(s) / (1 - q)).upper()
    others = np.delete(np.arange(len(many.C)), one)
    z = Balls.zeros(len(many.C))
    z[one] = arb(1)
    z[others] = s[:, 0] + _between(left)
    return z


def _widened(S: Array, map: Congruence) -> Array:
    """sum_j A^j N A^j' from its first m terms: ||A^m X A^m'|| <= q^2 ||X||."""
    q = _size((Balls.identity(len(map.D)) + map.D)[:-1, :-1]) ** 2
    wide = S + _between((q * _size(S) / (1 - q)).upper())
    wide[-1, :], wide[:, -1] = S[-1, :], S[:, -1]
    return Balls.of(wide)


def _widened_mean(map: Congruence) -> Array:
    """E[w w'] of the mean for w = (deviations, 1): covariance and mean vector one by one."""
    M = Balls.identity(len(map.D)) + map.D
    q, z = _size(M[:-1, :-1]), M[:-1, -1]
    z = z + _between((q * _size(z[:, None]) / (1 - q)).upper())
    w = Balls.of([*z, arb(1)])
    covariance = _widened(map.N, map)
    limit: Array = w[:, None] * w + covariance
    return limit


def _one(many: Linear) -> int:
    """Where the packed moments hold 1."""
    return many.space.mean.size - 1


def _size(A: Array) -> arb:
    """The Frobenius norm, rounded up; it bounds every entry and the norm of every product."""
    square: arb = sum((entry * entry for entry in A.ravel().tolist()), arb(0))
    return square.abs_upper().sqrt().upper()


def _trace(A: Array) -> arb:
    return arb(sum(A[i, i] for i in range(len(A)))).lower()


def _between(radius: arb) -> arb:
    """[-radius, radius]."""
    return (-radius).union(radius)
