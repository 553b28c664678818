"""The first screen of a report: how many theorems are false as printed, and a row for each statement that was judged.

A row has the statement as it is printed and as it is corrected, the largest measured/bound of both, and the cause.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ratecert.base.errors import UserError
from ratecert.catalogue.find import paper, split
from ratecert.theory.statements import Corollary, Cost, Theorem

KINDS = {Theorem: "theorems", Corollary: "corollaries", Cost: "costs"}
RATIO = "measured/bound"  # with which the names of checks begin, after "largest"
Claim = Mapping[str, Any]  # an entry of results.json, as the page has it


@dataclass(frozen=True)
class Line:
    """What became of one statement."""

    kind: str
    name: str
    printed: Claim  # the claim that decides it: a refuted one, if there is any
    corrected: Claim | None
    largest: tuple[float | None, float | None]  # ratio, printed and corrected
    because: Sequence[str]

    @property
    def false(self) -> bool:
        return bool(self.printed["verdict"] == "refuted")


def lines(claims: Sequence[Claim]) -> list[Line]:
    """Of the theorems, corollaries and costs among these, those that are false as printed first."""
    own: dict[str, list[Claim]] = {}
    for claim in claims:
        own.setdefault(claim["of"][0], []).append(claim)
    return sorted(
        (line for id, some in own.items() for line in _line(id, some)), key=lambda line: not line.false
    )


def _line(id: str, claims: Sequence[Claim]) -> Iterator[Line]:
    """None of what is no such statement, or of which the paper is not at hand any more."""
    key, inside = split(id)
    kind = None
    with suppress(UserError):
        kind = KINDS.get(type(paper(key=key)[inside]))
    printed = [claim for claim in claims if claim["id"] == id or claim["id"].startswith(f"{id}.printed")]
    if kind is None or not printed:
        return
    corrected = next((claim for claim in claims if claim["id"] == f"{id}.repaired"), None)
    refuted = [claim for claim in printed if claim["verdict"] == "refuted"]
    yield Line(
        kind=kind,
        name=printed[0]["statement"],
        printed=(refuted or printed)[0],
        corrected=corrected,
        largest=(_largest(printed), _largest([corrected] if corrected else [])),
        because=list(dict.fromkeys(claim["because"] for claim in refuted if claim["because"])),
    )


def _largest(claims: Sequence[Claim]) -> float | None:
    """The largest measured/bound of all their checks."""
    checks = (check for claim in claims for check in claim["checks"])
    found = (each["measured"] for each in checks if each["name"].removeprefix("largest ").startswith(RATIO))
    return max((each for each in found if each is not None), default=None)


def sentence(found: Sequence[Line]) -> str:
    """3 of 3 theorems and 6 of 6 corollaries are false as printed; corrected, none of them is refuted."""
    counts, wrong = list[str](), [line for line in found if line.false]
    for kind in KINDS.values():
        some = [line.false for line in found if line.kind == kind]
        counts += [f"{sum(some)} of {len(some)} {kind}"] if any(some) else []
    if not wrong:
        return "No statement is refuted." if found else ""
    cures = [line.corrected["verdict"] for line in wrong if line.corrected]
    left = cures.count("refuted") or "none"
    said = f"{', '.join(counts[:-1])} and {counts[-1]}" if counts[1:] else counts[0]
    then = f"; corrected, {left} of them {'is' if left in (1, 'none') else 'are'} refuted" if cures else ""
    return f"{said} {'is' if len(wrong) == 1 else 'are'} false as printed{then}."
