"""The linter finds what is wrong, where it is wrong, and nothing else.

Clean: a sound control (parallel SGD) and the repaired paper have no findings. Seeded: one defect is put into one
statement. Then the places found are exactly those written down beside the defect: its own, with the right kind, and
its consequences, whose reasons name what they follow from. Swept: every letter with units in every term and
definition; the orders of terms are limits (test_derivation.py). Invariant: under other ids, another order of the
terms, and all prefactors times 7.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import pytest
import sympy
from sympy import Ge, Le, Rational, log, sqrt

import oracles.parallel_sgd as sgd
from oracles.parallel_sgd import COUNTED
from oracles.parallel_sgd import PARALLEL_SGD as SGD
from oracles.small_papers import small_paper
from ratecert.catalogue.find import paper
from ratecert.theory.lint import KINDS, SEVERITIES, Finding, lint
from ratecert.theory.lint.corollaries import lint_derivable, lint_forms, lint_rates
from ratecert.theory.lint.counts import lint_counts
from ratecert.theory.lint.symbols import lint_symbols
from ratecert.theory.lint.theorems import differ_once, lint_conditions, lint_noise, lint_siblings
from ratecert.theory.lint.units import lint_units
from ratecert.theory.lint.windows import lint_windows
from ratecert.theory.notation import Symbol, letter, letters, names_of
from ratecert.theory.orders.derivation import derive, inside
from ratecert.theory.orders.monomials import Monomial
from ratecert.theory.paper import Paper
from ratecert.theory.statements import (
    Algorithm,
    Condition,
    Corollary,
    Counts,
    Definition,
    Formula,
    Line,
    Scaling,
    Text,
    Theorem,
)

PRINTED, REPAIRED = paper("printed"), paper("repaired")
K, T, p, B, eta, eps, zeta = letters("K T p B eta eps zeta")
L, L_0, L_1, L_tilde, G, sigma, mu, theta = letters("L L_0 L_1 L_tilde G sigma mu theta")
Change = Callable[[Any], Any]


def changed(source: Paper, id: str, **fields: Any) -> Paper:
    statement = replace(source[id], **fields)
    return replace(source, statements={**source.statements, id: statement})


def in_term(source: Paper, place: str, change: Change) -> Paper:
    id, name = place.split(".term.")
    terms = source.the(Theorem, id).terms
    return changed(source, id, terms={**terms, name: change(terms[name])})


def with_scaling(source: Paper, id: str, **orders: Any) -> Paper:
    scalings = {name: Scaling(order, "Theta") for name, order in orders.items()}
    return changed(source, id, scalings={**source.the(Corollary, id).scalings, **scalings})


def with_condition(source: Paper, id: str, **conditions: Condition) -> Paper:
    return changed(source, id, conditions={**source.the(Theorem, id).conditions, **conditions})


def with_cost(source: Paper, id: str, **fields: Any) -> Paper:
    """A table of one row, with other counts or another column."""
    (cost,) = source.the(Counts, id).costs
    return changed(source, id, costs=(replace(cost, **fields),))


def with_line(source: Paper, id: str, line: Line) -> Paper:
    return changed(source, id, lines=(*source.the(Algorithm, id).lines, line))


def swapped(old: Any, new: Any) -> Change:
    return lambda expression: expression.xreplace({old: new})


def times(factor: Any) -> Change:
    return lambda expression: expression * factor


def at(findings: Iterable[Finding]) -> set[str]:
    """'place kind' of each."""
    return {f"{f.place} {f.kind}" for f in findings}


# Clean


@pytest.mark.parametrize("source", [SGD, REPAIRED, COUNTED], ids=["control", "repaired", "counted"])
def test_a_sound_paper_has_no_findings(source: Paper) -> None:
    assert lint(source) == []


# Seeded defects


class Defect(NamedTuple):
    name: str
    sound: Paper
    broken: Paper
    own: str = ""  # 'place kind', separated by commas
    consequences: str = ""

    def __str__(self) -> str:
        return f"{self.sound.key}: {self.name}"


def rates(*ids: str) -> str:
    return ", ".join(f"{id}.rate corollary" for id in ids)


NOISE, START, THIRD = "sgd-descent.term.noise", "sgd-descent.term.start", Rational(1, 3)
U_1, V_1, V_2 = "theorem-1.term.noise_u", "theorem-1.term.noise_v", "theorem-2.term.noise_v"
BOTH, ALL_SIX = rates("sgd-rate", "sgd-accuracy"), rates(*(f"corollary-{n}" for n in range(1, 7)))
UNREAD = Line("x_t = x_t - m_{t-1}", (("x", 0), ("m", -1)), (("x", 0),))
NOTHING = {"zeta": Symbol("zeta", r"\zeta", "nothing", units="1")}
UNUSED = {source.key: replace(source, notation={**source.notation, **NOTHING}) for source in (SGD, REPAIRED)}
ROUNDS = {**REPAIRED.the(Counts, "remark-1").costs[0].counts, "rounds": Scaling(1 / eps)}
DEFECTS = [
    Defect("sigma lost its square", SGD, in_term(SGD, NOISE, swapped(sigma**2, sigma)), f"{NOISE} units"),
    Defect("sigma for L", SGD, in_term(SGD, NOISE, swapped(L, sigma)), f"{NOISE} units"),
    Defect("eta squared above the line", SGD, in_term(SGD, NOISE, times(eta)), f"{NOISE} units"),
    Defect("eta squared below", SGD, in_term(SGD, START, times(1 / eta)), f"{START} units", BOTH),
    Defect("1/K lost", SGD, in_term(SGD, NOISE, times(K)), "", BOTH),
    Defect("1/T lost", SGD, in_term(SGD, START, times(T)), "", BOTH),
    Defect("undefined letter", SGD, in_term(SGD, NOISE, times(zeta)), f"{NOISE} symbol"),
    Defect("sigma lost its square", REPAIRED, in_term(REPAIRED, V_1, swapped(sigma**2, sigma)), f"{V_1} units"),
    Defect("sigma for L_tilde", REPAIRED, in_term(REPAIRED, V_2, swapped(L_tilde, sigma)), f"{V_2} units"),
    Defect("eta squared", REPAIRED, in_term(REPAIRED, "theorem-2.term.start_x", times(1 / eta)),
           "theorem-2.term.start_x units", rates("corollary-3", "corollary-4")),
    Defect("1/K lost", REPAIRED, in_term(REPAIRED, U_1, times(K)), "", rates("corollary-1", "corollary-2")),
    Defect("noise of the lower level", REPAIRED, in_term(REPAIRED, U_1, swapped(G, sigma)), f"{U_1} consistency"),
    Defect("noise of the upper level", REPAIRED, in_term(REPAIRED, V_2, swapped(sigma, G)), f"{V_2} consistency"),
    Defect("undefined letter", REPAIRED, in_term(REPAIRED, "theorem-3.term.bias", times(zeta)),
           "theorem-3.term.bias symbol"),
    # definitions
    Defect("a summand of L squared", SGD, changed(SGD, "L", right=sgd.L_f**2 + sgd.lam), "L units"),
    Defect("sigma^2 lost its square", SGD, changed(SGD, "sigma", left=sigma), "sigma units"),
    # G^2 = Theta(log^3) becomes Theta(log^6)
    Defect("G^2 lost its square", REPAIRED, changed(REPAIRED, "constant.G", left=G), "constant.G units", ALL_SIX),
    # corollaries
    Defect("eta too large", SGD, with_scaling(SGD, "sgd-rate", eta=sqrt(K) / T**THIRD),
           "sgd-rate.eta consistency, sgd-rate.rate corollary", "sgd-accuracy.eta consistency"),
    Defect("eta in eps is not eta in T", SGD, with_scaling(SGD, "sgd-accuracy", eta=K * eps**2),
           "sgd-accuracy.eta consistency, sgd-accuracy.rate corollary"),
    Defect("T in eps does not reach eps", SGD, with_scaling(SGD, "sgd-accuracy", T=1 / (K * eps)),
           "sgd-accuracy.T consistency, sgd-accuracy.rate corollary"),
    Defect("claim with T squared", SGD, changed(SGD, "sgd-rate", claim=Scaling(1 / (sqrt(K) * T))),
           "sgd-rate.rate corollary", "sgd-accuracy.eta consistency, sgd-accuracy.T consistency"),
    Defect("no window", SGD, changed(SGD, "sgd-rate", window=()), "sgd-rate.eta consistency"),
    Defect("a wider window", SGD, changed(SGD, "sgd-rate", window=(Ge(T, sqrt(K)),)), "sgd-rate.eta consistency"),
    Defect("p too long", REPAIRED, with_scaling(REPAIRED, "corollary-3", p=sqrt(T) / K ** Rational(2, 3)),
           "corollary-3.eta consistency, corollary-3.rate corollary", "corollary-4.p consistency"),
    Defect("T in eps does not reach eps", REPAIRED, with_scaling(REPAIRED, "corollary-2", T=1 / (K * eps)),
           "corollary-2.T consistency, corollary-2.rate corollary"),
    Defect("claim with T squared", REPAIRED,
           changed(REPAIRED, "corollary-5", claim=Scaling(log(K * T) ** 4 / (K * T))), "corollary-5.rate corollary",
           ", ".join(f"{place} consistency" for place in ("remark-3.factor", *(f"corollary-6.{n}" for n in (
               "T", "p", "eta", "B"))))),
    Defect("no window", REPAIRED, changed(REPAIRED, "corollary-3", window=()),
           "corollary-3.p window, corollary-3.B window"),
    Defect("factor", REPAIRED, changed(REPAIRED, "remark-3", factor=Scaling(log(T))), "remark-3.factor consistency"),
    Defect("too few rounds", REPAIRED, with_cost(REPAIRED, "remark-1", counts=ROUNDS), "remark-1.rounds corollary"),
    # notation and algorithms
    Defect("unused letter", SGD, UNUSED[SGD.key], "notation.zeta symbol"),
    Defect("unused letter", REPAIRED, UNUSED[REPAIRED.key], "notation.zeta symbol"),
    Defect("a line reads what nothing assigns", SGD, with_line(SGD, "sgd", UNREAD), "sgd.m symbol"),
    Defect("a line reads what nothing assigns", REPAIRED, with_line(REPAIRED, "algorithm-1", UNREAD),
           "algorithm-1.m symbol"),
]  # fmt: skip


def owner_of(place: str, source: Paper) -> str:
    """The statement a place is in; letters of the notation are in none."""
    owners = [id for id in source.statements if place == id or place.startswith(f"{id}.")]
    return max(owners, key=len, default=place.partition(".")[0])


@pytest.mark.parametrize("defect", DEFECTS, ids=str)
def test_a_seeded_defect_is_found_at_its_place_and_nowhere_else(defect: Defect) -> None:
    """Exactly these places; at its own place a defect may be of a second kind (an undefined letter has no units)."""
    found = lint(defect.broken)
    own, consequences = (set(filter(None, listed.split(", "))) for listed in defect[3:])
    assert {f.place for f in found} == {entry.partition(" ")[0] for entry in own | consequences}
    assert own | consequences <= at(found)
    for finding in found:
        assert finding.printed != finding.fits
        others = set(defect.sound.statements) - {owner_of(finding.place, defect.sound)}
        if at([finding]) <= consequences:
            assert any(id in finding.because for id in others)


# Sweep: units

GIVEN = {
    **dict.fromkeys(("L_hat", "L_tilde", "L_Phi"), "f x^-2"),
    **dict.fromkeys(("G", "Delta_Q"), "f x^-1"),
    "theta": "f^-1 x^2",
}
# Theorem 1 has eta < 1, so eta, alpha and beta have no units and rho eta u is a length; Theorems 2 and 3 have
# rho <= 10 and 1 - alpha eta^2.
WITH_UNITS = {"theorem-1": {"rho_1", "rho_2"}, "theorem-2": {"eta", "alpha", "beta"}, "theorem-3": set()}


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


def exponents_off_by_one(expression: Any, id: str) -> Iterator[Any]:
    """Of every letter that has units in this theorem."""
    names = {name for name, s in REPAIRED.notation.items() if s.units not in (None, "1")}
    for path, power in occurrences(expression):
        (symbol,) = power.free_symbols
        if symbol.name in names | set(GIVEN) | WITH_UNITS[id]:
            yield from (edited(expression, path, power * symbol**shift) for shift in (1, -1))


def bare(id: str, name: str, term: Any) -> Paper:
    """One term of a theorem, the constants with their units given, and the shortest clause on each step."""
    theorem = REPAIRED.the(Theorem, id)
    shortest = {n: min(theorem.conditions[n].clauses, key=sympy.count_ops) for n in ("eta", "rho_1", "rho_2")}
    conditions = {n: replace(theorem.conditions[n], clauses=(clause,)) for n, clause in shortest.items()}
    notation = {n: replace(s, units=GIVEN[n]) if n in GIVEN else s for n, s in REPAIRED.notation.items()}
    alone = replace(theorem, terms={name: term}, conditions=conditions)
    algorithm = REPAIRED[theorem.algorithm]
    return replace(REPAIRED, notation=notation, statements={algorithm.id: algorithm, id: alone})


@pytest.mark.parametrize("place", [f"{t.id}.term.{n}" for t in REPAIRED.of_kind(Theorem) for n in t.terms])
def test_an_exponent_off_by_one_in_a_term_has_the_wrong_units(place: str) -> None:
    id, name = place.split(".term.")
    term = REPAIRED.the(Theorem, id).terms[name]
    assert lint_units(bare(id, name, term)) == []
    for wrong in exponents_off_by_one(term, id):
        assert at(lint_units(bare(id, name, wrong))) == {f"{place} units"}


@pytest.mark.parametrize("id", ["constant.L_Phi", "constant.L_hat", "constant.L_tilde", "constant.G"])
def test_an_exponent_off_by_one_in_a_definition_has_the_wrong_units(id: str) -> None:
    definition = REPAIRED.the(Definition, id)
    formulas = {s.id: s for s in REPAIRED.of_kind(Formula)}
    for wrong in exponents_off_by_one(definition.right, "theorem-3"):
        alone = replace(REPAIRED, statements={**formulas, id: replace(definition, right=wrong)})
        assert at(lint_units(alone)) == {f"{id} units"}


def test_a_definition_without_a_sum_is_judged_by_its_uses() -> None:
    """Nothing in Delta_Q = (1 - theta mu)^(Q+1) L_0 L_1/mu can disagree; it or all of its uses are reported."""
    definition = REPAIRED.the(Definition, "constant.Delta_Q")
    uses = {f"theorem-{n}.term.bias units" for n in (1, 2, 3)}
    for factor in (L_0, mu):
        found = at(lint_units(changed(REPAIRED, definition.id, right=definition.right * factor)))
        assert found in ({f"{definition.id} units"}, uses)


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


@pytest.mark.parametrize(("place", "kind", "as_printed", "fitting"), EXPECTED)
def test_what_is_known_to_be_wrong_in_the_print_is_found(
    printed: list[Finding], place: str, kind: str, as_printed: str, fitting: str
) -> None:
    there = [f for f in printed if (f.place, f.kind) == (place, kind)]
    assert [f for f in there if re.search(as_printed, f.printed) and re.search(fitting, f.fits)]


def test_findings_are_in_form_and_in_the_order_of_the_statements(printed: list[Finding]) -> None:
    assert len(set(printed)) == len(printed)
    assert {f.kind for f in printed} == set(KINDS)
    assert all(f.printed != f.fits != "" != f.because for f in printed)
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


def rescaled(source: Paper) -> Paper:
    """Every term, definition and clause times 7, but for clauses in t, which are measured against each other; and the
    terms of every theorem in reverse.
    """
    for definition in source.of_kind(Definition):
        source = changed(source, definition.id, right=7 * definition.right)
    for theorem in source.of_kind(Theorem):
        conditions = {
            name: replace(c, clauses=tuple(7 * e if "t" not in names_of(e) else e for e in c.clauses))
            for name, c in theorem.conditions.items()
        }
        terms = {name: 7 * term for name, term in reversed(theorem.terms.items())}
        source = changed(source, theorem.id, terms=terms, conditions=conditions)
    return source


def essence(findings: Iterable[Finding], names: Mapping[str, str]) -> list[Any]:
    """All but the formulas, which carry the prefactors: in the old ids, whatever the order of enumerations."""

    def words(text: str) -> list[str]:
        for old, new in names.items():
            text = text.replace(new, old)
        return sorted(re.findall(r"[^\s,:;]+", text))

    return sorted((words(f.place), f.kind, f.severity, words(f.because)) for f in findings)


def test_findings_in_the_print_are_invariant_under_all_changes_at_once(printed: list[Finding]) -> None:
    names = {id: f"Z{n:02d}Z" for n, id in enumerate(PRINTED.statements)}
    other = lint(with_ids(rescaled(PRINTED), names))
    assert essence(other, names) == essence(printed, {})
    assert essence(other[1:], names) != essence(printed, {})


# Any paper in this form gets an answer


BATCHED = replace(
    changed(SGD, "sgd", samples_later=letter("b")),
    notation={**SGD.notation, "b": Symbol("b", "b", "batch", units="1", least=1)},
)
RENAMED = changed(SGD, "sgd-descent", conditions={"step": sgd.DESCENT.conditions["eta"]})
DELTA_Q = REPAIRED.the(Definition, "constant.Delta_Q")
COSTS = COUNTED.the(Counts, "sgd-costs").costs[0].counts
SLOW, FAST = ({"iterations": Scaling(order)} for order in (1 / eps**2, 1 / (K * eps**2)))


def on_product(relation: str, left: Any, bound: Any) -> Paper:
    return with_condition(SGD, "sgd-descent", product=Condition(left, relation, (bound,)))


ANSWERS: dict[str, tuple[Paper, str]] = {
    "a whole number that only falls with K needs a window": (
        with_scaling(REPAIRED, "corollary-1", p=1 / K), "corollary-1.p window"),
    "a whole number that is never one": (
        with_scaling(REPAIRED, "corollary-1", p=1 / (K * T)), "corollary-1.p window"),
    "a claim without T does not follow": (
        changed(SGD, "sgd-rate", claim=Scaling(1 / K**2)), "sgd-rate.rate corollary"),
    "a window from the left": (changed(SGD, "sgd-rate", window=(Ge(T, K),)), ""),
    "a window from the right": (changed(SGD, "sgd-rate", window=(Le(K, T),)), ""),
    "a condition counts whatever it is called": (RENAMED, ""),
    "and is missed": (changed(RENAMED, "sgd-rate", window=()), "sgd-rate.eta consistency"),
    "a letter that only samples need is used": (BATCHED, ""),
    "a constant factor may be a logarithm": (in_term(SGD, NOISE, times(log(2))), ""),
    "numbers may be plain": (changed(SGD, "sgd-descent", terms={**sgd.DESCENT.terms, "nothing": 0}), ""),
    # 1 - theta^2 mu is no longer known to lie in (0, 1); what is wrong is its units
    "a misprint inside a fraction": (
        changed(REPAIRED, DELTA_Q.id, right=DELTA_Q.right.xreplace({theta: theta**2})), f"{DELTA_Q.id} units"),
    "a scaled letter without notation": (
        changed(SGD, "sgd-rate", scalings={"etta": Scaling(sqrt(K) / sqrt(T), "Theta")}), "sgd-rate.etta symbol"),
    "an undefined letter in a window": (
        changed(SGD, "sgd-rate", window=(Ge(T, K * zeta),)), "sgd-rate.window symbol"),
    # E||grad||^2 <= eps^2: the form in eps solves rate = claim, whatever power of eps the claim is
    "accuracy may be that of the norm": (
        changed(with_scaling(SGD, "sgd-accuracy", T=1 / (K * eps**4), eta=K * eps**2), "sgd-accuracy",
                claim=Scaling(eps**2), window=(Ge(1 / K, eps**2),)), ""),
    "a condition on an expression": (on_product("<=", eta * L * T**2, Rational(1, 8)), "sgd-rate.eta consistency"),
    "a strict one": (on_product("<", eta * L * T**2, Rational(1, 8)), "sgd-rate.eta consistency"),
    "a loose one": (on_product("<=", eta * L, 8), ""),
    "too few iterations": (
        with_cost(COUNTED, "sgd-costs", counts={**COSTS, "iterations": Scaling(1 / (K * eps))}),
        "sgd-costs.iterations corollary"),
    "too few samples": (
        with_cost(COUNTED, "sgd-costs", counts={**COSTS, "samples": Scaling(1 / (K * eps))}),
        "sgd-costs.samples corollary"),
    "a linear speedup that counts do not show": (
        with_cost(COUNTED, "sgd-costs", counts=SLOW, linear_speedup=True), "sgd-costs.iterations consistency"),
    "counts without a word on speedup": (with_cost(COUNTED, "sgd-costs", counts=SLOW, linear_speedup=None), ""),
    "counts without a speedup": (with_cost(COUNTED, "sgd-costs", counts=SLOW, linear_speedup=False), ""),
    "a speedup that a column denies": (
        with_cost(COUNTED, "sgd-costs", counts=FAST, linear_speedup=False), "sgd-costs.iterations consistency"),
}  # fmt: skip


@pytest.mark.parametrize(("source", "place"), ANSWERS.values(), ids=ANSWERS)
def test_a_paper_in_this_form_gets_an_answer(source: Paper, place: str) -> None:
    found = at(lint(source))
    assert place in found if place else found == set()


def test_updates_are_judged_whatever_their_order() -> None:
    """eta is x^2/f by one update, so rho has no units by another, and the third does not fit."""
    x, y, z, g, rho = letters("x y z g rho")
    notation = {**SGD.notation, "rho": Symbol("rho", r"\rho", "step of x in units of eta")}
    notation |= {n: Symbol(n, n, "one more variable", units="x") for n in "yz"}
    updates = {"x": (x, x - rho * eta * g), "y": (y, y - eta * g), "z": (z, z - rho * g)}
    for order_of in (("y", "x", "z"), ("x", "y", "z")):
        broken = changed(SGD, "sgd", updates={name: updates[name] for name in order_of})
        assert at(lint(replace(broken, notation=notation))) == {"sgd.z units"}
        sound = {name: updates[name] for name in order_of if name != "z"} | {"z": (z, z - rho * eta * g)}
        assert lint(replace(changed(broken, "sgd", updates=sound), notation=notation)) == []


@pytest.mark.parametrize(
    ("most", "found"), [(2 / L, set()), (2 / L**2, {"order.condition.eta units"})], ids=str
)
def test_conditions_that_stand_in_a_sentence_are_read(most: Any, found: set[str]) -> None:
    condition = {"eta": Condition(eta, "<=", (most,))}
    order = Text(id="order", title="An order", source="2", sentence="eta is small.", conditions=condition)
    statements = {**SGD.statements, "order": order}
    assert at(lint(replace(SGD, statements=statements))) == found


# Conditions that admit nothing

EMPTY: list[tuple[Any, str, Any, str, bool]] = [
    *((1 / L, above, 2 / L, below, False) for above in (">=", ">") for below in ("<=", "<")),
    *((2 / L, above, 1 / L, below, True) for above in (">=", ">") for below in ("<=", "<")),
    (1 / L, ">=", 1 / L, "<=", False),  # one value, if both ends count
    *((1 / L, *ends, True) for ends in ((">=", 1 / L, "<"), (">", 1 / L, "<="), (">", 1 / L, "<"))),
    *((1 / L, ">", -L, below, True) for below in ("<=", "<")),  # letters are positive
    (1 / L, ">", L, "<", False),  # where L > 1 there is one
    (2 / L, ">", sympy.Min(1, 1 / L), "<", True),  # below min(1, 1/L) nothing is above 2/L
    (2 / L, ">", sympy.Max(1, 1 / L), "<", False),  # below max(1, 1/L) something is, where L is large
]


@pytest.mark.parametrize(("least", "above", "most", "below", "empty"), EMPTY)
def test_conditions_that_admit_nothing_are_reported(
    least: Any, above: str, most: Any, below: str, empty: bool
) -> None:
    alpha, several = letter("alpha"), isinstance(most, sympy.Min | sympy.Max)
    of = type(most) if several else sympy.Min
    upper = Condition(alpha, below, most.args if several else (most,), of=of)
    source = small_paper(
        "empty", terms={"all": alpha * L}, letters="L alpha",
        conditions={"least": Condition(alpha, above, (least,)), "most": upper},
    )  # fmt: skip
    found = [finding.place for finding in lint(source) if "admit nothing" in finding.because]
    assert found == ["theorem-1.condition.most"] * empty


MU, HIGH = letter("mu"), "Lipschitz constant of the gradient"
ORDERED: list[
    tuple[dict[str, tuple[Any, str, Any]], str]
] = [  # conditions, and the severity of what is found
    ({"mu": (MU, ">", L)}, "error"),
    ({"mu": (MU, ">=", L)}, ""),  # where they are equal
    ({"L": (L, "<", MU)}, "error"),
    ({"L": (L, "<=", MU)}, ""),
    ({"mu": (MU, "<=", L)}, ""),
    ({"alpha": (letter("alpha"), "<=", 1 / L), "least": (letter("alpha"), ">", 1 / MU)}, "error"),
    ({"alpha": (letter("alpha"), "<=", 1 / L), "least": (letter("alpha"), ">=", 1 / MU)}, "note"),
    ({"alpha": (letter("alpha"), "<=", 1 / L), "product": (letter("alpha") * L, ">=", 1)}, "note"),
    ({"alpha": (letter("alpha"), "<=", 1 / L), "product": (letter("alpha") * L, ">=", 2)}, "error"),
    ({"alpha": (letter("alpha"), "<=", 2 / (L + MU)), "least": (letter("alpha"), ">", 1 / MU)}, "error"),
    ({"alpha": (letter("alpha"), "<=", 1 / MU), "least": (letter("alpha"), ">", 1 / L)}, ""),
]


@pytest.mark.parametrize(("conditions", "severity"), ORDERED, ids=str)
def test_the_order_of_constants_is_known(conditions: dict[str, Any], severity: str) -> None:
    """mu <= L; without what the letters mean nothing is known of them."""
    made = {name: Condition(left, sign, (right,)) for name, (left, sign, right) in conditions.items()}
    plain = small_paper(
        "ordered", terms={"all": letter("alpha") * L * MU}, letters="L mu alpha", conditions=made
    )
    meaning = {"L": HIGH, "mu": "strong convexity"}
    notation = {n: replace(s, meaning=meaning.get(n, s.meaning)) for n, s in plain.notation.items()}
    found = [f.severity for f in lint_conditions(replace(plain, notation=notation))]
    assert found == [severity] * bool(severity)
    if len(made) == 1:
        assert lint_conditions(plain) == []


# Logarithms, steps and counts, as a careful reader would have them


@pytest.mark.parametrize("Q", [log(K), log(log(K * T)), log(1 + 1 / T)], ids=str)
def test_a_logarithm_that_is_not_one_of_T_is_not_taken_for_it(Q: Any) -> None:
    """With Q = log K and K = 1 the bias does not fall at all."""
    assert "corollary-1.rate corollary" in at(lint_derivable(with_scaling(REPAIRED, "corollary-1", Q=Q)))
    assert lint_derivable(with_scaling(REPAIRED, "corollary-1", Q=log(T + 1))) == []


def as_expression(order: Monomial) -> Any:
    powers = [letter(name) ** Rational(a.numerator, a.denominator) for name, a in order.powers]
    return sympy.Mul(*powers, log(K * T) ** Rational(order.log.numerator, order.log.denominator))


@pytest.mark.parametrize("id", ["corollary-1", "corollary-3"])
def test_the_scalings_that_are_said_to_fit_do_fit(id: str) -> None:
    """rho_1 is bounded by rho_2, so both have to move; the rate is the one at those steps."""
    (piece,) = inside(PRINTED, PRINTED.the(Corollary, id))
    logs = {name: order.log for name, order in piece.moved.items() if name.startswith("rho")}
    assert set(logs.values()) == {-4}
    fitted = {name: as_expression(order) for name, order in piece.moved.items()}
    for all_moved in (fitted, {"rho_2": fitted["rho_2"]}):
        again = with_scaling(PRINTED, id, **all_moved)
        (settled,) = inside(again, with_scaling(PRINTED, id, **fitted).the(Corollary, id))
        assert settled.moved == {}


def test_a_scaling_that_has_to_move_twice_is_off_by_both_factors() -> None:
    """rho_1 = 1 falls to T^(-1/4) by its own clause, then to T^(-1/2) with rho_2: off by T^(1/2)."""
    rho_1, rho_2 = letters("rho_1 rho_2")
    conditions = {
        "rho_1": Condition(rho_1, "<=", (rho_2, T ** Rational(-1, 4))),
        "rho_2": Condition(rho_2, "<=", (1 / sqrt(T),)),
    }
    one = dict.fromkeys(conditions, sympy.Integer(1))
    source = with_scaling(changed(REPAIRED, "theorem-1", conditions=conditions), "corollary-1", **one)
    (piece,) = inside(source, source.the(Corollary, "corollary-1"))
    half = Monomial.of(T=Fraction(1, 2))
    assert piece.off == dict.fromkeys(conditions, half)
    assert piece.moved == dict.fromkeys(conditions, half**-1)


def test_a_step_that_is_bounded_from_above_only_is_asked_for_from_below() -> None:
    """2 gap/(eta T) grows where eta falls, so eta = O(.) says too little."""
    order = sqrt(K) / sqrt(T)
    (finding,) = lint_rates(changed(SGD, "sgd-rate", scalings={"eta": Scaling(order, "O")}))
    assert (finding.place, finding.kind) == ("sgd-rate.eta", "consistency")
    assert finding.fits == "eta = Theta(sqrt(K)/sqrt(T))"
    assert lint_rates(with_scaling(SGD, "sgd-rate", eta=order)) == []


def test_the_rate_is_derived_at_steps_that_the_theorem_admits() -> None:
    (rate,) = [f for f in lint_rates(PRINTED) if f.place == "corollary-1.rate"]
    assert "with admissible rho_1 = 1/log^4, rho_2 = 1/log^4" in rate.because
    steps = with_scaling(PRINTED, "corollary-1", rho_1=log(K * T) ** -4, rho_2=log(K * T) ** -4)
    (derived,) = derive(steps, steps.the(Corollary, "corollary-1"))
    assert rate.fits == f"O({derived.total})"


def test_a_speedup_that_counts_show_and_a_column_denies_is_a_note() -> None:
    (note,) = lint(ANSWERS["a speedup that a column denies"][0])
    assert (note.severity, note.because) == ("note", "iterations fall as 1/K")


def test_samples_that_do_not_fall_as_1_over_K_are_told_what_linear_speedup_would_be() -> None:
    costs = REPAIRED.the(Counts, "table-1").costs
    faster = tuple(replace(cost, linear_speedup=True) if cost.method == "FEDNEST" else cost for cost in costs)
    (finding,) = lint_counts(changed(REPAIRED, "table-1", costs=faster))
    assert (finding.place, finding.fits) == ("table-1.FEDNEST.samples", "samples: O(1/(K*eps^2))")


def test_a_step_that_is_constant_for_a_part_of_all_iterations_is_seen() -> None:
    """p without its logarithm: the floor of the decaying step is then of the order of T."""
    scalings = REPAIRED.the(Corollary, "corollary-5").scalings
    longer = {**scalings, "p": Scaling(sympy.cbrt(T) / sympy.cbrt(K) ** 2)}
    (finding,) = lint_windows(changed(REPAIRED, "corollary-5", scalings=longer))
    assert finding.place == "corollary-5.eta"
    assert "the order of 1 times T" in finding.because


def test_what_one_form_scales_and_the_other_does_not_is_noted() -> None:
    scalings = REPAIRED.the(Corollary, "corollary-2").scalings
    silent = changed(REPAIRED, "corollary-2", scalings={n: s for n, s in scalings.items() if n != "eta"})
    assert "corollary-2.eta consistency" in at(lint_forms(silent))


@pytest.mark.parametrize(
    ("shift", "fits"), [(1, "m_t"), (0, "m_1 among what is given"), (-1, "m_0 among what is given")]
)
def test_what_later_lines_read_is_assigned_or_given(shift: int, fits: str) -> None:
    """At t = 0 such a line does not run, so only the second pass can see that nothing assigns m."""
    line = Line("x_t = m", (("m", shift),), (("x", 0),), when="later")
    found = lint_symbols(with_line(REPAIRED, "algorithm-1", line))
    assert [finding.fits for finding in found if finding.place == "algorithm-1.m"] == [fits]


def test_sums_look_alike_whichever_has_the_larger_coefficient() -> None:
    x, y, z = sympy.symbols("x y z")
    sums = (x + 2 * y + 3 * z, x + 2 * y + 4 * z, x + 5 * y + 4 * z, x + 2 * y)
    first, alike, other, shorter = (each.as_coefficients_dict() for each in sums)
    assert differ_once(first, alike)
    assert differ_once(alike, first)
    for wrong in (first, other, shorter):
        assert not differ_once(first, wrong)
        assert not differ_once(wrong, first)


def test_one_less_a_step_and_two_less_a_step_are_two_sums() -> None:
    """As in (1 - eta mu)^T and 2 - eta mu, of which neither is a misprint of the other."""
    once, twice = (each.as_coefficients_dict() for each in (1 - eta * mu, 2 - eta * mu))
    assert not differ_once(once, twice)
    assert differ_once(once, (1 - 2 * eta * mu).as_coefficients_dict())


def with_siblings(*changes: Mapping[str, Any]) -> Paper:
    """The descent theorem, and copies of it that differ in these fields."""
    copies = [replace(sgd.DESCENT, id=f"sibling-{i}", **change) for i, change in enumerate(changes)]
    return replace(SGD, statements={**SGD.statements, **{each.id: each for each in copies}})


OTHER = {"eta": Condition(eta, "<=", (1 / (2 * L),))}
SIBLINGS: dict[str, tuple[Paper, list[str]]] = {
    "alone": (SGD, []),
    "alike": (with_siblings({}, {}), []),
    "one lacks it": (with_siblings({}, {"conditions": {}}), ["sibling-1.condition.eta"]),
    "of two one lacks it": (with_siblings({"conditions": {}}), ["sibling-0.condition.eta"]),
    "it asks for something else": (with_siblings({}, {"conditions": OTHER}), []),
    "its siblings do not agree": (with_siblings({"conditions": OTHER}, {"conditions": {}}), []),
    "its bound does not have the letter": (
        with_siblings({}, {"conditions": {}, "terms": {"start": 1 / K}}),
        [],
    ),
    "other assumptions": (with_siblings({}, {"conditions": {}, "assumptions": ()}), []),
    "other steps": (with_siblings({}, {"conditions": {}, "steps": "x <- x"}), []),
}


@pytest.mark.parametrize(("source", "places"), SIBLINGS.values(), ids=SIBLINGS)
def test_a_theorem_that_lacks_the_condition_of_all_its_siblings_is_noted(
    source: Paper, places: list[str]
) -> None:
    found = lint_siblings(source)
    assert [f.place for f in found] == places
    assert {f.severity for f in found} <= {"note"}
    assert all(f in lint(source) for f in found)


def test_one_weight_and_the_noise_of_another_are_a_finding() -> None:
    assert [f.place for f in lint_noise(PRINTED)] == ["theorem-1.term.noise_u", "theorem-3.term.noise_u"]


def test_a_paper_in_other_letters_is_refused() -> None:
    """Orders are read in K, T, t, p and eps; anything else would silently be a constant."""
    notation = {"N" if name == "K" else name: s for name, s in SGD.notation.items()}
    with pytest.raises(ValueError, match=r"lacks K: corollaries are read in the letters K \(devices\)"):
        lint(replace(SGD, notation=notation))


def test_a_paper_about_one_machine_has_corollaries_without_devices() -> None:
    """A logarithm is one of T, whatever K would do: the fast term is no larger than the claim, the other is."""
    repaired = paper("repaired", "storm")
    assert "K" not in repaired.notation
    (finding,) = lint(repaired)
    assert (finding.place, finding.kind) == ("abstract.rate", "corollary")
    assert "noise exceeds it by log^(1/2)" in finding.because
    assert "fast" not in finding.because
    assert "abstract.rate corollary" not in at(lint(paper("printed", "storm")))


def test_a_divisor_smaller_than_every_power_is_reported_and_the_rest_is_still_linted() -> None:
    broken = with_condition(REPAIRED, "theorem-1", bias=Condition(eta, "<", (1 / letter("Delta_Q"),)))
    assert {f.place for f in lint_derivable(broken)} == {"corollary-1.rate", "corollary-2.rate"}
    assert lint_rates(broken) == []


def test_a_sum_is_no_order_and_is_reported_as_such() -> None:
    sum_of_two = changed(SGD, "sgd-rate", claim=Scaling(1 / sqrt(K * T) + 1 / T))
    (finding,) = [f for f in lint(sum_of_two) if f.place == "sgd-rate.rate"]
    assert finding.severity == "warning"
    assert "is not a product of powers" in finding.because
