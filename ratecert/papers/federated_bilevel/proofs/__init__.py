"""How the printed inequalities of this paper are proved false: files that compute in fractions."""

from collections.abc import Callable

from ratecert.counterexamples.falsifiable import Instance
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.proofs.constant import constant_proof
from ratecert.papers.federated_bilevel.proofs.coq_file import constant_coq, theorem_coq
from ratecert.papers.federated_bilevel.proofs.instances import SIMPLEST
from ratecert.papers.federated_bilevel.proofs.python_file import constant_file, theorem_file
from ratecert.papers.federated_bilevel.proofs.theorem import theorem_proof
from ratecert.proofs.proof import Texts
from ratecert.theory.language.statements import Theorem

__all__ = ["PROVABLE", "SIMPLEST"]


def _theorem(statement: str, place: str, instance: Instance) -> Texts:
    proof = theorem_proof(statement, place, instance)
    return Texts(proof.measured.low / proof.printed.value, theorem_file(proof), theorem_coq(proof))


def _constant(statement: str, place: str, instance: Instance) -> Texts:
    proof = constant_proof(statement, place, instance)
    return Texts(proof.measure / proof.printed, constant_file(proof), constant_coq(proof))


PROVABLE: dict[str, Callable[[str, str, Instance], Texts]] = {
    **{theorem.id: _theorem for theorem in paper().of_kind(Theorem)},
    "constant.G": _constant,
}
