"""The oracle of the Monte Carlo engine: vectors are arrays (d, lanes), samples are arrays of signs."""

from typing import Any

from ratecert.solvers.contract.problem import SampledProblem
from ratecert.solvers.contract.stage import Estimator, Sampled, Vector, require_own_label
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
        return total * (1 / batch)
