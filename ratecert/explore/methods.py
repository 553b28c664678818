"""Methods with every hyperparameter free: the worlds they are shown on, where numbers begin, how far they reach."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ratecert.explore.controls import Control
from ratecert.explore.point import NONE, Call, Point, T
from ratecert.explore.worlds import KINDS, MOST_DEVICES, MOST_UNLIKE

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


def devices(differ: bool) -> Control:
    most, least = (MOST_UNLIKE, 2) if differ else (MOST_DEVICES, 1)
    return Control(
        name="K", value=3 if differ else 4, low=least, high=most, whole=True, says="devices", group="run"
    )


def hyperparameter(name: str, value: Any) -> Control:
    says = SAYS.get(name, "")
    if isinstance(value, int):
        return Control(name=name, value=value, low=1, high=MOST.get(name, STEPPED), whole=True, says=says)
    if name == "p":  # ProxSkip and PAGE draw their rounds
        return Control(name=name, value=value, low=0.01, high=1.0, linear=True, says="chance of a round")
    return Control(name=name, value=value, low=1e-18, high=1e8, says=says)


@dataclass(frozen=True)
class MethodSubject:
    """A method of the face by its name, with example numbers to begin with."""

    name: str
    levels: int
    fields: Mapping[str, Any]

    @property
    def title(self) -> str:
        return self.name

    @property
    def worlds(self) -> dict[str, str]:
        alike_only = self.name in ONE_MACHINE or self.name in ONLY_ALIKE
        kinds = {n: k for n, k in KINDS.items() if k.levels == self.levels and not (k.differ and alike_only)}
        return {name: kind.title for name, kind in kinds.items()}

    @property
    def bounds(self) -> dict[str, str]:
        """Those of a theorem on the method stand with the theorem."""
        return {NONE: "no bound"}

    def controls(self, world: str) -> list[Control]:
        kind = KINDS[world]
        return [
            *([] if self.name in ONE_MACHINE else [devices(kind.differ)]),
            T,
            *self._own(),
            *kind.controls,
        ]

    def _own(self) -> list[Control]:
        return [hyperparameter(n, v) for n, v in self.fields.items() if not isinstance(v, bool)]

    def point(self, world: str, bound: str, numbers: Mapping[str, Any]) -> Point:
        K = numbers.get("K", 1)
        kind, own = KINDS[world], {n: numbers.get(n, v) for n, v in self.fields.items()}
        calls = kind.call({**numbers, "K": K}), Call("methods", self.name, own)
        problem, solver = calls[0].made, calls[1].made
        offsets = {name: numbers[f"{name}_off"] for name in ("x", "y")[: self.levels]}
        start = {"x": problem.x_star + offsets["x"]}
        if self.levels == 2:
            start["y"] = problem.y_star(start["x"]) + offsets["y"]
        return Point(
            problem=problem,
            solver=solver,
            K=K,
            T=numbers["T"],
            start=start,
            calls=calls,
            offsets=offsets,
            bound=None,
        )


METHODS: dict[str, MethodSubject] = {
    name: MethodSubject(name, levels, fields)
    for levels, examples in EXAMPLES.items()
    for name, fields in examples.items()
}
