"""Where a method comes to rest when nothing is random: the fixed point of a round of p local steps and an average.

A method with several stages has a cycle of such rounds, and rests at the beginning of it. A stage with a random number
of rounds counts with its mean: what rests is the mean state.

On quadratic devices a noise-free step is an affine map of a device's state, so a round is one too, and its fixed point
solves a linear system. The step is the algorithm's own: it is run on all unit vectors at once, in 50 digits, because
p moves the fixed point by very little. Let z_p = (x, y) right after an average, F_k(z) = (h_k, grad_y g_k) the mean
hypergradient estimate and the lower gradient of device k, J_k its derivative, Jbar and Fbar the means over devices,

    R = diag(rho_1, rho_2),    W = diag(alpha, beta),    s = (1/K) sum_k J_k R W F_k(z_1).

With an average after every step, Fbar(z_1) = 0: neither eta nor the momenta matter. Otherwise, as p eta -> 0,

    LocalBSGM, both readings                        Jbar (z_p - z_1) = (p^2 - 1)/6  eta^2  s          + smaller
    LocalBSGVRM, carry and local, as printed        Jbar (z_p - z_1) = (p^2 - 1)/6  eta^3  s          + smaller
    LocalBSGVRM, fresh or averaged                  Jbar (z_p - z_1) = (p - 1)/2    eta    W^{-1} s   + smaller

Why: x and y are the same after a round, so the momenta have sum 0 over it. For LocalBSGM, whose momenta are averages of
the F_k, the F_k then have sum 0 over the round and the devices. After j steps the momentum of device k is off by
j eta W F_k(z_1) and its place by -j(j + 1)/2 eta^2 R W F_k(z_1) (`carry`). What J_k makes of that, summed over j < p,
is what Jbar (z_p - z_1) has to balance p times. In LocalBSGVRM eta^2 W takes the place of eta W, and the differences
F_k(z_t) - F_k(z_{t-1}) cancel over a round if the previous point is the device's own. If not, what J_k makes of the
last place, off by p(p - 1)/2, is left over, against p eta^2 W Jbar (z_p - z_1).

s is of second order in how much the devices differ, as F_k(z_1) has mean zero: the effect of p is of order dial^2.
As p -> infinity every device gets to its own solution, and z_p is the mean of these.

Not every round has a limit. LocalBSGVRM as printed keeps a device's own previous point through an average, and with it
the device's deviation from the mean. As eta^2 p -> 0 a round multiplies it by I - exp(-p eta R J), on devices that are
alike too; where R J has complex eigenvalues that can be larger than 1, though every step is stable for itself.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
from flint import arb
from numpy.typing import NDArray

from ratecert.base.arrays import Balls, norm
from ratecert.base.chart import Drawable
from ratecert.base.errors import NoCertificateError, NoLimitError
from ratecert.base.exact import working_precision
from ratecert.base.validation import shown
from ratecert.solvers.contract.draws import Choice, Switch, moves_of
from ratecert.solvers.contract.problem import (
    UNKNOWNS,
    NearlyQuadratic,
    Problem,
    has_devices,
    is_nearly_quadratic,
    require_problem,
    spaces_of,
    weights_of,
)
from ratecert.solvers.contract.stage import (
    Algorithm,
    Estimator,
    Sampled,
    State,
    first_step,
    name_of,
    require_algorithm,
)
from ratecert.solvers.engines.certificates.certified import asks_at_iterates_only
from ratecert.solvers.engines.expect import require_constant_steps
from ratecert.solvers.engines.experiment import require_devices, require_room
from ratecert.solvers.engines.moments.affine import with_numbers
from ratecert.solvers.engines.moments.interpreter import ASSEMBLY_BITS
from ratecert.solvers.engines.moments.mixture import moments_of

DIGITS = mpmath.MPContext()
DIGITS.dps = 50

Array = NDArray[np.float64]
Digits = NDArray[np.object_]  # of 50-digit numbers
ROUNDING = 1e-25  # of 50-digit eigenvalues, two of which may coincide: below it no divergence is claimed
SQUARINGS, MANY_BITS = 100, 1024  # of a round: what it leaves is then known to 2^-100, with bits to spare
FAR = 1e20  # a fixed point that far out is that of a matrix that is singular but for the rounding of its entries


@dataclass(frozen=True, repr=False)
class FixedPoint(Drawable):
    """The means over devices right after an average, and how far they are from those with an average at every step."""

    x: Array
    y: Array  # empty on one level
    excess_x: (
        Array  # x - the x of p = 1, from 50 digits of both; a system of condition 1/eta^2 costs some of them
    )
    excess_y: Array
    spectral_radius: float  # what a round leaves of a deviation; 1 - 1e-17 is 1.0

    def __repr__(self) -> str:
        unknowns = [name for name in UNKNOWNS if len(getattr(self, name))]
        where = ", ".join(f"{name} = {shown(getattr(self, name).tolist())}" for name in unknowns)
        return f"<at rest: {where}; a round leaves {self.spectral_radius:.6g} of a deviation>"


def fixed_point(problem: Problem, solver: Algorithm) -> FixedPoint:
    """Find the point at which a run without noise comes to rest, round after round.

    Where rounds do not converge it raises NoLimitError, with the spectral radius.

    A problem that is quadratic near (a, b) only, such as a huberised one, is taken if the state lies in that part, and
    rounds that begin near it converge to it; NoCertificateError where it does not. Its devices are alike: all rest
    there.

    problem  a world, or anything with its methods; its devices, where they differ, are all of it
    solver   an algorithm with constant step sizes

    >>> import ratecert as rc
    >>> solver = rc.methods.LocalBSGM(eta=0.1, alpha=2.0, beta=2.0, rho_1=0.2, rho_2=0.5, p=2, theta=0.15, Q=5)
    >>> rest = rc.fixed_point(rc.worlds.heterogeneous(K=3, d_x=1, d_y=1), solver)
    >>> print(f"{rest.x[0]:.4f} {rest.spectral_radius:.4f}")
    -0.0040 0.9971
    """
    require_problem(problem)
    require_room(problem, solver)
    require_algorithm(solver)
    solver.check(problem)
    require_constant_steps("fixed_point", solver)
    near = problem if is_nearly_quadratic(problem) else None
    quadratic = near.quadratic_part if near else problem
    if near and not asks_at_iterates_only(solver):
        raise NoCertificateError(
            f"{_only(near)} {name_of(solver)} asks for gradients of f away from its iterates; use simulate."
        )
    devices = quadratic.devices if has_devices(quadratic) else (quadratic,)
    require_devices(quadratic, solver, len(devices))
    rounds = Rounds(devices, with_digits(solver), weights_of(quadratic, len(devices)))
    change = rounds.change([stage.repeats for stage in solver.stages])
    growth = _growth(change)
    if growth > ROUNDING:
        raise NoLimitError(
            f"the rounds of {name_of(solver)} do not converge: the spectral radius of one is {1 + growth:.12g}, "
            f"larger than 1 by {growth:.3g}; choose other step sizes."
        )
    here, reference = rounds.at_rest(change), rounds.at_rest(rounds.change([1] * len(solver.stages)))
    nothing = np.zeros(0)
    x, y = (here.get(name, nothing).astype(np.float64) for name in UNKNOWNS)
    excess_x, excess_y = (
        (here.get(name, nothing) - reference.get(name, nothing)).astype(np.float64) for name in UNKNOWNS
    )
    if near:
        _require_inside(near, x, y)
    return FixedPoint(x, y, excess_x, excess_y, max(0.0, 1 + growth))


def _only(problem: NearlyQuadratic) -> str:
    return f"{type(problem).__name__} is quadratic within radius = {problem.radius:.6g} of (a, b) only, and"


def _require_inside(problem: NearlyQuadratic, x: Array, y: Array) -> None:
    at_x = float(np.linalg.norm(x - problem.a))
    away = max(np.hypot(at_x, np.linalg.norm(v - problem.b)) for v in (y, problem.y_star(x)))
    if not away < problem.radius:
        raise NoCertificateError(
            f"{_only(problem)} the fixed point (x, y) of that part, or (x, y*(x)), is {away:.6g} away; make radius > "
            f"{away:.6g}."
        )


class MeanOracle:
    """Estimates without their noise, at columns of 50-digit numbers."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._means: dict[str, Digits] = {}

    def choose(self, choice: Choice, t: int, s: State) -> State:
        """The mean of the steps."""
        states = [vars(step(t, s, self)) for step in choice.steps]
        weights = [_likely(p) for p in choice.probabilities]
        return State(
            **{
                name: sum(p * each[name] for p, each in zip(weights, states, strict=True))
                for name in states[0]
            }
        )

    def sample(self, estimator: Estimator, t: int, *, batch: int = 1) -> Sampled:
        def evaluate(*point: Digits) -> Digits:
            if estimator.label not in self._means:
                with working_precision(ASSEMBLY_BITS):
                    moments = moments_of(self.problem, estimator, [len(argument) for argument in point])
                self._means[estimator.label] = _digits_of_balls(moments.mean)
            mean = self._means[estimator.label]
            value: Digits = mean[:, :-1] @ np.vstack(point) + mean[:, -1:]
            return value

        return evaluate


