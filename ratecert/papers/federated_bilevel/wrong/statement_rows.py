"""All wrong statements on trial: one row per slip, and whether anything saw it."""

from collections.abc import Callable, Mapping
from itertools import product

from ratecert.base.errors import UserError
from ratecert.claim.claim import Json, Piece
from ratecert.papers.federated_bilevel.paper import VARIANTS
from ratecert.papers.federated_bilevel.wrong.statement_trials import measured, pieces_on, read
from ratecert.papers.federated_bilevel.wrong.wrong_statements import THEOREMS, Slip, slips
from ratecert.run.tasks import Outcome, Store, key, run_pieces

KEPT = ("claim", "verdict", "expected", "check", "measured", "predicted", "strain")


def all_pieces() -> list[Piece]:
    """Every run of the measured claims, and every slip to be read."""
    both = list(product(THEOREMS, VARIANTS))
    runs = [piece for each in both for some in pieces_on(*each).values() for piece in some]
    return [*runs, *(reading(slip) for each in both for slip in slips(*each))]


def reading(slip: Slip) -> Piece:
    arguments = {"theorem": slip.theorem, "variant": slip.variant, "slip": slip.name}
    return Piece(read, arguments, seconds=0.1)


def try_all(
    *, jobs: int, store: Store | None = None, finished: Callable[[Piece], None] = lambda _: None
) -> list[Json]:
    """One row per slip, variant by variant and theorem by theorem."""
    outcomes = run_pieces(all_pieces(), jobs=jobs, store=store, finished=finished)
    failures = [outcome.failure for outcome in outcomes.values() if outcome.failure]
    if failures:
        raise UserError(f"{len(failures)} computations failed, the first one: {failures[0]}")
    return [row for variant in VARIANTS for theorem in THEOREMS for row in _rows(theorem, variant, outcomes)]


def _rows(theorem: str, variant: str, outcomes: Mapping[str, Outcome]) -> list[Json]:
    runs = {
        claim: (some, [outcomes[key(piece)].value for piece in some])
        for claim, some in pieces_on(theorem, variant).items()
    }
    return [
        _row(slip, {**outcomes[key(reading(slip))].value, **measured(slip, runs)})
        for slip in slips(theorem, variant)
    ]


def _row(slip: Slip, found: Json) -> Json:
    return {
        "variant": slip.variant,
        "theorem": slip.theorem,
        "term": slip.term,
        "kind": slip.kind,
        "what": slip.what,
        "letter": _short(found["letter"]),
        "derivation": [_short(catch) for catch in found["derivation"]],
        "units": found["units"],
        "measured": [_short(catch) for catch in found["measured"]],
        "bound": found["bound"],
    }


def _short(catch: Json | None) -> Json | None:
    return {name: catch[name] for name in KEPT} if catch else None


def problem(row: Json) -> str:
    """A slip that nothing sees, in one sentence."""
    if row["letter"] or row["derivation"] or row["units"] or row["measured"]:
        return ""
    return f"{row['theorem']} ({row['variant']}), {row['term']}: {row['what']} is not caught"
