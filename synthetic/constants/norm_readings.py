"""The two readings of L_1, the Lipschitz constant of grad g(.; zeta) in (x, y).

`joint`, the letter of Assumption 2: the norm of the Hessian of g in (x, y) as one matrix,
[[0, -(B + e'F)'], [-(B + e'F), A + e E]]. `block`: the largest of the norms of its blocks.
"""

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np

from ratecert.base.errors import UserError
from ratecert.synthetic.algebra.signs import combinations
from ratecert.synthetic.validation.arrays import Array
from ratecert.synthetic.validation.messages import shown

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
    d_y, d_x = B.shape
    couplings = combinations(B, F)
    hessian = np.zeros((len(couplings), d_x + d_y, d_x + d_y))
    hessian[:, d_x:, :d_x] = -couplings
    hessian[:, :d_x, d_x:] = -np.swapaxes(couplings, 1, 2)
    largest = 0.0
    for M in combinations(A, E):
        hessian[:, d_x:, d_x:] = M
        largest = max(largest, float(np.abs(np.linalg.eigvalsh(hessian)).max()))
    return largest


def block_norm(A: Array, E: Array, B: Array, F: Array) -> float:
    """The larger of max ||A + e E|| and max ||B + e'F||."""
    lower = np.abs(np.linalg.eigvalsh(combinations(A, E))).max()
    return max(float(lower), float(np.linalg.norm(combinations(B, F), 2, axis=(1, 2)).max()))
