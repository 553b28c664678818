"""What can be shown, and a point of it: everything that a run takes, as objects, as calls of the face and as Python.

A subject is a method or a theorem: it has worlds and bounds by name, each with its title, controls for each world, and
makes a point of numbers.
"""

import math
from collections.abc import Mapping
from dataclasses import Field, dataclass, fields, is_dataclass
from typing import Any, cast

import numpy as np

from ratecert import solvers, synthetic
from ratecert.binding.setting import Setting
from ratecert.explore.bounds import BoundSource, Drawn
from ratecert.explore.controls import text_of
from ratecert.solvers.contract.measures import Measure
from ratecert.solvers.contract.schedule import is_schedule


@dataclass(frozen=True, kw_only=True)
class Point:
    """Everything that a run takes."""

    setting: Setting
    solver: Any
    measures: Mapping[str, Measure] | None = None  # None: the usual ones
    bound: BoundSource | None = None


# Where rc.worlds, rc.methods and rc.contract have their classes from.
PUBLIC: dict[str, Any] = {"worlds": synthetic, "methods": solvers, "contract": solvers}


def written(namespace: str, value: Any) -> str:
    """As Python: numbers, texts, lists, and calls of the face that make something again from its fields.

    Fields that are empty or as usual are left out. TypeError where anything in it is not public.
    """
    value = _plain(value)
    if isinstance(value, tuple | list):
        return f"[{', '.join(written(namespace, each) for each in value)}]"
    if isinstance(value, int | float | str | bool):
        return repr(value)
    name = type(value).__name__
    namespace = "contract" if is_schedule(value) else namespace
    if not is_dataclass(value) or getattr(PUBLIC[namespace], name, None) is not type(value):
        raise TypeError(f"{name} is not public")
    given = {f.name: getattr(value, f.name) for f in fields(value) if f.init and not _is_usual(f, value)}
    arguments = (f"{each}={text}" for each, v in given.items() if (text := written(namespace, v)) != "[]")
    return f"rc.{namespace}.{name}({', '.join(arguments)})"


def _plain(value: Any) -> Any:
    """Arrays as lists, and a schedule that never changes as its number."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return float(value(0)) if is_schedule(value) and value.constant_until == math.inf else value


def _is_usual(field: Field[Any], made: Any) -> bool:
    value, usual = _plain(getattr(made, field.name)), cast(Any, field.default)
    return value is usual or (not is_dataclass(value) and bool(np.array_equal(value, usual)))


def as_python(point: Point, bound: Drawn | str | None) -> str:
    """A script that prints the measures, and the bound where there is one."""
    where, made = point.setting, []
    for namespace, each in (("worlds", where.world), ("methods", point.solver)):
        try:
            made.append(written(namespace, each))
        except TypeError:
            name = type(each).__name__
            return f"# {name} belongs to the file of its paper, and is not part of the public face.\n"
    T = text_of(where.T).replace("^", "**")
    script = f"""import ratecert as rc

world = {made[0]}
solver = {made[1]}
start = { {name: np.asarray(value).tolist() for name, value in where.start.items()} }
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
