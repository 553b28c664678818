"""False alarms of the sampled claims, counted: each claim again and again, with fresh seeds, at a reduced budget.

A repeat has the claim's own pieces and its own checks. Of every role it keeps the two shortest points of the quick
budget, with RUNS runs each and no pilot, which only chooses how many; the tolerances stay. Seeds begin at 2^64, beyond
those that `ratecert verify` accepts. All repeats pooled, as one sample R times as large, give the same checks what we
take for the truth: the value of every check, and the verdict at these points as if the values had no uncertainty.

*Verdicts.* A false alarm is a verdict opposite to the pooled one, `refuted` where it is `not refuted`; `undecided` is
counted apart. An exact one-sided binomial test holds the count against the rate that the claim states. A rate of 1e-5
cannot be told from 1e-3 by a thousand repeats; `noticed` is the least rate that the test would see with probability
POWER.

*Intervals.* What can be tested sharply is the interval behind the verdict, at another level: with Student's quantile
for LEVEL in the place of the claim's, it must miss the truth in a part LEVEL of the repeats, neither more nor less
(exact two-sided test). A repeat is itself 1/R of the pooled sample, so its distance from the pooled value has the
variance (1 - 1/R) times its own, and is divided by the square root of that.

All tests together contradict sound claims with a probability of at most ERROR.
"""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.table import Table
from scipy.optimize import brentq
from scipy.stats import binom, binomtest

from ratecert.claim import Budget, Check, Claim, Json, Judgement, Piece
from ratecert.claim.claim import CONFIDENCE
from ratecert.claim.slope import quantile
from ratecert.claim.verdict import verdict_of
from ratecert.errors import UserError
from ratecert.output.files import require_writable, write_text
from ratecert.output.plain_text import as_text
from ratecert.output.terminal import echo
from ratecert.run.progress import progress_of
from ratecert.run.store import DiskStore
from ratecert.run.tasks import Store, key, run_pieces
from ratecert.solvers.contract.validation import require_whole
from ratecert.vocabulary import Verdict

RUNS = 128  # replicates of every point
POINTS = 2  # of every role
FIRST_SEED = 2**64
LEVEL = 0.05
ERROR = 1e-3
POWER = 0.9
OPPOSITE: dict[Verdict, Verdict] = {"not refuted": "refuted", "refuted": "not refuted"}

Row = Mapping[str, Any]
Found = dict[str, Any]


def print_false_alarms(*, out: Path, jobs: int, repeats: int = 1000) -> int:
    """Count, write false-alarms.json, print the table; 1 if a count contradicts its rate."""
    from ratecert.from_data.claims import claims

    require_whole("jobs", jobs, least=1)
    require_whole("repeats", repeats, least=2)
    require_writable(out)
    store = DiskStore(out / "false-alarms")
    found = count_false_alarms(claims().values(), repeats=repeats, jobs=jobs, store=store)
    path = out / "false-alarms.json"
    write_text(path, json.dumps(found, indent=1, allow_nan=False) + "\n")
    echo(as_text(table(found), 120))
    for sentence in contradictions(found):
        echo(f"{sentence}\n")
    echo(f"Wrote {path}\n")
    return 1 if contradictions(found) else 0


def count_false_alarms(
    claims: Iterable[Claim], *, repeats: int, jobs: int = 1, store: Store | None = None
) -> Found:
    """Verdicts and missed intervals of every sampled claim, each count with its test."""
    sampled = [claim for claim in claims if claim.false_alarm > 0]
    asked = {claim.id: [reduced(claim, repeat) for repeat in range(repeats)] for claim in sampled}
    pieces = [piece for times in asked.values() for time in times for piece in time]
    with progress_of("repeats", len(pieces)) as advance:
        outcomes = run_pieces(pieces, jobs=jobs, store=store, finished=lambda _: advance())
    for outcome in outcomes.values():
        if outcome.failure:
            raise UserError(f"a repeat failed, so nothing can be counted: {outcome.failure}")
    counted = []
    for claim in sampled:
        values = [[outcomes[key(piece)].value for piece in time] for time in asked[claim.id]]
        counted.append(_counted(claim, values))
    tests = [test for entry in counted for test in (entry, *entry["checks"])]
    for test in tests:
        test |= held_against(test["rate"], test["count"], repeats, ERROR / len(tests), sides=test["sides"])
    return {
        "repeats": repeats,
        "runs": RUNS,
        "level": LEVEL,
        "error": ERROR,
        "tests": len(tests),
        "claims": counted,
    }


def reduced(claim: Claim, repeat: int) -> list[Piece]:
    """The two shortest points of every role, with a few runs and a seed that nobody else uses."""
    roles: dict[str, list[Piece]] = defaultdict(list)
    for piece in claim.pieces(Budget(quick=True, seed=FIRST_SEED + repeat)):
        roles[piece.arguments["role"]].append(piece)
    kept = [sorted(pieces, key=lambda piece: piece.seconds)[:POINTS] for pieces in roles.values()]
    return [Piece(p.function, _few_runs(p.arguments), p.seconds) for pieces in kept for p in pieces]