class Rounds:
    """Noise-free cycles. Their state, right after the last average: (fields that it averages, other fields of each
    device, 1), without fields that are computed anew in every cycle before anything reads them."""

    def __init__(
        self, devices: Sequence[Problem], solver: Any, weights: Sequence[Fraction] | None = None
    ) -> None:
        """Without weights all devices count the same."""
        shares = weights or [Fraction(1, len(devices))] * len(devices)
        self.weights = [_likely(share) for share in shares]
        self.stages, moves = solver.stages, moves_of(solver.stages)
        oracles = [MeanOracle(device) for device in devices]
        self.dimensions = _dimensions(devices[0], solver, oracles[0])
        self.steps = [[_matrix(move.step, self.dimensions, oracle) for oracle in oracles] for move in moves]
        live = self._places(self._live())
        averaged = self._places(
            set.intersection(*(set(move.averaged) for move in moves_of(self.stages[-1:])))
        )
        self.common, self.own = live & averaged, live & ~averaged
        self.views = [self._view(k) for k in range(len(devices))]

    def change(self, repeats: Sequence[int]) -> Digits:
        """What a cycle adds to the state, as a matrix on the state; without the row of the 1.

        `repeats`: the steps before each average.
        """
        here = self.views
        all_steps = iter(self.steps)
        for stage, p in zip(self.stages, repeats, strict=True):
            moves = [(next(all_steps), move.averaged) for move in moves_of([stage])]
            if isinstance(stage, Switch):
                here = self._switched(stage, moves, here)
            else:
                [(steps, averaged)] = moves
                here = self._round([_power(step, p) for step in steps], here, averaged)
        own = [end[:-1][self.own] for end in here]
        after = np.vstack([self._mean(here)[:-1][self.common], *own])
        change: Digits = after - _digits(np.eye(*after.shape))
        return change

    def _switched(
        self, switch: Switch, moves: Sequence[tuple[list[Digits], Sequence[str]]], here: list[Digits]
    ) -> list[Digits]:
        """The mean over all lists of moves."""

        def moved(move: int, before: list[Digits], _turn: int) -> list[Digits]:
            return self._round(moves[move][0], before, moves[move][1])

        states = switch.states(here, moved)
        parts = [[_likely(p) * end for end in states[turn]] for turn, p in switch.endings]
        return [sum(device[1:], start=device[0]) for device in zip(*parts, strict=True)]

    def _round(self, steps: list[Digits], here: list[Digits], averaged: Sequence[str]) -> list[Digits]:
        """The states of the devices, as matrices on the state, after a step of each and an average."""
        ends = [step @ view for step, view in zip(steps, here, strict=True)]
        mean, places = self._mean(ends), np.append(self._places(averaged), False)
        return [np.where(places[:, None], mean, end) for end in ends]

    def _live(self) -> set[str]:
        """The fields on whose values at the beginning of a cycle x and y depend, in this cycle or a later one."""
        live = {*UNKNOWNS} & {*self.dimensions}
        while True:
            needed = live
            all_steps = iter(reversed(self.steps))
            for stage in reversed(self.stages):
                drawn, moves = isinstance(stage, Switch), [next(all_steps) for _ in moves_of([stage])]
                read, needed = needed, needed if drawn else set()
                times = len(stage.turns) if isinstance(stage, Switch) else stage.repeats
                for _ in range(min(times, len(self.dimensions))):  # by then nothing new is read
                    read = set.union(*(self._read_for(read, steps) for steps in moves))
                    needed = needed | read
            if needed <= live:
                return live
            live = live | needed

    def _read_for(self, written: set[str], steps: list[Digits]) -> set[str]:
        """The fields that a step reads to compute these."""
        rows = np.append(self._places(written), False)
        used = np.any([np.any(step[rows] != 0, axis=0) for step in steps], axis=0)
        return {name for name in self.dimensions if used[np.append(self._places({name}), False)].any()}

    def _mean(self, of_devices: Sequence[Digits]) -> Digits:
        """The mean over devices, by their weights."""
        parts = [weight * own for weight, own in zip(self.weights, of_devices, strict=True)]
        mean: Digits = sum(parts[1:], start=parts[0])
        return mean

    def _places(self, names: Collection[str]) -> NDArray[np.bool_]:
        return np.repeat([name in names for name in self.dimensions], list(self.dimensions.values()))

    def at_rest(self, change: Digits) -> dict[str, Digits]:
        """The means over devices of all fields where the change is zero."""
        C, constant = DIGITS.matrix(change[:, :-1].tolist()), DIGITS.matrix(change[:, -1].tolist())
        try:
            state = DIGITS.lu_solve(C, -constant)
        except (
            ZeroDivisionError,
            TypeError,
        ):  # how mpmath meets a pivot, or a column of pivots, that is zero
            state = [DIGITS.inf]
        if not max(map(abs, state)) < FAR:
            raise NoLimitError(
                "the rounds have more than one fixed point, or none: to rounding an eigenvalue of a round is 1; choose "
                "a problem whose Phi has one minimiser."
            )
        mean = self._mean(self.views) @ np.array([*state, DIGITS.mpf(1)])
        ends = np.cumsum(list(self.dimensions.values()))
        return dict(zip(self.dimensions, np.split(mean, ends), strict=False))

    def _view(self, k: int) -> Digits:
        """(fields of device k, 1) as a matrix on the state."""
        common, own = np.flatnonzero(self.common), np.flatnonzero(self.own)
        view = np.zeros((len(self.own) + 1, len(common) + len(own) * len(self.steps[0]) + 1))
        view[common, np.arange(len(common))] = 1.0
        view[own, len(common) + k * len(own) + np.arange(len(own))] = 1.0
        view[-1, -1] = 1.0
        return _digits(view)


