"""The data of the ridge world: a table, standardised, its rows dealt to devices, and how a device samples them.

Standardised: every column of the features, and the targets, have mean 0 and variance 1 over all rows (population
variance, before any row is left out). Dealt like cards, in the given order: row k + devices * j is the j-th of device
k. A device takes the first of its rows for training and the next for validation, each number rounded down to a power
of two, and the same for all devices; the rest is left out. Where the order means something, shuffle before.

The loss of a row (u, t) is 1/2 (u'y - t)^2. The n rows are cut, in order, into n/batch blocks of `batch` rows, and a
sample is the mean over one block. The number of blocks is a power of two, so that log2(n/batch) signs are the binary
digits of a block's number: every block is exactly equally likely, and all outcomes can be enumerated. No signs, or
signs that are all zero, stand for the mean over all rows. Every block is kept as the mean of its u u' and u t:
d^2 + d numbers per block.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratecert.base.errors import UserError, UserTypeError
from ratecert.base.validation import Array, ReadOnlyCopies, as_finite, form, frozen, require_whole, shown
from ratecert.synthetic.algebra import unit_of


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


CONSTANT = 1e-12  # a standard deviation below this share of the largest entry is rounding

Numbers = NDArray[np.intp]


class Table(NamedTuple):
    """Standardised features (n, d), targets (n,), and a name for every column."""

    features: Array
    targets: Array
    names: tuple[str, ...]

    def rows(self, numbers: Numbers, batch: int | None = None) -> Rows:
        """The rows of these numbers; without a batch a sample is all of them."""
        return Rows(
            features=frozen(self.features[numbers]),
            targets=frozen(self.targets[numbers]),
            numbers=tuple(numbers.tolist()),
            batch=batch or len(numbers),
        )


def diabetes() -> tuple[Any, Any, list[str]]:
    """442 patients: ten features, and a measure of how far their diabetes had come one year later."""
    try:
        from sklearn.datasets import load_diabetes
    except ImportError:
        raise ImportError(
            "ridge() without features needs the diabetes data of scikit-learn, which is not installed; "
            "run pip install 'ratecert[data]', or give features and targets."
        ) from None
    data = load_diabetes(scaled=False)
    return data.data, data.target, data.feature_names


def as_table(features: ArrayLike, targets: ArrayLike, names: Sequence[str] | None) -> Table:
    u, t = as_finite("features", features), as_finite("targets", targets)
    if u.ndim != 2 or u.size == 0:
        raise UserError(f"features must have shape (rows, columns) with no empty side, got {form(u)}.")
    if t.shape != u.shape[:1]:
        raise UserError(f"targets must have shape ({len(u)},), one for each row of features, got {form(t)}.")
    if len(u) < 2:
        raise UserError("features must have at least 2 rows, one for training and one for validation, got 1.")
    labels = _as_names(names, u.shape[1])
    named = zip(labels, u.T, strict=True)
    columns = [
        _standardised(f"column {label} of features", column, "leave it out") for label, column in named
    ]
    scaled = _standardised("targets", t, "give targets that differ")
    return Table(frozen(np.stack(columns, axis=1)), scaled, labels)


def _as_names(names: Sequence[str] | None, columns: int) -> tuple[str, ...]:
    if names is None:
        return tuple(map(str, range(columns)))
    try:
        labels = () if isinstance(names, str) else tuple(names)  # a string is one name, not one per letter
    except TypeError:
        labels = ()
    if len(labels) != columns:
        raise UserError(f"names must be {columns}, one for each column of features, got {shown(names)}.")
    return labels


def _standardised(name: str, column: Array, remedy: str) -> Array:
    entries = column / unit_of(column)  # in this unit no square is too large or too small for a float
    centred = entries - entries.mean()
    deviation = float(np.sqrt(np.mean(centred**2)))
    if deviation <= CONSTANT:
        raise UserError(
            f"{name} must not be constant, got {column[0]:.6g} in every row: the variance cannot be made 1; "
            f"{remedy}."
        )
    return frozen(centred / deviation)


def deal(n: int, *, devices: int, training: float, batch: int | None) -> tuple[Numbers, Numbers, int, int]:
    """The numbers of the rows of every device, (devices, n_g) and (devices, n_f), and rows per sample of g and f."""
    each = n // devices
    if each < 2:
        raise UserError(
            f"devices must be at most {n // 2}, so that each has a training and a validation row out of {n}, got "
            f"devices = {devices}: device {devices - 1} would have {each}."
        )
    for_training = min(max(1, int(training * each)), each - 1)
    n_g, n_f = _power_of_two(for_training), _power_of_two(each - for_training)
    size = batch if batch is None else require_whole("batch", batch, least=1)
    if size is not None and (size > min(n_g, n_f) or size != _power_of_two(size)):
        raise UserError(
            f"batch must be None, for all rows, or a power of two from 1 to {min(n_g, n_f)}, because a device has "
            f"{n_g} rows for training and {n_f} for validation, got batch = {batch}."
        )
    hands = np.arange(each * devices).reshape(each, devices).T
    return hands[:, :n_g], hands[:, n_g : n_g + n_f], size or n_g, size or n_f


def _power_of_two(n: int) -> int:
    """The largest one that is at most n."""
    return 1 << (n.bit_length() - 1)
