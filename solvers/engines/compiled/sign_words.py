"""The signs of noise.py as words, for the kernel: streams of a stretch of time, keys of a block of replicates.

The kernel makes a word from a stream and a key. Signs from another source are packed into words beforehand.
"""

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ratecert.solvers.engines.compiled.instructions import Slot
from ratecert.solvers.engines.monte_carlo.noise import GOLDEN, WORD, Hashed, SignStreams, Words, finalise


def streams(slots: Sequence[Slot], times: NDArray[np.int64]) -> Words:
    """(times, slots)."""
    found = np.zeros((len(times), len(slots)), np.uint64)
    for stream in {(s.label, s.offset, s.member) for s in slots}:
        label, offset, member = stream
        base = np.zeros(len(times), np.uint64)
        for value in (times + offset, [zlib.crc32(label.encode())], [member]):
            base = finalise(base + np.uint64(GOLDEN) * (np.asarray(value).astype(np.uint64) + np.uint64(1)))
        at = [i for i, s in enumerate(slots) if (s.label, s.offset, s.member) == stream]
        index = np.array([slots[i].index for i in at], np.uint64)
        found[:, at] = finalise(base[:, None] + index * np.uint64(GOLDEN))
    return found


def keys_of(noise: Hashed, word: int) -> Words:
    """(devices,) for one word of replicates in a tile that begins with a whole one."""
    return np.ascontiguousarray(noise.keys[:, word])


def given_words(
    noise: SignStreams, slots: Sequence[Slot], times: NDArray[np.int64], K: int, word: int
) -> Words:
    """(times, devices, slots) of a noise that is not `Hashed`."""
    found = np.zeros((len(times), K, len(slots)), np.uint64)
    for n, t in enumerate(times.tolist()):
        for i, s in enumerate(slots):
            signs = noise.reader(t + s.offset, s.label, s.member, 0).at(s.index, 1)
            bits = (signs.reshape(K, -1, WORD)[:, word] < 0).astype(np.uint64)
            found[n, :, i] = (bits << np.arange(WORD, dtype=np.uint64)).sum(axis=-1, dtype=np.uint64)
    return found
