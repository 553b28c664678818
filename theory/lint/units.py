"""Rule: units. Every sum, min and condition is homogeneous, and every term of a bound has the units of its left side.

Given are the units of the problem (x, f) and hence of the assumptions' constants. The updates of an algorithm fix the
units of its steps, up to what they leave free (rho against eta); that freedom, the units of a defined constant (which
its definition may have lost a square of) and those of an undefined symbol are chosen such that the fewest pieces are
wrong, and those pieces are reported, with the smallest edits that mend them: another exponent, another letter, one
more factor.
"""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

import sympy

from ratecert.theory.lint.finding import Finding
from ratecert.theory.notation import letter, names_of
from ratecert.theory.orders.monomials import ONE
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Algorithm, Definition, Formula, Statement, Text, Theorem
from ratecert.theory.units import (
    Misfit,
    Units,
    UnitsReading,
    forced,
    ratios,
    readings,
    solve,
    solved_for,
    units_of,
)

Clause = tuple[str, Any, Any]  # place, what stands there, an expression or units it has to agree with


def lint_units(paper: Paper) -> list[Finding]:
    known = constants_units(paper)
    findings = [*_definitions(paper, known)]
    updates: list[Algorithm | Formula] = [*paper.of_kind(Formula), *paper.of_kind(Algorithm)]
    for statement in updates:
        findings += _updates(paper, statement, known)
    for algorithm in paper.of_kind(Algorithm):
        findings += _numbers(algorithm)
    steps = solve_steps(paper, paper.of_kind(Algorithm), known)
    for text in paper.of_kind(Text):
        findings += _updates(paper, text, {**known, **steps})
    for theorem in paper.of_kind(Theorem):
        findings += _theorem(paper, theorem, known)
    return findings


def given_units(paper: Paper) -> dict[str, Units]:
    return {name: units_of(s.units) for name, s in paper.notation.items() if s.units is not None}


@lru_cache(maxsize=8)
def constants_units(paper: Paper) -> Mapping[str, Units]:
    """The units of constants and of undefined symbols: by definition, or by use where that is the better reading."""
    known = given_units(paper)
    known |= solve_steps(paper, paper.of_kind(Formula), known)
    for definition in paper.of_kind(Definition):
        known |= _undefined(paper, definition, known)
        known.setdefault(definition.symbol.name, _by_definition(definition, known))
    return _reconsidered(paper, known)


def step_units(paper: Paper, theorem: Theorem, known: Mapping[str, Units]) -> dict[str, Units]:
    """The units of the steps: what the updates say, the rest such that the fewest pieces of the theorem are wrong."""
    algorithm = paper.the(Algorithm, theorem.algorithm)
    steps = solve_steps(paper, [algorithm], known)
    names = [name for name, s in paper.notation.items() if s.units is None and name not in known]
    used = set().union(*(names_of(e) for _, e in [*theorem.parts(), *algorithm.equations()]))
    return _choose([n for n in names if n in used and n not in steps], {**known, **steps}, theorem)


def solve_steps(
    paper: Paper, statements: Iterable[Algorithm | Formula], known: Mapping[str, Units]
) -> dict[str, Units]:
    unknown = [name for name, s in paper.notation.items() if s.units is None and name not in known]
    equations = [r for s in statements for _, part in s.equations() for r in ratios(part, known)[1]]
    return solve(equations, unknown)[0]


def _choose(free: list[str], known: dict[str, Units], theorem: Theorem) -> dict[str, Units]:
    """Give units to the free symbols, one after the other, every candidate tried; all units known on return."""
    if not free:
        return known
    name, *rest = free
    options = []
    for candidate in dict.fromkeys([ONE, *_candidates(name, known, theorem)]):
        assigned = {k: units.at(**{name: candidate}) for k, units in known.items()} | {name: candidate}
        options.append(_choose(rest, assigned, theorem))
    return min(options, key=lambda option: _cost(theorem, option))


def _candidates(name: str, known: Mapping[str, Units], theorem: Theorem) -> Iterator[Units]:
    measure = units_of(theorem.measure_units)
    for place, expression in theorem.parts():
        units, found = ratios(expression, known)
        for ratio in [*found, units / measure] if ".term." in place else found:
            if ratio.exponent(name):
                yield solved_for(name, ratio)


def _clauses(theorem: Theorem) -> Iterator[Clause]:
    for name, condition in theorem.conditions.items():
        for clause in condition.clauses:
            yield f"{theorem.id}.condition.{name}", clause, condition.left
    for name, term in theorem.terms.items():
        yield f"{theorem.id}.term.{name}", term, None


def _misfits(theorem: Theorem, known: Mapping[str, Units]) -> Iterator[tuple[str, Misfit]]:
    for place, expression, left in _clauses(theorem):
        needed = units_of(theorem.measure_units) if left is None else _cheapest(left, known).units
        relevant = tuple((name, known[name]) for name in _names(expression) if name in known)
        for misfit in _forced(expression, needed, relevant).misfits:
            yield place, misfit


