"""Covers of a product: every pair of values of every two axes occurs in at least one of the cases.

A mistake that needs three particular values at once can be missed; the nightly tests run whole products.
"""

from collections.abc import Callable, Sequence
from typing import Any

from allpairspy import AllPairs


def pairwise(*axes: Sequence[Any], fits: Callable[..., bool] = lambda *_: True) -> list[tuple[Any, ...]]:
    """Combinations, one value of each axis, that cover all pairs; of those that fit."""

    def fine(row: Sequence[Any]) -> bool:
        return len(row) < len(axes) or fits(*row)

    return [tuple(row) for row in AllPairs([list(axis) for axis in axes], filter_func=fine)]
