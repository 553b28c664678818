"""Algorithms written once, as pure local steps, and the engines that interpret them.

`ALGORITHMS` is the list that the conformance tests run through: a new algorithm is one file and one line.
"""

from typing import Any

from solvers.auxiliary import AuxiliaryGradient, HypergradientThrough, NeumannFactor, UpperGradient
from solvers.bsa import BSA
from solvers.enumeration import enumerate_outcomes
from solvers.expectation import expect
from solvers.fed_bio_acc import FedBiOAcc
from solvers.fed_bio_acc_global import FedBiOAccGlobal
from solvers.fed_nest import FedNest
from solvers.fixed_point import fixed_point
from solvers.hypergradient import (
    LowerGradient,
    StochasticNeumann,
    exact_hypergradient,
    neumann_hypergradient,
    stochastic_hypergradient,
)
from solvers.l_fed_nest import LFedNest
from solvers.limit import stationary
from solvers.local_bsgm import LocalBSGM
from solvers.local_bsgvrm import LocalBSGVRM
from solvers.local_sgd import LocalSGD
from solvers.monte_carlo import simulate
from solvers.mrbo import MRBO
from solvers.random_truncation import RandomTruncation
from solvers.reach import reachable_radius
from solvers.schedule import Constant, CubeRoot, Power, Schedule
from solvers.smb import SMB
from solvers.stage import Stage, State, name_of
from solvers.stem import STEM
from solvers.stoc_bio import StocBiO
from solvers.sustain import SUSTAIN
from solvers.ttsa import TTSA
from solvers.vrbo import VRBO

ALGORITHMS: dict[str, Any] = {
    algorithm.__name__: algorithm
    for algorithm in (
        *(LocalBSGM, LocalBSGVRM, LocalSGD, FedNest, LFedNest, FedBiOAcc, FedBiOAccGlobal, STEM),
        *(BSA, TTSA, StocBiO, SMB, SUSTAIN, MRBO, VRBO),
    )
}

__all__ = [
    "ALGORITHMS",
    "BSA",
    "MRBO",
    "SMB",
    "STEM",
    "SUSTAIN",
    "TTSA",
    "VRBO",
    "AuxiliaryGradient",
    "Constant",
    "CubeRoot",
    "FedBiOAcc",
    "FedBiOAccGlobal",
    "FedNest",
    "HypergradientThrough",
    "LFedNest",
    "LocalBSGM",
    "LocalBSGVRM",
    "LocalSGD",
    "LowerGradient",
    "NeumannFactor",
    "Power",
    "RandomTruncation",
    "Schedule",
    "Stage",
    "State",
    "StocBiO",
    "StochasticNeumann",
    "UpperGradient",
    "enumerate_outcomes",
    "exact_hypergradient",
    "expect",
    "fixed_point",
    "name_of",
    "neumann_hypergradient",
    "reachable_radius",
    "simulate",
    "stationary",
    "stochastic_hypergradient",
]
