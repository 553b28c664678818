"""A printed theorem refuted in fractions at one instance: conditions, bound, and the measure of its algorithm.

Formulas come from the statements, the algorithm from its one definition (traced for the reader, run in fractions for
the numbers), the errata from the paper. Few outcomes are enumerated; a long run on one device has a potential.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import sympy

from ratecert.base.errors import NotExactError
from ratecert.counterexamples.cases import case as case_of
from ratecert.counterexamples.falsifiable import Instance
from ratecert.counterexamples.mistakes import cured, source_of
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.proofs.potential import Potential, potential, roomy_enough
from ratecert.papers.federated_bilevel.proofs.world import ESTIMATES, World, numbers_of
from ratecert.proofs.exact_numbers import exact, exact_root, rounded_up
from ratecert.proofs.outcomes import every_path, mean
from ratecert.proofs.sheet import AtBothEnds, Quotient, Sheet
from ratecert.proofs.traced_step import TracedStep, traced, with_values
from ratecert.solvers.contract.stage import State
from ratecert.solvers.methods.local_bsgm import LocalBSGM
from ratecert.solvers.methods.local_bsgvrm import LocalBSGVRM
from ratecert.solvers.methods.local_method import LocalMethod
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Condition, Theorem

ALGORITHMS: dict[str, type[LocalMethod]] = {"algorithm-1": LocalBSGM, "algorithm-2": LocalBSGVRM}
STEPS = ("alpha", "beta", "rho_1", "rho_2", "eta")
MOST_SIGNS = 10  # 1024 outcomes, a second
BATCHED = "algorithm-2"
VARYING = "t"
GIVEN = ("K", "p", "T", "Q", "B", "theta", *STEPS)
SILENT_START = {"Phi_gap": Fraction(0), "y_gap": Fraction(0)}
FAR = Fraction(10) ** 100  # a radius that nothing reaches


@dataclass(frozen=True)
class Version:
    """The bound of one version of the paper, and the conditions in which it differs from the print."""

    terms: dict[str, Any]
    quotients: tuple[Quotient, ...]
    value: Fraction


@dataclass(frozen=True)
class Measured:
    """Both ends of the measure, equal where outcomes are enumerated, in a world with the radius that the run needs."""

    world: World
    low: Fraction
    high: Fraction
    potential: Potential | None = None
    outcomes: int = 0
    apart: Fraction = Fraction(0)  # sum over t of E|x - xbar|^2, mean over devices


@dataclass(frozen=True, kw_only=True)
class TheoremProof:
    """Everything that a file says."""

    statement: Theorem
    place: str
    sheet: Sheet
    given: Mapping[str, Fraction]  # the letters of the run and its steps
    quotients: tuple[Quotient, ...]
    at_both_ends: AtBothEnds | None
    printed: Version
    others: Version | None  # all errata but those at the place
    alone: Version | None  # those at the place alone
    steps: tuple[TracedStep, TracedStep]
    measured: Measured


def theorem_proof(statement: str, place: str, instance: Instance) -> TheoremProof:
    """NotExactError where this instance cannot be written so, or refutes nothing."""
    theorem = paper().the(Theorem, statement)
    given = _given(instance)
    letters = {**{n: v for n, v in given.items() if n not in ("A", "P", "s")}, **SILENT_START}
    letters |= {name: v for name, v in _world(given, FAR).constants.items() if name != "L_0"}
    letters |= _prescribed(letters, theorem)
    solver = _solver(theorem, letters)
    measured = _measured(solver, given, letters, theorem.algorithm == BATCHED)
    sheet = Sheet({**letters, **measured.world.constants}, paper().bindings)
    both = sheet.at_both_ends(paper(), theorem, VARYING, "T")
    quotients = tuple(sheet.quotients(paper(), theorem, both.name if both else VARYING))
    printed = _version(sheet, paper(), statement, (), both)
    others = alone = None
    if place:
        case = case_of(statement, "printed")
        others = _version(sheet, source_of(case, place), statement, quotients, both)
        alone = _version(sheet, cured(case, (place,)), statement, quotients, both)
    if not measured.low > max(version.value for version in (printed, others) if version):
        raise NotExactError("what is known of the measure does not exceed the bound")
    if alone is not None and not measured.high < alone.value:
        raise NotExactError(f"the erratum at {place} alone does not cure it")
    first, later = (_at_rest(step) for step in traced(solver, STEPS, ESTIMATES))
    return TheoremProof(
        statement=theorem,
        place=place,
        sheet=sheet,
        given={n: letters[n] for n in GIVEN if n != "B" or theorem.algorithm == BATCHED},
        quotients=quotients,
        at_both_ends=both,
        printed=printed,
        others=others,
        alone=alone,
        steps=(first, later),
        measured=measured,
    )


def _measured(
    solver: LocalMethod, given: Mapping[str, Fraction], letters: Mapping[str, Fraction], batched: bool
) -> Measured:
    K, T, batch = int(given["K"]), int(given["T"]), int(given["B"]) if batched else 1
    if K * (batch + max(T, 2) - 2) <= MOST_SIGNS:
        return _enumerated(solver, given, batch)
    if K > 1:
        raise NotExactError(f"it has more than {2**MOST_SIGNS} outcomes, on more than one device")
    move = letters["rho_1"] * letters["eta"]
    world = roomy_enough(solver, given["A"], given["P"], given["s"], move)
    found = potential(solver, world, move, T, batch)
    return Measured(world, (found.middle - found.most) / T, (found.middle + found.most) / T, found)


def _world(given: Mapping[str, Fraction], R: Fraction) -> World:
    return World(given["A"], given["P"], given["s"], R)


def _given(instance: Instance) -> dict[str, Fraction]:
    run = {name: exact(f"run.{name}", value) for name, value in instance["run"].items()}
    if run.pop("x_off") or run.pop("y_off"):
        raise NotExactError("the run does not start at the solution")
    steps = {name: exact(f"steps.{name}", value) for name, value in instance["steps"].items()}
    return {**numbers_of(instance["world"]), **run, **steps}


def _prescribed(values: Mapping[str, Fraction], theorem: Theorem) -> dict[str, Fraction]:
    """Steps that a theorem sets equal to something; where that depends on t, they are those of t = 0."""
    equations = [c for c in theorem.conditions.values() if c.relation == "=" and c.name not in values]
    sheet = Sheet({**values, "t": Fraction(0)}, paper().bindings)
    for condition in sorted(equations, key=lambda c: c.of is not sympy.Max):  # w first, which eta is made of
        clauses = [_root(sheet, sheet.in_fractions(paper(), clause)) for clause in condition.clauses]
        sheet.values[condition.name] = max(clauses) if condition.of is sympy.Max else min(clauses)
    return {c.name: sheet.values[c.name] for c in equations if c.name in STEPS}


def _root(sheet: Sheet, clause: Any) -> Fraction:
    """The value of a clause that may be a cube root."""
    try:
        root = exact_root(sheet.value(clause**3), 3)
    except NotExactError:
        root = None
    if root is None:
        raise NotExactError(f"{clause} is no fraction there")
    return root


def _solver(theorem: Theorem, values: Mapping[str, Fraction]) -> LocalMethod:
    """The algorithm of the theorem with its numbers as fractions; the record itself checks doubles."""
    names = (*STEPS, "theta", "p", "Q", *(["B"] if theorem.algorithm == BATCHED else []))
    rounded: dict[str, Any] = {n: int(values[n]) if n in ("p", "Q", "B") else float(values[n]) for n in names}
    return cast(
        LocalMethod, with_values(ALGORITHMS[theorem.algorithm](**rounded), {n: values[n] for n in STEPS})
    )


def _at_rest(step: TracedStep) -> TracedStep:
    """Without y and v: y = v = 0, where grad_y g = A y is 0, is kept by every step."""
    still = {sympy.Symbol(n): sympy.Integer(0) for n in ("y", "v", "y_previous")}

    def reduced(value: Any) -> Any:
        value = value.subs(still).replace(sympy.Function("g"), lambda *_: sympy.Integer(0))
        return value.replace(sympy.Function("h"), lambda x, _, m: sympy.Function("h")(x, m))

    named = {name: reduced(value) for name, value in step.named}
    zeros = {sympy.Symbol(name): 0 for name, value in named.items() if value == 0}
    return TracedStep(
        tuple(f for f in step.fields if sympy.Symbol(f) not in still),
        tuple((name, value) for name, value in named.items() if value != 0),
        tuple(value for value in (reduced(v.subs(zeros)) for v in step.result) if value != 0),
    )


def _enumerated(solver: LocalMethod, given: Mapping[str, Fraction], batch: int) -> Measured:
    """The radius is what the iterates need, so that f is quadratic wherever they come."""
    K, T, start = int(given["K"]), int(given["T"]), State(x=Fraction(0), y=Fraction(0))
    paths = [
        [[s.x for s in devices] for devices in path]
        for path in every_path(solver, _world(given, FAR).estimate, K=K, T=T, batch=batch, start=start)
    ]
    farthest = max(abs(x) for path in paths for xs in path for x in xs)
    world = _world(given, rounded_up(farthest, 1) if farthest else Fraction(1))
    measure = mean([mean([world.gradient(mean(xs)) ** 2 for xs in path]) for path in paths])
    spreads = [[mean([(x - mean(xs)) ** 2 for x in xs]) for xs in path] for path in paths]
    apart = mean([sum(spread, Fraction(0)) for spread in spreads])
    return Measured(world, measure, measure, outcomes=len(paths), apart=apart)


def _version(
    sheet: Sheet, version: Paper, id: str, quotients: tuple[Quotient, ...], both: AtBothEnds | None
) -> Version:
    """What this version of the paper says of the instance; the quotients are the print's."""
    theorem = version.the(Theorem, id)
    if both and any(
        theorem.conditions[n] != c for n, c in _with(both.name, paper().the(Theorem, id)).items()
    ):
        raise NotExactError(f"an erratum changes a condition with {both.name}")
    own = sheet.quotients(version, theorem, both.name if both else VARYING)
    terms = sheet.bound(version, theorem)
    value = sum((sheet.value(term) for term in terms.values()), Fraction(0))
    return Version(terms, tuple(q for q in own if q not in quotients), value)


def _with(letter: str, theorem: Theorem) -> dict[str, Condition]:
    """The conditions in which a letter occurs."""
    return {
        name: condition
        for name, condition in theorem.conditions.items()
        if any(s.name == letter for e in (condition.left, *condition.clauses) for s in e.free_symbols)
    }
