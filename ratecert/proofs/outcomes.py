"""The one definition of an algorithm run in fractions, over every outcome of its signs."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from ratecert.solvers.contract.draws import moves_of
from ratecert.solvers.contract.stage import Algorithm, Estimator, Sampled, State

Estimate = Callable[[str, Fraction], Sampled]  # by the label of the estimator and the mean of its signs


def every_path(
    solver: Algorithm, estimate: Estimate, *, K: int, T: int, batch: int, start: State
) -> Iterator[list[list[State]]]:
    """The states of all devices for t < T, for every outcome; all are equally likely.

    One sign for each estimate of the upper level, as many as the batch at t = 0. The lower level has no noise.
    """
    (stage,) = moves_of(solver.stages)
    sizes = [batch if t == 0 else 1 for t in range(T - 1)]
    for signs in product((-1, 1), repeat=K * sum(sizes)):
        left, path = iter(signs), [[start] * K]
        for t, size in enumerate(sizes):
            samples = [mean([Fraction(next(left)) for _ in range(size)]) for _ in range(K)]
            devices = [
                stage.step(t, s, GivenSign(estimate, m)) for s, m in zip(path[-1], samples, strict=True)
            ]
            path.append(_averaged(devices, stage.averaged) if (t + 1) % stage.repeats == 0 else devices)
        yield path


def _averaged(devices: Sequence[State], names: Sequence[str]) -> list[State]:
    means = {name: mean([getattr(s, name) for s in devices]) for name in names}
    return [s.but(**means) for s in devices]


def mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


class GivenSign:
    """An oracle whose estimates have this sign, or this mean of signs."""

    def __init__(self, estimate: Estimate, m: Fraction) -> None:
        self.estimate, self.m = estimate, m

    def sample(self, estimator: Estimator, t: int, *, batch: int = 1) -> Any:
        return self.estimate(estimator.label, self.m)
