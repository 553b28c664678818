"""docs/verified.md: its prose is written by hand, its tables are made of docs/results.json (tools/markdown.py).

    python -m tools.verified_page docs/results.json docs/verified.md

A claim says in words how it was measured. The kinds of evidence are read from these words; a claim of no known kind is
refused, and so is one that samples without a probability of error, or states one and does not sample.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ratecert.registry import holding
from ratecert.report.results import read
from tools.corrections_page import plain
from tools.markdown import replace_tables

KINDS = {  # words of a method -> kind of evidence
    "exact moments": "exact moments",
    "all outcomes": "enumeration",
    "sampled": "sampled",
    "exact rationals": "derivation",
    "counted": "counting",
    "fixed point": "fixed points",
    "closed form": "closed forms",
    "difference quotients": "difference quotients",
    "transcription": "second transcription",
    "terms in numbers": "bound in numbers",
    "search": "search",
    "climb": "search",
}

Entry = Mapping[str, Any]


def tables(claims: Sequence[Entry]) -> dict[str, str]:
    """name -> table in Markdown."""
    return {"statements": of_statements(claims), "claims": of_claims(claims)}


def of_statements(claims: Sequence[Entry]) -> str:
    """One row per statement of the papers that the claims are about, in the papers' order, claims or none."""
    papers = {paper.key: paper for paper in (holding(id) for claim in claims for id in claim["of"])}
    rows = [
        (
            f"`{statement.id}`: {plain(statement.title)}",
            _named(about, "holds"),
            _named(about, "violated"),
            ", ".join(dict.fromkeys(kind for claim in about for kind in kinds(claim))),
        )
        for paper in papers.values()
        for statement in paper.statements.values()
        for about in [[claim for claim in claims if statement.id in claim["of"]]]
    ]
    return _markdown(("statement", "claims that hold", "claims that are violated", "evidence"), rows)


def of_claims(claims: Sequence[Entry]) -> str:
    rows = [
        (f"`{claim['id']}`", claim["verdict"], ", ".join(kinds(claim)), plain(claim["regime"]))
        for claim in claims
    ]
    return _markdown(("claim", "verdict", "evidence", "where"), rows)


def kinds(claim: Entry) -> list[str]:
    """The kinds of evidence; sampling with its probability of error."""
    found = dict.fromkeys(kind for words, kind in KINDS.items() if words in claim["method"])
    if not found:
        raise ValueError(
            f"the method of claim {claim['id']}, {claim['method']!r}, names no known kind of evidence; use one of the "
            f"words {', '.join(KINDS)}, or add a word to KINDS in tools/verified_page.py."
        )
    if ("sampled" in found) != (claim["false_alarm"] > 0):
        raise ValueError(
            f"claim {claim['id']} has the method {claim['method']!r} and false_alarm = {claim['false_alarm']!r}: those "
            f"that sample have a probability of error > 0, and only those."
        )
    return [f"{kind} ({claim['false_alarm']:g})" if kind == "sampled" else kind for kind in found]


def _named(claims: Sequence[Entry], verdict: str) -> str:
    return ", ".join(f"`{claim['id']}`" for claim in claims if claim["verdict"] == verdict) or "–"


def _markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ("---",) * len(columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    replace_tables(Path(sys.argv[2]), tables(read(Path(sys.argv[1]))["claims"]))
