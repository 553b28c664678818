"""How far devices drift apart within a round of p steps: the exponent in p, and the factor.

Write w = alpha eta (LocalBSGM) or alpha eta^2 (LocalBSGVRM) for the weight of a sample in u. After m steps a sample's
part of u is w (1 - w)^(m-1), so its part of x is rho_1 eta r_m with r_m = 1 - (1 - w)^m: about m w in short rounds
(p w << 1), about 1 in long ones. As long as p eta rho ||J|| << 1 nothing else happens, and after j steps of a round

    alike       x_k - xbar = -rho_1 eta sum_{m <= j} r_m n_m                n_m independent, of variance (1 - 1/K) V_h
    different   x_k - xbar = -rho_1 eta sum_{m <= j} r_m F_k                F_k what a device misses at the solution

Independent noise adds squares, a difference adds up. Averaged over the states j = 0, ..., p - 1 of a round the drift is

    alike       rho_1^2 eta^2 (1 - 1/K) V_h  (1/p) sum_{j<p} sum_{m<=j} r_m^2        short: w^2 p^3/12     long: p/2
    different   rho_1^2 eta^2 F^2            (1/p) sum_{j<p} (sum_{m<=j} r_m)^2      short: w^2 p^4/20     long: p^2/3

and that of y is the same with beta, rho_2, V_g and its F. This is for momenta `carry`.

The drift terms of Theorem 1 go as p^4 and p^2, the exponents of devices that differ: they use the size of the estimates
and not the independence of their noise. On devices that are alike, of which the theorem speaks, the drift has one power
of p less.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ratecert.claims import Budget, Chart, Check, Claim, Json, Piece, Rows
from ratecert.claims.checks import equal, exponent, gap
from ratecert.claims.lines import corner, figure, line
from ratecert.papers.federated_bilevel.evidence.periods.communication import method_of, world_of
from ratecert.papers.federated_bilevel.evidence.periods.two_group_world import own_field
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.solvers import stationary
from ratecert.solvers.methods.local_method import LocalMethod
from ratecert.theory.language.letters import names_of
from ratecert.theory.language.statements import Theorem
from ratecert.theory.numbers.evaluation import number

EXPONENTS = {("alike", "short"): 3, ("different", "short"): 4, ("alike", "long"): 1, ("different", "long"): 2}
ALIKE: dict[str, Any] = {
    "world": "scalar",
    "mu": 1.0,
    "L_1": 2.0,
    "a": 0.5,
    "b": -0.5,
    "s_f": 0.5,
    "s_g": 0.5,
}
DIFFERENT: dict[str, Any] = {"two_kinds": {"K": 2, "dial": 0.1}}
WORLDS, DEVICES = {"alike": ALIKE, "different": DIFFERENT}, {"alike": 4, "different": 2}
FIXED: dict[str, Any] = {"theta": 0.4, "Q": 60}
SHORT: dict[str, dict[str, Any]] = {
    "LocalBSGM": {"eta": 1e-7, "alpha": 1.0, "beta": 1.0, "rho_1": 0.1, "rho_2": 0.1},
    "LocalBSGVRM": {"eta": 1e-2, "alpha": 2e-5, "beta": 2e-5, "rho_1": 1e-6, "rho_2": 1e-6},
}
LONG: dict[str, Any] = {"eta": 1e-4, "alpha": 200.0, "beta": 200.0, "rho_1": 1e-6, "rho_2": 1e-6}
SHORT_ROUNDS = [1024, 4096]  # p alpha eta <= 1e-3
LONG_ROUNDS = [16384, 32768]  # p alpha eta >= 300
TOLERANCE = {"short": 1e-3, "long": 1e-2}
FACTOR = 1e-3  # of the closed form, which leaves out terms of relative size p eta rho ||J||, 1e-4 here


def drifts(devices: str, method: str, rounds: str, periods: list[int]) -> list[Json]:
    """Compute the drift of x at rest, and the closed form of it, per period."""
    world, K = world_of(WORLDS[devices]), DEVICES[devices]
    steps = {**FIXED, **(SHORT[method] if rounds == "short" else LONG)}
    rows = []
    for p in periods:
        solver = method_of(method, steps, p=p)
        limit, closed = stationary(world, solver, K=K), closed_form(world, solver, devices, K)
        found = {"drift_x": limit.drift_x, "closed form": closed, "precision": limit.relative_error.drift_x}
        rows.append({"p": p, **found})
    return rows


def closed_form(world: Any, solver: LocalMethod, devices: str, K: int) -> float:
    """Compute the drift of x: on a scalar world without Hessian noise, or on a two-group world without noise."""
    weight = solver.alpha * solver.schedule.largest**solver.weight_power
    r = -np.expm1(np.arange(1, solver.p) * math.log1p(-weight))
    if devices == "alike":
        sums = (1 - 1 / K) * variance(world, solver) * np.cumsum(r**2)
    else:
        sums = float(own_field(world, solver)[0]) ** 2 * np.cumsum(r) ** 2
    return float((solver.rho_1 * solver.schedule.largest) ** 2 * np.sum(sums)) / solver.p


def variance(world: Any, solver: LocalMethod) -> float:
    """Compute V_h = s_f^2 (1 + (B Hhat)^2), as h = grad_x f + B Hhat grad_y f, both with noise s_f."""
    A, B = float(world.A[0, 0]), float(world.B[0, 0])
    inverse = (1 - (1 - solver.theta * A) ** (solver.Q + 1)) / A
    return float(world.s_f**2 * (1 + (B * inverse) ** 2))


def pieces(budget: Budget) -> list[Piece]:
    curve = [4, 32, 256] if budget.quick else [2, 4, 8, 16, 32, 64, 128, 256, 1024, 4096]
    asked = [
        ("LocalBSGM", "short", SHORT_ROUNDS),
        ("LocalBSGVRM", "short", SHORT_ROUNDS),
        ("LocalBSGM", "long", [*curve, *LONG_ROUNDS]),
    ]
    return [
        Piece(drifts, {"devices": d, "method": m, "rounds": r, "periods": p}, seconds=len(p) * 0.2)
        for m, r, p in asked
        for d in DEVICES
    ]


def checks(rows: Rows) -> Iterator[Check]:
    for (method, devices, rounds), here in rows.by("method", "devices", "rounds"):
        name, power = f"{method}, devices {devices}, {rounds} rounds", EXPONENTS[devices, rounds]
        tail, tolerance = here.last(2), TOLERANCE[rounds]
        yield exponent(f"exponent in p, {name}", tail, "drift_x", "p", power, tolerance)
        yield gap(f"largest gap to the closed form, {name}", here, "drift_x", "closed form", FACTOR)
    short = rows.where(method="LocalBSGM", devices="alike", rounds="short").last(2)
    alike = exponent("alike", short, "drift_x", "p", 3.0, TOLERANCE["short"])
    yield equal(
        "largest exponent of p in Theorem 1 minus that of the drift, devices alike",
        max(powers_of_p()["theorem-1"].values()) - alike.measured,
        1.0,
        1e-3,
        alike.uncertainty,
    )


def powers_of_p() -> dict[str, dict[str, float]]:
    """Read theorem -> drift term -> its exponent of p off the statements."""
    powers: dict[str, dict[str, float]] = {}
    for id in ("theorem-1", "theorem-2"):
        terms = paper("repaired").the(Theorem, id).terms
        powers[id] = {name: power_of_p(term) for name, term in terms.items() if name.startswith("drift")}
    return powers


def power_of_p(term: Any) -> float:
    """Find n of a term p^n (...) from its values at p = 1 and p = 2."""
    ones = dict.fromkeys(names_of(term), 1.0)
    return math.log2(number(term, {**ones, "p": 2.0}) / number(term, ones))


def chart(rows: Rows) -> Chart:
    series, triangles = [], []
    for i, (devices, here) in enumerate(rows.where(rounds="long").by("devices")):
        series += [
            line(f"devices {devices}", here, "p", "drift_x", colour=i),
            line(f"devices {devices}, closed form", here, "p", "closed form", kind="predicted", colour=i + 2),
        ]
        first, last = EXPONENTS[devices, "short"], EXPONENTS[devices, "long"]
        above, below = (200.0, 0.3) if devices == "alike" else (0.1, 40.0)  # where no line is
        triangles += [
            corner(here[1], "p", "drift_x", first, above=above, colour=i),
            corner(here[-2], "p", "drift_x", last, above=below, back=True, colour=i),
        ]
    return figure(
        "The drift of LocalBSGM at alpha eta = 0.02. Short rounds: p^3 where devices are alike, p^4 where they "
        "differ. Long rounds: p and p^2.",
        "communication period $p$",
        r"drift $\frac{1}{K}\sum_k E\|x^{(k)} - \bar x\|^2$",
        series,
        triangles,
    )


def notes(_: Rows) -> list[str]:
    powers = [(name, id, power) for id, terms in powers_of_p().items() for name, power in terms.items()]
    listed = ", ".join(f"{name} of {id} {power:g}" for name, id, power in powers)
    return [
        f"Powers of p in the drift terms of the theorems: {listed}. Theorem 1 charges the p^4 and p^2 "
        "of devices that differ; on devices that are alike the drift grows as p^3, then as p.",
        "In Theorem 2 the drift term goes as p^2 eta^4; the drift itself as p^3 eta^6 on devices that are alike, "
        "which its condition on p eta makes smaller.",
    ]


CLAIMS = (
    Claim(
        id="communication-period.drift",
        of=("theorem-1", "theorem-2"),
        sentence="In short rounds devices that are alike drift apart as p^3, one power less than Theorem 1 "
        "charges, and devices that differ as p^4; in long rounds as p and p^2.",
        pieces=pieces,
        checks=checks,
        regime="at rest (T -> infinity); devices alike with additive noise, as the paper assumes, and two kinds of "
        "devices without noise, outside its homogeneity; p eta rho ||J|| <= 1e-4 throughout",
        method="exact moments at rest",
        evidence=("exact moments", "closed forms"),
        settings={**WORLDS, "K": DEVICES, "short rounds": SHORT, "long rounds": LONG, **FIXED},
        chart=chart,
        notes=notes,
        table=("devices", "method", "rounds", "p", "drift_x", "closed form"),
        runs=("LocalBSGM", "LocalBSGVRM"),
    ),
)
