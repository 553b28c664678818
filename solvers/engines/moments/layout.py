"""Vectors in named blocks, and matrices between them that are polynomials in the step sizes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ratecert.solvers.engines.moments.affine import ONE
from ratecert.solvers.engines.moments.step_sizes import Monomial

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Layout:
    """Named blocks of a vector, and a last component that is 1."""

    dimensions: Mapping[str, int]

    @cached_property
    def slices(self) -> dict[str, slice]:
        ends = pairwise(np.cumsum([0, *self.dimensions.values(), 1]).tolist())
        return {name: slice(a, b) for name, (a, b) in zip((*self.dimensions, ONE), ends, strict=True)}

    @property
    def size(self) -> int:
        return sum(self.dimensions.values()) + 1


@dataclass(frozen=True)
class Steps:
    """A matrix as a polynomial in the step sizes."""

    parts: Mapping[Monomial, Array]
    shape: tuple[int, int]

    def at(self, etas: Callable[[str, int], float]) -> Array:
        total = np.zeros(self.shape)
        for monomial, matrix in self.parts.items():
            factor = 1.0
            for (name, offset), power in monomial:
                factor *= etas(name, offset) ** power
            total += factor * matrix
        return total