def _growth(change: Digits) -> float:
    """The spectral radius of a round, minus 1, in floats if they can tell its sign and in many bits if not."""
    C = change[:, :-1].astype(np.float64)
    if not np.isfinite(C).all():  # a long round that has left all floats
        return np.inf
    values, vectors = np.linalg.eig(C)
    error = len(C) * np.finfo(float).eps * np.linalg.norm(C) * np.linalg.cond(vectors)  # Bauer and Fike
    with np.errstate(over="ignore", invalid="ignore"):
        squares = 2 * values.real + np.abs(values) ** 2  # |1 + value|^2 - 1
        errors = (2 + 2 * np.abs(values) + error) * error
        certain = (squares + errors < 0).all() or (squares - errors > 0).any()
    if not certain:
        return _growth_of_powers(change[:, :-1])
    square = float(squares.max())
    return float(square / (1 + np.sqrt(max(0.0, 1 + square))))


def _growth_of_powers(C: Digits) -> float:
    """The same from ||A^m||^(1/m), A = I + C, at an m at which norms and coinciding eigenvalues no longer matter."""
    with working_precision(MANY_BITS):
        power = Balls.identity(len(C)) + Balls.of(C)
        for _ in range(SQUARINGS):
            power = power @ power
        size = norm(power)
        return -1.0 if size == 0 else float((size.log() / arb(2) ** SQUARINGS).expm1())