@lru_cache(maxsize=4096)
def _forced(expression: Any, needed: Units, known: tuple[tuple[str, Units], ...]) -> UnitsReading:
    """Clauses are judged anew for every choice of units, most of which do not touch them."""
    return forced(expression, needed, dict(known))


@lru_cache(maxsize=1024)
def _names(expression: Any) -> tuple[str, ...]:
    return tuple(sorted(names_of(expression)))


def _cost(theorem: Theorem, known: Mapping[str, Units]) -> int:
    return sum(1 for _ in _misfits(theorem, known))


def _cheapest(expression: Any, known: Mapping[str, Units]) -> UnitsReading:
    return min(readings(expression, known).values(), key=lambda reading: reading.cost)


def _by_definition(definition: Definition, known: Mapping[str, Units]) -> Units:
    power = definition.left.as_base_exp()[1]
    units: Units = _cheapest(definition.right, known).units ** (1 / power)
    return units


def _undefined(paper: Paper, definition: Definition, known: Mapping[str, Units]) -> dict[str, Units]:
    """Units for symbols nobody defined: such that the fewest summands of the definition are wrong."""
    found: dict[str, Units] = {}
    for name in sorted(names_of(definition.right) - set(paper.notation)):
        options = [ONE, *(solved_for(name, ratio) for ratio in ratios(definition.right, known)[1])]
        found[name] = min(
            options, key=lambda u: _cheapest(definition.right, {**known, **found, name: u}).cost
        )
    return found


def _reconsidered(paper: Paper, known: dict[str, Units]) -> dict[str, Units]:
    """Let the uses of a constant overrule its definition, by a square or a root, where that leaves fewer misfits."""
    theorems = list(paper.of_kind(Theorem))
    misfits = {t.id: [m for _, m in _misfits(t, step_units(paper, t, known))] for t in theorems}
    for definition in paper.of_kind(Definition):
        symbol = definition.symbol
        touched = [t for t in theorems if any(symbol in m.piece.free_symbols for m in misfits[t.id])]
        best = sum(len(misfits[t.id]) for t in touched)
        for power in (Fraction(1, 2), Fraction(2)) if known[symbol.name] != ONE and best > 1 else ():
            changed = known | {symbol.name: known[symbol.name] ** power}
            cost = 1 + sum(_cost(t, step_units(paper, t, changed)) for t in touched)
            if cost < best:
                best, known = cost, changed
    return known


def _definitions(paper: Paper, known: Mapping[str, Units]) -> Iterator[Finding]:
    for definition in paper.of_kind(Definition):
        reading = _cheapest(definition.right, known)
        for misfit in reading.misfits:
            yield _finding(paper, definition.id, misfit, known)
        power = definition.left.as_base_exp()[1]
        if known[definition.symbol.name] ** power != reading.units:
            symbol = definition.symbol
            fitting = [n for n in (1, 2, power / 2, 2 * power) if known[symbol.name] ** n == reading.units]
            uses = ", ".join(_uses(paper, symbol))
            yield Finding(
                place=definition.id,
                kind="units",
                printed=f"{definition.left} = {definition.right}",
                fits=f"{symbol ** fitting[0]} = {definition.right}" if fitting else "nothing simple",
                severity="error",
                because=(
                    f"{'every use needs' if uses else 'the notation has'} {symbol} in {as_units(known[symbol.name])}, "
                    f"the definition gives {definition.left} in {as_units(reading.units)}"
                    + (f"; used in {uses}" if uses else "")
                ),
            )


def _uses(paper: Paper, symbol: Any) -> list[str]:
    parts = (part for theorem in paper.of_kind(Theorem) for part in theorem.parts())
    return [place for place, expression in parts if symbol in expression.free_symbols]


def _updates(paper: Paper, statement: Statement, known: Mapping[str, Units]) -> Iterator[Finding]:
    """Updates define the units of the steps, so only what no choice of these can mend is wrong.

    So do the conditions that stand in a sentence.
    """
    names = [name for name, s in paper.notation.items() if s.units is None and name not in known]
    for place, equation, ratio in _unmendable(statement.equations(), names, known):
        yield Finding(
            place=place,
            kind="units",
            printed=f"{equation.lhs} {equation.rel_op.replace('==', '=')} {equation.rhs}",
            fits=f"a factor in {as_units(ratio**-1)}",
            severity="error",
            because=f"two of its summands, or its sides, differ by {as_units(ratio)}",
        )


def _numbers(algorithm: Algorithm) -> Iterator[Finding]:
    """Numbers in a step that have units: what is added there is homogeneous for no units of its other letters."""
    known = {name: units_of(units) for name, units in algorithm.step_units.items()}
    names = sorted(names_of(*algorithm.step.values()).union(algorithm.step) - {*known})
    fields = ((name, sympy.Eq(letter(name), value, evaluate=False)) for name, value in algorithm.step.items())
    for name, equation, ratio in _unmendable(fields, names, known):
        yield Finding(
            place=f"{algorithm.id}.{name}",
            kind="units",
            printed=f"{name} = {equation.rhs}",
            fits=f"a factor in {as_units(ratio**-1)}",
            severity="warning",
            because=f"two of its summands differ by {as_units(ratio)}, for which a number has to stand",
        )


