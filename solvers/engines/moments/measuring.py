"""Measures of an algorithm in its coordinates: which of them each form reads, and where a mean of iterates is found."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from ratecert.base.errors import NotAffineError, RatecertError, UserError
from ratecert.base.exact import working_precision
from ratecert.base.own_code import located, own_lines
from ratecert.solvers.contract.measures import AtDevice, Form, Measure
from ratecert.solvers.contract.stage import State, name_of
from ratecert.solvers.engines.moments.interpreter import Interpreter
from ratecert.solvers.engines.moments.layout import Layout
from ratecert.solvers.engines.moments.measures import MeasureMap, Term
from ratecert.solvers.engines.moments.readings import Reading, reading_of


def measure_map(interpreter: Interpreter, measures: Mapping[str, Measure], K: Any) -> MeasureMap:
    """The measures at iterations t >= 1: a mean of iterates is read off the coordinates that carry their sum."""
    return _map(interpreter, measures, K, running=True)


def measure_map_at_0(interpreter: Interpreter, measures: Mapping[str, Measure], K: Any) -> MeasureMap:
    """The measures at iteration 0, where there is no mean of the iterates before: the state itself is read."""
    return _map(interpreter, measures, K, running=False)


def measure_map_of_start(interpreter: Interpreter, measures: Mapping[str, Measure], K: Any) -> MeasureMap:
    """The measures of the point (x, y) where a run starts that has no state yet."""
    point = interpreter.point
    with working_precision(interpreter.bits):
        terms = [
            [
                _placed(
                    form, _reading(interpreter, name, form, point, " at the start"), c, point, interpreter
                )
                for c, form in measure.forms
            ]
            for name, measure in measures.items()
        ]
    return MeasureMap(tuple(map(tuple, terms)), K, point.size, _averaged(measures))


def _map(interpreter: Interpreter, measures: Mapping[str, Measure], K: Any, *, running: bool) -> MeasureMap:
    layout = interpreter.layout
    with working_precision(interpreter.bits):
        terms = [
            [
                _term(interpreter, name, form, c, measure.likely, running=running and measure.at == "mean")
                for c, form in measure.forms
            ]
            for name, measure in measures.items()
        ]
    exact = all(reading.exact for reading in interpreter.readings.values())
    sums = tuple((each, layout.slices[name]) for each, name in interpreter.running.items()) if running else ()
    return MeasureMap(tuple(map(tuple, terms)), K, layout.size, _averaged(measures), sums, exact)


def _term(
    interpreter: Interpreter, name: str, form: Form, factor: float, likely: Any, *, running: bool
) -> Term:
    fields, into = interpreter.fields
    reading = _reading(interpreter, name, form, fields)
    if running:
        instead = {each.field: name for each, name in interpreter.running.items() if each.likely == likely}
        return _placed(form, reading, factor, interpreter.layout, interpreter, instead)
    term = _placed(form, reading, factor, fields, interpreter)
    return term if into is None else Term(term.L @ into, term.W, term.of_mean, term.of_deviations)


def _reading(
    interpreter: Interpreter, name: str, form: Form, fields: Layout, where: str = ""
) -> tuple[dict[str, int], Reading]:
    """The dimensions of what the form reads, and the form on these fields alone."""
    try:
        dimensions = {field: fields.dimensions[field] for field in form.reads or fields.dimensions}
        key = form, tuple(dimensions)
        if key not in interpreter.readings:
            seen = AtDevice(interpreter.truth, interpreter.problem) if form.of == "own" else interpreter.truth
            interpreter.readings[key] = reading_of(form, seen, dimensions, interpreter.numbers)
    except NotAffineError as error:
        raise NotAffineError(f"the measure {name!r} of {type(interpreter.truth).__name__} {error}") from error
    except UserError as error:
        raise UserError(f"the measure {name!r}: {error}") from error
    except RatecertError:
        raise
    except Exception as error:
        if own_lines(error) and not isinstance(getattr(error, "obj", None), State):
            raise UserError(f"the measure {name!r} cannot be computed: {located(error)}.") from error
        if not isinstance(error, KeyError | AttributeError):
            raise
        raise UserError(
            f"the measure {name!r} reads a field that is not there ({error}); the state of "
            f"{name_of(interpreter.given)} has {', '.join(fields.dimensions)}{where}."
        ) from error
    return dimensions, interpreter.readings[key]


def _placed(
    form: Form,
    found: tuple[dict[str, int], Reading],
    factor: float,
    layout: Layout,
    interpreter: Interpreter,
    instead: Mapping[str, str] | None = None,
) -> Term:
    """The form on a whole layout, each field in its place, or in the place of what is read instead of it."""
    dimensions, reading = found
    L = interpreter.numbers.zeros(len(reading.L), layout.size)
    ends = np.cumsum([0, *dimensions.values()])
    for field, (a, b) in zip(dimensions, pairwise(ends), strict=True):
        L[:, layout.slices[instead[field] if instead else field]] = reading.L[:, a:b]
    L[:, -1] = reading.L[:, -1]
    return Term(L, reading.W * interpreter.numbers.number(factor), form.of != "deviations", form.of != "mean")


def _averaged(measures: Mapping[str, Measure]) -> tuple[bool, ...]:
    return tuple(measure.at == "average" for measure in measures.values())
