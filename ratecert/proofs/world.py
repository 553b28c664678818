"""A world along its axes, in fractions: where a run starts, the samples that it meets there, and its constants.

In every direction a sample of the gradient is curvature x + push, all samples of a direction equally likely. Second
moments along one axis know nothing of the other axes, so that a proof follows one after the other. A direction in which
nothing ever moves is left out: L stays at least, and mu at most, what curves there.

L is any number that no curvature exceeds, mu any that none falls below: they are those of the whole world, and what is
left out of it is checked to lie between them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from ratecert.base.errors import NotExactError
from ratecert.binding.setting import Setting
from ratecert.proofs.formulas import Formulas
from ratecert.proofs.script import SHORT, exact
from ratecert.synthetic.one_level import LinearMap, SingleLevel
from ratecert.synthetic.sums import FiniteSum

Sample = tuple[Fraction, Fraction]  # curvature, push
PLAIN = 10**6  # the largest denominator of a number that a double is taken for
CLOSE = 1e-14  # how close it has to be, relative to the largest number of its kind
MOST_SAMPLES = 64
OF_SAMPLES = "[curvature for _, samples in world for curvature, _ in samples]"
AXES = "zip(curvatures, centers, world, strict=True)"
GAP = f"sum(half*h*square(x - center) for h, center, (x, _) in {AXES})"
SQUARED_DISTANCE = f"sum(square(x - center) for _, center, (x, _) in {AXES})"
VARIANCE = (
    f"sum(mean([square(line(sample)(center)) for sample in samples]) for _, center, (_, samples) in {AXES})"
)


@dataclass(frozen=True)
class Direction:
    """One axis."""

    start: Fraction
    samples: tuple[Sample, ...]
    others: tuple[Fraction, ...] = ()  # where further fields start, in the order of the run's start

    @property
    def curvature(self) -> Fraction:
        """Of F."""
        return sum((c for c, _ in self.samples), Fraction(0)) / len(self.samples)

    @property
    def minimiser(self) -> Fraction:
        """Where F is least, or the map has its fixed point."""
        return -sum((p for _, p in self.samples), Fraction(0)) / len(self.samples) / self.curvature

    @property
    def silent(self) -> bool:
        """Whether a run that is here stays here; with further fields that is not known."""
        return not self.others and all(c * self.start + p == 0 for c, p in self.samples)


def directions_of(setting: Setting) -> tuple[Direction, ...]:
    """All of them; NotExactError where the world does not fall apart along its axes."""
    if setting.K > 1 and set(setting.start) != {"x"}:
        raise NotExactError(f"the devices start with {', '.join(setting.start)}, not with x alone")
    starts = simple(setting.x0)
    others = list(zip(*(simple(setting.start[name]) for name in further_fields(setting)), strict=True))
    for kind, samples in SAMPLES.items():
        if type(setting.world) is kind:
            return tuple(
                Direction(start, tuple(found), other)
                for start, found, other in zip(
                    starts, samples(setting.world), others or [()] * len(starts), strict=True
                )
            )
    raise NotExactError(f"worlds of the kind {type(setting.world).__name__} are not written in fractions")


def further_fields(setting: Setting) -> tuple[str, ...]:
    """Those that the run starts with, beside x."""
    return tuple(name for name in setting.start if name != "x")


def simple(values: Any) -> list[Fraction]:
    """Each double as the number that it was rounded from, as far as that can be told: 1/3 for 0.3333333333333333.

    A proof states its own world, so that another number is another world, and no mistake.
    """
    numbers = [float(value) for value in np.ravel(values)]
    largest = max(map(abs, numbers), default=0.0)
    return [_simple(value, largest) for value in numbers]


def _simple(value: float, largest: float) -> Fraction:
    written = exact("a number of the world", value)
    near = written.limit_denominator(PLAIN)
    short = len(f"{value:.{SHORT}g}".replace("-", "")) and float(f"{value:.{SHORT}g}") == value
    tiny = value and abs(value) <= CLOSE * largest
    if short and not tiny:
        return written
    return near if abs(near - written) <= Fraction(CLOSE) * Fraction(largest) else written


def _diagonal(matrix: Any) -> list[Fraction]:
    d = len(matrix)
    entries = np.array(simple(matrix), dtype=object).reshape(d, d)
    if any(entries[i, j] for i in range(d) for j in range(d) if i != j):
        raise NotExactError("the world is curved along other directions than its axes")
    return list(np.diag(entries))


def _of_single_level(world: SingleLevel) -> Iterator[Sequence[Sample]]:
    """A sign for every direction of noise, and one for the noise along this axis."""
    H, centre, (s,) = _diagonal(world.H), simple(world.a), simple(world.s)
    noises = [(_diagonal(E), simple(c)) for E, c in zip(world.E, world.c, strict=True)]
    for i, (h, a) in enumerate(zip(H, centre, strict=True)):
        found = []
        for *signs, n in product((1, -1), repeat=len(noises) + 1):
            curvature = h + sum(e * E[i] for e, (E, _) in zip(signs, noises, strict=True))
            push = sum(e * c[i] for e, (_, c) in zip(signs, noises, strict=True)) + n * s
            found.append((curvature, push - curvature * a))
        yield _once(found)


def _of_linear_map(world: LinearMap) -> Iterator[Sequence[Sample]]:
    for m, b in zip(_diagonal(world.M), simple(world.b), strict=True):
        yield [(1 - m, -b)]


def _of_finite_sum(world: FiniteSum) -> Iterator[Sequence[Sample]]:
    each = zip(world.H, world.a, world.g, strict=True)
    terms = [(_diagonal(H), simple(a), simple(g)) for H, a, g in each]
    for i in range(world.d_x):
        yield _once([(H[i], g[i] - H[i] * a[i]) for H, a, g in terms])


def _once(samples: Sequence[Sample]) -> Sequence[Sample]:
    """One of them where all are alike."""
    if len(samples) > MOST_SAMPLES:
        raise NotExactError(f"a sample has more than {MOST_SAMPLES} outcomes")
    return samples[:1] if len(set(samples)) == 1 else samples


SAMPLES: Mapping[type, Callable[[Any], Iterator[Sequence[Sample]]]] = {
    SingleLevel: _of_single_level,
    LinearMap: _of_linear_map,
    FiniteSum: _of_finite_sum,
}


# Constants that theorems name, as lines of a proof.


def write_constant(formulas: Formulas, every: Sequence[Direction], source: str, name: str) -> None:
    """The letter `name` for what the setting calls `source`, in all directions of the world."""
    script, curvatures = formulas.script, [axis.curvature for axis in every]
    of_samples = [c for axis in every for c, _ in axis.samples]
    if source == "L":
        script.set(name, max(curvatures))
        script.compared("at_most", f"no curvature is above {name}", "max(curvatures)", name)
    elif source == "mu":
        script.set(name, min(curvatures))
        script.compared("at_most", f"no curvature is below {name}", name, "min(curvatures)")
    elif source in ("L_max", "L_sample") and min(of_samples) >= 0:
        script.set(name, max(of_samples))
        script.compared("at_most", f"no sample is curved by more than {name}", f"max({OF_SAMPLES})", name)
    elif source == "gap":
        script.line(f"{name} = {GAP}")
    elif source == "squared_distance":
        script.line(f"{name} = {SQUARED_DISTANCE}")
    elif source == "distance":
        formulas.root_of(name, SQUARED_DISTANCE)
    elif source in ("sigma", "sigma_star"):  # the former is finite where both are the same
        formulas.root_of(name, VARIANCE)
    else:
        raise NotExactError(f"the constant {source} of this world is not known in fractions")


def check_world(formulas: Formulas, world: Any) -> None:
    """What is said of all worlds of its kind: a map is nonexpansive, a function convex, or even each of its terms."""
    script = formulas.script
    if isinstance(world, LinearMap):
        sentence, left = "x minus the gradient is nonexpansive", "max(abs(one - h) for h in curvatures)"
        script.compared("at_most", sentence, left, "one")
    elif isinstance(world, FiniteSum) and all(np.diag(H).min() >= 0 for H in world.H):
        script.compared("at_most", "every term is convex", "zero", f"min({OF_SAMPLES})")
    else:
        script.compared("at_most", "F is convex", "zero", "min(curvatures)")
