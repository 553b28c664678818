"""Mean and covariance of an estimate at a point, by two ways that sample nothing, and its Hessian products."""

from ratecert.solvers.engines.estimates import estimate_moments as by_moments
from ratecert.solvers.engines.estimates import estimate_outcomes as over_outcomes
from ratecert.solvers.engines.estimates import estimate_products as hessian_products

__all__ = ["by_moments", "hessian_products", "over_outcomes"]
