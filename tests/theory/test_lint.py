"""The linter finds what is wrong, where it is wrong, and nothing else.

Clean: a sound control (parallel SGD) and the repaired paper have no findings. Seeded: one defect is put into one
statement. Then the places found are exactly those written down beside the defect: its own, with the right kind, and
its consequences. A consequence stands in a statement that rests on the defective one, is of kind corollary,
consistency or window, and its reason names what it rests on. Swept: every letter with units in every term and
definition; the orders of terms are limits (test_derivation.py). Invariant: under other ids, another order of the
terms, and all prefactors times 7.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from typing import Any

import pytest
import sympy
from sympy import Ge, Le, Rational, log, sqrt

import oracles.parallel_sgd as sgd
from oracles.parallel_sgd import COUNTED, PARALLEL_SGD
from ratecert.catalogue.find import paper
from ratecert.theory.language.letters import letter, letters, names_of
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import (
    Algorithm,
    Condition,
    Corollary,
    Counts,
    Definition,
    Factor,
    Formula,
    Line,
    Scaling,
    Statement,
    Theorem,
)
from ratecert.theory.language.symbols import Symbol
from ratecert.theory.lint import KINDS, SEVERITIES, Finding, lint
from ratecert.theory.lint.derivable import lint_derivable
from ratecert.theory.lint.forms import lint_forms
from ratecert.theory.lint.rates import lint_rates
from ratecert.theory.lint.units import lint_units
from ratecert.theory.orders.derivation import derive
from ratecert.theory.orders.inside import inside
from ratecert.theory.orders.monomials import Monomial

PRINTED, REPAIRED = paper("printed"), paper("repaired")
Place = tuple[str, str]  # place, kind
K, T, p, B, eta, eps, zeta = letters("K T p B eta eps zeta")
L, L_0, L_1, L_tilde, G, sigma, mu, theta = letters("L L_0 L_1 L_tilde G sigma mu theta")


def changed(source: Paper, id: str, **fields: Any) -> Paper:
    statement = replace(source[id], **fields)
    return replace(source, statements={**source.statements, id: statement})


def with_term(source: Paper, id: str, name: str, change: Callable[[Any], Any]) -> Paper:
    terms = source.the(Theorem, id).terms
    return changed(source, id, terms={**terms, name: change(terms[name])})


def with_scaling(source: Paper, id: str, **orders: Any) -> Paper:
    scalings = source.the(Corollary, id).scalings
    return changed(
        source, id, scalings={**scalings, **{n: Scaling(order, "Theta") for n, order in orders.items()}}
    )


def swapped(old: Any, new: Any) -> Callable[[Any], Any]:
    return lambda expression: expression.xreplace({old: new})


def times(factor: Any) -> Callable[[Any], Any]:
    return lambda expression: expression * factor


def at(findings: Iterable[Finding]) -> set[Place]:
    return {(f.place, f.kind) for f in findings}


# Clean


@pytest.mark.parametrize("source", [PARALLEL_SGD, REPAIRED], ids=lambda source: source.key)
def test_a_sound_paper_has_no_findings(source: Paper) -> None:
    assert lint(source) == []


def test_a_sound_count_has_no_findings_and_a_wrong_one_has() -> None:
    """Parallel SGD has no period p, so nothing counts rounds."""
    assert lint(COUNTED) == []
    (cost,) = COUNTED.the(Counts, "sgd-costs").costs
    for name in ("iterations", "samples"):
        wrong = replace(cost, counts={**cost.counts, name: Scaling(1 / (K * eps))})
        assert at(lint(changed(COUNTED, "sgd-costs", costs=(wrong,)))) == {(f"sgd-costs.{name}", "corollary")}


# Seeded defects

NONE: set[Place] = set()


@dataclass(frozen=True)
class Defect:
    name: str
    sound: Paper
    broken: Paper
    own: set[Place]
    consequences: set[Place]

    def __str__(self) -> str:
        return f"{self.sound.key}: {self.name}"


def rates(*ids: str) -> set[Place]:
    return {(f"{id}.rate", "corollary") for id in ids}


def control(name: str, broken: Paper, own: set[Place], consequences: set[Place] = NONE) -> Defect:
    return Defect(name, PARALLEL_SGD, broken, own, consequences)


def bilevel(name: str, broken: Paper, own: set[Place], consequences: set[Place] = NONE) -> Defect:
    return Defect(name, REPAIRED, broken, own, consequences)


def in_theorems() -> Iterator[Defect]:
    def noise(change: Callable[[Any], Any]) -> Paper:
        return with_term(PARALLEL_SGD, "sgd-descent", "noise", change)

    def start(change: Callable[[Any], Any]) -> Paper:
        return with_term(PARALLEL_SGD, "sgd-descent", "start", change)

    at_noise, both = {("sgd-descent.term.noise", "units")}, rates("sgd-rate", "sgd-accuracy")
    yield control("sigma lost its square", noise(swapped(sigma**2, sigma)), at_noise)
    yield control("sigma for L", noise(swapped(L, sigma)), at_noise)
    yield control("eta squared above the line", noise(times(eta)), at_noise)
    yield control("eta squared below", start(times(1 / eta)), {("sgd-descent.term.start", "units")}, both)
    yield control("1/K lost", noise(times(K)), NONE, both)
    yield control("1/T lost", start(times(T)), NONE, both)
    yield control("undefined letter", noise(times(zeta)), {("sgd-descent.term.noise", "symbol")})


def in_bilevel_theorems() -> Iterator[Defect]:
    def defect(
        name: str, place: str, change: Callable[[Any], Any], kind: str, consequences: set[Place] = NONE
    ) -> Defect:
        id, term = place.split(".term.")
        own = {(place, kind)} if kind else NONE
        return bilevel(name, with_term(REPAIRED, id, term, change), own, consequences)

    u_1, v_1, v_2 = "theorem-1.term.noise_u", "theorem-1.term.noise_v", "theorem-2.term.noise_v"
    third, fourth = "corollary-3", "corollary-4"
    yield defect("sigma lost its square", v_1, swapped(sigma**2, sigma), "units")
    yield defect("sigma for L_tilde", v_2, swapped(L_tilde, sigma), "units")
    yield defect("eta squared", "theorem-2.term.start_x", times(1 / eta), "units", rates(third, fourth))
    yield defect("1/K lost", u_1, times(K), "", rates("corollary-1", "corollary-2"))
    yield defect("noise of the lower level", u_1, swapped(G, sigma), "consistency")
    yield defect("noise of the upper level", v_2, swapped(sigma, G), "consistency")
    yield defect("undefined letter", "theorem-3.term.bias", times(zeta), "symbol")


def in_definitions() -> Iterator[Defect]:
    squared = changed(PARALLEL_SGD, "L", right=sgd.L_f**2 + sgd.lam)
    yield control("a summand of L squared", squared, {("L", "units")})
    rooted = changed(PARALLEL_SGD, "sigma", left=sigma)
    yield control("sigma^2 lost its square", rooted, {("sigma", "units")})
    all_six = rates(*(f"corollary-{n}" for n in range(1, 7)))  # G^2 = Theta(log^3) becomes Theta(log^6)
    rooted = changed(REPAIRED, "constant.G", left=G)
    yield bilevel("G^2 lost its square", rooted, {("constant.G", "units")}, all_six)


def in_corollaries() -> Iterator[Defect]:
    eta_T, eta_eps = ("sgd-rate.eta", "consistency"), ("sgd-accuracy.eta", "consistency")
    T_eps = ("sgd-accuracy.T", "consistency")
    larger = with_scaling(PARALLEL_SGD, "sgd-rate", eta=sqrt(K) / T ** Rational(1, 3))
    yield control("eta too large", larger, {eta_T, *rates("sgd-rate")}, {eta_eps})
    other = with_scaling(PARALLEL_SGD, "sgd-accuracy", eta=K * eps**2)
    yield control("eta in eps is not eta in T", other, {eta_eps, *rates("sgd-accuracy")})
    shorter = with_scaling(PARALLEL_SGD, "sgd-accuracy", T=1 / (K * eps))
    yield control("T in eps does not reach eps", shorter, {T_eps, *rates("sgd-accuracy")})
    claim = changed(PARALLEL_SGD, "sgd-rate", claim=Scaling(1 / (sqrt(K) * T)))
    yield control("claim with T squared", claim, rates("sgd-rate"), {eta_eps, T_eps})
    yield control("no window", changed(PARALLEL_SGD, "sgd-rate", window=()), {eta_T})
    wider = changed(PARALLEL_SGD, "sgd-rate", window=(Ge(T, sqrt(K)),))
    yield control("a wider window", wider, {eta_T})


def in_bilevel_corollaries() -> Iterator[Defect]:
    longer = with_scaling(REPAIRED, "corollary-3", p=sqrt(T) / K ** Rational(2, 3))
    own = {("corollary-3.eta", "consistency"), *rates("corollary-3")}
    yield bilevel("p too long", longer, own, {("corollary-4.p", "consistency")})
    shorter = with_scaling(REPAIRED, "corollary-2", T=1 / (K * eps))
    own = {("corollary-2.T", "consistency"), *rates("corollary-2")}
    yield bilevel("T in eps does not reach eps", shorter, own)
    claim = changed(REPAIRED, "corollary-5", claim=Scaling(log(K * T) ** 4 / (K * T)))
    scaled = {(f"corollary-6.{name}", "consistency") for name in ("T", "p", "eta", "B")}
    factor = ("remark-3.factor", "consistency")
    yield bilevel("claim with T squared", claim, rates("corollary-5"), {factor, *scaled})
    unbounded = changed(REPAIRED, "corollary-3", window=())
    yield bilevel("no window", unbounded, {("corollary-3.p", "window"), ("corollary-3.B", "window")})
    yield bilevel("factor", changed(REPAIRED, "remark-3", factor=Scaling(log(T))), {factor})
    (cost,) = REPAIRED.the(Counts, "remark-1").costs
    fewer = replace(cost, counts={**cost.counts, "rounds": Scaling(1 / eps)})
    counted = changed(REPAIRED, "remark-1", costs=(fewer,))
    yield bilevel("too few rounds", counted, {("remark-1.rounds", "corollary")})


def in_notation_and_algorithms() -> Iterator[Defect]:
    zeta_row = {"zeta": Symbol("zeta", r"\zeta", "nothing", units="1")}
    for defect, source in ((control, PARALLEL_SGD), (bilevel, REPAIRED)):
        unused = replace(source, notation={**source.notation, **zeta_row})
        yield defect("unused letter", unused, {("notation.zeta", "symbol")})
    line = Line("x_t = x_t - m_{t-1}", (("x", 0), ("m", -1)), (("x", 0),))
    for defect, source, id in ((control, PARALLEL_SGD, "sgd"), (bilevel, REPAIRED, "algorithm-1")):
        unread = changed(source, id, lines=(*source.the(Algorithm, id).lines, line))
        yield defect("a line reads what nothing assigns", unread, {(f"{id}.m", "symbol")})


DEFECTS = [
    *in_theorems(),
    *in_bilevel_theorems(),
    *in_definitions(),
    *in_corollaries(),
    *in_bilevel_corollaries(),
    *in_notation_and_algorithms(),
]
FOLLOWS = ("corollary", "consistency", "window")


@pytest.mark.parametrize("defect", DEFECTS, ids=str)
def test_a_seeded_defect_is_found_at_its_place_and_nowhere_else(defect: Defect) -> None:
    """Exactly these places; at its own place a defect may be of a second kind (an undefined letter has no units)."""
    found = lint(defect.broken)
    expected = defect.own | defect.consequences
    assert {place for place, _ in at(found)} == {place for place, _ in expected}
    assert expected <= at(found)
    assert all(f.printed != f.fits for f in found)
    for finding in found:
        if (finding.place, finding.kind) in defect.consequences:
            assert follows(finding, defect)
        else:
            assert owner_of(finding.place, defect.sound) == broken_statement(defect)


def broken_statement(defect: Defect) -> str:
    (id,) = [id for id, s in defect.sound.statements.items() if defect.broken[id] != s] or ["notation"]
    return id


def follows(finding: Finding, defect: Defect) -> bool:
    """Whether the finding stands in what rests on the defect, and says so."""
    owner = owner_of(finding.place, defect.sound)
    named = any(id in finding.because for id in rests_on(defect.sound, defect.sound[owner]))
    return finding.kind in FOLLOWS and named and owner in dependents(defect.sound, broken_statement(defect))


def owner_of(place: str, source: Paper) -> str:
    """The statement a place is in; letters of the notation are in none."""
    owners = [id for id in source.statements if place == id or place.startswith(f"{id}.")]
    return max(owners, key=len, default=place.partition(".")[0])


def rests_on(source: Paper, statement: Statement) -> set[str]:
    """The ids of the statements that this one is made of."""
    match statement:
        case Theorem():
            used = names_of(*(e for _, e in statement.parts()))
            return {statement.algorithm} | {d.id for d in source.of_kind(Definition) if d.symbol.name in used}
        case Corollary():
            return {id for id in (statement.theorem, statement.same_as) if id}
        case Counts():
            return {cost.corollary for cost in statement.costs if cost.corollary}
        case Factor():
            return {statement.first, statement.second}
    return set()


def dependents(source: Paper, id: str) -> set[str]:
    found: set[str] = set()
    while True:
        more = {s.id for s in source.statements.values() if rests_on(source, s) & (found | {id})}
        if more <= found:
            return found
        found |= more


# Sweep: units

LENGTH_SQUARED_PER_VALUE = "f^-1 x^2"
GIVEN = {
    **dict.fromkeys(("L_hat", "L_tilde", "L_Phi"), "f x^-2"),
    **dict.fromkeys(("G", "Delta_Q"), "f x^-1"),
    "theta": LENGTH_SQUARED_PER_VALUE,
}
# Theorem 1 has eta < 1, so eta, alpha and beta have no units and rho eta u is a length; Theorems 2 and 3 have
# rho <= 10 and 1 - alpha eta^2.
WITH_UNITS = {
    "theorem-1": {"rho_1", "rho_2"},
    "theorem-2": {"eta", "alpha", "beta"},
    "theorem-3": set(),
}


def occurrences(expression: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Any]]:
    """(path, letter or power of a letter), for each place in which a letter occurs."""
    base, exponent = expression.as_base_exp()
    if base.is_Symbol and exponent.is_Rational:
        yield path, expression
        return
    for i, argument in enumerate(expression.args):
        yield from occurrences(argument, (*path, i))


def edited(expression: Any, path: tuple[int, ...], new: Any) -> Any:
    if not path:
        return new
    arguments = list(expression.args)
    arguments[path[0]] = edited(arguments[path[0]], path[1:], new)
    return expression.func(*arguments)


def exponents_off_by_one(expression: Any, names: set[str]) -> Iterator[Any]:
    for path, power in occurrences(expression):
        (symbol,) = power.free_symbols
        if symbol.name in names:
            yield from (edited(expression, path, power * symbol**shift) for shift in (1, -1))


def letters_with_units(id: str) -> set[str]:
    given = {name for name, s in REPAIRED.notation.items() if s.units not in (None, "1")}
    return given | set(GIVEN) | WITH_UNITS[id]


def bare(id: str, name: str, term: Any) -> Paper:
    """One term of a theorem, the constants with their units given, and the shortest clause on each step."""
    theorem = REPAIRED.the(Theorem, id)
    shortest = {n: min(theorem.conditions[n].clauses, key=sympy.count_ops) for n in ("eta", "rho_1", "rho_2")}
    conditions = {n: replace(theorem.conditions[n], clauses=(clause,)) for n, clause in shortest.items()}
    notation = {n: replace(s, units=GIVEN[n]) if n in GIVEN else s for n, s in REPAIRED.notation.items()}
    alone = replace(theorem, terms={name: term}, conditions=conditions)
    algorithm = REPAIRED[theorem.algorithm]
    return replace(REPAIRED, notation=notation, statements={algorithm.id: algorithm, id: alone})


TERMS = [f"{t.id}.term.{name}" for t in REPAIRED.of_kind(Theorem) for name in t.terms]


@pytest.mark.parametrize("place", TERMS)
def test_an_exponent_off_by_one_in_a_term_has_the_wrong_units(place: str) -> None:
    id, name = place.split(".term.")
    term = REPAIRED.the(Theorem, id).terms[name]
    assert lint_units(bare(id, name, term)) == []
    for wrong in exponents_off_by_one(term, letters_with_units(id)):
        assert at(lint_units(bare(id, name, wrong))) == {(place, "units")}


SUMS = ["constant.L_Phi", "constant.L_hat", "constant.L_tilde", "constant.G"]


@pytest.mark.parametrize("id", SUMS)
def test_an_exponent_off_by_one_in_a_definition_has_the_wrong_units(id: str) -> None:
    definition = REPAIRED.the(Definition, id)
    formulas = {s.id: s for s in REPAIRED.of_kind(Formula)}
    for wrong in exponents_off_by_one(definition.right, letters_with_units("theorem-3")):
        alone = replace(REPAIRED, statements={**formulas, id: replace(definition, right=wrong)})
        assert at(lint_units(alone)) == {(id, "units")}


def test_a_definition_without_a_sum_is_judged_by_its_uses() -> None:
    """Nothing in Delta_Q = (1 - theta mu)^(Q+1) L_0 L_1/mu can disagree; it or all of its uses are reported."""
    definition = REPAIRED.the(Definition, "constant.Delta_Q")
    uses = {(f"theorem-{n}.term.bias", "units") for n in (1, 2, 3)}
    for factor in (L_0, mu):
        found = at(lint_units(changed(REPAIRED, definition.id, right=definition.right * factor)))
        assert found in ({(definition.id, "units")}, uses)


# The printed paper


@pytest.fixture(scope="module")
def printed() -> list[Finding]:
    return lint(PRINTED)


EXPECTED = [
    ("constant.L_Phi", "units", r"^L_0\*\*2\*L_21$", r"^L_0\*L_21$"),
    ("constant.L_Phi", "symbol", "L_12", "L_21"),
    ("constant.G", "units", r"\*sigma\*\*2", r"\*sigma_H\*\*2"),
    ("constant.G", "units", "G = ", r"G\*\*2 = "),
    ("theorem-1.term.noise_u", "consistency", "sigma", "G"),
    ("theorem-2.condition.rho_2", "units", r"1/\(6\*L_1\)", r"L_hat/\(6\*L_1\)"),
    ("theorem-3.condition.rho_2", "units", r"1/\(6\*L_1\)", r"L_hat/\(6\*L_1\)"),
    ("theorem-3.condition.rho_2", "units", r"15\*mu/1174", r"15\*mu/\(1174\*L_hat\)"),
    ("corollary-6.B", "consistency", r"1/sqrt\(eps\)", r"1/\(K\*eps\^\(1/2\)\)"),
    ("corollary-1.p", "window", "for all K and T", r"^T >= K\^3$"),
    ("corollary-3.p", "window", "for all K and T", r"^T >= K\^2$"),
    ("corollary-1.rate", "corollary", r"sqrt\(K\)\*sqrt\(T\)", r"log\^\d+/\(K\^\(1/2\)\*T\^\(1/2\)\)"),
]


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda e: f"{e[0]}-{e[2]}")
def test_what_is_known_to_be_wrong_in_the_print_is_found(
    printed: list[Finding], expected: tuple[str, str, str, str]
) -> None:
    place, kind, as_printed, fitting = expected

    def matches(finding: Finding) -> bool:
        return bool(re.search(as_printed, finding.printed) and re.search(fitting, finding.fits))

    assert [f for f in printed if (f.place, f.kind) == (place, kind) and matches(f)]
    assert not [f for f in printed if (f.place, f.kind) == (place, kind) and f.fits == f.printed]


def test_findings_are_in_form(printed: list[Finding]) -> None:
    for finding in printed:
        assert finding.severity in SEVERITIES
        assert finding.printed != finding.fits != "" != finding.because
        assert owner_of(finding.place, PRINTED) in PRINTED.statements
    assert len(set(printed)) == len(printed)
    assert {f.kind for f in printed} == set(KINDS)


def test_findings_stand_in_the_order_of_the_statements(printed: list[Finding]) -> None:
    order_of = list(PRINTED.statements).index
    ranks = [(order_of(owner_of(f.place, PRINTED)), SEVERITIES.index(f.severity)) for f in printed]
    assert ranks == sorted(ranks)


# Invariance


def with_ids(source: Paper, names: Mapping[str, str]) -> Paper:
    """Other ids, in every statement and wherever one statement speaks of another."""

    def renamed(value: Any) -> Any:
        if isinstance(value, str):
            return names.get(value, value)
        if isinstance(value, tuple):
            return tuple(map(renamed, value))
        if is_dataclass(value) and not isinstance(value, type):
            return replace(value, **{f.name: renamed(getattr(value, f.name)) for f in fields(value)})
        return value

    return replace(source, statements={names[id]: renamed(s) for id, s in source.statements.items()})


def reordered(source: Paper) -> Paper:
    """The terms of every theorem in reverse."""
    for theorem in source.of_kind(Theorem):
        source = changed(source, theorem.id, terms=dict(reversed(theorem.terms.items())))
    return source


def rescaled(source: Paper) -> Paper:
    """Every term, definition and clause times 7, but for clauses in t, which are measured against each other."""
    for definition in source.of_kind(Definition):
        source = changed(source, definition.id, right=7 * definition.right)
    for theorem in source.of_kind(Theorem):
        conditions = {
            name: replace(c, clauses=tuple(7 * e if "t" not in names_of(e) else e for e in c.clauses))
            for name, c in theorem.conditions.items()
        }
        terms = {name: 7 * term for name, term in theorem.terms.items()}
        source = changed(source, theorem.id, terms=terms, conditions=conditions)
    return source


def other_ids(source: Paper) -> dict[str, str]:
    return {id: f"Z{n:02d}Z" for n, id in enumerate(source.statements)}


def words(text: str, names: Mapping[str, str]) -> list[str]:
    """What a text says, in the old ids and whatever the order of its enumerations."""
    for old, new in names.items():
        text = text.replace(new, old)
    return sorted(re.findall(r"[^\s,:;]+", text))


def essence(findings: Iterable[Finding], names: Mapping[str, str]) -> list[Any]:
    """All but the formulas, which carry the prefactors."""
    return sorted((words(f.place, names), f.kind, f.severity, words(f.because, names)) for f in findings)


def test_findings_in_the_print_are_invariant_under_all_changes_at_once(printed: list[Finding]) -> None:
    names = other_ids(PRINTED)
    other = lint(with_ids(reordered(rescaled(PRINTED)), names))
    assert essence(other, names) == essence(printed, {})
    assert essence(other[1:], names) != essence(printed, {})


# Any paper in this form gets an answer


b = Symbol("b", "b", "batch", units="1", least=1)
BATCHED = replace(
    changed(PARALLEL_SGD, "sgd", samples_later=letter("b")), notation={**PARALLEL_SGD.notation, "b": b}
)
RENAMED = changed(PARALLEL_SGD, "sgd-descent", conditions={"step": sgd.DESCENT.conditions["eta"]})
DELTA_Q = REPAIRED.the(Definition, "constant.Delta_Q")
ANSWERS: dict[str, tuple[Paper, Place | None]] = {
    "a whole number that only falls with K needs a window": (
        with_scaling(REPAIRED, "corollary-1", p=1 / K), ("corollary-1.p", "window")),
    "a whole number that is never one": (
        with_scaling(REPAIRED, "corollary-1", p=1 / (K * T)), ("corollary-1.p", "window")),
    "a claim without T does not follow": (
        changed(PARALLEL_SGD, "sgd-rate", claim=Scaling(1 / K**2)), ("sgd-rate.rate", "corollary")),
    "a window from the left": (changed(PARALLEL_SGD, "sgd-rate", window=(Ge(T, K),)), None),
    "a window from the right": (changed(PARALLEL_SGD, "sgd-rate", window=(Le(K, T),)), None),
    "a condition counts whatever it is called": (RENAMED, None),
    "and is missed": (changed(RENAMED, "sgd-rate", window=()), ("sgd-rate.eta", "consistency")),
    "a letter that only samples need is used": (BATCHED, None),
    "a constant factor may be a logarithm": (with_term(PARALLEL_SGD, "sgd-descent", "noise", times(log(2))), None),
    "numbers may be plain": (
        changed(PARALLEL_SGD, "sgd-descent", terms={**sgd.DESCENT.terms, "nothing": 0}), None),
    # 1 - theta^2 mu is no longer known to lie in (0, 1); what is wrong is its units
    "a misprint inside a fraction": (
        changed(REPAIRED, DELTA_Q.id, right=DELTA_Q.right.xreplace({theta: theta**2})), (DELTA_Q.id, "units")),
    "a scaled letter without notation": (
        changed(PARALLEL_SGD, "sgd-rate", scalings={"etta": Scaling(sqrt(K) / sqrt(T), "Theta")}),
        ("sgd-rate.etta", "symbol")),
    "an undefined letter in a window": (
        changed(PARALLEL_SGD, "sgd-rate", window=(Ge(T, K * zeta),)), ("sgd-rate.window", "symbol")),
}  # fmt: skip


@pytest.mark.parametrize(("source", "place"), ANSWERS.values(), ids=ANSWERS)
def test_a_paper_in_this_form_gets_an_answer(source: Paper, place: Place | None) -> None:
    found = at(lint(source))
    assert place in found if place else found == set()


def test_accuracy_may_be_that_of_the_norm() -> None:
    """E||grad||^2 <= eps^2: the form in eps solves rate = claim, whatever power of eps the claim is."""
    scalings = {"T": Scaling(1 / (K * eps**4), "Theta"), "eta": Scaling(K * eps**2, "Theta")}
    of_norm = changed(
        PARALLEL_SGD, "sgd-accuracy", scalings=scalings, claim=Scaling(eps**2), window=(Ge(1 / K, eps**2),)
    )
    assert lint(of_norm) == []


def test_updates_are_judged_whatever_their_order() -> None:
    """eta is x^2/f by one update, so rho has no units by another, and the third does not fit."""
    x, y, z, g, rho = letters("x y z g rho")
    notation = {**PARALLEL_SGD.notation, "rho": Symbol("rho", r"\rho", "step of x in units of eta")}
    notation |= {n: Symbol(n, n, "one more variable", units="x") for n in "yz"}
    updates = {"x": (x, x - rho * eta * g), "y": (y, y - eta * g), "z": (z, z - rho * g)}
    for order_of in (("y", "x", "z"), ("x", "y", "z")):
        broken = changed(PARALLEL_SGD, "sgd", updates={name: updates[name] for name in order_of})
        assert at(lint(replace(broken, notation=notation))) == {("sgd.z", "units")}
        sound = {name: updates[name] for name in order_of if name != "z"} | {"z": (z, z - rho * eta * g)}
        assert lint(replace(changed(broken, "sgd", updates=sound), notation=notation)) == []


# Logarithms, conditions and counts, as a careful reader would have them


@pytest.mark.parametrize("Q", [log(K), log(log(K * T)), log(1 + 1 / T)], ids=str)
def test_a_logarithm_that_is_not_one_of_T_is_not_taken_for_it(Q: Any) -> None:
    """With Q = log K and K = 1 the bias does not fall at all."""
    assert ("corollary-1.rate", "corollary") in at(lint_derivable(with_scaling(REPAIRED, "corollary-1", Q=Q)))
    assert lint_derivable(with_scaling(REPAIRED, "corollary-1", Q=log(T + 1))) == []


@pytest.mark.parametrize("id", ["corollary-1", "corollary-3"])
def test_the_scalings_that_are_said_to_fit_do_fit(id: str) -> None:
    """rho_1 is bounded by rho_2, so both have to move; the rate is the one at those steps."""
    (piece,) = inside(PRINTED, PRINTED.the(Corollary, id))
    logs = {name: order.log for name, order in piece.moved.items() if name.startswith("rho")}
    assert set(logs.values()) == {-4}
    fitted = {name: _expression(order) for name, order in piece.moved.items()}
    again = with_scaling(PRINTED, id, **fitted)
    (settled,) = inside(again, again.the(Corollary, id))
    assert settled.moved == {}
    (one_moved,) = inside(with_scaling(PRINTED, id, rho_2=fitted["rho_2"]), again.the(Corollary, id))
    assert one_moved.moved == {}


def test_a_scaling_that_has_to_move_twice_is_off_by_both_factors() -> None:
    """rho_1 = 1 falls to T^(-1/4) by its own clause, then to T^(-1/2) with rho_2: off by T^(1/2)."""
    rho_1, rho_2 = letters("rho_1 rho_2")
    conditions = {
        "rho_1": Condition(rho_1, "<=", (rho_2, T ** Rational(-1, 4))),
        "rho_2": Condition(rho_2, "<=", (1 / sqrt(T),)),
    }
    one = sympy.Integer(1)
    source = with_scaling(
        changed(REPAIRED, "theorem-1", conditions=conditions), "corollary-1", rho_1=one, rho_2=one
    )
    (piece,) = inside(source, source.the(Corollary, "corollary-1"))
    half = Monomial.of(T=Fraction(1, 2))
    assert piece.off == {"rho_1": half, "rho_2": half}
    assert piece.moved == {"rho_1": half**-1, "rho_2": half**-1}


def _expression(order: Any) -> Any:
    powers = [letter(name) ** Rational(a.numerator, a.denominator) for name, a in order.powers]
    return sympy.Mul(*powers, log(K * T) ** Rational(order.log.numerator, order.log.denominator))


def test_a_step_that_is_bounded_from_above_only_is_asked_for_from_below() -> None:
    """2 gap/(eta T) grows where eta falls, so eta = O(.) says too little."""
    order = sqrt(K) / sqrt(T)
    (finding,) = lint_rates(changed(PARALLEL_SGD, "sgd-rate", scalings={"eta": Scaling(order, "O")}))
    assert (finding.place, finding.kind) == ("sgd-rate.eta", "consistency")
    assert finding.fits == "eta = Theta(sqrt(K)/sqrt(T))"
    assert lint_rates(with_scaling(PARALLEL_SGD, "sgd-rate", eta=order)) == []


def test_the_rate_is_derived_at_steps_that_the_theorem_admits() -> None:
    (rate,) = [f for f in lint_rates(PRINTED) if f.place == "corollary-1.rate"]
    assert "with admissible rho_1 = 1/log^4, rho_2 = 1/log^4" in rate.because
    steps = with_scaling(PRINTED, "corollary-1", rho_1=log(K * T) ** -4, rho_2=log(K * T) ** -4)
    (derived,) = derive(steps, steps.the(Corollary, "corollary-1"))
    assert rate.fits == f"O({derived.total})"


def test_a_condition_on_an_expression_is_checked() -> None:
    conditions = sgd.DESCENT.conditions
    bound = {**conditions, "product": Condition(eta * L * T**2, "<=", (Rational(1, 8),))}
    assert ("sgd-rate.eta", "consistency") in at(lint(changed(PARALLEL_SGD, "sgd-descent", conditions=bound)))
    strict = {**conditions, "product": Condition(eta * L * T**2, "<", (Rational(1, 8),))}
    assert ("sgd-rate.eta", "consistency") in at(
        lint(changed(PARALLEL_SGD, "sgd-descent", conditions=strict))
    )
    loose = {**conditions, "product": Condition(eta * L, "<=", (8,))}
    assert lint(changed(PARALLEL_SGD, "sgd-descent", conditions=loose)) == []


def test_a_linear_speedup_that_the_counts_do_not_show_is_found() -> None:
    (cost,) = COUNTED.the(Counts, "sgd-costs").costs
    none = replace(cost, counts={"iterations": Scaling(1 / eps**2)}, linear_speedup=True)
    assert ("sgd-costs.iterations", "consistency") in at(lint(changed(COUNTED, "sgd-costs", costs=(none,))))
    modest = replace(none, linear_speedup=None)
    assert lint(changed(COUNTED, "sgd-costs", costs=(modest,))) == []


def test_a_linear_speedup_that_counts_show_and_a_column_denies_is_noted() -> None:
    (cost,) = COUNTED.the(Counts, "sgd-costs").costs
    denied = replace(cost, counts={"iterations": Scaling(1 / (K * eps**2))}, linear_speedup=False)
    (note,) = lint(changed(COUNTED, "sgd-costs", costs=(denied,)))
    assert (note.place, note.severity, note.because) == (
        "sgd-costs.iterations",
        "note",
        "iterations fall as 1/K",
    )
    consistent = replace(denied, counts={"iterations": Scaling(1 / eps**2)})
    assert lint(changed(COUNTED, "sgd-costs", costs=(consistent,))) == []


def test_what_one_form_scales_and_the_other_does_not_is_noted() -> None:
    scalings = REPAIRED.the(Corollary, "corollary-2").scalings
    silent = changed(REPAIRED, "corollary-2", scalings={n: s for n, s in scalings.items() if n != "eta"})
    assert ("corollary-2.eta", "consistency") in at(lint_forms(silent))
    assert lint_forms(REPAIRED) == []


def test_a_paper_in_other_letters_is_refused() -> None:
    """Orders are read in K, T, t, p and eps; anything else would silently be a constant."""
    notation = {"N" if name == "K" else name: s for name, s in PARALLEL_SGD.notation.items()}
    with pytest.raises(ValueError, match=r"lacks K: corollaries are read in the letters K \(devices\)"):
        lint(replace(PARALLEL_SGD, notation=notation))


def test_a_paper_about_one_machine_has_corollaries_without_devices() -> None:
    """A logarithm is one of T, whatever K would do: the fast term is no larger than the claim, the other is."""
    repaired = paper("repaired", "storm")
    assert "K" not in repaired.notation
    (finding,) = lint(repaired)
    assert (finding.place, finding.kind) == ("abstract.rate", "corollary")
    assert "noise exceeds it by log^(1/2)" in finding.because
    assert "fast" not in finding.because
    assert ("abstract.rate", "corollary") not in at(lint(paper("printed", "storm")))


def test_a_divisor_smaller_than_every_power_is_reported_and_the_rest_is_still_linted() -> None:
    theorem = REPAIRED.the(Theorem, "theorem-1")
    bound = Condition(eta, "<", (1 / letter("Delta_Q"),))
    broken = changed(REPAIRED, "theorem-1", conditions={**theorem.conditions, "bias": bound})
    assert {f.place for f in lint_derivable(broken)} == {"corollary-1.rate", "corollary-2.rate"}
    assert lint_rates(broken) == []


def test_a_sum_is_no_order_and_is_reported_as_such() -> None:
    sum_of_two = changed(PARALLEL_SGD, "sgd-rate", claim=Scaling(1 / sqrt(K * T) + 1 / T))
    (finding,) = [f for f in lint(sum_of_two) if f.place == "sgd-rate.rate"]
    assert finding.severity == "warning"
    assert "is not a product of powers" in finding.because
