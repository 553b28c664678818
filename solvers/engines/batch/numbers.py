"""A reading with its numbers: what a step adds to the mean, and where its samples enter.

A coordinate is seen from an origin, x and what starts from x from the world's solution x*, y from y*(x*), all others
from 0. Origins are subtracted before anything is rounded: an estimator's argument x + beta (x - x_previous) is seen
from x* too, and what is left of x* there, up to a rounding of pairs, is nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ratecert.solvers.engines.batch.arrays import Array, Many, apply, constants, namespace
from ratecert.solvers.engines.batch.congruences import Counts, congruence
from ratecert.solvers.engines.batch.pairs import Pair, exactly
from ratecert.solvers.engines.batch.reading import OneByOne, Reading
from ratecert.solvers.engines.batch.signs import Moments, counts_of, moments_of
from ratecert.solvers.engines.batch.truth import Truth, value_at
from ratecert.solvers.engines.moments.affine import (
    CONSTANT,
    ONE,
    Affine,
    AffineDraw,
    Row,
    Word,
    add_rows,
    ratio,
    symbol,
)
from ratecert.solvers.engines.moments.step_sizes import InSteps

ROUNDINGS = 2.0**-96  # of the sizes of what is subtracted in pairs: less is nothing


@dataclass(frozen=True)
class Noise:
    """A sample: at the point R w, it enters by G."""

    moments: Moments
    R: Array  # (N, size of z, n)
    G: Array  # (N, rows, d)
    batch: int

    def covariance(self) -> Array:
        """The matrix that takes packed E[w w'] to what the sample adds, packed too."""
        xp = namespace(self.R)
        found = [
            xp.sum(congruence((self.G[:, None, ...] @ L) @ self.R[:, None, ...]), axis=1)
            for L in self.moments.squares
        ]
        for L, table in self.moments.tables:
            led = xp.sum(congruence(self.G[:, None, ...] @ L), axis=1)
            found.append((led @ table) @ congruence(self.R))
        return sum(found[1:], found[0]) / self.batch


class Numbers:
    """One reading on one batch of settings."""

    def __init__(
        self,
        reading: Reading,
        problem: Any,
        truth: Truth,
        letters: Mapping[str, Array],
        pattern: Array,
        settings: int,
    ) -> None:
        self.reading, self.problem, self.truth, self.letters = reading, problem, truth, letters
        self.pattern, self.settings = pattern, settings
        self.solution = {"x": truth.x} if truth.y is None else {"x": truth.x, "y": truth.y}
        self._words: dict[Word, Array] = {}
        self._moments: dict[str, Moments] = {}
        self._at_origin: dict[str, Pair] = {}
        names = reading.coordinates
        starts = np.cumsum([0, *names.values()]).tolist()
        self.slices = {name: slice(a, a + d) for a, (name, d) in zip(starts, names.items(), strict=False)}
        self.n = starts[-1] + 1
        own = {name: reading.first[name] for name in reading.own}
        self.origins = {name: self._origin_of(row.mean, row.d, self.solution) for name, row in own.items()}
        self.of_sums = {}  # by how much the origin of a sum moves with every iterate
        for name, field in reading.sums.items():
            row = vars(reading.state)[field]
            self.origins[name] = self.nowhere(row.d)
            self.of_sums[name] = self._origin_of(row.mean, row.d, self.origins)

    def at(self, t: int) -> "Numbers":
        """The same at iteration t, of which only the letters that change know."""
        other = copy(self)
        other.letters = {
            name: own if not callable(own) else own.after(t) for name, own in self.letters.items()
        }
        for name in ("increment", "first"):
            vars(other).pop(name, None)
        return other

    # Letters, words and origins.

    def value(self, coefficient: Any) -> Array:
        """A coefficient in numbers, (N,) or (1,)."""
        return in_letters(coefficient, self.letters, self.pattern)

    def whole(self, value: Any) -> Counts:
        """Whole numbers of a field that may be a letter, one for each setting."""
        found = counts_of(Many(self.value(value)) if isinstance(value, InSteps) else value)
        return np.broadcast_to(found, self.settings)

    def zeros(self, d: int) -> Array:
        return constants(self.pattern, np.zeros((1, d)))

    def nowhere(self, d: int) -> Pair:
        """The origin of what starts from neither x nor y."""
        return exactly(self.zeros(d))

    def _origin_of(self, row: Row, d: int, origins: Mapping[str, Pair]) -> Pair:
        """Of what starts from x, the origin of x."""
        total = self.nowhere(d)
        for source, polynomial in row.items():
            if source in origins and () in polynomial:
                total = total + origins[source] * self.scale(polynomial[()])
        return total

    def scale(self, coefficient: Any) -> Pair:
        """A coefficient in pairs, (N, 1) or (1, 1): 1 + beta keeps what beta loses beside 1."""
        if not isinstance(coefficient, InSteps):
            return exactly(constants(self.pattern, [[float(coefficient)]]))
        total = exactly(constants(self.pattern, [[0.0]]))
        for monomial, c in coefficient.terms.items():
            made = exactly(constants(self.pattern, [[float(c)]]))
            for (name, offset), exponent in monomial:
                for _ in range(exponent):
                    made = made * letter(self.letters, name, offset)[:, None]
            total = total + made
        return total

    def _origins_at(self, dimensions: Sequence[int]) -> list[Pair]:
        """From where an estimator's arguments are seen: x, y by their places, anything else from 0."""
        spaces = list(self.reading.spaces.items())
        found = []
        for i, d in enumerate(dimensions):
            name, size = spaces[i] if i < len(spaces) else spaces[0]
            usual = size == d and (i < len(spaces) or len(spaces) == 1)
            found.append(self.solution[name] if usual else self.nowhere(d))
        return found

    def moments(self, label: str) -> Moments:
        if label not in self._moments:
            estimator, dimensions = self.reading.oracle.estimator(label)
            xp, origins = namespace(self.pattern), self._origins_at(dimensions)
            rows = max(o.hi.shape[0] for o in origins)
            origin = xp.concat([xp.broadcast_to(o.rounded, (rows, o.hi.shape[1])) for o in origins], axis=-1)
            own = in_numbers(estimator, lambda c: Many(self.value(c)))
            self._moments[label] = moments_of(self.problem, own, dimensions, self.pattern, origin)
            self._at_origin[label] = value_at(
                lambda bits, *z: own.evaluate(self.problem, own.sample(self.problem, bits), *z), *origins
            )
        return self._moments[label]

    def at_origin(self, label: str) -> Pair:
        """The mean of an estimator where its arguments are at their origins: what is left there has cancelled."""
        self.moments(label)
        return self._at_origin[label]

    def _generator(self, label: str, argument: int) -> Array:
        mean = self.moments(label).mean
        ends = np.cumsum([0, *self.reading.oracle.estimator(label)[1]]).tolist()
        return mean[..., ends[argument] : ends[argument + 1]]

    def _word(self, word: Word, d: int) -> Array:
        if not word:
            return constants(self.pattern, np.eye(d)[None])
        if word not in self._words:
            first, *rest = word
            factor = self._generator(*first)
            self._words[word] = factor @ self._word(tuple(rest), factor.shape[-1]) if rest else factor
        return self._words[word]

    # Rows as matrices.

    def matrix(
        self,
        rows: Sequence[tuple[Row, int, Pair | None]],
        sources: Mapping[str, tuple[int, Pair]],
    ) -> Array:
        """(N, sum of d, size of the sources + 1): each row with its dimension and the origin that it is seen from.

        Sources come by name with their dimension and origin; None in the place of an origin leaves constants out.
        """
        xp = namespace(self.pattern)
        blocks = []
        for row, d, origin in rows:
            by_source = {
                name: self.zeros(d)[..., None] * self.zeros(size)[:, None, ...]
                for name, (size, _) in sources.items()
            }
            seen: dict[Word, Pair] = {}
            sizes: dict[Word, Array] = {}
            constant = self.zeros(d)

            def at(word: Word, vector: Pair, seen: Any = seen, sizes: Any = sizes) -> None:
                seen[word] = seen[word] + vector if word in seen else vector
                sizes[word] = sizes[word] + xp.abs(vector.hi) if word in sizes else xp.abs(vector.hi)

            for source, polynomial in row.items():
                for word, coefficient in polynomial.items():
                    c = self.value(coefficient)
                    if source != ONE:
                        by_source[source] = by_source[source] + c[:, None, None] * self._word(word, d)
                        at(word, sources[source][1] * self.scale(coefficient))
                        continue
                    (label, last), prefix = word[-1], word[:-1]
                    if last != CONSTANT:
                        raise OneByOne("a step adds a constant")
                    constant = constant + apply(
                        self._word(prefix, d), c[:, None, ...] * self.at_origin(label).rounded
                    )
                    for i, o in enumerate(self._origins_at(self.reading.oracle.estimator(label)[1])):
                        at((*prefix, (label, i)), -o * self.scale(coefficient))
            if origin is not None:
                at((), -origin)
                for word, vector in seen.items():
                    left, size = vector.rounded, sizes[word]
                    left = xp.where(xp.abs(left) <= ROUNDINGS * size, xp.zeros_like(left), left)
                    constant = constant + apply(self._word(word, d), left)
            else:
                constant = xp.zeros_like(constant)
            parts = [*by_source.values(), constant[..., None]]
            most = max(part.shape[0] for part in parts)
            blocks.append(
                xp.concat([xp.broadcast_to(part, (most, *part.shape[1:])) for part in parts], axis=-1)
            )
        most = max(block.shape[0] for block in blocks)
        return xp.concat([xp.broadcast_to(b, (most, *b.shape[1:])) for b in blocks], axis=-2)

    @cached_property
    def sources(self) -> dict[str, tuple[int, Pair]]:
        """The coordinates."""
        return {name: (d, self.origins[name]) for name, d in self.reading.coordinates.items()}

    @cached_property
    def point(self) -> dict[str, tuple[int, Pair]]:
        """Where a run starts."""
        return {name: (d, self.solution[name]) for name, d in self.reading.spaces.items()}

    @cached_property
    def increment(self) -> Array:
        """(N, n - 1, n): what a step adds to the mean."""
        changes = []
        for name, row in self.reading.rows.items():
            added = add_rows([(1, row.mean), (-1, symbol(name, row.d).mean)])
            changes.append((added, row.d, self.of_sums.get(name, self.nowhere(row.d))))
        return self.matrix(changes, self.sources)

    @cached_property
    def first(self) -> Array:
        """(N, n - 1, size of the start + 1): the first coordinates from where a run starts."""
        begun = {} if self.reading.has_start else self.of_sums
        rows = [
            (row.mean, row.d, begun.get(name, self.origins[name])) for name, row in self.reading.first.items()
        ]
        return self.matrix(rows, self.point)

    def noises(self, rows: Mapping[str, Affine], sources: Mapping[str, tuple[int, Pair]]) -> list[Noise]:
        found = []
        for draw in self.reading.draws(rows):
            moments = self.moments(draw.label)
            if not moments.silent:
                found.append(self._noise(draw, rows, sources, moments))
        return found

    def _noise(
        self,
        draw: AffineDraw,
        rows: Mapping[str, Affine],
        sources: Mapping[str, tuple[int, Pair]],
        moments: Moments,
    ) -> Noise:
        """All fields that a sample enters do so at multiples of one point."""
        xp = namespace(self.pattern)
        entered = {
            name: row.noise[draw] for name, row in rows.items() if draw in row.noise and any(row.noise[draw])
        }
        known = next(iter(entered.values()))
        dimensions = self.reading.oracle.estimator(draw.label)[1]
        *arguments, one = known
        weight = one[ONE][()] if ONE in one else 0
        scale, exact = self.value(weight), self.scale(weight)
        origins = [o * exact for o in self._origins_at(dimensions)]
        R = self.matrix([(a, d, o) for a, d, o in zip(arguments, dimensions, origins, strict=True)], sources)
        last = np.zeros((1, 1, R.shape[-1]))
        last[..., -1] = 1.0
        last_row = xp.broadcast_to(
            constants(R, last) * scale[:, None, None], (max(R.shape[0], scale.shape[0]), 1, R.shape[-1])
        )
        R = xp.concat([xp.broadcast_to(R, (last_row.shape[0], *R.shape[1:])), last_row], axis=-2)
        d, blocks = moments.mean.shape[-2], []
        for name, row in rows.items():
            block = constants(self.pattern, np.eye(row.d, d)[None])
            if name not in entered:
                blocks.append(0.0 * block)
                continue
            shared = ratio(entered[name], known)
            if shared is None:
                raise OneByOne("a sample is evaluated at several points that are no multiples of one another")
            blocks.append((self.value(shared[0]) / self.value(shared[1]))[:, None, None] * block)
        most = max(block.shape[0] for block in blocks)
        G = xp.concat([xp.broadcast_to(block, (most, *block.shape[1:])) for block in blocks], axis=-2)
        return Noise(moments, R, G, draw.batch)


def in_letters(coefficient: Any, letters: Mapping[str, Array], pattern: Array) -> Array:
    """A polynomial in letters, or a number, in numbers."""
    if not isinstance(coefficient, InSteps):
        return constants(pattern, [float(coefficient)])
    total = constants(pattern, [0.0])
    for monomial, c in coefficient.terms.items():
        made = constants(pattern, [float(c)])
        for (name, offset), exponent in monomial:
            made = made * letter(letters, name, offset) ** exponent
        total = total + made
    return total


def letter(letters: Mapping[str, Any], name: str, offset: int) -> Array:
    """The numbers of a letter, so many iterations later where it changes with t."""
    own = letters[name]
    return own(offset) if callable(own) else own


def in_numbers(estimator: Any, number: Callable[[Any], Any]) -> Any:
    """An estimator with numbers in the place of letters."""
    letters = {name: value for name, value in vars(estimator).items() if isinstance(value, InSteps)}
    if not letters:
        return estimator
    made = object.__new__(type(estimator))
    for name, value in vars(estimator).items():
        object.__setattr__(made, name, number(value) if name in letters else value)
    return made
