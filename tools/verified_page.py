"""docs/verified.md: its prose is written by hand, its tables are made of docs/results.json (tools/markdown.py).

python -m tools.verified_page docs/results.json docs/verified.md
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ratecert.base.lists import Grid
from ratecert.claims.check import in_words
from ratecert.registry import full_id, holding
from ratecert.report.results import read
from tools.corrections_page import plain
from tools.markdown import replace_tables

Entry = Mapping[str, Any]


def tables(claims: Sequence[Entry]) -> dict[str, str]:
    """name -> table in Markdown."""
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


if __name__ == "__main__":
    replace_tables(Path(sys.argv[2]), tables(read(Path(sys.argv[1]))["claims"]))
