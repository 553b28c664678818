"""Where a corollary is tried: numbers of devices, and of iterations or accuracies, inside its window and just outside.

A rate speaks of what comes in the end, so runs are long: 2^62 iterations are the longest.
"""

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from scipy.optimize import brentq

from ratecert.base.errors import UndecidedError
from ratecert.binding.binding import Binding
from ratecert.theory.language.letters import letter
from ratecert.theory.language.statements import Corollary
from ratecert.theory.numbers.evaluation import number
from ratecert.theory.orders.derivation import as_monomial, free_parameters
from ratecert.verdicts.ordinary import devices_of

POWERS = (43, 49, 55, 61)  # of 2: iterations; where they follow from eps, those of one device
ACCURACIES = (1e-3, 200.0)  # -log2 of those among which the ones with so many iterations are found
LONGEST = 2**62
DEVICES = range(6, -1, -1)  # cubes of these powers of 2 are the most devices, down to one
FEWEST = 3  # values from which an exponent is read
OUTSIDE, FACTOR = 2, 4  # runs beyond the end of a window, and by how much K grows from one to the next
Place = tuple[int, float]  # K, and T or eps


@dataclass(frozen=True)
class Places:
    """Of a corollary whose theorem is bound to this run; `one` where nothing depends on the number of devices."""

    statement: Corollary
    run: Binding
    one: bool = False

    @cached_property
    def free(self) -> str:
        """T, or eps where the corollary says how T follows from it."""
        return free_parameters(self.statement)[1]

    @cached_property
    def sweep(self) -> list[float]:
        """Values of the free letter, from short runs to long ones."""
        if self.free == "T":
            return [2.0**n for n in POWERS]

        def iterations(n: float) -> float:
            return math.log2(self.size("T", 1, 2.0**-n))

        first, last = map(iterations, ACCURACIES)
        if not first < POWERS[0] < POWERS[-1] < last:
            raise UndecidedError(
                f"{self.statement.id}: T = {self.statement.scalings['T'].order} does not come to runs of 2^{POWERS[0]} "
                f"and 2^{POWERS[-1]} iterations at any eps from 2^-{ACCURACIES[1]:g} to 1."
            )
        return [2.0 ** -brentq(lambda n, p=p: iterations(n) - p, *ACCURACIES) for p in POWERS]

    @cached_property
    def devices(self) -> tuple[int, ...]:
        """Evenly spaced in their logarithm, as many as the longest run may have."""
        most = next((n for n in DEVICES if self.allowed(2 ** (3 * n), self.sweep[-1])), 0)
        evenly = tuple(dict.fromkeys(2 ** (n * most) for n in range(4)))
        return devices_of(self.run, evenly[1:2] or evenly if self.one else evenly)

    @cached_property
    def inside(self) -> list[Place]:
        """With the fewest devices and with the most, from short runs to long ones; the longest with all."""
        found = [(K, at) for K in self.devices for at in self.sweep if self.allowed(K, at)]
        if len({at for _, at in found}) < FEWEST:
            tried = ", ".join(f"2^{math.log2(at):.4g}" for at in self.sweep)
            raise UndecidedError(
                f"fewer than {FEWEST} of the {self.free} that are tried, {tried}, are in the window of "
                f"{self.statement.id}: no exponent can be read there."
            )
        lengths = Counter(K for K, _ in found)
        most = max(K for K, n in lengths.items() if n == max(lengths.values()))  # a window may cut some off
        return [(K, at) for K, at in found if K in (self.devices[0], most) or at == self.sweep[-1]]

    @cached_property
    def outside(self) -> list[Place]:
        """With the shortest run, more and more devices until the window ends: the first ones beyond."""
        if not self.statement.window or len(self.devices) == 1:
            return []
        at = self.sweep[0]
        more = (FACTOR**n for n in range(int(math.log(LONGEST, FACTOR))))
        beyond = ((K, at) for K in more if not self.in_window(K, at) and self.T(K, at) >= 1)
        return list(islice(beyond, OUTSIDE))

    def allowed(self, K: int, at: float) -> bool:
        return self.in_window(K, at) and 1 <= self.T(K, at) <= LONGEST

    def in_window(self, K: int, at: float) -> bool:
        here = {letter("K"): K, letter(self.free): at}
        return all(bool(relation.subs(here)) for relation in self.statement.window)

    def T(self, K: int, at: float) -> int:
        return round(at if self.free == "T" else self.size("T", K, at))

    def size(self, name: str, K: int, at: float) -> float:
        """The order of a letter, in numbers."""
        scaling = self.statement.scalings.get(name)
        return number(scaling.order, {"K": K, self.free: at}) if scaling else 1.0

    def falls(self, name: str) -> bool:
        """Whether a letter becomes small along the corollary."""
        if name not in self.statement.scalings:
            return False
        exponent = as_monomial(self.statement.scalings[name].order).exponent(self.free)
        return exponent < 0 if self.free == "T" else exponent > 0

    def is_fixed(self, name: str) -> bool:
        """Whether the corollary leaves a letter as it is, but for logarithms."""
        scaling = self.statement.scalings.get(name)
        return scaling is None or not as_monomial(scaling.order).powers
