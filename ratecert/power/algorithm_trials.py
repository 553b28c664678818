"""All wrong algorithms on trial, and what each of them has to show.

Which claims a mistake is tried on follows from what they run (Claim.runs) and rest on (Claim.evidence):

    transcribed   those that hold the algorithm against a transcription of the print: they see every deviation from it
    measured      all others that run it. They know rates, bounds and closed forms, and nothing of the printed lines.
                  The cheap ones come first, and the first one that changes ends the trial. Claims that are expected to
                  fail come last: it says more if a true thing seems false than if a mistake of the print seems gone.

A mistake is caught if every transcribed claim on the algorithms that it reaches is refuted. Besides, a measurement
has to see it, or the list says why none can. The control has nothing wrong: no claim may change.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ratecert.claim.claim import Budget, Json, Piece
from ratecert.errors import UntriedError
from ratecert.from_data.claims import claims
from ratecert.power.detections import caught
from ratecert.power.edits import Mistake, require_fitting
from ratecert.power.isolated_run import tried
from ratecert.run.tasks import Store, key, run_pieces

TRANSCRIPTION = "second transcription"


def control(mistakes: Sequence[Mistake]) -> Mistake:
    """Nothing is wrong, with any of the algorithms that the mistakes reach."""
    reached = dict.fromkeys(name for mistake in mistakes for name in mistake.algorithms)
    return Mistake("nothing: the control", tuple(reached), ())


def transcribed(algorithms: Iterable[str]) -> list[str]:
    wanted = set(algorithms)
    return [id for id, c in claims().items() if wanted & set(c.runs) and TRANSCRIPTION in c.evidence]


def measured(algorithms: Iterable[str]) -> list[str]:
    """In the order in which they are tried."""
    wanted = set(algorithms)
    found = [c for c in claims().values() if wanted & set(c.runs) and TRANSCRIPTION not in c.evidence]
    found.sort(key=lambda claim: (bool(claim.because), claim.seconds(Budget())))
    return [claim.id for claim in found]


def piece(mistake: Mistake) -> Piece:
    arguments = {
        "edits": [[edit.file, edit.line, edit.wrong] for edit in mistake.edits],
        "letter": transcribed(mistake.algorithms),
        "measured": measured(mistake.algorithms),
    }
    return Piece(tried, arguments, seconds=30.0 if mistake.edits else 300.0)


def try_all(
    mistakes: Sequence[Mistake],
    *,
    jobs: int,
    store: Store | None = None,
    finished: Callable[[], None] = lambda: None,
) -> list[Json]:
    """One row per mistake."""
    for mistake in mistakes:
        require_fitting(mistake.edits)
    pieces = {mistake: piece(mistake) for mistake in mistakes}
    outcomes = run_pieces(pieces.values(), jobs=jobs, store=store, finished=lambda _: finished())
    found = {mistake: outcomes[key(p)] for mistake, p in pieces.items()}
    failures = [
        f"{mistake.what} ({' and '.join(mistake.algorithms)}): {outcome.failure}"
        for mistake, outcome in found.items()
        if outcome.failure
    ]
    if failures:
        raise UntriedError(f"{len(failures)} mistakes could not be tried, the others are kept; {failures[0]}")
    return [row(mistake, outcome.value) for mistake, outcome in found.items()]


def row(mistake: Mistake, entries: Sequence[Mapping[str, Any]]) -> Json:
    detections = {
        panel: [c for e in entries if e["panel"] == panel and (c := caught(e))]
        for panel in ("letter", "measured")
    }
    seen = [c for c in detections["measured"] if c["verdict"] != "undecided"]
    return {
        "what": mistake.what,
        "algorithms": list(mistake.algorithms),
        "edits": [[edit.file, edit.line, edit.wrong] for edit in mistake.edits],
        "letter": detections["letter"],
        "measured": seen[0] if seen else None,
        "undecided": [c for c in detections["measured"] if c["verdict"] == "undecided"],
        "unseen": mistake.unseen,
        "verdicts": {e["id"]: e["verdict"] for e in entries},
    }


def problem(row: Json) -> str:
    """What is wrong with the verifier, or with the list, in one sentence; nothing if all is as it should be."""
    what = f"{row['what']} ({' and '.join(row['algorithms'])})"
    changed = [*row["letter"], *row["undecided"], *([row["measured"]] if row["measured"] else [])]
    if not row["edits"]:
        return (
            f"{what}: {', '.join(c['claim'] for c in changed)} changed, and nothing is wrong"
            if changed
            else ""
        )
    seeing = {c["claim"] for c in row["letter"] if c["verdict"] == "refuted"}
    blind = [id for id in transcribed(row["algorithms"]) if id not in seeing]
    if blind:
        return f"{what}: not caught by {', '.join(blind)}"
    if row["measured"] and row["unseen"]:
        return f"{what}: is said to be unseen by measurements, and {row['measured']['claim']} sees it"
    if not row["measured"] and not row["unseen"]:
        return f"{what}: no measurement sees it, and the list does not say why"
    return ""
