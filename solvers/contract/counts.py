"""What a run costs each device, counted by interpreting the algorithm's own steps.

Where a method draws what it does, a count is the mean over the draws, exactly; with the draws given it is that of a
path. Where devices are drawn, it is that of a device that always is; where they differ, that of the longest sum.

A sample counts once, however many points it is evaluated at; Hessian- and Jacobian-vector products count
every time. A round is one average over devices, in which a device sends the averaged fields.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from ratecert.base.errors import UserError, UserTypeError
from ratecert.base.validation import require_whole, shown
from ratecert.solvers.contract.draws import Choice, Switch, moves_of
from ratecert.solvers.contract.problem import AnyProblem, require_problem, spaces_of
from ratecert.solvers.contract.signs import GivenNumbers
from ratecert.solvers.contract.stage import (
    Algorithm,
    Estimator,
    Sampled,
    Stage,
    State,
    Vector,
    name_of,
    require_algorithm,
    require_state,
)

Number = int | Fraction


@dataclass(frozen=True)
class Counts:
    """Per device over the whole run."""

    samples_f: Number = 0
    samples_g: Number = 0
    hessian_products: Number = 0
    jacobian_products: Number = 0
    rounds: Number = 0
    floats_sent: Number = 0

    def __add__(self, other: "Counts") -> "Counts":
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Counts(*(_whole(a + b) for a, b in pairs))

    def __mul__(self, times: Number) -> "Counts":
        return Counts(*(_whole(own * times) for own in vars(self).values()))


NAMES = tuple(field.name for field in fields(Counts))


class Size:
    """A vector of which only the dimension is known."""

    __array_ufunc__ = None

    def __init__(self, d: int) -> None:
        self.d = d

    def _same(self, _other: Any = None) -> "Size":
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _same
    __neg__ = __abs__ = __truediv__ = __rtruediv__ = __pow__ = _same  # of steps that are only sampled

    def __rmatmul__(self, matrix: Any) -> "Size":
        """An estimator may apply a matrix of its own."""
        return Size(len(matrix))


class Tally:
    """A problem that computes nothing and writes down what was asked of it."""

    def __init__(self, problem: AnyProblem) -> None:
        self.spaces = spaces_of(problem)
        self.terms = max(getattr(device, "n", 1) for device in getattr(problem, "devices", (problem,)))
        self.asked: dict[str, Number] = dict.fromkeys(NAMES, 0)

    @property
    def total(self) -> Counts:
        return Counts(*map(_whole, self.asked.values()))

    def _count(self, what: str, number: int = 1) -> None:
        self.asked[what] += number

    def sample_f(self, _bits: Any) -> None:
        self._count("samples_f")

    def term(self, _i: int) -> None:
        """A term of a finite sum that is not drawn."""
        self._count("samples_f")

    def sample_g(self, _bits: Any) -> None:
        self._count("samples_g")

    sample_hessian = sample_jacobian = sample_g
    term_f, term_g = sample_f, sample_g  # a term of a finite sum, by its number

    @property
    def d_x(self) -> int:
        return self.spaces["x"]

    @property
    def d_y(self) -> int:
        return self.spaces["y"]

    def grad_x_f(self, *_: Any) -> Size:
        return Size(self.d_x)

    grad_f = table_gradient = grad_x_f

    def full_gradient(self, *_: Any) -> Size:
        """It takes every term of a finite sum."""
        self._count("samples_f", self.terms)
        return Size(self.d_x)

    def prox(self, *_: Any) -> Size:
        """It takes every term of a finite sum, too."""
        return self.full_gradient()

    def prox_r(self, *_: Any) -> Size:
        """A regulariser is known: no sample."""
        return Size(self.d_x)

    def grad_y_f(self, *_: Any) -> Size:
        return Size(self.d_y)

    grad_y_g = grad_y_f

    def hessian_g(self, *_: Any) -> Size:
        self._count("hessian_products")
        return Size(self.d_y)

    neumann_factor_g = hessian_g

    def jacobian_g(self, *_: Any) -> Size:
        self._count("jacobian_products")
        return Size(self.d_x)


class TallyOracle:
    def __init__(self, tally: Tally) -> None:
        self.tally = tally

    def sample(self, estimator: Estimator, t: int, *, batch: int = 1) -> Sampled:
        longest = GivenNumbers(())
        self._weighted(0, partial(estimator.sample, self.tally, longest))
        cases = list(product(*map(range, longest.bases)))
        weight = Fraction(batch, len(cases))
        samples = [
            self._weighted(weight, partial(estimator.sample, self.tally, GivenNumbers(case)))
            for case in cases
        ]

        def evaluate(*point: Vector) -> Vector:
            values = [
                self._weighted(weight, partial(estimator.evaluate, self.tally, sample, *point))
                for sample in samples
            ]
            return values[0]

        return evaluate

    def choose(self, choice: Choice, t: int, s: State) -> State:
        """The mean cost of the steps, and what one of them makes."""
        pairs = zip(choice.probabilities, choice.steps, strict=True)
        states = [self._weighted(_decimal(p), partial(step, t, s, self)) for p, step in pairs]
        made: State = states[0]
        return made

    def _weighted(self, weight: Number, call: Callable[[], Any]) -> Any:
        """The value of a call, whose costs count with this weight."""
        asked = self.tally.asked
        before = dict(asked)
        value = call()
        for what, number in before.items():
            if asked[what] != number:
                asked[what] = number + (asked[what] - number) * weight
        return value


def count(problem: AnyProblem, solver: Algorithm, T: int, *, draws: Sequence[int] | None = None) -> Counts:
    """Count the samples, matrix products, rounds and numbers sent that T iterations cost each device.

    problem   a world, or anything with its methods
    solver    an algorithm; every step after the first costs what the first one of its stage does at t > 0
    T         iterations
    draws     with which turn each iteration of a switch was over, in order (of random rounds, how many there were);
              without it, the mean over all draws
    """
    require_problem(problem)
    require_algorithm(solver)
    T = require_whole("T", T, least=0)
    stages = solver.stages
    if draws is not None:
        _require_draws(stages, T, draws)
    tally = Tally(problem)
    state = on_sizes(solver, partial(solver.start, _sizes(problem), TallyOracle(tally)))
    total, moves = tally.total, moves_of(stages)
    costs: dict[int, tuple[Counts, Counts]] = {}
    for number, (move, steps, averages) in enumerate(_how_often(stages, T, draws)):
        if number == 0 and T > 0 and not isinstance(stages[0], Switch):
            state, at_0 = _one_step(problem, solver, move.step, 0, state)
            total, steps = total + at_0, steps - 1
        alike = moves.index(move)  # moves that repeat one another cost the same
        if alike not in costs:
            state, step = _one_step(problem, solver, move.step, 1, state)
            sent = sum(getattr(state, name).d for name in move.averaged)
            costs[alike] = step, Counts(rounds=1, floats_sent=sent) if move.averaged else Counts()
        step, average = costs[alike]
        total += step * steps + average * averages
    return total


def _how_often(
    stages: Sequence[Stage | Switch], T: int, draws: Sequence[int] | None
) -> Iterator[tuple[Stage, Number, Number]]:
    """Every move in order, with how many steps and how many averages T iterations have of it."""
    cycle, begin = sum(stage.repeats for stage in stages), 0
    switches = [stage for stage in stages if isinstance(stage, Switch)]
    passed = 0
    for stage in stages:
        iterations = _occurrences(T, cycle, begin, stage.repeats)
        if isinstance(stage, Switch):
            own = None if draws is None else draws[passed :: len(switches)]
            passed += 1
            for move, made in zip(stage.moves, _moves_made(stage, iterations, own), strict=True):
                yield move, made, made
        else:
            yield stage, iterations, _occurrences(T, cycle, begin + stage.repeats - 1, 1)
        begin += stage.repeats


def _moves_made(switch: Switch, iterations: int, draws: Sequence[int] | None) -> list[Number]:
    """How often each move of a switch is made, on average or with these draws."""
    if draws is None:
        ends = [_decimal(p) * iterations for p in (switch.nothing, *(turn.ends for turn in switch.turns))]
    else:
        ends = [Fraction(list(draws).count(i)) for i in range(len(switch.turns) + 1)]
    often: list[Number] = [0] * len(switch.moves)
    for i in range(len(switch.turns), 0, -1):
        turn = switch.turns[i - 1]
        often[turn.move] += ends[i]
        ends[turn.after] += ends[i]
    return often


def fields_at_start(problem: AnyProblem, solver: Algorithm) -> dict[str, int]:
    """The dimension of each field that the method makes before iteration 0."""
    state = solver.start(_sizes(problem), TallyOracle(Tally(problem)))
    return {name: size.d for name, size in vars(state).items()}


def dimensions_of_state(problem: AnyProblem, solver: Algorithm) -> dict[str, int]:
    """The dimension of each field of a device's state after iteration 0."""
    oracle = TallyOracle(Tally(problem))
    state = solver.start(_sizes(problem), oracle)
    after = require_state(solver, moves_of(solver.stages)[0].step(0, state, oracle))
    return {name: size.d for name, size in vars(after).items()}


