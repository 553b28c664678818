"""From a witness to a proof: the witness in fractions, or a simpler instance of the same mistake; and stored proofs.

A theorem on one level that is bound to a run (binding/) needs nothing more: theorem.py writes its proof. An instance is
simpler by a short run, powers of four, steps of few digits. It need not be near in any other sense: a statement is
false wherever it is broken, and what is asked for is an instance that shows the same mistake. Each is tried in doubles
first.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path

from ratecert.base.asked import parted
from ratecert.base.errors import NotExactError, UserError, WitnessError
from ratecert.binding.families import Family
from ratecert.binding.steps import chosen
from ratecert.proofs.theorem import Refuted, refuted
from ratecert.search.blame import cured, source_of
from ratecert.search.case import Case
from ratecert.search.witness import Instance, Witness
from ratecert.solvers.contract.problem import spaces_of
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Theorem

LENGTHS = (1, 2, 4, 8, 16, 32, 64)
PARTS = (1.0, 0.5, 0.2, 0.1)  # of the most that a letter may be
CLEAR = 1.05  # how far the bound has to be broken, in doubles
AGREEMENT = 1e-6  # of two ratios, relative
MANY = 2  # devices, where the witness has more
MOST = 6000  # instances that are tried
Table = Mapping[str, float]
PACKAGE = Path(__file__).parents[1]


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
    for instance in nearby(case, witness.place, witness.instance):
        try:
            found = _refuted(case, witness.place, instance)
        except (NotExactError, WitnessError):
            continue
        return Proof(name, found.ratio, found.text, instead=str(reason))
    raise NotExactError(f"no proof of {name} is known: {reason}, and no simpler instance was found.")


def _refuted(case: Case, place: str, instance: Instance) -> Refuted:
    """In fractions; refused where the engines find another ratio, as of a measure that tells axes from one another."""
    found = refuted(case, place, instance)
    tried = case.attempt(instance, case.printed).ratio
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
    ratio = case.attempt(witness.instance, case.printed).ratio
    if not ratio > 1:
        raise WitnessError(
            f"measured/bound is {ratio:.6g} there, not above 1: it shows no mistake. `ratecert falsify {statement}` "
            f"looks for one that does."
        )


# Simpler instances.


def nearby(case: Case, place: str, instance: Instance) -> Iterator[Instance]:
    """Those that break the statement by doubles, the simplest first."""
    source, own = source_of(case, place), case.family_of(instance)
    devices = sorted({1, min(instance["run"]["K"], MANY)}) if case.binding.devices else [1]
    worlds, parts = _worlds(own, instance[own.name]), (None, *PARTS)
    lengths = (0, *LENGTHS) if case.binding.begins_at_start else LENGTHS
    every = product(lengths, worlds, devices, parts, (math.floor, math.ceil))
    seen: list[Instance] = []
    for _, (T, world, K, part, towards) in zip(range(MOST), every, strict=False):
        letters = instance["letters"] if part is None else part
        try:
            found = _instance(case, source, own, world, {"K": K, "T": T}, letters, towards)
            if found in seen:
                continue
            seen.append(found)
            if _breaks(case, place, found, source):
                yield found
        except (ArithmeticError, ValueError):
            continue


def _worlds(own: Family, world: Table) -> list[Table]:
    """Rounded; held where a search holds them; each number at the ends of its range; and as they are."""
    short = {name: float(f"{value:.1e}") for name, value in world.items()}
    fours, tens = ({name: _power(base, value) for name, value in world.items()} for base in (4.0, 10.0))
    bases = [short, fours, tens, *({**fours, **held} for held in own.held)]
    ends = [{level.name: end} for level in own.levels for end in (level.low, level.high)]
    every = [*bases, dict(world), *({**base, **end} for base in bases for end in ends)]
    return [each for i, each in enumerate(every) if each not in every[:i]]


def _power(base: float, value: float) -> float:
    """The nearest; zero stays."""
    return float(base ** round(math.log(value, base))) if value > 0 else value


def _instance(
    case: Case,
    source: Paper,
    own: Family,
    world: Table,
    run: Mapping[str, int],
    letters: Table | float,
    towards: Callable[[float], int],
) -> Instance:
    made: Instance = {own.name: world, "run": {**run, "K": own.count(world) or run["K"]}, "letters": {}}
    if isinstance(letters, float):
        setting, _ = case.setting_and_letters(made)
        known, theorem = case.binding.given_by(setting), source.the(Theorem, case.statement)
        letters = chosen(
            source,
            theorem,
            known,
            dict.fromkeys(case.letters, letters),
            case.letters,
            case.at_least,
        )
    return {**made, "letters": {name: _short(value, towards) for name, value in letters.items()}}


def _short(value: float, towards: Callable[[float], int]) -> float:
    """At most two digits; what has them already stays."""
    if value <= 0 or float(f"{value:.1e}") == value:
        return value
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{towards(value / unit) * unit:.1e}")


def _breaks(case: Case, place: str, instance: Instance, source: Paper) -> bool:
    """By a finite factor, and because of this mistake."""
    tried = case.attempt(instance, source)
    if not CLEAR < tried.ratio < math.inf:
        return False
    return not place or case.ratio_in(tried, cured(case, (place,))) <= 1


# Stored proofs: in proofs/ beside the sources, in kept_proofs inside the package where it is installed.


def proof_name(key: str, statement: str, mistake: str) -> str:
    """PAPER.STATEMENT.MISTAKE, without the mistake where it is not known; of a file by the name of the file."""
    paper = Path(key).stem if key.endswith(".py") else key
    return ".".join(part for part in (paper, statement, mistake) if part)


def note(key: str, statement: str, mistake: str) -> str:
    """What a claim says of its proof."""
    return f"Proved false, in fractions alone: proofs/{proof_name(key, statement, mistake)}.py."


def kept(key: str = "") -> list[Path]:
    """All of them, or those of one paper, in the order of their names."""
    for folder in (PACKAGE / "kept_proofs", PACKAGE.parent / "proofs"):
        if folder.is_dir():
            return sorted(folder.glob(f"{key}.*.py" if key else "*.py"))
    raise UserError(f"no folder kept_proofs in {PACKAGE} and no proofs beside it; install ratecert again.")
