"""Claims run and judged: the entries of results.json."""

import traceback
from collections.abc import Mapping, Sequence
from typing import Any

from ratecert.base.errors import BugError, UndecidedError
from ratecert.base.progress import named_progress_of
from ratecert.claims.claim import Budget, Claim, Judgement, Piece
from ratecert.report.results import entry
from ratecert.run.tasks import Computed, Store, key, run_pieces


def judged(
    claims: Sequence[Claim], budget: Budget, *, jobs: int = 1, store: Store | None = None
) -> list[dict[str, Any]]:
    """The entries of results.json."""
    asked = {claim.id: list(claim.pieces(budget)) for claim in claims}
    pieces = {key(piece): piece for some in asked.values() for piece in some}
    waiting = _longest_first(asked)
    with named_progress_of("verify", len(pieces), next(iter(waiting.values()), "")) as begun:

        def finished(piece: Piece) -> None:
            del waiting[key(piece)]
            begun(next(iter(waiting.values()), ""))

        outcomes = run_pieces(pieces.values(), jobs=jobs, store=store, finished=finished)
    return [_judge(claim, asked[claim.id], outcomes, budget) for claim in claims]


def _longest_first(asked: dict[str, list[Piece]]) -> dict[str, str]:
    """Key of a piece -> its claim, in the order in which they begin: the first that is not done is being computed."""
    pieces = {key(piece): (piece.seconds, id) for id, some in reversed(asked.items()) for piece in some}
    return {name: id for name, (_, id) in sorted(pieces.items(), key=lambda item: -item[1][0])}


def _judge(
    claim: Claim, pieces: Sequence[Piece], found: Mapping[str, Computed], budget: Budget
) -> dict[str, Any]:
    """A claim without a number, of a computation or of a check (a logarithm of what diverged), is undecided."""
    outcomes = [found[key(piece)] for piece in pieces]
    failures = [outcome.failure for outcome in outcomes if outcome.failure]
    try:
        if not failures:
            return entry(claim, claim.judged(pieces, [outcome.value for outcome in outcomes]), budget)
    except UndecidedError as error:
        failures = [f"the numbers cannot be judged: {error}"]
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        sentence = f"claim {claim.id}: {type(error).__name__}: {error}"
        raise BugError(sentence, traceback.format_exc()) from error
    nothing = Judgement(checks=(), regime="", settings={}, method="a computation failed")
    return entry(claim, nothing, budget, failures=failures)
