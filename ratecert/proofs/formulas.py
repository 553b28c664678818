"""Letters, conditions and bounds of a statement as lines of a proof: every letter when it is first asked for.

A root that is no fraction is known between two fractions. Letters that are zero are put in, and what they multiply
vanishes.
"""

import keyword
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import sympy

from ratecert.base.errors import NotExactError
from ratecert.proofs.script import PythonWriter, Script, fraction
from ratecert.theory.notation import letter, names_of
from ratecert.theory.numbers.evaluation import is_schedule
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Condition, Theorem

DIGITS = 12  # of a root that is no fraction
ORDINAL = {3: "rd"}
COMPARED = {"<=": "at_most", "<": "below", ">": "below"}


@dataclass
class Formulas:
    """`given` writes down a letter that the instance has: a constant of the world, a choice, a count."""

    script: Script
    paper: Paper
    theorem: Theorem
    given: Mapping[str, Callable[[str], None]]
    values: dict[str, Any] = field(default_factory=dict)  # of letters: fractions, or what is between two
    roots: dict[Any, Any] = field(default_factory=dict)
    named: dict[Any, Any] = field(default_factory=dict)  # formulas that a letter stands for
    parts: list[str] = field(default_factory=list)  # letters of no meaning of their own

    def require(self, name: str) -> None:
        """Write the letter down, unless it is."""
        if name in self.values:
            return
        if not name.isidentifier() or keyword.iskeyword(name) or name in self.script.names:
            raise NotExactError(f"the letter {name} is no name that the proof could have")
        if name in self.given:
            self.given[name](name)
        elif name in self.paper.constants:
            self.script.assign(name, self.text(self.paper.constants[name]))
            self.stands_for(name, sympy.sympify(self.paper.constants[name]))
        elif (right := self.fixed(name)) is not None:
            self.script.assign(name, self.text(right))
        else:
            raise NotExactError(f"nothing gives the letter {name}")
        self.values[name] = self.script.value(name)

    def fixed(self, name: str) -> Any:
        """What a condition says that the letter is; None where none does."""
        condition = self.theorem.prescribed.get(name)
        return None if condition is None or is_schedule(condition) else condition.right

    def text(self, expression: Any) -> str:
        """As Python, with every letter in it written down before."""
        bound = sympy.sympify(expression).subs({letter(a): letter(b) for a, b in self.paper.bindings.items()})
        for name in sorted(names_of(bound)):
            self.require(name)
        bound = bound.subs({letter(name): 0 for name in names_of(bound) if self.values[name] == 0})
        bound = self._defined(self._without_nothing(self._defined(bound)))
        plain = bound.replace(lambda e: e.is_Pow and not e.exp.is_Integer, self._power)
        if unknown := [e for e in plain.atoms(sympy.Function) if not isinstance(e, sympy.Max | sympy.Min)]:
            raise NotExactError(f"{unknown[0]} is no fraction there")
        return str(PythonWriter(self.values).doprint(plain))

    def _defined(self, expression: Any) -> Any:
        if expression.has(sympy.zoo, sympy.nan, sympy.oo):
            raise NotExactError(f"{expression} is not defined there")
        return expression

    def _without_nothing(self, expression: Any) -> Any:
        """What is multiplied by a difference that is zero vanishes, and the file says so."""
        sums = {f for product in expression.atoms(sympy.Mul) for f in product.args if f.is_Add}
        for each in sorted(sums, key=str):
            if each.atoms(sympy.Function) or any(not e.exp.is_Integer for e in each.atoms(sympy.Pow)):
                continue
            text = PythonWriter(self.values).doprint(each)
            value = self.script.value(text)
            if isinstance(value, int | Fraction) and value == 0:
                self.script.once(f'require({text} == zero, "what {each} multiplies vanishes")')
                expression = expression.subs(each, 0)
        return expression

    def ends(self, expression: Any) -> tuple[Fraction, Fraction]:
        """Two fractions with the value between them, which may be the same."""
        text = PythonWriter(self.script.names).doprint(expression)
        low, high = (Fraction(self.script.value(f"{end}({text})")) for end in ("low", "high"))
        return low, high

    def name(self, expression: Any, kind: str = "part") -> Any:
        """A letter for a formula; a number or a letter needs none."""
        if expression.is_number or expression.is_Symbol:
            return expression
        if expression not in self.named:
            name = f"{kind}_{1 + sum(each.startswith(kind) for each in self.parts)}"
            self.give(name, expression)
            self.parts.append(name)
        return self.named[expression]

    def give(self, name: str, expression: Any) -> None:
        """The letter of this name for it; what is no fraction is rounded outwards, so that numbers stay short."""
        if name in self.script.names:
            raise NotExactError(f"the letter {name} is taken")
        text = PythonWriter(self.script.names).doprint(expression)
        value = self.script.value(text)
        if isinstance(value, int | Fraction):
            self.script.assign(name, "zero" if value == 0 else text)
        else:
            self.script.line(f"{name} = {text}" if expression.is_Symbol else f"{name} = outward({text})")
        self.stands_for(name, expression)

    def stands_for(self, name: str, expression: Any) -> None:
        """Let later formulas have the letter."""
        if not (expression.is_number or expression.is_Symbol):
            self.named.setdefault(expression, letter(name))

    def drop_unused(self) -> None:
        """Of the letters without a meaning, those of this part that nothing in it has."""
        for name in reversed(self.parts[:]):
            if self.script.drop(name):
                self.parts.remove(name)
                self.named = {e: each for e, each in self.named.items() if each.name != name}

    @contextmanager
    def trying(self) -> Iterator[None]:
        """Where what is done within it fails, nothing of it is left."""
        script, tables = self.script, (self.script.names, self.values, self.roots, self.named)
        before, lines, parts, said = list(map(dict, tables)), script.lines[:], self.parts[:], set(script.said)
        try:
            yield
        except Exception:
            for table, entries in zip(tables, before, strict=True):
                table.clear()
                table.update(entries)
            script.lines, self.parts, script.said = lines, parts, said
            raise

    def _power(self, power: Any) -> Any:
        """Letters may stand in an exponent; its value decides whether there is a root."""
        e = self.script.value(PythonWriter(self.values).doprint(power.exp))
        if not isinstance(e, int | Fraction):
            raise NotExactError(f"the exponent {power.exp} is no fraction there")
        q = Fraction(e).denominator
        if q == 1:
            return power
        return self.root(power.base, q) ** (q * power.exp)

    def root(self, base: Any, q: int) -> Any:
        """A letter for the q-th root of an expression."""
        if (base, q) not in self.roots:
            name = f"root_{len(self.roots) + 1}"
            self.root_of(name, str(PythonWriter(self.values).doprint(base)), q)
            self.roots[base, q], self.values[name] = letter(name), self.script.names[name]
        return self.roots[base, q]

    def root_of(self, name: str, text: str, q: int = 2) -> None:
        """name^q = text: a fraction where there is one, else between two."""
        value = self.script.value(text)
        found = exact_root(Fraction(value), q) if isinstance(value, int | Fraction) and value >= 0 else None
        if found is not None:
            self.script.set(name, found)
            power = f"{name}**{q}" if found not in (0, 1) else "*".join([name] * q)
            self.script.line(f'require({power} == {text}, "{name}")')
            return
        low, high = (self.script.value(f"{end}({text})") for end in ("low", "high"))
        if q != 2 or not low > 0:
            root = "square root" if q == 2 else f"{q}{ORDINAL.get(q, 'th')} root"
            raise NotExactError(
                f"the {root} of {text} is no fraction there, and only square roots of what is positive are enclosed"
            )
        above = root_from_above(high, DIGITS)
        below = low / root_from_above(low, DIGITS)
        below = below.limit_denominator(10**DIGITS)
        while below**2 > low:
            below -= Fraction(1, 10**DIGITS)
        self.script.line(f"{name} = Between({fraction(below)}, {fraction(above)})")
        self.script.compared("at_most", f"{name} from below", f"{name}.low**{q}", f"low({text})")
        self.script.compared("at_most", f"{name} from above", f"high({text})", f"{name}.high**{q}")

    def condition(self, condition: Condition) -> None:
        """Refuse the instance where it does not hold."""
        if is_schedule(condition):
            raise NotExactError(f"the condition on {condition.name} is one on every t")
        left = self.text(condition.left)
        rights = [self.text(clause) for clause in condition.clauses]
        said = f"{condition.left} {condition.relation} "
        if condition.relation == "=":
            if condition.name not in self.values or str(condition.left) not in self.given:
                return  # it has given the letter its value
            self.script.line(f'require({left} == {_one_of(condition, rights)}, "{said}{condition.right}")')
        elif condition.relation == ">":
            self.script.compared("below", said + str(condition.right), _one_of(condition, rights), left)
        elif condition.of is sympy.Max:
            how = COMPARED[condition.relation]
            self.script.compared(how, said + str(condition.right), left, _one_of(condition, rights))
        else:
            for clause, right in zip(condition.clauses, rights, strict=True):
                self.script.compared(COMPARED[condition.relation], said + str(clause), left, right)

    def bound(self, name: str) -> Fraction:
        """The terms that are not zero as a dictionary of this name, and the upper end of their sum."""
        terms = {key: self.text(term) for key, term in self.theorem.terms.items()}
        terms = {key: text for key, text in terms.items() if text != "0"}
        rows = "".join(f'    "{key}": {text},\n' for key, text in terms.items())
        self.script.line(f"{name} = {{\n{rows}}}" if terms else f"{name} = {{}}")
        return Fraction(self.script.value(f"high(sum({name}.values()))"))


def _one_of(condition: Condition, texts: list[str]) -> str:
    if len(texts) == 1:
        return texts[0]
    return f"{'max' if condition.of is sympy.Max else 'min'}({', '.join(texts)})"


def exact_root(value: Fraction, q: int) -> Fraction | None:
    """The q-th root of a fraction >= 0, where that is a fraction."""
    (above, is_above), (below, is_below) = (
        sympy.integer_nthroot(n, q) for n in (value.numerator, value.denominator)
    )
    return Fraction(above, below) if is_above and is_below else None


def root_from_above(value: Fraction, digits: int) -> Fraction:
    """A decimal of that many digits whose square is at least the value, and hardly more."""
    n = len(str(value.numerator)) - len(str(value.denominator))
    magnitude = n if Fraction(10) ** n <= value else n - 1  # 10^magnitude <= value < 10^(magnitude + 1)
    scale = Fraction(10) ** (digits - 1 - magnitude // 2)
    return (math.isqrt(math.ceil(value * scale**2) - 1) + 1) / scale
