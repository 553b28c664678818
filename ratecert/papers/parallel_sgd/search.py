"""The bound for parallel SGD as something to be tried: a quadratic Phi without a lower level, devices, and a step."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import mpmath
import numpy as np

from ratecert.counterexamples.falsifiable import Again, Instance, Trial
from ratecert.counterexamples.witness_schema import require_numbers, require_tables
from ratecert.errors import OutsideConditionsError
from ratecert.executable.search_space import Level
from ratecert.solvers import LocalSGD, expect
from ratecert.synthetic import Quadratic
from ratecert.theory.language.paper import Paper
from ratecert.theory.numbers.evaluation import evaluate

THEOREM = "sgd-descent"
LONGEST = 2**62


@dataclass(frozen=True)
class Run:
    """Curvatures of Phi, noise per coordinate, distance of the start from the minimum in each, devices and steps."""

    P: Sequence[float]
    s_f: float
    x_off: float
    K: int
    T: int
    eta: float

    def measured(self) -> tuple[float, float]:
        """The left side of the theorem and its relative precision, by exact moments."""
        d = len(self.P)
        world = Quadratic(A=1.0, B=np.zeros((1, d)), P=np.diag(self.P), D=1.0, s_f=self.s_f)
        solver = LocalSGD(eta=self.eta, rho_1=1.0, rho_2=0.5 / self.eta, p=1, theta=0.5, Q=0)
        result = expect(world, solver, K=self.K, T=self.T, x0=np.full(d, self.x_off), y0=0.0, times=[])
        return result.gradient, result.precision

    def values(self) -> dict[str, float]:
        """What the right side is evaluated at."""
        gap = sum(self.P) * self.x_off**2 / 2
        sigma = math.sqrt(len(self.P)) * self.s_f
        return {"L": max(self.P), "sigma": sigma, "Phi_gap": gap, "K": self.K, "T": self.T, "eta": self.eta}

    def again(self) -> tuple[float, float]:
        """Both sides from the closed form of a scalar recursion in each direction, in 50 digits."""
        with mpmath.workdps(50):
            eta, K, T = mpmath.mpf(self.eta), mpmath.mpf(self.K), mpmath.mpf(self.T)
            left = mpmath.mpf(0)
            for l in map(mpmath.mpf, self.P):
                r = (1 - eta * l) ** 2  # of a second moment, in a step
                sum_of_powers = (1 - r**T) / (1 - r)
                limit = (eta * mpmath.mpf(self.s_f)) ** 2 / K / (1 - r)
                left += l**2 * (limit + (mpmath.mpf(self.x_off) ** 2 - limit) * sum_of_powers / T)
            start = sum(map(mpmath.mpf, self.P)) * mpmath.mpf(self.x_off) ** 2 / (eta * T)
            noise = max(self.P) * eta * len(self.P) * mpmath.mpf(self.s_f) ** 2 / K
            return float(left), float(start + noise)


@dataclass(frozen=True)
class DescentCase:
    """The theorem for the search (counterexamples/falsifiable.py): two curvatures, a step as a fraction of 1/L."""

    statement: str
    variant: str
    key: ClassVar[str] = "parallel-sgd"

    levels: ClassVar[tuple[Level, ...]] = (
        Level(name="L", low=1e-3, high=1e3),
        Level(name="spread", low=1.0, high=1e3),
        Level(name="s_f", low=1e-3, high=1e3),
        Level(name="x_off", low=1e-3, high=1e3),
        Level(name="eta L", low=1e-6, high=1.0),
        Level(name="K", low=1.0, high=1e6, whole=True),
        Level(name="T", low=1.0, high=2.0**40, whole=True),
    )
    subspaces: ClassVar[tuple[dict[str, float], ...]] = (
        {"x_off": 0.0, "spread": 1.0, "eta L": 1.0},  # where the proof gives nothing away
        {"s_f": 0.0, "spread": 1.0, "eta L": 1.0},
        {"x_off": 0.0},
        {"s_f": 0.0},
        {},
    )

    def draw(self, numbers: Mapping[str, float], source: Paper) -> Trial:
        return self.attempt(self.instance(numbers, source), source)

    def instance(self, numbers: Mapping[str, float], source: Paper) -> Instance:
        L = numbers["L"]
        return {
            "world": {"P": [L, L / numbers["spread"]], "s_f": numbers["s_f"]},
            "run": {"x_off": numbers["x_off"], "K": int(numbers["K"]), "T": int(numbers["T"])},
            "steps": {"eta": numbers["eta L"] / L},
        }

    def require(self, instance: Instance) -> None:
        keys = {"world": ("P", "s_f"), "run": ("x_off", "K", "T"), "steps": ("eta",)}
        require_tables(instance, {table: dict.fromkeys(names, True) for table, names in keys.items()})
        for table, entries in instance.items():
            for name, value in entries.items():
                require_numbers(f"{table}.{name}", value, lists=(name == "P"))
        _run(instance)

    def attempt(self, instance: Instance, source: Paper) -> Trial:
        run = _run(instance)
        bound = evaluate(source, THEOREM, run.values())
        measured, precision = run.measured()
        return Trial(
            measured=measured * (1 - precision),
            bound=bound.total,
            precision=precision,
            values=run.values(),
            conditions=[
                {"part": c.name, "left": c.left, "right": c.right, "margin": c.margin} for c in bound.checks
            ],
            terms=bound.terms,
        )

    def right_side(self, values: Mapping[str, float], source: Paper) -> float:
        return evaluate(source, THEOREM, values).total

    def standings(self, instance: Instance, tried: Trial) -> list[str]:
        return []

    def again(self, instance: Instance, tried: Trial) -> Again:
        measured, bound = _run(instance).again()
        return Again(measured=measured, bound=bound, how="closed form in 50 digits")


def _run(instance: Instance) -> Run:
    world, run, steps = instance["world"], instance["run"], instance["steps"]
    for name in ("K", "T"):
        if not (isinstance(run[name], int) and 1 <= run[name] <= LONGEST):
            raise OutsideConditionsError(
                f"run.{name} must be a whole number from 1 to 2^62, got {run[name]!r}."
            )
    if not (isinstance(world["P"], list) and world["P"] and min(world["P"]) > 0):
        raise OutsideConditionsError(f"world.P must be a list of curvatures > 0, got {world['P']!r}.")
    return Run(world["P"], world["s_f"], run["x_off"], run["K"], run["T"], steps["eta"])


FALSIFIABLE = {THEOREM: DescentCase}
