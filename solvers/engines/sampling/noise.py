"""Random signs as a pure function of (seed, replicate, device, t, label, index), on whole arrays at once.

Whole numbers below n are made of signs too, 32 of them each: their probabilities are 1/n up to 2^-32.

A counter-based generator: nothing is carried from one draw to the next, so a draw does not depend on how the
work was cut into tiles, on how many workers there were, or on p. One 64-bit word holds one sign for each of 64
neighbouring replicates; the word is the SplitMix64 finaliser applied to

    key(seed, block of replicates, device) XOR stream(t, label, batch member, index)

where key and stream are finalised themselves, so that no two streams are shifted copies of one another.
"""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Words = NDArray[np.uint64]
Whole = NDArray[np.int64]

GOLDEN = 0x9E3779B97F4A7C15
FIRST, SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
MASK = (1 << 64) - 1
WORD = 64
BITS_OF_WHOLE = 32
SIGNS_OF_OCTET: Array = 1.0 - 2.0 * ((np.arange(256)[:, None] >> np.arange(8)) & 1).astype(np.float64)


class SignStreams(Protocol):
    """Where the signs of a tile of lanes come from."""

    def reader(self, t: int, label: str, member: int, ahead: int) -> "Reader": ...

    @property
    def weights(self) -> Array | None:
        """(replicates,): how likely each is, where they are not draws but outcomes; None: all the same."""

    @property
    def every_case(self) -> bool:
        """Whether moves are made that no replicate has drawn: to see all signs that a run may use."""

    def common(self, t: int, label: str, probabilities: Sequence[float]) -> Whole:
        """(replicates,): the number of a case with these probabilities, one for all devices of a replicate."""


def finalise(z: Words) -> Words:
    """The SplitMix64 finaliser, in place: a bijection of 64-bit words that flips about half of the bits."""
    z ^= z >> np.uint64(30)
    z *= np.uint64(FIRST)
    z ^= z >> np.uint64(27)
    z *= np.uint64(SECOND)
    z ^= z >> np.uint64(31)
    return z


def absorb(state: int, value: int) -> int:
    """The same on one word: state and value into a new state."""
    z = (state + GOLDEN * (value + 1)) & MASK
    z = ((z ^ (z >> 30)) * FIRST) & MASK
    z = ((z ^ (z >> 27)) * SECOND) & MASK
    return z ^ (z >> 31)


@dataclass(frozen=True)
class Hashed:
    """Signs for the lanes of one tile: replicates first .. first + replicates - 1, K devices from first_device on.

    Lane = (device - first_device) * replicates + replicate. With `shared`, all devices see the signs of device 0.
    """

    seed: int
    first: int
    replicates: int
    K: int
    shared: bool = False
    first_device: int = 0
    keys: Words = field(init=False, repr=False, compare=False)  # (devices, blocks of replicates)

    def __post_init__(self) -> None:
        blocks = np.arange(
            self.first // WORD, (self.first + self.replicates - 1) // WORD + 1, dtype=np.uint64
        )
        devices = np.arange(self.first_device, self.first_device + self.K, dtype=np.uint64)
        devices *= np.uint64(not self.shared)
        keys = finalise(np.uint64(absorb(0, self.seed)) + blocks * np.uint64(GOLDEN))[None, :]
        object.__setattr__(
            self, "keys", finalise(keys + (devices[:, None] + np.uint64(1)) * np.uint64(SECOND))
        )

    def reader(self, t: int, label: str, member: int, ahead: int) -> "Reader":
        stream = absorb(absorb(absorb(0, t), zlib.crc32(label.encode())), member)
        return Reader(lambda start, count: self._signs(stream, start, count), ahead)

    weights: ClassVar[None] = None
    every_case: ClassVar[bool] = False

    def common(self, t: int, label: str, probabilities: Sequence[float]) -> Whole:
        common = replace(self, K=1, first_device=0)
        return common.reader(t, label, 0, BITS_OF_WHOLE).case(probabilities)

    def _signs(self, stream: int, start: int, count: int) -> Array:
        """Signs number start .. start + count - 1 of the stream, as (count, K * replicates)."""
        index = np.arange(start, start + count, dtype=np.uint64)
        streams = finalise(np.uint64(stream) + index * np.uint64(GOLDEN))
        words = finalise(streams[:, None, None] ^ self.keys)
        offset = self.first % WORD
        octets = words.astype("<u8", copy=False).view(np.uint8)[..., offset // 8 :]
        octets = octets[..., : (offset % 8 + self.replicates + 7) // 8]
        signs: Array = SIGNS_OF_OCTET.take(octets, axis=0, mode="clip").reshape(
            count, self.K, 8 * octets.shape[-1]
        )
        signs = signs[..., offset % 8 : offset % 8 + self.replicates]
        return signs.reshape(count, self.K * self.replicates)


class Reader:
    """Hands out the signs of one stream in order: `signs(n)` gives the next n as rows, one column per lane.

    The first `ahead` of them are made in one piece, which is faster and changes nothing else.
    """

    def __init__(self, source: Callable[[int, int], Array], ahead: int) -> None:
        self._source = source
        self._made = source(0, ahead)
        self.used = 0

    def signs(self, n: int) -> Array:
        signs = self.at(0, n)
        self.skip(n)
        return signs

    def whole(self, n: int) -> Whole:
        """A whole number from 0 to n - 1 for each lane."""
        return whole_of(self.signs(BITS_OF_WHOLE), n)

    def case(self, probabilities: Sequence[float]) -> Whole:
        """The number of a case with these probabilities for each lane."""
        return case_of(self.signs(BITS_OF_WHOLE), probabilities)

    def whole_of_device(self, offset: int, n: int, k: int, columns: slice) -> Whole:
        """The same for the lanes of device k alone, from signs so far ahead."""
        return whole_of(self.at(offset, BITS_OF_WHOLE)[:, columns], n)

    def at(self, offset: int, n: int) -> Array:
        """n signs from so far ahead, without moving on."""
        start = self.used + offset
        if start + n <= len(self._made):
            return self._made[start : start + n]
        return self._source(start, n)

    def skip(self, n: int) -> None:
        self.used += n


def whole_of(signs: Array, n: int) -> Whole:
    """(lanes,): whole numbers below n from 32 signs each, as binary fractions of n."""
    return np.floor(_binary(signs) * n).astype(np.int64)


def case_of(signs: Array, probabilities: Sequence[float]) -> Whole:
    """(lanes,): numbers of cases from 32 signs each: where a binary fraction falls among sums of probabilities."""
    ends = np.cumsum(probabilities)[:-1]
    return np.searchsorted(ends, _binary(signs), side="right").astype(np.int64)


def _binary(signs: Array) -> Array:
    """Signs as the binary digits of a fraction."""
    fraction: Array = (0.5 * (1 - signs)).T @ 0.5 ** np.arange(1, len(signs) + 1)
    return fraction
