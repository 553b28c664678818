"""Exact rates: the limit of a measure as a function of the step size, expanded at eta = 0.

On a world with rational data the moments of a cycle are a linear map C whose entries are polynomials in eta and
k = 1/K. The limit z solves C z = 0 with the entry 1 where the moments hold a 1, so every measure is a quotient of two
polynomials: by Cramer's rule, of the determinants of C with and without the row that reads the measure,

    measure = det [[C, c], [rows, r]] / det C,

found by elimination without fractions (Bareiss). Its first terms,

    measure = floor + constant eta^power + ...

are fractions: what Q leaves, how fast the rest falls, and with which constant. A theorem about that world, not a fit;
it needs a limit for all small eta, which `stationary` proves for one eta at a time.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from ratecert.arithmetic.arrays import Polynomials
from ratecert.arithmetic.exact import is_zero, rational
from ratecert.arithmetic.polynomials import ETA, ONE_OVER_K
from ratecert.errors import NoLimitError, UserError
from ratecert.solvers.contract.measures import defaults
from ratecert.solvers.contract.problem import Problem, has_devices, require_problem
from ratecert.solvers.contract.result import Measures, measures_of
from ratecert.solvers.contract.schedule import Constant
from ratecert.solvers.contract.stage import Algorithm, name_of, require_algorithm
from ratecert.solvers.engines.expect import require_constant_steps
from ratecert.solvers.engines.moments.affine import with_numbers
from ratecert.solvers.engines.moments.exchangeable import ExchangeableEngine
from ratecert.solvers.engines.moments.interpreter import Interpreter
from ratecert.solvers.engines.moments.round_map import Linear

Array = NDArray[Any]  # of polynomials
K = sympy.Symbol("K", positive=True)
MOST_UNKNOWNS = 60  # second moments: elimination with more takes minutes
MOST_ORDERS = 12  # of eta that are looked through for the first term above the floor


@dataclass(frozen=True)
class Expansion:
    """floor + constant eta^power + smaller, exact; both may depend on K. power is None where nothing is above."""

    floor: sympy.Expr
    power: int | None
    constant: sympy.Expr

    def __call__(self, eta: float, devices: int) -> float:
        """The two terms at a step size and a number of devices."""
        above = 0 if self.power is None else self.constant * sympy.Rational(Fraction(eta)) ** self.power
        return float((self.floor + above).subs(K, devices))

    def __str__(self) -> str:
        if self.power is None:
            return str(self.floor)
        return f"{self.floor} + ({self.constant}) eta^{self.power}"


@dataclass(frozen=True)
class Leading(Measures):
    """The expansion of each measure."""

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} {_rounded(getattr(self, name))}" for name in self.values)
        return f"<Leading: {shown}>"


def _rounded(expansion: Expansion) -> str:
    floor, constant = (sympy.N(value, 6) for value in (expansion.floor, expansion.constant))
    return f"{floor}" if expansion.power is None else f"{floor} + ({constant}) eta^{expansion.power}"


@dataclass(frozen=True)
class Unknown:
    """The step size as a symbol; its given value stands in where it is only checked."""

    value: Any

    constant_until = float("inf")

    @property
    def largest(self) -> Any:
        return self.value

    def __call__(self, t: float) -> Any:
        return ETA


class Reciprocal:
    """K as one over the symbol k: what is divided by it is multiplied by k."""

    def __rtruediv__(self, value: Any) -> Any:
        return ONE_OVER_K * value


def leading(problem: Problem, solver: Algorithm) -> Leading:
    """Expand the limits of the measures at eta = 0, for any number of devices K: floor, power of eta, constant.

    problem  a quadratic world with devices that are alike, of one or two dimensions
    solver   an algorithm whose step sizes are multiples of one constant `eta`, with a small period

    >>> import ratecert as rc
    >>> world = rc.worlds.Quadratic(A=1.0, B=0.5, P=1.0, D=1.0, s_f=0.5, s_g=0.5)
    >>> steps = dict(alpha=10.0, beta=10.0, rho_1=0.25, rho_2=2.0, p=1, theta=0.25, Q=0)
    >>> found = rc.leading(world, rc.methods.LocalBSGM(eta=0.001, **steps))
    >>> print(found.gradient)
    0 + (20371425/(427261952*K)) eta^1
    """
    require_problem(problem)
    require_algorithm(solver)
    solver.check(problem)
    require_constant_steps("leading", solver)
    if has_devices(problem):
        raise UserError(
            "leading needs devices that are alike; expand one of problem.devices, or use stationary."
        )
    eta = getattr(solver, "eta", None)
    if not isinstance(eta, Constant):
        raise UserError(f"leading expands in the step size eta, and {name_of(solver)} has no constant eta.")
    unknown = replace(with_numbers(solver, rational), eta=Unknown(rational(eta.eta)))
    interpreter = Interpreter(problem, unknown, probed=True, numbers=Polynomials)
    read = defaults(problem)
    engine = ExchangeableEngine(problem, unknown, Reciprocal(), read, certified=True, interpreter=interpreter)  # type: ignore[arg-type]
    if engine.packing.size > MOST_UNKNOWNS:
        raise UserError(f"leading: {engine.packing.size} second moments are too many; make d smaller.")
    quotients = _quotients(engine.packed_cycle(1), engine.cycle)
    return Leading(measures_of(read, (_expanded(*quotient) for quotient in quotients)).values)


def _quotients(cycle: Linear, length: int) -> Iterator[tuple[Any, Any]]:
    """(numerator, denominator) of each measure."""
    one = cycle.space.mean.size - 1
    others = np.delete(np.arange(len(cycle.C)), one)
    equations = np.column_stack([cycle.C[np.ix_(others, others)], cycle.C[others, one]])
    readings = np.column_stack([cycle.rows[:, others], cycle.rows[:, one]])
    minors, determinant = _bordered_minors(np.asarray(equations), np.asarray(readings))
    for minor in minors:
        yield minor, determinant * length


def _bordered_minors(equations: Array, readings: Array) -> tuple[list[Any], Any]:
    """By elimination without fractions: the determinants with each reading as the last row, and the one without."""
    n = len(equations)
    rows = [list(row) for row in (*equations, *readings)]
    previous: Any = ETA**0
    for i in range(n):
        pivot = next((j for j in range(i, n) if not is_zero(rows[j][i])), None)
        if pivot is None:
            raise NoLimitError(
                "leading: the second moments have no limit of their own; use expect with a start."
            )
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for j in range(i + 1, len(rows)):
            first = rows[j][i]
            rows[j] = [
                (rows[i][i] * value - first * above) / previous if column > i else value
                for column, (value, above) in enumerate(zip(rows[j], rows[i], strict=True))
            ]
        previous = rows[i][i]
    return [row[n] for row in rows[n:]], previous


def _expanded(numerator: Any, denominator: Any) -> Expansion:
    """The first two terms at eta = 0."""
    above, below = _in_eta(numerator), _in_eta(denominator)
    lowest = min(below)
    if above and min(above) < lowest:
        raise NoLimitError("leading: a measure grows without bound as eta tends to zero.")
    coefficients: list[Any] = []
    for order in range(MOST_ORDERS):
        known = sum(coefficients[i] * below.get(lowest + order - i, 0) for i in range(order))
        term = sympy.cancel((above.get(lowest + order, 0) - known) / below[lowest])
        coefficients.append(term)
        if order > 0 and term != 0:
            return Expansion(_in_K(coefficients[0]), order, _in_K(term))
    return Expansion(_in_K(coefficients[0]), None, sympy.Integer(0))


def _in_eta(value: Any) -> dict[int, Any]:
    """The coefficients of the powers of eta, as polynomials in k."""
    parts: dict[int, Any] = {}
    for (power, in_k), c in value.coefficients().items():
        term = sympy.Rational(int(c.p), int(c.q)) * _k**in_k
        parts[power] = parts.get(power, 0) + term
    return parts


_k = sympy.Symbol("k", positive=True)


def _in_K(value: Any) -> sympy.Expr:
    return sympy.cancel(sympy.sympify(value).subs(_k, 1 / K))
