"""The limit and the transient of every measure as quotients of polynomials in eta and k = 1/K, or of their series.

A cycle of n iterations takes the moments z, without their entry 1, to z + C z + c, and sums a measure to rows z + r.
The limit z* has C z* + c = 0. From z_0, after t_0 iterations in which the measure summed to b, and over whole cycles,

    sum over t < T of E measure_t = T limit + S + exponentially small,
    limit = (rows z* + r)/n,        S = b - t_0 limit - rows C^{-1} (z_0 - z*),

because z_m - z* = (I + C)^m (z_0 - z*), whose sum over m is -C^{-1} (z_0 - z*). Both solve the same C.

Rows of C that belong to slow moments vanish faster at eta = 0. Each row is divided by its power of eta, which changes
no solution; where C then has an inverse at eta = 0, a few terms of every series are enough.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ratecert.base.arrays import Polynomials
from ratecert.base.exact import ETA, Polynomial, is_zero, polynomial
from ratecert.solvers.engines.elimination import eliminated
from ratecert.solvers.engines.moments.exchangeable import ExchangeableEngine
from ratecert.solvers.engines.moments.round_map import Linear

Row = list[Any]
Quotient = tuple[Any, Any]  # numerator, denominator
Numbers = Callable[[Polynomial], Any]  # a polynomial as what is computed with


@dataclass(frozen=True)
class Start:
    """Where whole cycles begin."""

    t: int  # t_0
    sums: Row  # b
    z: Row  # z_0


@dataclass(frozen=True)
class Cycle:
    """C, c, rows and r, with rows of C and c divided by powers of eta."""

    C: list[Row]
    c: Row
    rows: list[Row]
    r: Row
    powers: list[int]  # by which C and c were divided
    length: int  # n

    @property
    def pole(self) -> int:
        """The largest of the powers: S has no pole of a higher order, if C has an inverse at eta = 0."""
        return max(self.powers)

    def reads(self, measure: int) -> bool:
        """Whether the measure is not zero whatever the moments."""
        return not all(map(is_zero, (*self.rows[measure], self.r[measure])))


def cycle_of(cycle: Linear, length: int) -> Cycle:
    """The equations of a cycle, from the map of all moments."""
    one, C, rows = _place_of_one(cycle), Polynomials.of(cycle.C), Polynomials.of(cycle.rows)
    equations = [np.delete(row, one).tolist() for row in np.delete(C, one, axis=0)]
    c = np.delete(C[:, one], one).tolist()
    powers = [_lowest_power((*row, value)) for row, value in zip(equations, c, strict=True)]
    return Cycle(
        C=[[value / ETA**n for value in row] for row, n in zip(equations, powers, strict=True)],
        c=[value / ETA**n for value, n in zip(c, powers, strict=True)],
        rows=[np.delete(row, one).tolist() for row in rows],
        r=rows[:, one].tolist(),
        powers=powers,
        length=length,
    )


def start_of(engine: ExchangeableEngine, cycle: Linear, point: Any) -> Start:
    """The first iterations, up to the first average at the end of a cycle."""
    t, before, moments = engine.start(point)
    head = engine.cycle if t == 0 else -t % engine.cycle
    [(sums, moments)] = engine.within_cycle([(head, moments)], t, t)
    z = np.delete(cycle.enter(moments), _place_of_one(cycle))
    return Start(t + head, [polynomial(value) for value in before + sums], z.tolist())


def quotients(cycle: Cycle, start: Start | None, numbers: Numbers) -> tuple[list[Quotient], list[Quotient]]:
    """The limits, and S times eta^pole if there is a start."""
    solved = eliminated([_all(row, numbers) for row in cycle.C], numbers(ETA**0))
    z, below = solved.solution(_all(cycle.c, numbers))
    rows, n = [_all(row, numbers) for row in cycle.rows], numbers(polynomial(cycle.length))
    sums = [_read(row, z, numbers(r) * below) for row, r in zip(rows, cycle.r, strict=True)]
    limits = [(total, n * below) for total in sums]
    if start is None:
        return limits, []
    off = [
        (below * numbers(z_0) - value) * numbers(ETA ** (cycle.pole - power))
        for z_0, value, power in zip(start.z, z, cycle.powers, strict=True)
    ]
    later, _ = solved.solution(off)
    early = [
        n * below * numbers(b) - numbers(polynomial(start.t)) * x
        for b, x in zip(start.sums, sums, strict=True)
    ]
    shift = below * numbers(ETA**cycle.pole)
    return limits, [
        (_read(row, later, numbers(polynomial(0))) * n + x * shift, n * below * below)
        for row, x in zip(rows, early, strict=True)
    ]


def _read(row: Row, z: Row, r: Any) -> Any:
    """row z + r."""
    for entry, value in zip(row, z, strict=True):
        if not is_zero(entry):
            r = r + entry * value
    return r


def _all(values: Row, numbers: Numbers) -> Row:
    return [numbers(value) for value in values]


def _lowest_power(values: Sequence[Polynomial]) -> int:
    return min((int(power) for value in values for power, _ in value.coefficients()), default=0)


def _place_of_one(cycle: Linear) -> int:
    return cycle.space.mean.size - 1
