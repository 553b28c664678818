"""From a witness to a proof: the witness in fractions, or a simpler instance of the same mistake; and stored proofs.

A theorem on one level that is bound to a run (binding/) needs nothing more: theorem.py writes its proof. An instance is
simpler by a short run, powers of four, steps of few digits. It need not be near in any other sense: a statement is
false wherever it is broken, and what is asked for is an instance that shows the same mistake.
"""

import math
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from pathlib import Path

from ratecert.base.asked import parted
from ratecert.base.errors import NotExactError, RatecertError, UndecidedError, UserError, WitnessError
from ratecert.base.files import come_along
from ratecert.proofs.script import not_written
from ratecert.proofs.theorem import Refuted, refuted
from ratecert.search.blame import holds_up
from ratecert.search.case import Case
from ratecert.search.simplify import complexity, simplified
from ratecert.search.witness import Instance, Witness
from ratecert.solvers.contract.problem import spaces_of

AGREEMENT = 1e-6  # of two ratios, relative
MOST = 200  # simpler instances that are tried


@dataclass(frozen=True)
class Proof:
    """A proof as a file, and how far the inequality fails in it."""

    name: str  # PAPER.STATEMENT.MISTAKE
    ratio: Fraction | None  # measure/bound, or less; None where the bound is zero
    text: str  # Python that needs nothing but fractions
    instead: str = ""  # why another instance than that of the witness was taken; empty where it was not


def prove(case: Case, witness: Witness) -> Proof:
    """The proof that the statement of a witness is false, for the mistake that the witness shows."""
    _require_provable(case, witness)
    name = proof_name(*parted(witness.statement), witness.mistake)
    try:
        found = _refuted(case, witness.place, witness.instance)
        return Proof(name, found.ratio, found.text)
    except NotExactError as error:
        reason = error
    for instance in islice(_simpler(case, witness.place, witness.instance), MOST):
        try:
            found = _refuted(case, witness.place, instance)
        except (NotExactError, WitnessError):
            continue
        return Proof(name, found.ratio, found.text, instead=str(reason))
    raise NotExactError(f"no proof of {name} is known: {reason}, and no simpler instance was found.")


def _refuted(case: Case, place: str, instance: Instance) -> Refuted:
    """In fractions; refused where the engines find another ratio, as of a measure that tells axes from one another."""
    found = refuted(case, place, instance)
    tried = _ratio(case, instance)
    if found.ratio is not None and not math.isclose(found.ratio, tried, rel_tol=AGREEMENT):
        raise NotExactError(
            f"measured/bound is {float(found.ratio):.6g} in fractions and {tried:.6g} in the engines"
        )
    return found


def _require_provable(case: Case, witness: Witness) -> None:
    """Refuse what is not printed, is on two levels, or is no counterexample: another would not be its proof."""
    statement = witness.statement
    if witness.variant != "printed":
        raise UserError(
            f"{statement} ({witness.variant}): proofs are for printed statements; variant must be printed."
        )
    setting, _ = case.setting_and_letters(witness.instance)
    if "y" in spaces_of(setting.world):
        raise UserError(
            f"{statement} is on two levels, and `ratecert prove` writes proofs on one level; `ratecert check` computes "
            f"the witness again."
        )
    ratio = _ratio(case, witness.instance)
    if not ratio > 1:
        raise WitnessError(
            f"measured/bound is {ratio:.6g} there, not above 1: it shows no mistake. `ratecert falsify {statement}` "
            f"looks for one that does."
        )


def _ratio(case: Case, instance: Instance) -> float:
    """As the engines find it; what the paper's own lines raise there is told as theirs."""
    try:
        return case.attempt(instance, case.printed).ratio
    except RatecertError:
        raise
    except (ArithmeticError, TypeError, ValueError) as error:
        raise not_written("a run", error) from error


def _simpler(case: Case, place: str, instance: Instance) -> Iterator[Instance]:
    """Instances that show the same mistake: what simplifying the witness and its variants comes by, the simplest first.

    Of its world all numbers become powers of four, which have roots, or one goes to an end of its range, such as pi.
    """
    own, holds = case.family_of(instance), holds_up(case, place)
    world = instance[own.name]
    fours = {name: 4.0 ** round(math.log(x, 4)) if x > 0 else x for name, x in world.items()}
    ends = [{level.name: end} for level in own.levels for end in (level.low, level.high)]
    shown: list[Instance] = []

    def test(other: Instance) -> bool:
        if found := holds(other):
            shown.append(other)
        return found

    for changed in ({}, fours, *ends, *({**fours, **end} for end in ends)):
        if test(start := {**instance, own.name: {**world, **changed}}):
            simplified(start, test)
            yield from sorted(shown, key=complexity)
            shown.clear()


# Stored proofs.


def proof_name(key: str, statement: str, mistake: str) -> str:
    """PAPER.STATEMENT.MISTAKE, without the mistake where it is not known; of a file by the name of the file."""
    paper = Path(key).stem if key.endswith(".py") else key
    return ".".join(part for part in (paper, statement, mistake) if part)


def note(key: str, statement: str, mistake: str) -> str:
    """What a claim says of its proof."""
    return f"Proved false, in fractions alone: proofs/{proof_name(key, statement, mistake)}.py."


def run_again(proof: str, text: str) -> float:
    """Measure/bound as a stored proof prints it, which needs nothing but Python; infinite where the bound is zero."""
    run = subprocess.run([sys.executable, "-I", "-S", "-c", text], capture_output=True, text=True)
    if run.returncode or not run.stdout.startswith("proved: "):
        raise UndecidedError(f"the stored proof {proof} does not go through: {run.stderr.strip()[-200:]}")
    last = run.stdout.split()[-1]  # "the bound is zero and the measure is not"
    return math.inf if last == "not" else float(last)


def stored(key: str = "") -> list[Path]:
    """All of them, or those of one paper, in the order of their names."""
    return come_along("kept_proofs", "proofs", "py", key)
