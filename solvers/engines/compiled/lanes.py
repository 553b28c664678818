"""A few numbers as one value, for compiled code: what one or two vector registers of the processor hold.

The kernel keeps eight sums in registers. With AVX-512, 32 registers of eight doubles, a value has eight; of eight
such values neither NEON's 32 registers of two doubles nor AVX2's 16 of four hold the sums, so that there a value has
four. Lanes do not see each other: how many a value has changes a result by rounding at most, where the compiler makes
another choice of what it contracts.

    load(A, row, l)        the lanes l .. l + WIDTH - 1 of a row
    store(A, row, l, v)    the same, written
    v + w, v - w, v * w    lane by lane; or c * v with a number c
    with_sign(v, word)     v or -v in each lane, by the last WIDTH bits of a word

A loop over single lanes would be made into vector instructions by the compiler as well, but only behind checks that the
rows of one array do not overlap, and these take as long as the work on 64 lanes.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import binding as host
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

WIDTH = 8 if host.get_host_cpu_features().get("avx512f") else 4
ALIGNMENT = 8  # bytes: rows of doubles begin anywhere
VECTOR = ir.VectorType(ir.DoubleType(), WIDTH)
ADDED_IN_ONE = ("contract",)  # a product and a sum may be rounded once


class Lanes(types.Type):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(name="Lanes")


LANES = Lanes()


@register_model(Lanes)
class _Register(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, VECTOR)


def _place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """The address of A[row, l]."""
    A, row, l = arguments[:3]
    array = context.make_array(signature.args[0])(context, builder, A)
    _, columns = cgutils.unpack_tuple(builder, array.shape)
    place = builder.gep(array.data, [builder.add(builder.mul(row, columns), l)])
    return builder.bitcast(place, VECTOR.as_pointer())


@intrinsic
def load(_: Any, A: Any, row: Any, l: Any) -> tuple[Any, Callable[..., Any]]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = builder.load(_place(context, builder, signature, arguments))
        value.align = ALIGNMENT
        return value

    return LANES(A, types.intp, types.intp), generate


@intrinsic
def store(_: Any, A: Any, row: Any, l: Any, value: Any) -> tuple[Any, Callable[..., Any]]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        written = builder.store(arguments[3], _place(context, builder, signature, arguments))
        written.align = ALIGNMENT
        return context.get_dummy_value()

    return types.void(A, types.intp, types.intp, LANES), generate


@intrinsic
def all_lanes(_: Any, c: Any) -> tuple[Any, Callable[..., Any]]:
    """A number in every lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        nothing, first = ir.Constant(VECTOR, ir.Undefined), ir.Constant(ir.IntType(32), 0)
        same = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
        return builder.shuffle_vector(builder.insert_element(nothing, arguments[0], first), nothing, same)

    return LANES(types.float64), generate


def _lane_by_lane(instruction: str) -> Any:
    @intrinsic
    def combined(_: Any, v: Any, w: Any) -> tuple[Any, Callable[..., Any]]:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return getattr(builder, instruction)(*arguments, flags=ADDED_IN_ONE)

        return LANES(LANES, LANES), generate

    return combined


_plus, _minus, _times = (_lane_by_lane(instruction) for instruction in ("fadd", "fsub", "fmul"))


@intrinsic
def with_sign(_: Any, v: Any, word: Any) -> tuple[Any, Callable[..., Any]]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value, word = arguments
        bits = builder.trunc(word, ir.IntType(WIDTH))
        negative = builder.bitcast(bits, ir.VectorType(ir.IntType(1), WIDTH))
        return builder.select(negative, builder.fneg(value), value)

    return LANES(LANES, types.uint64), generate


# numba wants the names of a typing function and of its implementation to be the same, annotations included.


@overload(operator.add)
def _add(v, w):  # type: ignore[no-untyped-def]
    return (lambda v, w: _plus(v, w)) if v is LANES and w is LANES else None


@overload(operator.sub)
def _subtract(v, w):  # type: ignore[no-untyped-def]
    return (lambda v, w: _minus(v, w)) if v is LANES and w is LANES else None


@overload(operator.mul)
def _multiply(v, w):  # type: ignore[no-untyped-def]
    if v is LANES and w is LANES:
        return lambda v, w: _times(v, w)
    if v is types.float64 and w is LANES:
        return lambda v, w: _times(all_lanes(v), w)
    return None
