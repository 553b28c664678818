"""Matrices of what a step does, from its rows: every field as an affine expression in the coordinates before the step.

A coefficient is a polynomial in step sizes times a word, a product of estimators' mean matrices; matrices are put
together for all step sizes at once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import Numbers, Polynomials
from ratecert.base.exact import rational
from ratecert.solvers.engines.moments.affine import (
    CONSTANT,
    ONE,
    Affine,
    AffineDraw,
    AffineOracle,
    Row,
    Word,
    add_rows,
    ratio,
    symbol,
)
from ratecert.solvers.engines.moments.layout import Layout, Steps
from ratecert.solvers.engines.moments.step_family import Action, Place, StepFamily
from ratecert.solvers.engines.moments.step_sizes import Etas, InSteps, Monomial, in_steps

Array = NDArray[Any]  # of balls or rationals


@dataclass(frozen=True)
class Assembly:
    oracle: AffineOracle  # which knows the moments of all estimators that were sampled
    numbers: type[Numbers]
    may_vanish: frozenset[
        str
    ]  # the schedules that are not step sizes: those by recursion may begin with zero
    words: dict[Word, Array] = field(default_factory=dict)  # already multiplied out

    def family(
        self, rows: Mapping[str, Affine], inputs: Layout, etas: Callable[[float], Etas], *, keeps_layout: bool
    ) -> StepFamily:
        """The step that leads to these rows, at every t; its mean is an increment where the layout stays."""
        outputs = inputs if keeps_layout else Layout({name: row.d for name, row in rows.items()})
        means = {name: row.mean for name, row in rows.items()}
        if keeps_layout:
            means = {name: add_rows([(1, row), (-1, symbol(name, 0).mean)]) for name, row in means.items()}
        else:
            means[ONE] = symbol(ONE, 1).mean
        mean = self.matrix(means, outputs, inputs)
        actions = tuple(self._action(draw, rows, inputs, outputs) for draw in self.audible(rows))
        return StepFamily(mean, keeps_layout, actions, etas)

    def audible(self, rows: Mapping[str, Affine]) -> list[AffineDraw]:
        """The samples in these rows that have noise, times a number that is not 0."""
        draws = {draw for row in rows.values() for draw, at in row.noise.items() if any(at)}
        by_label = sorted(draws, key=lambda d: d.label)
        return [draw for draw in by_label if not self.oracle.moments(draw.label).silent]

    def entering(self, draw: AffineDraw, rows: Mapping[str, Affine], outputs: Layout) -> Steps:
        """How the noise of a sample at the point 0 enters."""
        size, d = outputs.size, len(self.oracle.moments(draw.label).mean)
        parts: dict[Monomial, Array] = {(): self.numbers.zeros(size, d)}
        for name, row in rows.items():
            *_, ones = row.noise.get(draw, ({},))
            for monomial, c in in_steps(ones.get(ONE, {}).get((), 0)).terms.items():
                part = parts.setdefault(monomial, self.numbers.zeros(size, d))
                part[outputs.slices[name]] += self.numbers.number(c) * self.numbers.identity(d)
        return Steps(parts)

    def matrix(self, rows: Mapping[str, Row], outputs: Layout, inputs: Layout) -> Steps:
        shape = (outputs.size, inputs.size)
        parts: dict[Monomial, Array] = {(): self.numbers.zeros(*shape)}
        for name, row in rows.items():
            target = outputs.slices[name]
            for source, polynomial in row.items():
                for word, coefficient in polynomial.items():
                    block = self._word(word, target)
                    for monomial, c in in_steps(coefficient).terms.items():
                        part = parts.setdefault(monomial, self.numbers.zeros(*shape))
                        part[target, inputs.slices[source]] += self.numbers.number(c) * block
        return Steps(parts)

    def _action(
        self, draw: AffineDraw, rows: Mapping[str, Affine], inputs: Layout, outputs: Layout
    ) -> Action:
        """Fields at which the sample acts at multiples of one point share that point."""
        moments = self.oracle.moments(draw.label)
        point = Layout({f"argument {i}": d for i, d in enumerate(moments.dimensions)})
        found: list[tuple[Sequence[Row], list[Place]]] = []
        one = in_steps(rational(1))
        for name, row in rows.items():
            if draw not in row.noise or not any(row.noise[draw]):
                continue
            here = row.noise[draw]
            ratios = ((places, self._ratio(here, known)) for known, places in found)
            shared = next(((places, r) for places, r in ratios if r is not None), None)
            if shared is None:
                found.append((here, [Place(outputs.slices[name], one, one)]))
            else:
                shared[0].append(Place(outputs.slices[name], *shared[1]))
        acts = []
        for (*arguments, last), places in found:
            named = {**{f"argument {i}": a for i, a in enumerate(arguments)}, ONE: last}
            acts.append((self.matrix(named, point, inputs), tuple(places)))
        return Action(moments, tuple(acts), draw.batch, outputs.size)

    def _ratio(self, here: Sequence[Row], known: Sequence[Row]) -> tuple[InSteps, InSteps] | None:
        """Of polynomials a quotient need not be one, and some coefficients may be zero: every field keeps its point."""
        found = None if self.numbers is Polynomials else ratio(here, known)
        return None if found and found[1].variables & self.may_vanish else found

    def _word(self, word: Word, rows: slice) -> Array:
        if not word:
            return self.numbers.identity(rows.stop - rows.start)
        if word not in self.words:
            first, *rest = word
            factor = self._generator(*first)
            self.words[word] = factor @ self._word(tuple(rest), rows) if rest else factor
        return self.words[word]

    def _generator(self, label: str, argument: int) -> Array:
        moments = self.oracle.moments(label)
        if argument == CONSTANT:
            return moments.mean[:, -1:]
        ends = np.cumsum([0, *moments.dimensions])
        return moments.mean[:, ends[argument] : ends[argument + 1]]
