"""The instances of a constant of Section 3: a world, a ball, and theta and Q where a sample is drawn.

    measured   what the constant has to bound, where it is largest on the ball, in closed form (attained.py); less
               ROUNDING, and less what doubles lose where A is ill-conditioned or I - theta grad_yy g nearly singular
    bound      the constant of the paper, from the constants of the assumptions on that ball

A value is attained, so a ratio above 1 refutes. Worlds are quadratic with d = 1 or 2, or wavy with d = 1, where
L_21 > 0; L_22 = 0 in all of them. They are centred, a = b = c = 0: measured values do not depend on a and b, only sigma
does. theta < 1/L_1, as all theorems ask.

The second way, for d = 1, is fifty_digits.py at the point of the first way. The bound is that of the transcription,
where the print is what is tried.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ratecert.base.errors import OutsideConditionsError, WitnessError
from ratecert.claims.claim import build
from ratecert.counterexamples.falsifiable import Again, Instance, Trial
from ratecert.counterexamples.witness_schema import require_numbers, require_tables
from ratecert.executable.search_space import Level
from ratecert.executable.two_levels import matrices as plane
from ratecert.papers.federated_bilevel.evidence.constants.measures import ROUNDING
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.search.attained import Attained, attained
from ratecert.papers.federated_bilevel.search.fifty_digits import World, signs_of
from ratecert.papers.federated_bilevel.transcription import bounds
from ratecert.synthetic.constants.norm_readings import Reading, require_reading
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Definition
from ratecert.theory.numbers.evaluation import with_constants

EPS = 2.0**-53
WORST_PRECISION = 1e-3
MOST_TERMS = 4096  # Q of a witness
MOST_SIGNS = 13  # that the second way enumerates

SAMPLED = ("L_hat", "G", "Delta_Q")
NEEDED = {"quadratic": ("A", "B", "P", "D"), "wavy": ("A", "B", "D", "dial", "omega")}
OPTIONAL = {"quadratic": ("E", "F", "s_f"), "wavy": ("E", "s_f")}
WORLD = (
    Level(name="d", low=0.75, high=2.0, whole=True),
    Level(name="A", low=1e-3, high=1e3),
    Level(name="spread", low=1.0, high=1e3),  # of the curvatures of g, where d = 2
    Level(name="tilt", low=1e-2, high=math.pi / 2),  # of their axes against those of f
    Level(name="B/A", low=1e-4, high=1e4),
    Level(name="P/A", low=1e-8, high=1e4),
    Level(name="D/A", low=1e-8, high=1e4),
    Level(name="E/A", low=1e-4, high=0.999),
    Level(name="F/B", low=1e-4, high=1e2),
    Level(name="s_f", low=1e-8, high=1e4),
    Level(name="dial", low=1e-2, high=4.6),
    Level(name="turns", low=1e-3, high=1e2),  # omega radius
)
BALL = (Level(name="radius", low=1e-4, high=1e4),)
SAMPLE = (
    Level(name="theta", low=1e-6, high=0.999),  # 1 - theta L_1
    Level(name="Q", low=1.0, high=8.0, whole=True),
)
FLAT = {"dial": 0.0, "turns": 1.0}
WAVY = {"d": 1.0, "spread": 1.0, "tilt": 1.0, "P/A": 0.0, "F/B": 0.0}
KINDS = ({**FLAT, "d": 1.0, "spread": 1.0, "tilt": 1.0}, {**FLAT, "d": 2.0}, WAVY)
SILENT = {"E/A": 0.0, "F/B": 0.0, "s_f": 0.0}


@dataclass(frozen=True)
class ConstantCase:
    statement: str
    variant: str
    key: ClassVar[str] = paper().key
    reading: Reading = "joint"

    def __post_init__(self) -> None:
        paper(self.variant).the(Definition, self.statement)
        require_reading(self.reading)

    @property
    def _name(self) -> str:
        return self.statement.removeprefix("constant.")

    @property
    def _sampled(self) -> bool:
        return self._name in SAMPLED

    @property
    def levels(self) -> Sequence[Level]:
        return (*WORLD, *BALL, *(SAMPLE if self._sampled else ()))

    @property
    def simple(self) -> Sequence[Mapping[str, float]]:
        return ()

    @property
    def subspaces(self) -> Sequence[Mapping[str, float]]:
        """Kinds of world, without and with noise."""
        return tuple({**kind, **noise} for noise in (SILENT, {}) for kind in KINDS)

    def instance(self, numbers: Mapping[str, float], source: Paper) -> Instance:
        """Of no version in particular: theta is a fraction of 1/L_1 in all of them."""
        tables: dict[str, dict[str, Any]] = {"world": _world(numbers), "ball": {"radius": numbers["radius"]}}
        if self._sampled:
            L_1 = _built(tables).constants(radius=numbers["radius"], reading=self.reading)["L_1"]
            tables["sample"] = {"theta": (1 - numbers["theta"]) / L_1, "Q": int(numbers["Q"])}
        return tables

    def draw(self, numbers: Mapping[str, float], source: Paper) -> Trial:
        return self.attempt(self.instance(numbers, source), source)

    def require(self, instance: Instance) -> None:
        kind = _kind(instance)
        world = {"kind": True, **dict.fromkeys(NEEDED[kind], True), **dict.fromkeys(OPTIONAL[kind], False)}
        sample = {"sample": {"theta": True, "Q": True}} if self._sampled else {}
        require_tables(instance, {"world": world, "ball": {"radius": True}, **sample})
        for table, entries in instance.items():
            for name, value in entries.items():
                if name != "kind":
                    require_numbers(
                        f"{table}.{name}", value, lists=(kind == "quadratic" and table == "world")
                    )
        self._require_sample(instance)

    def _require_sample(self, instance: Instance) -> None:
        if self._sampled:
            Q = instance["sample"]["Q"]
            if not (isinstance(Q, int) and 1 <= Q <= MOST_TERMS):
                raise OutsideConditionsError(
                    f"sample.Q must be a whole number in [1, {MOST_TERMS}], got {Q!r}."
                )

    def attempt(self, instance: Instance, source: Paper) -> Trial:
        world = _built(instance)
        values = self._values(instance, world)
        precision = self._precision(values, world.curvature)
        found = self._attained(instance, world).value
        return Trial(
            measured=found * (1 - precision) if precision < WORST_PRECISION else 0.0,
            bound=self.right_side(values, source),
            precision=precision,
            values=values,
            conditions=[_condition(values)] if self._sampled else [],
            radius=values["radius"],
        )

    def right_side(self, values: Mapping[str, float], source: Paper) -> float:
        known = {name: value for name, value in values.items() if name != "radius"}
        return with_constants(source, known)[self._name]

    def right_terms(self, values: Mapping[str, float], source: Paper) -> Sequence[float]:
        return [self.right_side(values, source)]

    def standings(self, instance: Instance, tried: Trial) -> list[str]:
        return []

    def again(self, instance: Instance, tried: Trial) -> Again:
        printed = self.variant == "printed" or self.statement not in _corrected()
        bound = bounds.constants(_letters(tried.values))[self._name] if printed else None
        signs = signs_of(instance)
        if any(isinstance(value, list) for value in instance["world"].values()):
            return Again(measured=None, bound=bound, how="50 digits are for worlds of numbers, d = 1")
        if len(signs) > MOST_SIGNS:
            how = f"{len(signs)} signs are too many to enumerate; make Q at most {MOST_SIGNS - 3}"
            return Again(measured=None, bound=bound, how=how)
        where = self._attained(instance, _built(instance))
        measured = World(instance).size(self._name, where, signs)
        return Again(measured=measured, bound=bound, how=f"50 digits, {2 ** len(signs)} outcomes")

    def _attained(self, instance: Instance, world: Any) -> Attained:
        sample = instance["sample"] if self._sampled else {}
        return attained(self._name, world, instance["ball"]["radius"], **sample)

    def _values(self, instance: Instance, world: Any) -> dict[str, float]:
        """The constants of the assumptions on the ball; refused where theta is too large."""
        self._require_sample(instance)
        radius = float(instance["ball"]["radius"])
        values = {**world.constants(radius=radius, reading=self.reading), "radius": radius}
        if self._sampled:
            values |= {"theta": float(instance["sample"]["theta"]), "Q": float(instance["sample"]["Q"])}
            if not 0 < values["theta"] * values["L_1"] < 1:
                raise OutsideConditionsError(
                    f"sample.theta must lie in (0, 1/L_1) = (0, {1 / values['L_1']:.6g}), got {values['theta']!r}."
                )
        return values

    def _precision(self, values: Mapping[str, float], curvature: tuple[float, float]) -> float:
        """Both sides divide by curvatures of g; Delta_Q also has 1 - theta mu to the power Q + 1."""
        loss = curvature[1] / curvature[0]
        if self._name == "Delta_Q":
            loss += (values["Q"] + 1) / (1 - values["theta"] * values["mu"])
        return ROUNDING + 64 * EPS * loss


def _condition(values: Mapping[str, float]) -> Mapping[str, Any]:
    theta, most = values["theta"], 1 / values["L_1"]
    return {"part": "theta <", "left": theta, "right": most, "margin": most / theta}


def _corrected() -> set[str]:
    return {paper("printed").owner(erratum.place) for erratum in paper("repaired").errata}


def _letters(values: Mapping[str, float]) -> dict[str, float]:
    """Those of the print; L_Phi and L_tilde do not depend on theta and Q."""
    return {"theta": 0.0, "Q": 0.0, "L_12": values["L_21"], **values}


def _kind(instance: Instance) -> str:
    kind = instance.get("world", {}).get("kind", "quadratic")
    if not (isinstance(kind, str) and kind in NEEDED):
        raise WitnessError(f"world.kind must be one of {', '.join(NEEDED)}, got {kind!r}.")
    return kind


def _built(instance: Instance) -> Any:
    arguments = {name: value for name, value in instance["world"].items() if name != "kind"}
    return build({"world": instance["world"]["kind"], **arguments})


def _world(n: Mapping[str, float]) -> dict[str, Any]:
    """Wavy where the dial is on, else quadratic; where d = 2 the noise does not commute with the mean."""
    A, B = n["A"], n["B/A"] * n["A"]
    E, F = n["E/A"] * A, n["F/B"] * B
    if n["dial"] > 0:
        wave = {"dial": n["dial"], "omega": n["turns"] / n["radius"]}
        return {"kind": "wavy", "A": A, "B": B, "D": n["D/A"] * A, **wave, "E": E, "s_f": n["s_f"]}
    means = plane({**n, "s_g": 0.0, "b": 0.0})
    matrices = {name: means[name] for name in ("A", "B", "P", "D")}
    noise = {"E": E, "F": F} if n["d"] < 2 else {"E": [[E, 0.0], [0.0, -E]], "F": [[F, F / 2], [0.0, -F]]}
    return {"kind": "quadratic", **matrices, **noise, "s_f": n["s_f"]}
