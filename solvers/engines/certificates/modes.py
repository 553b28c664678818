"""Coordinates in which an affine map is bounded by moduli: w = V m, V approximate eigenvectors, taken as exact numbers.

V is made of blocks on fields that feed one another, and its inverse is enclosed block by block. The sizes |m| are
moduli of single modes, or Euclidean norms of a whole block that no map turns, such as an error that only shrinks.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np
from flint import acb, acb_mat, arb
from numpy.typing import NDArray

from ratecert.base.arrays import Balls, doubles, norm, spectral_norm
from ratecert.base.errors import NoCertificateError
from ratecert.base.exact import is_zero

Array = NDArray[Any]  # of balls
Block = tuple[
    list[int], acb_mat | None
]  # coordinates and their modes; without modes, one norm for all of them


class Modes:
    """A basis V in blocks and its inverse W in balls."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        n = sum(len(where) for where, _ in blocks)
        self.V, self.W = acb_mat(n, n), acb_mat(n, n)
        self.groups: list[list[int]] = []
        for where, V in blocks:
            _place(self.V, where, _identity(len(where)) if V is None else V)
            _place(self.W, where, _identity(len(where)) if V is None else _inverse(V))
            self.groups += [where] if V is None else [[i] for i in where]

    def moduli(self, D: Array) -> Array:
        """The sizes of the blocks of V^{-1} (I + D) V, rounded up."""
        change = self.W * _complex(D) * self.V + _identity(len(D))
        return _sizes(change, self.groups, self.groups)

    def inside(self, v: Array) -> Array:
        """|V^{-1} v|."""
        return _sizes(self.W * _complex(v[:, None]), self.groups, [[0]])[:, 0]

    def rows(self, G: Array) -> Array:
        """The norms of the rows of V^{-1} G."""
        return _sizes(self.W * _complex(G), self.groups, [list(range(G.shape[1]))])[:, 0]

    def columns(self, R: Array) -> Array:
        """The norms of the columns of R V."""
        sizes: Array = _sizes(_complex(R) * self.V, [list(range(len(R)))], self.groups)[0]
        return sizes


def one_block(D: Array) -> list[list[Block]]:
    """All coordinates together, in the modes of I + D."""
    return [[(list(range(len(D))), V)] for V in _bases(D)]


def blocks_of_fields(D: Array, maps: Sequence[Array], fields: Mapping[str, slice]) -> list[list[Block]]:
    """Blocks of fields that feed one another in these maps, each in its modes of I + D.

    A block within which no map mixes coordinates is measured by its norm.
    """
    found: list[list[Block]] = []
    for block in feeding_blocks(maps, fields):
        whole = _unmixed(block, maps)
        found.append([(block, V) for V in ([None, None] if whole else _bases(D[np.ix_(block, block)]))])
    return [list(choice) for choice in zip(*found, strict=True)]


def norms_of_blocks(maps: Sequence[Array], fields: Mapping[str, slice]) -> Modes:
    """The coordinates as they are, measured by the norms of blocks of fields that feed one another."""
    return Modes([(block, None) for block in feeding_blocks(maps, fields)])


def feeding_blocks(maps: Sequence[Array], fields: Mapping[str, slice]) -> Iterator[list[int]]:
    """Coordinates of fields each of which feeds, through the maps, all the others of its block."""
    size = len(maps[0])
    where = [list(range(size))[part] for part in fields.values()]
    where = [part for part in where if part]
    feeds = np.eye(len(where), dtype=bool)
    for i, rows in enumerate(where):
        for j, columns in enumerate(where):
            feeds[i, j] |= any(not _nothing(D[np.ix_(rows, columns)]) for D in maps)
    for _ in where:
        feeds = feeds @ feeds
    mutual = feeds & feeds.T
    for i, row in enumerate(mutual):
        if not row[:i].any():
            yield [index for j in np.flatnonzero(row) for index in where[j]]


def _unmixed(block: list[int], maps: Sequence[Array]) -> bool:
    return all(_is_diagonal(D[np.ix_(block, block)]) for D in maps)


def _is_diagonal(values: Array) -> bool:
    rows, columns = values.shape
    return all(is_zero(values[i, j]) for i in range(rows) for j in range(columns) if i != j)


def _nothing(values: Array) -> bool:
    return all(is_zero(value) for value in values.ravel().tolist())


def _bases(D: Array) -> list[acb_mat]:
    """Approximate modes in all bits, and in doubles: where modes coincide the one or the other may not be a basis."""
    _, in_bits = _complex(D).eig(right=True, algorithm="approx")
    in_doubles = np.linalg.eig(doubles(D))[1]
    entries = [acb(v.real, v.imag) for v in in_doubles.ravel().tolist()]
    return [in_bits, acb_mat(len(D), len(D), entries)]


def _inverse(V: acb_mat) -> acb_mat:
    try:
        return V.inv()
    except ZeroDivisionError:
        raise NoCertificateError(
            "no certificate: the mean step has no basis of modes; change a step size a little"
        ) from None


def _place(whole: acb_mat, where: list[int], part: acb_mat) -> None:
    for i, row in enumerate(where):
        for j, column in enumerate(where):
            whole[row, column] = part[i, j]


def _identity(n: int) -> acb_mat:
    return acb_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])


def _complex(A: Array) -> acb_mat:
    rows, columns = A.shape
    return acb_mat(rows, columns, A.ravel().tolist())


def _sizes(A: acb_mat, rows: list[list[int]], columns: list[list[int]]) -> Array:
    """The norm of every block, rounded up."""
    made = Balls.zeros(len(rows), len(columns))
    for i, some in enumerate(rows):
        for j, others in enumerate(columns):
            made[i, j] = _size([[A[a, b] for b in others] for a in some])
    return made


def _largest_of(values: Array) -> arb:
    largest: arb = reduce(arb.max, [value.abs_upper() for value in values])
    return largest


def _size(block: list[list[acb]]) -> arb:
    if len(block) == 1 and len(block[0]) == 1:
        return block[0][0].abs_upper()
    real = all(entry.imag == 0 for row in block for entry in row)
    values = [[entry.real if real else entry.abs_upper() for entry in row] for row in block]
    array = Balls.of(np.array(values, dtype=object))
    if 1 in array.shape:
        return norm(array)
    return _largest_of(array.diagonal()) if _is_diagonal(array) else spectral_norm(array)
