"""Many steps of devices that differ at once, and whole rounds as maps of z (see apart.py).

What the devices are led to, the matrices A and B_k, moves by one matrix, and the forms that are summed on the way
follow it backwards: both are doubled, as for one device with K + 1 times the coordinates, or where devices are many and
steps are few, taken step by step. What is injected on the way is known device by device: packed, or where the noise is
the same everywhere, as a covariance.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.arithmetic.arrays import identity_like, like, nothing_like, summed
from ratecert.solvers.engines.moments.additive import AdditiveMap, Congruence
from ratecert.solvers.engines.moments.apart import Apart, DeviceSteps, Paths
from ratecert.solvers.engines.moments.common_space import Collapse, CommonSpace
from ratecert.solvers.engines.moments.device_measures import DeviceMeasures
from ratecert.solvers.engines.moments.device_moments import DeviceMoments
from ratecert.solvers.engines.moments.doubling import power
from ratecert.solvers.engines.moments.packing import Packing, packing
from ratecert.solvers.engines.moments.round_map import AfterAverage, Linear, congruence_change
from ratecert.solvers.engines.moments.segment import Segment

Array = NDArray[Any]  # of doubles or balls
FEW_STEPS = 32  # up to so many are taken one by one
MANY_COORDINATES = 400  # of all devices: beyond, steps are taken one by one, however many


@dataclass(frozen=True)
class Journey:
    """Steps of all devices as one map, which can be doubled and interpolated."""

    lead: Congruence  # of the paths (B_1, ..., B_K, A), with the forms that are read on the way
    own: tuple[Segment, ...]  # of each device: what it injects, of its packed moments at the beginning

    def then(self, later: "Journey") -> "Journey":
        own = (a.then(b) for a, b in zip(self.own, later.own, strict=True))
        return Journey(self.lead.then(later.lead), tuple(own))

    def gathered(self, journeys: "Sequence[Journey]") -> "Journey":
        """All these journeys as one (see Stacks)."""
        by_device = zip(*(journey.own for journey in journeys), strict=True)
        own = (segments[0].gathered(segments) for segments in by_device)
        return Journey(self.lead.gathered([journey.lead for journey in journeys]), tuple(own))

    def weighted(self, weights: Array) -> "Journey":
        """Of gathered journeys the sum of weight * journey, part by part."""
        return Journey(self.lead.weighted(weights), tuple(each.weighted(weights) for each in self.own))


@dataclass(frozen=True)
class Ahead:
    """Some steps of all devices: where paths lead, and the noise of each device on the way."""

    lead: Callable[[Paths], tuple[Paths, Array]]  # and the sums as forms of z, (measures, m, m)
    own: Sequence[Segment | Congruence]  # congruences where the noise is the same everywhere

    def apply(self, each: Sequence[Apart]) -> list[tuple[Array, Apart]]:
        """For each of these moments: the sums of the measures, and the moments after the steps.

        Paths lead to the same place from every average.
        """
        begun = cache(lambda: self.lead(Paths.beginning(each[0].paths.space)))
        return [self._led(m, *(begun() if m.paths.unmoved else self.lead(m.paths))) for m in each]

    def _led(self, moments: Apart, paths: Paths, forms: Array) -> tuple[Array, Apart]:
        across = moments.devices - moments.N
        made = [_led(each, X, N) for each, X, N in zip(self.own, across, moments.N, strict=True)]
        gained = summed(sums for sums, _ in made)
        N = np.stack([after for _, after in made])
        return (forms * moments.S).sum(axis=(1, 2)) + gained, replace(moments, paths=paths, N=N)


def ahead(steps: DeviceSteps, measures: DeviceMeasures, space: CommonSpace, n: int) -> Ahead:
    """n equal steps; the paths one by one where steps are few, or devices many."""
    own: Any = _additive(steps, measures, space) if steps.additive else _segments(steps, measures, space)
    if n <= FEW_STEPS or not doubled(space):
        return Ahead(partial(_walked, steps, measures, n), [power(each, n) for each in own])
    return Ahead(partial(_led_by, power(_lead(steps, measures, space), n)), [power(each, n) for each in own])


def doubled(space: CommonSpace) -> bool:
    """Whether the paths of all devices can be moved by one matrix."""
    K, n, _ = space.apart.shape
    return bool((K + 1) * n <= MANY_COORDINATES)


def tables_of(space: CommonSpace) -> int:
    """How many numbers there are in what the devices inject as matrices on packed moments."""
    K, n, _ = space.apart.shape
    return int(K * packing(n).size ** 2)


def journey(steps: DeviceSteps, measures: DeviceMeasures, space: CommonSpace) -> Journey:
    """One step."""
    return Journey(_lead(steps, measures, space), tuple(_segments(steps, measures, space)))


def along(journey: Journey) -> Ahead:
    """The steps of a journey."""
    return Ahead(partial(_led_by, journey.lead), journey.own)


def _walked(steps: DeviceSteps, measures: DeviceMeasures, n: int, paths: Paths) -> tuple[Paths, Array]:
    forms: Array = 0 * measures.on_common(paths)
    for _ in range(n):
        forms = forms + measures.on_common(paths)
        paths = paths.then(steps)
    return paths, forms


def _led_by(lead: Congruence, paths: Paths) -> tuple[Paths, Array]:
    space = paths.space
    here = _stacked(Paths(space, space.mean + paths.A, space.apart + paths.B))
    moved = (lead.D @ here).reshape(-1, *paths.A.shape)
    return Paths(space, paths.A + moved[-1], paths.B + moved[:-1]), here.T @ lead.V @ here


def _lead(steps: DeviceSteps, measures: DeviceMeasures, space: CommonSpace) -> Congruence:
    """One step of the paths, (B_1, ..., B_K, A), which are their own z here."""
    K, n, _ = space.apart.shape
    blocks = identity_like(space.mean, (K + 1) * n).reshape(K + 1, n, (K + 1) * n)
    itself = replace(space, mean=blocks[-1], apart=blocks[:-1])
    D = _stacked(Paths.beginning(itself).then(steps))
    V = measures.on_common(Paths(replace(itself, apart=0 * itself.apart), 0 * itself.mean, itself.apart))
    return Congruence(D, 0 * D, V, nothing_like(D, len(V)))


def _stacked(paths: Paths) -> Array:
    return np.vstack([*paths.B, paths.A])


def _segments(steps: DeviceSteps, measures: DeviceMeasures, space: CommonSpace) -> list[Segment]:
    """One step of every device."""
    pack = packing(len(steps.common))
    basis, read = like(pack.basis, steps.common), pack.weights(measures.on_noise(space.weights))
    found = []
    for D, N, rows in zip(steps.increments, steps.injections, read, strict=True):
        change = pack.pack(congruence_change(D, basis)).T
        found.append(Segment(pack, 0, D, N, change + N, rows_across=0 * rows, rows_within=rows))
    return found


def _additive(steps: DeviceSteps, measures: DeviceMeasures, space: CommonSpace) -> list[Congruence]:
    """The same where the noise is the same everywhere."""
    read = measures.on_noise(space.weights)
    nothing = nothing_like(steps.common, read.shape[1])
    pairs = zip(steps.increments, steps.noise, read, strict=True)
    return [Congruence(D, N, V, nothing) for D, N, V in pairs]


def _led(own: Segment | Congruence, across: Array, N: Array) -> tuple[Array, Array]:
    """Of one device: what is read of its noise, and the noise after the steps."""
    if isinstance(own, Congruence):
        return own.apply(N)
    pack = own.packing
    X, Y = pack.pack(across), pack.pack(N)
    return own.rows_across @ X + own.rows_within @ Y, N + pack.unpack(own.N @ X + own.R @ Y)


@dataclass(frozen=True)
class Together(AfterAverage):
    """The space of z."""

    common: CommonSpace

    def to_vector(self, moments: Any) -> Array:
        return self.mean.pack(moments.S)

    def to_moments(self, z: Array) -> Any:
        return Apart.together(self.common, self.mean.unpack(z))


def together(common: CommonSpace) -> Together:
    """All coordinates of z are kept."""
    m = common.mean.shape[1]
    nothing = np.zeros((m, 0))
    return Together(nothing, nothing.T, np.arange(m), identity_like(common.mean, m), common)


@dataclass(frozen=True)
class TogetherMap(AdditiveMap):
    """The moments of z, where the noise is the same everywhere."""

    common: CommonSpace

    def enter(self, moments: Any) -> DeviceMoments:
        return DeviceMoments(moments.S, 0 * moments.S)

    def leave(self, moments: Any) -> Any:
        return Apart.together(self.common, moments.mean)


def additive_round(ahead: Ahead, common: CommonSpace, collapse: Collapse) -> TogetherMap:
    """The steps and the average after them, where the noise is the same everywhere."""
    paths, forms = ahead.lead(Paths.beginning(common))
    own: Any = ahead.own
    D = paths.increment(collapse)
    N = summed(share @ each.N @ share.T for share, each in zip(collapse.share, own, strict=True))
    everything = np.ones(len(forms), dtype=bool)
    no_deviations = Congruence(-identity_like(D, len(D)), 0 * N, forms[:0], own[0].c[:0])
    z = Congruence(D, N, forms, summed(each.c for each in own))
    return TogetherMap(z, no_deviations, everything, ~everything, common)


def packed_round(ahead: Ahead, common: CommonSpace, collapse: Collapse) -> Linear:
    """The same for any noise."""
    paths, forms = ahead.lead(Paths.beginning(common))
    D, space, device = paths.increment(collapse), together(common), packing(len(common.mean))
    pack, of_device = space.mean, like(device.basis, D)
    basis = like(pack.basis, D)
    C = pack.pack(congruence_change(D, basis)).T
    rows = pack.weights(forms)
    for k, (injected, read) in enumerate(_packed(each, device) for each in ahead.own):
        begin, share, p = common.mean + common.apart[k], collapse.share[k], common.weights[k]
        from_z = device.pack(begin @ basis @ begin.T).T
        made = injected @ from_z
        C = C + pack.pack(share @ of_device @ share.T).T @ made
        rows = rows + read @ from_z
        if collapse.drawn is not None:
            c, taken = collapse.drawn
            way = taken @ paths.of_deviations[k]
            C = C + c * p * pack.pack(way @ basis @ way.T).T
            C = C + c * (p - p * p) * (pack.pack(taken @ of_device @ taken.T).T @ made)
    return Linear(space, C, rows)


def _packed(own: Segment | Congruence, pack: Packing) -> tuple[Array, Array]:
    """What a device injects, and what is read of it, of its packed moments at the beginning."""
    if isinstance(own, Segment):
        return own.N, own.rows_across
    injected, read = nothing_like(own.N, pack.size, pack.size), nothing_like(own.N, len(own.c), pack.size)
    injected[:, -1], read[:, -1] = pack.pack(own.N), own.c  # the last one is that of the 1
    return injected, read
