"""The two readings of L_1, the Lipschitz constant of grad g(.; zeta) in (x, y).

`joint`, the letter of Assumption 2: the norm of the Hessian of g in (x, y) as one matrix,
[[0, -(B + e'F)'], [-(B + e'F), A + e E]]. `block`: the largest of the norms of its blocks.
"""

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np

from ratecert.base.arrays import Rationals
from ratecert.base.errors import UserError
from ratecert.base.validation import Array, shown
from ratecert.synthetic.algebra.signs import combinations, with_signs
from ratecert.synthetic.constants.promised import LARGEST, exactly, largest_of, outward, spectral_norm

Reading = Literal["joint", "block"]


def require_reading(reading: Reading) -> None:
    if not (isinstance(reading, str) and reading in get_args(Reading)):
        raise UserError(f"reading must be 'joint' or 'block', got {shown(reading)}.")


def norm_of_g(reading: Reading) -> Callable[[Array, Array, Array, Array], float]:
    """(A, E, B, F) -> L_1 of g under this reading."""
    require_reading(reading)
    return joint_norm if reading == "joint" else block_norm


def joint_norm(A: Array, E: Array, B: Array, F: Array) -> float:
    """max over signs of ||[[0, -N'], [-N, M]]||, M = A + e E, N = B + e'F: 2^(all directions) of them."""
    hessians, couplings = combinations(A, E), combinations(B, F)
    sizes = np.concatenate([np.abs(np.linalg.eigvalsh(_joint(M, couplings))).max(axis=1) for M in hessians])
    if A.shape[0] + B.shape[1] > LARGEST:
        return outward(float(sizes.max()))
    exact_A, exact_E, exact_B, exact_F = map(Rationals.of, (A, E, B, F))

    def exactly(i: int) -> float:
        M, N = divmod(i, len(couplings))
        whole = _joint(with_signs(exact_A, exact_E, M), with_signs(exact_B, exact_F, N)[None])
        return spectral_norm(Rationals.of(whole[0]))

    return largest_of(sizes, exactly)


def _joint(M: Any, couplings: Any) -> Any:
    """[[0, -N'], [-N, M]] for every N."""
    d_y, d_x = couplings.shape[1:]
    hessian = np.zeros((len(couplings), d_x + d_y, d_x + d_y), dtype=M.dtype)
    hessian[:, d_x:, :d_x] = -couplings
    hessian[:, :d_x, d_x:] = -np.swapaxes(couplings, 1, 2)
    hessian[:, d_x:, d_x:] = M
    return hessian


def block_norm(A: Array, E: Array, B: Array, F: Array) -> float:
    """The larger of max ||A + e E|| and max ||B + e'F||."""

    def largest(mean: Array, directions: Array) -> float:
        sizes = np.linalg.norm(combinations(mean, directions), 2, axis=(1, 2))
        exact_mean, exact_directions = exactly(mean), exactly(directions)
        return largest_of(sizes, lambda i: spectral_norm(with_signs(exact_mean, exact_directions, i)))

    return max(largest(A, E), largest(B, F))
