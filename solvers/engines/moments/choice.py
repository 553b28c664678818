"""A step that is one of several, drawn by every device for itself: one step whose matrix is random.

With probabilities p_c, steps w+ = M_c w + noise_c, and M the mean of the M_c,

    w+ = M w + (M_c - M) w + noise_c

so the choice is noise like that of a sample: linear in w, of mean zero, with the second moments

    sum_c p_c (M_c - M) S (M_c - M)',        S = E[w w']

and the noise of step c counts with the weight p_c.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import Numbers, identity_like, like, number_like, summed
from ratecert.base.exact import bits_at_work, working_precision
from ratecert.solvers.engines.moments.pairs import Centre, at_centre
from ratecert.solvers.engines.moments.step_map import StepMap, StepNoise

Array = NDArray[Any]  # of doubles, balls or rationals


class Picked:
    """Which step was picked, as the zero-mean part of a sample: (M_c - M) z at the point z = (coordinates, 1)."""

    silent = additive = False

    def __init__(self, probabilities: Sequence[Any], off: Sequence[Array]) -> None:
        """`off`: M_c - M for every c, without the row of the 1."""
        self.probabilities = probabilities
        self.off = off
        self.dimensions = (len(off[0]),)
        self.mean = 0 * off[0]
        self.bits = bits_at_work()
        self._kept: dict[tuple[Centre, bool], list[tuple[Any, Array]]] = {}

    def covariance(self, X: Array, centre: Centre = ()) -> Array:
        """For E[z z'] = X; with a centre the z of X are deviations from it."""
        return summed(p * (L @ X @ L.T) for p, L in self._cases(X, centre))

    cross_covariance = covariance

    def _cases(self, X: Array, centre: Centre) -> list[tuple[Any, Array]]:
        """In the kind of numbers of X."""
        key = centre, isinstance(X, Numbers)
        if key not in self._kept:
            number, pairs = number_like(X), zip(self.probabilities, self.off, strict=True)
            with working_precision(self.bits):
                self._kept[key] = [(number(p), like(at_centre(L, centre), X)) for p, L in pairs]
        return self._kept[key]


def chosen(probabilities: Sequence[Any], steps: Sequence[StepMap]) -> StepMap:
    """One step for a choice among several, which all keep the layout."""
    first = steps[0].matrix
    weights = [number_like(first)(p) for p in probabilities]
    mean = summed(p * step.matrix for p, step in zip(weights, steps, strict=True))
    off = [(step.matrix - mean)[:-1] for step in steps]
    inner = tuple(
        replace(noise, batch=noise.batch / p)
        for p, step in zip(weights, steps, strict=True)
        for noise in step.noises
        if float(p) > 0
    )
    everywhere = identity_like(first, len(first))
    picked = StepNoise(Picked(probabilities, off), ((everywhere, everywhere[:, :-1]),), batch=1)
    return StepMap(mean, True, (*inner, picked) if np.any([np.any(L != 0) for L in off]) else inner)
