"""Devices that differ: the second moments of all devices together.

The coordinates of the K devices are turned by an orthogonal K x K matrix H whose first row is constant,

    w'_i = sum_k H_ik w_k,        w'_0 = sqrt(K) wbar,        w'_1, ..., w'_{K-1}: deviations from the mean,

so that a small drift is not a difference of large numbers. On (w'_0, ..., w'_{K-1}, 1) a step is one step with many
noises, an average leaves w'_0 alone and takes the averaged fields out of the deviations, and everything is as for one
device with K times the coordinates. That is exact and costs (K d)^6 for a long run.

The coordinates w_k are combinations of the algorithm's fields, the same on all devices. Where a variance-reduced method
remembers the previous point its last move x_t - x_{t-1} is one of them: with x_{t-1} itself a momentum would change by
H x_t - (1 - alpha eta^2) H x_{t-1}, where eta^2 has to survive beside 1, and every mean would be off by a rounding over
eta^2.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag, helmert

from ratecert.errors import UserError
from ratecert.solvers.contract.problem import Devices
from ratecert.solvers.contract.stage import Algorithm, Stage
from ratecert.solvers.engines.moments.device_moments import DeviceMoments, after_first
from ratecert.solvers.engines.moments.doubling import power
from ratecert.solvers.engines.moments.engine import MomentEngine, fixed_point_shift, units_of
from ratecert.solvers.engines.moments.interpreter import Interpreter
from ratecert.solvers.engines.moments.mean_cycle import mean_cycle
from ratecert.solvers.engines.moments.measures import MeasureMap, measure_map
from ratecert.solvers.engines.moments.round_map import AfterAverage, Linear, random_rounds
from ratecert.solvers.engines.moments.step_map import Frame, StepMap, StepNoise

Array = NDArray[np.float64]


class JointEngine(MomentEngine):
    """All devices of a problem as one device with all their coordinates."""

    rounding = (
        1e-14  # devices rest at different places, so that a drift can be the difference of large squares
    )
    flows = False
    largest_limit_map = 2300

    def __init__(self, problem: Devices, solver: Algorithm, *, odd_units: bool = False) -> None:
        """With `odd_units` the numbers are others and the results the same, up to rounding."""
        self.problem = problem
        self.devices = [Interpreter(device, solver, common=True) for device in problem.devices]
        self.H = np.asarray(helmert(len(self.devices), full=True))
        self.interpreter = self.devices[0]
        self.layout = self.interpreter.layout
        self.n = self.layout.size - 1
        shift = fixed_point_shift(self._mean_cycle(solver.stages))
        averaged_last = ~self._average(solver.stages[-1].averaged).any(axis=1)
        shift[averaged_last, -1] = 0.0  # it has no deviations at all
        frame = Frame(shift, units_of(len(self.devices) * self.n + 1, odd_units))
        super().__init__(
            solver.stages,
            repeats=[stage.repeats for stage in solver.stages],
            alike=self.interpreter.alike,
            has_start=self.interpreter.has_start,
            K=1,
            frame=frame,
            measures=self._measures().in_frame(frame),
        )
        units = frame.units
        self.averages = [
            np.linalg.solve(frame.shift, self._average(s.averaged) @ frame.shift) * units / units[:, None]
            for s in self.stages
        ]

    def start(self, x0: Array, y0: Array) -> tuple[int, Array, DeviceMoments]:
        point = np.concatenate([x0, y0])
        begin = np.zeros(len(self.devices) * len(point) + 1)
        begin[: len(point)], begin[-1] = np.sqrt(len(self.devices)) * point, 1.0
        moments = after_first(self._together([d.first() for d in self.devices]), begin, self.frame, 1)
        if self.has_start:
            return 0, np.zeros(4), moments
        at_0 = measure_map(self.problem, self.interpreter.point, len(self.devices)).at(np.append(point, 1.0))
        return 1, at_0, self._average_at(moments, 1)

    def step_map(self, stage: int, t: float) -> StepMap:
        return self._together([device.step(stage, t) for device in self.devices]).in_frame(self.frame)

    def cycle_map(self, t: int) -> Linear:
        basis = self.packing.basis
        total: Linear | None = None
        for stage, n in enumerate(self.repeats):
            step = self.step_map(stage, t)
            C = self.packing.pack(step.mean_change(basis) + step.injection(basis)).T
            linear = power(Linear(self.space(t), C, self.packing.weights(self.measures.on_mean)), n)
            A = self.averages[stage]
            change = self.packing.pack(A @ basis @ A.T - basis).T
            linear = linear.then(Linear(self.space(t), change, np.zeros((4, len(change)))))
            N = self.stages[stage].random_rounds
            linear = linear if N is None else random_rounds(linear, N)
            total = linear if total is None else total.then(linear)
        assert total is not None
        return total

    def space(self, t: float) -> AfterAverage:
        size = self.packing.n
        return AfterAverage(np.zeros((size, 0)), np.arange(size), np.eye(size))

    def flow(self, moments: DeviceMoments, t: int, n: int, ratio: float) -> tuple[Array, DeviceMoments]:
        """Step by step: a map of all devices at every point of an interval costs too much."""
        return self.walk(moments, t, n)

    def limit_without_map(self) -> Array:
        raise UserError(
            f"{self.packing.n - 1} coordinates of devices that differ are too many; make K or d smaller."
        )

    def _averaged(self, moments: DeviceMoments, stage: int) -> DeviceMoments:
        A = self.averages[stage]
        return DeviceMoments(A @ moments.mean @ A.T, np.zeros_like(moments.within))

    def _together(self, steps: list[StepMap]) -> StepMap:
        """The devices' steps as one step of the turned coordinates."""
        H, K = self.H, len(steps)
        rows, columns = (n - 1 for n in steps[0].matrix.shape)
        common = np.mean([s.matrix for s in steps], axis=0)
        own = np.array([s.matrix - common for s in steps])
        matrix = np.zeros((K * rows + 1, K * columns + 1))
        turned = np.einsum("ik,jk,kab->iajb", H, H, own[:, :-1, :-1]).reshape(K * rows, K * columns)
        matrix[:-1, :-1] = turned + np.kron(np.eye(K), common[:-1, :-1])
        matrix[:-1, -1] = np.einsum("ik,ka->ia", H, own[:, :-1, -1]).ravel()
        matrix[:rows, -1] += np.sqrt(K) * common[:-1, -1]
        if not steps[0].keeps_layout:
            matrix[-1, -1] = 1.0
        noises = tuple(
            StepNoise(noise.moments, tuple(self._turned(k, R, G) for R, G in noise.acts), noise.batch)
            for k, step in enumerate(steps)
            for noise in step.noises
        )
        return StepMap(matrix, steps[0].keeps_layout, noises)

    def _turned(self, k: int, R: Array, G: Array) -> tuple[Array, Array]:
        """w_k = sum_i H_ik w'_i, and what enters w_k enters w'_i by H_ik."""
        direction = self.H[:, k]
        R_joint = np.hstack([np.kron(direction, R[:, :-1]), R[:, -1:]])
        return R_joint, np.vstack([np.kron(direction[:, None], G[:-1]), G[-1:]])

    def _mean_cycle(self, stages: Sequence[Stage]) -> Array:
        """The increment of the mean over a whole cycle, averages included: its fixed point is the origin."""
        steps = [self._together([d.step(i, 1) for d in self.devices]).matrix for i in range(len(stages))]
        return mean_cycle(stages, steps, [self._average(stage.averaged) for stage in stages])

    def _average(self, averaged: tuple[str, ...]) -> Array:
        """The mean stays; of a deviation that is left which an average does not touch."""
        kept = self.interpreter.kept_by_average(averaged)[:-1, :-1]
        return block_diag(np.eye(self.n), np.kron(np.eye(len(self.devices) - 1), kept), 1.0)  # type: ignore[no-any-return]

    def _measures(self) -> MeasureMap:
        """The measures of wbar = w'_0 / sqrt(K), and the drifts (1/K) sum_i |w'_i|^2 over i > 0."""
        K, n = len(self.devices), self.n
        to_mean = np.zeros((n + 1, K * n + 1))
        to_mean[:n, :n], to_mean[-1, -1] = np.eye(n) / np.sqrt(K), 1.0
        maps = [L @ to_mean for L in measure_map(self.problem, self.layout, 1).maps[:2]]
        for name in ("x", "y"):
            chosen = np.zeros((K, n), dtype=bool)
            chosen[1:, self.layout.slices[name]] = True
            maps.append(np.eye(K * n + 1)[:-1][chosen.ravel()] / np.sqrt(K))
        return MeasureMap(tuple(maps), np.zeros((4, K * n + 1, K * n + 1)))
