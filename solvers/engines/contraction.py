"""How much of a Lyapunov form is left after a cycle: the largest ratio over all states, exactly.

A form V of the states w of all devices becomes, after a cycle of stages, a form of the states before,

    V(w) = (w, 1)'V(w, 1),        E[V(after) | w] = (w, 1)'V_1(w, 1),

and where V is zero at the point of rest, and no noise moves it from there, the largest ratio of the two over all w is
the largest eigenvalue of V_1 v = rate V v. It is attained by the states that are multiples of that v: a theorem that
promises less is false, one that promises more is not tight.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from ratecert.base.arrays import doubles
from ratecert.base.errors import UserError
from ratecert.base.exact import working_precision
from ratecert.base.validation import require_choice, require_whole
from ratecert.solvers.contract.measures import Measure, require_measures
from ratecert.solvers.contract.problem import AnyProblem, has_devices, require_problem
from ratecert.solvers.contract.stage import Algorithm, name_of, require_algorithm
from ratecert.solvers.engines.expect import require_constant_steps
from ratecert.solvers.engines.experiment import require_devices, require_room
from ratecert.solvers.engines.moments.apart import Paths
from ratecert.solvers.engines.moments.differing import DifferingEngine
from ratecert.solvers.engines.threads import one_thread

Array = NDArray[np.float64]
ROUNDING = 1e-9  # of the largest eigenvalue of a form: less is rounding
LARGEST = 60  # coordinates of all devices together


@dataclass(frozen=True)
class Contraction:
    """The largest E[V after a cycle] / V, and a state in which it is attained."""

    rate: float
    state: dict[str, Array]  # deviations from the point of rest, by field: (K, d)

    def __repr__(self) -> str:
        return f"<Contraction: {self.rate:.9g} of it is left after a cycle>"


class Copies:
    """A problem on K devices that are alike but may be in different states."""

    def __init__(self, problem: AnyProblem, K: int) -> None:
        self._problem, self.devices = problem, (problem,) * K

    def __getattr__(self, name: str) -> Any:
        return getattr(self._problem, name)


def contraction(
    problem: AnyProblem,
    solver: Algorithm,
    form: Measure,
    *,
    K: int = 1,
    cycles: int = 1,
    states: Literal["all", "start"] = "all",
) -> Contraction:
    """Compute the factor by which cycles of an algorithm multiply a Lyapunov form in expectation, from the worst state.

    problem  a world, or anything with its methods, whose noise vanishes at the solution
    solver   an algorithm with constant step sizes
    form     a measure that is zero at the solution, such as rc.measures.distance() + 2.0 * rc.measures.control("h");
             it is read of states, whenever a run would read it
    K        devices; each may be in a state of its own
    cycles   of stages, after which the form is read again
    states   all that there are, or those only that the method's start makes of some x (and y) on each device, as where
             every cycle ends in such a state: an epoch of SVRG ends where its snapshot is

    >>> import ratecert as rc
    >>> world = rc.worlds.single_level([1.0, 4.0])
    >>> print(f"{rc.contraction(world, rc.methods.SGD(alpha=0.1), rc.measures.distance()).rate:.6f}")
    0.810000
    """
    require_problem(problem)
    require_room(problem, solver)
    require_algorithm(solver)
    K, cycles = require_whole("K", K, least=1), require_whole("cycles", cycles, least=1)
    require_devices(problem, solver, K)  # type: ignore[arg-type]
    solver.check(problem)  # type: ignore[arg-type]
    require_constant_steps("contraction", solver)
    require_choice("states", states, ("all", "start"))
    given = require_measures(problem, {"form": form})
    read = {name: replace(measure, at="average", likely=None) for name, measure in given.items()}
    devices: Any = problem if has_devices(problem) else Copies(problem, K)  # type: ignore[arg-type]
    engine = DifferingEngine(devices, solver, read, all_apart=True)
    if engine.packing.n > LARGEST:
        raise UserError(
            f"{engine.packing.n - 1} coordinates of all devices are too many for a contraction, at most {LARGEST - 1} "
            f"are taken; make K or d smaller."
        )
    with one_thread():
        before = engine.packing.weights(engine.device_measures.on_common(Paths.beginning(engine.common)))[0]
        after, change = before, engine.packed_cycle(1).C
        for _ in range(cycles):
            after = after + after @ change
    V, V_1 = engine.packing.matrix_of(before), engine.packing.matrix_of(after)
    among = np.eye(len(V) - 1) if states == "all" else _made_by_start(engine)
    return _largest(V, V_1, among, engine, name_of(solver))


def _largest(V: Array, V_1: Array, among: Array, engine: DifferingEngine, name: str) -> Contraction:
    """Over the states that are combinations of the columns of `among`."""
    scale = float(np.abs(V).max())
    if not scale:
        raise UserError(
            f"the form is zero in all states of {name}; give one that sees how far it is from rest."
        )
    if abs(V[-1]).max() > ROUNDING * scale:
        raise UserError(f"the form must be zero where {name} rests, and is {V[-1, -1]:.6g} there.")
    if abs(V_1[-1]).max() > ROUNDING * scale:
        raise UserError(
            f"noise moves {name} from where it rests: E of the form is {V_1[-1, -1]:.6g} after a cycle from there; "
            f"choose a problem whose noise vanishes at the solution."
        )
    V, V_1 = among.T @ V[:-1, :-1] @ among, among.T @ V_1[:-1, :-1] @ among
    values, vectors = np.linalg.eigh(V)
    seen = values > ROUNDING * values[-1]
    hidden = vectors[:, ~seen]
    if np.abs(hidden.T @ V_1).max(initial=0.0) > ROUNDING * scale:
        raise UserError(
            f"the form does not see all that matters to {name}: there are states in which it is zero, and not after a "
            f"cycle; add what is missing."
        )
    basis = vectors[:, seen] / np.sqrt(values[seen])
    ratios, directions = scipy.linalg.eigh(basis.T @ V_1 @ basis)
    return Contraction(float(ratios[-1]), _fields_of(engine, among @ basis @ directions[:, -1]))


def _made_by_start(engine: DifferingEngine) -> Array:
    """The deviations that the method's start makes of those of x (and y), as columns in the engine's coordinates."""
    if not engine.has_start:
        raise UserError("the method has no start of its own, so that its states are x (and y) alone.")
    gathering, units = engine.frames.gathering, engine.frames.units[:-1]
    with working_precision(engine.bits):
        starts = [
            share @ device.first.matrix
            for share, device in zip(gathering.shares(gathering.left), engine.devices, strict=True)
        ]
    columns: Array = np.hstack([doubles(start)[:-1, :-1] for start in starts]) / units[:, None]
    short = (doubles(engine.frames.centre) - sum(doubles(start)[:-1, -1] for start in starts)) / units
    missed = short - columns @ np.linalg.lstsq(columns, short, rcond=None)[0]
    if np.abs(missed).max(initial=0.0) > 1e-9 * (1 + np.abs(short).max(initial=0.0)):
        raise UserError(
            "the method rests in a state that its start makes of no x (and y), so that these are not all that "
            'matter; use states="all".'
        )
    return columns


def _fields_of(engine: DifferingEngine, z: Array) -> dict[str, Array]:
    """A deviation of all devices, in the engine's coordinates, as one of all fields, (K, d) each."""
    (layout, into), gathering = engine.interpreter.fields, engine.frames.gathering
    H = doubles(gathering.H) / np.array([float(root) for root in gathering.roots])
    own = H.T @ (z * engine.frames.units[:-1]).reshape(len(engine.devices), gathering.n - 1)
    values = own if into is None else own @ doubles(into)[:-1, :-1].T
    return {name: values[:, layout.slices[name]] for name in layout.dimensions}
