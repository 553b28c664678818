"""The stationary moments of large problems, without ever forming a matrix on packed moments.

A cycle is z <- z + change(z) for z = (mean, within), so the limit solves change(z) = 0. Without the noise that grows
with the state this is a Lyapunov equation, X = A X A' + B, solved by squared Smith iteration,

    X_{i+1} = X_i + A_i X_i A_i',    A_{i+1} = A_i^2,

which serves as the preconditioner of GMRES for the whole. `change` is exact to the last bits, so the solution is as
good as that allows, whatever the preconditioner loses.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import doubles
from ratecert.base.errors import NoLimitError
from ratecert.solvers.engines.moments.device_moments import DeviceMoments
from ratecert.solvers.engines.moments.frame import Frame
from ratecert.solvers.engines.moments.measures import MeasureMap
from ratecert.solvers.engines.moments.packing import packing
from ratecert.solvers.engines.moments.step_map import StepMap

Array = NDArray[np.float64]
REFINEMENTS = 3  # each solves for what the last one left, to eight digits
ROUNDING = float(np.finfo(float).eps)
MANY = 1000  # cycles, after which moments grow or shrink by the spectral radius


class Cyclic(Protocol):
    """What is asked of an engine of devices that are alike."""

    K: int
    repeats: list[int]
    numbers: list[list[int]]  # of the one move of each stage
    kept: list[Array]
    measures: MeasureMap
    frame: Frame | None

    def step_map(self, move: int, t: float) -> StepMap: ...


@dataclass(frozen=True)
class Cycle:
    """One cycle of an engine at constant step sizes."""

    engine: Cyclic

    def change(self, moments: DeviceMoments) -> tuple[Array, Array, Array]:
        """(measures summed over the cycle, change of mean, change of within)."""
        engine, sums = self.engine, self.engine.measures.nothing
        mean, within = np.zeros_like(moments.mean), np.zeros_like(moments.within)
        for stage, repeats in enumerate(engine.repeats):
            [move] = engine.numbers[stage]
            step = engine.step_map(move, 1)
            for _ in range(repeats):
                here = DeviceMoments(moments.mean + mean, moments.within + within)
                sums = sums + engine.measures.summed(here)
                injected = step.injection(here.mean + (1 - 1 / engine.K) * here.within)
                mean = mean + step.mean_change(here.mean) + injected / engine.K
                within = within + step.mean_change(here.within) + injected
            kept = engine.kept[move]
            within = kept @ within @ kept.T + (kept @ moments.within @ kept.T - moments.within)
        return sums, mean, within

    def contractions(self) -> tuple[Array, Array]:
        """A for the mean and for within: a cycle without noise is X -> A X A'."""
        size = len(self.engine.kept[0])
        mean, within = np.eye(size), np.eye(size)
        for stage, repeats in enumerate(self.engine.repeats):
            [move] = self.engine.numbers[stage]
            M = np.linalg.matrix_power(np.eye(size) + self.engine.step_map(move, 1).matrix, repeats)
            mean, within = M @ mean, self.engine.kept[move] @ M @ within
        return mean, within


def smith(A: Array, B: Array) -> Array:
    """sum_j A^j B A^j' for a contraction A."""
    X = B
    for _ in range(200):
        X = X + A @ X @ A.T
        A = A @ A
        if np.abs(A).max() < 1e-20:
            break
    return X


def stationary_sums(engine: Cyclic) -> Array:
    """The measures summed over a cycle, in the limit of many cycles."""
    sums, _, _ = Cycle(engine).change(stationary_moments(engine))
    return sums


class Deviations:
    """Moments without their constant part as vectors, in units in which all of them count; a cycle's change of them."""

    def __init__(self, cycle: Cycle, units: Array | None = None) -> None:
        self.cycle = cycle
        self.pack = packing(len(cycle.engine.kept[0]))
        self.contractions = cycle.contractions()
        self.units = np.ones(2 * self.pack.size) if units is None else units

    @property
    def shape(self) -> tuple[int, int]:
        return 2 * self.pack.size, 2 * self.pack.size

    def moments(self, v: Array) -> DeviceMoments:
        mean, within = np.split(self.units * v, 2)
        return DeviceMoments(self.pack.unpack(mean), self.pack.unpack(within))

    def vector(self, mean: Array, within: Array) -> Array:
        packed: Array = np.concatenate([self.pack.pack(mean), self.pack.pack(within)]) / self.units
        return packed

    def change(self, v: Array) -> tuple[Array, Array]:
        """(measures summed over the cycle, change)."""
        sums, mean, within = self.cycle.change(self.moments(v))
        return sums, self.vector(mean, within)

    def additive_solution(self, v: Array, shift: float = 0.0) -> Array:
        """x with change(x) - shift x = -v, but for the noise that grows with the state."""
        moments, (A, A_within) = self.moments(v), self.contractions
        size, root = len(A), np.sqrt(1 + shift)
        mean = np.zeros((size, size))
        mean[:-1, :-1] = smith(A[:-1, :-1] / root, moments.mean[:-1, :-1])
        mean[:-1, -1] = np.linalg.solve((1 + shift) * np.eye(size - 1) - A[:-1, :-1], moments.mean[:-1, -1])
        mean[:-1, :-1] /= 1 + shift
        mean[-1, :-1] = mean[:-1, -1]
        return self.vector(mean, smith(A_within / root, moments.within) / (1 + shift))


