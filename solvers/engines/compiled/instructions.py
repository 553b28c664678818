"""A step as a list of instructions on panels: rows of numbers, one column for each replicate of a block.

SET          dst = c src                     ADD              dst += c src
COMBINE      dst = c src + c_2 src_2         SHIFT            dst = c src + c_2 constant
NOISE        dst += c signs + c_2 constant   ZERO             dst = 0
PRODUCTS     dst = sum_i e_i M_i src         PLUS_PRODUCTS    dst += the same; e_i is a sign or 1
NEXT_TERM    PRODUCTS, then src_2 += dst: the next term of a Neumann sum
SIN, COS     dst = f(src)                    TIMES            dst = src src_2, entry by entry
"""

from dataclasses import dataclass, field
from typing import Any

from ratecert.base.errors import NotTracedError
from ratecert.solvers.engines.compiled.expression import Array, Coefficient

SET, ADD, COMBINE, SHIFT, NOISE, ZERO, PRODUCTS, PLUS_PRODUCTS, NEXT_TERM, SIN, COS, TIMES = range(12)
ROW_BY_ROW = (SET, ADD, COMBINE, SHIFT)  # may read the panel that they write
LONGEST = 20_000


@dataclass(eq=False)
class Panel:
    """Where a vector lives: a field of a device's state, or a place in the working memory."""

    d: int
    field: str | None = None


@dataclass
class Instruction:
    op: int
    dst: Panel
    src: Panel | None = None
    src_2: Panel | None = None
    c: Coefficient = 1.0
    c_2: Coefficient = 1.0
    sign: int | None = None  # the slot of the first sign
    constant: Array | None = None
    factors: tuple[tuple[int | None, Array], ...] = ()  # (slot of e_i, M_i)

    def reads(self, panel: Panel) -> bool:
        return panel is self.src or panel is self.src_2


@dataclass(frozen=True)
class Slot:
    """One word of signs, for 64 replicates: number `index` in the stream of (t + offset, label, member)."""

    label: str
    offset: int
    member: int
    index: int


@dataclass
class Code:
    instructions: list[Instruction] = field(default_factory=list)
    slots: list[Slot] = field(default_factory=list)

    def emit(self, op: int, dst: Panel, src: Panel | None = None, **rest: Any) -> None:
        if len(self.instructions) >= LONGEST:
            raise NotTracedError(f"its step takes more than {LONGEST} instructions")
        self.instructions.append(Instruction(op, dst, src, **rest))

    def add(self, dst: Panel, src: Panel, c: Coefficient) -> None:
        """dst += c src, in the pass that makes src if that is the last one."""
        last = self.instructions[-1]
        if last.op == PRODUCTS and last.dst is src and isinstance(c, float) and c == 1.0:
            last.op, last.src_2 = NEXT_TERM, dst
        else:
            self.emit(ADD, dst, src, c=c)

    def write_over(self, old: Panel, new: Panel) -> None:
        """`new` in the place of `old`: directly, where nothing reads `old` after `new` was begun, else by a copy."""
        if new.field is None and self._free(old, new):
            for instruction in self.instructions:
                for place in ("dst", "src", "src_2"):
                    if getattr(instruction, place) is new:
                        setattr(instruction, place, old)
        else:
            self.emit(SET, old, new)

    def _free(self, old: Panel, new: Panel) -> bool:
        first = next(i for i, instruction in enumerate(self.instructions) if instruction.dst is new)
        begin, *later = self.instructions[first:]
        begun_in_place = not begin.reads(old) or begin.op in ROW_BY_ROW
        return begun_in_place and not any(i.reads(old) or i.dst is old for i in later)
