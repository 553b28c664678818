"""The same steps compiled by JAX, on a GPU where JAX has one: the samples of tile.py, equal up to rounding.

Iteration 0 is tile.py's. All others are traced once: t is `Later`, schedules are tables over t, and a vector is
`Columns`, an engine's own kind, so that a step and a world run as in exact moments: +, -, scalar * and matrix @.
"""

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ratecert.base.errors import RatecertError, UserError
from ratecert.solvers.contract.draws import Choice, is_drawn, moves_of
from ratecert.solvers.contract.measures import sums_of
from ratecert.solvers.contract.problem import has_devices
from ratecert.solvers.contract.schedule import is_schedule, with_schedules
from ratecert.solvers.contract.stage import Stage, State, name_of
from ratecert.solvers.engines.experiment import Experiment
from ratecert.solvers.engines.sampling.measured import Readings, Spread, uneven_weights
from ratecert.solvers.engines.sampling.noise import GOLDEN, WORD, Hashed, Reader, finalise
from ratecert.solvers.engines.sampling.oracle import ArrayOracle, per_device
from ratecert.solvers.engines.sampling.tile import (
    LARGEST,
    Shares,
    one_iteration,
    oracle_of,
    require_finite,
    start,
)

Fields = dict[str, Any]  # name -> (d, lanes)
NO_NUMBERS = "jit draws signs alone, and here whole numbers or cases are drawn; leave jit out."


class Later:
    """An iteration after the first, as a number that is known when the program runs."""

    def __init__(self, t: Any) -> None:
        self.t = t

    def __add__(self, n: int) -> "Later":
        return Later(self.t + n)

    def __sub__(self, n: int) -> "Later":
        return Later(self.t - n)

    def __eq__(self, other: object) -> bool:
        """No later one is 0, and a step may ask for no other."""
        if other == 0:
            return False
        raise TypeError(f"a step may ask for t == 0 alone, not for t == {other}")

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Table:
    """A schedule whose values at t = 0, 1, ... are known."""

    values: Any
    largest: float
    constant_until: float

    def __call__(self, t: Later) -> Any:
        return jnp.asarray(self.values)[t.t]


class Columns:
    """Vectors as columns of an array of JAX."""

    __array_ufunc__ = None
    ndim = 2

    def __init__(self, array: Any) -> None:
        self.array = array

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, where: Any) -> "Columns":
        return Columns(self.array[where])

    def __iter__(self) -> Iterator["Columns"]:
        return map(Columns, self.array)

    def __add__(self, other: Any) -> "Columns":
        return Columns(self.array + _of(other))

    def __sub__(self, other: Any) -> "Columns":
        return Columns(self.array - _of(other))

    def __rsub__(self, other: Any) -> "Columns":
        return Columns(_of(other) - self.array)

    def __mul__(self, other: Any) -> "Columns":
        return Columns(self.array * _of(other))

    def __truediv__(self, other: Any) -> "Columns":
        return Columns(self.array / _of(other))

    def __neg__(self) -> "Columns":
        return Columns(-self.array)

    def __rmatmul__(self, matrix: Any) -> "Columns":
        return Columns(jnp.asarray(matrix) @ self.array)

    __radd__, __rmul__ = __add__, __mul__

    @staticmethod
    def side_by_side(parts: list["Columns"]) -> "Columns":
        return Columns(jnp.concatenate([part.array for part in parts], axis=1))


def _of(value: Any) -> Any:
    return value.array if isinstance(value, Columns) else value


class SignsOnly(Reader):
    """What is drawn here are signs."""

    def whole(self, n: int) -> Any:
        raise UserError(NO_NUMBERS)

    case = whole_of_device = whole  # type: ignore[assignment]


