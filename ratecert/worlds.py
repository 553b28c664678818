"""Worlds: stochastic problems of one level or two, whose truth is known in closed form.

    min_x  Phi(x) = f(x, y*(x))      with      y*(x) = argmin_y g(x, y)

A world gives y*(x), Phi(x), the exact hypergradient, x* and the constants of the assumptions, and samples of f and g.

    scalar             one x and one y
    random_quadratic   any dimensions, spectra as asked, from a seed
    aligned            attains the error bound of the Neumann sum; `worst_point` says where
    heterogeneous      devices whose matrices differ by `dial` times a random direction
    huberised          a quadratic world made linear far out, so that its gradients are bounded
    wavy               a lower level that follows a wave: Phi has hills
    ridge              hyperparameters of a ridge regression on data
    Quadratic          the base of these: any matrices of your own
    single_level       one level: a quadratic with a chosen spectrum and noise of every kind
    SingleLevel        the same with any matrices of your own
    federated          one level: devices that differ, with weights
    Federated          the same with any devices of your own
    Regularised        one level: the sum of one of these and a quadratic regulariser
    FiniteSum          one level: a sum of quadratics, of which a sample is one
    BilevelSum         both levels sums of quadratics, of which a sample is one
    LinearMap          one level: a nonexpansive map x -> M x + b, with its residual for a gradient
    Heterogeneous, Huberised, Wavy   the classes that three of the functions return

"""

from typing import TYPE_CHECKING

from ratecert.base.gone import face as _face
from ratecert.synthetic import (
    BilevelSum,
    Federated,
    FiniteSum,
    Heterogeneous,
    Huberised,
    LinearMap,
    Quadratic,
    Regularised,
    SingleLevel,
    Wavy,
    aligned,
    federated,
    heterogeneous,
    huberised,
    random_quadratic,
    ridge,
    scalar,
    single_level,
    wavy,
)
from ratecert.synthetic.made import worst_point

__all__ = [
    "BilevelSum", "Federated", "FiniteSum", "Heterogeneous", "Huberised", "LinearMap", "Quadratic", "Regularised",
    "SingleLevel", "Wavy", "aligned", "federated", "heterogeneous", "huberised", "random_quadratic", "ridge",
    "scalar", "single_level", "wavy", "worst_point",
]  # fmt: skip

if not TYPE_CHECKING:  # or every name would be one to a type checker
    __getattr__ = _face(__name__, __all__)
