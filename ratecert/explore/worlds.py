"""The kinds of worlds that methods are shown on, with the numbers that can be moved.

    scalar       two levels, one x and one y            plane        two levels in two dimensions
    quadratic    two levels, every coefficient free     devices      two levels, devices that differ by a dial
    line         one level, two curvatures              unlike       one level, devices that differ by a dial

Runs begin x_off away from the minimiser in every coordinate, and y_off away from y*(x).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ratecert.explore.controls import Control
from ratecert.explore.point import Call

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


def noise(name: str, says: str, value: float = 0.5) -> Control:
    return Control(name=name, value=value, low=1e-9, high=1e3, zero=True, says=says, group="world")


def curvature(name: str, says: str, value: float, *, zero: bool = True) -> Control:
    return Control(name=name, value=value, low=1e-9, high=1e3, zero=zero, says=says, group="world")


def offset(name: str, says: str, value: float) -> Control:
    return Control(name=name, value=value, low=1e-9, high=1e3, zero=True, says=says, group="world")


X_OFF = offset("x_off", "start: distance of x from the minimiser", 1.0)
Y_OFF = offset("y_off", "start: distance of y from y*(x)", 0.0)
DIAL = Control(
    name="dial", value=0.3, low=0.0, high=0.9, linear=True, says="heterogeneity of the devices", group="world"
)
L_1 = Control(name="L_1", value=4.0, low=1.01, high=1e3, says="smoothness, with μ = 1", group="world")
S_F = noise("s_f", "noise of ∇f")
S_G = noise("s_g", "noise of ∇g")
SIGMA_H = noise("sigma_H", "noise of the Hessian of g in y", 0.0)
S = noise("s", "noise of the gradient")
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
    curvature("L", "largest curvature", 4.0, zero=False),
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
            curvature("A", "curvature of g in y", 1.0, zero=False),
            curvature("coupling", "coupling of x and y in g", 1.0),
            curvature("P", "curvature of f in x", 1.0),
            curvature("D", "curvature of f in y", 1.0),
            curvature("centre", "centre of f in y", 0.0),
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