@dataclass(frozen=True)
class TracedSigns:
    """The signs of `Hashed` at a later t, from its keys."""

    keys: Any  # (devices, blocks of replicates)
    offset: int
    replicates: int

    every_case = False
    weights = None

    def reader(self, t: Any, label: str, member: int, ahead: int) -> Reader:
        state: Any = np.uint64(0)
        for value in (t.t.astype(jnp.uint64), zlib.crc32(label.encode()), member):
            state = finalise(state + np.uint64(GOLDEN) * jnp.asarray(value + 1, jnp.uint64))
        return SignsOnly(partial(self._signs, state), ahead)

    def common(self, t: Any, label: str, probabilities: Any) -> Any:
        raise UserError(NO_NUMBERS)

    def _signs(self, stream: Any, begin: int, count: int) -> Any:
        index = jnp.arange(begin, begin + count, dtype=jnp.uint64)
        words = finalise(finalise(stream + index * np.uint64(GOLDEN))[:, None, None] ^ self.keys)
        bits = (words[..., None] >> jnp.arange(WORD, dtype=jnp.uint64)) & np.uint64(1)
        signs = 1.0 - 2.0 * bits.astype(jnp.float64)
        K, blocks = self.keys.shape
        signs = signs.reshape(count, K, blocks * WORD)[..., self.offset : self.offset + self.replicates]
        return Columns(signs.reshape(count, K * self.replicates))


