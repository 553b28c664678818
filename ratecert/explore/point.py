"""What can be shown, and a point of it: everything that a run takes, as objects, as calls of the face and as Python.

A subject is a method or a theorem: it has worlds and bounds by name, each with its title, controls for each world, and
makes a point of numbers.
"""

import math
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Any

import numpy as np

from ratecert import solvers, synthetic
from ratecert.binding.setting import Setting
from ratecert.explore.bounds import BoundSource, Drawn
from ratecert.explore.controls import text_of
from ratecert.solvers.contract.measures import Measure
from ratecert.solvers.contract.schedule import is_schedule


@dataclass(frozen=True, repr=False)
class Call:
    """`rc.NAMESPACE.NAME(**arguments)`, written as Python; calls inside are written the same way."""

    namespace: str
    name: str
    arguments: Mapping[str, Any]

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"rc.{self.namespace}.{self.name}({given})"


# Where rc.worlds, rc.methods and rc.contract have them from.
PUBLIC: dict[str, Any] = {"worlds": synthetic, "methods": solvers, "contract": solvers}


def call_of(namespace: str, made: Any) -> Call | None:
    """The call that makes something again from its fields; None where a class in it is not public.

    Fields that are empty or as usual are left out.
    """
    name = type(made).__name__
    if not is_dataclass(made) or getattr(PUBLIC[namespace], name, None) is not type(made):
        return None
    given = {f.name: _plain(namespace, getattr(made, f.name)) for f in fields(made) if f.init}
    usual = {f.name: f.default for f in fields(made) if f.default is not MISSING}
    kept = {n: v for n, v in given.items() if v != [] and not (n in usual and _same(v, usual[n]))}
    return Call(namespace, name, kept) if all(map(_is_written, kept.values())) else None


def _plain(namespace: str, value: Any) -> Any:
    """Numbers, texts, lists and calls; anything else stays what it is, and is not written."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple | list):
        return [_plain(namespace, each) for each in value]
    if is_schedule(value):
        return float(value(0)) if value.constant_until == math.inf else call_of("contract", value)
    return (call_of(namespace, value) or value) if is_dataclass(value) else value


def _same(value: Any, usual: Any) -> bool:
    return value is usual or (not isinstance(value, Call) and bool(np.array_equal(value, usual)))


def _is_written(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_written, value))
    return isinstance(value, int | float | str | bool | Call)


@dataclass(frozen=True, kw_only=True)
class Point:
    """Everything that a run takes."""

    setting: Setting
    solver: Any
    measures: Mapping[str, Measure] | None = None  # None: the usual ones
    bound: BoundSource | None = None


def as_python(point: Point, bound: Drawn | str | None) -> str:
    """A script that prints the measures, and the bound where there is one."""
    where = point.setting
    world, solver = call_of("worlds", where.world), call_of("methods", point.solver)
    if world is None or solver is None:
        private = type(where.world if world is None else point.solver).__name__
        return f"# {private} belongs to the file of its paper, and is not part of the public face.\n"
    start = {name: np.asarray(value).tolist() for name, value in where.start.items()}
    T = text_of(where.T).replace("^", "**")
    script = f"""import ratecert as rc

world = {world!r}
solver = {solver!r}
start = {start!r}
result = rc.expect(world, solver, K={where.K}, T={T}, start=start, times=[], certified=False)
print(result)
"""
    if point.bound and isinstance(bound, Drawn):
        source = point.bound.paper
        script += f"""letters = {dict(bound.inputs)!r}
bound = rc.evaluate({source.variant!r}, {f"{source.key}:{point.bound.theorem.id}"!r}, letters)
print(bound.total, bound.dominating)
"""
    return script
