"""Solve C z + c = 0 where the entries are polynomials or series, by elimination without fractions (Bareiss).

Moments fall into blocks: means do not depend on second moments, errors may not depend on iterates. C is block
triangular then, blocks are solved one after the other, and no number is larger than its block makes it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ratecert.base.exact import is_zero
from ratecert.solvers.engines.series import Series

Row = list[Any]  # of polynomials or series


@dataclass(frozen=True)
class Block:
    """A block on the diagonal of C, eliminated."""

    places: list[int]  # of its unknowns, in the order of the rows
    rows: list[Row]  # on and above the diagonal what is left, below it what was eliminated
    order: list[int]  # in which its equations came
    one: Any  # the number 1

    @property
    def determinant(self) -> Any:
        """The last pivot; its sign is that of the order."""
        return self.rows[-1][-1]

    def solution(self, c: Row) -> Row:
        """z times the determinant."""
        column, z, previous = [c[i] for i in self.order], list[Any](), self.one
        for i, above in enumerate(self.rows):
            for j in range(i + 1, len(column)):
                column[j] = (above[i] * column[j] - self.rows[j][i] * column[i]) / previous
            previous = above[i]
        for i in reversed(range(len(column))):
            total = self.determinant * column[i]
            for value, entry in zip(z, reversed(self.rows[i][i + 1 :]), strict=True):
                total = total + value * entry
            z.append(-total / self.rows[i][i])
        return z[::-1]


@dataclass(frozen=True)
class Equations:
    """C with its blocks eliminated: every column c is solved for itself."""

    C: list[Row]
    blocks: list[Block]  # each after those that it depends on
    one: Any

    def solution(self, c: Row) -> tuple[Row, Any]:
        """z times a common denominator, and that denominator."""
        z, below = list[Any](c), self.one
        known: list[int] = []
        for block in self.blocks:
            column = [below * c[i] for i in block.places]
            for place, i in enumerate(block.places):
                for j in known:
                    if not is_zero(self.C[i][j]):
                        column[place] = column[place] + self.C[i][j] * z[j]
            for j in known:
                z[j] = z[j] * block.determinant
            for i, value in zip(block.places, block.solution(column), strict=True):
                z[i] = value
            known, below = [*known, *block.places], below * block.determinant
        return z, below


def eliminated(C: list[Row], one: Any) -> Equations:
    """Find the blocks of C and eliminate each; LinAlgError where C has no inverse, or a series none at eta = 0."""
    blocks = (_eliminated_block(C, places, one) for places in _blocks(C))
    return Equations(C, list(blocks), one)


def _eliminated_block(C: Sequence[Row], places: list[int], one: Any) -> Block:
    n, previous = len(places), one
    rows, order = [[C[i][j] for j in places] for i in places], list(range(n))
    for i in range(n):
        chosen = next((j for j in range(i, n) if _is_pivot(rows[j][i])), None)
        if chosen is None:
            raise np.linalg.LinAlgError("singular, or a series with no inverse at eta = 0")
        rows[i], rows[chosen] = rows[chosen], rows[i]
        order[i], order[chosen] = order[chosen], order[i]
        for row in rows[i + 1 :]:
            for column in range(i + 1, n):
                row[column] = (rows[i][i] * row[column] - row[i] * rows[i][column]) / previous
        previous = rows[i][i]
    return Block(places, rows, order, one)


def _blocks(C: Sequence[Row]) -> list[list[int]]:
    """Unknowns that depend on one another, directly or not, each block after those that it depends on."""
    depends = np.array(
        [[i == j or not is_zero(value) for j, value in enumerate(row)] for i, row in enumerate(C)]
    )
    for _ in range(len(C).bit_length()):
        depends = depends @ depends
    found: dict[bytes, list[int]] = {}
    for i in np.argsort(depends.sum(axis=1), kind="stable"):
        found.setdefault(depends[i].tobytes(), []).append(int(i))
    return list(found.values())


def _is_pivot(value: Any) -> bool:
    """Whether what follows can be divided by it."""
    return not is_zero(value.terms[0] if isinstance(value, Series) else value)