class Compiled:
    """One experiment, whose tiles run through compiled steps; tiles of one size share them."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self._require_plain()

    def run_tile(self, noise: Hashed, first: int, replicates: int) -> tuple[Spread, Spread]:
        """What tile.run_tile computes."""
        with jax.enable_x64(True), np.errstate(over="ignore", invalid="ignore"):
            return self._run(noise, first, replicates)

    def _run(self, noise: Hashed, first: int, replicates: int) -> tuple[Spread, Spread]:
        T, solver, times = self.experiment.T, self.experiment.solver, self.experiment.read_times
        oracle, shares = oracle_of(self.experiment, noise, replicates), self._shares(noise)
        s, readings = start(self.experiment, oracle, replicates), Readings(self.experiment, replicates)
        measured = readings.at(0, s)
        require_finite(measured, solver, 0, first)
        read = {0: measured}
        stage = solver.stages[0]
        s = one_iteration(stage, 0, s, oracle, shares, ends=stage.repeats == 1)
        shape = (noise.keys, noise.first % WORD, replicates)
        fields, total, t = vars(s), measured, 1
        for u in sorted({*times, T} - {0}):
            fields, total, stopped = self.advance(fields, total, t, u, *shape)
            last = np.asarray(self.measured(fields, replicates))
            if int(stopped) < u:  # say where: the run up to there, again
                fields, _, _ = self.advance(vars(s), read[0], 1, int(stopped), *shape)
                last = np.asarray(self.measured(fields, replicates))
                require_finite(last, solver, int(stopped), first)
            if u < T or u in times or readings.read_last.any():
                require_finite(last, solver, u, first)
            read[u], t = last, u
        found = np.where(readings.read_last[:, None], last, np.asarray(total) / T)
        curves = [Spread.of(read[u]) for u in times]
        return Spread.of(found), Spread.stack(curves, replicates, len(found))

    @partial(jax.jit, static_argnums=(0, 6, 7))
    def advance(
        self, fields: Fields, total: Any, begin: Any, end: Any, keys: Any, offset: int, replicates: int
    ) -> tuple[Fields, Any, Any]:
        """From iteration `begin` to `end`, the measures added up, and the first of these with too large ones."""
        noise, moves = TracedSigns(keys, offset, replicates), jnp.asarray(self._moves)

        def body(t: Any, carried: Any) -> Any:
            fields, total, stopped = carried
            measured = self.measured(fields, replicates)
            bad = ~(measured.sum(axis=0) < LARGEST).all()
            stopped = jnp.where(bad & (stopped > t), t, stopped)
            fields = jax.lax.switch(moves[t % len(moves)], self._branches(noise, t), fields)
            return fields, total + measured, stopped

        never = jnp.asarray(np.iinfo(np.int64).max)
        found: tuple[Fields, Any, Any] = jax.lax.fori_loop(begin, end, body, (fields, total, never))
        return found

    @partial(jax.jit, static_argnums=(0, 2))
    def measured(self, fields: Fields, replicates: int) -> Any:
        """(measures, replicates)."""
        K, problem = self.experiment.K, self.experiment.problem
        s = State(**{name: Columns(field) for name, field in fields.items()})
        mean = State(**{name: Columns(self._mean(field)) for name, field in fields.items()})
        values = []
        for measure in self.experiment.measures.values():
            total = jnp.zeros(replicates)
            for factor, form in measure.forms:
                at_mean = form.vector(problem, mean).array
                W = np.eye(len(at_mean)) if form.weight is None else self.weights[id(form)]
                if form.of != "deviations":
                    total = total + factor * (at_mean * (W @ at_mean)).sum(axis=0)
                if form.of != "mean" and K > 1:
                    own = form.vector(problem, s).array - jnp.tile(at_mean, (1, K))
                    total = total + factor * self._mean((own * (W @ own)).sum(axis=0)[None])[0]
            values.append(total)
        return jnp.stack(values)

    @cached_property
    def weights(self) -> Mapping[int, Any]:
        """The weights of the forms, in doubles."""
        return Readings(self.experiment, 1).weights

    @cached_property
    def uneven(self) -> Any:
        return uneven_weights(self.experiment.problem, self.experiment.K)

    def _mean(self, field: Any) -> Any:
        """(d, K x replicates) to (d, replicates)."""
        of_devices = field.reshape(len(field), self.experiment.K, -1)
        if self.uneven is None:
            return of_devices.sum(axis=1) / self.experiment.K
        return (of_devices * self.uneven[:, None]).sum(axis=1)

    def _shares(self, noise: Hashed) -> Shares:
        return Shares(self.experiment.problem, self.experiment.K, noise)

    @cached_property
    def _cycle(self) -> list[tuple[Stage, bool]]:
        """The stages of a cycle, iteration by iteration, and whether their average follows."""
        stages = self.solver.stages
        return [(stage, i == stage.repeats - 1) for stage in stages for i in range(stage.repeats)]

    @cached_property
    def _moves(self) -> Any:
        """(length of a cycle,): which of the different moves each iteration is."""
        return np.array([self._different.index(move) for move in self._cycle])

    @cached_property
    def _different(self) -> list[tuple[Stage, bool]]:
        return [move for i, move in enumerate(self._cycle) if move not in self._cycle[:i]]

    def _branches(self, noise: TracedSigns, t: Any) -> list[Callable[[Fields], Fields]]:
        own = self.experiment.problem
        problem = per_device(own, noise.replicates) if has_devices(own) else own

        def branch(stage: Stage, ends: bool, fields: Fields) -> Fields:
            s = State(**{name: Columns(field) for name, field in fields.items()})
            new = vars(stage.step(Later(t), s, ArrayOracle(problem, noise)))  # type: ignore[arg-type]
            moved = {name: field.array for name, field in new.items()}
            for name in stage.averaged if ends else ():
                moved[name] = jnp.tile(self._mean(moved[name]), (1, self.experiment.K))
            return moved

        return [partial(branch, stage, ends) for stage, ends in self._different]

    @cached_property
    def solver(self) -> Any:
        """The method with its schedules as tables; t + 1 may be asked for."""
        given, t = self.experiment.solver, range(self.experiment.T + 2)
        tables = {
            name: Table(np.array([float(each(i)) for i in t]), each.largest, each.constant_until)
            for name, each in vars(given).items()
            if is_schedule(each)
        }
        return with_schedules(given, tables) if tables else given

    def _require_plain(self) -> None:
        """Refuse what is drawn beside samples, and what is read otherwise than by averages, curves and at the end."""
        solver, measures = self.experiment.solver, self.experiment.measures
        moves = moves_of(solver.stages)
        if is_drawn(solver.stages) or any(isinstance(move.step, Choice) for move in moves):
            raise UserError(
                f"jit runs stages of plain steps, and {name_of(solver)} draws what it does beside its samples; leave "
                f"jit out."
            )
        plain = all(m.at in ("average", "last") for m in measures.values()) and not sums_of(measures)
        if not plain or any(form.of == "own" for m in measures.values() for _, form in m.forms):
            raise UserError(
                "jit reads averages over t < T, curves and last iterates of the devices' mean and of "
                "deviations from it; leave jit out, or ask for these alone."
            )


def compiled(experiment: Experiment) -> Callable[[Hashed, int, int], tuple[Spread, Spread]]:
    """What runs tiles; what a step does beyond +, -, scalar * and matrix @ is refused when the first one is traced."""
    run = Compiled(experiment).run_tile

    def told(noise: Hashed, first: int, replicates: int) -> tuple[Spread, Spread]:
        try:
            return run(noise, first, replicates)
        except RatecertError:
            raise
        except (TypeError, AttributeError) as error:
            raise UserError(
                f"the step of {name_of(experiment.solver)} on {type(experiment.problem).__name__} cannot be traced by "
                f"JAX ({type(error).__name__}: {str(error).splitlines()[0]}); leave jit out."
            ) from error

    return told
