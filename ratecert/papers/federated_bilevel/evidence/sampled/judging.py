"""From sampled points to checks, panels and words; see evidence/sampled/rate.py for how they are sampled."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from ratecert.claim.chart import Panel, Series, Triangle
from ratecert.claim.check import Check, Relation
from ratecert.claim.slope import quantile
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.evidence.sampled.rate import (
    CONFIDENCE,
    Setup,
    claimed_exponent,
    slope_of,
)
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.theory.language.statements import Corollary
from ratecert.theory.numbers.admissible import admissible

Row = Mapping[str, Any]
Letter = Literal["T", "K"]

LABELS = {
    "measure": r"gradient + $\tilde{L}^2$ tracking, mean over $t < T$",
    "gradient": r"$\|\nabla\Phi(\bar{x}_t)\|^2$, mean over $t < T$",
}


def in_role(rows: Sequence[Row], role: str) -> list[Row]:
    return [row for row in rows if row["role"] == role]


def exponent_check(
    rows: Sequence[Row],
    corollary: str,
    quantity: str,
    tolerance: float,
    *,
    letter: Letter = "T",
    relation: Relation = "=",
) -> Check:
    """The exponent in T, or in K, is the claimed one."""
    slope = slope_of(rows, quantity)
    return Check(
        name=f"exponent of the {quantity} in {letter}, {letter} = {rows[0][letter]} ... {rows[-1][letter]}",
        measured=slope.value,
        predicted=claimed_exponent(corollary, letter),
        relation=relation,
        tolerance=tolerance,
        uncertainty=slope.uncertainty,
    )


def contrast_check(rows: Sequence[Row], corollary: str, what: str, tolerance: float) -> Check:
    """The exponent of the measure is too large by two tolerances, up to one: outside of what is allowed."""
    slope = slope_of(rows, "measure")
    return Check(
        name=f"exponent of the measure in T told apart, {what}",
        measured=slope.value,
        predicted=claimed_exponent(corollary, "T") + 2 * tolerance,
        relation=">=",
        tolerance=tolerance,
        uncertainty=slope.uncertainty,
    )


def panel(
    rows: Sequence[Row],
    corollary: str,
    quantity: str,
    *,
    letter: Letter = "T",
    contrast: Sequence[Row] = (),
    what: str = "",
) -> Panel:
    """The points with their intervals, a line of the claimed exponent through them, and the contrast."""
    x, y = _columns(rows, letter, quantity)
    exponent = claimed_exponent(corollary, letter)
    rate = f"${letter}^{{{Fraction(exponent).limit_denominator(99)}}}$"
    line = np.exp((np.log(y) - exponent * np.log(x)).mean()) * x**exponent
    bars = [quantile(CONFIDENCE, row["replicates"]) * row[f"{quantity}_error"] for row in rows]
    series = [
        Series(label="sampled", x=x.tolist(), y=y.tolist(), kind="sampled", error=bars),
        Series(label=f"{rate} through the points", x=x.tolist(), y=line.tolist(), kind="predicted"),
    ]
    if contrast:
        other_x, other_y = _columns(contrast, letter, quantity)
        label = f"{what}: exponent {_exponent(contrast, quantity)}"
        series.append(Series(label=label, x=other_x.tolist(), y=other_y.tolist(), kind="contrast", colour=1))
    return Panel(
        x_label=f"${letter}$",
        y_label=LABELS[quantity],
        title=f"exponent in ${letter}$: {_exponent(rows, quantity)}",
        series=series,
        triangles=[Triangle(x=float(x[0]), y=0.45 * float(y[0]), slope=exponent, label=rate, factor=2.0)],
    )


def regime(rows: Sequence[Row], setup: Setup) -> str:
    """Where the points lie, and how far beyond the theorem's own conditions."""
    first, last, rho_1 = rows[0], rows[-1], setup.units["rho_1"]
    theorem = paper().the(Corollary, setup.corollary).theorem
    constants = build(setup.world).constants(radius=setup.radius) | {"Phi_gap": 1.0, "y_gap": 1.0}
    admitted = admissible(theorem, constants, K=last["K"], p=last["p"], T=last["T"], paper=paper("printed"))
    return (
        f"K = {last['K']}, T = {first['T']} to {last['T']}; the corollary's orders, whose units are ours: outside the "
        f"conditions of {theorem}, which admits rho_1 up to {admitted.values['rho_1']:.1e} here, and rho_1 = {rho_1:g}"
    )


def how(rows: Sequence[Row]) -> str:
    counts = [row["replicates"] for row in rows]
    return (
        f"sampled, {min(counts)} to {max(counts)} runs per point, planned from pilots; intervals by the infinitesimal "
        f"jackknife, error probability {1 - CONFIDENCE:.0e} each"
    )


def _columns(rows: Sequence[Row], letter: Letter, quantity: str) -> tuple[Any, Any]:
    return np.array([float(row[letter]) for row in rows]), np.array([row[quantity] for row in rows])


def _exponent(rows: Sequence[Row], quantity: str) -> str:
    slope = slope_of(rows, quantity)
    return rf"${slope.value:.3f} \pm {slope.uncertainty:.3f}$"
