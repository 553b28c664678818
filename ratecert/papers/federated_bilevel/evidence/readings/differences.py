"""By how much the readings differ, and how much was to be expected.

Averages over devices commute with the mean of a step. So readings differ through the noise of Hessian and Jacobian
alone, by what that noise is multiplied with in the one step after a synchronisation. Relative to the noise of the p
steps of a round, and up to constants:

    Algorithm 1, fresh against carry      multiplied with the drift, (1 - 1/K) eta^4 p^3, beside a noise of order 1 in
                                          each step: eta^4 p^2, along Corollary 1 T^{-3/2}
    Algorithm 2, local against averaged   multiplied with the drift, here (1 - 1/K) eta^6 p^3, beside a noise of order
                                          eta^4 in each step: (eta p)^2, along Corollary 3 T^0
    Algorithm 2, fresh against averaged   multiplied with a move eta u_k in the place of eta u_bar, whose squares differ
                                          by eta^6 p: eta^2, along Corollary 3 T^{-2/3}

The first cannot be seen at T = 2^36 and must be zero to rounding. The second does not vanish.
"""

import math
from collections.abc import Sequence

from ratecert.claim.check import Check
from ratecert.claim.claim import Json
from ratecert.papers.federated_bilevel.evidence.readings.runs import (
    T_HIGH,
    T_LOW,
    T_SHORT,
    T_VISIBLE,
    chosen,
    curve,
)

TOLERANCE = 1e-3  # of exponents; that in p is taken where p >= 1000 and p alpha eta <= 1e-3
NOTHING = 1e-12

PAIRS = {
    "corollary-1, fresh against carry": ("corollary-1", "fresh", "carry"),
    "corollary-3, local against averaged": ("corollary-3", "carry local", "carry averaged"),
    "corollary-3, fresh against averaged": ("corollary-3", "fresh", "carry averaged"),
}


def differences(values: Sequence[Json], pair: str) -> list[Json]:
    """T, p, the relative difference of the pair and its rounding, for every T of the curve."""
    corollary, *both = PAIRS[pair]
    return _relative(*(curve(values, corollary, reading) for reading in both))


def _relative(ones: Sequence[Json], others: Sequence[Json]) -> list[Json]:
    return [
        {
            "T": one["T"],
            "p": one["p"],
            "difference": one["measure"] / other["measure"] - 1,
            "rounding": one["precision"] + other["precision"],
        }
        for one, other in zip(ones, others, strict=True)
    ]


def checks(values: Sequence[Json]) -> list[Check]:
    momenta, local, fresh = PAIRS
    (none,) = chosen(differences(values, momenta), T=T_LOW)
    rounds = _relative(*(chosen(values, T=T_SHORT, reading=reading) for reading in PAIRS[local][1:]))
    return [
        Check(
            name=f"{momenta}, relative difference at T = 2^{math.log2(T_LOW):g}",
            measured=none["difference"],
            predicted=0.0,
            tolerance=NOTHING,
            uncertainty=none["rounding"],
        ),
        _exponent(f"{local}, exponent of the difference in T", "T", _at(values, local, T_LOW, T_HIGH), 0.0),
        _exponent(f"{local}, exponent of the difference in p", "p", rounds, 2.0),
        _exponent(f"{fresh}, exponent of the difference in T", "T", _at(values, fresh, *T_VISIBLE), -2 / 3),
    ]


def _at(values: Sequence[Json], pair: str, *times: int) -> list[Json]:
    return [row for row in differences(values, pair) if row["T"] in times]


def _exponent(name: str, letter: str, rows: Sequence[Json], predicted: float) -> Check:
    """Of the difference, between two rows; there is none if a difference is not positive."""
    low, high = rows
    factor = math.log(high[letter] / low[letter])
    positive = low["difference"] > 0 and high["difference"] > 0
    return Check(
        name=name,
        measured=math.log(high["difference"] / low["difference"]) / factor if positive else math.nan,
        predicted=predicted,
        tolerance=TOLERANCE,
        uncertainty=sum(r["rounding"] / r["difference"] for r in rows) / factor if positive else 0.0,
    )
