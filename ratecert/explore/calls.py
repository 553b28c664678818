"""A world or a method as a call of the public face: made here, and written as Python that makes the same."""

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ratecert import solvers, synthetic
from ratecert.solvers.contract.schedule import is_schedule


@dataclass(frozen=True, repr=False)
class Call:
    """`rc.NAMESPACE.NAME(**arguments)`; the name comes out of a list, never out of a request."""

    namespace: str
    name: str
    arguments: Mapping[str, Any]

    @cached_property
    def made(self) -> Any:
        function: Callable[..., Any] = getattr(PUBLIC[self.namespace], self.name)
        return function(**self.arguments)

    def __repr__(self) -> str:
        """As Python; calls inside are written the same way."""
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
