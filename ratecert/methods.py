"""Algorithms, each written once and run by every engine; `rc.contract` has what one of your own needs.

    LocalBSGM, LocalBSGVRM                         the two of the first paper
    LocalSGD, STEM                                 without momentum, and for one level
    FedNest, LFedNest, FedBiOAcc, FedBiOAccGlobal  other federated methods
    BSA, TTSA, StocBiO, SMB, SUSTAIN, MRBO, VRBO, SOBA   methods for one machine
    SABA                                           one machine, on sums: rc.worlds.BilevelSum

    SGD, HeavyBall, Nesterov, TripleMomentum, AveragedSGD   methods for one level, on any number of devices
    FISTA, OGM, ITEM, Halpern                               the same with coefficients that change from step to step
    SVRG, SAGA, PAGE, STORM                                 the same with reduced variance; SAGA is for finite sums
    FedAvg, LocalGD, ProxSkip, SCAFFOLD, FedProx            federated methods for one level

`name_of` gives a method's name, and says whether it is reconstructed.
"""

from typing import TYPE_CHECKING

from ratecert.base.gone import face as _face
from ratecert.solvers import (
    BSA,
    FISTA,
    ITEM,
    MRBO,
    OGM,
    PAGE,
    SABA,
    SAGA,
    SCAFFOLD,
    SGD,
    SMB,
    SOBA,
    STEM,
    STORM,
    SUSTAIN,
    SVRG,
    TTSA,
    VRBO,
    AveragedSGD,
    FedAvg,
    FedBiOAcc,
    FedBiOAccGlobal,
    FedNest,
    FedProx,
    Halpern,
    HeavyBall,
    LFedNest,
    LocalBSGM,
    LocalBSGVRM,
    LocalGD,
    LocalSGD,
    Nesterov,
    ProxSkip,
    StocBiO,
    TripleMomentum,
    name_of,
)

__all__ = [
    "BSA", "FISTA", "ITEM", "MRBO", "OGM", "PAGE", "SABA", "SAGA", "SCAFFOLD", "SGD", "SMB", "SOBA", "STEM",
    "STORM", "SUSTAIN", "SVRG", "TTSA", "VRBO", "AveragedSGD", "FedAvg", "FedBiOAcc", "FedBiOAccGlobal", "FedNest",
    "FedProx", "Halpern", "HeavyBall", "LFedNest", "LocalBSGM", "LocalBSGVRM", "LocalGD", "LocalSGD", "Nesterov",
    "ProxSkip", "StocBiO", "TripleMomentum", "name_of",
]  # fmt: skip

if not TYPE_CHECKING:  # or every name would be one to a type checker
    __getattr__ = _face(__name__, __all__)
