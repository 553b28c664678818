"""The first screen of a report: how many theorems are false as printed, and a row for each statement that was judged.

A row has the statement as it is printed and as it fits, differences marked, the largest measured/bound of both, and the
cause. Below a row that is refuted stands the claim with the smallest witness: its bound with the wrong terms marked,
the witness, and what was measured against what is allowed.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring, tostring

from markupsafe import Markup

from ratecert.base.errors import UserError
from ratecert.catalogue import cases
from ratecert.catalogue.find import is_own, paper, split
from ratecert.report.library import smallest_witness
from ratecert.report.typeset import formulas_of, mathml
from ratecert.search.witness import Witness, named
from ratecert.theory.paper import Erratum, Paper
from ratecert.theory.statements import Corollary, Cost, Theorem
from ratecert.typeset.outline import AT_MOST
from ratecert.verdicts.statement import errata_of

KINDS = {Theorem: "theorems", Corollary: "corollaries", Cost: "costs"}
RATIO = "measured/bound"  # with which the names of checks begin, after "largest"
MOST = 8  # changes that are shown of a statement
THETA = r"\Theta"
Claim = Mapping[str, Any]  # an entry of results.json, as the page has it
Both = tuple[Paper, Paper]  # printed and repaired


@dataclass(frozen=True)
class Change:
    """A formula of the print, and the one that fits, if that is another."""

    label: str  # of what is no equation
    printed: Markup
    fits: Markup | None


@dataclass(frozen=True, kw_only=True)
class Line:
    """What became of one statement."""

    kind: str  # empty where it is none of those that the sentence counts
    name: str
    printed: Claim  # the claim that decides it: a refuted one, with a witness, if there is any
    corrected: Claim | None
    largest: tuple[float | None, float | None] = (None, None)  # measured/bound, printed and corrected
    because: Sequence[str] = ()
    changes: Sequence[Change] = ()
    measure: Markup | None = None
    terms: Sequence[
        tuple[str, Markup, bool]
    ] = ()  # name, formula, whether it is wrong; none where no term is
    witness: Witness | None = None
    file: str = ""  # of the witness
    text: str = ""  # of that file

    @property
    def false(self) -> bool:
        return bool(self.printed["verdict"] == "refuted")


def lines(claims: Sequence[Claim]) -> list[Line]:
    """Of the theorems, corollaries and costs among these, and of all that is refuted; what is false comes first."""
    own: dict[str, list[Claim]] = {}
    for claim in claims:
        own.setdefault(claim["of"][0], []).append(claim)
    found = (line for id, some in own.items() for line in _line(id, some))
    return sorted(found, key=lambda line: (not line.false, not line.kind))


def _line(id: str, claims: Sequence[Claim]) -> Iterator[Line]:
    """None of what is only said in passing, or of which the paper is not at hand any more and nothing is refuted."""
    both, (key, inside) = _papers_of(id), split(id)
    statement = both[0][inside] if both else None
    kind, theorem = KINDS.get(type(statement), ""), statement if isinstance(statement, Theorem) else None
    # a refutation that nobody has expected is ours to explain, not the paper's
    refuted = [c for c in claims if c["verdict"] == "refuted" and (is_own(id) or c["expected"] == "refuted")]
    stated = [claim for claim in claims if claim["id"] == id or claim["id"].startswith(f"{id}.printed")]
    decides = sorted(refuted, key=lambda claim: _witness_of(claim) is None) or (stated if kind else [])
    if not decides:
        return
    corrected = next((claim for claim in claims if claim["id"] == f"{id}.repaired"), None)
    because = {
        claim["because"] or f"{claim['statement']} does not hold: {claim['reason']}" for claim in refuted
    }
    path = _witness_of(decides[0]) if refuted else None
    witness = cases.read(path) if path else None
    yield Line(
        kind=kind,
        name=decides[0]["statement"],
        printed=decides[0],
        corrected=corrected,
        largest=(_largest(decides), _largest([corrected] if corrected else [])),
        because=sorted(because),
        changes=list(_changes_of(both, key, inside, because))[:MOST] if both and refuted else (),
        measure=mathml(theorem.measure) if theorem else None,
        terms=list(_terms(both, theorem, witness)) if both and theorem and witness else (),
        witness=witness,
        file=path.name if path else "",
        text=path.read_text(encoding="utf-8") if path else "",
    )


def _papers_of(id: str) -> Both | None:
    """The print and its repair; None where the paper of the results is not at hand any more."""
    key, inside = split(id)
    try:
        paper("printed", key)[inside]
        return paper("printed", key), paper("repaired", key)
    except UserError:
        return None


def _witness_of(claim: Claim) -> Path | None:
    """Of its statement, and of its mistake where the claim's id names one."""
    _, printed, mistake = claim["id"].partition(".printed-")
    return smallest_witness(named(claim["of"][0], "printed") + (f"-{mistake}." if printed else ""))


