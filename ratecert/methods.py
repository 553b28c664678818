"""Algorithms, each written once and run by every engine; `rc.contract` has what one of your own needs.

    LocalBSGM, LocalBSGVRM                         the two of the first paper
    LocalSGD, STEM                                 without momentum, and for one level
    FedNest, LFedNest, FedBiOAcc, FedBiOAccGlobal  other federated methods
    BSA, TTSA, StocBiO, SMB, SUSTAIN, MRBO, VRBO   methods for one machine

    SGD, HeavyBall, Nesterov, TripleMomentum, AveragedSGD, SVRG   methods for one level, on any number of devices
    FedAvg, LocalGD, ProxSkip, SCAFFOLD, FedProx                  federated methods for one level

`name_of` gives a method's name, and says whether it is reconstructed.
"""

from ratecert.solvers import (
    BSA,
    MRBO,
    SCAFFOLD,
    SGD,
    SMB,
    STEM,
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
    "BSA", "MRBO", "SCAFFOLD", "SGD", "SMB", "STEM", "SUSTAIN", "SVRG", "TTSA", "VRBO", "AveragedSGD", "FedAvg",
    "FedBiOAcc", "FedBiOAccGlobal", "FedNest", "FedProx", "HeavyBall", "LFedNest", "LocalBSGM", "LocalBSGVRM",
    "LocalGD", "LocalSGD", "Nesterov", "ProxSkip", "StocBiO", "TripleMomentum", "name_of",
]  # fmt: skip
