"""The oracle of the Monte Carlo engine: vectors are arrays (d, lanes), samples are arrays of signs."""

from typing import Any

from solvers.noise import Noise
from solvers.stage import Estimator, Sampled, Vector, require_own_label


class ArrayOracle:
    def __init__(self, problem: Any, noise: Noise) -> None:
        self.problem = problem
        self.noise = noise
        self._estimators: dict[str, Estimator] = {}
        self._signs_used: dict[str, int] = {}

    def sample(self, estimator: Estimator, t: int, *, batch: int = 1) -> Sampled:
        require_own_label(self._estimators, estimator)
        if batch == 1:
            sample = self._draw(estimator, t, 0)
            return lambda *point: estimator.evaluate(self.problem, sample, *point)
        return lambda *point: self._batch_mean(estimator, t, batch, point)

    def _draw(self, estimator: Estimator, t: int, member: int) -> Any:
        bits = self.noise.reader(t, estimator.label, member, self._signs_used.get(estimator.label, 0))
        sample = estimator.sample(self.problem, bits)
        self._signs_used[estimator.label] = bits.used
        return sample

    def _batch_mean(self, estimator: Estimator, t: int, batch: int, point: tuple[Vector, ...]) -> Vector:
        """Members are drawn again at every point, which gives the same signs and needs no memory."""
        total = estimator.evaluate(self.problem, self._draw(estimator, t, 0), *point)
        for member in range(1, batch):
            total = total + estimator.evaluate(self.problem, self._draw(estimator, t, member), *point)
        return total * (1 / batch)
