"""What is measured, as forms of the coordinates: of the mean over devices, and of deviations from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ratecert.solvers.contract.measures import Form, Measure
from ratecert.solvers.contract.stage import State
from ratecert.solvers.engines.batch.arrays import Array, Many, constants, namespace, transposed
from ratecert.solvers.engines.batch.congruences import functional
from ratecert.solvers.engines.batch.frame import Frame
from ratecert.solvers.engines.batch.reading import OneByOne

ON_FIELDS = ("gradient", "gap", "distance", "tracking", "drift")


@dataclass(frozen=True)
class Readings:
    """Rows on packed second moments, one for each measure: of the mean, of deviations, and of the start."""

    of_mean: Array  # (N, measures, size)
    of_deviations: Array
    at_start: Array  # (N, measures, size of the start)


def readings_of(frame: Frame, measures: Mapping[str, Measure], T: Array) -> Readings:
    """The measures as rows, in the frame; a mean of the iterates is of so many, T (N,)."""
    mean, deviations, start = [], [], []
    for measure in measures.values():
        found = [
            _form(frame, form, factor, T if measure.at == "mean" else None) for factor, form in measure.forms
        ]
        mean.append(sum(each[0] for each in found))
        deviations.append(sum(each[1] for each in found))
        start.append(sum(each[2] for each in found))
    return Readings(*(_rows(each) for each in (mean, deviations, start)))


def _rows(rows: list[Array]) -> Array:
    xp = namespace(rows[0])
    return xp.stack(xp.broadcast_arrays(*rows), axis=1)


def _form(frame: Frame, form: Form, factor: Any, T: Array | None) -> tuple[Array, Array, Array]:
    """A form as rows on the mean, on deviations and on the start."""
    if form.of == "own":
        raise OneByOne("a measure is read at each device's own problem")
    V, at_start = _vector(frame, form, T)
    W = _weight(frame, form, V)
    row = float(factor) * functional(transposed(V) @ W @ V)
    linear = V * constants(V, np.append(np.ones(V.shape[-1] - 1), 0.0))
    deviating = float(factor) * functional(transposed(linear) @ W @ linear)
    begun = float(factor) * functional(transposed(at_start) @ W @ at_start)
    nothing = 0.0 * row
    if form.of == "mean":
        return row, nothing, begun
    return (nothing, deviating, 0.0 * begun) if form.of == "deviations" else (row, deviating, begun)


def _vector(frame: Frame, form: Form, T: Array | None) -> tuple[Array, Array]:
    """v as a matrix on the coordinates in the frame, and on the start, both with a last column for 1."""
    numbers, truth = frame.numbers, frame.numbers.truth
    if form.kind not in ON_FIELDS:
        return _own_vector(frame, form, T)
    reads, own = form.reads or (), vars(numbers.reading.state)
    if T is not None:
        V = frame.seen(_of_kind(form.kind, truth, [_mean_of(frame, name, T) for name in reads]))
        start = sum(d for d, _ in numbers.point.values()) + 1
        return V, 0.0 * V[..., :1] * constants(V, np.ones(start))  # a mean is read at the end alone
    rows = []
    for sources, state in ((numbers.sources, own), (numbers.point, None)):
        fields = [_field(frame, name, sources, state) for name in reads]
        rows.append(_of_kind(form.kind, truth, fields))
    return frame.seen(rows[0]), rows[1]


def _mean_of(frame: Frame, name: str, T: Array) -> Array:
    """The mean of a field over T iterates, less x* or y*(x*), from the coordinates."""
    numbers, solution, sum_of = frame.numbers, frame.numbers.solution, f"sum of {name}"
    units = np.zeros((numbers.reading.coordinates[sum_of], numbers.n))
    np.fill_diagonal(units[:, numbers.slices[sum_of]], 1.0)
    away = (numbers.of_sums[sum_of] - solution.get(name, solution["x"])).rounded
    last = constants(away, np.append(np.zeros(numbers.n - 1), 1.0))
    return constants(T, units[None]) / T[:, None, None] + away[..., None] * last


def _field(frame: Frame, name: str, sources: Any, state: Any) -> Array:
    """A field less x*, or y*(x*), from the coordinates or from the start."""
    numbers, xp = frame.numbers, namespace(frame.centre)
    if state is None:
        if name not in sources:
            raise OneByOne(f"a measure reads {name!r}, which the start does not have")
        blocks = [
            constants(frame.centre, (np.eye(d) if source == name else np.zeros((sources[name][0], d)))[None])
            for source, (d, _) in sources.items()
        ]
        return xp.concat([*blocks, xp.zeros_like(blocks[0][..., :1])], axis=-1)
    if name not in state:
        raise OneByOne(f"a measure reads {name!r}, which the method does not have")
    row, solution = state[name], numbers.solution
    return numbers.matrix([(row.mean, row.d, solution.get(name, solution["x"]))], sources)


def _of_kind(kind: str, truth: Any, fields: list[Array]) -> Array:
    if kind == "drift":
        return fields[0]
    if kind == "tracking":
        x, y = fields
        return y - truth.S @ x
    if kind == "gradient":
        moved = truth.H @ fields[0]
        if truth.h is None:
            return moved
        last = constants(moved, np.append(np.zeros(moved.shape[-1] - 1), 1.0))
        return moved + truth.h[..., None] * last
    truth.require_minimiser()
    return fields[0]


def _weight(frame: Frame, form: Form, V: Array) -> Array:
    """W for the vector of a form."""
    if form.kind == "gap":
        return 0.5 * frame.numbers.truth.H
    if form.weight is None:
        return constants(V, np.eye(V.shape[-2])[None])
    try:
        W = form.weight(frame.numbers.problem, np.zeros((1, 1)))
    except (TypeError, AttributeError, ValueError) as error:
        raise OneByOne("the weight of a measure does not take arrays") from error
    return W.values if isinstance(W, Many) else constants(V, np.asarray(W, dtype=np.float64)[None])


def _own_vector(frame: Frame, form: Form, T: Array | None) -> tuple[Array, Array]:
    """A user's own vector, by its values at the origin and beside it."""
    if T is not None:
        raise OneByOne("a form of one's own is read at the mean of the iterates")
    numbers = frame.numbers
    found = []
    for sources, state in ((numbers.sources, vars(numbers.reading.state)), (numbers.point, None)):
        size = sum(d for d, _ in sources.values())
        columns = np.concatenate([np.eye(size), np.zeros((size, 1))], axis=1)
        given: dict[str, Many] = {}
        for name in form.reads or (state or sources):
            if state is None and name not in sources:
                raise OneByOne("a measure reads a field that the start does not have")
            row: Any = state[name].mean if state is not None else {name: {(): 1}}
            d = state[name].d if state is not None else sources[name][0]
            M = numbers.matrix([(row, d, numbers.nowhere(d))], sources)
            given[name] = Many(M[..., :-1] @ constants(M, columns) + M[..., -1:])
        try:
            values = form.vector(numbers.problem, State(**given)).values
        except (TypeError, AttributeError, ValueError) as error:
            raise OneByOne("a measure does not take arrays") from error
        xp = namespace(values)
        found.append(xp.concat([values[..., :-1] - values[..., -1:], values[..., -1:]], axis=-1))
    return frame.seen(found[0]), found[1]
