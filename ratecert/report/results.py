"""results.json: what was claimed, measured and found; its schema, written and read.

    schema    2; other numbers are refused
    ratecert  version of this program
    paper     keys of the papers whose statements the claims are of, and their titles
    budget    "standard" or "quick"
    seed      of the sampled claims
    versions  python, numpy, scipy, sympy
    errata    the corrections under which repaired statements were checked: place, reason, evidence
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

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from ratecert.base.chart import Chart, Panel, Series, Triangle
from ratecert.base.errors import ResultsError, UserError
from ratecert.base.files import as_json, read_data, write_text
from ratecert.base.words import VERDICTS
from ratecert.claims.check import RELATIONS, RESULTS

SCHEMA = 2
TEXT, NUMBER, LIST = "a text that is not empty", "a number, or null", "a list"
TEXTS, SOME_TEXTS = "a list of texts", "a list of texts, at least one"
NUMBERS = ("measured", "predicted", "relation", "tolerance", "uncertainty")
MORE = ("bounds", "worlds", "digest")  # that a file may have, too
# An entry's name -> what it must be, or the words that are allowed; "" for anything.
Shape = dict[str, str | tuple[str, ...]]
OF_CHECK: Shape = {
    "name": TEXT, "verdict": RESULTS, **dict.fromkeys(NUMBERS, NUMBER), "relation": RELATIONS,
}  # fmt: skip
OF_CLAIM: Shape = {
    "id": TEXT, "of": SOME_TEXTS, "statement": "", "sentence": "", "verdict": VERDICTS, "expected": VERDICTS,
    "because": "", "evidence": TEXTS, "reason": "", **dict.fromkeys(NUMBERS, NUMBER), "relation": "",
    "checks": LIST, "regime": "",
    **dict.fromkeys(("settings", "method", "notes", "table", "false_alarm", "chart", "figures", "command"), ""),
}  # fmt: skip
OF_FILE: Shape = {
    "schema": "", "ratecert": "", "paper": TEXT, "title": TEXT, "budget": TEXT, "seed": "", "versions": "",
    "errata": "", "claims": LIST,
}  # fmt: skip


def decided_by(entry: Mapping[str, Any]) -> str:
    """The name of the check that decided; without one, what failed."""
    if not entry["checks"]:
        return str(entry["reason"])
    numbers = [entry[name] for name in NUMBERS]
    for check in entry["checks"]:
        if [check[name] for name in NUMBERS] == numbers:
            return str(check["name"])
    raise ResultsError(f"the numbers of claim {entry['id']!r:.60} must be those of one of its checks.")


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
    if results.get("schema") != SCHEMA or not isinstance(results["schema"], int):
        raise ResultsError(
            f"{path} has schema {results.get('schema')!r:.60}, this version reads {SCHEMA}; write it again with "
            f"ratecert verify."
        )
    _require_shape(path, results)
    if results.get("digest", "") not in ("", digest_of(results)):
        raise ResultsError(
            f"{path} was changed after it was written: its digest is another; write it again with ratecert verify."
        )
    return results


def _require_shape(path: Path, results: Mapping[str, Any]) -> None:
    """Refuse results in which an entry is missing or stands twice, or is of another kind than it has to be."""
    _require(path, "the file", results, OF_FILE)
    unknown = sorted(set(results) - {*OF_FILE, *MORE})
    if unknown:
        raise ResultsError(f"{path}: {unknown[0]!r:.60} is no entry of results; remove it.")
    for i, claim in enumerate(results["claims"], 1):
        _require(path, f"claim {i}", claim, OF_CLAIM, "id")
        what = f"claim {claim['id']!r}"
        for j, check in enumerate(claim["checks"], 1):
            _require(path, f"check {j} of {what}", check, OF_CHECK)
        _require_different(
            path, f"checks of {what} have the name", [check["name"] for check in claim["checks"]]
        )
    _require_different(path, "claims have the id", [claim["id"] for claim in results["claims"]])


def _require(path: Path, what: str, table: Any, shape: Shape, known_by: str = "") -> None:
    if not isinstance(table, dict):
        raise ResultsError(f"{path}: {what} must be a mapping, got {table!r:.60}.")
    named = f"claim {table[known_by]!r}" if known_by in table else what
    missing = [name for name in shape if name not in table]
    if missing:
        raise ResultsError(
            f"{path}: {named} lacks {', '.join(missing)}; write it again with ratecert verify."
        )
    for name, kind in shape.items():
        of = "" if shape is OF_FILE else f" of {what if name == known_by else named}"
        allowed = f"one of {', '.join(kind)}" if isinstance(kind, tuple) else kind
        if not _is(table[name], kind):
            raise ResultsError(f"{path}: {name}{of} must be {allowed}, got {table[name]!r:.60}.")


def _is(value: Any, kind: str | tuple[str, ...]) -> bool:
    if kind == TEXT:
        return isinstance(value, str) and value != ""
    if kind == NUMBER:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return value is None or (number and math.isfinite(value))
    if kind == LIST:
        return isinstance(value, list)
    if kind in (TEXTS, SOME_TEXTS):
        least = 1 if kind == SOME_TEXTS else 0
        return isinstance(value, list) and len(value) >= least and all(_is(each, TEXT) for each in value)
    return not kind or value in kind


def _require_different(path: Path, what: str, names: Sequence[str]) -> None:
    name, times = max(Counter(names).items(), key=lambda item: item[1], default=("", 0))
    if times > 1:
        raise ResultsError(f"{path}: two {what} {name!r:.60}; each may stand there once.")


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
