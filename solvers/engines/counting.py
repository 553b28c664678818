"""What a run costs each device, counted by taking the algorithm's own steps on a problem that counts what it is asked.

Where a method draws what it does, a count is the mean over the draws, exactly; with the draws given it is that of a
path. Where devices are drawn, it is that of a device that always is; where they differ, that of the longest sum.

A sample counts once, however many points it is evaluated at; Hessian- and Jacobian-vector products count
every time. A round is one average over devices, in which a device sends the averaged fields.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from ratecert.base.errors import UserError, UserTypeError
from ratecert.base.exact import is_exact
from ratecert.base.validation import require_whole, shown
from ratecert.solvers.contract.draws import Choice, Switch, moves_of
from ratecert.solvers.contract.problem import AnyProblem, require_problem, spaces_of
from ratecert.solvers.contract.result import Counts, Number
from ratecert.solvers.contract.signs import GivenNumbers
from ratecert.solvers.contract.stage import (
    Algorithm,
    Estimator,
    Sampled,
    Stage,
    State,
    name_of,
    require_algorithm,
    require_state,
)

COUNTED = {  # what a problem is asked -> what it costs; a term of a finite sum is a sample that is not drawn
    **dict.fromkeys(("sample_f", "term", "term_f"), "samples_f"),
    **dict.fromkeys(("sample_g", "sample_hessian", "sample_jacobian", "term_g"), "samples_g"),
    **dict.fromkeys(("hessian_g", "neumann_factor_g"), "hessian_products"),
    "jacobian_g": "jacobian_products",
}
OF_EVERY_TERM = ("full_gradient", "prox")  # take all terms of a finite sum
DRAWN = ("sample_f", "sample_g", "sample_hessian", "sample_jacobian")


class FirstOutcome:
    """Signs that are all 1, and whole numbers that are all 0: what a problem draws costs the same in every outcome."""

    def signs(self, n: int) -> Any:
        return np.ones((n, 1))

    def whole(self, _n: int) -> Any:
        return np.zeros(1, dtype=np.int64)


class NumbersOnly(GivenNumbers):
    """Whole numbers that an estimator draws, on one lane."""

    def whole(self, n: int) -> Any:
        return np.array([super().whole(n)])


class Counted:
    """One device of a problem, which writes down what is asked of it."""

    def __init__(self, problem: AnyProblem) -> None:
        devices: Sequence[Any] = getattr(problem, "devices", (problem,))
        self._device = max(devices, key=lambda device: getattr(device, "n", 1))
        self.asked: dict[str, Number] = dict.fromkeys(vars(Counts()), 0)

    @property
    def total(self) -> Counts:
        return Counts(**self.asked)

    def __getattr__(self, name: str) -> Any:
        own = getattr(self._device, name)
        if name not in COUNTED and name not in OF_EVERY_TERM:
            return own
        what = COUNTED.get(name, "samples_f")
        often = getattr(self._device, "n", 1) if name in OF_EVERY_TERM else 1

        def counted(*arguments: Any) -> Any:
            self.asked[what] += often
            return own(FirstOutcome()) if name in DRAWN else own(*arguments)

        return counted


class CountingOracle:
    def __init__(self, problem: AnyProblem) -> None:
        self.problem: Any = Counted(problem)

    def sample(self, estimator: Estimator, t: int, *, batch: int = 1) -> Sampled:
        """The mean cost over the whole numbers that the estimator draws, and what it gives with the largest."""
        longest = NumbersOnly()
        self._weighted(0, partial(estimator.sample, self.problem, longest))
        cases = list(product(*map(range, longest.bases)))
        weight = Fraction(batch, len(cases))

        def weighted(call: Callable[..., Any], *arguments: Any) -> Any:
            return self._weighted(weight, partial(call, self.problem, *arguments))

        samples = [weighted(estimator.sample, NumbersOnly(case)) for case in cases]
        return lambda *point: [weighted(estimator.evaluate, sample, *point) for sample in samples][-1]

    def choose(self, choice: Choice, t: int, s: State) -> State:
        """The mean cost of the steps, and what one of them makes."""
        pairs = zip(choice.probabilities, choice.steps, strict=True)
        states = [self._weighted(_decimal(p), partial(step, t, s, self)) for p, step in pairs]
        made: State = states[0]
        return made

    def _weighted(self, weight: Number, call: Callable[[], Any]) -> Any:
        """The value of a call, whose costs count with this weight."""
        asked = self.problem.asked
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
    solver = _in_doubles(solver)
    stages = solver.stages
    if draws is not None:
        _require_draws(stages, T, draws)
    state, total = counted(problem, solver, partial(solver.start, ones(problem)))
    moves = moves_of(stages)
    costs: dict[int, tuple[Counts, Counts]] = {}
    for number, (move, steps, averages) in enumerate(_how_often(stages, T, draws)):
        if number == 0 and T > 0 and not isinstance(stages[0], Switch):
            state, at_0 = counted(problem, solver, partial(move.step, 0, state))
            total, steps = total + at_0, steps - 1
        alike = moves.index(move)  # moves that repeat one another cost the same
        if alike not in costs:
            state, step = counted(problem, solver, partial(move.step, 1, state))
            sent = sum(len(getattr(state, name)) for name in move.averaged)
            costs[alike] = step, Counts(rounds=1, floats_sent=sent) if move.averaged else Counts()
        step, average = costs[alike]
        total += step * steps + average * averages
    return total


def _in_doubles(value: Any) -> Any:
    """The same record with doubles for its exact numbers, in nested records too: real columns take no fractions."""
    if is_exact(value):
        return float(value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    own = {f.name: getattr(value, f.name) for f in fields(value) if f.init}
    changed = {name: _in_doubles(each) for name, each in own.items()}
    return value if all(changed[name] is own[name] for name in own) else replace(value, **changed)


def counted(
    problem: AnyProblem, solver: Any, call: Callable[[CountingOracle], State]
) -> tuple[State, Counts]:
    """What a start or a step makes, whatever its numbers are, and what it costs."""
    oracle = CountingOracle(problem)
    with np.errstate(all="ignore"):
        state = require_state(solver, call(oracle))
    for name, value in vars(state).items():
        if getattr(value, "ndim", 0) != 2:
            raise UserTypeError(
                f"a step of {name_of(solver)} must return vectors with a row for each coordinate and a column for each "
                f"run, as it was given them, got {name} = {shown(value)}."
            )
    return state, oracle.problem.total


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
    state, _ = counted(problem, solver, partial(solver.start, ones(problem)))
    return {name: len(field) for name, field in vars(state).items()}


def dimensions_of_state(problem: AnyProblem, solver: Algorithm) -> dict[str, int]:
    """The dimension of each field of a device's state after iteration 0."""
    step = moves_of(solver.stages)[0].step
    state, _ = counted(problem, solver, lambda oracle: step(0, solver.start(ones(problem), oracle), oracle))
    return {name: len(field) for name, field in vars(state).items()}


def ones(problem: AnyProblem) -> State:
    """Any start: a column of ones for each unknown of the problem."""
    return State(**{name: np.ones((d, 1)) for name, d in spaces_of(problem).items()})


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


def _decimal(p: Any) -> Fraction:
    """A probability as a fraction: of a double the shortest decimal that it is written as, so that 0.3 is 3/10."""
    return Fraction(repr(float(p))) if isinstance(p, float) else Fraction(p)


def _occurrences(T: int, cycle: int, begin: int, length: int) -> int:
    """How many t < T have t mod cycle in [begin, begin + length)."""
    return (T // cycle) * length + int(np.clip(T % cycle - begin, 0, length))
