"""How much memory the exact moments of devices that differ take: asked before it is used.

Measured on LocalBSGM in doubles, with n coordinates and 1 on each of K devices, and N = n (n + 1)/2 second moments:
steps in balls, their doubles and stacks of these take K n^2 times some thousand bytes, and maps of packed moments,
where noise grows with the iterates, K N^2 times a hundred.
"""

from ratecert.base.errors import UserError
from ratecert.solvers.engines.moments.apart import LARGEST_TABLES
from ratecert.solvers.engines.moments.device_frames import Gathering
from ratecert.solvers.engines.moments.packing import packing

MOST = 2**31 - 2**27  # bytes, beside what Python and its libraries take
ADDITIVE, MAPPED, STEPPED = (
    1000,
    4000,
    14000,
)  # bytes for K n^2: with noise the same everywhere; with maps; without
OF_MAPS = 110  # bytes for K N^2


def memory_of(K: int, n: int, *, additive: bool) -> int:
    """Bytes, roughly."""
    if additive:
        return ADDITIVE * K * n * n
    mapped = K * packing(n).size ** 2
    return STEPPED * K * n * n if mapped > LARGEST_TABLES else MAPPED * K * n * n + OF_MAPS * mapped


def require_memory(gathering: Gathering, in_words: str) -> None:
    """Refuse what would not fit."""
    device = gathering.any_device
    noises = [noise for move in set(device.alike) for noise in device.step(move, 1).noises]
    additive = all(noise.moments.additive for noise in noises)
    bytes_needed = memory_of(len(gathering.devices), gathering.n, additive=additive)
    if bytes_needed > MOST:
        noise = "" if additive else ", or the noise the same everywhere"
        raise UserError(
            f"exact moments of {in_words} would take about {bytes_needed / 2**30:.1f} GiB, and at most 2 are used; "
            f"make K or the dimensions smaller{noise}, or use simulate."
        )
