"""Algorithms written once, as pure local steps, and the engines that interpret them.

`ALGORITHMS`, and `ONE_LEVEL` for those of one level, are the lists that the conformance tests run through: a new
algorithm is one file and one line.
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
from ratecert.solvers.methods.averaged_sgd import AveragedSGD
from ratecert.solvers.methods.bsa import BSA
from ratecert.solvers.methods.fed_avg import FedAvg
from ratecert.solvers.methods.fed_bio_acc import FedBiOAcc
from ratecert.solvers.methods.fed_bio_acc_global import FedBiOAccGlobal
from ratecert.solvers.methods.fed_nest import FedNest
from ratecert.solvers.methods.fed_prox import FedProx
from ratecert.solvers.methods.fista import FISTA
from ratecert.solvers.methods.halpern import Halpern
from ratecert.solvers.methods.heavy_ball import HeavyBall
from ratecert.solvers.methods.item import ITEM
from ratecert.solvers.methods.l_fed_nest import LFedNest
from ratecert.solvers.methods.local_bsgm import LocalBSGM
from ratecert.solvers.methods.local_bsgvrm import LocalBSGVRM
from ratecert.solvers.methods.local_gd import LocalGD
from ratecert.solvers.methods.local_sgd import LocalSGD
from ratecert.solvers.methods.mrbo import MRBO
from ratecert.solvers.methods.nesterov import Nesterov
from ratecert.solvers.methods.ogm import OGM
from ratecert.solvers.methods.page import PAGE
from ratecert.solvers.methods.prox_skip import ProxSkip
from ratecert.solvers.methods.saba import SABA
from ratecert.solvers.methods.saga import SAGA
from ratecert.solvers.methods.scaffold import SCAFFOLD
from ratecert.solvers.methods.sgd import SGD
from ratecert.solvers.methods.smb import SMB
from ratecert.solvers.methods.soba import SOBA
from ratecert.solvers.methods.stem import STEM
from ratecert.solvers.methods.stoc_bio import StocBiO
from ratecert.solvers.methods.storm import STORM
from ratecert.solvers.methods.sustain import SUSTAIN
from ratecert.solvers.methods.svrg import SVRG
from ratecert.solvers.methods.triple_momentum import TripleMomentum
from ratecert.solvers.methods.ttsa import TTSA
from ratecert.solvers.methods.vrbo import VRBO

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
