"""What the measures are held against, as a program: vectors at the mean over devices, and which are squared.

    two levels    grad Phi(x),  y - y*(x)
    one level     grad F(x),  R (x - x*) with R'R = H/2 for the gap,  x - x*

A measure is a row of a table: the square of a vector at the mean, or how far the devices' own rows are from their mean.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.errors import NotTracedError
from ratecert.solvers.contract.measures import defaults, gradient_of, slope_and_constant
from ratecert.solvers.contract.problem import AnyProblem, Problem, spaces_of
from ratecert.solvers.engines.compiled.estimate_code import record_estimate
from ratecert.solvers.engines.compiled.expression import Expression, Leaf, Product
from ratecert.solvers.engines.compiled.instructions import Code, Panel
from ratecert.solvers.engines.compiled.program import Program, assemble

Table = NDArray[np.int64]
ROUNDING = 1e-12


@dataclass(frozen=True)
class Truth:
    """The block of the mean: the unknowns, then the vectors that the program makes of them."""

    program: Program
    forms: Table  # (measures, columns DRIFTS, PLACE and SIZE)
    unknowns: int  # rows
    rows: int  # in all

    @property
    def code(self) -> tuple[Any, ...]:
        """For the kernel."""
        return self.program.as_tuple(), np.array(self.program.coefficients, dtype=np.float64), self.forms


def truth_of(problem: Problem) -> Truth:
    """For the usual measures of the problem."""
    spaces = spaces_of(problem)
    arguments = {name: Leaf(str(i), d) for i, (name, d) in enumerate(spaces.items())}
    try:
        vectors = (_on_two_levels if "y" in spaces else _on_one_level)(problem, **arguments)
    except NotTracedError:
        raise
    except (TypeError, AttributeError, ValueError) as error:
        raise NotTracedError(f"the problem's truth is not made of oracles ({error})") from error
    sizes = {**spaces, **{name: vector.d for name, vector in vectors.items()}}
    places, panels, code = places_of(sizes), {name: Panel(d, name) for name, d in sizes.items()}, Code()
    for name, vector in vectors.items():
        code.write_over(panels[name], record_estimate(code, vector, [panels[unknown] for unknown in spaces]))
    program = assemble(code, {panel: places[name] for name, panel in panels.items()})
    read = [name.removeprefix("drift_") for name in defaults(problem)]
    forms = [[name in spaces, places[name], sizes[name]] for name in read]
    return Truth(program, np.array(forms, np.int64), sum(spaces.values()), sum(sizes.values()))


def _on_two_levels(problem: Problem, x: Leaf, y: Leaf) -> dict[str, Expression]:
    return {"gradient": problem.hypergradient(x), "tracking": y - problem.y_star(x)}


def _on_one_level(problem: AnyProblem, x: Leaf) -> dict[str, Expression]:
    """From the gradient, which has to be affine: H x + h."""
    gradient = gradient_of(problem)
    H, h = slope_and_constant(gradient, np.eye(x.d), x.d)
    elsewhere = np.linspace(1.0, 2.0, x.d)[:, None]
    if not np.allclose(gradient(elsewhere), H @ elsewhere + h, rtol=ROUNDING):
        raise NotTracedError("its gradient is not affine")
    try:
        away = x + np.linalg.solve(H, h)
        roots = {"gap": np.linalg.cholesky(H / 2).T} if "gap" in defaults(problem) else {}
    except np.linalg.LinAlgError:
        raise NotTracedError("its Hessian is not positive definite") from None
    products = {name: Product(M, None, away) for name, M in {"gradient": H, **roots}.items()}
    return {**products, "distance": away}


def places_of(sizes: Mapping[str, int]) -> dict[str, int]:
    """The first row of each field."""
    rows = np.cumsum([0, *sizes.values()])
    return {name: int(row) for name, row in zip(sizes, rows, strict=False)}
