"""The largest steps a theorem admits on a world, its bound there, and how that bound moves with T and K.

A theorem bounds each step by an expression in others (rho_1 by rho_2, eta by rho_1), so the largest values follow one
after the other. Steps without an upper bound (alpha and beta in Theorem 1) are 1, the largest that leave eta < 1 its
place. Slopes are local, d log bound / d log T and d log bound / d log K: with the steps held fixed, and scaled through
this point as the theorem's corollary in T says. Far from its asymptotic regime a bound has another slope than its rate.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from sympy import Integer

from ratecert.base.chart import Drawable
from ratecert.base.errors import UserError, UserTypeError
from ratecert.base.validation import Array, require_point
from ratecert.theory.notation import letter, names_of
from ratecert.theory.numbers.evaluation import (
    Bound,
    as_finite,
    binding_clause,
    evaluate,
    is_schedule,
    number,
    with_constants,
)
from ratecert.theory.orders.derivation import as_monomial
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Condition, Corollary, Theorem

DIGITS = 9  # of a step that is a fraction of the largest
STEP = 1e-4  # of log T and log K, in central differences: their error is of order 1e-8


class WithConstants(Protocol):
    """A world whose constants are known."""

    def constants(self, *, radius: float, reading: Any) -> Mapping[str, float]:
        """Those of the assumptions on the ball of this radius around (a, b)."""


class WithMinimiser(WithConstants, Protocol):
    """A world whose centre (a, b), minimiser and objective are known, too."""

    @property
    def a(self) -> Array:
        """The x of the centre."""

    @property
    def b(self) -> Array:
        """The y of the centre."""

    @property
    def x_star(self) -> Array:
        """The minimiser of Phi."""

    def y_star(self, x: Any, /) -> Any:
        """Solve the lower level at x."""

    def objective(self, x: Any, /) -> Any:
        """Compute Phi(x)."""


class Slope(NamedTuple):
    T: float
    K: float


@dataclass(frozen=True, repr=False)
class Admissible(Drawable):
    """The largest steps that a theorem admits, what keeps each from being larger, and the bound there."""

    values: Mapping[str, float]  # constants, steps and counts: what `evaluate` takes
    binding: Mapping[str, str]  # step -> the clause that keeps it from being larger
    bound: Bound
    schedule: Mapping[str, float]  # scale, offset and floor of a decaying step; empty if the step is constant
    paper: Paper

    def __repr__(self) -> str:
        return f"{repr(self.bound)[:-1]}; largest step {self.largest_eta:.6g}>"

    @cached_property
    def slopes(self) -> Mapping[str, Slope]:
        """ "fixed": steps held; where K T > 1 also "corollary-1": scaled along it, and "claim": the rate it claims."""
        return _slopes(self.paper, self.paper.the(Theorem, self.bound.theorem), self.bound.values)

    @property
    def largest_eta(self) -> float:
        """The step, or the first and largest one of a schedule."""
        if not self.schedule:
            return self.values["eta"]
        first = max(self.schedule["offset"], self.schedule["floor"])
        return self.schedule["scale"] / math.cbrt(first)


def admissible(
    theorem: str,
    world: WithMinimiser | Mapping[str, float],
    K: float,
    p: float,
    T: float,
    *,
    Q: int | None = None,
    B: float = 1,
    x0: Any = None,
    y0: Any = None,
    radius: float = math.inf,
    reading: str = "joint",
    paper: Paper,
    fixed: Mapping[str, float] | None = None,
    fractions: Mapping[str, float] | None = None,
) -> Admissible:
    """The largest steps inside the conditions of a theorem.

    `world` has `constants`, `objective`, `x_star` and `y_star`, or is a mapping of constants and gaps. The start is
    x0 = 0 and y0 = y*(x0) unless given. Without Q it is the smallest with (1 - theta mu)^(2Q+2) <= 1/(KT). `fixed`
    sets steps by name; the others are the largest that go with them, times `fractions` where they have one.
    """
    statement = paper.the(Theorem, theorem)
    if "theta" not in statement.conditions:
        raise UserError(
            f"theorem must be one with a step theta of a Neumann sum, got {theorem}; `evaluate` takes its numbers as "
            f"they are."
        )
    values = _constants(world, radius, reading) | _gaps(world, x0, y0, radius)
    values |= {"K": K, "p": p, "T": T, "B": B} | _fixed(statement, fixed or {})
    values = {name: as_finite(name, value) for name, value in values.items()}
    for name in ("K", "p", "T", "B"):
        if not values[name] >= 1:
            raise UserError(f"{name} must be a number >= 1, got {values[name]!r}.")
    values["Q"] = 0 if Q is None else as_finite("Q", Q)  # theta does not depend on it
    parts = _fractions(statement, fractions or {})
    missing = sorted((names_of(statement.conditions["theta"].right) | {"mu"}) - set(values))
    if missing:
        raise UserError(f"{theorem} needs a value for {', '.join(missing)}; give it in the mapping `world`.")
    first: dict[str, str] = {}
    if "theta" not in values:
        largest, clause = _largest(statement.conditions["theta"], values)
        values["theta"], first["theta"] = _part(parts, "theta", largest), str(clause)
    if Q is None:
        values["Q"] = enough_terms(values["theta"] * values["mu"], values["K"] * values["T"])
    values, binding = _steps(paper, statement, values, parts)
    bound = evaluate(paper, theorem, values)
    return Admissible(
        values=values,
        binding=first | binding,
        bound=bound,
        schedule=schedule(statement, bound.values),
        paper=paper,
    )


def _fixed(theorem: Theorem, fixed: Mapping[str, float]) -> dict[str, float]:
    steps = [c.name for c in theorem.conditions.values() if not is_schedule(c)]
    unknown = sorted(set(fixed) - set(steps))
    if unknown:
        raise UserError(f"fixed sets the steps {', '.join(steps)}; {unknown[0]} is not one of them.")
    return dict(fixed)


def _fractions(theorem: Theorem, fractions: Mapping[str, float]) -> Mapping[str, float]:
    """Those of steps that are free to be smaller; what an equation fixes is left alone."""
    for name, fraction in fractions.items():
        if not 0 < fraction <= 1:
            raise UserError(f"the fraction of {name} must lie in (0, 1], got {fraction!r}.")
    free = {c.name for c in theorem.conditions.values() if c.relation != "="}
    return {name: fraction for name, fraction in fractions.items() if name in free}


def enough_terms(contraction: float, size: float) -> int:
    """The smallest Q >= 1 with (1 - contraction)^(2Q+2) <= 1/size."""
    if not 0 < contraction < 1:
        return 1
    return max(1, math.ceil(math.log(size) / (-2 * math.log1p(-contraction)) - 1))


def constants_of(
    world: WithConstants | Mapping[str, float], *, radius: float, reading: str
) -> dict[str, float]:
    """Those of a world, or the mapping itself; refused where it is neither."""
    if isinstance(world, Mapping):
        return dict(world)
    if isinstance(world, type) or not hasattr(world, "constants"):
        raise UserTypeError(f"world must be a world or a mapping of its constants, got {world!r:.60}.")
    if not hasattr(world, "d_y"):
        raise UserTypeError(
            f"{type(world).__name__} has one level, and its constants are world.constants(); the paper is on two."
        )
    return dict(world.constants(radius=radius, reading=reading))


def _constants(world: WithConstants | Mapping[str, float], radius: float, reading: str) -> dict[str, float]:
    if hasattr(world, "devices"):
        raise UserError(
            "the paper's devices are alike, those of this world differ; its theorems do not apply."
        )
    return constants_of(world, radius=radius, reading=reading)


def _gaps(world: WithMinimiser | Mapping[str, float], x0: Any, y0: Any, radius: float) -> dict[str, float]:
    if isinstance(world, Mapping):
        return {}
    x = np.zeros_like(world.x_star) if x0 is None else require_point("x0", x0, len(world.a))
    y = world.y_star(x) if y0 is None else require_point("y0", y0, len(world.b))
    away = float(np.hypot(np.linalg.norm(x - world.a), np.linalg.norm(y - world.b)))
    if away > radius:
        raise UserError(
            f"radius must be >= {away:.6g}, the distance of the start from (a, b), got {radius:.6g}."
        )
    return {
        "Phi_gap": max(0.0, float(world.objective(x) - world.objective(world.x_star))),
        "y_gap": float(np.linalg.norm(y - world.y_star(x))),
    }


def _steps(
    paper: Paper, theorem: Theorem, values: Mapping[str, float], fractions: Mapping[str, float]
) -> tuple[dict[str, float], dict[str, str]]:
    """Resolve the conditions one after the other: each as soon as its right side is known."""
    values, binding = dict(values), {}
    conditions = {c.name: c for c in theorem.conditions.values() if not is_schedule(c)}
    open_ = {name: c for name, c in conditions.items() if name not in values}
    while open_:
        known = with_constants(paper, values)
        ready = [n for n, c in open_.items() if names_of(c.right) <= set(known)]
        if not ready:
            wanted = set().union(*(names_of(c.right) for c in open_.values())) - set(known) - set(open_)
            raise UserError(
                f"{theorem.id} needs a value for {', '.join(sorted(wanted))}; give it in `fixed`."
            )
        for name in ready:
            largest, clause = _largest(open_.pop(name), known)
            values[name], binding[name] = _part(fractions, name, largest), str(clause)
    return values, binding


def _part(fractions: Mapping[str, float], name: str, largest: float) -> float:
    """The largest step, or a fraction of it, down to nine digits: so that all machines go on with the same number."""
    if name not in fractions:
        return largest
    step = Decimal(fractions[name] * largest)
    return float(step.quantize(Decimal(1).scaleb(step.adjusted() - DIGITS + 1), ROUND_DOWN))


def _largest(condition: Condition, values: Mapping[str, float]) -> tuple[float, Any]:
    """The largest value inside; just below a bound that is strict, and 1 where there is only a lower one."""
    if condition.relation in (">", ">="):
        return 1.0, "none; 1 by choice"
    right, clause = binding_clause(condition, values)
    return (math.nextafter(right, 0) if condition.relation == "<" else right), clause


def schedule(theorem: Theorem, values: Mapping[str, float]) -> dict[str, float]:
    """Scale, offset and floor of eta_t = scale/max(offset + t, floor)^(1/3), read off eta_t and w_t."""
    if "w" not in theorem.conditions:
        return {}
    t, w = letter("t"), letter("w")
    clauses = theorem.conditions["w"].clauses
    offset = [c for c in clauses if "t" not in names_of(c)]
    floors = [c + t for c in clauses if "t" in names_of(c)]
    (eta,) = theorem.conditions["eta"].clauses
    scale = eta.xreplace({w + t: Integer(1)})
    return {
        "scale": number(scale, values),
        "offset": max(number(c, values) for c in offset),
        "floor": max(number(c, values) for c in floors),
    }


def _slopes(paper: Paper, theorem: Theorem, values: Mapping[str, float]) -> dict[str, Slope]:
    if not any(number(term, values) > 0 for term in theorem.terms.values()):
        return {}  # a bound of zero
    slopes = {"fixed": Slope(*(_slope(paper, theorem, values, {}, name) for name in "TK"))}
    for corollary in paper.of_kind(Corollary):
        orders = {name: s.order for name, s in corollary.scalings.items()}
        if corollary.theorem == theorem.id and "T" not in orders and _has_orders(orders, values):
            slopes[corollary.id] = Slope(*(_slope(paper, theorem, values, orders, name) for name in "TK"))
            claim = as_monomial(corollary.claim.order)
            slopes["claim"] = Slope(float(claim.exponent("T")), float(claim.exponent("K")))
    return slopes


def _has_orders(orders: Mapping[str, Any], values: Mapping[str, float]) -> bool:
    """Not where a logarithm is zero: at K T = 1 nothing can be scaled."""
    try:
        return all(number(order, values) > 0 for order in orders.values())
    except ArithmeticError:
        return False


def _slope(
    paper: Paper, theorem: Theorem, values: Mapping[str, float], orders: Mapping[str, Any], name: str
) -> float:
    """By a central difference in the logarithm; periods, batches and Q move through the reals."""
    logs = []
    for sign in (1, -1):
        moved = {**values, name: values[name] * math.exp(sign * STEP)}
        moved |= {
            n: values[n] * number(o, moved) / number(o, values) for n, o in orders.items() if n in values
        }
        inputs = with_constants(paper, {n: v for n, v in moved.items() if n not in paper.constants})
        logs.append(math.log(math.fsum(number(term, inputs) for term in theorem.terms.values())))
    return (logs[0] - logs[1]) / (2 * STEP)
