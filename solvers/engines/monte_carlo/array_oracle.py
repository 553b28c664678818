"""The oracle of the Monte Carlo engine: vectors are arrays (d, lanes), samples are arrays of signs."""

from fractions import Fraction
from typing import Any

import numpy as np

from ratecert.base.arrays import number_like
from ratecert.base.errors import UserError
from ratecert.solvers.contract.draws import Choice
from ratecert.solvers.contract.problem import SampledProblem
from ratecert.solvers.contract.stage import Estimator, Sampled, State, Vector, require_own_label
from ratecert.solvers.engines.monte_carlo.noise import SignStreams

MEMBERS = 2**32  # more than a batch has: members of different rounds have different numbers


class ArrayOracle:
    def __init__(self, problem: SampledProblem, noise: SignStreams, *, round: int = 0) -> None:
        """`round` tells apart the random rounds of one iteration, each with samples of its own."""
        self.problem = problem
        self.noise = noise
        self.round = round
        self._estimators: dict[str, Estimator] = {}
        self._signs_used: dict[str, int] = {}

    def in_round(self, round: int) -> "ArrayOracle":
        return ArrayOracle(self.problem, self.noise, round=round)

    def sample(self, estimator: Estimator, t: int, *, batch: int = 1) -> Sampled:
        require_own_label(self._estimators, estimator)
        if batch == 1:
            sample = self._draw(estimator, t, 0)
            return lambda *point: estimator.evaluate(self.problem, sample, *point)
        return lambda *point: self._batch_mean(estimator, t, batch, point)

    def choose(self, choice: Choice, t: int, s: State) -> State:
        """Every step on all lanes, and of each lane the one that it has drawn."""
        if choice.label in self._estimators:
            raise UserError(
                f"a choice and an estimator draw from the stream {choice.label!r}; give each a label."
            )
        reader = self.noise.reader(t, choice.label, self.round * MEMBERS, 0)
        case = reader.case([float(p) for p in choice.probabilities])
        states, lanes = [vars(step(t, s, self)) for step in choice.steps], np.arange(len(case))
        return State(
            **{name: np.stack([each[name] for each in states])[case, :, lanes].T for name in states[0]}
        )

    def _draw(self, estimator: Estimator, t: int, member: int) -> Any:
        ahead = self._signs_used.get(estimator.label, 0)
        bits = self.noise.reader(t, estimator.label, self.round * MEMBERS + member, ahead)
        sample = estimator.sample(self.problem, bits)
        self._signs_used[estimator.label] = bits.used
        return sample

    def _batch_mean(self, estimator: Estimator, t: int, batch: int, point: tuple[Vector, ...]) -> Vector:
        """Members are drawn again at every point, which gives the same signs and needs no memory."""
        total = estimator.evaluate(self.problem, self._draw(estimator, t, 0), *point)
        for member in range(1, batch):
            total = total + estimator.evaluate(self.problem, self._draw(estimator, t, member), *point)
        return total * number_like(total)(Fraction(1, batch))
