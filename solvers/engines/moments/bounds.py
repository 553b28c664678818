"""How large the noise of an estimator can be, over all outcomes of its signs.

For the point (z, 1) the deviation of an estimate from its mean has norm at most gain |z| + constant. Both follow
from the vectors of the estimate (forms.py) by the triangle inequality, since a sign has modulus 1:

    dev(M f) <= ||M|| dev(f),    dev(a f + b g) <= |a| dev(f) + |b| dev(g),    dev(e f) <= |mean of f| + dev(f)

Over a mixture of cases it is at most the largest of a case, with what that case's mean is off by.
"""

from functools import reduce
from typing import Any

from flint import arb
from numpy.typing import NDArray

from ratecert.base.arrays import norm, spectral_norm
from ratecert.solvers.engines.moments.estimator_moments import EstimatorMoments
from ratecert.solvers.engines.moments.forms import Form
from ratecert.solvers.engines.moments.mixture import Mixture, Noise

Array = NDArray[Any]  # of balls
Bound = tuple[arb, arb]  # (gain, constant)


def noise_bound(moments: Noise) -> Bound:
    """(gain, constant), rounded up."""
    if isinstance(moments, Mixture):
        cases = [_bound_of_case(case, case.mean - moments.mean) for case in moments.cases]
        return reduce(lambda a, b: (a[0].max(b[0]), a[1].max(b[1])), cases)
    assert isinstance(moments, EstimatorMoments)  # choices have no certificates
    return _bound_of_signs(moments)


def _bound_of_case(case: EstimatorMoments, off: Array) -> Bound:
    gain, constant = _bound_of_signs(case)
    return gain + spectral_norm(off[:, :-1]), constant + norm(off[:, -1])


def _bound_of_signs(moments: EstimatorMoments) -> Bound:
    bounds: list[Bound] = []
    out = moments.out()
    for form in out.book.forms:
        bounds.append(_bound(form, bounds))
    return bounds[out.number]


def _bound(form: Form, earlier: list[Bound]) -> Bound:
    if form.kind == "input":
        return arb(0), arb(0)
    if form.kind == "noise":
        return arb(0), abs(arb(form.scale)) * arb(len(form.mean)).sqrt()
    if form.kind == "product":
        ((M, inner),) = form.factors
        gain, constant = earlier[inner.number]
        size = spectral_norm(M)
        return size * gain, size * constant
    if form.kind == "sum":
        parts = [(abs(arb(c)), earlier[inner.number]) for c, inner in form.factors]
        return sum((c * b[0] for c, b in parts), arb(0)), sum((c * b[1] for c, b in parts), arb(0))
    ((_, inner),) = form.factors
    gain, constant = earlier[inner.number]
    mean = inner.mean
    return gain + spectral_norm(mean[:, :-1]), constant + norm(mean[:, -1])
