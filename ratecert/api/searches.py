"""Searches by the id of a statement: counterexamples, stored ones computed again, and sharper constants."""

import os
from typing import Any, TypedDict

from ratecert.base.asked import asked
from ratecert.base.errors import UserError, UserTypeError
from ratecert.base.validation import require_whole
from ratecert.catalogue import cases, find
from ratecert.search import finding
from ratecert.search.case import Case
from ratecert.search.climb import FEWEST, MOST
from ratecert.search.finding import Confirmed, Outcome
from ratecert.sharpening import sharpen as whole
from ratecert.sharpening.sharpen import Sharpened
from ratecert.theory.statements import Theorem

LEAST_OF_SHARPEN = 8 * FEWEST  # worlds
LARGEST_SEED = 2**64 - 1


class Settings(TypedDict):
    """Of a search: how many worlds, its seed, and how many processes."""

    budget: int
    seed: int
    jobs: int


def falsify(
    statement: str, variant: str = "printed", *, budget: int = 2000, seed: int = 0, jobs: int = 1
) -> Outcome:
    """Search for the world that breaks a statement most, inside its own conditions.

    statement   the id of a theorem that is bound to a run, such as "theorem-1" or "svrg:theorem-1"
    variant     "printed" or "repaired"
    budget      how many worlds to try at most
    seed        of the search; the outcome does not depend on `jobs`
    jobs        processes

    Both sides of the inequality are exact. `outcome.falsified` says whether a counterexample was found and confirmed by
    a second computation; `outcome.findings` has them, `outcome.largest` the largest measured/bound of all worlds tried.

    >>> import ratecert as rc
    >>> outcome = rc.falsify("pep-momentum:triple-momentum", budget=60)
    >>> outcome.falsified, outcome.findings[0].simple.witness.place
    (True, 'triple-momentum.term.start')
    """
    case = cases.case_of(asked(statement), variant)
    run = of_search(budget=budget, seed=seed, jobs=jobs)
    return finding.falsify(case, **run, advance=lambda _: None)


def of_search(*, budget: Any, seed: Any, jobs: Any, least: int = FEWEST) -> Settings:
    """The settings of a search, each refused where it makes no sense."""
    return {
        "budget": require_whole("budget", budget, least=least, most=MOST),
        "seed": require_whole("seed", seed, least=0, most=LARGEST_SEED),
        "jobs": require_whole("jobs", jobs, least=1),
    }


def witnesses() -> list[str]:
    """List the names of the counterexamples that come with the package; `check_witness` takes one.

    >>> import ratecert as rc
    >>> "federated-bilevel.theorem-1.printed-noise_u.simple" in rc.witnesses()
    True
    """
    return [path.stem for path in cases.stored()]


def check_witness(name: str | os.PathLike[str]) -> Confirmed:
    """Compute both sides of a stored counterexample again, and check its assumptions.

    name    one of `witnesses()`, of the first paper with or without its key; or the path of a file that the command
            `ratecert falsify` has written

    It is computed in doubles, in enclosures, and by a second way, which shares neither arithmetic nor constants.
    `.confirmed` says whether it is a counterexample, `.word` whether by one way or by two; `.tried` has both sides,
    `.again` those of the other ways, `.ratios` measured/bound with and without the erratum that cures it,
    `.assumptions` how each assumption stands, `.proofs` the stored proofs that the statement is false, run again.

    >>> import ratecert as rc
    >>> check = rc.check_witness("theorem-1.printed-noise_u.simple")
    >>> check.ratios.itself > 1
    True
    """
    if not isinstance(name, str | os.PathLike):
        raise UserTypeError(f"name must be one of rc.witnesses() or the path of a file, got {name!r:.60}.")
    return cases.replayed(cases.read(cases.file_of(str(name))))


def sharpen(
    statement: str, variant: str = "printed", *, budget: int = 400, seed: int = 0, jobs: int = 1
) -> Sharpened:
    """Compute how much smaller the constants of a theorem could be before a world breaks its bound.

    statement   the id of a theorem, such as "theorem-1", "parallel-sgd:sgd-descent" or "my_paper.py:theorem-1"
    variant     "printed" or "repaired"
    budget      worlds of one search; a conjecture is tried on ten times as many
    seed        of the searches
    jobs        processes

    `.least` has for each term the smallest factor that no world forbids, with the world; `.room` how far a step may go
    beyond each condition until a world breaks the bound; `.exponents` how least factors change along each number;
    `.bound` the factors of the smallest bound of the same form that no world exceeded, a conjecture.

    >>> import ratecert as rc
    >>> found = rc.sharpen("pep-gradient-descent:contraction", budget=40)
    >>> found.tight, [each.term for each in found.least]
    (True, ['start'])
    """
    case = theorem_case(asked(statement), variant)
    return whole.sharpen(case, **of_sharpen(budget=budget, seed=seed, jobs=jobs))


def theorem_case(statement: str, variant: str) -> Case:
    """A theorem that can be run."""
    if not isinstance(find.statement(statement, variant), Theorem):
        key, _ = find.split(statement)
        theorems = ", ".join(cases.bound(key)) or f"{key} binds none to a run"
        raise UserError(f"{statement} is no theorem, and only theorems have terms to sharpen: {theorems}.")
    return cases.case_of(statement, variant)


def of_sharpen(*, budget: Any, seed: Any, jobs: Any) -> Settings:
    """The settings of its searches, each refused where it makes no sense."""
    settings = of_search(budget=budget, seed=seed, jobs=jobs, least=LEAST_OF_SHARPEN)
    return {**settings, "seed": require_whole("seed", seed, least=0, most=2**32 - 1)}
