"""The printed algorithms can be read in several ways, and the rates are the same in all of them.

A synchronisation averages "u_{t+1}, v_{t+1}" before these exist. momenta="carry": the u_t, v_t in hand are averaged;
"fresh": u_{t+1}, v_{t+1} are computed first, at the local points. The next difference of Algorithm 2 then starts from
the device's own x_t, y_t (previous="local", as printed) or from their means ("averaged"); under "fresh" it is taken
before the average. So Algorithm 1 has two readings and Algorithm 2 has three. Along Corollaries 1 and 3 each must have
the exponents in T and in K that the corollary claims, -1/2 and -2/3, and they must agree with one another.

The measures themselves differ a little. Averages over devices commute with the mean of a step. So readings differ
through the noise of Hessian and Jacobian alone, by what that noise is multiplied with in the one step after a
synchronisation. Relative to the noise of the p steps of a round, and up to constants:

    Algorithm 1, fresh against carry      multiplied with the drift, (1 - 1/K) eta^4 p^3, beside a noise of order 1 in
                                          each step: eta^4 p^2, along Corollary 1 T^{-3/2}
    Algorithm 2, local against averaged   multiplied with the drift, here (1 - 1/K) eta^6 p^3, beside a noise of order
                                          eta^4 in each step: (eta p)^2, along Corollary 3 T^0
    Algorithm 2, fresh against averaged   multiplied with a move eta u_k in the place of eta u_bar, whose squares differ
                                          by eta^6 p: eta^2, along Corollary 3 T^{-2/3}

The first cannot be seen at T = 2^36 and must be zero to rounding. The second does not vanish.
"""

import math
from collections.abc import Iterator
from typing import Any

from ratecert.claim import Budget, Chart, Check, Claim, Json, Panel, Piece, Rows
from ratecert.claim.checks import equal, error_of, exponent
from ratecert.claim.lines import corner, level, line
from ratecert.papers.federated_bilevel.evidence.experiment import Experiment

# without the first two there is one mean iterate
NOISE = {"sigma_H": 0.1, "sigma_J": 0.1, "s_f": 0.5, "s_g": 0.5}
SMALL = {"mu": 1.0, "L_1": 2.0, **NOISE}
WORLDS: dict[str, dict[str, Any]] = {
    "scalar": {"world": "scalar", "a": 0.5, "b": -0.2, "c": 0.3, **SMALL},
    "random_quadratic": {"world": "random_quadratic", "d_x": 1, "d_y": 2, "seed": 4, **SMALL},
}
THETA = 0.45
UNITS = {"eta": 0.5, "rho_1": 0.1, "rho_2": 0.3, "Q": 2.0}
VARIANTS: dict[str, dict[str, dict[str, str]]] = {
    "corollary-1": {"carry": {"momenta": "carry"}, "fresh": {"momenta": "fresh"}},
    "corollary-3": {
        "carry local": {"momenta": "carry", "previous": "local"},
        "carry averaged": {"momenta": "carry", "previous": "averaged"},
        "fresh": {"momenta": "fresh"},
    },
}
PAIRS = {
    "corollary-1, fresh against carry": ("corollary-1", "fresh", "carry"),
    "corollary-3, local against averaged": ("corollary-3", "carry local", "carry averaged"),
    "corollary-3, fresh against averaged": ("corollary-3", "fresh", "carry averaged"),
}

# exponents in T are taken at powers of 8: T^{1/3}, and with it p and B, is whole there
CURVE = tuple(2**i for i in range(9, 43, 3))
T_LOW, T_HIGH, K_CURVE = 2**36, 2**42, 8  # exponents in T are those over [T_LOW, T_HIGH]
K_LOW, K_HIGH, T_MIDDLE = 256, 1024, 2**40  # exponents in K are those over [K_LOW, K_HIGH], at T_MIDDLE
T_VISIBLE = (2**24, 2**30)  # where fresh and averaged differ by far more than rounding
T_SHORT, UNITS_SHORT = 2**63, (1 / 256, 1 / 128)  # rounds with p alpha eta <= 1e-3 and still p >= 1000

