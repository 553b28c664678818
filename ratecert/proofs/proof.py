"""From a witness to a proof: the witness itself in fractions, or a simpler instance of the same mistake.

A theorem on one level that is bound to a run (binding/) needs nothing more: by_data/ writes its proof.
"""

from dataclasses import dataclass
from fractions import Fraction

from ratecert.base.errors import NotExactError, UserError, WitnessError
from ratecert.catalogue import find
from ratecert.catalogue.cases import case_of
from ratecert.proofs.by_data.nearby import nearby
from ratecert.proofs.by_data.theorem import refuted
from ratecert.proofs.proof_files import proof_name
from ratecert.search.blame import all_places
from ratecert.search.case import Case
from ratecert.search.witness import Witness
from ratecert.solvers.contract.problem import spaces_of
from ratecert.theory.language.statements import Corollary, Counts, Factor

ORDERS = (Corollary, Counts, Factor)


@dataclass(frozen=True)
class Proof:
    """A proof as a file, and how far the inequality fails in it."""

    name: str  # PAPER.STATEMENT.MISTAKE
    ratio: Fraction | None  # measure/bound, or less; None where the bound is zero
    text: str  # Python that needs nothing but fractions
    instead: str = ""  # why another instance than that of the witness was taken; empty where it was not


def prove(witness: Witness) -> Proof:
    """The proof that the statement of a witness is false, for the mistake that the witness shows."""
    case = _case(witness)
    name = proof_name(*find.split(witness.statement), witness.mistake)
    try:
        found = refuted(case, witness.place, witness.instance)
        return Proof(name, found.ratio, found.text)
    except NotExactError as error:
        reason = error
    for instance in nearby(case, witness.place, witness.instance):
        try:
            found = refuted(case, witness.place, instance)
        except (NotExactError, WitnessError):
            continue
        return Proof(name, found.ratio, found.text, instead=str(reason))
    raise NotExactError(f"no proof of {name} is known: {reason}, and no simpler instance was found.")


def _case(witness: Witness) -> Case:
    """The case of a witness that a proof may start from."""
    statement = witness.statement
    if isinstance(find.statement(statement), ORDERS):
        raise UserError(
            f"{statement} speaks of orders of growth: it is refuted by derivation (ratecert lint), not at an instance."
        )
    case = case_of(statement, witness.variant)
    if witness.variant != "printed":
        raise UserError(
            f"{statement} ({witness.variant}): proofs are for printed statements; variant must be printed."
        )
    if not isinstance(case, Case):
        raise UserError(
            f"{statement} has no proof in fractions: `ratecert prove` writes those of theorems on one level that are "
            f"bound to a run; `ratecert check` computes the witness again."
        )
    case.require(witness.instance)
    if witness.place and witness.place not in (places := sorted(all_places(case))):
        raise WitnessError(f"place must be empty or one of {', '.join(places)}, got {witness.place!r}.")
    setting, _ = case.setting_and_letters(witness.instance)
    if "y" in spaces_of(setting.world):
        raise UserError(
            f"{statement} is on two levels, and `ratecert prove` writes proofs on one level; `ratecert check` computes "
            f"the witness again."
        )
    _require_broken(case, witness)
    return case


def _require_broken(case: Case, witness: Witness) -> None:
    """Refuse an instance outside the conditions, and one that is no counterexample: another would not be its proof."""
    ratio = case.attempt(witness.instance, find.paper("printed", case.key)).ratio
    if not ratio > 1:
        raise WitnessError(
            f"measured/bound is {ratio:.6g} there, not above 1: it shows no mistake. `ratecert falsify "
            f"{witness.statement}` looks for one that does."
        )
