"""Claims run and judged: what results.json is made of, and what a reader needs beside the verdicts."""

import platform
import re
import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from ratecert import __version__
from ratecert.base.asked import FIRST
from ratecert.base.chart import Chart, Series
from ratecert.base.errors import BugError, UndecidedError
from ratecert.base.files import finite
from ratecert.base.progress import progress_of
from ratecert.catalogue.find import paper, split, statement
from ratecert.catalogue.load import is_outside
from ratecert.claims.check import Check
from ratecert.claims.claim import Budget, Claim, Judgement, Task
from ratecert.claims.rows import figure, level
from ratecert.report.results import NUMBERS, SCHEMA
from ratecert.run.tasks import Computed, Store, key, run_tasks

QUICK = "A quick run: parts of the sentence may be checked by the standard run only; see the list of checks."


def judged(
    claims: Sequence[Claim], budget: Budget, *, jobs: int = 1, store: Store | None = None
) -> list[dict[str, Any]]:
    """The entries of results.json."""
    asked = {claim.id: list(claim.tasks(budget)) for claim in claims}
    tasks = {key(task): task for some in asked.values() for task in some}
    waiting = _longest_first(asked)
    with progress_of("verify", len(tasks), next(iter(waiting.values()), "")) as begun:

        def finished(task: Task) -> None:
            del waiting[key(task)]
            begun(1, next(iter(waiting.values()), ""))

        outcomes = run_tasks(tasks.values(), jobs=jobs, store=store, finished=finished)
    return [_judge(claim, asked[claim.id], outcomes, budget) for claim in claims]


def _longest_first(asked: dict[str, list[Task]]) -> dict[str, str]:
    """Key of a task -> its claim, in the order in which they begin: the first that is not done is being computed."""
    tasks = {key(task): (task.seconds, id) for id, some in reversed(asked.items()) for task in some}
    return {name: id for name, (_, id) in sorted(tasks.items(), key=lambda item: -item[1][0])}


def _judge(
    claim: Claim, tasks: Sequence[Task], found: Mapping[str, Computed], budget: Budget
) -> dict[str, Any]:
    """A claim without a number, of a computation or of a check (a logarithm of what diverged), is undecided."""
    outcomes = [found[key(task)] for task in tasks]
    failures = [outcome.failure for outcome in outcomes if outcome.failure]
    judgement = Judgement(checks=(), regime="", settings={}, method="a computation failed")
    try:
        if not failures:
            judgement = claim.judged(tasks, [outcome.value for outcome in outcomes])
    except UndecidedError as error:
        failures = [f"the numbers cannot be judged: {error}"]
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        sentence = f"claim {claim.id}: {type(error).__name__}: {error}"
        raise BugError(sentence, traceback.format_exc()) from error
    check = judgement.decisive
    chart = judgement.chart or chart_of_checks(judgement.checks)
    return {
        "id": claim.id,
        "of": list(claim.of),
        "statement": "; ".join(_place(id) for id in claim.of),
        "sentence": claim.sentence,
        "verdict": "undecided" if failures else judgement.verdict,
        "expected": claim.expected,
        "because": claim.because,
        "evidence": list(claim.evidence),
        "reason": "; ".join(failures) or (str(check) if check else "nothing to check"),
        **_numbers(check),
        "checks": [{"name": c.name, "verdict": c.verdict, **_numbers(c)} for c in judgement.checks],
        "regime": judgement.regime,
        "settings": dict(judgement.settings),
        "method": judgement.method,
        "notes": [*judgement.notes, *([QUICK] if budget.quick else [])],
        "table": [dict(row) for row in judgement.table],
        "false_alarm": claim.false_alarm,
        "chart": asdict(chart) if chart else None,
        "figures": figure_names(claim.id, chart),
        "command": _command(claim, budget),
    }


def figure_names(id: str, chart: Chart | None) -> list[str]:
    panels = len(chart.panels) if chart else 0
    numbers = [""] if panels == 1 else [f"-{i + 1}" for i in range(panels)]
    name = re.sub(r'[/\\:*?"<>|]', "_", id)  # a paper from outside may have a path for a key
    return [f"figures/{name}{number}.svg" for number in numbers]


def _place(id: str) -> str:
    found = statement(id)
    entered = paper(key=split(id)[0]).entered(found)
    return f"{found.title} ({found.source}{f'; {entered}' if entered else ''})"


def _numbers(check: Check | None) -> dict[str, Any]:
    """Of a check; null without one, and for what is not finite."""
    return {name: finite(getattr(check, name, None)) for name in NUMBERS}


def _command(claim: Claim, budget: Budget) -> str:
    paper = claim.id.rpartition(":")[0]
    name = paper if is_outside(paper) else claim.id
    seed = f" --seed {budget.seed}" if budget.seed else ""
    return f"ratecert verify {name}{' --quick' if budget.quick else ''}{seed}"


def chart_of_checks(checks: Sequence[Check]) -> Chart | None:
    """How far every check is from failing: 1 is the edge of what is allowed."""
    strains = [min(max(check.used_tolerance, 1e-6), 1e6) for check in checks]
    if not strains:
        return None
    places = [float(i + 1) for i in range(len(strains))]
    dots = Series(label="checks", x=places, y=strains, kind="sampled")
    return figure(
        "Each check as a fraction of what is allowed; above the line it fails.",
        "check, in the order of the table",
        "fraction of what is allowed",
        [dots, level("what is allowed", places, 1.0, kind="bound", colour=1)],
        x_scale="linear",
    )


def as_results(entries: Sequence[Mapping[str, Any]], budget: Budget) -> dict[str, Any]:
    keys = dict.fromkeys(split(id)[0] for entry in entries for id in entry["of"])
    papers = {key: paper(key=key) for key in keys or (FIRST,)}
    libraries = {name: version(name) for name in ("numpy", "scipy", "sympy")}
    return {
        "schema": SCHEMA,
        "ratecert": __version__,
        "paper": ", ".join(papers),
        "title": "; ".join(p.title for p in papers.values()),
        "budget": "quick" if budget.quick else "standard",
        "seed": budget.seed,
        "versions": {"python": platform.python_version(), **libraries},
        "errata": errata(papers),
        "claims": list(entries),
    }


def errata(papers: Iterable[str]) -> list[dict[str, str]]:
    found = (erratum for key in papers for erratum in paper("repaired", key).errata)
    return [{"place": e.place, "reason": e.reason, "evidence": e.evidence} for e in found]