def _few_runs(arguments: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in arguments.items() if name != "relative_error"} | {
        "replicates": RUNS
    }


def _counted(claim: Claim, values: Sequence[Sequence[Json]]) -> Found:
    """`values` are those of the pieces of every repeat: one row each."""
    pieces = reduced(claim, 0)
    judged = [claim.judged(pieces, points) for points in values]
    truth = claim.judged(pieces, [[pooled([row for (row,) in same])] for same in zip(*values, strict=True)])
    true = verdict_of([replace(check, uncertainty=0.0) for check in truth.checks], exact=False)
    verdicts = Counter(judgement.verdict for judgement in judged)
    return {
        "claim": claim.id,
        "pooled": true,
        "verdicts": dict(sorted(verdicts.items())),
        "count": verdicts[OPPOSITE[true]],
        "rate": claim.false_alarm,
        "sides": 1,
        "checks": [_missed(check, i, judged) for i, check in enumerate(truth.checks)],
    }


def pooled(rows: Sequence[Row]) -> dict[str, Any]:
    """One point of all repeats as one sample: means, their standard errors, and the number of runs."""
    n, first = len(rows), rows[0]
    means = [name for name in first if f"{name}_error" in first]
    changed = {name: math.fsum(row[name] for row in rows) / n for name in means}
    errors = {f"{name}_error": math.hypot(*(row[f"{name}_error"] for row in rows)) / n for name in means}
    return {**first, **changed, **errors, "replicates": sum(row["replicates"] for row in rows)}


def _missed(truth: Check, i: int, judged: Sequence[Judgement]) -> Found:
    R, narrower = len(judged), quantile(1 - LEVEL, RUNS) / quantile(CONFIDENCE, RUNS)
    checks = [judgement.checks[i] for judgement in judged]
    away = math.sqrt(1 - 1 / R)
    count = sum(abs(c.measured - truth.measured) / away > narrower * c.uncertainty for c in checks)
    return {
        "check": truth.name,
        "value": truth.measured,
        "uncertainty": truth.uncertainty,
        "count": count,
        "rate": LEVEL,
        "sides": 2,
    }


def held_against(rate: float, count: int, repeats: int, error: float, *, sides: int) -> Found:
    """The exact test of one count: p, whether it contradicts the rate, and the least larger rate it would notice."""

    def p(count: int) -> float:
        alternative = "two-sided" if sides == 2 else "greater"
        return float(binomtest(count, repeats, rate, alternative=alternative).pvalue)

    first = next((c for c in range(math.ceil(repeats * rate), repeats + 1) if p(c) < error), None)
    return {"p": p(count), "contradicts": p(count) < error, "noticed": _seen(first, repeats)}


def _seen(first: int | None, repeats: int) -> float:
    """The rate at which the count reaches the first contradicting one with probability POWER; 1 where none does."""
    if first is None:
        return 1.0
    return float(brentq(lambda rate: binom.sf(first - 1, repeats, rate) - POWER, 1e-12, 1 - 1e-12))


def contradictions(found: Found) -> list[str]:
    """A sentence for every count that contradicts its rate."""
    sentences = []
    for entry in found["claims"]:
        for test in (entry, *entry["checks"]):
            if test["contradicts"]:
                what = test.get("check", "its verdict")
                sentences.append(
                    f"{entry['claim']}, {what}: {test['count']} of {found['repeats']} repeats, which contradicts the "
                    f"rate {test['rate']:g} (p = {test['p']:.1e})."
                )
    return sentences


def table(found: Found) -> Table:
    title = f"{found['repeats']} repeats of every sampled claim, {found['runs']} runs per point"
    caption = (
        f"count: verdicts opposite to that of all repeats pooled, and intervals at {found['level']:.0%} that miss the "
        f"pooled value; noticed: the least rate seen with probability {POWER:g}"
    )
    shown = Table(title=title, caption=caption)
    for name in ("what", "pooled", "count", "stated rate", "p", "noticed"):
        shown.add_column(name, justify="left" if name == "what" else "right", no_wrap=name != "what")
    for entry in found["claims"]:
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in entry["verdicts"].items())
        _add(shown, f"{entry['claim']}: {verdicts}", entry["pooled"], entry)
        for check in entry["checks"]:
            _add(shown, f"  {check['check']}", f"{check['value']:.4f} ± {check['uncertainty']:.4f}", check)
        shown.add_section()
    return shown


def _add(shown: Table, what: str, pooled: str, test: Found) -> None:
    cells = (str(test["count"]), f"{test['rate']:g}", f"{test['p']:.2g}", f"{test['noticed']:.2g}")
    shown.add_row(what, pooled, *cells)
