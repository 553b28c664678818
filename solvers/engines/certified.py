"""Certified runs and limits: balls at a working precision that is raised until they are narrow enough."""

from collections.abc import Callable, Mapping
from contextlib import suppress

from ratecert.base.errors import UndecidedError, UserError
from ratecert.base.exact import working_precision
from ratecert.solvers.contract.measures import Measure, sums_of
from ratecert.solvers.contract.problem import Problem, has_devices
from ratecert.solvers.contract.stage import Algorithm, name_of
from ratecert.solvers.engines.estimate import Estimate
from ratecert.solvers.engines.moments.differing import DifferingEngine
from ratecert.solvers.engines.moments.engine import MomentEngine
from ratecert.solvers.engines.moments.exchangeable import ExchangeableEngine
from ratecert.solvers.engines.moments.interpreter import ASSEMBLY_BITS, Interpreter
from ratecert.solvers.engines.moments.unrounded import Unrounded

MOST_BITS = 16 * ASSEMBLY_BITS  # of the working precision, which is doubled from ASSEMBLY_BITS on
FEW_BITS = 4 * ASSEMBLY_BITS  # where nobody has asked for certainty
LARGEST_CERTIFIED = 400  # packed moments: a map of so many takes minutes to double in balls
NEARLY_FREE = (
    28  # packed moments, as of six fields with d = 1, up to which balls cost about as much as doubles
)
FEW_STAGES = 16  # of a cycle, each a map of its own to be composed
FREE_CONGRUENCE = 13  # coordinates up to which they do where the noise is the same everywhere


def certified_engine(
    problem: Problem,
    solver: Algorithm,
    K: int,
    measures: Mapping[str, Measure],
    bits: int,
    interpreter: Interpreter | None = None,
    given: Mapping[str, int] | None = None,
) -> MomentEngine:
    """An engine on balls with so many bits; an interpreter of as many bits can be given."""
    if has_devices(problem):
        return DifferingEngine(problem, solver, measures, certified=True, bits=bits, given=given)
    if interpreter is None:
        running = sums_of(measures)
        interpreter = Interpreter(problem, solver, bits=bits, running=running, given=given)
    return ExchangeableEngine(Unrounded(interpreter, K, measures), certified=True)


def require_certifiable(engine: MomentEngine, problem: Problem, solver: Algorithm) -> None:
    """Refuse what cannot be certified, in one sentence."""
    if not engine.exact:
        raise UserError(
            f"certified: {name_of(solver)} on {type(problem).__name__} computes in doubles where exact numbers are "
            f"given; use +, -, *, / and whole powers only, or certified=False."
        )
    if not engine.additive and engine.packing.size > LARGEST_CERTIFIED:
        raise UserError(
            f"certified: {engine.packing.n - 1} coordinates with noise that grows with the iterates are too many; make "
            f"d, or K where devices differ, smaller, or use certified=False."
        )


def nearly_free(engine: MomentEngine) -> bool:
    """Whether balls cost about as much as doubles."""
    few = len(engine.stages) <= FEW_STAGES
    small = engine.packing.size <= NEARLY_FREE or (engine.additive and engine.packing.n <= FREE_CONGRUENCE)
    return few and small and engine.exact


def narrowed(
    compute: Callable[[int], tuple[Estimate, ...]], width: float, most_bits: int = MOST_BITS
) -> tuple[Estimate, ...]:
    """What is computed with the fewest bits that decide it and make all of it narrow enough, or with the most bits."""
    bits = ASSEMBLY_BITS
    while bits < most_bits:
        with working_precision(bits), suppress(UndecidedError):
            results = compute(bits)
            if all(result.precision <= width or result.overflows for result in results):
                return results
        bits *= 2
    with working_precision(bits):
        return compute(bits)
