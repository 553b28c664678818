"""Many steps of devices that differ at once, and whole rounds as maps of z (see apart.py).

What the devices are led to, the matrices A and B_k, moves by one matrix, and the forms that are summed on the way
follow it backwards: both are doubled, as for one device with K + 1 times the coordinates, or where devices are many and
steps are few, taken step by step. What is injected on the way is known for all devices along a first axis: packed, or
where the noise is the same everywhere, as a covariance.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import identity_like, like, nothing_like, summed
from ratecert.solvers.engines.moments.additive import AdditiveMap, Congruence
from ratecert.solvers.engines.moments.apart import AdditiveSteps, Apart, Paths, Steps
from ratecert.solvers.engines.moments.common_space import Collapse, CommonSpace
from ratecert.solvers.engines.moments.device_measures import DeviceMeasures
from ratecert.solvers.engines.moments.device_moments import DeviceMoments
from ratecert.solvers.engines.moments.doubling import composed, power
from ratecert.solvers.engines.moments.packing import Packing, packing
from ratecert.solvers.engines.moments.round_map import AfterAverage, Linear, congruence_change
from ratecert.solvers.engines.moments.segment import Segment

Array = NDArray[Any]  # of doubles or balls
FEW_STEPS = 32  # up to so many are taken one by one
MANY_COORDINATES = 400  # of all devices: beyond, steps are taken one by one, however many


# What every device injects, along a first axis: a congruence where the noise is the same everywhere.
Own = Segment | Congruence


@dataclass(frozen=True)
class Journey:
    """Steps of all devices as one map, which can be doubled and interpolated."""

    lead: Congruence  # of the paths (B_1, ..., B_K, A), with the forms that are read on the way
    own: Own  # what each device injects, of its packed moments at the beginning

    def then(self, later: "Journey") -> "Journey":
        own: Any = self.own
        return Journey(self.lead.then(later.lead), own.then(later.own))

    def gathered(self, journeys: "Sequence[Journey]") -> "Journey":
        """All these journeys as one (see Stacks)."""
        own: Any = self.own
        return Journey(
            self.lead.gathered([each.lead for each in journeys]), own.gathered([e.own for e in journeys])
        )

    def weighted(self, weights: Array) -> "Journey":
        """Of gathered journeys the sum of weight * journey, part by part."""
        return Journey(self.lead.weighted(weights), self.own.weighted(weights))


@dataclass(frozen=True)
class Stride:
    """One step of all devices, which can be interpolated; its paths are walked."""

    common: Array  # as of DeviceSteps
    beyond: Array
    own: Own

    def gathered(self, strides: "Sequence[Stride]") -> "Stride":
        """All these strides as one (see Stacks)."""
        own: Any = self.own
        common, beyond = (
            np.stack([getattr(each, name) for each in strides]) for name in ("common", "beyond")
        )
        return Stride(common, beyond, own.gathered([each.own for each in strides]))

    def weighted(self, weights: Array) -> "Stride":
        """Of gathered strides the sums of weight * stride, part by part."""
        common, beyond = (np.tensordot(weights, part, axes=1) for part in (self.common, self.beyond))
        return Stride(common, beyond, self.own.weighted(weights))

    def each(self) -> Iterator["Stride"]:
        """Of gathered strides one after the other."""
        for i in range(len(self.common)):
            yield Stride(self.common[i], self.beyond[i], self.own.one(i))

    @property
    def increments(self) -> Array:
        return self.common + self.beyond


@dataclass(frozen=True)
class Ahead:
    """Some steps of all devices: where paths lead, and the noise of each device on the way."""

    lead: Callable[[Paths], tuple[Paths, Array]]  # and the sums as forms of z, (measures, m, m)
    own: Own

    def apply(self, each: Sequence[Apart]) -> list[tuple[Array, Apart]]:
        """For each of these moments: the sums of the measures, and the moments after the steps.

        Paths lead to the same place from every average.
        """
        begun = cache(lambda: self.lead(Paths.beginning(each[0].paths.space)))
        return [self._led(m, *(begun() if m.paths.unmoved else self.lead(m.paths))) for m in each]

    def _led(self, moments: Apart, paths: Paths, forms: Array) -> tuple[Array, Apart]:
        gained, N = _led(self.own, moments.devices - moments.N, moments.N)
        return (forms * moments.S).sum(axis=(1, 2)) + gained.sum(axis=0), replace(moments, paths=paths, N=N)


def ahead(steps: Steps, measures: DeviceMeasures, space: CommonSpace, n: int) -> Ahead:
    """n equal steps; the paths one by one where steps are few, or devices many."""
    own = power(_own(steps, measures, space), n)
    if n <= FEW_STEPS or not doubled(space):
        return Ahead(partial(_walked, [steps] * n, measures), own)
    return Ahead(partial(_led_by, power(_lead(steps, measures, space), n)), own)


def walked(strides: Sequence[Stride], measures: DeviceMeasures) -> Ahead:
    """These steps in a row, which may differ."""
    return Ahead(partial(_walked, strides, measures), composed([stride.own for stride in strides]))


def doubled(space: CommonSpace) -> bool:
    """Whether the paths of all devices can be moved by one matrix."""
    K, n, _ = space.apart.shape
    return bool((K + 1) * n <= MANY_COORDINATES)


def tables_of(space: CommonSpace) -> int:
    """How many numbers there are in what the devices inject as matrices on packed moments."""
    K, n, _ = space.apart.shape
    return int(K * packing(n).size ** 2)


def journey(steps: Steps, measures: DeviceMeasures, space: CommonSpace) -> Journey:
    """One step."""
    return Journey(_lead(steps, measures, space), _own(steps, measures, space))


def stride(steps: Steps, measures: DeviceMeasures, space: CommonSpace) -> Stride:
    """One step."""
    return Stride(steps.common, steps.beyond, _own(steps, measures, space))


def along(steps: Journey | Ahead) -> Ahead:
    """The steps of a journey."""
    return Ahead(partial(_led_by, steps.lead), steps.own) if isinstance(steps, Journey) else steps


def _walked(steps: Sequence[Any], measures: DeviceMeasures, paths: Paths) -> tuple[Paths, Array]:
    forms: Array = 0 * measures.on_common(paths)
    for step in steps:
        forms = forms + measures.on_common(paths)
        paths = paths.then(step)
    return paths, forms


def _led_by(lead: Congruence, paths: Paths) -> tuple[Paths, Array]:
    space = paths.space
    here = _stacked(Paths(space, space.mean + paths.A, space.apart + paths.B))
    moved = (lead.D @ here).reshape(-1, *paths.A.shape)
    return Paths(space, paths.A + moved[-1], paths.B + moved[:-1]), here.T @ lead.V @ here


def _lead(steps: Steps, measures: DeviceMeasures, space: CommonSpace) -> Congruence:
    """One step of the paths, (B_1, ..., B_K, A), which are their own z here."""
    K, n, _ = space.apart.shape
    blocks = identity_like(space.mean, (K + 1) * n).reshape(K + 1, n, (K + 1) * n)
    itself = replace(space, mean=blocks[-1], apart=blocks[:-1])
    D = _stacked(Paths.beginning(itself).then(steps))
    V = measures.on_common(Paths(replace(itself, apart=0 * itself.apart), 0 * itself.mean, itself.apart))
    return Congruence(D, 0 * D, V, nothing_like(D, len(V)))


def _stacked(paths: Paths) -> Array:
    return np.vstack([*paths.B, paths.A])


def _own(steps: Steps, measures: DeviceMeasures, space: CommonSpace) -> Own:
    """One step of every device."""
    D, read = steps.increments, measures.on_noise(space)
    if isinstance(steps, AdditiveSteps) or steps.additive:
        return Congruence(D, steps.noise, read, nothing_like(D, *read.shape[:2]))
    pack = packing(len(steps.common))
    basis, rows = like(pack.basis, steps.common), pack.weights(read)
    N = steps.injections
    change = np.stack([pack.pack(congruence_change(own, basis)).T for own in D])
    return Segment(pack, 0, D, N, change + N, rows_across=0 * rows, rows_within=rows)


def _led(own: Own, across: Array, N: Array) -> tuple[Array, Array]:
    """What is read of the noise of every device, and that noise after the steps."""
    if isinstance(own, Congruence):
        return own.apply(N)
    pack = own.packing
    X, Y = pack.pack(across)[..., None], pack.pack(N)[..., None]
    read, made = own.rows_across @ X + own.rows_within @ Y, own.N @ X + own.R @ Y
    return read[..., 0], N + pack.unpack(made[..., 0])


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
        return entered(moments)

    def leave(self, moments: Any) -> Any:
        return Apart.together(self.common, moments.mean)


def entered(moments: Apart) -> DeviceMoments:
    """Those of z, which has no deviations."""
    return DeviceMoments(moments.S, 0 * moments.S)


def additive_round(ahead: Ahead, common: CommonSpace, collapse: Collapse) -> TogetherMap:
    """The steps and the average after them, where the noise is the same everywhere."""
    paths, forms = ahead.lead(Paths.beginning(common))
    own: Any = ahead.own
    D = paths.increment(collapse)
    N = _gathered_by(collapse.share, own.N)
    everything = np.ones(len(forms), dtype=bool)
    no_deviations = Congruence(-identity_like(D, len(D)), 0 * N, forms[:0], own.c[0, :0])
    z = Congruence(D, N, forms, own.c.sum(axis=0))
    return TogetherMap(z, no_deviations, everything, ~everything, common)


def packed_round(ahead: Ahead, common: CommonSpace, collapse: Collapse) -> Linear:
    """The same for any noise."""
    paths, forms = ahead.lead(Paths.beginning(common))
    D, space = paths.increment(collapse), together(common)
    pack = space.mean
    basis = like(pack.basis, D)
    C, rows = pack.pack(congruence_change(D, basis)).T, pack.weights(forms)
    if collapse.drawn is not None:
        c, taken = collapse.drawn
        for p, way in zip(common.weights, taken @ paths.of_deviations, strict=True):
            C = C + c * p * pack.pack(way @ basis @ way.T).T
    made, read = _injected(ahead.own, common, collapse, pack)
    return Linear(space, C + made, rows + read)


def _injected(own: Own, common: CommonSpace, collapse: Collapse, pack: Packing) -> tuple[Array, Array]:
    """What the noise of all devices adds to the packed moments of z, and what is read of it."""
    if isinstance(own, Congruence):
        N = _gathered_by(collapse.share, own.N)
        if collapse.drawn is not None:
            c, taken = collapse.drawn
            N = N + c * (taken @ (common.shares[:, None, None] * own.N).sum(axis=0) @ taken.T)
        made, read = nothing_like(N, pack.size, pack.size), nothing_like(N, own.c.shape[-1], pack.size)
        made[:, -1], read[:, -1] = pack.pack(N), own.c.sum(axis=0)  # the last one is that of the 1
        return made, read
    device = own.packing
    basis, of_device = like(pack.basis, common.mean), like(device.basis, common.mean)
    parts = []
    for k, share in enumerate(collapse.share):
        begin = common.mean + common.apart[k]
        from_z = device.pack(begin @ basis @ begin.T).T
        to_z = pack.pack(share @ of_device @ share.T).T
        if collapse.drawn is not None:
            c, taken = collapse.drawn
            to_z = to_z + c * common.shares[k] * pack.pack(taken @ of_device @ taken.T).T
        parts.append((to_z @ (own.N[k] @ from_z), own.rows_across[k] @ from_z))
    return summed(made for made, _ in parts), summed(read for _, read in parts)


def _gathered_by(share: Array, N: Array) -> Array:
    """sum_k share_k N_k share_k'."""
    total: Array = (share @ N @ np.swapaxes(share, -1, -2)).sum(axis=0)
    return total
