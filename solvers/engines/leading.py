"""Exact rates: the limit of a measure as a function of the step size, expanded at eta = 0, and what the start adds.

On a world with rational data the moments of a cycle are a linear map whose entries are polynomials in eta and k = 1/K.
Every limit is a quotient of two polynomials, and its first terms,

    measure = floor + constant eta^power + ...

are fractions: what Q leaves, how fast the rest falls, and with which constant. From a start the mean over t < T is

    limit + S/T + exponentially small,        S = sum over t of (E measure_t - limit),

where S is such a quotient as well, with a pole at eta = 0: what begins at a distance takes 1/eta iterations to arrive.
Along a corollary eta is tied to T, and both parts together give the constant in front of its rate. Theorems about that
world, not fits; they need a limit for all small eta, which `stationary` proves for one eta at a time.

With p > 1 this is so where T is a whole number of rounds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike

from ratecert.base.arrays import Polynomials
from ratecert.base.errors import NoLimitError, UserError
from ratecert.base.exact import ETA, ONE_OVER_K, rational
from ratecert.base.validation import require_point, require_whole
from ratecert.solvers.contract.draws import Choice, is_drawn, moves_of
from ratecert.solvers.contract.measures import defaults
from ratecert.solvers.contract.problem import Problem, has_devices, require_two_levels
from ratecert.solvers.contract.result import Measures, measures_of
from ratecert.solvers.contract.schedule import Constant
from ratecert.solvers.contract.stage import Algorithm, name_of, require_algorithm
from ratecert.solvers.engines.expansion import Expansion, limit_of, transient_of
from ratecert.solvers.engines.expect import require_constant_steps
from ratecert.solvers.engines.experiment import require_room
from ratecert.solvers.engines.moments.affine import with_numbers
from ratecert.solvers.engines.moments.exchangeable import ExchangeableEngine
from ratecert.solvers.engines.moments.interpreter import Interpreter
from ratecert.solvers.engines.moments.unrounded import Unrounded
from ratecert.solvers.engines.quotients import Cycle, Numbers, Start, cycle_of, quotients, start_of
from ratecert.solvers.engines.series import series

MOST_UNKNOWNS = 60  # second moments: elimination with more takes minutes
FEW_ORDERS, MOST_ORDERS = 5, 12  # of eta that are looked through for the first term above the floor
LIMIT_TERMS, TRANSIENT_TERMS = 3, 4  # that are kept


@dataclass(frozen=True)
class Leading(Measures):
    """The expansion of each measure's limit and, from a start, of its transient S."""

    transient: Measures | None = None

    def tells(self, measure: str) -> bool:
        """Whether a term of the measure was found, above the floor of its limit and in its transient."""
        kinds = (self,) if self.transient is None else (self, self.transient)
        return all(getattr(kind, measure).terms for kind in kinds)

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


def leading(
    problem: Problem,
    solver: Algorithm,
    *,
    K: int | None = None,
    x0: ArrayLike | None = None,
    y0: ArrayLike | None = None,
) -> Leading:
    """Expand what `stationary` gives in powers of a small step size eta: for each measure floor + constant eta^power.

    Floors and constants are exact fractions. From a start, the transients are expanded, too.

    problem  a quadratic world with devices that are alike, of one or two dimensions
    solver   an algorithm whose step sizes are multiples of one constant `eta`, with a small period
    K        the number of devices; by default a letter, and the constants are functions of it
    x0, y0   where all devices start; with them `transient` has S, the sum over t of what a measure is above its limit

    >>> import ratecert as rc
    >>> world = rc.worlds.Quadratic(A=1.0, B=0.5, P=1.0, D=1.0, s_f=0.5, s_g=0.5)
    >>> steps = dict(alpha=10.0, beta=10.0, rho_1=0.25, rho_2=2.0, p=1, theta=0.25, Q=0)
    >>> found = rc.leading(world, rc.methods.LocalBSGM(eta=0.001, **steps), x0=1.0, y0=0.5)
    >>> print(found.gradient)
    0 + (20371425/(427261952*K)) eta^1
    >>> print(found.transient.gradient)
    0 + ((4862258489*K + 814857)/(1709047808*K)) eta^-1
    """
    cycle, start = _equations(problem, solver, K, x0, y0)
    names = tuple(defaults(problem))
    for orders in (FEW_ORDERS, MOST_ORDERS):
        try:
            found = _expanded(names, cycle, start, partial(series, length=orders), orders)
        except np.linalg.LinAlgError:
            return _from_polynomials(names, cycle, start)
        if all(found.tells(name) or not cycle.reads(i) for i, name in enumerate(found.values)):
            break
    return found


def _equations(
    problem: Problem, solver: Algorithm, K: int | None, x0: ArrayLike | None, y0: ArrayLike | None
) -> tuple[Cycle, Start | None]:
    """The equations of a cycle and where they begin, or one sentence on why there are none."""
    require_two_levels("leading", problem)
    require_room(problem, solver)
    require_algorithm(solver)
    solver.check(problem)
    require_constant_steps("leading", solver)
    if has_devices(problem):
        raise UserError(
            "leading needs devices that are alike; expand one of problem.devices, or use stationary."
        )
    if is_drawn(solver.stages) or any(isinstance(move.step, Choice) for move in moves_of(solver.stages)):
        raise UserError(
            f"leading expands steps that are all made, and {name_of(solver)} draws which; use stationary."
        )
    eta = getattr(solver, "eta", None)
    if not isinstance(eta, Constant):
        raise UserError(f"leading expands in the step size eta, and {name_of(solver)} has no constant eta.")
    if (x0 is None) != (y0 is None):
        raise UserError(f"leading starts from x0 and y0, or from neither, got x0 = {x0!r} and y0 = {y0!r}.")
    devices: Any = Reciprocal() if K is None else require_whole("K", K, least=1)
    point = None
    if x0 is not None:
        point = np.concatenate([require_point("x0", x0, problem.d_x), require_point("y0", y0, problem.d_y)])
    unknown = replace(with_numbers(solver, rational), eta=Unknown(rational(eta.eta)))
    interpreter = Interpreter(problem, unknown, probed=True, numbers=Polynomials)
    engine = ExchangeableEngine(Unrounded(interpreter, devices, defaults(problem)), certified=True)
    if engine.packing.size > MOST_UNKNOWNS:
        raise UserError(f"leading: {engine.packing.size} second moments are too many; make d smaller.")
    cycle = engine.packed_cycle(1)
    return cycle_of(cycle, engine.cycle), None if point is None else start_of(engine, cycle, point)


def _from_polynomials(names: Sequence[str], cycle: Cycle, start: Start | None) -> Leading:
    """Expand quotients of whole polynomials, where the equations have no solution at eta = 0 itself."""
    try:
        return _expanded(names, cycle, start, lambda value: value, MOST_ORDERS)
    except np.linalg.LinAlgError as error:
        raise NoLimitError(
            "leading: the second moments have no limit of their own; use expect with a start."
        ) from error


def _expanded(
    names: Sequence[str], cycle: Cycle, start: Start | None, numbers: Numbers, orders: int
) -> Leading:
    limits, transients = quotients(cycle, start, numbers)
    found = measures_of(names, (limit_of(*each, orders=orders, terms=LIMIT_TERMS) for each in limits))
    if start is None:
        return Leading(found.values)
    pole = cycle.pole
    later = (transient_of(*each, pole=pole, orders=orders, terms=TRANSIENT_TERMS) for each in transients)
    return Leading(found.values, transient=measures_of(names, later))
