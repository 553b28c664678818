"""With an average after every step (p = tau = 1): the runs that several claims plan, and what is checked of them."""

from collections.abc import Iterable, Iterator
from typing import Any

from ratecert.claim import Budget, Check, Piece, Rows
from ratecert.claim.checks import at_least, difference, exponent
from ratecert.papers.federated_bilevel.evidence.at_rest.methods import METHODS, shown
from ratecert.papers.federated_bilevel.evidence.at_rest.places import X_STAR
from ratecert.papers.federated_bilevel.evidence.at_rest.resting import STEP, THREE, TWO, WORLDS, resting

SMALL = [1e-4, 2e-4]  # dials of the exponents
LARGE = 0.2
DRAWN = [0.01, 0.02, 0.05, 0.1]
FEW = 2  # terms of a series whose bias is to be seen

EXACT = 1e-12
ROUNDING = 1e-14  # of x at rest: means and closed forms are in doubles
EXPONENT = 1e-3
CARRIES = 1e-6  # a gradient above it is a bias and no rounding

OUTSIDE = "devices that differ, outside the paper's homogeneity; no noise, at rest"
AT_REST: dict[str, Any] = {
    "of": ("lemma-1",),
    "method": "fixed points of noise-free rounds in 50 digits, against closed forms",
    "evidence": ("fixed points", "closed forms"),
    "runs": ("LocalBSGM", "LocalBSGVRM"),
}
"""What all claims on methods at rest have in common."""
AT_P_1: dict[str, Any] = {
    "regime": f"{OUTSIDE}; p = tau = 1, and so many terms that the series leaves out less than 1e-13, unless a check "
    "says otherwise",
    "settings": {
        "worlds": [WORLDS[THREE], WORLDS[TWO]],
        "dials": [*SMALL, *DRAWN, LARGE],
        "step": STEP,
        "few terms": FEW,
    },
    **AT_REST,
}
"""What those with an average after every step have in common."""
BIAS_OF_ANY_SIZE = {"||grad Phi||": "any size above rounding is a bias"}


def planned(
    method: str, world: str, dials: list[float], seconds: float, *, p: int = 1, few: int | None = None
) -> Piece:
    return Piece(resting, {"method": method, "world": world, "dials": dials, "p": p, "few": few}, seconds)


def at_p_1(methods: Iterable[str], budget: Budget) -> Iterator[Piece]:
    """Plan an average after every step and all terms; where a method rests at x_star there is nothing to draw."""
    drawn = DRAWN[1:2] if budget.quick else DRAWN
    for method in methods:
        small = [] if METHODS[method].place == X_STAR else SMALL
        yield planned(method, THREE, [*small, *(drawn if small else []), LARGE], 1.0)
        if not budget.quick:
            yield planned(method, TWO, [*small, LARGE], 2.0)


def with_few_terms(methods: Iterable[str]) -> list[Piece]:
    return [planned(method, THREE, [LARGE], 0.2, few=FEW) for method in methods]


def only_a_cut_series(p: int, budget: Budget) -> Piece:
    """Plan FedNest with too few terms, which is its only bias, at several dials."""
    dials = [DRAWN[0], DRAWN[2], LARGE] if p == 1 and not budget.quick else [DRAWN[1], LARGE]
    return planned("FedNest", THREE, dials, 2.0, p=p, few=FEW)


def alike_in(world: str, methods: Iterable[str]) -> list[Piece]:
    return [planned(method, world, [*SMALL, LARGE], 0.3) for method in methods]


def those(rows: Rows, *worlds: str, few: int | None = None) -> Iterator[Rows]:
    """The runs at p = 1 on these worlds, or on the two of all claims, and with so many terms."""
    for (_, world), here in rows.where(p=1, few=few).by("method", "world"):
        if world in (worlds or (THREE, TWO)):
            yield here


def where(rows: Rows, after: str = "") -> str:
    return f"{shown(rows[0]['method'])}, K = {rows[0].get('K')}{after}"


def distance(rows: Rows, place: str, after: str = "") -> Check:
    return difference(f"distance from {place}, {where(rows, after)}", rows, "x", place, EXACT, error=ROUNDING)


def exponent_in_dial(rows: Rows, after: str = "") -> Check:
    sizes = Rows({"dial": row["dial"], "distance": abs(row["x"] - row["x_star"])} for row in rows[:2])
    error = ROUNDING / max(min(sizes.column("distance")), ROUNDING)
    name = f"exponent of the distance from x_star in the dial, {where(rows, after)}"
    return exponent(name, sizes, "distance", "dial", 2.0, EXPONENT, error=error)


def carries(rows: Rows, after: str = "") -> Check:
    name = f"||grad Phi|| at rest, dial {LARGE:g}, {where(rows, after)}"
    return at_least(name, rows[-1]["||grad Phi||"], CARRIES, ROUNDING)
