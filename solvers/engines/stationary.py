"""The limit T -> infinity: what the averages over t < T tend to at a constant step size.

Small problems take it by doubling the map of a cycle until it no longer depends on where it began; large ones solve for
the fixed point without forming that map. Certified, the doubling is on balls, and what is left is bounded and added.
"""

from collections.abc import Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ratecert.base.chart import Drawable
from ratecert.base.errors import NoLimitError, UndecidedError, UserError
from ratecert.base.progress import timed
from ratecert.base.validation import require_choice, require_positive, require_whole
from ratecert.solvers.contract.measures import Measure, read_at_mean, require_measures
from ratecert.solvers.contract.problem import AnyProblem, Problem, has_devices, require_problem
from ratecert.solvers.contract.result import Measures, measures_of, shown_measures
from ratecert.solvers.contract.stage import Algorithm, require_algorithm
from ratecert.solvers.engines.certificates.certified import quadratic_part
from ratecert.solvers.engines.certified import (
    FEW_BITS,
    MOST_BITS,
    certified_engine,
    narrowed,
    nearly_free,
    require_certifiable,
)
from ratecert.solvers.engines.estimate import Estimate, enclosed, estimated
from ratecert.solvers.engines.expect import engines_for, require_constant_steps, require_own_noise
from ratecert.solvers.engines.experiment import require_devices, require_room
from ratecert.solvers.engines.moments.engine import MomentEngine
from ratecert.solvers.engines.moments.interpreter import ASSEMBLY_BITS, Interpreter, require_interpreter
from ratecert.solvers.engines.moments.limits import enclosed_limit
from ratecert.solvers.engines.moments.round_map import Linear
from ratecert.solvers.engines.threads import one_thread

Array = NDArray[np.float64]

LARGEST_RANDOM = 500  # packed moments with random rounds, which need the map: more would take minutes
MOST_DOUBLINGS = 120  # a map that has not settled after 2^120 cycles never does


@dataclass(frozen=True, repr=False)
class Limit(Measures, Drawable):
    """The measures in the limit, averaged over a cycle; errors and enclosure as in ExactResult.

    Where devices differ and nothing is random the gradient can be a rounding of zero, and the drift has all its digits.
    """

    precision: float  # the largest relative error
    relative_error: Measures
    absolute_error: Measures
    enclosure: Measures | None  # certified: (low, high) of each measure, with the truth between
    method: str

    @property
    def certified(self) -> bool:
        """Whether the errors are proved, not estimated."""
        return self.enclosure is not None

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {shown_measures(self)}>"


@timed
def stationary(
    problem: AnyProblem,
    solver: Algorithm,
    *,
    K: int,
    measures: Mapping[str, Measure] | None = None,
    shared_noise: bool = False,
    interpreter: Interpreter | None = None,
    certified: bool | None = None,
    width: float = 1e-10,
) -> Limit:
    """Compute the limit of `expect` for T -> infinity. NoLimitError, with the spectral radius, where there is none.

    It does not depend on the start. A problem that is quadratic near (a, b) only, such as a huberised
    one, is taken if no iterate can leave that part from the solution; the limit is then that of every start which
    `expect` takes.

    problem       a world, or anything with its methods
    solver        an algorithm with constant step sizes
    K             devices
    measures      what is measured, by name (default: as in `expect`); a mean of iterates has no limit of its own
    shared_noise  all devices see the same samples, so that they all are one device
    interpreter   of this problem and this solver, which spares their interpretation
    certified     True: enclose every measure rigorously, which also proves that there is a limit; False: doubles, with
                  an estimate of their error; by default certified where that costs about as much
    width         of a certified interval, relative to the value (to the largest measure where that may be zero)

    >>> import ratecert as rc
    >>> solver = rc.methods.LocalBSGM(eta=0.1, alpha=2.0, beta=2.0, rho_1=0.2, rho_2=0.5, p=2, theta=0.15, Q=5)
    >>> print(f"{rc.stationary(rc.worlds.scalar(s_f=0.5, s_g=0.5), solver, K=4).gradient:.6f}")
    3.437768
    """
    require_problem(problem)
    problem = cast(Problem, problem)
    require_room(problem, solver)
    require_algorithm(solver)
    K = require_whole("K", K, least=1)
    require_devices(problem, solver, K)
    require_choice("shared_noise", shared_noise, (False, True))
    solver.check(problem)
    require_constant_steps("stationary", solver)
    require_choice("certified", certified, (None, True, False))
    require_positive("width", width)
    require_interpreter(interpreter)
    read = require_measures(problem, measures)
    if any(measure.at != "average" for measure in read.values()):
        raise UserError(
            "stationary averages over a cycle: a measure at the last iterate or at the mean of the iterates has no "
            "limit of its own there; leave out .last() and .at_mean(), or use expect."
        )
    alone = 1 if shared_noise else K
    problem = quadratic_part(problem, solver, alone)
    require_own_noise(problem, shared_noise)
    if interpreter is None and not has_devices(problem):
        interpreter = Interpreter(problem, solver)
    first = _certified_engine(problem, solver, alone, read, certified, interpreter)
    found = None
    if first is not None:
        with nullcontext() if certified else suppress(UndecidedError):
            method, found = "doubling", _enclosed(first, problem, solver, alone, read, width, certified)
    if found is None:
        method, found = _estimated(problem, solver, alone, read, interpreter)
    named = partial(measures_of, read)
    return Limit(
        named(found.values.tolist()).values,
        precision=found.precision,
        relative_error=named(found.relative.tolist()),
        absolute_error=named(found.errors.tolist()),
        enclosure=named(found.enclosure) if found.enclosure else None,
        method=method,
    )


