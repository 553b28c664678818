"""Where bounded noise can take the iterates: a certified radius, for every outcome and every t.

With coordinates w around the fixed point of the mean step, w+ = M w + sum G n and |n| <= gain |R w| + constant. An
invariant set in the modes of M bounds w for ever (invariant.py). An average over devices stays in it, as it is convex.
Where only some fields are averaged, the mean and the deviations from it are bounded one by one, which needs noise that
does not grow with w (deviations.py). The same set bounds (xbar, y*(xbar)), where the measures read f: y* is affine.

Step sizes may vary where noise does not grow with w: the set is one that is left by no step up to the largest
(control_moves.py). A variance-reduced momentum, for instance, has an error that only shrinks towards the noise,

    e+ = (1 - a) e + a n,    w+ = w - eta R (J w + e+),        a in [0, alpha eta^2],

so that |e| <= |n| for ever, and |w| by what such an e can do at the largest step in the modes of RJ.

Devices that differ are followed all together, by rounds (joint_rounds.py). Where noise grows with w or step sizes vary,
one set for all of them is looked for instead, in the modes of their mean, and every field has to be averaged.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import ArrayLike, NDArray

from ratecert.base.arrays import Balls, norm
from ratecert.base.errors import NoCertificateError
from ratecert.base.exact import around, working_precision
from ratecert.base.validation import require_point
from ratecert.solvers.contract.draws import Choice, is_drawn, moves_of
from ratecert.solvers.contract.problem import (
    CentredProblem,
    has_devices,
    is_nearly_quadratic,
    require_two_levels,
)
from ratecert.solvers.contract.stage import Algorithm, name_of
from ratecert.solvers.engines.certificates.deviations import deviation_radius
from ratecert.solvers.engines.certificates.invariant import invariant_sets, smallest_size
from ratecert.solvers.engines.certificates.joint_rounds import JointRounds
from ratecert.solvers.engines.certificates.motion import Motion, readouts
from ratecert.solvers.engines.experiment import Experiment, prepare
from ratecert.solvers.engines.moments.interpreter import ASSEMBLY_BITS, Interpreter

Array = NDArray[Any]  # of balls

DIGITS = 9  # of a radius, which is rounded up to them


@dataclass(frozen=True)
class Reach:
    """Radii around (a, b) that hold at every t, for every outcome of the noise."""

    iterates: float  # of (x_k, y_k) on every device, and so of their means
    truth: float  # of (xbar, y*(xbar))


def reachable_radius(
    problem: CentredProblem,
    solver: Algorithm,
    K: int,
    *,
    x0: ArrayLike | None = None,
    y0: ArrayLike | None = None,
    interpreter: Interpreter | None = None,
) -> float:
    """Certify a radius r with ||(x_k - a, y_k - b)|| <= r on every device, at every t, for every outcome of the noise.

    NoCertificateError where no bound can be shown.

    problem      a quadratic world; devices may differ
    solver       an algorithm with one stage; step sizes may vary where noise does not grow with the iterates
    K            devices
    x0, y0       where all devices start (default: at the solution)
    interpreter  of this problem and this solver, which spares their interpretation

    >>> import ratecert as rc
    >>> solver = rc.methods.LocalBSGM(eta=0.1, alpha=2.0, beta=2.0, rho_1=0.2, rho_2=0.5, p=2, theta=0.15, Q=5)
    >>> print(f"{rc.reachable_radius(rc.worlds.scalar(s_f=0.5, s_g=0.5), solver, 4):.3f}")
    55.126
    """
    return certified_reach(problem, solver, K, x0=x0, y0=y0, interpreter=interpreter).iterates


def certified_reach(
    problem: CentredProblem,
    solver: Algorithm,
    K: int,
    *,
    x0: ArrayLike | None = None,
    y0: ArrayLike | None = None,
    interpreter: Interpreter | None = None,
) -> Reach:
    """Certify what `reachable_radius` does, and how far from (a, b) the measures look."""
    require_two_levels("reachable_radius", problem)
    x = require_point("x0", problem.x_star if x0 is None else x0, problem.d_x)
    y = problem.y_star(x) if y0 is None else y0
    experiment = prepare(problem, solver, K=K, T=1, x0=x, y0=y, times=None)
    if is_nearly_quadratic(problem):
        raise NoCertificateError(
            "no certificate: the problem is quadratic near (a, b) only; ask for the one of its quadratic_part"
        )
    if is_drawn(solver.stages) or isinstance(moves_of(solver.stages)[0].step, Choice):
        raise NoCertificateError(
            f"no certificate: {name_of(solver)} draws which steps it takes, or whose results are averaged"
        )
    if len(solver.stages) > 1:
        raise NoCertificateError(
            f"no certificate: {name_of(solver)} has {len(solver.stages)} stages; only a single one is covered"
        )
    with working_precision(ASSEMBLY_BITS):
        if has_devices(problem):
            first = Interpreter(problem.devices[0], solver, common=True)
            devices = [first, *(first.on(device) for device in problem.devices[1:])]
        else:
            devices = [interpreter or Interpreter(problem, solver)]
        motion = Motion(solver, experiment.K, devices)
        iterates, at_truth = _radii(motion, experiment, readouts(problem, motion.interpreter.layout))
        return Reach(*_with_start(problem, experiment, iterates, at_truth))


def _radii(motion: Motion, experiment: Experiment, reads: list[Array]) -> list[arb]:
    """Of what the matrices read on every device, from the first iteration on."""
    begins = motion.begins(np.concatenate(list(experiment.start.values())))
    reads = [motion.frame.read(read) for read in reads]
    differ = len(motion.interpreters) > 1
    if not motion.averages_all and motion.grows:
        raise NoCertificateError(
            "no certificate: not every field is averaged and the noise grows with the iterates (E or F is not zero); "
            "average all fields, for instance with previous='averaged'"
        )
    if differ and not motion.varies and not motion.grows:
        rounds = JointRounds(motion, begins)
        return [rounds.radius(read) for read in reads]
    if differ and not motion.averages_all:
        raise NoCertificateError(
            "no certificate: devices differ, step sizes vary and not every field is averaged; make the step size "
            "constant or average all fields"
        )
    sets = invariant_sets(motion.bases, motion.moves, begins)
    iterates, truth = (smallest_size(sets, read) for read in reads)
    if not motion.averages_all:
        iterates = iterates + deviation_radius(motion, begins[0], reads[0])
    return [iterates, truth]


def _with_start(problem: CentredProblem, experiment: Experiment, *later: arb) -> list[float]:
    """The radii of all t, from those of t >= 1."""
    x0, y0 = Balls.of(experiment.start["x"]), Balls.of(experiment.start["y"])
    centre = Balls.of(np.concatenate([problem.a, problem.b]))
    starts = [norm(np.append(x0, y).view(Balls) - centre) for y in (y0, problem.y_star(x0))]
    return [rounded_up(start, radius) for start, radius in zip(starts, later, strict=True)]


def rounded_up(*radii: arb) -> float:
    """The largest radius, rounded up to ten digits: short, so that all machines go on with the same number."""
    largest = max(around(radius)[1] for radius in radii)
    if not math.isfinite(largest) or largest == 0:
        return largest
    digits = Fraction(10) ** (math.floor(math.log10(largest)) - DIGITS)
    return float(math.ceil(Fraction(largest) / digits) * digits)
