"""The instances of Lemma 1: a world with devices that are alike, and a point x.

    measured   ||formula - quotient||, both as in evidence/gradient_of_phi.py: the formula takes the world's
               oracles at (x, y*(x)), the quotient of Phi knows nothing of it
    bound      what the quotient and doubles allow

A search for the largest ratio finds every place where an estimated error is zero by chance, so the bound has three
parts. Central quotients c at the steps t, 2t and 4t: ||c(2t) - c(t)|| + ||c(4t) - c(2t)||/4 is of order t^2, where the
quotient itself has an error of order t^4, and both parts vanish together only where Phi is nearly quadratic. (Where f
turns from quadratic to linear the errors are of order t, and that of the quotient is the smaller one.) Rounding of Phi
over t, and rounding of the formula. The step is short against x, the waves and the radius of the quadratic part. If
the ratio is above 1, formula and gradient differ.

The second way, for d = 1: the gradient of Phi in 50 digits, by its definition.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import mpmath
import numpy as np
from numpy.typing import NDArray

from ratecert.base.errors import UserError, WitnessError
from ratecert.claims.claim import build
from ratecert.counterexamples.falsifiable import Again, Instance, Trial
from ratecert.counterexamples.witness_schema import require_numbers, require_tables
from ratecert.executable.search_space import Level
from ratecert.executable.two_levels import matrices as plane
from ratecert.papers.federated_bilevel.evidence.gradient_of_phi import ROUNDING, difference_quotient, formula
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Formula

Array = NDArray[np.float64]
STEP = 1e-4  # in units of the shortest length
ROUNDINGS = 16  # of an evaluation of Phi or of the formula
DIGITS = mpmath.MPContext()
DIGITS.dps = 50

MATRICES = ("A", "B", "P", "D", "b", "c")
KEYS = {
    "quadratic": MATRICES,
    "huberised": (*MATRICES, "radius"),
    "wavy": ("A", "B", "D", "b", "dial", "omega"),
}
LEVELS = (
    Level(name="d", low=0.75, high=2.0, whole=True),
    Level(name="A", low=1e-3, high=1e3),
    Level(name="spread", low=1.0, high=1e3),  # of the curvatures of g, where d = 2
    Level(name="tilt", low=1e-2, high=math.pi / 2),  # of their axes against those of f
    Level(name="B/A", low=1e-2, high=1e2),
    Level(name="P/A", low=1e-3, high=1e3),
    Level(name="D/A", low=1e-3, high=1e3),
    Level(name="b", low=1e-2, high=1e2),
    Level(name="c/A", low=1e-2, high=1e2),
    Level(name="x", low=1e-2, high=1e2),
    Level(name="dial", low=1e-2, high=4.6),
    Level(name="turns", low=1e-2, high=1e2),  # omega x
    Level(name="radius", low=1e-2, high=1e3),
)
FLAT = {"dial": 0.0, "turns": 1.0}
LINE = {"d": 1.0, "spread": 1.0, "tilt": 1.0}


@dataclass(frozen=True)
class LemmaCase:
    statement: str
    variant: str
    key: ClassVar[str] = paper().key

    def __post_init__(self) -> None:
        paper(self.variant).the(Formula, self.statement)
        if self.statement != "lemma-1":
            raise UserError(f"statement must be lemma-1, got {self.statement!r}.")

    @property
    def levels(self) -> Sequence[Level]:
        return LEVELS

    @property
    def simple(self) -> Sequence[Mapping[str, float]]:
        return ()

    @property
    def subspaces(self) -> Sequence[Mapping[str, float]]:
        """Quadratic (no radius), huberised, and wavy worlds."""
        flat = [{**FLAT, **size} for size in (LINE, {"d": 2.0})]
        wavy = {**LINE, "P/A": 0.0, "c/A": 0.0, "radius": 0.0}
        return (*({**subspace, "radius": 0.0} for subspace in flat), *flat, wavy)

    def instance(self, numbers: Mapping[str, float], source: Paper) -> Instance:
        n = numbers
        x = n["x"] if n["d"] < 2 else [n["x"], -n["x"] / 2]
        return {"world": _world(n), "point": {"x": x}}

    def draw(self, numbers: Mapping[str, float], source: Paper) -> Trial:
        return self.attempt(self.instance(numbers, source), source)

    def require(self, instance: Instance) -> None:
        kind = instance.get("world", {}).get("kind", "quadratic")
        if not (isinstance(kind, str) and kind in KEYS):
            raise WitnessError(f"world.kind must be one of {', '.join(KEYS)}, got {kind!r}.")
        world = dict.fromkeys(("kind", *KEYS[kind]), True)
        require_tables(instance, {"world": world, "point": {"x": True}})
        for table, entries in instance.items():
            for name, value in entries.items():
                if name != "kind":
                    require_numbers(f"{table}.{name}", value, lists=kind != "wavy" and name != "radius")

    def attempt(self, instance: Instance, source: Paper) -> Trial:
        world, x = _built(instance["world"]), _point(instance)
        step = STEP * _shortest(instance, world)
        quotient = difference_quotient(world.objective, x, step)
        off = float(np.linalg.norm(formula(world, x, world.y_star(x)) - quotient))
        of_quotient, of_Phi, of_formula = _allowed(instance, world, x, step)
        return Trial(
            measured=off,
            bound=of_quotient + of_Phi + of_formula,
            precision=0.0,
            values={"quotient": of_quotient, "Phi": of_Phi, "formula": of_formula},
        )

    def right_side(self, values: Mapping[str, float], source: Paper) -> float:
        """The lemma has no constant: no version of the paper allows another error."""
        return math.fsum(values.values())

    def right_terms(self, values: Mapping[str, float], source: Paper) -> Sequence[float]:
        return [self.right_side(values, source)]

    def standings(self, instance: Instance, tried: Trial) -> list[str]:
        return []

    def again(self, instance: Instance, tried: Trial) -> Again:
        if any(isinstance(value, list) for value in instance["world"].values()):
            return Again(measured=None, bound=None, how="50 digits are for worlds of numbers, d = 1")
        world, x = _built(instance["world"]), _point(instance)
        slope = _slope_of_Phi(instance["world"], float(x[0]))
        off = abs(DIGITS.mpf(float(formula(world, x, world.y_star(x))[0])) - slope)
        return Again(measured=float(off), bound=None, how="the gradient of Phi in 50 digits")


def _world(n: Mapping[str, float]) -> dict[str, Any]:
    """Wavy where the dial is on, huberised where there is a radius, else quadratic."""
    if n["dial"] > 0:
        A, wave = n["A"], {"dial": n["dial"], "omega": n["turns"] / n["x"]}
        return {"kind": "wavy", "A": A, "B": n["B/A"] * A, "D": n["D/A"] * A, "b": n["b"], **wave}
    means = plane({**n, "s_f": 0.0, "s_g": 0.0})
    c = n["c/A"] * n["A"]
    given = {**{name: means[name] for name in MATRICES[:-1]}, "c": c if n["d"] < 2 else [0.0, c]}
    if n["radius"] > 0:
        return {"kind": "huberised", **given, "radius": n["radius"]}
    return {"kind": "quadratic", **given}


def _built(world: Mapping[str, Any]) -> Any:
    given = {name: value for name, value in world.items() if name not in ("kind", "radius")}
    if world["kind"] == "huberised":
        return build({"world": "huberised", "of": {"world": "quadratic", **given}, "radius": world["radius"]})
    return build({"world": world["kind"], **given})


def _point(instance: Instance) -> Array:
    return np.atleast_1d(np.array(instance["point"]["x"], dtype=float))


def _shortest(instance: Instance, world: Any) -> float:
    """What a step has to be short against: x (or 1 at 0), the waves, the x with (x, y*(x)) within the radius."""
    given, lengths = instance["world"], [float(np.linalg.norm(_point(instance))) or 1.0]
    lengths += [1 / given["omega"]] if "omega" in given else []
    slope = _norm(given["B"]) / world.curvature[0]
    lengths += [given["radius"] / math.hypot(1.0, slope)] if "radius" in given else []
    return min(lengths)


def _allowed(instance: Instance, world: Any, x: Array, step: float) -> tuple[float, float, float]:
    """The errors of the quotient, of Phi over the step, and of the formula."""
    c = [_central(world.objective, x, step * factor) for factor in (1, 2, 4)]
    of_quotient = float(np.linalg.norm(c[1] - c[0]) + np.linalg.norm(c[2] - c[1]) / 4)
    norms = {name: _norm(value) for name, value in instance["world"].items() if name != "kind"}
    waves = 1 + norms.get("dial", 0.0)
    least, largest = world.curvature
    to_y = waves * norms["B"] / least
    reach = float(np.linalg.norm(x)) + step
    up, down = (
        norms.get("P", 0.0) * reach,
        norms["D"] * (to_y * reach + norms.get("c", 0.0) / least + norms["b"]),
    )
    size = up * reach + down**2 / norms["D"] if norms["D"] else up * reach
    rounding = ROUNDINGS * ROUNDING * largest / least
    return of_quotient, rounding * size / step, rounding * (up + to_y * down)


def _central(function: Callable[[Array], Any], x: Array, t: float) -> Array:
    return np.array([(function(x + t * e) - function(x - t * e)) / (2 * t) for e in np.eye(len(x))])


def _norm(value: Any) -> float:
    return float(np.linalg.norm(np.atleast_1d(np.array(value, dtype=float))))


def _slope_of_Phi(world: Mapping[str, Any], at: float) -> Any:
    given = {"P": 0.0, "dial": 0.0, "omega": 1.0, "radius": math.inf, **world}
    of = {name: DIGITS.mpf(value) for name, value in given.items() if name != "kind"}
    c = of.get("c", of["A"] * of["b"])  # that of a wavy world, with a = 0
    delta = of["radius"] * DIGITS.sqrt(max(of["P"], of["D"]))

    def Phi(x: Any) -> Any:
        w = x + of["dial"] / of["omega"] * DIGITS.sin(of["omega"] * x)
        y = (of["B"] * w + c) / of["A"]
        square = of["P"] * x**2 + of["D"] * (y - of["b"]) ** 2
        return square / 2 if square <= delta**2 else delta * DIGITS.sqrt(square) - delta**2 / 2

    t = DIGITS.mpf(10) ** -20 * (abs(DIGITS.mpf(at)) or 1)
    return (Phi(at + t) - Phi(at - t)) / (2 * t)
