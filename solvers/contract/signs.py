"""Where samples come from: a problem draws independent signs, an estimator may draw whole numbers too."""

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


class Silent:
    """Signs that are all zero: a sample made of them is the mean."""

    def signs(self, n: int) -> NDArray[np.float64]:
        return np.zeros((n, 1))
