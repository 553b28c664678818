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
from collections.abc import Callable, Iterator, Mapping, Sequence
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
AGAIN = "write it again with ratecert verify."
NUMBERS = ("measured", "predicted", "relation", "tolerance", "uncertainty")
MORE = ("worlds", "digest")  # that a file may have, too

Kind = tuple[str, Callable[[Any], bool]]  # what an entry must be, in words and as a test
ANY: Kind = "anything", lambda _: True
TEXT: Kind = "a text that is not empty", lambda v: isinstance(v, str) and v != ""
NUMBER: Kind = "a number, or null", lambda v: v is None or (type(v) in (int, float) and math.isfinite(v))
LIST: Kind = "a list", lambda v: isinstance(v, list)
TEXTS: Kind = "a list of texts", lambda v: isinstance(v, list) and all(map(TEXT[1], v))
SOME_TEXTS: Kind = "a list of texts, at least one", lambda v: TEXTS[1](v) and v != []


def _among(words: tuple[str, ...]) -> Kind:
    return f"one of {', '.join(words)}", lambda v: v in words


OF_CHECK = {
    "name": TEXT, "verdict": _among(RESULTS), **dict.fromkeys(NUMBERS, NUMBER), "relation": _among(RELATIONS),
}  # fmt: skip
OF_CLAIM = {
    "id": TEXT, "of": SOME_TEXTS, "statement": ANY, "sentence": ANY, "verdict": _among(VERDICTS),
    "expected": _among(VERDICTS), "because": ANY, "evidence": TEXTS, "reason": ANY,
    **dict.fromkeys(NUMBERS, NUMBER), "relation": ANY, "checks": LIST, "regime": ANY,
    **dict.fromkeys(("settings", "method", "notes", "table", "false_alarm", "chart", "figures", "command"), ANY),
}  # fmt: skip
OF_FILE = {
    "schema": ("2", lambda v: isinstance(v, int) and v == SCHEMA), "ratecert": ANY, "paper": TEXT, "title": TEXT,
    "budget": TEXT, "seed": ANY, "versions": ANY, "errata": ANY, "claims": LIST,
}  # fmt: skip


def read(path: Path) -> dict[str, Any]:
    """A results.json, whole and of this schema, or one sentence on what is wrong with it."""
    results = read_data(path, ResultsError, AGAIN)
    if wrong := next(_wrong(results), ""):
        raise ResultsError(f"{path}: {wrong}; {AGAIN}")
    return results


def _wrong(results: Mapping[str, Any]) -> Iterator[str]:
    """What is missing, stands twice, or has another kind than it must; only the first is meant."""
    yield from _misshapen("", results, OF_FILE)
    yield from (f"{name!r:.60} is no entry of results" for name in sorted(results.keys() - {*OF_FILE, *MORE}))
    for i, claim in enumerate(results["claims"]):
        yield from _misshapen(f"claims[{i}]: ", claim, OF_CLAIM)
        for j, check in enumerate(claim["checks"]):
            yield from _misshapen(f"claims[{i}].checks[{j}]: ", check, OF_CHECK)
        yield from _repeated(f"checks of claims[{i}] have the name", claim["checks"], "name")
    yield from _repeated("claims have the id", results["claims"], "id")
    if results.get("digest", "") not in ("", digest_of(results)):
        yield "it was changed after it was written, its digest is another"


def _misshapen(where: str, table: Any, shape: Mapping[str, Kind]) -> Iterator[str]:
    if not isinstance(table, dict):
        yield f"{where}it must be a mapping, got {table!r:.60}"
    for name, (words, fits) in shape.items():
        if name not in table:
            yield f"{where}it lacks {name}"
        elif not fits(table[name]):
            yield f"{where}{name} must be {words}, got {table[name]!r:.60}"


def _repeated(what: str, tables: Sequence[Mapping[str, Any]], name: str) -> Iterator[str]:
    times = Counter(table[name] for table in tables)
    return (f"two {what} {each!r:.60}" for each, n in times.items() if n > 1)


def unexpected(entry: Mapping[str, Any]) -> bool:
    """Whether it is another verdict than was expected; a user's own statement expects none unless it says why."""
    from ratecert.catalogue.find import is_own  # slow to import, and not needed to read results

    stated = entry["because"] or not is_own(entry["of"][0])
    return bool(stated and entry["verdict"] != entry["expected"])


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
        raise ResultsError(f"{path} cannot be understood ({what}); {AGAIN}") from error
