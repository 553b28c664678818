"""How large the noise of an estimator can be, over all outcomes of its signs.

For the point (z, 1) the deviation of an estimate from its mean has norm at most gain |z| + constant. Both follow
from the vectors of the estimate (forms.py) by the triangle inequality, since a sign has modulus 1:

    dev(M f) <= ||M|| dev(f),    dev(a f + b g) <= |a| dev(f) + |b| dev(g),    dev(e f) <= |mean of f| + dev(f)

Over a mixture of cases it is at most the largest of a case, with what that case's mean is off by.
"""

import numpy as np
from numpy.typing import NDArray

from ratecert.arithmetic.arrays import doubles
from ratecert.solvers.engines.moments.forms import EstimatorMoments, Form
from ratecert.solvers.engines.moments.mixture import Mixture, Moments

Array = NDArray[np.float64]


def noise_bound(moments: Moments) -> tuple[float, float]:
    """(gain, constant)."""
    if isinstance(moments, Mixture):
        cases = [_bound_of_case(case, case.mean - moments.mean) for case in moments.cases]
        return max(gain for gain, _ in cases), max(constant for _, constant in cases)
    return _bound_of_signs(moments)


def _bound_of_case(case: EstimatorMoments, off: Array) -> tuple[float, float]:
    gain, constant = _bound_of_signs(case)
    return gain + float(np.linalg.norm(doubles(off[:, :-1]), 2)), constant + float(
        np.linalg.norm(doubles(off[:, -1]))
    )


def _bound_of_signs(moments: EstimatorMoments) -> tuple[float, float]:
    bounds: list[tuple[float, float]] = []
    for form in moments.forms:
        bounds.append(_bound(form, bounds))
    return bounds[moments.out.number]


def _bound(form: Form, earlier: list[tuple[float, float]]) -> tuple[float, float]:
    if form.kind == "input":
        return 0.0, 0.0
    if form.kind == "noise":
        _, _, scale = form.parts
        return 0.0, abs(float(scale)) * float(np.sqrt(len(form.mean)))
    if form.kind == "product":
        _, M, inner = form.parts
        gain, constant = earlier[inner.number]
        norm = float(np.linalg.norm(doubles(M), 2))
        return norm * gain, norm * constant
    if form.kind == "sum":
        parts = [(abs(float(c)), earlier[inner.number]) for c, inner in form.parts[1:]]
        return sum(c * b[0] for c, b in parts), sum(c * b[1] for c, b in parts)
    _, _, inner = form.parts
    gain, constant = earlier[inner.number]
    mean = doubles(inner.mean)
    return gain + float(np.linalg.norm(mean[:, :-1], 2)), constant + float(np.linalg.norm(mean[:, -1]))
