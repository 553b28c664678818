"""What a run costs each device, counted by interpreting the algorithm's own steps.

A sample counts once, however many points it is evaluated at; Hessian- and Jacobian-vector products count
every time. A round is one average over devices, in which a device sends the averaged fields.
"""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from solvers.stage import Algorithm, Estimator, Sampled, State, Vector


@dataclass(frozen=True)
class Counts:
    """Per device over the whole run."""

    samples_f: int = 0
    samples_g: int = 0
    hessian_products: int = 0
    jacobian_products: int = 0
    rounds: int = 0
    floats_sent: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def __mul__(self, times: int) -> "Counts":
        return Counts(*(getattr(self, f.name) * times for f in fields(self)))


class Size:
    """A vector of which only the dimension is known."""

    __array_ufunc__ = None

    def __init__(self, d: int) -> None:
        self.d = d

    def _same(self, _other: Any = None) -> "Size":
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _same


class Tally:
    """A problem that computes nothing and writes down what was asked of it."""

    def __init__(self, problem: Any) -> None:
        self.d_x, self.d_y = problem.d_x, problem.d_y
        self.total = Counts()

    def _sample(self, **one: int) -> None:
        self.total += Counts(**one)

    def sample_f(self, _bits: None) -> None:
        self._sample(samples_f=1)

    def sample_g(self, _bits: None) -> None:
        self._sample(samples_g=1)

    sample_hessian = sample_jacobian = sample_g

    def grad_x_f(self, *_: Any) -> Size:
        return Size(self.d_x)

    def grad_y_f(self, *_: Any) -> Size:
        return Size(self.d_y)

    grad_y_g = grad_y_f

    def hessian_g(self, *_: Any) -> Size:
        self._sample(hessian_products=1)
        return Size(self.d_y)

    neumann_factor_g = hessian_g

    def jacobian_g(self, *_: Any) -> Size:
        self._sample(jacobian_products=1)
        return Size(self.d_x)


class TallyOracle:
    def __init__(self, tally: Tally) -> None:
        self.tally = tally

    def sample(self, estimator: Estimator, t: int, *, batch: int = 1) -> Sampled:
        before = self.tally.total
        sample = estimator.sample(self.tally, None)
        self.tally.total = before + _between(before, self.tally.total) * batch

        def evaluate(*point: Vector) -> Vector:
            start = self.tally.total
            value = estimator.evaluate(self.tally, sample, *point)
            self.tally.total = start + _between(start, self.tally.total) * batch
            return value

        return evaluate


def count(problem: Any, solver: Algorithm, T: int) -> Counts:
    """The counts of T iterations. Every step after the first costs what the first one of its stage does at t > 0."""
    stages = solver.stages
    cycle = sum(stage.repeats for stage in stages)
    tally = Tally(problem)
    state = solver.start(State(x=Size(problem.d_x), y=Size(problem.d_y)), TallyOracle(tally))
    state, first = _one_step(problem, stages[0].step, 0, state)
    total, begin = tally.total + first, 0
    for stage in stages:
        steps = _occurrences(T, cycle, begin, stage.repeats)
        later = steps - (1 if begin == 0 else 0)
        state, cost = _one_step(problem, stage.step, 1, state)
        total += cost * later
        if stage.averaged:
            rounds = _occurrences(T, cycle, begin + stage.repeats - 1, 1)
            sent = sum(getattr(state, name).d for name in stage.averaged)
            total += Counts(rounds=rounds, floats_sent=rounds * sent)
        begin += stage.repeats
    return total


def _one_step(problem: Any, step: Any, t: int, state: State) -> tuple[State, Counts]:
    tally = Tally(problem)
    return step(t, state, TallyOracle(tally)), tally.total


def _between(before: Counts, after: Counts) -> Counts:
    return after + before * -1


def _occurrences(T: int, cycle: int, begin: int, length: int) -> int:
    """How many t < T have t mod cycle in [begin, begin + length)."""
    return (T // cycle) * length + int(np.clip(T % cycle - begin, 0, length))
