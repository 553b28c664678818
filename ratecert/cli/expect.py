"""`ratecert expect`: the exact expectations of a method on a world, as `rc.expect` has them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from ratecert.base import drawing as figures
from ratecert.base.errors import UserError
from ratecert.base.files import require_writable
from ratecert.base.lists import as_text
from ratecert.base.terminal import columns, echo, folded
from ratecert.cli import letters
from ratecert.cli.catalogue import methods, worlds
from ratecert.federate.experiment import HYPERPARAMETERS
from ratecert.solvers.contract.problem import AnyProblem
from ratecert.solvers.contract.result import ExactResult
from ratecert.solvers.contract.stage import name_of
from ratecert.solvers.engines.expect import expect

SCHEMA = 1
OF_THE_RUN = ("K", "T", "x0", "y0")  # letters that belong to neither method nor world


def print_expected(
    method: str,
    *,
    world: Sequence[str],
    settings: Sequence[str],
    certified: bool,
    plot: Path | None,
    as_json: bool,
) -> int:
    """The table, or an object as JSON; with `plot`, the curves in a file, too."""
    if plot is not None:
        _require_figure(plot)
    values = letters.read("--set", settings)
    make = letters.named("method", method, methods())
    run = {"K": 1, **{name: values.pop(name) for name in OF_THE_RUN if name in values}}
    if "T" not in run:
        raise UserError("T, the number of iterations, is missing; such as --set T=1000.")
    solver = make(**letters.fitting(method, "--set", make, values, HYPERPARAMETERS.get(method, {})))
    problem = _world(world, run["K"])
    run |= _start(problem, run)
    result = expect(problem, solver, **run, times=_times(run["T"]), certified=True if certified else None)
    if plot is not None:
        _draw(result, f"{name_of(solver)} on {world[0]}, K = {run['K']}", plot)
    if as_json:
        asked = {"method": method, "world": list(world), "set": list(settings)}
        echo(json.dumps({"schema": SCHEMA, **asked, **_record(result)}, indent=1) + "\n")
        return 0
    echo(as_text(_table(result, run["T"]), columns()))
    echo("".join(map(folded, _in_words(result))))
    echo(folded(f"Wrote {plot}") if plot is not None else "")
    return 0


def _times(T: Any) -> list[int] | None:
    """0, T, and 2^i - 1 between: before an average, where devices differ most."""
    return [0, *(2**i - 1 for i in range(1, T.bit_length())), T] if isinstance(T, int) and T > 0 else None


def _world(given: Sequence[str], K: Any) -> Any:
    """A world of devices that differ has as many as the run, unless it is told otherwise."""
    name, *rest = given
    make = letters.named("world", name, worlds())
    values = letters.read("--world", rest)
    if name in ("heterogeneous", "federated"):
        values = {"K": K, **values}
    return make(**letters.fitting(f"the world {name}", f"--world {name}", make, values, {}))


def _start(problem: AnyProblem, run: Mapping[str, Any]) -> dict[str, Any]:
    """Unless they are given: x = (1, ..., 1), and y = y*(x) where there is a lower level."""
    x0 = run.get("x0", np.ones(problem.d_x))
    if "y0" in run or not hasattr(problem, "y_star") or np.shape(x0) not in ((), (problem.d_x,)):
        return {"x0": x0}
    return {"x0": x0, "y0": problem.y_star(np.array(x0, dtype=float).reshape(-1))}


def _require_figure(path: Path) -> None:
    if path.suffix not in figures.SUFFIXES:
        raise UserError(
            f"--plot must be a file that ends in {', '.join(figures.SUFFIXES)}, got {str(path)!r}."
        )
    require_writable(path.parent)


def _draw(result: ExactResult, title: str, path: Path) -> None:
    axes = result.plot()
    axes.set_title(title, fontsize="medium")
    figures.save_as(axes.figure, path)


def _table(result: ExactResult, T: int) -> Table:
    table = Table(title="Exact expectations")
    table.add_column("measure")
    for name in ("mean over t < T", "±", f"at t = {T}"):
        table.add_column(name, justify="right")
    for name, value in result.values.items():
        error = result.absolute_error.values[name]
        last = float(result.curves.values[name][-1])
        table.add_row(name, f"{value:.10g}", f"{error:.1g}", f"{last:.10g}")
    return table


def _in_words(result: ExactResult) -> list[str]:
    how = (
        "certified: the truth lies within ±"
        if result.certified
        else "± is an estimate; --certified proves it"
    )
    counts = ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in asdict(result.counts).items() if n)
    return [f"Nothing is sampled; {how}.", f"Per device: {counts}."]


def _record(result: ExactResult) -> dict[str, Any]:
    enclosures = result.enclosure.values if result.enclosure else {}
    measures = {
        name: {
            "mean": value,
            "error": result.absolute_error.values[name],
            "enclosure": [float(end) for end in enclosures[name]] if name in enclosures else None,
        }
        for name, value in result.values.items()
    }
    curves = {"t": result.curves.t.tolist(), **{n: v.tolist() for n, v in result.curves.values.items()}}
    return {
        "certified": result.certified,
        "measures": measures,
        "curves": curves,
        "counts": asdict(result.counts),
    }
