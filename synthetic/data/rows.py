"""The rows of one level of the ridge world on one device, and how they are sampled.

The loss of a row (u, t) is 1/2 (u'y - t)^2. The n rows are cut, in order, into n/batch blocks of `batch` rows, and a
sample is the mean over one block. The number of blocks is a power of two, so that log2(n/batch) signs are the binary
digits of a block's number: every block is exactly equally likely, and all outcomes can be enumerated. No signs, or
signs that are all zero, stand for the mean over all rows. Every block is kept as the mean of its u u' and u t:
d^2 + d numbers per block.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ratecert.base.errors import UserTypeError
from ratecert.base.validation import Array, ReadOnlyCopies, frozen


@dataclass(frozen=True)
class SampledBlock:
    """zeta or xi: the number of the sampled block in every lane; None stands for all rows."""

    number: Any = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Rows(ReadOnlyCopies):
    features: Array  # (n, d)
    targets: Array  # (n,)
    numbers: tuple[int, ...]  # of the rows in the data
    batch: int

    @property
    def blocks(self) -> int:
        return len(self.targets) // self.batch

    def sample(self, bits: Any) -> SampledBlock:
        digits = self.blocks.bit_length() - 1
        signs = bits.signs(digits)
        if digits == 0:
            return SampledBlock()
        if not isinstance(signs, np.ndarray):
            raise UserTypeError("which row is sampled is not an affine function of the signs")
        return SampledBlock(2 ** np.arange(digits) @ (signs < 0)) if signs[0, 0] != 0 else SampledBlock()

    def gradient(self, block: SampledBlock, y: Any) -> Any:
        """The mean of u(u'y - t) over the rows of a block."""
        pull = self.pull[:, None] if block.number is None else self.pulls.take(block.number, axis=0).T
        return self.product(block, y) - pull

    def product(self, block: SampledBlock, r: Any) -> Any:
        """The mean of u u'r over the rows of a block."""
        if block.number is None:
            return self.mean @ r
        return np.einsum("lij,jl->il", self.means.take(block.number, axis=0), r)

    def loss(self, y: Array) -> Array:
        """The mean of 1/2 (u'y - t)^2 over all rows, for every column of y."""
        total: Array = 0.5 * ((self.features @ y - self.targets[:, None]) ** 2).mean(axis=0)
        return total

    @cached_property
    def means(self) -> Array:
        """(blocks, d, d): the mean of u u' over every block."""
        u = self.features.reshape(self.blocks, self.batch, -1)
        return frozen(np.swapaxes(u, 1, 2) @ u / self.batch)

    @cached_property
    def pulls(self) -> Array:
        """(blocks, d): the mean of u t over every block."""
        u = self.features.reshape(self.blocks, self.batch, -1)
        return frozen(np.einsum("nbd,nb->nd", u, self.targets.reshape(self.blocks, -1)) / self.batch)

    @cached_property
    def mean(self) -> Array:
        return frozen(self.means.mean(axis=0))

    @cached_property
    def pull(self) -> Array:
        return frozen(self.pulls.mean(axis=0))
