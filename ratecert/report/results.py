"""results.json: what was claimed, measured and found; its schema, written and read.

    schema    2; other numbers are refused
    ratecert  version of this program
    paper     keys of the papers whose statements the claims are of, and their titles
    budget    "standard" or "quick"
    seed      of the sampled claims
    versions  python, numpy, scipy, sympy
    errata    the corrections under which repaired statements were checked: place, reason, evidence
    worlds    the worlds that the claims name, with their constants
    claims    a list, in the order of `ratecert verify --list`, each with

        id, of, sentence          see Claim; statement = the printed statement's title and place
        verdict, expected         words of ratecert/claims/check.py, such as "refuted" and "not refuted"
        because                   why it is expected to be refuted
        evidence                  kinds of evidence, see Claim
        reason                    what decided
        measured, predicted, relation, tolerance, uncertainty     of the check that decided; null without one
        checks                    all checks: name, verdict and the five numbers above
        regime, settings, method, notes, table                    see Judgement
        false_alarm               probability that chance alone changes the verdict
        chart                     the figure as data (chart.py)
        figures                   its panels as files beside results.json
        command                   what computes the claim again

    digest    SHA-256 of all that, against damage on the way; a file without one is read, too

Nothing in it depends on the time, the number of jobs or the machine's load: the same code gives the same bytes.
"""

import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ratecert import __version__
from ratecert.base.chart import Chart, Panel, Series, Triangle
from ratecert.base.data_files import as_json, read_data
from ratecert.base.errors import ResultsError, UserError
from ratecert.base.files import write_text
from ratecert.catalogue.load import is_outside
from ratecert.claims.check import Check
from ratecert.claims.claim import Budget, Claim, Judgement
from ratecert.claims.lines import figure, level
from ratecert.report import context
from ratecert.report.shape import NUMBERS, require_shape

SCHEMA = 2
QUICK = "A quick run: parts of the sentence may be checked by the standard run only; see the list of checks."


def as_results(entries: Sequence[Mapping[str, Any]], budget: Budget) -> dict[str, Any]:
    from ratecert.catalogue.find import FIRST, paper, split  # slow to import, and not needed to read results

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
        "errata": context.errata(papers),
        "worlds": context.worlds(entries),
        "claims": list(entries),
    }


def entry(
    claim: Claim, judgement: Judgement, budget: Budget, *, failures: Sequence[str] = ()
) -> dict[str, Any]:
    """One claim's part. A claim with a piece that has no value is undecided, and says why."""
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
        **{name: finite(getattr(check, name, None)) for name in NUMBERS},
        "checks": [_check(check) for check in judgement.checks],
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
    from ratecert.catalogue.find import paper, split, statement

    found = statement(id)
    entered = paper(key=split(id)[0]).entered(found)
    return f"{found.title} ({found.source}{f'; {entered}' if entered else ''})"


def _check(check: Check) -> dict[str, Any]:
    numbers = {name: finite(getattr(check, name)) for name in NUMBERS}
    return {"name": check.name, "verdict": check.verdict, **numbers}


def finite(value: Any) -> Any:
    """JSON has no inf and no nan: null."""
    return None if isinstance(value, float) and not abs(value) < float("inf") else value


def decided_by(entry: Mapping[str, Any]) -> str:
    """The name of the check that decided; without one, what failed."""
    if not entry["checks"]:
        return str(entry["reason"])
    numbers = [entry[name] for name in NUMBERS]
    return next(str(c["name"]) for c in entry["checks"] if [c[name] for name in NUMBERS] == numbers)


def _command(claim: Claim, budget: Budget) -> str:
    seed = f" --seed {budget.seed}" if budget.seed else ""
    name = claim.id.rpartition(":")[0] if is_outside(claim.id.rpartition(":")[0]) else claim.id
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


def chart_from(data: Mapping[str, Any]) -> Chart:
    """The inverse of asdict."""
    return Chart(caption=data["caption"], panels=[_panel_from(**panel) for panel in data["panels"]])


def _panel_from(*, series: Any, triangles: Any, window: Any, **rest: Any) -> Panel:
    return Panel(
        series=[Series(**each) for each in series],
        triangles=[Triangle(**each) for each in triangles],
        window=tuple(window) if window else None,
        **rest,
    )


def write(results: Mapping[str, Any], path: Path) -> None:
    write_text(path, as_json({**results, "digest": digest_of(results)}))


def digest_of(results: Mapping[str, Any]) -> str:
    """Of all entries but itself: a file that was damaged on its way is not taken for what was found."""
    return sha256(as_json({**results, "digest": ""}).encode()).hexdigest()


def read(path: Path) -> dict[str, Any]:
    """A results.json, whole and of this schema, or one sentence on what is wrong with it."""
    results = read_data(path, ResultsError, "write it again with ratecert verify.")
    if results.get("schema") != SCHEMA:
        raise ResultsError(
            f"{path} has schema {results.get('schema')!r:.60}, this version reads {SCHEMA}; write it again with "
            f"ratecert verify."
        )
    require_shape(path, results)
    if results.get("digest", "") not in ("", digest_of(results)):
        raise ResultsError(
            f"{path} was changed after it was written: its digest is another; write it again with ratecert verify."
        )
    return results


def with_papers(results: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """The same, its statements looked up among papers that come with ratecert or that the user has named."""
    from ratecert.catalogue.find import meant  # slow to import, and not needed to read results

    with understood(path):
        claims = [{**each, "of": [meant(str(id), path) for id in each["of"]]} for each in results["claims"]]
        return {**results, "claims": claims}


@contextmanager
def understood(path: Path) -> Iterator[None]:
    """Whatever goes wrong in here is due to what the file says; one sentence that names it."""
    try:
        yield
    except (OSError, UserError):
        raise
    except Exception as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise ResultsError(
            f"{path} cannot be understood ({what}); write it again with ratecert verify."
        ) from error
