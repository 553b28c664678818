"""Algorithms written once, as pure local steps, and the engines that interpret them.

`ALGORITHMS` is the list that the conformance tests run through: a new algorithm is one file and one line.
"""

from solvers.enumeration import enumerate_outcomes
from solvers.expectation import expect
from solvers.fixed_point import fixed_point
from solvers.hypergradient import (
    LowerGradient,
    StochasticNeumann,
    exact_hypergradient,
    neumann_hypergradient,
    stochastic_hypergradient,
)
from solvers.limit import stationary
from solvers.local_bsgm import LocalBSGM
from solvers.local_bsgvrm import LocalBSGVRM
from solvers.monte_carlo import simulate
from solvers.reach import reachable_radius
from solvers.schedule import Constant, CubeRoot, Schedule
from solvers.stage import Stage, State

ALGORITHMS = {"LocalBSGM": LocalBSGM, "LocalBSGVRM": LocalBSGVRM}

__all__ = [
    "ALGORITHMS",
    "Constant",
    "CubeRoot",
    "LocalBSGM",
    "LocalBSGVRM",
    "LowerGradient",
    "Schedule",
    "Stage",
    "State",
    "StochasticNeumann",
    "enumerate_outcomes",
    "exact_hypergradient",
    "expect",
    "fixed_point",
    "neumann_hypergradient",
    "reachable_radius",
    "simulate",
    "stationary",
    "stochastic_hypergradient",
]
