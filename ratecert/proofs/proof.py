"""From a witness to a proof: the witness itself in fractions, or a simpler instance of the same mistake.

A theorem that is bound to a run by data (executable/) needs nothing more: by_data/ writes its proof. Another paper
brings its part `proofs`: PROVABLE, which turns an instance of a statement into the text of a proof or says why it
cannot (NotExactError), and SIMPLEST, an instance that can be for each mistake that is known.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ratecert.base.errors import NotExactError, UserError, WitnessError
from ratecert.catalogue import find
from ratecert.counterexamples.cases import case as case_of
from ratecert.counterexamples.falsifiable import Falsifiable, Instance
from ratecert.counterexamples.mistakes import all_places
from ratecert.counterexamples.theorem_case import TheoremCase
from ratecert.counterexamples.witness import Witness
from ratecert.proofs.by_data.nearby import nearby
from ratecert.proofs.by_data.theorem import refuted
from ratecert.proofs.proof_files import proof_name
from ratecert.theory.language.statements import Corollary, Counts, Factor

ORDERS = (Corollary, Counts, Factor)


@dataclass(frozen=True)
class Texts:
    """A proof in both languages, or in Python alone, and how far the inequality fails."""

    ratio: Fraction | None  # measure/bound, or less; None where the bound is zero
    python: str
    coq: str = ""


@dataclass(frozen=True)
class Proof:
    """`instead` says why another instance than that of the witness was taken; empty where it was not."""

    name: str  # PAPER.STATEMENT.MISTAKE
    texts: Texts
    instead: str = ""


def prove(witness: Witness) -> Proof:
    """The proof that the statement of a witness is false, for the mistake that the witness shows."""
    key, inside = find.split(witness.statement)
    case = _case(witness)
    name = proof_name(key, inside, witness.mistake)
    if isinstance(case, TheoremCase):
        return _by_data(name, case, witness)
    provable, simplest = _offered(witness, key, inside)
    try:
        return Proof(name, provable[inside](inside, witness.place, witness.instance))
    except NotExactError as reason:
        if (inside, witness.place) not in simplest:
            raise NotExactError(
                f"no proof of {name} is known: {reason}, and no simpler instance is known."
            ) from reason
        _require_broken(case, witness, key)
        simpler = simplest[inside, witness.place]
        return Proof(name, provable[inside](inside, witness.place, simpler), instead=str(reason))


def _by_data(name: str, case: TheoremCase, witness: Witness) -> Proof:
    """Of a theorem that is bound to a run by data: at the witness, or near it."""
    _require_broken(case, witness, case.key)
    try:
        found = refuted(case, witness.place, witness.instance)
        return Proof(name, Texts(found.ratio, found.text))
    except NotExactError as error:
        reason = error
    for instance in nearby(case, witness.place, witness.instance):
        try:
            found = refuted(case, witness.place, instance)
        except (NotExactError, WitnessError):
            continue
        return Proof(name, Texts(found.ratio, found.text), instead=str(reason))
    raise NotExactError(f"no proof of {name} is known: {reason}, and no simpler instance was found.")


def _require_broken(case: Falsifiable, witness: Witness, key: str) -> None:
    """Refuse an instance outside the conditions, and one that is no counterexample: another would not be its proof."""
    ratio = case.attempt(witness.instance, find.paper("printed", key)).ratio
    if not ratio > 1:
        raise WitnessError(
            f"measured/bound is {ratio:.6g} there, not above 1: it shows no mistake. `ratecert falsify "
            f"{witness.statement}` looks for one that does."
        )


def _case(witness: Witness) -> Falsifiable:
    """The case of a witness that a proof may start from."""
    if isinstance(find.statement(witness.statement), ORDERS):
        raise UserError(
            f"{witness.statement} speaks of orders of growth: it is refuted by derivation (ratecert lint), not at an "
            f"instance."
        )
    case = case_of(witness.statement, witness.variant)
    if witness.variant != "printed":
        raise UserError(
            f"{witness.statement} ({witness.variant}): proofs are for printed statements; variant must be printed."
        )
    case.require(witness.instance)
    if witness.place and witness.place not in (places := sorted(all_places(case))):
        raise WitnessError(f"place must be empty or one of {', '.join(places)}, got {witness.place!r}.")
    return case


def _offered(
    witness: Witness, key: str, inside: str
) -> tuple[Mapping[str, Callable[[str, str, Instance], Texts]], Mapping[tuple[str, str], Instance]]:
    """What the paper offers."""
    part: Any = find.part(key, "proofs")
    provable = getattr(part, "PROVABLE", {})
    if inside not in provable:
        known = ", ".join(find.full_id(key, id) for id in provable) or "none"
        raise UserError(
            f"{witness.statement} has no proofs in fractions; the statements of its paper that have: {known}."
        )
    return provable, part.SIMPLEST
