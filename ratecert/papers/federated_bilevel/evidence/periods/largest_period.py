"""p_max, the largest p that raises the measure by at most 1 % over p = 1: the search for it, its exponents, its figure.

p_max is a whole number; exponents are those of the real number, between p_max and p_max + 1, at which 1 % is reached.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ratecert.base.errors import UndecidedError
from ratecert.claims import Check, Panel, Rows
from ratecert.claims.checks import exponent
from ratecert.claims.lines import corner, line, power_law
from ratecert.papers.federated_bilevel.evidence.periods.communication import run_near
from ratecert.papers.federated_bilevel.evidence.periods.period_orders import Order
from ratecert.solvers.methods.local_method import LocalMethod

FRACTION = 0.01
TOLERANCE = 1e-3  # of the exponents
MOST_RUNS = 16


@dataclass(frozen=True)
class LargestPeriod:
    p: int  # raises the measure by at most the fraction; p + 1 by more
    real: float  # where the fraction is reached, between p and p + 1
    runs: int  # how many periods were tried


def largest_period(
    rise: Callable[[int], float], fraction: float, *, near: int, power: float
) -> LargestPeriod:
    """Find p for a relative rise(p) of about p^power, growing between p = 1 and where it reaches the fraction.

    `near` is where to look first. Only neighbours, one on each side of the fraction, end the search.
    """
    known: dict[int, float] = {1: 0.0}
    p = near
    while len(known) <= MOST_RUNS:
        known[p] = rise(p)
        below = max(q for q in known if known[q] <= fraction)
        above = min((q for q in known if known[q] > fraction), default=2**62)
        if above <= below + 1:
            return LargestPeriod(below, _between(below, known[below], known[above], fraction), len(known) - 1)
        guess = p * (fraction / known[p]) ** (1 / power) if known[p] > 0 else 2 * p
        p = min(max(math.floor(guess), below + 1), above - 1)
    raise UndecidedError(f"no largest period within {MOST_RUNS} runs: {known}.")


def _between(p: int, low: float, high: float, fraction: float) -> float:
    """Find the real number; log rise is nearly linear in log p."""
    if low <= 0:
        return float(p)
    return p * math.exp(math.log(1 + 1 / p) * math.log(fraction / low) / math.log(high / low))


def largest_row(world: Any, solver: LocalMethod, *, K: int, T: int, near: int, power: int) -> dict[str, Any]:
    """Find p_max for runs from the solution; `measure` and its `precision` are those of p = 1, `corollary` its p."""
    base = run_near(world, replace(solver, p=1), K=K, T=T)

    def rise(p: int) -> float:
        return float(run_near(world, replace(solver, p=p), K=K, T=T)["measure"] / base["measure"] - 1)

    found = largest_period(rise, FRACTION, near=near, power=power)
    return {**base, "corollary": solver.p, "p": found.p, "real": found.real}


def exponents(case: str, rows: Rows, order: Order) -> Iterator[Check]:
    """Check p_max in T over the first two rows and, where there is another K, in K over the first and the last."""
    yield exponent(f"exponent of p_max in T, {case}", rows[:2], "real", "T", order.T, TOLERANCE)
    ends = rows[:: len(rows) - 1]
    if len(ends.cells("K")) > 1:
        yield exponent(f"exponent of p_max in K, {case}", ends, "real", "K", order.K, TOLERANCE)


def panel(title: str, rows: Rows, slope: Fraction, *, law: str, corollary: str, factor: float) -> Panel:
    """Draw p_max against T at the first row's K, with the law and the corollary's p under these labels."""
    here = rows.where(K=rows[0].get("K")).sorted("T")
    return Panel(
        title=title,
        x_label="iterations $T$",
        y_label="period $p$",
        series=[
            line(r"$p_{\max}$: +1 %", here, "T", "real"),
            power_law(law, here, "T", "real", slope, kind="predicted", colour=1),
            line(corollary, here, "T", "corollary", kind="contrast", colour=2),
        ],
        triangles=[corner(here[0], "T", "real", slope, above=0.6, factor=factor, colour=1)],
    )
