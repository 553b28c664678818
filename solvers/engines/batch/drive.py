"""A run: iteration 0 or the start, steps to the first average, rounds by doubling, and the steps that are left over.

Of devices that are alike two matrices are enough, X = E[wbar wbar'] of their mean and q = E[w_k w_k'] - E[w_k w_l'] of
any two, and K enters as 1/K alone:

    a step      Y = X + (1 - 1/K) q        X <- M X M' + F Y / K        q <- M q M' + F Y
    an average  X stays; of q there is left what the average leaves alone, q = b r b'

So a round is one matrix on (X, r), and it is doubled. A measure of the mean is <W, X>, one of deviations
(1 - 1/K) <W, q>. Every setting has its own T, K and p: matrices are squared for all, and taken where a digit is 1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.solvers.engines.batch.arrays import Array, apply, constants, namespace
from ratecert.solvers.engines.batch.congruences import (
    Counts,
    Run,
    change,
    congruence,
    digits,
    ladder,
    mask_of,
    power,
    size_of,
)
from ratecert.solvers.engines.batch.frame import Frame
from ratecert.solvers.engines.batch.functional import Readings
from ratecert.solvers.engines.batch.population import Population


@dataclass(frozen=True)
class Moments:
    """X and q, packed, of every setting, and the sums of what is read."""

    X: Array  # (N, size)
    q: Array
    sums: Array  # (N, measures)


@dataclass(frozen=True)
class Plan:
    """How long each setting runs."""

    K: Array  # (N,), in doubles
    T: Counts
    p: Counts
    begun: int  # iterations that the first map has made: 1, or 0 after a start

    @property
    def averages(self) -> NDArray[np.bool_]:
        """Whether a run comes to an average at all."""
        return self.p <= self.T

    @property
    def first(self) -> Counts:
        return np.minimum(self.p, self.T) - np.uint64(self.begun)

    @property
    def later(self) -> Counts:
        """Iterations after the first average."""
        return np.where(self.averages, self.T - np.minimum(self.p, self.T), np.uint64(0))

    @property
    def rounds(self) -> Counts:
        return self.later // self.p

    @property
    def left(self) -> Counts:
        return self.later % self.p

    @property
    def longest(self) -> int:
        """The most steps that are taken at once."""
        return int(np.where(self.rounds > 0, self.p, np.minimum(self.p, self.T)).max())


def run(frame: Frame | Population, readings: Readings, plan: Plan, start: Array) -> tuple[Array, Array]:
    """Sums of the measures over t < T, and what they are at T; `start` is E[z z'] of the start, packed."""
    xp = namespace(start)
    moments = _begin(frame, readings, plan, start)
    rows = xp.concat([readings.of_mean, readings.of_deviations], axis=1)
    step = Run(frame.D, frame.F, rows, xp.zeros_like(rows) + 0.0 * frame.D[:, :1, :1])
    steps = ladder(_same_settings(step, len(plan.T)), plan.longest)
    moments = _steps(moments, steps, plan.first, plan.K)
    kept = frame.kept() if bool(xp.any(plan.K > 1)) else None
    gathered = None if isinstance(frame, Frame) else frame.gathered
    moments = _averaged(moments, kept, gathered, plan.averages)
    if plan.rounds.any():
        moments = _rounds(moments, power(steps, plan.p), kept, gathered, plan)
    moments = _steps(moments, steps, plan.left, plan.K)
    return moments.sums, _read(moments, readings, plan.K)


@dataclass(frozen=True)
class Walked:
    """What a run has that is gone through iteration by iteration: each measure over t < T, and at T."""

    total: Array  # (N, measures)
    largest: Array
    smallest: Array
    drawn: Array  # the sum with the weights that a measure gives to each t
    last: Array


def walk(
    frames: Callable[[int], Frame | Population],
    readings: Readings,
    plan: Plan,
    start: Array,
    likely: Callable[[int], Array],
) -> Walked:
    """A run whose steps change, or of which every iteration is read; `likely(t)` is how much t counts (N, measures)."""
    xp = namespace(start)
    moments = _begin(frames(0), readings, plan, start)
    here = moments.sums if plan.begun else _read(moments, readings, plan.K)
    found = Walked(here, here, here, likely(0) * here, here)
    kept = frames(0).kept() if bool(xp.any(plan.K > 1)) else None
    for t in range(plan.begun, int(plan.T.max())):
        frame, goes_on = frames(t), t < plan.T
        going = mask_of(goes_on, start)[:, None]
        if t > 0 or not plan.begun:
            here = _read(moments, readings, plan.K)
            if t > 0:
                found = Walked(
                    found.total + xp.where(going, here, xp.zeros_like(here)),
                    xp.where(going, xp.maximum(found.largest, here), found.largest),
                    xp.where(going, xp.minimum(found.smallest, here), found.smallest),
                    found.drawn + xp.where(going, likely(t) * here, xp.zeros_like(here)),
                    here,
                )
        rows = xp.concat([readings.of_mean, readings.of_deviations], axis=1)
        step = Run(frame.D, frame.F, rows, xp.zeros_like(rows) + 0.0 * frame.D[:, :1, :1])
        after = _one_run(moments, step, plan.K)
        gathered = None if isinstance(frame, Frame) else frame.gathered
        after = _averaged(after, kept, gathered, goes_on & ((t + 1) % plan.p == 0))
        pairs = zip(_parts(after), _parts(moments), strict=True)
        moments = Moments(*(xp.where(going, a, b) for a, b in pairs))
    return replace(found, last=_read(moments, readings, plan.K))


def _same_settings(step: Run, settings: int) -> Run:
    xp = namespace(step.D)
    return Run(
        *(xp.broadcast_to(part, (settings, *part.shape[1:])) for part in (step.D, step.F, step.psi, step.phi))
    )


def _begin(frame: Frame | Population, readings: Readings, plan: Plan, start: Array) -> Moments:
    """After iteration 0, whose measures are read at the start, or after a method's own start."""
    xp = namespace(start)
    mean, noise = frame.first
    q = apply(noise, start)
    X = apply(congruence(mean), start) + q / plan.K[:, None, ...]
    settings = len(plan.T)
    X, q = (xp.broadcast_to(each, (settings, each.shape[-1])) for each in (X, q))
    measures = readings.of_mean.shape[1]
    read = apply(readings.at_start, start) if plan.begun else constants(start, [[0.0] * measures])
    return Moments(X, q, xp.broadcast_to(read, (settings, measures)))


def _steps(moments: Moments, steps: Sequence[Run], counts: Counts, K: Array) -> Moments:
    """So many local steps of each setting."""
    xp = namespace(moments.X)
    for i, run_ in enumerate(steps):
        taken = digits(counts, i)
        if not taken.any():
            continue
        after = _one_run(moments, run_, K)
        if taken.all():
            moments = after
            continue
        mask = mask_of(taken, moments.X)[:, None]
        moments = Moments(
            *(xp.where(mask, a, b) for a, b in zip(_parts(after), _parts(moments), strict=True))
        )
    return moments


def _one_run(moments: Moments, steps: Run, K: Array) -> Moments:
    shared, apart = 1 / K[:, None, ...], 1 - 1 / K[:, None, ...]
    Y = moments.X + apart * moments.q
    P, noise = change(steps.D), apply(steps.F, Y)
    half = steps.psi.shape[1] // 2
    of_mean = apply(steps.psi[:, :half, :], moments.X) + shared * apply(steps.phi[:, :half, :], Y)
    of_deviations = apart * (apply(steps.psi[:, half:, :], moments.q) + apply(steps.phi[:, half:, :], Y))
    return Moments(
        moments.X + apply(P, moments.X) + shared * noise,
        moments.q + apply(P, moments.q) + noise,
        moments.sums + of_mean + of_deviations,
    )


def _averaged(moments: Moments, kept: Any, gathered: Any, averages: NDArray[np.bool_]) -> Moments:
    """What an average leaves of the deviations, where a run comes to one."""
    xp = namespace(moments.q)
    X, left = moments.X, xp.zeros_like(moments.q)
    if kept is not None:
        b, back = kept
        left = apply(congruence(b @ back), moments.q)
    if gathered is not None:
        H, U = gathered
        X = apply(congruence(U @ H), X)
    if averages.all():
        return replace(moments, X=X, q=left)
    mask = mask_of(averages, moments.q)[:, None]
    return replace(moments, X=xp.where(mask, X, moments.X), q=xp.where(mask, left, moments.q))


def _rounds(moments: Moments, round_: Run, kept: Any, gathered: Any, plan: Plan) -> Moments:
    """So many rounds of each setting, by doubling the map of one on (X, r)."""
    xp, K = namespace(moments.X), plan.K[:, None, None]
    shared, apart = 1 / K, 1 - 1 / K
    P, F = change(round_.D), round_.F
    half = round_.psi.shape[1] // 2
    mean_psi, mean_phi, own_psi, own_phi = (
        part
        for each in (slice(None, half), slice(half, None))
        for part in (round_.psi[:, each, :], round_.phi[:, each, :])
    )
    mean_rows = mean_psi + shared * mean_phi + apart * own_phi
    if gathered is not None:
        H, U = gathered
        onto, out = congruence(H), congruence(U)
        C, rows, z = change(H @ round_.D @ U) + onto @ F @ out, mean_rows @ out, apply(onto, moments.X)
    elif kept is None:
        C, rows, z = P + shared * F, mean_rows, moments.X
    else:
        b, back = kept
        m = b.shape[-1]
        inward, outward = congruence(b), congruence(back)
        noise = F @ inward
        D_b = back @ round_.D @ b
        settings = moments.X.shape[0]
        blocks = [
            [P + shared * F, shared * apart * noise],
            [outward @ F, change(D_b) + apart * (outward @ noise)],
        ]
        same = [[xp.broadcast_to(part, (settings, *part.shape[1:])) for part in row] for row in blocks]
        C = xp.concat([xp.concat(row, axis=-1) for row in same], axis=-2)
        own_rows = apart * (own_psi @ inward + apart * (own_phi @ inward)) + shared * apart * (
            mean_phi @ inward
        )
        rows = xp.concat([mean_rows, xp.broadcast_to(own_rows, (settings, half, size_of(m)))], axis=-1)
        z = xp.concat([moments.X, apply(outward, moments.q)], axis=-1)
    sums, counts = moments.sums, plan.rounds
    longest = int(counts.max()).bit_length()
    for i in range(longest):
        taken = digits(counts, i)
        if taken.any():
            gained, moved = sums + apply(rows, z), z + apply(C, z)
            mask = mask_of(taken, z)[:, None]
            sums, z = xp.where(mask, gained, sums), xp.where(mask, moved, z)
        if i + 1 < longest:
            rows, C = 2 * rows + rows @ C, 2 * C + C @ C
    size = moments.X.shape[-1]
    if gathered is not None:
        return Moments(apply(congruence(gathered[1]), z), xp.zeros_like(moments.q), sums)
    if kept is None:
        return Moments(z, xp.zeros_like(moments.q), sums)
    return Moments(z[:, :size], apply(congruence(kept[0]), z[:, size:]), sums)


def _read(moments: Moments, readings: Readings, K: Array) -> Array:
    apart = (1 - 1 / K)[:, None, ...]
    return apply(readings.of_mean, moments.X) + apart * apply(readings.of_deviations, moments.q)


def _parts(moments: Moments) -> tuple[Array, Array, Array]:
    return moments.X, moments.q, moments.sums
