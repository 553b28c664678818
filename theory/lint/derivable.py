"""Rule: a corollary can be derived at all. The others look only at those that can."""

from functools import lru_cache

from ratecert.base.errors import UnderivableError
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Corollary
from ratecert.theory.lint.finding import Finding
from ratecert.theory.orders.derivation import claimed, derive
from ratecert.theory.orders.inside import inside


def lint_derivable(paper: Paper) -> list[Finding]:
    return [_finding(c, error) for c, error in _tried(paper) if error is not None]


NOT_DERIVED = "not known: no order could be derived"


def derivable(paper: Paper) -> list[Corollary]:
    return [corollary for corollary, error in _tried(paper) if error is None]


@lru_cache(maxsize=8)
def _tried(paper: Paper) -> tuple[tuple[Corollary, UnderivableError | None], ...]:
    return tuple((corollary, _obstacle(paper, corollary)) for corollary in paper.of_kind(Corollary))


def _obstacle(paper: Paper, corollary: Corollary) -> UnderivableError | None:
    try:
        claimed(corollary.claim)
        derive(paper, corollary)
        inside(paper, corollary)
    except UnderivableError as error:
        return error
    return None


def _finding(corollary: Corollary, error: UnderivableError) -> Finding:
    return Finding(
        place=f"{corollary.id}.rate",
        kind="corollary",
        printed=str(corollary.claim),
        fits=NOT_DERIVED,
        severity="warning",
        because=str(error),
    )