def _unmendable(
    equations: Iterable[tuple[str, Any]], names: list[str], known: Mapping[str, Units]
) -> Iterator[tuple[str, Any, Units]]:
    """(place, equation, ratio) of units that no units of these names mend, in the order of the equations."""
    so_far, reported = list[Units](), 0
    for place, equation in equations:
        so_far += ratios(equation, known)[1]
        wrong = solve(so_far, names)[1]
        yield from ((place, equation, ratio) for ratio in wrong[reported:])
        reported = len(wrong)


def _theorem(paper: Paper, theorem: Theorem, known: Mapping[str, Units]) -> Iterator[Finding]:
    units = step_units(paper, theorem, known)
    for place, misfit in _misfits(theorem, units):
        yield _finding(paper, place, misfit, units, theorem)


def _finding(
    paper: Paper, place: str, misfit: Misfit, known: Mapping[str, Units], theorem: Theorem | None = None
) -> Finding:
    """Letters that the theorem's conditions use most are the first to be suggested."""
    used = names_of(*(definition.right for definition in paper.of_kind(Definition)))
    names = [name for name, s in paper.notation.items() if name in paper.constants or name in used or s.ours]
    conditions = [c.as_relation() for c in theorem.conditions.values()] if theorem else []
    uses = {name: sum(name in names_of(c) for c in conditions) for name in names}
    candidates = tuple(sorted(names, key=lambda name: (paper.notation[name].ours, -uses[name])))
    return Finding(
        place=place,
        kind="units",
        printed=str(misfit.piece),
        fits=suggest(misfit, known, candidates),
        severity="error",
        because=f"has {as_units(misfit.has)}, needs {as_units(misfit.needs)}",
    )


MOST = 3  # suggestions
Edit = tuple[Any, str]  # its rank, the edited piece
Letters = list[tuple[Any, Any]]  # of a product, with their exponents


def suggest(misfit: Misfit, known: Mapping[str, Units], candidates: tuple[str, ...]) -> str:
    """Edited pieces, the likeliest first: a letter that other summands share is the last to be blamed."""
    missing = misfit.needs / misfit.has
    powers = (factor.as_base_exp() for factor in sympy.Mul.make_args(misfit.piece))
    # rho^T, to the power of another letter, has no units
    letters = [(base, exponent) for base, exponent in powers if base.is_Symbol and exponent.is_Rational]
    edits = [*_of_letters(misfit, missing, letters, known, candidates)]
    if not misfit.among.is_Add or not edits:
        edits += _factors(misfit, missing, letters, known, candidates)
    best = [text for _, text in sorted(edits, key=lambda edit: edit[0])][:MOST]
    return " or ".join(dict.fromkeys(best)) or f"({misfit.piece}) times something in {as_units(missing)}"


def as_units(units: Units) -> str:
    return "no units" if units == ONE else f"units {units}"


def _of_letters(
    misfit: Misfit, missing: Units, letters: Letters, known: Mapping[str, Units], candidates: tuple[str, ...]
) -> Iterator[Edit]:
    """Another exponent of a letter, or in its place another letter with the same stem."""
    siblings = [a for a in misfit.among.args if a != misfit.piece] if misfit.among.is_Add else []
    for symbol, exponent in letters:
        shared = sum(symbol in sibling.free_symbols for sibling in siblings)
        shift = _power_of(missing, known.get(symbol.name, ONE))
        if shift is not None and abs(shift) <= 4 and exponent + shift != 0:
            yield (shared, 0, abs(shift), abs(exponent + shift)), str(misfit.piece * symbol**shift)
        stem = symbol.name.partition("_")[0]
        alike = [n for n in candidates if n != symbol.name and n.partition("_")[0] == stem and exponent > 0]
        for name in alike:
            if known.get(name) == known.get(symbol.name, ONE) * missing ** (1 / exponent):
                yield (shared, 1, 0, 0), str(misfit.piece.xreplace({symbol: letter(name)}))


def _factors(
    misfit: Misfit, missing: Units, letters: Letters, known: Mapping[str, Units], candidates: tuple[str, ...]
) -> Iterator[Edit]:
    """One more letter, in the order of the candidates; not one that only cancels a letter that is there."""
    present = [symbol for symbol, _ in letters]
    for place, name in enumerate(candidates):
        power = _power_of(missing, known.get(name, ONE))
        if power is not None and abs(power) <= 2 and letter(name) not in present:
            yield (0, 2, abs(power), place), str(misfit.piece * letter(name) ** power)


def _power_of(target: Units, base: Units) -> sympy.Rational | None:
    """n with base^n = target, if there is one."""
    if base == ONE or target == ONE:
        return None
    name, power = base.powers[0]
    n = target.exponent(name) / power
    return sympy.Rational(n.numerator, n.denominator) if n and base**n == target else None
