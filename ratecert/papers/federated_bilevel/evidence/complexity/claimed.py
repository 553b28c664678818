"""What is claimed for each method: exponents of 1/eps in samples and rounds, and whether K devices need 1/K as many.

The rows of the paper's table come from the statement in theory/, the others from the methods' own papers, logarithms
aside. All are for E||grad Phi||^2 <= eps.
"""

from dataclasses import dataclass
from fractions import Fraction

from ratecert.papers.federated_bilevel.paper import paper
from ratecert.theory.language.statements import Counts
from ratecert.theory.orders.derivation import as_monomial

IN_TABLE_1 = {
    "FedNest": "FEDNEST",
    "FedBiOAcc": "FedBiOAcc",
    "LocalBSGM": "LocalBSGM",
    "LocalBSGVRM": "LocalBSGVR-constant",
}


@dataclass(frozen=True)
class Claimed:
    samples: Fraction
    rounds: Fraction | None  # None on one machine
    speedup: bool | None  # None where no claim is made because there are no devices
    by: str
    samples_of_f: Fraction | None = None  # where it differs from the rest
    stated: bool = True  # False: nobody claims it, it is what the steps are for


def claimed(method: str) -> Claimed:
    if method in IN_TABLE_1:
        row = next(c for c in paper().the(Counts, "table-1").costs if c.method == IN_TABLE_1[method])
        in_eps = {name: -as_monomial(s.order).exponent("eps") for name, s in row.counts.items()}
        return Claimed(in_eps["samples"], in_eps["rounds"], row.linear_speedup, "Table 1")
    return ELSEWHERE[method]


ELSEWHERE = {
    "LFedNest": Claimed(Fraction(2), Fraction(2), False, "its steps, as FEDNEST's", stated=False),
    "FedBiOAccGlobal": Claimed(Fraction(3, 2), Fraction(1), True, "its paper"),
    "LocalSGD": Claimed(Fraction(2), Fraction(3, 2), None, "its steps, as LocalBSGM's", stated=False),
    "STEM": Claimed(Fraction(3, 2), Fraction(1), True, "its paper"),
    "BSA": Claimed(Fraction(3), None, None, "its paper", samples_of_f=Fraction(2)),
    "TTSA": Claimed(Fraction(5, 2), None, None, "its paper"),
    "StocBiO": Claimed(Fraction(2), None, None, "its paper"),
    "SMB": Claimed(Fraction(2), None, None, "its paper"),
    "SUSTAIN": Claimed(Fraction(3, 2), None, None, "its paper"),
    "MRBO": Claimed(Fraction(3, 2), None, None, "its paper"),
    "VRBO": Claimed(Fraction(3, 2), None, None, "its paper"),
}
