"""A theorem of a paper at one instance, in rational arithmetic: constants, conditions, bounds.

Formulas are those of the statement, which is data; here they are only brought into a shape without roots:

    zero        letters whose value is 0 are put in, and what they multiply vanishes
    constants   L_hat^2 = ... is kept as the letter L_hat_2 for the square, or L_hat itself where the root is a fraction
    roots       T^(2/3) becomes cbrt_T^2 where the cube root of T is a fraction
    conditions  left <= clause becomes (left/clause)^n <= 1 with the least n that leaves no root, as both are positive
    logarithms  log(a) becomes a letter that is at least as large, as it only ever adds to a bound

A second version of the paper, with other errata applied, shares what it does not change. Its constants have names of
their own, G_read for G.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any

import sympy

from ratecert.base.errors import NotExactError
from ratecert.proofs.exact_numbers import exact_root
from ratecert.theory.language.letters import letter
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Condition, Definition, Theorem

ROOTS = {2: "sqrt", 3: "cbrt"}


@dataclass(frozen=True)
class Defined:
    """name = right; or, with a power, name^power = right, where name is a fraction."""

    name: str
    right: Any
    power: int = 1


@dataclass(frozen=True)
class Quotient:
    """What a condition comes to: the n-th power of left/clause, its value, and how that stands to 1."""

    part: str  # such as rho_1 <= clause 2
    expression: Any
    relation: str
    value: Fraction


@dataclass(frozen=True)
class AtBothEnds:
    """A condition on what changes with t: a letter that is the largest of some clauses, and quotients with it.

    Every clause plus t never falls as t grows, so that what is equal at t = 0 and at t = T - 1 is equal in between.
    """

    name: str
    clauses: tuple[Any, ...]
    shares: tuple[tuple[Fraction, ...], ...]  # (clause + t)/(largest + t), at t = 0 and at t = T - 1
    quotients: tuple[Quotient, ...]


@dataclass(frozen=True)
class Logarithm:
    """log(argument) <= n rate, since exp(rate) > 2 and argument <= 2^n."""

    name: str
    argument: Any
    n: int


@dataclass
class Sheet:
    values: dict[str, Fraction]  # of every letter, given or defined
    bindings: Mapping[str, str]
    varying: tuple[str, ...] = ()  # letters whose value is that of one t: they stay letters
    defined: list[Defined] = field(default_factory=list)
    logarithms: list[Logarithm] = field(default_factory=list)

    def value(self, expression: Any) -> Fraction:
        found = sympy.sympify(expression).subs({letter(n): _rational(v) for n, v in self.values.items()})
        if not found.is_Rational:
            raise NotExactError(f"{expression} is no fraction there")
        return Fraction(int(found.p), int(found.q))

    def without_zeros(self, expression: Any) -> Any:
        bound = sympy.sympify(expression).subs({letter(a): letter(b) for a, b in self.bindings.items()})
        zeros = [name for name, value in self.values.items() if value == 0 and name not in self.varying]
        return bound.subs({letter(name): 0 for name in zeros})

    def constants(self, paper: Paper, *expressions: Any) -> dict[Any, Any]:
        """The constants that occur, as letters that have a value: defined here where they are not yet."""
        occurring = {s.name for e in expressions for s in self.without_zeros(e).free_symbols}
        return {d.symbol: self._constant(d) for d in paper.of_kind(Definition) if d.symbol.name in occurring}

    def _constant(self, definition: Definition) -> Any:
        symbol, power = definition.left.as_base_exp()
        right = self.without_zeros(definition.right)
        for suffix in ("", "_read"):
            name = symbol.name + suffix
            root = exact_root(self.value(right), int(power)) if power != 1 else self.value(right)
            wanted = (
                Defined(name, right, int(power)) if root is not None else Defined(f"{name}_{power}", right)
            )
            if wanted in self.defined:
                break
            if wanted.name not in self.values and name not in self.values:
                self.defined.append(wanted)
                self.values[wanted.name] = root if root is not None else self.value(right)
                break
        return letter(name) if root is not None else letter(wanted.name) ** sympy.Rational(1, power)

    def in_fractions(self, paper: Paper, expression: Any) -> Any:
        """The expression in letters that have values, with as few roots as possible."""
        plain = self.without_zeros(expression)
        plain = plain.subs(self.constants(paper, plain))
        plain = plain.replace(
            lambda e: e.is_Pow and e.base.is_Symbol and e.exp.is_Rational and not e.exp.is_Integer, self._root
        )
        return plain.replace(lambda e: isinstance(e, sympy.log), self._logarithm)

    def _root(self, power: Any) -> Any:
        name, q = power.base.name, int(power.exp.q)
        root = None if name in self.varying or q not in ROOTS else exact_root(self.values[name], q)
        if root is None:
            return power
        if (found := Defined(f"{ROOTS[q]}_{name}", power.base, q)) not in self.defined:
            self.defined.append(found)
            self.values[found.name] = root
        return letter(found.name) ** power.exp.p

    def _logarithm(self, log: Any) -> Any:
        (argument,) = log.args
        found = Logarithm("log", argument, (int(self.value(argument)) - 1).bit_length())
        if found not in self.logarithms:
            self.logarithms.append(found)
            self.values[found.name] = found.n * RATE
        return letter(found.name)

    def quotients(self, paper: Paper, theorem: Theorem, varying: str = "") -> Iterator[Quotient]:
        """Of all conditions but those with the letter that varies with t; x > 0 is no quotient."""
        for condition in theorem.conditions.values():
            if condition.relation != ">" and varying not in _names(condition):
                for i in range(len(condition.clauses)):
                    yield self.quotient(paper, condition, i)

    def quotient(self, paper: Paper, condition: Condition, i: int) -> Quotient:
        """Of the clause number i."""
        clause = condition.clauses[i]
        whole = condition.left / self.in_fractions(paper, clause)
        n = lcm(
            *(int(f.as_base_exp()[1].q) for f in sympy.Mul.make_args(whole) if f.as_base_exp()[1].is_Rational)
        )
        expression = sympy.Mul(*(factor**n for factor in sympy.Mul.make_args(whole)))
        if expression.has(sympy.log) or any(
            e.exp.is_Rational and not e.exp.is_Integer for e in expression.atoms(sympy.Pow)
        ):
            raise NotExactError(f"{condition.left} {condition.relation} {clause} keeps a root")
        value = self.value(expression)
        if not whole.subs({letter(n): _rational(v) for n, v in self.values.items()}).is_positive:
            raise NotExactError(f"{clause} is not positive there")  # a power would hide its sign
        if not {"<=": value <= 1, "<": value < 1, "=": value == 1}[condition.relation]:
            raise NotExactError(f"{condition.left} {condition.relation} {clause} does not hold")
        part = f"{condition.left} {condition.relation} clause {i + 1}"
        return Quotient(part, expression, condition.relation, value)

    def at_both_ends(self, paper: Paper, theorem: Theorem, t: str, horizon: str) -> AtBothEnds | None:
        """For a letter that a condition defines as the largest of clauses in t."""
        varying = [c for c in theorem.conditions.values() if t in _names(c) and c.of is sympy.Max]
        if not varying:
            return None
        (condition,) = varying
        name, self.varying = condition.name, (t, condition.name)
        clauses = tuple(self.in_fractions(paper, c) for c in condition.clauses)
        if any(sympy.diff(c, letter(t)) not in (0, -1) for c in clauses):
            raise NotExactError(f"{name} + {t} may fall as {t} grows")
        shares: list[tuple[Fraction, ...]] = []
        quotients: tuple[Quotient, ...] = ()
        for end in (Fraction(0), self.values[horizon] - 1):
            self.values[t] = end
            found = [self.value(c) for c in clauses]
            self.values[name] = max(found)
            shares.append(tuple((value + end) / (max(found) + end) for value in found))
            others = [c for c in theorem.conditions.values() if name in _names(c) and c is not condition]
            quotients = tuple(self.quotient(paper, c, i) for c in others for i in range(len(c.clauses)))
            if any(q.relation != "=" for q in quotients):
                raise NotExactError(f"a condition with {name} is no equation")
        del self.values[t], self.values[name]
        return AtBothEnds(name, clauses, tuple(shares), quotients)

    def bound(self, paper: Paper, theorem: Theorem) -> dict[str, Any]:
        """The terms that are not zero."""
        terms = {name: self.in_fractions(paper, term) for name, term in theorem.terms.items()}
        return {name: term for name, term in terms.items() if term != 0}


RATE = Fraction(7, 10)  # exp(7/10) > 2


def _names(condition: Condition) -> set[str]:
    return {s.name for e in (condition.left, *condition.clauses) for s in e.free_symbols}


def _rational(value: Fraction) -> Any:
    return sympy.Rational(value.numerator, value.denominator)
