"""Methods with every hyperparameter free: the worlds they are shown on, where numbers begin, how far they reach.

    scalar       two levels, one x and one y            plane        two levels in two dimensions
    quadratic    two levels, every coefficient free     devices      two levels, devices that differ by a dial
    line         one level, two curvatures              unlike       one level, devices that differ by a dial

Runs begin x_off away from the minimiser in every coordinate, and y_off away from y*(x).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ratecert.explore.controls import Control
from ratecert.explore.point import NONE, Call, Point, T

Numbers = Mapping[str, Any]
MOST_DEVICES = 10**6  # that are alike, at a cost free of their number
MOST_UNLIKE = 6  # that differ: each keeps moments of its own
SEED = 1


@dataclass(frozen=True, kw_only=True)
class WorldKind:
    """A world by its numbers; `levels` is 1 or 2."""

    title: str
    levels: int
    controls: tuple[Control, ...]
    call: Callable[[Numbers], Call]
    differ: bool = False  # devices do; then K is part of the world


def of_world(name: str, says: str, value: float, *, zero: bool = True) -> Control:
    return Control(name=name, value=value, low=1e-9, high=1e3, zero=zero, says=says, group="world")


X_OFF = of_world("x_off", "start: distance of x from the minimiser", 1.0)
Y_OFF = of_world("y_off", "start: distance of y from y*(x)", 0.0)
DIAL = Control(
    name="dial", value=0.3, low=0.0, high=0.9, linear=True, says="heterogeneity of the devices", group="world"
)
L_1 = Control(name="L_1", value=4.0, low=1.01, high=1e3, says="smoothness, with μ = 1", group="world")
S_F = of_world("s_f", "noise of ∇f", 0.5)
S_G = of_world("s_g", "noise of ∇g", 0.5)
SIGMA_H = of_world("sigma_H", "noise of the Hessian of g in y", 0.0)
S = of_world("s", "noise of the gradient", 0.5)
TWO = (S_F, S_G, X_OFF, Y_OFF)
NEEDED = ("s_f", "s_g")


def _call(name: str, *names: str, **fixed: Any) -> Callable[[Numbers], Call]:
    return lambda numbers: Call("worlds", name, {**fixed, **{n: numbers[n] for n in names}})


def _quadratic(numbers: Numbers) -> Call:
    """B and b are letters of methods, too, so that their controls have other names."""
    given = {name: numbers[name] for name in ("A", "P", "D", "s_f", "s_g")}
    return Call("worlds", "Quadratic", {**given, "B": numbers["coupling"], "b": numbers["centre"]})


def _line(numbers: Numbers) -> Call:
    return Call("worlds", "single_level", {"spectrum": _spectrum(numbers), "s": numbers["s"], "seed": SEED})


def _unlike(numbers: Numbers) -> Call:
    given = {"K": numbers["K"], "dial": numbers["dial"], "s": numbers["s"], "seed": SEED}
    return Call("worlds", "federated", {"spectrum": _spectrum(numbers), **given})


def _spectrum(numbers: Numbers) -> list[float]:
    return [numbers["L"] / numbers["spread"], numbers["L"]]


LINE = (
    of_world("L", "largest curvature", 4.0, zero=False),
    Control(name="spread", value=4.0, low=1.0, high=1e6, says="L over the smallest curvature", group="world"),
)
KINDS: dict[str, WorldKind] = {
    "scalar": WorldKind(
        title="two levels, one dimension",
        levels=2,
        controls=(L_1, SIGMA_H, *TWO),
        call=_call("scalar", "L_1", "sigma_H", *NEEDED),
    ),
    "plane": WorldKind(
        title="two levels, two dimensions",
        levels=2,
        controls=(L_1, *TWO),
        call=_call("random_quadratic", "L_1", *NEEDED, d_x=2, d_y=2, mu=1.0, seed=SEED),
    ),
    "quadratic": WorldKind(
        title="two levels, all coefficients",
        levels=2,
        controls=(
            of_world("A", "curvature of g in y", 1.0, zero=False),
            of_world("coupling", "coupling of x and y in g", 1.0),
            of_world("P", "curvature of f in x", 1.0),
            of_world("D", "curvature of f in y", 1.0),
            of_world("centre", "centre of f in y", 0.0),
            *TWO,
        ),
        call=_quadratic,
    ),
    "devices": WorldKind(
        title="two levels, devices that differ",
        levels=2,
        controls=(DIAL, *TWO),
        call=_call("heterogeneous", "K", "dial", *NEEDED, d_x=1, d_y=1, seed=SEED),
        differ=True,
    ),
    "line": WorldKind(title="one level", levels=1, controls=(*LINE, S, X_OFF), call=_line),
    "unlike": WorldKind(
        title="one level, devices that differ",
        levels=1,
        controls=(DIAL, *LINE, S, X_OFF),
        call=_unlike,
        differ=True,
    ),
}

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