def _certified_engine(
    problem: Problem,
    solver: Algorithm,
    K: int,
    measures: Mapping[str, Measure],
    certified: bool | None,
    interpreter: Interpreter | None,
) -> MomentEngine | None:
    """An engine on balls where one is asked for, or costs next to nothing."""
    if certified is False or (certified is None and has_devices(problem)):
        return None
    engine = certified_engine(problem, solver, K, measures, ASSEMBLY_BITS, interpreter)
    if certified:
        require_certifiable(engine, problem, solver)
    return engine if certified or nearly_free(engine) else None


def _enclosed(
    first: MomentEngine,
    problem: Problem,
    solver: Algorithm,
    K: int,
    measures: Mapping[str, Measure],
    width: float,
    certified: bool | None,
) -> Estimate | None:
    """None where nobody has asked for certainty, and a few bits do not give it."""

    def compute(bits: int) -> tuple[Estimate]:
        engine = first if bits == ASSEMBLY_BITS else certified_engine(problem, solver, K, measures, bits)
        return (enclosed(enclosed_limit(engine.cycle_map(1), bits) / engine.cycle, width),)

    (found,) = narrowed(compute, width, MOST_BITS if certified else FEW_BITS)
    return found if certified or found.precision <= width else None


def _estimated(
    problem: Problem,
    solver: Algorithm,
    K: int,
    measures: Mapping[str, Measure],
    interpreter: Interpreter | None,
) -> tuple[str, Estimate]:
    engine, again = engines_for(problem, solver, K, measures, interpreter)
    with one_thread(), np.errstate(over="ignore", invalid="ignore"):
        (method, first), (_, second) = _limit(engine), _limit(again)
    return method, estimated(first, second, engine.rounding, read_at_mean(measures))


def _limit(engine: MomentEngine) -> tuple[str, Array]:
    size = len(engine.space(1).chosen)
    if engine.drawn and engine.lasting_size > LARGEST_RANDOM:
        raise UserError(
            f"{size - 1} coordinates are too many for moves or devices that are drawn; make d smaller."
        )
    if engine.drawn or min(size * (size + 1) // 2, engine.lasting_size) <= engine.largest_limit_map:
        return "doubling", _by_doubling(engine.lasting_cycle(1)) / engine.cycle
    return "fixed point", engine.limit_without_map() / engine.cycle


def _by_doubling(cycle: Linear) -> Array:
    one = cycle.space.mean.size - 1
    nothing = np.zeros(len(cycle.C))
    nothing[one] = 1.0
    others = np.delete(np.arange(len(nothing)), one)
    step = cycle
    for _ in range(MOST_DOUBLINGS):
        _, limit = step.apply(nothing)
        if step.settled([limit]):
            _require_motion(cycle, others)
            if not np.any(limit[others]) and _radius(cycle, others) >= 1:
                break  # it rests at the origin, and nowhere else
            return cycle.rows @ limit
        step = step.then(step)
        if not step.finite:
            break
    raise NoLimitError(
        f"the second moments do not converge: the spectral radius of one round is {_radius(cycle, others):.12g}, not "
        f"< 1; choose other step sizes."
    )


def _radius(cycle: Linear, others: NDArray[np.intp]) -> float:
    return float(np.abs(1 + np.linalg.eigvals(cycle.C[np.ix_(others, others)])).max())


def _require_motion(cycle: Linear, others: NDArray[np.intp]) -> None:
    """A coordinate that nothing moves keeps its start for ever."""
    if not np.any(cycle.C[others], axis=1).all():
        raise NoLimitError(
            "the second moments have no limit of their own: a field is never moved, so that it stays where it starts; "
            "use expect with that start."
        )
