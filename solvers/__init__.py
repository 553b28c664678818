"""Algorithms written once, as pure local steps, and the engines that interpret them.

`ALGORITHMS`, and `ONE_LEVEL` for those of one level, are the lists that the conformance tests run through: a new
algorithm is a class in solvers/methods and one line.
"""

from typing import Any

from ratecert.solvers.contract.schedule import Constant, CubeRoot, Power, Product, Schedule
from ratecert.solvers.contract.stage import Stage, State, name_of
from ratecert.solvers.engines.at_a_point import (
    exact_hypergradient,
    neumann_hypergradient,
    stochastic_hypergradient,
)
from ratecert.solvers.engines.certificates.reach import reachable_radius
from ratecert.solvers.engines.expect import expect
from ratecert.solvers.engines.fixed_point import fixed_point
from ratecert.solvers.engines.sampling.enumeration import enumerate_outcomes
from ratecert.solvers.engines.sampling.simulate import simulate
from ratecert.solvers.engines.stationary import stationary
from ratecert.solvers.estimators.auxiliary import (
    AuxiliaryGradient,
    HypergradientThrough,
    NeumannFactor,
    UpperGradient,
)
from ratecert.solvers.estimators.gradient import (
    FullGradient,
    Gradient,
    Prox,
    ProxOfRegulariser,
    TableGradient,
    TermGradient,
)
from ratecert.solvers.estimators.hypergradient import LowerGradient, StochasticNeumann
from ratecert.solvers.estimators.random_truncation import RandomTruncation
from ratecert.solvers.methods.accelerated import FISTA, ITEM, OGM, Halpern
from ratecert.solvers.methods.federated import SCAFFOLD, FedAvg, FedProx, LocalGD, ProxSkip
from ratecert.solvers.methods.local import LocalBSGM, LocalBSGVRM, LocalSGD
from ratecert.solvers.methods.momentum import SGD, AveragedSGD, HeavyBall, Nesterov, TripleMomentum
from ratecert.solvers.methods.nested import BSA, FedNest, LFedNest, StocBiO
from ratecert.solvers.methods.reduced import PAGE, SAGA, SVRG
from ratecert.solvers.methods.single_machine import SABA, SMB, SOBA, TTSA
from ratecert.solvers.methods.storm import MRBO, STEM, STORM, SUSTAIN, VRBO, FedBiOAcc, FedBiOAccGlobal

ALGORITHMS: dict[str, Any] = {
    algorithm.__name__: algorithm
    for algorithm in (
        *(LocalBSGM, LocalBSGVRM, LocalSGD, FedNest, LFedNest, FedBiOAcc, FedBiOAccGlobal, STEM),
        *(BSA, TTSA, StocBiO, SMB, SUSTAIN, MRBO, VRBO, SOBA),
    )
}

ONE_LEVEL: dict[str, Any] = {
    algorithm.__name__: algorithm
    for algorithm in (
        *(SGD, HeavyBall, Nesterov, TripleMomentum, AveragedSGD, FISTA, OGM, ITEM, Halpern),
        *(SVRG, SAGA, PAGE, STORM),
        *(FedAvg, LocalGD, ProxSkip, SCAFFOLD, FedProx),
    )
}

__all__ = [
    "ALGORITHMS",
    "BSA",
    "FISTA",
    "ITEM",
    "MRBO",
    "OGM",
    "ONE_LEVEL",
    "PAGE",
    "SABA",
    "SAGA",
    "SCAFFOLD",
    "SGD",
    "SMB",
    "SOBA",
    "STEM",
    "STORM",
    "SUSTAIN",
    "SVRG",
    "TTSA",
    "VRBO",
    "AuxiliaryGradient",
    "AveragedSGD",
    "Constant",
    "CubeRoot",
    "FedAvg",
    "FedBiOAcc",
    "FedBiOAccGlobal",
    "FedNest",
    "FedProx",
    "FullGradient",
    "Gradient",
    "Halpern",
    "HeavyBall",
    "HypergradientThrough",
    "LFedNest",
    "LocalBSGM",
    "LocalBSGVRM",
    "LocalGD",
    "LocalSGD",
    "LowerGradient",
    "Nesterov",
    "NeumannFactor",
    "Power",
    "Product",
    "Prox",
    "ProxOfRegulariser",
    "ProxSkip",
    "RandomTruncation",
    "Schedule",
    "Stage",
    "State",
    "StocBiO",
    "StochasticNeumann",
    "TableGradient",
    "TermGradient",
    "TripleMomentum",
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