def _sizes(problem: AnyProblem) -> State:
    return State(**{name: Size(d) for name, d in spaces_of(problem).items()})


def _require_draws(stages: Sequence[Stage | Switch], T: int, draws: Sequence[int]) -> None:
    places = np.concatenate(
        [[len(stage.turns) + 1 if isinstance(stage, Switch) else 0] * stage.repeats for stage in stages]
    )
    bases = [int(n) for t in range(T) if (n := places[t % len(places)])]
    if not isinstance(draws, Sequence) or len(draws) != len(bases):
        raise UserError(
            f"draws must be a list of {len(bases)} whole numbers, one for each iteration of a switch, got "
            f"{shown(draws)}."
        )
    for k, n in zip(draws, bases, strict=True):
        require_whole("every number in draws", k, least=0, most=n - 1)


def _one_step(
    problem: AnyProblem, solver: Algorithm, step: Any, t: int, state: State
) -> tuple[State, Counts]:
    tally = Tally(problem)
    return on_sizes(solver, partial(step, t, state, TallyOracle(tally))), tally.total


def on_sizes(solver: Any, call: Callable[[], State]) -> State:
    """What a start or a step makes of vectors of which only the dimension is known."""
    try:
        return call()
    except TypeError as error:
        if Size.__name__ not in str(error):
            raise
        what = str(error).replace(Size.__name__, "vector")
        raise UserTypeError(
            f"the costs of {name_of(solver)} cannot be counted: on its fields and estimates a step may use +, -, *, /, "
            f"**, abs() and matrix @ only ({what})."
        ) from error


def _whole(value: Number) -> Number:
    """A fraction that is a whole number, as one."""
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def _decimal(p: Any) -> Fraction:
    """A probability as a fraction: of a double the shortest decimal that it is written as, so that 0.3 is 3/10."""
    return Fraction(repr(float(p))) if isinstance(p, float) else Fraction(p)


def _occurrences(T: int, cycle: int, begin: int, length: int) -> int:
    """How many t < T have t mod cycle in [begin, begin + length)."""
    return (T // cycle) * length + int(np.clip(T % cycle - begin, 0, length))
