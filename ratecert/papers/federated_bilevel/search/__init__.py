"""What is tried when a statement of this paper is searched for a counterexample."""

from collections.abc import Callable

from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.search.theorem import TheoremCase
from ratecert.search.falsifiable import Falsifiable
from ratecert.theory.language.statements import Theorem

FALSIFIABLE: dict[str, Callable[[str, str], Falsifiable]] = {
    theorem.id: TheoremCase for theorem in paper().of_kind(Theorem)
}
