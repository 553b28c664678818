"""The tables of docs/verified.md and docs/methods.md, made of docs/results.json, the verdicts of a whole run."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ratecert.base.asked import full_id
from ratecert.base.lists import Grid
from ratecert.catalogue.find import holding
from ratecert.claims.check import in_words
from ratecert.report.results import read
from tools.errata import plain

Entry = Mapping[str, Any]
EXPONENT = re.compile(r"(?P<method>.*): exponent of (?P<of>.*)")
OF_K = ("tension", "no tension", "tension, K in its steps", "no tension, K in its steps")


def of_verified(docs: Path) -> dict[str, str]:
    claims = read(docs / "results.json")["claims"]
    return {"statements": of_statements(claims), "claims": of_claims(claims)}


def of_statements(claims: Sequence[Entry]) -> str:
    """One row per statement of the papers that the claims are about, in the papers' order, claims or none."""
    papers = {paper.key: paper for paper in (holding(id) for claim in claims for id in claim["of"])}
    rows = [
        (
            f"`{full_id(paper.key, statement.id)}`: {plain(statement.title)}",
            _named(about, "not refuted", "proved"),
            _named(about, "refuted"),
            ", ".join(dict.fromkeys(kind for claim in about for kind in kinds(claim))),
        )
        for paper in papers.values()
        for statement in paper.statements.values()
        for about in [[claim for claim in claims if full_id(paper.key, statement.id) in claim["of"]]]
    ]
    return Grid("", ("statement", "not refuted or proved by", "refuted by", "evidence"), rows).as_markdown()


def of_claims(claims: Sequence[Entry]) -> str:
    rows = [
        (f"`{claim['id']}`", in_words(claim), ", ".join(kinds(claim)), plain(claim["regime"]))
        for claim in claims
    ]
    return Grid("", ("claim", "verdict", "evidence", "where"), rows).as_markdown()


def kinds(claim: Entry) -> list[str]:
    """The kinds of evidence; sampling with its probability of error."""
    return [f"{kind} ({claim['false_alarm']:g})" if kind == "sampled" else kind for kind in claim["evidence"]]


def _named(claims: Sequence[Entry], *verdicts: str) -> str:
    return ", ".join(f"`{claim['id']}`" for claim in claims if claim["verdict"] in verdicts) or "–"


def of_methods(docs: Path) -> dict[str, str]:
    """The paper's table of complexities as it was measured: one row per method."""
    (claim,) = (each for each in read(docs / "results.json")["claims"] if each["id"] == "complexity-table")
    methods: dict[str, dict[str, Entry]] = {}
    for check in claim["checks"]:
        if found := EXPONENT.fullmatch(check["name"]):
            methods.setdefault(found["method"], {})[found["of"]] = check
    columns = (
        *("method", "1/eps in samples: expected", "measured", "1/eps in rounds: expected", "measured"),
        *(f"K in samples, {where}" for where in OF_K),
    )
    return {"complexity": Grid("", columns, [_complexities(*each) for each in methods.items()]).as_markdown()}


def _complexities(method: str, checks: Mapping[str, Entry]) -> tuple[str, ...]:
    def cell(of: str, what: str = "measured", form: str = ".4f") -> str:
        return f"{checks[of][what]:{form}}" if of in checks else "–"

    of_eps = ("1/eps in samples", "1/eps in rounds")
    # the method without a lower level is measured on a world of one level, where the others have tension
    one = "K in samples, one level" in checks
    of_K = (f"K in samples, {'one level' if one and where == 'tension' else where}" for where in OF_K)
    both = (text for of in of_eps for text in (cell(of, "predicted", "g"), cell(of)))
    return (method, *both, *map(cell, of_K))
