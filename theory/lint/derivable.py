"""Rule: a corollary can be derived at all. The others look only at those that can."""

from collections.abc import Iterator

from theory.derivation import derive
from theory.growth import Underivable
from theory.lint.finding import Finding
from theory.paper import Paper
from theory.statements import Corollary


def lint_derivable(paper: Paper) -> list[Finding]:
    return [_finding(c, error) for c, error in _tried(paper) if error is not None]


def derivable(paper: Paper) -> list[Corollary]:
    return [corollary for corollary, error in _tried(paper) if error is None]


def _tried(paper: Paper) -> Iterator[tuple[Corollary, Underivable | None]]:
    for corollary in paper.of_kind(Corollary):
        try:
            derive(paper, corollary)
        except Underivable as error:
            yield corollary, error
        else:
            yield corollary, None


def _finding(corollary: Corollary, error: Underivable) -> Finding:
    return Finding(
        place=f"{corollary.id}.rate",
        kind="corollary",
        printed=str(corollary.claim),
        fits="scalings from which an order follows",
        severity="error",
        because=str(error),
    )
