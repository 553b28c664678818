"""Maps at many t as one: every move of the stack is that of its maps, one by one."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ratecert.solvers.engines.moments.additive import AdditiveMap, Congruence
from ratecert.solvers.engines.moments.device_rounds import Journey, Stride
from ratecert.solvers.engines.moments.packing import packing
from ratecert.solvers.engines.moments.round_map import Linear
from ratecert.solvers.engines.moments.segment import Segment

Array = NDArray[np.float64]
N, MEASURES, MAPS, DEVICES = 3, 2, 4, 5
SIZE = packing(N).size
Draw = Callable[..., Array]


def linear(draw: Draw) -> Linear:
    nowhere: Any = SimpleNamespace()
    return Linear(nowhere, draw(SIZE, SIZE), draw(MEASURES, SIZE))


def congruence(draw: Draw) -> Congruence:
    return Congruence(draw(N, N), draw(N, N), draw(MEASURES, N, N), draw(MEASURES))


def segment(draw: Draw) -> Segment:
    matrices = draw(N, N), draw(SIZE, SIZE), draw(SIZE, SIZE)
    return Segment(packing(N), 5, *matrices, draw(MEASURES, SIZE), draw(MEASURES, SIZE))


def journey(draw: Draw) -> Journey:
    return Journey(congruence(draw), of_devices(segment, draw))


def stride(draw: Draw) -> Stride:
    return Stride(draw(N, N), draw(DEVICES, N, N), of_devices(congruence, draw))


def additive(draw: Draw) -> AdditiveMap:
    read = np.ones(MEASURES, dtype=bool)
    return AdditiveMap(congruence(draw), congruence(draw), read, read)


def of_devices(make: Callable[[Draw], Any], draw: Draw) -> Any:
    """Maps of all devices along a first axis."""
    each = [make(draw) for _ in range(DEVICES)]
    return each[0].gathered(each)


def arrays(map: Any) -> list[Array]:
    if isinstance(map, Journey):
        return [*arrays(map.lead), *arrays(map.own)]
    if isinstance(map, Stride):
        return [map.common, map.beyond, *arrays(map.own)]
    if isinstance(map, AdditiveMap):
        return [*arrays(map.mean), *arrays(map.within)]
    return [getattr(map, part) for part in map.parts]


def close(one: Sequence[Array], other: Sequence[Array]) -> bool:
    return all(a.shape == b.shape and np.allclose(a, b, rtol=1e-13) for a, b in zip(one, other, strict=True))


def drawn(make: Callable[[Draw], Any], seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [make(lambda *shape: rng.standard_normal(shape)) for _ in range(MAPS)]


@pytest.mark.parametrize("make", [linear, congruence, segment, journey, additive])
def test_a_stack_composes_as_its_maps_do(make: Callable[[Draw], Any]) -> None:
    first, second = drawn(make, 1), drawn(make, 2)
    stack = first[0].gathered(first).then(second[0].gathered(second))
    one_by_one = [a.then(b) for a, b in zip(first, second, strict=True)]
    assert close(arrays(stack), arrays(first[0].gathered(one_by_one)))
    other_way = [b.then(a) for a, b in zip(first, second, strict=True)]
    assert not close(arrays(stack), arrays(first[0].gathered(other_way)))


@pytest.mark.parametrize("make", [linear, congruence, segment, journey, additive, stride])
def test_weights_give_one_map_and_rows_of_weights_a_stack(make: Callable[[Draw], Any]) -> None:
    maps, weights = drawn(make, 1), np.arange(1.0, 1.0 + 3 * MAPS).reshape(3, MAPS)
    stack = maps[0].gathered(maps)
    by_hand = [
        sum(w * part for w, part in zip(weights[0], each, strict=True))
        for each in zip(*map(arrays, maps), strict=True)
    ]
    assert close(arrays(stack.weighted(weights[0])), by_hand)
    rows = [stack.weighted(row) for row in weights]
    assert close(arrays(stack.weighted(weights)), arrays(maps[0].gathered(rows)))
    assert not close(arrays(stack.weighted(weights[::-1])), arrays(maps[0].gathered(rows)))


def test_gathered_strides_come_apart_again() -> None:
    strides = drawn(stride, 1)
    apart = list(strides[0].gathered(strides).each())
    assert all(close(arrays(a), arrays(b)) for a, b in zip(apart, strides, strict=True))
    assert not close(arrays(apart[0]), arrays(strides[1]))
