"""Instructions for one sum, with few passes over memory: terms are added as soon as they are there, two at once.

The first panel waits for the second, and constants and signs wait for each other and for something to be added to.
"""

from typing import Any

from ratecert.solvers.engines.compiled.expression import Array, Coefficient
from ratecert.solvers.engines.compiled.instructions import (
    COMBINE,
    NOISE,
    PLUS_PRODUCTS,
    PRODUCTS,
    SET,
    SHIFT,
    ZERO,
    Code,
    Panel,
)

Factors = tuple[tuple[int | None, Array], ...]


class SumRecorder:
    def __init__(self, code: Code, dst: Panel) -> None:
        self.code, self.dst = code, dst
        self._begun = False
        self._first: tuple[Coefficient, Panel] | None = None
        self._constants: list[tuple[Coefficient, Array]] = []
        self._signs: list[tuple[Coefficient, int]] = []

    def panel(self, c: Coefficient, source: Panel) -> None:
        if self._begun:
            self.code.add(self.dst, source, c)
        elif self._first is None:
            self._first = c, source
        else:
            (c_1, first), self._first, self._begun = self._first, None, True
            self.code.emit(COMBINE, self.dst, first, src_2=source, c=c_1, c_2=c)

    def products(self, source: Panel, factors: Factors) -> None:
        self._begin()
        self.code.emit(PLUS_PRODUCTS if self._begun else PRODUCTS, self.dst, source, factors=factors)
        self._begun = True

    def constant(self, c: Coefficient, values: Array) -> None:
        self._constants.append((c, values))

    def signs(self, c: Coefficient, first_slot: int) -> None:
        self._signs.append((c, first_slot))

    def finish(self) -> None:
        if self._first is not None and self._constants:
            (c, first), self._first, self._begun = self._first, None, True
            c_2, constant = self._constants.pop(0)
            self.code.emit(SHIFT, self.dst, first, c=c, c_2=c_2, constant=constant)
        self._begin()
        if not self._begun:
            self.code.emit(ZERO, self.dst)
        while self._constants or self._signs:
            both: dict[str, Any] = {}
            if self._constants:
                both["c_2"], both["constant"] = self._constants.pop(0)
            if self._signs:
                both["c"], both["sign"] = self._signs.pop(0)
            self.code.emit(NOISE, self.dst, **both)

    def _begin(self) -> None:
        if self._first is not None:
            (c, first), self._first, self._begun = self._first, None, True
            self.code.emit(SET, self.dst, first, c=c)
