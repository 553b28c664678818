"""The measures of a tile of replicates: forms of the mean over devices and of deviations from it, lane by lane.

Their means and covariances over replicates are merged tile by tile (Chan, Golub and LeVeque 1983).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import nothing_like
from ratecert.base.errors import RatecertError, UserError
from ratecert.base.own_code import located, own_lines
from ratecert.solvers.contract.measures import Form, IterateSum, Measure, at_devices, sums_of
from ratecert.solvers.contract.problem import AnyProblem, weights_of
from ratecert.solvers.contract.stage import State, name_of
from ratecert.solvers.engines.experiment import Experiment

Array = NDArray[np.float64]


def uneven_weights(problem: AnyProblem, K: int) -> Array | None:
    """(K,): the weights of the devices, unless they are all the same."""
    weights = np.array([float(p) for p in weights_of(problem, K)])
    return None if (weights == weights[0]).all() else weights


class Readings:
    """What is read of the states of one tile, of lanes = devices x replicates, replicates fastest."""

    def __init__(self, experiment: Experiment, replicates: int) -> None:
        self.experiment, self.replicates = experiment, replicates
        self.uneven = uneven_weights(experiment.problem, experiment.K)
        self._nothing: Array = nothing_like(next(iter(experiment.start.values())), replicates)
        self.weights = {
            id(form): form.weight(experiment.problem, self._nothing)
            for measure in experiment.measures.values()
            for _, form in measure.forms
            if form.weight is not None and form.of != "own"
        }
        self._sums: dict[IterateSum, Array | float] = dict.fromkeys(sums_of(experiment.measures), 0.0)

    @cached_property
    def read_last(self) -> NDArray[np.bool_]:
        """Which measures are read at T instead of averaged over t < T."""
        at_end = ("last", "mean")
        return np.array([measure.at in at_end for measure in self.experiment.measures.values()])

    def passed(self, t: int, s: State) -> None:
        """Count iterate t in the sums over iterates."""
        for each, total in self._sums.items():
            self._sums[each] = total + float(each.counted(t)) * getattr(s, each.field)

    def at(self, t: int, s: State) -> Array:
        """(measures, replicates): every measure at iteration t; at the mean of no iterates, that of the first."""
        here = s, self._mean_over_devices(s)
        values = self.experiment.measures.items()
        read = [(self._before(t, m) if m.at == "mean" and t else here) for _, m in values]
        return np.stack([self._measured(*each, *states) for each, states in zip(values, read, strict=True)])

    def _before(self, t: int, measure: Measure) -> tuple[State, State]:
        """The means of the iterates before t that the measure reads, and these over devices."""
        sums = {each: total for each, total in self._sums.items() if each.likely == measure.likely}
        means = State(**{each.field: total / float(each.total(t)) for each, total in sums.items()})
        return means, self._mean_over_devices(means)

    def _mean_over_devices(self, s: State) -> State:
        return State(**{n: self._mean(v.reshape(len(v), -1, self.replicates)) for n, v in vars(s).items()})

    def _mean(self, of_devices: Array) -> Array:
        """(d, K, replicates) to (d, replicates)."""
        if self.uneven is None:
            mean: Array = of_devices.sum(axis=1) / self.experiment.K
            return mean
        return (of_devices * self.uneven[:, None]).sum(axis=1)  # type: ignore[no-any-return]

    def _measured(self, name: str, measure: Measure, s: State, mean: State) -> Array:
        total = self._nothing
        for factor, form in measure.forms:
            try:
                total = total + factor * self._form(form, s, mean)
            except RatecertError:
                raise
            except Exception as error:
                if not own_lines(error) and not isinstance(
                    error, AttributeError | IndexError | TypeError | ValueError
                ):
                    raise
                raise UserError(
                    f"the measure {name!r} cannot be read ({located(error)}); the state of "
                    f"{name_of(self.experiment.solver)} has {', '.join(vars(s))} here, with a row "
                    f"for each coordinate and a column for each run."
                ) from error
        return total

    def _form(self, form: Form, s: State, mean: State) -> Array:
        K, problem = self.experiment.K, self.experiment.problem
        if form.of == "own":
            return self._own_form(form, s)
        total, at_mean = self._nothing, form.vector(problem, mean)
        if form.of != "deviations":
            total = total + self._squares(form, at_mean).sum(axis=0)
        if form.of != "mean" and K > 1:
            own = form.vector(problem, s).reshape(len(at_mean), K, self.replicates) - at_mean[:, None]
            total = total + self._mean(self._squares(form, own)).sum(axis=0)
        return total

    def _own_form(self, form: Form, s: State) -> Array:
        """At the state of each device, or of one, as that device sees it."""
        K, R = self.experiment.K, self.replicates
        seen = at_devices(self.experiment.problem)
        values = []
        for k in range(K) if form.device is None else (form.device,):
            problem = seen[k if len(seen) > 1 else 0]
            v = form.vector(problem, State(**{n: f[:, k * R : (k + 1) * R] for n, f in vars(s).items()}))
            W = None if form.weight is None else form.weight(problem, v)
            values.append((v * (v if W is None else W @ v)).sum(axis=0))
        mean: Array = values[0] if form.device is not None else self._mean(np.stack(values)[None])[0]
        return mean

    def _squares(self, form: Form, v: Array) -> Array:
        """v'W v is the sum of these over the first axis."""
        squares: Array = v * (v if form.weight is None else np.tensordot(self.weights[id(form)], v, axes=1))
        return squares


@dataclass(frozen=True)
class Spread:
    """n observations of a vector: their mean and the sum of outer products of deviations from it.

    Of outcomes with weights, n is the sum of these.
    """

    n: float
    mean: Array
    scatter: Array

    @staticmethod
    def of(values: Array, weights: Array | None = None) -> "Spread":
        """values: (..., components, replicates)."""
        if weights is None:
            mean = values.mean(axis=-1)
            off = values - mean[..., None]
            return Spread(values.shape[-1], mean, off @ np.swapaxes(off, -1, -2))
        n = float(weights.sum())
        mean = values @ weights / n
        off = values - mean[..., None]
        return Spread(n, mean, (off * weights) @ np.swapaxes(off, -1, -2))

    @staticmethod
    def stack(spreads: "Sequence[Spread]", n: float, components: int) -> "Spread":
        """Spreads of the same n observations, one after another; there may be none."""
        if not spreads:
            return Spread(n, np.zeros((0, components)), np.zeros((0, components, components)))
        return Spread(n, np.stack([s.mean for s in spreads]), np.stack([s.scatter for s in spreads]))

    def merge(self, other: "Spread") -> "Spread":
        n = self.n + other.n
        gap = other.mean - self.mean
        outer = gap[..., :, None] * gap[..., None, :]
        scatter = self.scatter + other.scatter + outer * (self.n * other.n / n)
        return Spread(n, self.mean + gap * (other.n / n), scatter)

    def covariance_of_mean(self) -> Array:
        """Infinite for a single replicate, which says nothing about its own error."""
        if self.n == 1:
            return np.full_like(self.scatter, np.inf)
        return self.scatter / (self.n * (self.n - 1))
