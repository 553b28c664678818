"""Devices that differ: the second moments of all devices together.

The coordinates of the K devices, with weights p_k of sum 1, are turned by an orthogonal K x K matrix H whose first row
is sqrt(p_k),

    w'_i = sum_k H_ik sqrt(p_k) w_k,      w'_0 = wbar = sum_k p_k w_k,      w'_1, ..., w'_{K-1}: deviations from it,

so that a small drift is not a difference of large numbers. On (w'_0, ..., w'_{K-1}, 1) a step is one step with many
noises, an average leaves w'_0 alone and takes the averaged fields out of the deviations, and everything is as for one
device with K times the coordinates. That is exact and costs (K d)^6 for a long run.

Where an average is over drawn devices, w'_0 is sum_k c_k w_k with the random shares c_k of mean p_k. Their covariance
is a sum of squares, c sum_k p_k (e_k - p)(e_k - p)', so what drawing adds is a square for each device, of w_k - wbar.

The coordinates w_k are combinations of the algorithm's fields, the same on all devices. Where a variance-reduced method
remembers the previous point its last move x_t - x_{t-1} is one of them: with x_{t-1} itself a momentum would change by
H x_t - (1 - alpha eta^2) H x_{t-1}, where eta^2 has to survive beside 1, and every mean would be off by a rounding over
eta^2.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.arithmetic.arrays import Balls, doubles, identity_like, like, summed
from ratecert.arithmetic.exact import ball, working_precision
from ratecert.errors import UserError
from ratecert.solvers.contract.draws import Switch, moves_of
from ratecert.solvers.contract.measures import Form, Measure, sums_of
from ratecert.solvers.contract.problem import Devices, weights_of
from ratecert.solvers.contract.stage import Algorithm, Stage
from ratecert.solvers.engines.moments.device_moments import DeviceMoments, after_first
from ratecert.solvers.engines.moments.doubling import power
from ratecert.solvers.engines.moments.engine import MomentEngine
from ratecert.solvers.engines.moments.frame import Frame, resting_point, units_of
from ratecert.solvers.engines.moments.interpreter import ASSEMBLY_BITS, Interpreter
from ratecert.solvers.engines.moments.mean_cycle import mean_cycle
from ratecert.solvers.engines.moments.measures import MeasureMap, Term
from ratecert.solvers.engines.moments.measuring import measure_map, measure_map_at_0, measure_map_of_start
from ratecert.solvers.engines.moments.round_map import AfterAverage, Linear, switched
from ratecert.solvers.engines.moments.step_map import StepMap, StepNoise

Array = NDArray[Any]  # of doubles or balls


class JointEngine(MomentEngine):
    """All devices of a problem as one device with all their coordinates."""

    rounding = (
        1e-14  # devices rest at different places, so that a drift can be the difference of large squares
    )
    flows = False
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
        devices: list[Interpreter] | None = None,
        given: Mapping[str, int] | None = None,
    ) -> None:
        """With `odd_units` the numbers are others and the results the same, up to rounding.

        Interpreters of the devices know nothing of units: a second engine can use the first one's.
        """
        self._measures = measures
        self.bits, self.certified = bits, certified
        running = sums_of(measures)
        self.devices = devices or [
            Interpreter(
                device,
                solver,
                truth=problem,
                common=True,
                probed=k > 0,
                bits=bits,
                given=given,
                running=running,
            )
            for k, device in enumerate(problem.devices)
        ]
        self.interpreter = self.devices[0]
        self.layout = self.interpreter.layout
        self.n = self.layout.size - 1
        with working_precision(bits):
            stages = self.interpreter.solver.stages
            self.weights = weights_of(problem, len(self.devices))
            self.roots = [ball(p).sqrt() for p in self.weights]
            self.H = rotation(self.roots)
            averages = [self._average(move) for move in moves_of(stages)]
            self.frame = None if certified else self._frame(stages, [a.A for a in averages], odd_units)
            read = self._in_turned_coordinates(measures)
            super().__init__(
                stages,
                repeats=[stage.repeats for stage in stages],
                alike=self.interpreter.alike,
                constant=self.interpreter.constant,
                has_start=self.interpreter.has_start,
                K=1,
                size=len(self.devices) * self.n + 1,
                measures=read.in_frame(self.frame).rounded() if self.frame else read,
            )
            self.averages = [self._in_frame(average) for average in averages]

    @property
    def exact(self) -> bool:
        return self.measures.exact and all(device.exact for device in self.devices)

    def _frame(self, stages: Sequence[Stage | Switch], averages: Sequence[Array], odd_units: bool) -> Frame:
        """Centred where the mean cycle rests; sums over iterates move with the centre of what they sum."""
        K, layout = len(self.devices), self.layout
        moving = np.zeros(self.n, dtype=bool)
        for name in self.interpreter.running.values():
            moving[layout.slices[name]] = True
        everywhere = np.tile(moving, K)
        own = np.flatnonzero(~np.append(everywhere, False))
        centre = Balls.zeros(K * self.n)
        centre[~everywhere] = resting_point(self._mean_cycle(stages, averages)[np.ix_(own, own)])
        averaged_last = ~doubles(averages[-1]).any(axis=1)[:-1]
        centre[averaged_last] = 0  # it has no deviations at all
        for block in centre.reshape(K, self.n):
            for each, name in self.interpreter.running.items():
                block[layout.slices[name]] = self._field(each.field, block)
        first = np.tile(self.interpreter.first_counts, K)
        return Frame(
            centre, units_of(len(centre) + 1, odd_units), everywhere if moving.any() else None, first
        )

    def _field(self, field: str, w: Array) -> Array:
        """A field of the algorithm where its coordinates are w."""
        layout, into = self.interpreter.fields
        fields: Array = w if into is None else into[:-1, :-1] @ w
        return fields[layout.slices[field]]

    def _in_frame(self, average: "Average") -> "Average":
        """The matrices of an average in the frame's coordinates."""
        if self.frame is None:
            return average
        identity = identity_like(average.A, len(average.A))
        moved: Array = doubles(self.frame.increment(average.A - identity) + identity)
        return Average(moved, [(float(c), doubles(self.frame.increment(N))) for c, N in average.drawn])

    def start(self, point: Array) -> tuple[int, Array, DeviceMoments]:
        K = len(self.devices)
        with working_precision(self.bits):
            w = Balls.of(np.append(point, 1.0))
            begin = Balls.zeros(K * (len(w) - 1) + 1)
            begin[: len(w) - 1], begin[-1] = w[:-1], w[-1]
            first = self._together([device.first for device in self.devices])
            moments = after_first(first, begin, self.frame, 1, 0 if self.has_start else 1)
            moments = moments.rounded() if self.frame else moments
            if self.has_start:
                return 0, self.measures.nothing, moments
            at_0 = summed(
                measure_map_of_start(device, self._seen_from(k), K).at(w)
                for k, device in enumerate(self.devices)
            )
            return 1, doubles(at_0) if self.frame else at_0, self._average_at(moments, 1)

    def _seen_from(self, k: int) -> dict[str, Measure]:
        """The part of each measure that is read of device k, where all devices are at one point."""

        def share(form: Form) -> Fraction:
            return self.weights[k] if form.device is None else Fraction(int(form.device == k))

        return {
            name: replace(m, forms=tuple((Fraction(c) * share(form), form) for c, form in m.forms))
            for name, m in self._measures.items()
        }

    def _step_at(self, move: int, t: float) -> StepMap:
        with working_precision(self.bits):
            step = self._together([device.step(move, t) for device in self.devices])
            return step.in_frame(self.frame).rounded() if self.frame else step

    def packed_cycle(self, t: int) -> Linear:
        total: Linear | None = None
        for stage, numbers, n in zip(self.stages, self.numbers, self.repeats, strict=True):
            moves = [self._round(move, t, n) for move in numbers]
            linear = switched(stage, moves) if isinstance(stage, Switch) else moves[0]
            total = linear if total is None else total.then(linear)
        assert total is not None
        return total

    def _round(self, move: int, t: int, n: int) -> Linear:
        """n steps of a move, and the average after them."""
        step, rows = self.step_map(move, t), self.packing.weights(self.measures.summed_mean)
        basis = like(self.packing.basis, step.matrix)
        C = self.packing.pack(step.mean_change(basis) + step.injection(basis)).T
        steps: Linear = power(Linear(self.space(t), C, rows), n)
        change = self.packing.pack(self.averages[move].of(basis) - basis).T
        return steps.then(Linear(self.space(t), change, 0 * rows))

    def space(self, t: float) -> AfterAverage:
        size = self.packing.n
        nothing, identity = np.zeros((size, 0)), identity_like(self.measures.summed_mean, size)
        return AfterAverage(nothing, nothing.T, np.arange(size), identity)

    def flow(self, moments: DeviceMoments, t: int, n: int, ratio: float) -> tuple[Array, DeviceMoments]:
        """Step by step: a map of all devices at every point of an interval costs too much."""
        return self.walk(moments, t, n)

    def limit_without_map(self) -> Array:
        raise UserError(
            f"{self.packing.n - 1} coordinates of devices that differ are too many; make K or d smaller."
        )

    def _averaged(self, moments: DeviceMoments, move: int) -> DeviceMoments:
        return DeviceMoments(self.averages[move].of(moments.mean), np.zeros_like(moments.within))

    def made_by_start(self) -> NDArray[np.float64]:
        """The deviations that the method's start makes of those of x (and y), as columns in the frame's coordinates."""
        assert self.frame is not None
        if not self.has_start:
            raise UserError("the method has no start of its own, so that its states are x (and y) alone.")
        with working_precision(self.bits):
            start = doubles(self._together([device.first for device in self.devices]).matrix)
        columns: NDArray[np.float64] = start[:-1, :-1] / self.frame.units[:-1, None]
        short = (doubles(self.frame.centre) - start[:-1, -1]) / self.frame.units[:-1]
        missed = short - columns @ np.linalg.lstsq(columns, short, rcond=None)[0]
        if np.abs(missed).max(initial=0.0) > 1e-9 * (1 + np.abs(short).max(initial=0.0)):
            raise UserError(
                "the method rests in a state that its start makes of no x (and y), so that these are not all that "
                'matter; use states="all".'
            )
        return columns

    def fields_of(self, w: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """A deviation w' in the frame's coordinates as one of all fields, (K, d) each."""
        assert self.frame is not None
        K, layout = len(self.devices), self.interpreter.fields[0]
        H = doubles(self.H) / np.array([float(root) for root in self.roots])
        own = H.T @ (w * self.frame.units[:-1]).reshape(K, self.n)
        into = self.interpreter.fields[1]
        values = own if into is None else own @ doubles(into)[:-1, :-1].T
        return {name: values[:, layout.slices[name]] for name in layout.dimensions}

    def _together(self, steps: list[StepMap]) -> StepMap:
        """The devices' steps as one step of the turned coordinates."""
        H, K = self.H, len(steps)
        rows, columns = (n - 1 for n in steps[0].matrix.shape)
        common: Array = summed(s.matrix for s in steps) / K
        own = [s.matrix - common for s in steps]
        matrix = Balls.zeros(K * rows + 1, K * columns + 1)
        for i in range(K):
            block = slice(i * rows, (i + 1) * rows)
            for j in range(K):
                turned = sum(H[i, k] * H[j, k] * own[k][:-1, :-1] for k in range(K))
                here = common[:-1, :-1] + turned if i == j else turned
                matrix[block, j * columns : (j + 1) * columns] = here
            matrix[block, -1] = sum(H[i, k] * self.roots[k] * own[k][:-1, -1] for k in range(K))
        matrix[:rows, -1] += common[:-1, -1]
        if not steps[0].keeps_layout:
            matrix[-1, -1] = ball(1)
        noises = tuple(
            StepNoise(noise.moments, tuple(self._turned(k, R, G) for R, G in noise.acts), noise.batch)
            for k, step in enumerate(steps)
            for noise in step.noises
        )
        return StepMap(matrix, steps[0].keeps_layout, noises)

    def _turned(self, k: int, R: Array, G: Array) -> tuple[Array, Array]:
        """w_k = sum_i H_ik w'_i / sqrt(p_k), and what enters w_k enters w'_i by H_ik sqrt(p_k)."""
        direction, root = self.H[:, k], self.roots[k]
        R_joint = np.hstack([*(h / root * R[:, :-1] for h in direction), R[:, -1:]])
        return R_joint, np.vstack([*(h * root * G[:-1] for h in direction), G[-1:]])

    def _mean_cycle(self, stages: Sequence[Stage | Switch], averages: Sequence[Array]) -> Array:
        """The increment of the mean over a whole cycle, averages included: its fixed point is the origin."""
        moves = range(len(moves_of(stages)))
        steps = [self._together([d.step(i, 1) for d in self.devices]).matrix for i in moves]
        return mean_cycle(stages, steps, averages)

    def _average(self, move: Stage) -> "Average":
        """The mean stays; of a deviation that is left which an average does not touch."""
        kept = self.interpreter.kept_by_average(move.averaged)[:-1, :-1]
        K, n = len(self.devices), self.n
        A = Balls.identity(K * n + 1)
        for i in range(1, K):
            A[i * n : (i + 1) * n, i * n : (i + 1) * n] = kept
        if move.drawn is None:
            return Average(A, [])
        taken = self.interpreter.taken_by_average(move.averaged)[:-1, :-1]
        spread = move.drawn.spread(K)
        drawn = []
        for k, p in enumerate(self.weights):
            N = Balls.zeros(K * n + 1, K * n + 1)
            for i in range(1, K):
                N[:n, i * n : (i + 1) * n] = self.H[i, k] / self.roots[k] * taken
            drawn.append((ball(spread * p), N))
        return Average(A, drawn)

    def _in_turned_coordinates(
        self, measures: Mapping[str, Measure], measure_map: Callable[..., MeasureMap] = measure_map
    ) -> MeasureMap:
        """Forms of wbar = w'_0, and forms of deviations, the sum over w'_i, i > 0, without constants."""
        forms = [form for measure in measures.values() for _, form in measure.forms]
        seen = self.devices if any(form.of == "own" for form in forms) else self.devices[:1]
        maps = [measure_map(device, measures, 1) for device in seen]
        found = []
        for i, measure in enumerate(measures.values()):
            turned: list[Term] = []
            for j, (_, form) in enumerate(measure.forms):
                each = [own.measures[i][j] for own in maps]
                turned += self._of_own(form, each) if form.of == "own" else self._of_all(each[0])
            found.append(tuple(turned))
        size, first = len(self.devices) * self.n + 1, maps[0]
        return MeasureMap(tuple(found), 1, size, first.averaged, first.running, first.exact)

    def measures_at(self, t: int) -> MeasureMap:
        if t > 0 or not self.interpreter.running:
            return self.measures
        with working_precision(self.bits):
            read = self._in_turned_coordinates(self._measures, measure_map_at_0)
            return read.in_frame(self.frame).rounded() if self.frame else read

    def _of_all(self, term: Term) -> list[Term]:
        """A form that knows no devices."""
        K, n = len(self.devices), self.n
        identity = Balls.identity(K * n + 1)
        turned = []
        if term.of_mean:
            turned.append(Term(term.L @ np.vstack([identity[:n], identity[-1:]]), term.W, True, False))
        for i in range(1, K) if term.of_deviations else ():
            L = Balls.zeros(len(term.L), K * n + 1)
            L[:, i * n : (i + 1) * n] = term.L[:, :-1]
            turned.append(Term(L, term.W, True, False))
        return turned

    def _of_own(self, form: Form, terms: Sequence[Term]) -> list[Term]:
        """A form at w_k = sum_i H_ik w'_i / sqrt(p_k), of the device k that it reads, or of all by their weights."""
        n, turned = self.n, []
        for k, term in enumerate(terms):
            if form.device not in (None, k):
                continue
            L = Balls.zeros(len(term.L), len(terms) * n + 1)
            for i in range(len(terms)):
                L[:, i * n : (i + 1) * n] = self.H[i, k] / self.roots[k] * term.L[:, :-1]
            L[:, -1] = term.L[:, -1]
            weight = ball(self.weights[k]) if form.device is None else 1
            turned.append(Term(L, weight * term.W, True, False))
        return turned


@dataclass(frozen=True)
class Average:
    """X = E[w w'] becomes A X A', and where devices are drawn a sum of c N X N' is added."""

    A: Array
    drawn: Sequence[tuple[Any, Array]]

    def of(self, X: Array) -> Array:
        """After the average; X may be a stack."""
        return summed([self.A @ X @ self.A.T, *(c * (N @ X @ N.T) for c, N in self.drawn)])


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