EXPONENTS = {"corollary-1": -1 / 2, "corollary-3": -2 / 3}
TOLERANCE = 1e-3  # of exponents
NOTHING = 1e-12
LEAST_DRAWN = 1e-16  # a difference may be zero, which a logarithmic axis cannot show


def run(corollary: str, reading: str, world: str, K: int, T: int, unit_of_p: float) -> list[Json]:
    """Run one reading at K and T along the corollary."""
    units = {**UNITS, "p": unit_of_p}
    here = Experiment(corollary=corollary, world=WORLDS[world], units=units, theta=THETA)
    return [here.row(here.run(K=K, T=T, **VARIANTS[corollary][reading]))]


def pieces(budget: Budget) -> list[Piece]:
    curve = (*T_VISIBLE, T_LOW, T_HIGH) if budget.quick else CURVE
    points = [("scalar", K_CURVE, T) for T in curve] + [("scalar", K, T_MIDDLE) for K in (K_LOW, K_HIGH)]
    if not budget.quick:
        others = (("scalar", 512), ("random_quadratic", 8))
        points += [(world, K, T) for world, K in others for T in (T_LOW, T_HIGH)]
        points += [("random_quadratic", K, T_MIDDLE) for K in (K_LOW, K_HIGH)]
    long = [(c, reading, *point, 1.0) for point in points for c, some in VARIANTS.items() for reading in some]
    short = [
        ("corollary-3", reading, "scalar", K_CURVE, T_SHORT, unit)
        for unit in UNITS_SHORT
        for reading in ("carry local", "carry averaged")
    ]
    names = ("corollary", "reading", "world", "K", "T", "unit_of_p")
    return [Piece(run, dict(zip(names, each, strict=True)), 0.1) for each in long + short]


def checks(rows: Rows) -> Iterator[Check]:
    rates = exponents(rows)
    for found in rates.values():
        yield from found
    for name, found in rates.items():
        values, error = [check.measured for check in found], max(check.uncertainty for check in found)
        yield equal(f"{name}, spread over readings", max(values) - min(values), 0.0, TOLERANCE, 2 * error)
    momenta, local, fresh = PAIRS
    none = differences(rows.where(T=T_LOW), momenta).only()
    name = f"{momenta}, relative difference at T = 2^{math.log2(T_LOW):g}"
    yield equal(name, none["difference"], 0.0, NOTHING, none["rounding"])
    for pair, letter, T, power in (
        (local, "T", (T_LOW, T_HIGH), 0.0),
        (local, "p", (T_SHORT,), 2.0),
        (fresh, "T", T_VISIBLE, -2 / 3),
    ):
        name, here = f"{pair}, exponent of the difference in {letter}", differences(rows.among(T=T), pair)
        yield exponent(name, here, "difference", letter, power, TOLERANCE)


def exponents(rows: Rows) -> dict[str, list[Check]]:
    """The exponents of all readings, by what they are exponents of."""
    rates: dict[str, list[Check]] = {}
    for letter, other, ends in (("T", "K", (T_LOW, T_HIGH)), ("K", "T", (K_LOW, K_HIGH))):
        for (corollary, world, at), here in rows.among(**{letter: ends}).by("corollary", "world", other):
            place = f"K = {at}" if other == "K" else f"T = 2^{math.log2(at):g}"
            name, power = f"exponent in {letter}, {corollary}, {world}, {place}", EXPONENTS[corollary]
            rates[name] = [
                exponent(f"{name}, {reading}", two, "measure", letter, power, TOLERANCE)
                for reading, two in here.by("reading")
            ]
    return rates


