"""Algorithms, each written once and run by every engine; `rc.contract` has what one of your own needs.

    LocalBSGM, LocalBSGVRM                         the two of the first paper
    LocalSGD, STEM                                 without momentum, and for one level
    FedNest, LFedNest, FedBiOAcc, FedBiOAccGlobal  other federated methods
    BSA, TTSA, StocBiO, SMB, SUSTAIN, MRBO, VRBO   methods for one machine

`name_of` gives a method's name, and says whether it is reconstructed.
"""

from ratecert.solvers import (
    BSA,
    MRBO,
    SMB,
    STEM,
    SUSTAIN,
    TTSA,
    VRBO,
    FedBiOAcc,
    FedBiOAccGlobal,
    FedNest,
    LFedNest,
    LocalBSGM,
    LocalBSGVRM,
    LocalSGD,
    StocBiO,
    name_of,
)

__all__ = [
    "BSA", "MRBO", "SMB", "STEM", "SUSTAIN", "TTSA", "VRBO", "FedBiOAcc", "FedBiOAccGlobal", "FedNest",
    "LFedNest", "LocalBSGM", "LocalBSGVRM", "LocalSGD", "StocBiO", "name_of",
]  # fmt: skip
