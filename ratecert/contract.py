"""What an algorithm or a world of your own is written with.

Stage, State, Oracle, Estimator, Algorithm    the contract: pure steps, in a cycle of stages
Choice, Switch, switch, random_rounds, Drawn  what is drawn beside samples: a device's step, everyone's, devices
Problem, OneLevelProblem, Devices             what engines ask of a world, of one level, of one whose devices differ
Method                                        a base that checks hyperparameters by their types
Constant, CubeRoot, Power, Product, Schedule  step sizes
LowerGradient, UpperGradient                  estimators of grad_y g and of grad f
Gradient, FullGradient, Prox, ProxOfRegulariser   of one level: grad F sampled, in full, its proximal step, that of r
Gradient, FullGradient                        the estimator of grad F on one level, and grad F itself
TermGradient, TableGradient                   of a finite sum one term, and the mean of all, each at its own point
StochasticNeumann, RandomTruncation           estimators of the hypergradient
NeumannFactor, AuxiliaryGradient, HypergradientThrough   its parts, for methods that average them
Silent                                        signs that are all zero: a sample made of them is the mean
exact_hypergradient, neumann_hypergradient, stochastic_hypergradient   hypergradients at a point
estimate_moments, estimate_outcomes, estimate_products   mean, covariance and cost of one estimate, exactly
count                                         what a run costs each device
prepare, FederatedDevice, in_lockstep         devices one by one, for a transport of your own
"""

from typing import TYPE_CHECKING

from ratecert.base.gone import face as _face
from ratecert.solvers import (
    AuxiliaryGradient,
    Constant,
    CubeRoot,
    FullGradient,
    Gradient,
    HypergradientThrough,
    LowerGradient,
    NeumannFactor,
    Power,
    Product,
    Prox,
    ProxOfRegulariser,
    RandomTruncation,
    Schedule,
    Stage,
    State,
    StochasticNeumann,
    TableGradient,
    TermGradient,
    UpperGradient,
    exact_hypergradient,
    neumann_hypergradient,
    stochastic_hypergradient,
)
from ratecert.solvers.contract.draws import Choice, Drawn, Switch, random_rounds, switch
from ratecert.solvers.contract.problem import Devices, OneLevelProblem, Problem
from ratecert.solvers.contract.signs import Silent
from ratecert.solvers.contract.stage import Algorithm, Estimator, Oracle
from ratecert.solvers.engines.at_a_point import estimate_moments, estimate_outcomes, estimate_products
from ratecert.solvers.engines.counting import count
from ratecert.solvers.engines.experiment import prepare
from ratecert.solvers.engines.federation import FederatedDevice, in_lockstep
from ratecert.solvers.methods.base import Method

__all__ = [
    "Algorithm", "AuxiliaryGradient", "Choice", "Constant", "CubeRoot", "Devices", "Drawn", "Estimator",
    "FederatedDevice", "FullGradient", "Gradient", "HypergradientThrough", "LowerGradient", "Method",
    "NeumannFactor", "OneLevelProblem", "Oracle", "Power", "Problem", "Product", "Prox", "ProxOfRegulariser",
    "RandomTruncation", "Schedule", "Silent", "Stage", "State", "StochasticNeumann", "Switch", "TableGradient",
    "TermGradient", "UpperGradient", "count", "estimate_moments", "estimate_outcomes", "estimate_products",
    "exact_hypergradient", "in_lockstep", "neumann_hypergradient", "prepare", "random_rounds",
    "stochastic_hypergradient", "switch",
]  # fmt: skip

if not TYPE_CHECKING:  # or every name would be one to a type checker
    __getattr__ = _face(__name__, __all__)
