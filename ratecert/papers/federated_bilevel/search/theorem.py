"""The instances of a theorem: a quadratic world, devices, a run and its steps, inside the conditions by construction.

Steps are fractions of the largest that the conditions admit, one after the other; those without an upper bound are
numbers of their own. E = F = 0, so that Assumption 3 holds on the whole space. f may be continued outside a certified
ball as a Lipschitz function without changing the run, so that Assumption 2 does. Both sides are exact:

    measured   exact moments, less their error: estimated while searching, enclosed where something is declared false
    bound      with the constants of that ball

Theorem 3's steps are constant up to an iteration that grows with K and p; runs end there, where both sides are known to
many digits and are quick to compute.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ratecert.base.errors import OutsideConditionsError, WitnessError
from ratecert.binding.families import TWO_LEVEL, Level, matrices, one_driver_each
from ratecert.papers.federated_bilevel.evidence.theorems.both_sides import condition_of
from ratecert.papers.federated_bilevel.evidence.theorems.grid import NEARLY, TheoremSetting
from ratecert.papers.federated_bilevel.evidence.theorems.tightness import Sides, measure
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.search.cross_check import cross_checked
from ratecert.search.case import Again, Trial
from ratecert.search.witness import Instance
from ratecert.search.witness_schema import require_numbers, require_tables
from ratecert.synthetic import huberised
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Theorem
from ratecert.theory.numbers.assumptions import check_assumptions
from ratecert.theory.numbers.evaluation import evaluate

WORST_PRECISION = 1e-3
LONGEST = 2.0**62
RUN = ("K", "p", "T", "Q", "B", "x_off", "y_off")


@dataclass(frozen=True)
class Case:
    statement: str
    variant: str
    key: ClassVar[str] = paper().key

    @property
    def _theorem(self) -> Theorem:
        return paper(self.variant).the(Theorem, self.statement)

    @property
    def _decays(self) -> bool:
        return "w" in self._theorem.conditions

    @property
    def _steps(self) -> list[str]:
        """Those that a user of the theorem may choose."""
        return [c.name for c in self._theorem.conditions.values() if c.relation != "="]

    @property
    def levels(self) -> Sequence[Level]:
        least = 2.0 if self.variant == "printed" else 1.0
        run = (
            Level(name="K", low=1.0, high=1e6, whole=True),
            Level(name="p", low=least, high=64.0, whole=True),
            Level(name="Q", low=1.0, high=12.0, whole=True),
            Level(name="B", low=least, high=1e15, whole=True),
            Level(name="T", low=1.0, high=LONGEST, whole=True),
        )
        return (
            *TWO_LEVEL.levels,
            *run,
            *(self._level(name) for name in self._steps),
        )

    def _level(self, step: str) -> Level:
        if self._theorem.conditions[step].relation == ">":
            return Level(name=step, low=1e-6, high=1e8)
        if step == "theta":  # 1 - theta L_1, which the Neumann sum is made of
            return Level(name=step, low=1e-6, high=0.999)
        return Level(name=step, low=1e-8, high=NEARLY)

    @property
    def simple(self) -> Sequence[Mapping[str, float]]:
        return ()

    @property
    def subspaces(self) -> Sequence[Mapping[str, float]]:
        """One driver at a time; the noises and the bias also, or only, in the limit of long runs."""
        alone = one_driver_each()
        if self._decays:
            return tuple(alone.values())
        limit = {"T": math.inf, "B": 2.0}
        long = [{**alone[driver], **limit} for driver in ("s_f", "s_g", "b")]
        return (*long, *(alone[driver] for driver in ("s_f", "s_g", "x_off", "y_off")))

    def instance(self, numbers: Mapping[str, float], source: Paper) -> Instance:
        """With the values of the steps that are these fractions of the largest."""
        row = measure(self.statement, self._drawn(numbers), source)
        world = {name: value for name, value in row.setting.world.items() if name != "world"}
        run = {name: getattr(row.setting, name) for name in RUN}
        return {"run": run, "world": world, "steps": {n: row.bound.values[n] for n in self._steps}}

    def draw(self, numbers: Mapping[str, float], source: Paper) -> Trial:
        """`attempt` of the instance with these numbers, in one computation."""
        return _tried(measure(self.statement, self._drawn(numbers), source, certified=False))

    def attempt(self, instance: Instance, source: Paper) -> Trial:
        self._require_counts(instance["run"])
        return _tried(measure(self.statement, self.setting(instance), source, certified=True))

    def standings(self, instance: Instance, tried: Trial) -> list[str]:
        """f may be continued linearly outside the ball that no outcome leaves; then the assumptions hold everywhere."""
        world = huberised(self.setting(instance).problem(), radius=tried.radius)
        found = check_assumptions(paper(self.variant), world)
        for standing in found:
            if standing.holds != "everywhere":
                raise WitnessError(
                    f"{standing.assumption} does not hold on the whole space: {standing.because}."
                )
        certified = (
            f"no outcome leaves the ball of radius {tried.radius:.6g} around (a, b); outside it f is linear"
        )
        return [*(f"{s.assumption} holds {s.holds}: {s.because}" for s in found), certified]

    def again(self, instance: Instance, tried: Trial) -> Again:
        return cross_checked(self.statement, self.variant, self.setting(instance), tried.values)

    def require(self, instance: Instance) -> None:
        needed = ("A", "B", "P", "D")
        world = {name: name in needed for name in (*needed, "a", "b", "c", "s_f", "s_g")}
        run, steps = dict.fromkeys(RUN, True), dict.fromkeys(self._steps, True)
        require_tables(instance, {"run": run, "world": world, "steps": steps})
        for table, entries in instance.items():
            for name, value in entries.items():
                require_numbers(f"{table}.{name}", value, infinite=(name == "T"), lists=(table == "world"))
        self._require_counts(instance["run"])

    def _require_counts(self, run: Mapping[str, Any]) -> None:
        """The print asks for p > 1, B > 1 and Q > 0."""
        for name in ("K", "p", "Q", "B", "T"):
            least = 2 if name in self._more_than_one else 1
            limit = name == "T" and run["T"] == math.inf and not self._decays
            if not limit and not (isinstance(run[name], int) and run[name] >= least):
                raise OutsideConditionsError(
                    f"run.{name} must be a whole number >= {least}, got {run[name]!r}."
                )
        if not limit and run["T"] > self._longest(run):
            where = "where the step begins to decay" if self._decays else "2^62, or be inf for the limit"
            raise OutsideConditionsError(
                f"run.T must be at most {self._longest(run):.6g}, {where}, got {run['T']!r}."
            )

    def _longest(self, run: Mapping[str, Any]) -> float:
        """The iteration before which Theorem 3's steps are constant, and no more than a witness file holds."""
        return min(LONGEST, 200.0**3 * run["K"] ** 2 * run["p"] ** 3 - 2) if self._decays else LONGEST

    @property
    def _more_than_one(self) -> tuple[str, ...]:
        batched = paper(self.variant).the(Theorem, self.statement).algorithm == "algorithm-2"
        return () if self.variant == "repaired" else ("p", "B") if batched else ("p",)

    def right_side(self, values: Mapping[str, float], source: Paper) -> float:
        return math.fsum(self.right_terms(values, source))

    def right_terms(self, values: Mapping[str, float], source: Paper) -> Sequence[float]:
        inputs = {name: value for name, value in values.items() if name not in source.constants}
        return list(evaluate(source, self.statement, inputs).terms.values())

    def setting(self, instance: Instance) -> TheoremSetting:
        world = {"world": "quadratic", **instance["world"]}
        return TheoremSetting(world=world, **instance["run"], fixed=instance["steps"])

    def _drawn(self, n: Mapping[str, float]) -> TheoremSetting:
        free = [name for name in self._steps if self._theorem.conditions[name].relation == ">"]
        fractions = {name: n[name] for name in self._steps if name not in free}
        fractions["theta"] = min(1 - n["theta"], NEARLY)
        run: dict[str, Any] = {name: int(n[name]) for name in ("K", "p", "Q", "B")}
        T = min(n["T"], self._longest(run)) if self._decays else n["T"]
        run["T"] = T if math.isinf(T) else int(T)
        self._require_counts(run)
        return TheoremSetting(
            world={"world": "quadratic", **matrices(n)},
            **run,
            x_off=n["x_off"],
            y_off=n["y_off"],
            fixed={name: n[name] for name in free},
            fractions=fractions,
        )


def _tried(row: Sides) -> Trial:
    values = row.bound.values
    return Trial(
        measured=row.low if row.precision < WORST_PRECISION else 0.0,
        bound=row.bound.total,
        precision=row.precision,
        values=values,
        conditions=[condition_of(check) for check in row.bound.checks],
        terms=row.bound.terms,
        radius=row.ball.radius,
        certified=row.ball.certified,
    )
