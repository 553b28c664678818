"""`ratecert claims`: the claims that `ratecert verify` checks, all or those that are asked for."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

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
from ratecert.from_data.choosing import select

SCHEMA = 1


@dataclass(frozen=True, kw_only=True)
class Filter:
    """What a claim must be; None asks for nothing."""

    statement: str | None = None
    verdict: str | None = None  # that is expected; what is proved false is refuted, too
    evidence: str | None = None
    paper: str | None = None

    def fits(self, claim: Claim) -> bool:
        return (
            (self.statement is None or _bare(self.statement) in map(_bare, claim.of))
            and self.verdict in (None, claim.expected, _in_words(claim))
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


def _in_words(claim: Claim) -> str:
    """The verdict that is expected, as `ratecert verify` tells it."""
    return in_words({"verdict": claim.expected, "evidence": claim.evidence})


def _record(claim: Claim) -> dict[str, object]:
    return {
        "id": claim.id,
        "of": list(claim.of),
        "sentence": claim.sentence,
        "expected": claim.expected,
        "because": claim.because,
        "evidence": list(claim.evidence),
        "false_alarm": claim.false_alarm,
    }


def _listed(claims: Sequence[Claim]) -> str:
    width, title = columns(), "Claims that `ratecert verify` checks, and the verdict that is expected"
    if width < FOR_TABLES:
        blocks = (Block(c.id, _in_words(c), (c.sentence, ", ".join(c.evidence))) for c in claims)
        return f"{folded(title)}\n{as_text(as_blocks(blocks, width), width, colour=coloured())}\n"
    table = Table(title=title)
    for name in ("claim", "expected", "what it says", "evidence"):
        table.add_column(name, no_wrap=name == "expected", overflow="fold")
    for claim in claims:
        expected = Text(_in_words(claim), style=style_of(_in_words(claim)))
        table.add_row(Text(claim.id), expected, Text(claim.sentence), Text(", ".join(claim.evidence)))
    return as_text(table, width, colour=coloured())