def differences(rows: Rows, pair: str) -> Rows:
    """The relative difference of two readings on the scalar world wherever both were run with K_CURVE devices."""
    corollary, *both = PAIRS[pair]
    here = rows.where(corollary=corollary, world="scalar", K=K_CURVE)
    found = []
    for one, other in zip(*(here.where(reading=reading) for reading in both), strict=True):
        difference, rounding = one["measure"] / other["measure"] - 1, error_of(one) + error_of(other)
        precision = rounding / abs(difference) if difference else math.inf
        known = {"difference": difference, "rounding": rounding, "precision": precision}
        found.append({"T": one["T"], "p": one["p"], **known})
    return Rows(found)


def chart(rows: Rows) -> Chart:
    return Chart(
        caption="First: the measure along Corollaries 1 and 3; of the five readings only two curves can be told apart. "
        "Second: relative differences between readings. Momenta that are computed before they are averaged make "
        "a difference that falls with T; whether the previous point is averaged makes a small one that stays.",
        panels=[_measures(rows), _differences(rows)],
    )


def _measures(rows: Rows) -> Panel:
    here = rows.where(world="scalar", K=K_CURVE, unit_of_p=1.0)
    curves = {f"{c}, {reading}": curve for (c, reading), curve in here.by("corollary", "reading")}
    first, *_, last = curves.values()
    return Panel(
        x_label="$T$",
        y_label=r"average of $\|\nabla\Phi(\bar x_t)\|^2 + \tilde{L}^2 \|\bar y_t - y^*(\bar x_t)\|^2$",
        series=[line(name, each, "T", "measure", colour=i) for i, (name, each) in enumerate(curves.items())],
        triangles=[
            corner(first[-2], "T", "measure", -1 / 2, above=2, label="-1/2", factor=16.0, colour=1),
            corner(last[-2], "T", "measure", -2 / 3, above=2, label="-2/3", factor=16.0, colour=4),
        ],
    )


def _differences(rows: Rows) -> Panel:
    found = {pair: differences(rows.where(unit_of_p=1.0), pair) for pair in PAIRS}
    (*_, fresh), times = found.values(), next(iter(found.values())).column("T")
    rounding = max(row["rounding"] for here in found.values() for row in here)
    return Panel(
        x_label="$T$",
        y_label="relative difference of the measure",
        series=[
            *(
                line(pair, here, "T", lambda row: max(abs(row["difference"]), LEAST_DRAWN), kind="contrast", colour=i)
                for (pair, here), i in zip(found.items(), (1, 2, 4), strict=True)
            ),
            level("rounding", times, rounding, kind="bound", colour=6),
        ],
        triangles=[
            corner(fresh.where(T=T_VISIBLE[0]).only(), "T", "difference", -2 / 3, above=4, label="-2/3",
                   factor=64.0, colour=4)
        ],
    )  # fmt: skip


CLAIMS = (
    Claim(
        id="readings",
        of=("algorithm-1", "algorithm-2", "corollary-1", "corollary-3"),
        sentence="The exponents in T and in K do not depend on how the ambiguous lines of the algorithms are read, and "
        "the measures differ by no more than the noise of Hessian and Jacobian makes them.",
        pieces=pieces,
        checks=checks,
        regime="along the corollaries' scalings; rho and eta p are larger than Theorems 1 and 2 allow, and the larger "
        "they are, the more the readings differ",
        method="exact moments",
        evidence=("exact moments",),
        settings={
            "worlds": list(WORLDS.values()),
            "theta": THETA,
            "units": UNITS,
            "start": "every entry of x_0 is 1, of y_0 is 0",
            "readings": {corollary: list(some.values()) for corollary, some in VARIANTS.items()},
        },
        chart=chart,
        notes=[
            "In Algorithm 2 a local and an averaged previous point differ by an amount of order (eta p)^2 relative to "
            "the measure. Along Corollary 3 eta p is constant: no T removes it, and it is small because Theorem 2 asks "
            "for eta p <= 1/(200 L_hat)."
        ],
        table=("corollary", "reading", "world", "K", "T", "unit_of_p", "p", "measure", "precision"),
        runs=("LocalBSGM", "LocalBSGVRM"),
    ),
)
