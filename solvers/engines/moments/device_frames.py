"""Where devices that differ are seen from: z and every device from where the mean cycle rests, each in its units.

Without frames, as for balls, the origin is 0 and all units are 1. Everything here is in exact numbers until it is
rounded, once, to doubles.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import Balls, doubles, identity_like, summed
from ratecert.base.exact import ball
from ratecert.base.progress import told
from ratecert.solvers.contract.draws import Switch, moves_of
from ratecert.solvers.contract.stage import Stage
from ratecert.solvers.engines.moments.common_space import Collapse, CommonSpace
from ratecert.solvers.engines.moments.doubling import power
from ratecert.solvers.engines.moments.frame import Frame, resting_point, units_of
from ratecert.solvers.engines.moments.interpreter import Interpreter
from ratecert.solvers.engines.moments.mean_cycle import Increment
from ratecert.solvers.engines.moments.step_map import StepMap
from ratecert.solvers.engines.moments.tables import make_tables

Array = NDArray[Any]  # of doubles or balls


@dataclass(frozen=True)
class First:
    """The first step of a device from a point: where it leads in the mean, and the covariance of its noise."""

    place: Array
    noise: Array


@dataclass(frozen=True)
class Gathering:
    """What z is made of: the devices, their weights, and (b, left) of the deviations that it holds; and a cycle."""

    devices: Sequence[Interpreter]
    weights: Sequence[Fraction]
    b: Array
    left: Array
    stages: Sequence[Stage | Switch]
    _started: dict[tuple[float | bool, ...], list[First]] = field(default_factory=dict)

    def started(self, point: NDArray[np.float64], certified: bool) -> list[First]:
        """The first step of every device; remembered, because engines in other units begin at the same point.

        The noise is that of balls where it is certified, else that of doubles, of all devices together.
        """
        key = (*point.tolist(), certified)
        if key not in self._started:
            w = Balls.of(np.append(point, 1.0))
            firsts = [device.first for device in told(self.devices, "devices started")]
            noise = (
                [first.injection(w[:, None] * w) for first in firsts] if certified else _noise_at(w, firsts)
            )
            self._started[key] = [First(f.matrix @ w, own) for f, own in zip(firsts, noise, strict=True)]
        return self._started[key]

    @property
    def any_device(self) -> Interpreter:
        return self.devices[0]

    @property
    def n(self) -> int:
        return len(self.b)

    @property
    def m(self) -> int:
        return int(self.n + len(self.turn) * self.b.shape[1])

    def block(self, i: int) -> slice:
        """The place of c_{i+1} in z."""
        kept = self.b.shape[1]
        return slice(self.n - 1 + i * kept, self.n - 1 + (i + 1) * kept)

    @cached_property
    def roots(self) -> list[Any]:
        return [ball(p).sqrt() for p in self.weights]

    @cached_property
    def H(self) -> Array:
        """Where z holds no deviations only its first row is needed."""
        return rotation(self.roots) if self.b.shape[1] else Balls.of([self.roots])

    @cached_property
    def turn(self) -> Array:
        """(K - 1, K), H_ik / sqrt(p_k) for i > 0."""
        turn: Array = self.H[1:] / np.array(self.roots, dtype=object)
        return turn

    def shares(self, own: Array) -> Array:
        """(K, m, n): what z takes of each device, of its deviations what `own` takes."""
        share = Balls.zeros(len(self.weights), self.m, self.n)
        for k, p in enumerate(self.weights):
            share[k, : self.n - 1, : self.n - 1] = ball(p) * Balls.identity(self.n - 1)
            for i in range(len(self.turn)):
                share[k, self.block(i)] = self.turn[i, k] * ball(p) * own
        return share

    def collapse(self, move: Stage) -> Collapse:
        """The average of a move."""
        own = self.left @ self.any_device.kept_by_average(move.averaged)
        fixed = Balls.zeros(self.m, self.m)
        for i in range(len(self.turn)):
            fixed[self.block(i), self.block(i)] = own @ self.b - Balls.identity(self.b.shape[1])
        if move.drawn is None:
            return Collapse(self.shares(own), fixed)
        taken = Balls.zeros(self.m, self.n)
        taken[: self.n - 1] = self.any_device.taken_by_average(move.averaged)[:-1]
        return Collapse(self.shares(own), fixed, (ball(move.drawn.spread(len(self.weights))), taken))

    def begins(self) -> Array:
        """(K, n, m): w_k from z."""
        ways = Balls.zeros(len(self.weights), self.n, self.m)
        ways[:, : self.n - 1, : self.n - 1] = Balls.identity(self.n - 1)
        ways[:, -1, -1] = ball(1)
        for i in range(len(self.turn)):
            for k in range(len(self.weights)):
                ways[k, :, self.block(i)] = self.turn[i, k] * self.b
        return ways

    @cached_property
    def resting(self) -> Array:
        """z where the mean cycle rests, in exact numbers; sums over iterates, which never do, at 0."""
        moves, ways = moves_of(self.stages), self.begins()
        changes = [self._mean_change(i, move, ways) for i, move in enumerate(moves)]
        total, number = Increment(0 * changes[0]), 0
        with np.errstate(over="ignore", invalid="ignore"):
            for stage in self.stages:
                own = changes[number : number + len(moves_of([stage]))]
                total = total.then(Increment(stage.expected(own) if isinstance(stage, Switch) else own[0]))
                number += len(own)
        still = self._at_zero(moves[-1])
        rows = np.flatnonzero(~np.append(still, False))
        centre = Balls.zeros(self.m - 1)
        centre[~still] = resting_point(total.D[np.ix_(rows, rows)])
        return centre

    def _mean_change(self, i: int, move: Stage, ways: Array) -> Array:
        """What the steps of a move and its average change of z in the mean, all devices in one product."""
        collapse = self.collapse(move)
        each = list(zip(self.devices, ways, strict=True))
        moved = [
            power(Increment(device.step(i, 1).matrix), move.repeats).D @ way
            for device, way in told(each, "devices read")
        ]
        change: Array = collapse.fixed + np.hstack(list(collapse.share)) @ np.vstack(moved)
        return change

    def _at_zero(self, last: Stage) -> NDArray[np.bool_]:
        """Sums over iterates, and deviations of what is averaged at the end of a cycle."""
        still = np.zeros(self.m - 1, dtype=bool)
        for name in self.any_device.running.values():
            still[self.any_device.layout.slices[name]] = True
        kept = doubles(self.left @ self.any_device.kept_by_average(last.averaged) @ self.b)
        for i in range(len(self.turn)):
            still[self.block(i)] = ~kept.any(axis=1)
        return still


class DeviceFrames:
    """The frame of z, that of the mean, and those of the devices; and z's space seen from them."""

    def __init__(self, gathering: Gathering, odd_units: bool | None) -> None:
        """With None: no frames."""
        self.gathering = gathering
        n, m = gathering.n, gathering.m
        self.framed = odd_units is not None
        self.centre = Balls.zeros(m - 1) if odd_units is None else gathering.resting
        self.units = np.ones(m) if odd_units is None else units_of(m, odd_units)
        self.own_units = np.append(self.units[: n - 1], 1.0)
        rest = summed([Balls.zeros(len(gathering.weights), n), *map(self._rest, range(len(gathering.turn)))])
        self.mean = self._frame(self.centre[: n - 1])
        self.devices = [self._frame(self.centre[: n - 1] + own[:-1]) for own in rest]
        for each, name in gathering.any_device.running.items():
            block = gathering.any_device.layout.slices[name]
            rest[:, block] = np.stack([self._field(each.field, own[:-1]) for own in rest])
        ways = gathering.begins()
        mean = ways[0].copy()
        mean[:, n - 1 : -1] = ball(0)
        apart = (ways - mean) * self.units / self.own_units[:, None]
        lift = Balls.zeros(m, n)
        lift[: n - 1, : n - 1] = Balls.identity(n - 1)
        weights, shares = (
            np.array([ball(each) for each in numbers], dtype=object).view(Balls)
            for numbers in (gathering.weights, [p * (1 - p) for p in gathering.weights])
        )
        space = CommonSpace(weights, shares, mean, apart, rest / self.own_units, lift)
        self.space = space.rounded() if self.framed else space

    def _rest(self, i: int) -> Array:
        """What c_{i+1} makes of the devices where the mean cycle rests."""
        at_rest = self.gathering.b @ self.centre[self.gathering.block(i)]
        rest: Array = self.gathering.turn[i][:, None] * at_rest
        return rest

    def _frame(self, centre: Array) -> Frame:
        """Sums over iterates move with the centre of what they sum."""
        device, centre = self.gathering.any_device, centre.copy()
        moving = np.zeros(len(centre), dtype=bool)
        for each, name in device.running.items():
            centre[device.layout.slices[name]] = self._field(each.field, centre)
            moving[device.layout.slices[name]] = True
        return Frame(centre, self.own_units, moving if device.running else None, device.first_counts)

    def _field(self, field: str, w: Array) -> Array:
        """A field of the algorithm where its coordinates are w."""
        layout, into = self.gathering.any_device.fields
        fields: Array = w if into is None else into[:-1, :-1] @ w
        return fields[layout.slices[field]]

    def of_average(self, move: Stage) -> Collapse:
        """What an average does, seen from the frames."""
        return self._seen(self.gathering.collapse(move))

    @property
    def of_nothing(self) -> Collapse:
        """Devices of which no average has taken anything, as z."""
        share = self.gathering.shares(self.gathering.left)
        return self._seen(Collapse(share, 0 * identity_like(share, self.gathering.m)))

    def _seen(self, collapse: Collapse) -> Collapse:
        if not self.framed:
            return collapse
        to, drawn = self.units[:, None], collapse.drawn
        if drawn is not None:
            drawn = float(drawn[0]), doubles(drawn[1] * self.own_units / to)
        fixed = Frame(self.centre, self.units).read(collapse.fixed) / to
        return Collapse(doubles(collapse.share * self.own_units / to), doubles(fixed), drawn)


def rotation(roots: Sequence[Any]) -> Array:
    """An orthogonal matrix, to the working precision, with this first row, a unit vector of positive numbers.

    Helmert's: row i is orthogonal to the first one by its last entry, and has nothing beyond.
    """
    K = len(roots)
    H = Balls.zeros(K, K)
    H[0] = Balls.of(list(roots))
    for i in range(1, K):
        before = summed(r * r for r in roots[:i])
        size = (before * (before + roots[i] * roots[i])).sqrt()
        H[i, :i] = [r * roots[i] / size for r in roots[:i]]
        H[i, i] = -before / size
    return H


def _noise_at(w: Array, firsts: Sequence[StepMap]) -> list[Array]:
    """What the samples of each device's first step add at the point w, in doubles: it is the origin there."""
    here = [replace(f, noises=tuple(noise.around(w) for noise in f.noises)) for f in firsts]
    make_tables(here)
    origin = np.zeros((len(w), len(w)))
    origin[-1, -1] = 1.0
    return [step.rounded().injection(origin) for step in here]
