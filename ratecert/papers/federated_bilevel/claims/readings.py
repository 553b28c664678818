"""The printed algorithms can be read in several ways, and the rates are the same in all of them.

A synchronisation averages "u_{t+1}, v_{t+1}" before these exist. momenta="carry": the u_t, v_t in hand are averaged;
"fresh": u_{t+1}, v_{t+1} are computed first, at the local points. The next difference of Algorithm 2 then starts from
the device's own x_t, y_t (previous="local", as printed) or from their means ("averaged"); under "fresh" it is taken
before the average. So Algorithm 1 has two readings and Algorithm 2 has three. Along Corollaries 1 and 3 each must have
the exponents in T and in K that the corollary claims, -1/2 and -2/3, and they must agree with one another.

The measures themselves differ a little, by what evidence/readings/differences.py foresees.
"""

import math
from collections.abc import Sequence

from ratecert.claim.check import Check
from ratecert.claim.claim import Claim, Json, Judgement
from ratecert.papers.federated_bilevel.evidence.readings import differences
from ratecert.papers.federated_bilevel.evidence.readings.charting import chart
from ratecert.papers.federated_bilevel.evidence.readings.runs import (
    K_HIGH,
    K_LOW,
    LARGER,
    READINGS,
    SCALAR,
    T_HIGH,
    T_LOW,
    THETA,
    UNITS,
    chosen,
    pieces,
)

EXPONENTS = {"corollary-1": -1 / 2, "corollary-3": -2 / 3}
TOLERANCE = 1e-3


def judge(values: Sequence[Json]) -> Judgement:
    rates = _rates(values)
    return Judgement(
        checks=[
            *(check for checks in rates.values() for check in checks),
            *(_agreement(name, checks) for name, checks in rates.items()),
            *differences.checks(values),
        ],
        regime="along the corollaries' scalings; rho and eta p are larger than Theorems 1 and 2 allow, and the larger "
        "they are, the more the readings differ",
        settings={
            "worlds": [SCALAR, LARGER],
            "theta": THETA,
            "units": UNITS,
            "start": "every entry of x_0 is 1, of y_0 is 0",
            "readings": {corollary: list(readings) for corollary, readings in READINGS.items()},
        },
        method="exact moments",
        chart=chart(values),
        notes=[
            "In Algorithm 2 a local and an averaged previous point differ by an amount of order (eta p)^2 relative to "
            "the measure. Along Corollary 3 eta p is constant: no T removes it, and it is small because Theorem 2 asks "
            "for eta p <= 1/(200 L_hat)."
        ],
        table=values,
    )


def _rates(values: Sequence[Json]) -> dict[str, list[Check]]:
    """The exponents of all readings, by what they are exponents of."""
    steps = [("T", low, T_HIGH, f"K = {low['K']}") for low in chosen(values, T=T_LOW)]
    steps += [("K", low, K_HIGH, f"T = 2^{math.log2(low['T']):g}") for low in chosen(values, K=K_LOW)]
    rates: dict[str, list[Check]] = {}
    for letter, low, end, where in steps:
        kept = {name: low[name] for name in ("corollary", "reading", "world", "K", "T", "unit_of_p")}
        (high,) = chosen(values, **{**kept, letter: end})
        name = f"exponent in {letter}, {low['corollary']}, {low['world']}, {where}"
        rates.setdefault(name, []).append(_exponent(f"{name}, {low['reading']}", letter, low, high))
    return rates


def _exponent(name: str, letter: str, low: Json, high: Json) -> Check:
    factor = math.log(high[letter] / low[letter])
    return Check(
        name=name,
        measured=math.log(high["measure"] / low["measure"]) / factor,
        predicted=EXPONENTS[low["corollary"]],
        tolerance=TOLERANCE,
        uncertainty=(low["precision"] + high["precision"]) / factor,
    )


def _agreement(name: str, checks: Sequence[Check]) -> Check:
    exponents = [check.measured for check in checks]
    return Check(
        name=f"{name}, spread over readings",
        measured=max(exponents) - min(exponents),
        predicted=0.0,
        tolerance=TOLERANCE,
        uncertainty=2 * max(check.uncertainty for check in checks),
    )


CLAIMS = (
    Claim(
        id="readings",
        of=("algorithm-1", "algorithm-2", "corollary-1", "corollary-3"),
        sentence="The exponents in T and in K do not depend on how the ambiguous lines of the algorithms are read, and "
        "the measures differ by no more than the noise of Hessian and Jacobian makes them.",
        pieces=pieces,
        judge=judge,
    ),
)