def _largest(claims: Sequence[Claim]) -> float | None:
    """The largest measured/bound of all their checks."""
    checks = (check for claim in claims for check in claim["checks"])
    found = (each["measured"] for each in checks if each["name"].removeprefix("largest ").startswith(RATIO))
    return max((each for each in found if each is not None), default=None)


# Formulas.


def _terms(both: Both, theorem: Theorem, witness: Witness) -> Iterator[tuple[str, Markup, bool]]:
    """Those of the bound; wrong is the one that the witness blames, or all that have the constant which it blames."""
    printed, owner = both[0], both[0].owner(witness.place) if witness.place else theorem.id
    wrong = witness.place.rpartition(".")[2] if owner == theorem.id else ""
    letter = owner.removeprefix("constant.") if owner != theorem.id else ""
    for name, latex in dict(formulas_of(printed, theorem.id))[AT_MOST]:
        yield name, mathml(latex), name == wrong or letter in map(str, theorem.terms[name].free_symbols)


def _changes_of(both: Both, key: str, id: str, because: Collection[str]) -> Iterator[Change]:
    """What errata change of a statement, or of the constants in it: those for these reasons, if there are any."""
    errata = errata_of(key, id)
    own = [erratum for erratum in errata if erratum.reason in because] or errata
    for owner, places in _by_owner(both[1], own).items():
        yield from _changes(*both, owner, places)
    if not own:
        yield from (
            Change(_label(*at, latex), mathml(latex), None) for at, latex in _latex(both[0], id).items()
        )


def _by_owner(paper: Paper, errata: Sequence[Erratum]) -> dict[str, set[str]]:
    """Statement -> the last words of the places that are changed in it."""
    found: dict[str, set[str]] = {}
    for erratum in errata:
        found.setdefault(paper.owner(erratum.place), set()).add(erratum.place.rpartition(".")[2])
    return found


def _changes(printed: Paper, repaired: Paper, id: str, names: Collection[str]) -> Iterator[Change]:
    """The formulas with these names that errata change, or without such names every one.

    Theta and O are the same: whoever chooses a step so large does so.
    """
    before, after = _latex(printed, id), _latex(repaired, id)
    named = [at for at in before if at[1] in names] or list(before)
    for at in named:
        latex, fits = before[at], after.get(at, "")
        if latex.replace(THETA, "O") != fits.replace(THETA, "O"):
            both = differing(mathml(latex), mathml(fits)) if fits else (mathml(latex), None)
            yield Change(_label(*at, latex), *both)


def _latex(source: Paper, id: str) -> dict[tuple[str, str], str]:
    """(heading, name) -> LaTeX, for every formula of a statement."""
    return {(heading, name): latex for heading, own in formulas_of(source, id) for name, latex in own}


def _label(heading: str, name: str, latex: str) -> str:
    """An equation says itself what it is of."""
    return "" if "=" in latex else name or heading.lower()


def differing(*formulas: Markup) -> tuple[Markup, Markup]:
    """Two formulas with the signs marked that one has and the other has not."""
    trees = [fromstring(each) for each in formulas]
    leaves = [[element for element in tree.iter() if not len(element)] for tree in trees]
    texts = [[leaf.text or "" for leaf in own] for own in leaves]
    same = SequenceMatcher(a=texts[0], b=texts[1], autojunk=False)
    for what, *(a, b, c, d) in same.get_opcodes():
        for leaf in (*leaves[0][a:b], *leaves[1][c:d]) if what != "equal" else ():
            leaf.set("class", "differs")
    first, second = (
        Markup(tostring(tree, encoding="unicode")) for tree in trees
    )  # safe: as mathml made them
    return first, second


# The sentence.


def sentence(found: Sequence[Line]) -> str:
    """3 of 3 theorems and 6 of 6 corollaries are false as printed; corrected, they survive 12000 worlds."""
    counts, wrong = list[str](), [line for line in found if line.false and line.kind]
    for kind in KINDS.values():
        some = [line.false for line in found if line.kind == kind]
        counts += [f"{sum(some)} of {len(some)} {kind}"] if any(some) else []
    if not wrong:
        return "No statement is refuted." if any(line.kind for line in found) else ""
    cures = [line.corrected for line in wrong if line.corrected]
    left = [claim["verdict"] for claim in cures].count("refuted")
    tried = sum(row.get("inside", 0) for claim in cures for row in claim["table"] if "largest" in row)
    then = f"{left} of them {'is' if left == 1 else 'are'} refuted" if left else "none of them is refuted"
    if tried and not left:
        then = f"{'it survives' if len(cures) == 1 else 'they survive'} {tried} worlds"
    said = f"{', '.join(counts[:-1])} and {counts[-1]}" if counts[1:] else counts[0]
    return f"{said} {'is' if len(wrong) == 1 else 'are'} false as printed{f'; corrected, {then}' if cures else ''}."
