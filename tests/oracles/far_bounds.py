"""A theorem's bound in numbers, so far out that a logarithm can be told from a power.

With N = T or 1/eps and K = N^kappa the bound is of the order N^a K^b log^m, that is

    F(s) = log bound = (a + kappa b) s + m log s + constant + O(1/s)        where s = log N.

The values at s, 2s and 4s give both slopes. At s = 1e15 the rest is far below any tolerance; N = exp(1e15) is a number
for mpmath, whose exponents are as long as they need to be. The hyperparameters are their printed orders, then made as
small (or, where a condition is an equation, as large) as the theorem's conditions ask for, in numbers. So this is a
witness for the algebra of orders in theory/, of which it uses nothing but the order that is claimed.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import sympy

from ratecert.claims.claim import Json
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.theory.language.letters import letter
from ratecert.theory.language.statements import Condition, Corollary, Theorem
from ratecert.theory.numbers.evaluation import is_schedule
from ratecert.theory.orders.derivation import bound_to, claimed
from ratecert.verdicts.orders import claim_along, power_along

DIGITS = 60
FAR = 1e15
NOISE = {"sigma": 1.0, "sigma_f": 1.0, "sigma_H": 0.5}
START = {"Phi_gap": 1.0, "y_gap": 1.0}
CONSTANTS = {"mu": 0.5, "L_0": 1.0, "L_1": 2.0, "L_21": 0.25, "L_22": 0.125, "theta": 0.25, **NOISE, **START}
ENOUGH = 30.0  # Neumann terms per unit of the printed logarithm, so that the bias is negligible
WHOLE = ("p", "B", "T")
DISTANT = tuple(10.0**e for e in range(2, 16))  # log N

Values = dict[str, Any]


def far_slopes(corollary: str, variant: str, kappa: str, size: float = FAR) -> list[Json]:
    """a + kappa b, m and the largest term; how far they move when N is replaced by N^16. kappa: such as "1/3"."""
    edge = Fraction(kappa)
    near, far = (_slopes(corollary, variant, edge, s) for s in (size, 16 * size))
    errors = {f"{name} error": abs(far[name] - near[name]) for name in ("power", "log")}
    claim = claim_along(paper(variant).the(Corollary, corollary), edge)
    return [{"part": "evaluated", **far, **errors, **claim}]


def _slopes(corollary: str, variant: str, kappa: Fraction, size: float) -> dict[str, Any]:
    with mpmath.workdps(DIGITS):
        edge = mpmath.mpf(kappa.numerator) / kappa.denominator
        terms = [bound_terms(corollary, variant, n * size, edge * n * size) for n in (1, 2, 4)]
        one, two, four = (mpmath.log(sum(each.values())) for each in terms)
        power = ((four - two) - (two - one)) / size
        log = (2 * (two - one) - (four - two)) / mpmath.log(2)
        largest = max(terms[-1], key=lambda name: terms[-1][name])
        return {"power": float(power), "log": float(log), "leads": largest}


def far_curve(corollary: str, variant: str) -> list[Json]:
    """What is left of the bound without the power of N that is claimed, at K = 1."""
    power = power_along(claimed(paper(variant).the(Corollary, corollary).claim), Fraction(0))
    with mpmath.workdps(DIGITS):
        a = mpmath.mpf(power.numerator) / power.denominator
        points = [(s, bound_terms(corollary, variant, s, 0)) for s in DISTANT]
        rests = [(s, sum(terms.values()) * mpmath.exp(-a * s)) for s, terms in points]
        return [{"part": "distant", "log N": s, "rest": float(rest)} for s, rest in rests]


def bound_terms(corollary: str, variant: str, log_N: Any, log_K: Any) -> Values:
    """The terms of the theorem's bound at N and K."""
    source = paper(variant)
    statement = source.the(Corollary, corollary)
    theorem = source.the(Theorem, statement.theorem)
    N = mpmath.exp(log_N)
    large = {"eps": 1 / N} if "T" in statement.scalings else {"T": N}
    values: Values = {name: mpmath.mpf(value) for name, value in CONSTANTS.items()}
    values |= {"K": mpmath.exp(log_K), **large}
    values |= {name: _value(scaling.order, values) for name, scaling in statement.scalings.items()}
    values["Q"] *= ENOUGH
    values |= {name: max(values[name], mpmath.mpf(1)) for name in WHOLE if name in values}
    for name, value in source.constants.items():
        values[name] = _value(bound_to(source, value), values)
    _move_inside(theorem, values)
    return {name: _value(term, values) for name, term in theorem.terms.items()}


def _move_inside(theorem: Theorem, values: Values) -> None:
    """Each step at most what its conditions allow; once per condition, as one may depend on another."""
    conditions = [c for c in theorem.conditions.values() if c.relation != ">" and not is_schedule(c)]
    for _ in conditions:
        for condition in conditions:
            largest = _right(condition, values)
            exact = condition.relation == "="
            values[condition.name] = largest if exact else min(values[condition.name], largest)


def _right(condition: Condition, values: Mapping[str, Any]) -> Any:
    choose = max if condition.of is sympy.Max else min
    return choose(_value(clause, values) for clause in condition.clauses)


def _value(expression: Any, values: Mapping[str, Any]) -> Any:
    names, function = _compiled(sympy.sympify(expression))
    return function(*(values[name] for name in names))


@cache
def _compiled(expression: Any) -> tuple[tuple[str, ...], Any]:
    names = tuple(sorted(symbol.name for symbol in expression.free_symbols))
    return names, sympy.lambdify([letter(name) for name in names], expression, "mpmath")
