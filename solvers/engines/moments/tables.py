"""Covariances of the samples of many devices, as matrices on packed moments, made for all devices at once.

Devices of one problem have estimators that are made alike, with numbers of their own, so that the rules of pairs.py run
over stacks of matrices. Each is moved to its centre exactly and rounded once; what follows are sums of squares.
"""

from collections.abc import Sequence

import numpy as np

from ratecert.solvers.engines.moments import pairs
from ratecert.solvers.engines.moments.estimator_moments import LARGEST_TABLE, EstimatorMoments
from ratecert.solvers.engines.moments.step_map import StepMap, StepNoise

AT_ONCE = 256  # devices, whose stacks have some tens of MB


def make_tables(steps: Sequence[StepMap]) -> None:
    """Of every sample in a step of all devices; what is not made alike is left to each device."""
    numbers = {len(step.noises) for step in steps}
    if len(numbers) > 1:
        return
    for i in range(numbers.pop()):
        noises = [step.noises[i] for step in steps]
        for begin in range(0, len(noises), AT_ONCE):
            _make(noises[begin : begin + AT_ONCE])


def _make(noises: Sequence[StepNoise]) -> None:
    """Of one sample, on these devices."""
    each = [noise.moments for noise in noises if isinstance(noise.moments, EstimatorMoments)]
    if len(each) < len(noises) or any(m.additive or m.mean.shape[1] > LARGEST_TABLE for m in each):
        return
    if all(m.has_table(noise.centre) for m, noise in zip(each, noises, strict=True)):
        return
    plan = pairs.together([m.plan(noise.centre, True) for m, noise in zip(each, noises, strict=True)])
    if plan is None:
        return
    tables = pairs.table(plan, np.zeros(0), each[0].mean.shape[1])
    for moments, noise, table in zip(each, noises, tables, strict=True):
        moments.keep_table(noise.centre, table)
