"""Maps at many t as one: the arrays that make a map, stacked along a first axis, and combined by weights."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Stacks:
    """A map that is made of arrays, the `parts`; its `then` takes stacks of them as it takes single ones."""

    parts: ClassVar[tuple[str, ...]]

    def gathered(self, maps: Sequence[Self]) -> Self:
        """All these maps as one."""
        return self._with({part: np.stack([getattr(each, part) for each in maps]) for part in self.parts})

    def weighted(self, weights: Array) -> Self:
        """Of gathered maps the sum of weight * map; for many rows of weights, those sums gathered."""
        return self._with({part: np.tensordot(weights, getattr(self, part), axes=1) for part in self.parts})

    def one(self, i: int) -> Self:
        """Of gathered maps one."""
        return self._with({part: getattr(self, part)[i] for part in self.parts})

    def _with(self, arrays: dict[str, Array]) -> Self:
        return replace(self, **arrays)  # type: ignore[type-var]


def for_each_row(matrix: Array) -> Array:
    """A matrix, or one of a stack, that acts on every matrix of another stack."""
    return matrix if matrix.ndim == 2 else matrix[..., None, :, :]
