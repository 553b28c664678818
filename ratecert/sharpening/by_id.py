"""Sharpening by the id of a statement."""

from typing import Any

from ratecert.base.asked import asked
from ratecert.base.errors import UserError
from ratecert.catalogue import find
from ratecert.search.by_id import Settings
from ratecert.search.cases import case as case_of
from ratecert.search.cases import known
from ratecert.search.climb import FEWEST, MOST
from ratecert.search.falsifiable import Falsifiable
from ratecert.sharpening import whole
from ratecert.sharpening.whole import Sharpened
from ratecert.solvers.contract.validation import require_whole
from ratecert.theory.language.statements import Theorem

LEAST_BUDGET = 8 * FEWEST


def theorem_case(statement: str, variant: str) -> Falsifiable:
    """A theorem that can be run."""
    if not isinstance(find.statement(statement, variant), Theorem):
        key, _ = find.split(statement)
        theorems = [id for id in known(key) if isinstance(find.statement(id, "printed"), Theorem)]
        raise UserError(
            f"{statement} is no theorem, and only theorems have terms to sharpen: {', '.join(theorems)}."
        )
    return case_of(statement, variant)


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
    return whole.sharpen(case, **checked(budget=budget, seed=seed, jobs=jobs))


def checked(*, budget: Any, seed: Any, jobs: Any) -> Settings:
    """The settings of the searches, each refused where it makes no sense."""
    return {
        "budget": require_whole("budget", budget, least=LEAST_BUDGET, most=MOST),
        "seed": require_whole("seed", seed, least=0, most=2**32 - 1),
        "jobs": require_whole("jobs", jobs, least=1),
    }