def _dimensions(problem: Problem, solver: Any, oracle: MeanOracle) -> dict[str, int]:
    """The fields of a device after the start or, where there is none, after iteration 0."""
    begin = State(**{name: _digits(np.zeros((d, 1))) for name, d in spaces_of(problem).items()})
    started = solver.start(begin, oracle)
    first = first_step(solver)(0, begin, oracle) if started is begin else started
    return {name: len(value) for name, value in vars(first).items()}


def _matrix(step: Any, dimensions: dict[str, int], oracle: MeanOracle) -> Digits:
    """A step as a matrix on (fields, 1), from its values at all unit vectors and at zero."""
    n = sum(dimensions.values())
    blocks = np.split(_digits(np.eye(n, n + 1)), np.cumsum(list(dimensions.values())))
    after = step(1, State(**dict(zip(dimensions, blocks, strict=False))), oracle)
    values = np.vstack([getattr(after, name) for name in dimensions])
    slope, constant = values[:, :-1] - values[:, -1:], values[:, -1:]
    return np.vstack([np.hstack([slope, constant]), _digits(np.eye(n + 1)[-1:])])


def _likely(p: Any) -> Any:
    """A probability in 50 digits."""
    return DIGITS.mpf(p.numerator) / p.denominator if isinstance(p, Fraction) else DIGITS.mpf(p)


def _power(matrix: Digits, p: int) -> Digits:
    """matrix^p; numpy's own power is not for objects."""
    if p == 1:
        return matrix
    half = _power(matrix, p // 2)
    even: Digits = half @ half
    return even @ matrix if p % 2 else even


def with_digits(solver: Algorithm) -> Any:
    """The same algorithm with 50-digit numbers for its floats."""
    return with_numbers(solver, DIGITS.mpf)


def _digits_of_balls(balls: NDArray[Any]) -> Digits:
    """The midpoints, rounded to 50 digits."""
    digits = np.empty(balls.shape, dtype=object)
    digits.ravel()[:] = [+DIGITS.mpf(tuple(map(int, v.mid().man_exp()))) for v in balls.ravel().tolist()]
    return digits


def _digits(array: Array) -> Digits:
    return np.frompyfunc(DIGITS.mpf, 1, 1)(array)  # type: ignore[no-any-return]