def stationary_moments(engine: Cyclic) -> DeviceMoments:
    """The moments at the beginning of a cycle in the limit of many cycles."""
    cycle = Cycle(engine)
    plain = Deviations(cycle)
    size = len(engine.kept[0])
    radius = float(np.abs(np.linalg.eigvals(plain.contractions[0][:-1, :-1])).max())
    if radius >= 1:
        raise NoLimitError(
            f"the mean iterate does not converge: the spectral radius of one cycle is {radius:.9g}, not < 1"
        )
    one = DeviceMoments(np.zeros((size, size)), np.zeros((size, size)))
    one.mean[-1, -1] = 1.0
    _, right = plain.change(plain.vector(one.mean, one.within))
    rough = plain.moments(plain.additive_solution(right))
    scaled = Deviations(cycle, np.concatenate([natural_units(rough.mean), natural_units(rough.within)]))
    from scipy.sparse.linalg import LinearOperator, gmres  # slow to load, and seldom needed

    operator = LinearOperator(scaled.shape, lambda u: -scaled.additive_solution(scaled.change(u)[1]))
    solution, wanted = np.zeros(len(right)), scaled.additive_solution(right / scaled.units)
    for _ in range(REFINEMENTS):
        gap = wanted - operator @ solution
        solution = solution + gmres(operator, gap, rtol=1e-8, restart=60, maxiter=5)[0]
    missed = float(np.abs(wanted - operator @ solution).max() / np.abs(wanted).max())
    limit = scaled.moments(solution)
    limit.mean[-1, -1] = 1.0
    parts = limit.mean[:-1, :-1], limit.within
    nothing = max(float(np.abs(X).max()) for X in parts) <= _rounding(engine.frame)
    if nothing and _growth(cycle) < 1:
        return one
    if nothing or missed > 1e-9 or not all(_positive(X) for X in parts):
        raise NoLimitError(
            f"the second moments do not converge: the spectral radius of one cycle is about {_growth(cycle):.6g}, "
            f"not < 1; choose other step sizes."
        )
    return limit


def natural_units(X: Array) -> Array:
    """Natural units of the packed entries of a second-moment matrix."""
    spread = np.sqrt(np.abs(np.diag(X)))
    spread = np.where(spread > 0, spread, float(spread.max()) or 1.0)
    return packing(len(X)).pack(np.outer(spread, spread))


def _positive(X: Array) -> bool:
    """Up to rounding, also where some moments are nothing beside the others."""
    diagonal = np.diag(X)
    least = 100 * ROUNDING * float(diagonal.max(initial=0.0))
    spread = np.sqrt(np.maximum(diagonal, max(least, 1e-300)))
    scaled = np.linalg.eigvalsh(X / np.outer(spread, spread))
    return bool(diagonal.min() >= -least and scaled.min() > -1e-6)


def _rounding(frame: Frame | None) -> float:
    """Second moments that are nothing: the square of a rounding of where the frame is."""
    centre = np.zeros(1) if frame is None else doubles(frame.centre)
    return float(np.square(ROUNDING * np.abs(centre).max(initial=0.0)))


def _growth(cycle: Cycle) -> float:
    """The spectral radius of the second moments over one cycle, about: their growth over the last of many."""
    size = len(cycle.engine.kept[0])
    anything = np.eye(size)
    anything[-1, -1] = 0.0
    mean, within, growth = anything, anything, 2.0 * (size - 1)
    for _ in range(MANY):
        moments = DeviceMoments(mean / growth, within / growth)
        _, mean, within = cycle.change(moments)
        mean, within = moments.mean + mean, moments.within + within
        growth = float(np.trace(mean + within))
        if growth <= 0:
            return 0.0
    return growth
