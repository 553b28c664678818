"""A corollary's algorithm on a world along its own scalings: the units of the scalings, and the start."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ratecert.base.errors import UndecidedError
from ratecert.claims.claim import build
from ratecert.papers.federated_bilevel.evidence.runs import run_row
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.reach import Reached, reach
from ratecert.papers.federated_bilevel.scalings import Run, along
from ratecert.solvers.engines.expect import LONGEST
from ratecert.theory.language.statements import Corollary
from ratecert.theory.numbers.evaluation import number
from ratecert.theory.orders.derivation import as_monomial


@dataclass(frozen=True, kw_only=True)
class Experiment:
    corollary: str
    world: Mapping[str, Any]  # as JSON
    units: Mapping[str, float]
    theta: float
    x0: float | Sequence[float] = 1.0  # a number stands for every coordinate
    y0: float | Sequence[float] | None = 0.0  # None: y*(x0)

    def run(self, **where: Any) -> Run:
        """At K and T, or at K and eps; further names replace fields of the solver."""
        return along(self.corollary, theta=self.theta, units=self.units, **where)

    def start(self, world: Any) -> dict[str, Any]:
        """The arguments x0 and y0 of a run."""
        x0 = np.full(world.d_x, self.x0)
        return {"x0": x0, "y0": world.y_star(x0) if self.y0 is None else np.full(world.d_y, self.y0)}

    def row(self, run: Run, **options: Any) -> dict[str, Any]:
        """The run as a row; `options` are those of `expect`."""
        world = build(self.world)
        return run_row(world, run.solver, K=run.K, T=run.T, **self.start(world), **options)

    def reach(
        self, eps: float, *, K: int, first: float, close: float, shared_noise: bool = False, **instead: Any
    ) -> Reached[dict[str, Any]]:
        """The T at which the measure is eps: looked for in doubles, and enclosed where that is cheap."""

        def at(T: float, certified: bool | None = False) -> tuple[float, dict[str, Any]]:
            if T > LONGEST:
                raise UndecidedError(f"the measure does not reach {eps:.3g} in {LONGEST} iterations.")
            run = self.run(K=K, T=math.ceil(T), **instead)
            row = self.row(run, shared_noise=shared_noise, certified=certified)
            return row["measure"], row

        slope = claimed(self.corollary, "T")
        return reach(eps, at, first=first, slope=slope, close=close, confirm=lambda T: at(T, certified=None))


def claimed(corollary: str, name: str) -> float:
    """The exponent of T, K or eps in the printed rate, logarithms aside."""
    return float(as_monomial(paper("printed").the(Corollary, corollary).claim.order).exponent(name))


def orders(corollary: str, **at: float) -> dict[str, float]:
    """Every scaling of a corollary at K and T, or K and eps, with units 1 and nothing rounded."""
    scalings = paper("printed").the(Corollary, corollary).scalings
    return {name: number(scaling.order, at) for name, scaling in scalings.items()}
