"""Rules on a theorem, alone or beside those of the same paper: its conditions, its noise, its sums, its siblings."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import combinations, pairwise
from typing import Any

import sympy

from ratecert.theory.lint.finding import Finding
from ratecert.theory.notation import letter, names_of
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Algorithm, Condition, Theorem

AT_MOST = (  # meanings of constants, each at most the next one
    "strong convexity",
    "Lipschitz constant of the gradient",
    "Lipschitz constant of every term's gradient",
)
note = partial(Finding, kind="consistency", severity="note")
error = partial(Finding, kind="consistency", severity="error")


def lint_conditions(paper: Paper) -> list[Finding]:
    """Two conditions that no number meets, or one that the order of the constants excludes: mu > L."""
    order = _in_order(paper)
    return [finding for theorem in paper.of_kind(Theorem) for finding in _empty(theorem, order)]


def _empty(theorem: Theorem, order: Mapping[Any, Any]) -> Iterator[Finding]:
    """left/clause is at least 1 of the one, and at most 1 of the other; where their ratio is below 1 whatever the
    letters are, which all are positive, nothing is inside. Nothing is below a number that is not positive, either.
    """
    asked = [
        (key, each, clause, each.left / clause)
        for key, each in theorem.conditions.items()
        for clause in _each_binds(each)
    ]
    lower = [each for each in asked if each[1].relation in (">=", ">")]
    for key, upper, clause, most in (each for each in asked if each[1].relation in ("<=", "<")):
        above = [
            other if each.left == upper.left else f"where {each.left} is {other}"
            for _, each, other, least in lower
            if clause.is_positive and _never(least / most, each.relation, upper.relation, order)
        ]
        if above or clause.is_nonpositive or _never(1 / most, ">=", upper.relation, order):
            yield _nothing(theorem, key, upper, clause, f"a right side above {above[0] if above else 0}")
        elif any(clause.is_positive and _never(each[3] / most, ">", "<", order) for each in lower):
            place, printed = f"{theorem.id}.condition.{key}", f"{upper.left} {upper.relation} {clause}"
            because = "with another condition it leaves equality alone"
            yield note(place=place, printed=printed, fits=f"{upper.left} = {clause}", because=because)
    for key, each, clause, least in lower:
        if _never(least, each.relation, "<=", order):
            yield _nothing(theorem, key, each, clause, f"a right side below {each.left}")


def _nothing(theorem: Theorem, key: str, condition: Condition, clause: Any, fits: str) -> Finding:
    return error(
        place=f"{theorem.id}.condition.{key}",
        printed=f"{condition.left} {condition.relation} {clause}",
        fits=fits,
        because="the conditions admit nothing, so that the theorem speaks of no run",
    )


def _each_binds(condition: Condition) -> tuple[Any, ...]:
    """The clauses, where every one of them is asked: below the smallest, above the largest, or there is only one."""
    of = sympy.Max if condition.relation in (">=", ">") else sympy.Min
    return condition.clauses if condition.of is of or len(condition.clauses) == 1 else ()


def _never(ratio: Any, above: str, below: str, order: Mapping[Any, Any]) -> bool:
    """Whether a ratio is below 1, as no ratio of a number above the one end and below the other is."""
    difference = sympy.factor(sympy.simplify((1 - ratio).subs(order, simultaneous=True)))
    ends_count = above == ">=" and below == "<="
    return bool(difference.is_positive or (difference.is_nonnegative and not ends_count))


def _in_order(paper: Paper) -> dict[Any, Any]:
    """Constant -> a smaller one and what it may have more."""
    by_meaning = {symbol.meaning: letter(name) for name, symbol in paper.notation.items()}
    known = [by_meaning[meaning] for meaning in AT_MOST if meaning in by_meaning]
    found = dict[Any, Any]()
    for less, more in pairwise(known):
        found[more] = found.get(less, less) + sympy.Dummy(nonnegative=True)
    return found


def lint_noise(paper: Paper) -> list[Finding]:
    """A term that one momentum's weight multiplies charges the noise of what it averages.

    In u <- (1 - alpha eta) u + alpha eta (sample) the fresh noise of u's samples enters with alpha; a bound's term in
    alpha alone has to carry the constant that bounds that noise, and a term in beta alone the one of v. Where the
    weights have been put in as numbers the name of the term says whose noise it is: noise_u, start_v.
    """
    return [finding for theorem in paper.of_kind(Theorem) for finding in _noise(paper, theorem)]


def _noise(paper: Paper, theorem: Theorem) -> Iterator[Finding]:
    estimates = paper.the(Algorithm, theorem.algorithm).estimates
    for name, term in theorem.terms.items():
        by_weight = [e for e in estimates if e.weight in term.free_symbols]
        weighed = by_weight or [e for e in estimates if name.endswith(f"_{e.momentum}")]
        charged = [e for e in estimates if e.noise in term.free_symbols]
        if len(weighed) == len(charged) == 1 and weighed != charged:
            own, other = weighed[0], charged[0]
            known_by = f"a term in {own.weight}" if by_weight else "a term of this name"
            yield error(
                place=f"{theorem.id}.term.{name}",
                printed=str(term),
                fits=str(term.xreplace({other.noise: own.noise})),
                because=f"{known_by} charges the samples of {own.momentum}, whose noise {own.noise} bounds; "
                f"{other.noise} bounds that of {other.momentum}, and where it is zero the term is too",
            )


def lint_lookalikes(paper: Paper) -> list[Finding]:
    """Two sums in one theorem with the same summands and all but one of the same coefficients are likely to be one
    sum, misprinted once. The reading that occurs less often is reported.
    """
    return [finding for theorem in paper.of_kind(Theorem) for finding in _lookalikes(theorem)]


def _lookalikes(theorem: Theorem) -> Iterator[Finding]:
    places = {place: expression.atoms(sympy.Add) for place, expression in theorem.parts()}
    uses = Counter(total for totals in places.values() for total in totals)
    because = "the theorem's other sum with these summands differs in one coefficient"
    for first, second in combinations(sorted(uses, key=str), 2):
        if differ_once(first.as_coefficients_dict(), second.as_coefficients_dict()):
            rare, usual = sorted((first, second), key=lambda total: uses[total])
            for place in (place for place, totals in places.items() if rare in totals):
                yield note(place=place, printed=str(rare), fits=str(usual), because=because)


def differ_once(first: Mapping[Any, Any], second: Mapping[Any, Any]) -> bool:
    """The same summands, exactly one with another coefficient: 1 - eta mu and 2 - eta mu are two sums."""
    if set(first) != set(second):
        return False
    other = [summand for summand in first if first[summand] != second[summand]]
    return len(other) == 1 and other[0] != 1


def lint_siblings(paper: Paper) -> list[Finding]:
    """Theorems of one paper on the same algorithm, steps and assumptions ask for the same.

    Where all of them have one condition on a letter, and one theorem whose bound has that letter asks nothing of it,
    the condition may have been forgotten there. It may also not be needed, so that this is a note.
    """
    theorems = list(paper.of_kind(Theorem))
    pairs = [(t, [s for s in theorems if s is not t and _setting(s) == _setting(t)]) for t in theorems]
    return [f for theorem, siblings in pairs if siblings for f in _forgotten(theorem, *siblings)]


def _setting(theorem: Theorem) -> tuple[str, str, frozenset[str]]:
    return theorem.algorithm, theorem.steps, frozenset(theorem.assumptions)


def _forgotten(theorem: Theorem, first: Theorem, *others: Theorem) -> Iterator[Finding]:
    asked = {name for condition in theorem.conditions.values() for name in names_of(condition.left)}
    ids = ", ".join(each.id for each in (first, *others))
    for key, condition in first.conditions.items():
        letters, relation = names_of(condition.left), condition.as_relation()
        everywhere = all(relation in [c.as_relation() for c in each.conditions.values()] for each in others)
        if everywhere and letters <= theorem.names_in_terms - asked:
            yield note(
                place=f"{theorem.id}.condition.{key}",
                printed=f"no condition on {condition.left}",
                fits=str(relation),
                because=f"{ids} of the same algorithm and assumptions ask for it",
            )
