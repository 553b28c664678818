"""Methods with every hyperparameter free, on the families of worlds that theorems are searched on (binding/families).

Where numbers begin, and how far they reach. A hyperparameter that has the name of a number of the world is written with
the method's, as `SMB.b`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ratecert import solvers
from ratecert.binding.families import DRIVERS, FEDERATED, QUADRATICS, SINGLE_LEVEL, TWO_LEVEL, Family, Level
from ratecert.binding.setting import Setting
from ratecert.explore.controls import LONGEST, Control, controls_of, whole_number
from ratecert.explore.point import Point
from ratecert.synthetic import heterogeneous

MOST_UNLIKE = 6  # devices that differ: each keeps moments of its own
DIFFERING = Family(
    name="differing",
    levels=(
        Level(name="devices", low=2, high=MOST_UNLIKE, whole=True),
        Level(name="dial", low=1e-3, high=0.9),
        *(each for each in DRIVERS if each.name != "b"),
    ),
    world=lambda numbers: heterogeneous(
        K=int(numbers["devices"]), d_x=1, d_y=1, seed=1, **{n: numbers[n] for n in ("dial", "s_f", "s_g")}
    ),
    start=TWO_LEVEL.start,
    usual={**TWO_LEVEL.usual, "devices": 3.0, "dial": 0.3},
    devices="devices",
)
FAMILIES = {1: (SINGLE_LEVEL, QUADRATICS, FEDERATED), 2: (TWO_LEVEL, DIFFERING)}

ONE_MACHINE = ("BSA", "TTSA", "StocBiO", "SMB", "SUSTAIN", "MRBO", "VRBO", "SOBA")
ONLY_ALIKE = ("FedNest", "LFedNest", "SCAFFOLD")  # on devices that differ an answer takes seconds

SUM = {"theta": 0.2, "Q": 5}
CUT = {"theta": 0.2, "N": 6}
LOCAL = {"eta": 0.02, "alpha": 10.0, "beta": 10.0, "rho_1": 0.5, "rho_2": 2.0, "p": 4} | SUM
NEST = {"alpha": 0.02, "beta": 0.1, "tau": 2, "T_in": 1} | CUT  # short iterations, quick answers
ACC = {"eta": 0.1, "p": 4, "c_nu": 10.0, "c_w": 10.0, "gamma": 1.0}
STORM = {"eta": 0.1, "gamma": 0.1, "lam": 1.0, "c_u": 10.0, "c_v": 10.0}
DOUBLE = {"alpha": 0.02, "beta": 0.1, "T_in": 4}
DESCENT = {"alpha": 0.1, "p": 4}
# Example numbers by levels and method. STEM, SAGA, FISTA, OGM, ITEM and Halpern are not shown: they need worlds of
# their own, or have steps that never repeat.
EXAMPLES: dict[int, dict[str, dict[str, Any]]] = {
    2: {
        "LocalBSGM": LOCAL,
        "LocalBSGVRM": LOCAL | {"B": 1},
        "LocalSGD": {"eta": 0.02, "rho_1": 0.5, "rho_2": 2.0, "p": 4} | SUM,
        "FedNest": NEST,
        "LFedNest": NEST,
        "FedBiOAcc": ACC | {"lam": 0.1} | SUM,
        "FedBiOAccGlobal": ACC | {"lam": 0.02, "tau": 0.5, "c_q": 10.0},
        "BSA": DOUBLE | CUT,
        "TTSA": {"alpha": 0.02, "beta": 0.1} | CUT,
        "StocBiO": DOUBLE | SUM,
        "SMB": {"eta": 0.02, "tau": 5.0, "b": 0.1} | SUM,
        "SUSTAIN": STORM | CUT,
        "MRBO": STORM | SUM,
        "VRBO": {"alpha": 0.02, "beta": 0.1, "q": 4, "T_in": 2, "S": 4, "S_2": 2} | SUM,
        "SOBA": {"rho": 0.1, "gamma": 0.02},
    },
    1: {
        "SGD": DESCENT,
        "HeavyBall": DESCENT | {"beta": 0.5},
        "Nesterov": DESCENT | {"beta": 0.5},
        "TripleMomentum": DESCENT | {"beta": 0.5, "gamma": 0.25, "delta": 0.125},
        "AveragedSGD": DESCENT | {"gamma": 0.5},
        "SVRG": {"alpha": 0.1, "m": 4},
        "PAGE": {"alpha": 0.1, "p": 0.25, "b": 2},
        "STORM": {"eta": 0.1, "c": 10.0, "p": 4},
        "FedAvg": DESCENT | {"m": 1, "replacement": True},
        "LocalGD": DESCENT,
        "ProxSkip": {"gamma": 0.1, "p": 0.25},
        "SCAFFOLD": {"eta_l": 0.1, "eta_g": 0.9, "p": 4},
        "FedProx": {"mu": 2.0, "m": 1},
    },
}
MOST = {"B": 10**15, "p": 10**6, "Q": 256, "N": 32}  # of counts
STEPPED = 16  # of other counts at most, because their steps are gone through one by one
SAYS = {
    "p": "steps between averages",
    "Q": "terms of the Neumann sum",
    "N": "largest number of terms of the Neumann sum",
    "theta": "step of the Neumann sum",
    "eta": "step size",
    "alpha": "step or weight α",
    "beta": "step or weight β",
    "rho_1": "how far x moves along its momentum",
    "rho_2": "how far y moves along its momentum",
    "B": "batch of the first step",
}


def hyperparameter(name: str, value: Any, label: str) -> Control:
    says = SAYS.get(name, "")
    if isinstance(value, int):
        return whole_number(label, value, 1, MOST.get(name, STEPPED), says, "steps")
    if name == "p":  # ProxSkip and PAGE draw their rounds
        return Control(name=label, at=value, low=0.01, high=1.0, says="chance of a round", linear=True)
    return Control(name=label, at=value, low=1e-18, high=1e8, says=says)


@dataclass(frozen=True)
class MethodSubject:
    """A method of the face by its name, with example numbers to begin with; its bounds stand with theorems."""

    title: str
    levels: int
    fields: Mapping[str, Any]
    bounds: ClassVar = {"none": "no bound"}

    @property
    def families(self) -> dict[str, Family]:
        """Devices that differ are for methods that have some."""
        alike_only = self.title in (*ONE_MACHINE, *ONLY_ALIKE)
        return {each.name: each for each in FAMILIES[self.levels] if each.devices is None or not alike_only}

    @property
    def worlds(self) -> dict[str, str]:
        return {name: name.replace("_", " ") for name in self.families}

    def _labels(self, own: Family) -> dict[str, str]:
        """Of its numbers."""
        worlds = [level.name for level in own.levels]
        names = (name for name, value in self.fields.items() if not isinstance(value, bool))
        return {name: f"{self.title}.{name}" if name in worlds else name for name in names}

    def controls(self, world: str) -> list[Control]:
        own = self.families[world]
        steps = [hyperparameter(n, self.fields[n], label) for n, label in self._labels(own).items()]
        return controls_of(own, steps, 2**40, LONGEST, devices=self.title not in ONE_MACHINE)

    def point(self, world: str, bound: str, numbers: Mapping[str, Any]) -> Point:
        own = self.families[world]
        made, given = own.member(numbers), {n: numbers[label] for n, label in self._labels(own).items()}
        K = own.count(numbers) or numbers.get("K", 1)
        setting = Setting(made, K, numbers["T"], own.begin(made, numbers))
        return Point(setting=setting, solver=getattr(solvers, self.title)(**{**self.fields, **given}))


METHODS = {
    name: MethodSubject(name, levels, fields)
    for levels, examples in EXAMPLES.items()
    for name, fields in examples.items()
}
