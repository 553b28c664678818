"""What is checked of a method that has come to rest with an average after every step."""

from ratecert.claim.check import Check
from ratecert.claim.claim import Json
from ratecert.papers.federated_bilevel.evidence.at_rest.methods import shown
from ratecert.papers.federated_bilevel.evidence.at_rest.settings import LARGE
from ratecert.papers.federated_bilevel.evidence.periods.communication import exponent

EXACT = 1e-12
ROUNDING = 1e-14  # of x at rest: means and closed forms are in doubles
EXPONENT = 1e-3
CARRIES = 1e-6  # a gradient above it is a bias and no rounding


def where(v: Json, after: str = "") -> str:
    return f"{shown(v['method'])}, K = {v['world']['K']}{after}"


def distance(v: Json, place: str, after: str = "") -> Check:
    return Check(
        name=f"distance from {place}, {where(v, after)}",
        measured=max(v["distances"][place]),
        predicted=0.0,
        tolerance=EXACT,
        uncertainty=ROUNDING,
    )


def exponent_in_dial(v: Json, after: str = "") -> Check:
    sizes = v["distances"]["x_star"][:2]
    found = exponent(v["dials"][:2], sizes, ROUNDING / max(min(sizes), ROUNDING))
    return Check(
        name=f"exponent of the distance from x_star in the dial, {where(v, after)}",
        measured=found.value,
        predicted=2.0,
        tolerance=EXPONENT,
        uncertainty=found.uncertainty,
    )


def carries(v: Json, after: str = "") -> Check:
    return Check(
        name=f"||grad Phi|| at rest, dial {LARGE:g}, {where(v, after)}",
        measured=v["gradients"][-1],
        predicted=CARRIES,
        relation=">=",
        uncertainty=ROUNDING,
    )
