"""Devices that differ: any number of them, by what they have in common after an average.

Between averages they are independent of one another (apart.py), so that a round is a map of the moments of z, what they
have in common and what each has kept (common_space.py): at a cost linear in K, and where everything is averaged with
maps that do not grow with K.

The coordinates of a device are combinations of the algorithm's fields, the same on all devices. Where a
variance-reduced method remembers the previous point its last move x_t - x_{t-1} is one of them: with x_{t-1} itself a
momentum would change by H x_t - (1 - alpha eta^2) H x_{t-1}, where eta^2 has to survive beside 1, and every mean would
be off by a rounding over eta^2.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import Balls, doubles
from ratecert.base.errors import UserError
from ratecert.base.exact import ball, working_precision
from ratecert.base.progress import told
from ratecert.solvers.contract.draws import Switch, moves_of
from ratecert.solvers.contract.measures import Measure, sums_of
from ratecert.solvers.contract.problem import Devices, weights_of
from ratecert.solvers.contract.stage import Algorithm, Stage
from ratecert.solvers.engines.moments.additive import AdditiveMap
from ratecert.solvers.engines.moments.apart import LARGEST_TABLES, Apart, DeviceSteps, Paths
from ratecert.solvers.engines.moments.device_frames import DeviceFrames, Gathering
from ratecert.solvers.engines.moments.device_measures import DeviceMeasures
from ratecert.solvers.engines.moments.device_memory import require_memory
from ratecert.solvers.engines.moments.device_polynomials import DevicePolynomials, polynomials_of
from ratecert.solvers.engines.moments.device_readings import DeviceReadings
from ratecert.solvers.engines.moments.device_rounds import (
    FEW_STEPS,
    Ahead,
    Journey,
    additive_round,
    ahead,
    along,
    doubled,
    entered,
    journey,
    packed_round,
    stride,
    tables_of,
    together,
    walked,
)
from ratecert.solvers.engines.moments.doubling import composed
from ratecert.solvers.engines.moments.engine import LARGEST_CONGRUENCE, SMALL_MAP, Job, MomentEngine
from ratecert.solvers.engines.moments.interpreter import ASSEMBLY_BITS, Interpreter
from ratecert.solvers.engines.moments.lasting_cycle import lasting, lasting_cycle, round_change
from ratecert.solvers.engines.moments.measures import MeasureMap
from ratecert.solvers.engines.moments.measuring import measure_map, measure_map_at_0
from ratecert.solvers.engines.moments.packing import packing
from ratecert.solvers.engines.moments.round_map import AfterAverage, Linear
from ratecert.solvers.engines.moments.tables import make_tables
from ratecert.solvers.engines.moments.varying_steps import POINTS, Smooth

Array = NDArray[Any]  # of doubles or balls
LEAST_COST = 2000  # of a step of one device, however small
SHORT = 1e-5  # the shortest move for which what it moves, and what that moves, is told from a rounding
ROUNDED = 1e-13  # of the largest deviation
MOST_WALKED = 256  # steps between averages with step sizes of their own


class DifferingEngine(MomentEngine):
    """All devices of a problem."""

    rounding = (
        1e-14  # devices rest at different places, so that a drift can be the difference of large squares
    )
    largest_limit_map = 2300

    def __init__(
        self,
        problem: Devices,
        solver: Algorithm,
        measures: Mapping[str, Measure],
        *,
        odd_units: bool = False,
        certified: bool = False,
        bits: int = ASSEMBLY_BITS,
        gathering: Gathering | None = None,
        given: Mapping[str, int] | None = None,
        all_apart: bool = False,
    ) -> None:
        """With `odd_units` the numbers are others and the results the same, up to rounding.

        What is gathered of the devices knows nothing of units: a second engine can use the first one's. With
        `all_apart` each device may be in a state of its own, whatever is averaged.
        """
        self.bits, self.certified, self.odd_units = bits, certified, odd_units
        if gathering is None:
            gathering = self._gathered(problem, solver, measures, given, all_apart)
        _require_coordinates(gathering)
        with working_precision(bits):
            require_memory(gathering, _in_words(gathering))
        self.gathering, self.devices = gathering, gathering.devices
        self.interpreter = gathering.any_device
        self.weights = gathering.weights
        with working_precision(bits):
            stages = gathering.stages
            self.frames = DeviceFrames(gathering, odd_units=None if certified else odd_units)
            self.common = self.frames.space
            self._readings = DeviceReadings(gathering, self.frames, measures, certified)
            super().__init__(
                stages,
                repeats=[stage.repeats for stage in stages],
                alike=self.interpreter.alike,
                constant=self.interpreter.constant,
                has_start=self.interpreter.has_start,
                K=len(self.devices),
                size=gathering.m,
                measures=self._readings.by(measure_map),
            )
            self.collapses = [self.frames.of_average(move) for move in moves_of(stages)]
        self.maps_in_a_step = self.K
        self.has_limit = self.packing.size <= self.largest_limit_map
        self._varying: dict[int, DevicePolynomials | None] = {}
        worth = certified or self.packing.size > SMALL_MAP
        steps: list[Any] = [self.step_map(move, 1) for move in set(self.alike)]
        self.constant_noise = all(step.additive for step in steps)
        self.additive = worth and not self.drawn and self.constant_noise
        short = doubled(self.common) or max(self.repeats) <= MOST_WALKED
        self.flows_unpacked = self.additive
        self.flows = short and (self.constant_noise or tables_of(self.common) <= LARGEST_TABLES / POINTS)

    @property
    def cost_of_step(self) -> float:
        K, n, m = self.common.apart.shape
        return float(K * max(n * n * m, LEAST_COST))

    @property
    def tables_too_large(self) -> bool:
        return tables_of(self.common) > LARGEST_TABLES

    @property
    def in_words(self) -> str:
        return _in_words(self.gathering)

    @property
    def remedy(self) -> str:
        steps = "" if self.constant or max(self.repeats) <= MOST_WALKED else ", the steps between averages"
        noise = "" if self.constant_noise else ", the noise the same everywhere"
        return f"T, K{steps} or the dimensions smaller{noise}"

    @property
    def exact(self) -> bool:
        return self.measures.exact and all(device.exact for device in self.devices)

    def _gathered(
        self,
        problem: Devices,
        solver: Algorithm,
        measures: Mapping[str, Measure],
        given: Mapping[str, int] | None,
        all_apart: bool,
    ) -> Gathering:
        """Every device by its interpreter, and the deviations that z holds: those that averages leave, or all.

        A switch may leave the devices as they are, so that it takes those of the start, too.
        """
        same: dict[str, Any] = {"truth": problem, "common": True, "bits": self.bits, "given": given}
        same["running"] = sums_of(measures)
        first = Interpreter(problem.devices[0], solver, **same)
        devices = [first, *(first.on(device) for device in problem.devices[1:])]
        stages = first.solver.stages
        with working_precision(self.bits):
            identity = Balls.identity(first.layout.size)
            b, left = first.deviations_kept([move.averaged for move in moves_of(stages)])
            if all_apart or (self._switches(stages) and _starts_apart(devices, identity - b @ left)):
                b, left = identity[:, :-1], identity[:-1]
            return Gathering(devices, weights_of(problem, len(devices)), b, left, stages)

    @staticmethod
    def _switches(stages: Sequence[Stage | Switch]) -> bool:
        return any(isinstance(stage, Switch) for stage in stages)

    def start(self, point: Array) -> tuple[int, Array, Any]:
        t = 0 if self.has_start else 1
        with working_precision(self.bits):
            w = Balls.of(np.append(point, 1.0))
            frames, units = self.frames.devices, self.frames.own_units
            firsts = self.gathering.started(point, self.certified)
            places = [frame.entered(first.place, t) for first, frame in zip(firsts, frames, strict=True)]
            noise = [first.noise / (units[:, None] * units) for first in firsts]
            moments: Any = self._placed(np.stack(places), np.stack(noise))
            if self.has_start:
                gathered = moments.average(self.frames.of_nothing) if self._switches(self.stages) else moments
                return 0, self.measures.nothing, gathered
            return 1, self._rounded(self._readings.at_start(w)), self._average_at(moments, 1)

    def _placed(self, places: Array, noise: Array) -> Apart:
        """Devices at these points, with noise of their own: the 1 of z is all that they have in common."""
        common: Array = places.sum(axis=0) / len(places)
        A, B = Balls.zeros(*self.common.mean.shape), Balls.zeros(*self.common.apart.shape)
        A[:-1, -1], B[:, :, -1] = common[:-1], places - common
        S = Balls.zeros(self.packing.n, self.packing.n)
        S[-1, -1] = ball(1)
        rounded = self._rounded
        return Apart(rounded(S), Paths(self.common, rounded(A), rounded(B)), rounded(noise))

    def _rounded(self, values: Array) -> Array:
        """In doubles, if that is what the engine runs on."""
        return Balls.of(values) if self.certified else doubles(values)

    def measures_at(self, t: int) -> MeasureMap:
        if t > 0 or not self.interpreter.running:
            return self.measures
        with working_precision(self.bits):
            return self._readings.by(measure_map_at_0)

    def _step_at(self, move: int, t: float) -> Any:
        if not self.constant and not self.certified and (varying := self._polynomials(self.alike[move])):
            return varying.at(self.interpreter.etas(t))
        with working_precision(self.bits):
            steps = [device.step(move, t) for device in told(self.devices, "devices stepped")]
            if self.certified:
                return DeviceSteps.of(steps)
            framed = [s.in_frame(frame) for s, frame in zip(steps, self.frames.devices, strict=True)]
            make_tables(framed)
            return DeviceSteps.of(framed).rounded(otherwise=self.odd_units)

    def _polynomials(self, move: int) -> DevicePolynomials | None:
        """The step of a move at all t, where it can be had so."""
        if move not in self._varying:
            with working_precision(self.bits):
                self._varying[move] = polynomials_of(
                    self.devices, self.frames.devices, move, otherwise=self.odd_units
                )
        return self._varying[move]

    def _averaged(self, moments: Any, move: int) -> Any:
        return moments.average(self.collapses[move])

    def _ahead(self, move: int, t: float, n: int) -> Ahead:
        steps: Any = self.step_map(move, t)
        return ahead(steps, self.device_measures, self.common, n)

    @property
    def device_measures(self) -> DeviceMeasures:
        assert isinstance(self.measures, DeviceMeasures)
        return self.measures

    def far(self, jobs: Sequence[Job], move: int, t: float) -> list[tuple[Array, Any]]:
        done: dict[int, Iterator[tuple[Array, Any]]] = {}
        for n in {n for n, _ in jobs}:
            each: list[Any] = [moments for m, moments in jobs if m == n]
            done[n] = iter(self._ahead(move, t, n).apply(each))
        return [next(done[n]) for n, _ in jobs]

    def space(self, t: float) -> AfterAverage:
        return together(self.common)

    def packed_cycle(self, t: int) -> Linear:
        space = self.space(t)
        cycle: Linear = composed(
            [
                self.packed_stage([self._ahead(move, t, n) for move in moves], stage, space)
                for stage, (moves, n) in enumerate(zip(self.numbers, self.repeats, strict=True))
            ]
        )
        return cycle

    @cached_property
    def _lasts(self) -> NDArray[np.bool_]:
        """The coordinates of z that are more than a rounding after some cycles, from wherever they began.

        All of them where a step is so short that what it moves could be taken for a rounding.
        """
        m = self.packing.n
        lasts: NDArray[np.bool_] = np.ones(m, dtype=bool)
        if self.certified or len(self.stages) == 1 or not self.constant or self._shortest_move < SHORT:
            return lasts
        anywhere = np.cos(np.arange(1.0, 1.0 + m * m)).reshape(m, m)
        moments: Any = Apart.together(self.common, anywhere @ anywhere.T)
        while True:
            moments = self.walk(moments, self.cycle, self.cycle)[1]
            spread = np.diag(moments.S)
            if not np.isfinite(spread).all():
                return np.ones(m, dtype=bool)  # the run, which diverges, says so
            found = spread > ROUNDED**2 * spread.max()
            if (found == lasts).all():
                return lasts
            lasts = found

    @property
    def _shortest_move(self) -> float:
        """The smallest number in a step that is not zero."""
        steps: list[Any] = [self.step_map(move, 1) for move in set(self.alike)]
        sizes = np.concatenate([np.abs(step.increments).ravel() for step in steps])
        return float(sizes[sizes > 0].min(initial=1.0))

    @property
    def lasting_size(self) -> int:
        return packing(int(self._lasts.sum())).size

    def lasting_cycle(self, t: int) -> Linear:
        if self._lasts.all():
            return self.packed_cycle(t)
        rounds = [
            [round_change(self._ahead(move, t, n), self.common, self.collapses[move]) for move in moves]
            for moves, n in zip(self.numbers, self.repeats, strict=True)
        ]
        return lasting_cycle(self.stages, rounds, lasting(self.common, self._lasts))

    def cycle_map_from(self, moments: Any, t: int) -> Linear | AdditiveMap:
        spread = np.abs(np.diag(moments.S))
        begun = self.additive or spread[~self._lasts].max(initial=0.0) <= ROUNDED**2 * spread.max()
        return self.cycle_map(t) if begun else self.packed_cycle(t)

    def cycle_map(self, t: int) -> Linear | AdditiveMap:
        if not self.additive:
            return self.lasting_cycle(t)
        moves = [(i, n) for (i,), n in zip(self.numbers, self.repeats, strict=True)]
        cycle: AdditiveMap = composed(
            [additive_round(self._ahead(i, t, n), self.common, self.collapses[i]) for i, n in moves]
        )
        return cycle

    def packed_step(self, move: int, t: float) -> Journey:
        steps: Any = self.step_map(move, t)
        return journey(steps, self.device_measures, self.common)

    def _steps_over(self, times: NDArray[np.float64], move: int, n: int) -> Callable[[float], Any]:
        """Paths are walked where steps are few, or devices many."""
        if n > FEW_STEPS and doubled(self.common):
            return super()._steps_over(times, move, n)
        each = [stride(self.step_map(move, t), self.device_measures, self.common) for t in times]  # type: ignore[arg-type]
        steps = Smooth.of(times, each)
        return lambda t: walked(list(steps.at(t + np.arange(n)).each()), self.device_measures)

    def _entered(self, moments: Any, t: int) -> Any:
        return entered(moments) if self.additive else super()._entered(moments, t)

    def _left(self, z: Any, t: int) -> Any:
        return Apart.together(self.common, z.mean) if self.additive else super()._left(z, t)

    def _varying_round(self, segments: Sequence[Any], stage: int, space: AfterAverage) -> Any:
        if not self.additive:
            return super()._varying_round(segments, stage, space)
        (segment,), (move,) = segments, self.numbers[stage]
        return additive_round(along(segment), self.common, self.collapses[move])

    def packed_round(self, segment: Journey | Ahead, move: int, space: AfterAverage) -> Linear:
        return packed_round(along(segment), self.common, self.collapses[move])

    def limit_without_map(self) -> Array:
        raise UserError(f"{self.in_words} are too many for a limit; make K or d smaller.")


def _in_words(gathering: Gathering) -> str:
    K, n, m = len(gathering.devices), gathering.n, gathering.m
    return f"{K} devices that differ ({n - 1} coordinates each, {m - 1} of all after an average)"


def _require_coordinates(gathering: Gathering) -> None:
    """Before hours are spent on where so many rest: no map of them could be made."""
    if gathering.m - 1 > LARGEST_CONGRUENCE:
        raise UserError(
            f"{_in_words(gathering)} are too many for exact moments, which have at most {LARGEST_CONGRUENCE} after an "
            f"average; make K or the dimensions smaller, or use simulate."
        )


def _starts_apart(devices: Sequence[Interpreter], seen: Array) -> bool:
    """Whether the starts of devices differ, or have noise, in what is seen."""
    firsts = [device.first for device in devices]
    apart = [seen @ (first.matrix - firsts[0].matrix) for first in firsts]
    noise = [seen @ G for first in firsts for each in first.noises for _, G in each.acts]
    return any(doubles(X).any() for X in (*apart, *noise))
