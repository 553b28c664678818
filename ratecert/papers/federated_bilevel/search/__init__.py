"""What is tried when a statement of this paper is searched for a counterexample."""

from collections.abc import Callable

from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.search.theorem import Case
from ratecert.search.case import Case
from ratecert.theory.language.statements import Theorem

FALSIFIABLE: dict[str, Callable[[str, str], Case]] = {
    theorem.id: Case for theorem in paper().of_kind(Theorem)
}
