"""Vectors in named blocks, and matrices between them that are polynomials in the step sizes."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.solvers.engines.moments.affine import ONE
from ratecert.solvers.engines.moments.step_sizes import Etas, Monomial, value_of

Array = NDArray[Any]  # of doubles, balls or rationals


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
    """A matrix as a polynomial in the step sizes; where these are constant, a single matrix."""

    parts: Mapping[Monomial, Array]

    def at(self, etas: Etas) -> Array:
        if self.parts.keys() == {()}:
            return self.parts[()]
        total: Array = sum(value_of(monomial, etas) * matrix for monomial, matrix in self.parts.items())
        return total
