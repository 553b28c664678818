"""Where samples come from: a problem draws independent signs, an estimator may draw whole numbers too."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class SignSource(Protocol):
    """What a problem draws its samples from."""

    def signs(self, n: int) -> Any:
        """Draw n independent signs: an iterable of n factors, which also multiplies and adds as one vector."""


class Bits(SignSource, Protocol):
    """What an estimator draws its samples from."""

    def whole(self, n: int) -> Any:
        """Draw a whole number from 0 to n - 1, each as likely; for arrays, one for each lane."""


class Draws(tuple[Any, ...]):
    """Fresh samples, one for each pass of a loop."""

    def through(self, step: Callable[..., tuple[Any, ...]], *start: Any) -> tuple[Any, ...]:
        """Take vectors through step(sample, *vectors) once for each sample."""
        for sample in self:
            start = step(sample, *start)
        return start


def repeated(bits: Any, n: Any, draw: Callable[[Any], Any]) -> Any:
    """n fresh samples for a loop: `repeated(bits, Q, problem.sample_hessian).through(step, r, total)`.

    An engine that takes a step to its n-th power has a `repeat` of its own in the place of n samples.
    """
    own = getattr(bits, "repeat", None)
    return Draws(draw(bits) for _ in range(n)) if own is None else own(n, draw)


class Silent:
    """Signs that are all zero: a sample made of them is the mean."""

    def signs(self, n: int) -> NDArray[np.float64]:
        """Give n zeros in the place of signs."""
        return np.zeros((n, 1))


class GivenNumbers:
    """Whole numbers that are given; the largest where none is left, with which an estimate asks for the most.

    For what computes nothing, and so draws no signs.
    """

    def __init__(self, given: Sequence[int] = ()) -> None:
        self._given = list(given)
        self.bases: list[int] = []

    def signs(self, n: int) -> None: ...

    def whole(self, n: int) -> int:
        self.bases.append(n)
        return self._given.pop(0) if self._given else n - 1
