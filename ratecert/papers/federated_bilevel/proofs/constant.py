"""The constant G refuted in fractions at one point: without noise the hypergradient at x = R is P R, as steep as f is.

G is said to bound its second moment, E|h|^2 <= G^2; as printed it is itself a square of L_0, so that G^2 is far smaller
where L_0 is small.
"""

from dataclasses import dataclass
from fractions import Fraction

from ratecert.base.errors import NotExactError
from ratecert.counterexamples.cases import case as case_of
from ratecert.counterexamples.falsifiable import Instance
from ratecert.counterexamples.mistakes import cured, source_of
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.proofs.world import World, numbers_of
from ratecert.papers.federated_bilevel.statements.letters import L_1, G, theta
from ratecert.proofs.exact_numbers import exact
from ratecert.proofs.sheet import Quotient, Sheet
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Condition, Definition


@dataclass(frozen=True)
class ConstantProof:
    """Everything that a file says."""

    statement: Definition
    place: str
    world: World
    sheet: Sheet
    given: dict[str, Fraction]
    theta: Quotient
    measure: Fraction
    printed: Fraction  # G^2
    alone: Fraction | None  # with the erratum at the place


def constant_proof(statement: str, place: str, instance: Instance) -> ConstantProof:
    """NotExactError where this instance cannot be written so, or refutes nothing."""
    world = World(**numbers_of(instance["world"]), R=exact("ball.radius", instance["ball"]["radius"]))
    if world.s or any(exact(f"world.{n}", instance["world"].get(n, 0)) for n in ("E", "F")):
        raise NotExactError("the world is noisy")
    given = {name: exact(f"sample.{name}", instance["sample"][name]) for name in ("theta", "Q")}
    sheet = Sheet({**given, **world.constants}, paper().bindings)
    below = sheet.quotient(paper(), Condition(theta, "<", (1 / L_1,)), 0)  # as all theorems ask
    measure = world.gradient(world.R) ** 2
    printed, alone = _squared(sheet, paper()), None
    if place:
        case = case_of(statement, "printed")
        alone = _squared(sheet, cured(case, (place,)))
        if _squared(sheet, source_of(case, place)) != printed or not measure < alone:
            raise NotExactError(f"the erratum at {place} alone does not cure it")
    if not measure > printed:
        raise NotExactError("what is measured does not exceed the bound")
    return ConstantProof(
        paper().the(Definition, statement), place, world, sheet, given, below, measure, printed, alone
    )


def _squared(sheet: Sheet, version: Paper) -> Fraction:
    return sheet.value(sheet.in_fractions(version, G**2))
