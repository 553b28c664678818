"""How tight the theorems are: the left side of a theorem, exactly, over its bound.

    left side   1/T sum_{t<T} E||grad Phi(xbar_t)||^2 + L_tilde^2 E||ybar_t - y*(xbar_t)||^2, from exact moments
    bound       the theorem's, term by term, with the world's constants on a ball that holds the run (instances.py)

On a quadratic world L_21 = L_22 = 0: L_0 and sigma enter no condition, so steps do not depend on the ball. They are
chosen first, the ball follows from them, and evaluating the bound with its constants checks the conditions once more.
A ratio above 1 refutes a theorem. A ratio of 1/2 is within reach: start_x charges twice what descent can spend.

The grid is a factorial of which every n-th setting is run; where n shares no factor with the numbers of levels, all
levels of a factor come up about equally often.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice, product
from statistics import median
from typing import Any

import numpy as np
from rich.table import Table

from ratecert.instances import Ball, ball, solver_of, worlds
from ratecert.plain_text import as_text
from ratecert.progress import progress_of
from ratecert.standard_output import show
from solvers import expect
from solvers.expectation import PrecisionWarning
from synthetic import Quadratic
from theory.admissible import Admissible, admissible
from theory.evaluation import Bound, evaluate
from theory.papers import paper

THEOREMS = ("theorem-1", "theorem-2", "theorem-3")
ANY = 1e12  # radius that holds every start of the grid; no step depends on it
CAPTION = "a ratio above 1 refutes; certified: no outcome leaves the ball of the constants"
NEARLY = 1 - 2.0**-20  # Theorem 1's bound on eta is strict, and 1 - alpha eta is not to be lost to rounding
FRACTIONS = ({"eta": NEARLY}, {"rho_1": 0.1, "eta": 1e-3}, {"rho_2": 1e-3, "eta": NEARLY})


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One run. `fractions` are of the largest admissible steps; `fixed` sets steps by value."""

    world: Quadratic
    K: int
    p: int
    T: int
    Q: int | None = None
    B: int = 1
    x0: Any = None
    y0: Any = None
    fixed: Mapping[str, float] = field(default_factory=dict)
    fractions: Mapping[str, float] = field(default_factory=dict)
    name: str = "world"

    def __str__(self) -> str:
        return f"{self.name}, K={self.K}, p={self.p}, T={self.T:.0e}"


@dataclass(frozen=True)
class Row:
    setting: Setting
    measured: float
    precision: float  # relative, estimated
    bound: Bound
    ball: Ball

    @property
    def ratio(self) -> float:
        """Measured over bound, the measured value as large as its precision allows."""
        return (self.measured + abs(self.measured) * self.precision) / self.bound.total


def tightness(theorem: str, variant: str = "repaired", settings: list[Setting] | None = None) -> list[Row]:
    """One row per setting; without settings, those of the grid."""
    settings, rows = grid() if settings is None else settings, []
    with progress_of(f"{theorem}, {variant}", len(settings)) as advance:
        for setting in settings:
            rows.append(measure(theorem, setting, variant))
            advance()
    return rows


def measure(theorem: str, s: Setting, variant: str = "repaired") -> Row:
    """Both sides of the theorem's inequality."""
    x0 = np.asarray(s.world.x_star if s.x0 is None else s.x0, dtype=np.float64)
    y0 = np.asarray(s.world.y_star(x0) if s.y0 is None else s.y0, dtype=np.float64)
    inside = _steps(theorem, variant, s, x0, y0)
    solver = solver_of(theorem, inside)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrecisionWarning)  # the row keeps the precision
        exact = expect(s.world, solver, K=s.K, T=s.T, x0=x0, y0=y0)
    held = ball(s.world, solver, s.K, x0, y0, exact.curves)
    values = {**inside.values, **s.world.constants(radius=held.radius)}
    bound = evaluate(paper(variant), theorem, values)
    return Row(s, exact.measure(bound.values["L_tilde"])[0], exact.precision, bound, held)


def _steps(theorem: str, variant: str, s: Setting, x0: Any, y0: Any) -> Admissible:
    """One fraction after the other, each of the largest step that goes with those before it."""
    fixed, names = dict(s.fixed), list(s.fractions)
    while True:
        given = {"Q": s.Q, "B": s.B, "x0": x0, "y0": y0, "radius": ANY, "variant": variant, "fixed": fixed}
        inside = admissible(theorem, s.world, s.K, s.p, s.T, **given)
        names = [name for name in names if name in inside.values]  # Theorem 3 leaves no choice of eta
        if not names:
            return inside
        name = names.pop(0)
        fixed[name] = s.fractions[name] * inside.values[name]


def grid(every: int = 37) -> list[Setting]:
    """Every n-th setting of all worlds, starts, steps, K, p and T."""
    levels = product(worlds().items(), (0.0, 1.0), FRACTIONS, (1, 8, 1000), (1, 16), (0, 3, 6, 12))
    return [
        Setting(world=world, name=name, K=K, p=p, T=10**power, fractions=fractions, **start(world, by))
        for (name, world), by, fractions, K, p, power in islice(levels, 0, None, every)
    ]


def start(world: Quadratic, by: float) -> dict[str, Any]:
    """The solution, moved by this much in every x and off y* by this much in every y."""
    return {"x0": world.x_star + by, "y0": world.y_star(world.x_star + by) + by}


def print_report(variant: str = "repaired", every: int = 37) -> int:
    """Print the report and return 1 if a ratio exceeds 1."""
    rows = {theorem: tightness(theorem, variant, grid(every)) for theorem in THEOREMS}
    show(report(rows))
    return int(any(row.ratio > 1 for some in rows.values() for row in some))


def report(rows: Mapping[str, list[Row]] | None = None) -> str:
    """One line per theorem: how many settings, the median ratio, the largest and where it is."""
    rows = rows or {theorem: tightness(theorem) for theorem in THEOREMS}
    (variant,) = {row.bound.variant for some in rows.values() for row in some}
    table = Table(title=f"Measured (exact moments) over bound, {variant} theorems", caption=CAPTION)
    for name in ("theorem", "runs", "certified", "median", "largest", "where", "term"):
        left = name in ("theorem", "where", "term")
        table.add_column(name, justify="left" if left else "right", no_wrap=name != "where")
    for theorem, some in rows.items():
        top, middle = max(some, key=lambda row: row.ratio), median(row.ratio for row in some)
        certified = sum(row.ball.certified for row in some)
        cells = (f"{len(some)}", f"{certified}", f"{middle:.0e}", f"{top.ratio:.1e}", str(top.setting))
        table.add_row(theorem, *cells, top.bound.dominating)
    return as_text(table)
