"""How long a number is, and which shorter ones may stand for it.

The length of a number is what it takes to write it: nothing for 0 and 1, otherwise its significant digits, and one more
for an exponent or leading zeros. A limit is longer than any number.
"""

import math
from collections.abc import Iterator
from decimal import Decimal

ENDLESS = 20  # the length of a limit
ANYWHERE = (2.0, 0.5, 0.1, 10.0, 0.25, 4.0, 0.75)  # however far they are
MOST_DIGITS = 3
LARGEST = 2**62  # count


def length(number: float) -> int:
    """
    >>> [length(n) for n in (0.0, 1, 2.0, 0.25, 1e-6, 1024, 0.9999990463256835)]
    [0, 0, 1, 2, 2, 4, 16]
    """
    if number in (0, 1):
        return 0
    if math.isinf(number):
        return ENDLESS
    _, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    return len(digits) + (int(exponent) > 0 or int(exponent) < -len(digits))


def shorter(number: float) -> Iterator[float]:
    """Shorter ones, the shortest first: 0 and 1, a few from anywhere, the number rounded, and 0.9, 0.99, ... below 1.

    >>> list(shorter(0.93))
    [0.0, 1.0, 2.0, 0.5, 0.1, 0.9]
    """
    near = [float(f"{number:.{digits}e}") for digits in range(MOST_DIGITS)]
    near += [_down(number, digits) for digits in range(MOST_DIGITS)]  # a limit may be just above
    near += [float(f"{10.0 ** math.floor(math.log10(number)):.0e}")] if number > 0 else []
    if 0.9 <= number < 1:
        near += [1 - 10.0**-n for n in range(1, 13) if 1 - 10.0**-n <= number]
    candidates = dict.fromkeys(float(f"{c:.12g}") for c in (0.0, 1.0, *ANYWHERE, *near))
    yield from sorted((c for c in candidates if length(c) < length(number)), key=length)


def _down(number: float, digits: int) -> float:
    """Rounded towards zero, to one digit and these."""
    if not number:
        return 0.0
    scale = 10.0 ** (digits - math.floor(math.log10(abs(number))))
    return math.trunc(number * scale) / scale


def counts(below: float) -> list[int]:
    """All whole numbers from 1 on with one or two digits and zeros, below a number.

    >>> counts(130)[-5:]
    [97, 98, 99, 100, 110, 120]
    """
    most = min(below - 1, LARGEST)
    small = range(1, 100)
    larger = (n * 10**zeros for zeros in range(1, 18) for n in range(10, 100))
    return [n for n in (*small, *larger) if n <= most]
