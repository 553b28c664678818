"""Claims and verdicts for a terminal: a table, or one block for each claim where the terminal is narrow."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table
from rich.text import Text

from ratecert.base.errors import UserError
from ratecert.base.lists import Block, as_blocks, as_text
from ratecert.base.terminal import FOR_TABLES, coloured, columns, echo, folded, style_of
from ratecert.base.words import FAINTLY, near_to
from ratecert.catalogue import find
from ratecert.catalogue.load import library
from ratecert.claims.check import in_words
from ratecert.claims.claim import Claim
from ratecert.report.results import decided_by
from ratecert.verdicts.collect import select

LEGEND = "* not what was expected"
SCHEMA = 1  # of the list of claims as JSON
Entry = Mapping[str, Any]  # of results.json


def verdicts(entries: Sequence[Entry]) -> str:
    """What `ratecert verify` found; the legend only where there is a star."""
    title = "Claims and what was found"
    legend = LEGEND if any(map(_mark, entries)) else ""
    width = columns()
    if width < FOR_TABLES:
        listed = as_blocks(map(_block, entries), width).append(f"\n{legend}\n" if legend else "\n")
        return f"{title}\n\n{as_text(listed, width, colour=coloured())}"
    table = Table(title=title, caption=legend or None)
    for name in ("claim", "verdict", "measured", "", "predicted", "±", "decided by"):
        right = name in ("measured", "predicted", "±")
        long = name in ("claim", "decided by")
        table.add_column(name, justify="right" if right else "left", no_wrap=not long, overflow="fold")
    for e in entries:
        verdict = Text(in_words(e) + _mark(e), style=style_of(in_words(e)))
        numbers = (_number(e["measured"]), e["relation"] or "", _number(e["predicted"]))
        table.add_row(Text(e["id"]), verdict, *numbers, _number(e["uncertainty"]), Text(decided_by(e)))
    return as_text(table, width, colour=coloured())


def _block(entry: Entry) -> Block:
    measured = _number(entry["measured"])
    width = f" ± {_number(entry['uncertainty'])}" if entry["uncertainty"] else ""
    numbers = f"measured {measured}{width}, predicted {entry['relation']} {_number(entry['predicted'])}"
    lines = (decided_by(entry), numbers if measured else "")
    return Block(entry["id"], in_words(entry), lines, _mark(entry))


def _mark(entry: Entry) -> str:
    return "" if entry["verdict"] == entry["expected"] else " *"


def _number(value: float | None, digits: int = 4) -> str:
    return "" if value is None else f"{value:.{digits}g}"


@dataclass(frozen=True, kw_only=True)
class Filter:
    """What a claim in the list must be; None asks for nothing."""

    statement: str | None = None
    verdict: str | None = None  # that is expected; what is proved false is refuted, too
    evidence: str | None = None
    paper: str | None = None

    def fits(self, claim: Claim) -> bool:
        return (
            (self.statement is None or _bare(self.statement) in map(_bare, claim.of))
            and self.verdict in (None, claim.expected, _expected(claim))
            and (self.evidence is None or self.evidence in claim.evidence)
            and self.paper in (None, *(find.split(id)[0] for id in claim.of))
        )

    @property
    def of_paper(self) -> list[str]:
        """The paper that is asked for, so that those of the library are found, too."""
        key = self.paper or find.split(self.statement or "")[0]
        find.require_key(key)
        return [key] if self.paper or self.statement else []


def print_claims(names: Sequence[str], wanted: Filter, *, as_json: bool) -> int:
    """Those with these names, all without a name, that the filter lets through."""
    known = select(names or wanted.of_paper)
    _require_statement(wanted.statement, known)
    chosen = [claim for claim in known if wanted.fits(claim)]
    if as_json:
        told = {"schema": SCHEMA, "claims": [_record(claim) for claim in chosen]}
        echo(json.dumps(told, indent=1, ensure_ascii=False) + "\n")
        return 0
    echo(_listed(chosen) if chosen else "")
    count = f"{len(chosen)} claim{'' if len(chosen) == 1 else 's'}"
    for key in dict.fromkeys(find.split(claim.of[0])[0] for claim in chosen):
        if key in library():
            echo(folded(f"The statements of {key} are entered {find.paper(key=key).entered()}."))
    echo(folded(f"{count}. `ratecert verify CLAIM` checks one."))
    return 0


def _bare(id: str) -> str:
    return find.full_id(*find.split(id))


def _require_statement(wanted: str | None, claims: Sequence[Claim]) -> None:
    """Refuse a statement on which there is no claim, and tell those that come near it."""
    known = sorted({id for claim in claims for id in claim.of})
    if wanted is None or _bare(wanted) in map(_bare, known):
        return
    near = near_to(wanted, known, alike=FAINTLY)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}."
    raise UserError(f"no claim is on the statement {wanted!r}; {hint}")


def _expected(claim: Claim) -> str:
    """The verdict that is expected, as `ratecert verify` tells it."""
    return in_words({"verdict": claim.expected, "evidence": claim.evidence})


def _record(claim: Claim) -> dict[str, object]:
    names = ("id", "of", "sentence", "expected", "because", "evidence", "false_alarm")
    values = {name: getattr(claim, name) for name in names}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _listed(claims: Sequence[Claim]) -> str:
    width, title = columns(), "Claims that `ratecert verify` checks, and the verdict that is expected"
    if width < FOR_TABLES:
        blocks = (Block(c.id, _expected(c), (c.sentence, ", ".join(c.evidence))) for c in claims)
        return f"{folded(title)}\n{as_text(as_blocks(blocks, width), width, colour=coloured())}\n"
    table = Table(title=title)
    for name in ("claim", "expected", "what it says", "evidence"):
        table.add_column(name, no_wrap=name == "expected", overflow="fold")
    for claim in claims:
        expected = Text(_expected(claim), style=style_of(_expected(claim)))
        table.add_row(Text(claim.id), expected, Text(claim.sentence), Text(", ".join(claim.evidence)))
    return as_text(table, width, colour=coloured())
