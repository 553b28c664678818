"""The runs that several claims ask for: each is computed once."""

from collections.abc import Iterable

from ratecert.claim.claim import Budget, Json, Piece
from ratecert.papers.federated_bilevel.evidence.at_rest.methods import METHODS
from ratecert.papers.federated_bilevel.evidence.at_rest.places import X_STAR
from ratecert.papers.federated_bilevel.evidence.at_rest.resting import resting
from ratecert.papers.federated_bilevel.evidence.at_rest.settings import DRAWN, FEW, LARGE, SMALL, THREE, TWO


def at_p_1(methods: Iterable[str], budget: Budget) -> list[Piece]:
    """An average after every step."""
    found = []
    for method in methods:
        exact = METHODS[method].place == X_STAR  # nothing to draw there, and no exponent
        drawn = DRAWN[1:2] if budget.quick else DRAWN
        dials = [LARGE] if exact else [*SMALL, *drawn, LARGE]
        found.append(Piece(resting, {"method": method, "world": THREE, "dials": dials}, 1.0))
        if not budget.quick:
            dials = [LARGE] if exact else [*SMALL, LARGE]
            found.append(Piece(resting, {"method": method, "world": TWO, "dials": dials}, 2.0))
    return found


def with_few_terms(methods: Iterable[str]) -> list[Piece]:
    return [Piece(resting, {"method": m, "world": THREE, "dials": [LARGE], "few": FEW}, 0.2) for m in methods]


def only_a_cut_series(p: int, budget: Budget) -> Piece:
    """FedNest with too few terms, which is its only bias: at several dials."""
    dials = [DRAWN[0], DRAWN[2], LARGE] if p == 1 and not budget.quick else [DRAWN[1], LARGE]
    return Piece(resting, {"method": "FedNest", "world": THREE, "dials": dials, "p": p, "few": FEW}, 2.0)


def alike_in(world: Json, methods: Iterable[str]) -> list[Piece]:
    return [Piece(resting, {"method": m, "world": world, "dials": [*SMALL, LARGE]}, 0.3) for m in methods]


def those(values: Iterable[Json], world: Json = None, few: int | None = None) -> list[Json]:
    """Those at p = 1 on this world, or on the two of the claims, and with so many terms."""
    worlds = [THREE, TWO] if world is None else [world]
    return [v for v in values if v["world"] in worlds and v["few"] == few and v["p"] == 1]
