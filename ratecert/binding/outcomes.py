"""The general small world: samples with few outcomes of any probability, on a line or in a plane.

Outcome i = 1, 2, 3 has the probability m_i/(m_1 + m_2 + m_3) and the gradient

    (H + D_i) x + c_i,        m_1 D_1 + m_2 D_2 + m_3 D_3 = 0,    m_1 c_1 + m_2 c_2 + m_3 c_3 = 0

with any symmetric D_i and any c_i, so that noise of the Hessian and of the gradient have every correlation, of both
signs. F has the Hessian H = diag(L, L/spread) and its minimiser at the origin; where every outcome is convex, H is
their mean. Magnitudes are searched over decades, and `signs` counts through the signs of all of them.

Which of these worlds a theorem speaks of is read off the constants that its letters stand for (`default`):

    of no sample                   gradients are exact: one outcome
    sigma, a bounded variance      all outcomes have one Hessian
    L_max or n, of terms           every outcome is convex
    others, such as sigma_star     any outcomes with a convex mean
    Gamma or heterogeneity         two or three devices on a line, each with a curvature, a minimiser and outcomes
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.errors import RatecertError, UserError
from ratecert.binding.families import (
    CURVATURES,
    FEDERATED,
    FINITE_SUM,
    NOISY_HESSIANS,
    QUADRATICS,
    SINGLE_LEVEL,
    START,
    TWO_LEVEL,
    USUAL,
    Family,
    Level,
    Numbers,
)
from ratecert.binding.setting import Setting
from ratecert.synthetic.devices import Federated
from ratecert.synthetic.sums import FiniteSum

Array = NDArray[np.float64]
MOST = 4  # equally likely outcomes of one kind
ONE = 0.75  # the low end of whole numbers: 1 is as likely as 2 to 4 together


def signs(numbers: Numbers) -> Iterator[float]:
    """1 or -1, for one magnitude after the other."""
    left = max(int(numbers["signs"]) - 1, 0)
    while True:
        left, bit = divmod(left, 2)
        yield 1.0 - 2.0 * bit


def balanced(m: Sequence[int], deviations: Sequence[Array]) -> list[Array]:
    """Of the first two outcomes; the third makes their mean zero."""
    first, second = deviations
    return [first, second, -(m[0] * first + m[1] * second) / m[2]]


def made(m: Sequence[int], H: Sequence[Array], c: Sequence[Array], *, convex: bool = False) -> FiniteSum:
    """Outcomes with these Hessians, and the gradients of the first two at the origin."""
    return FiniteSum(H=np.repeat(H, m, axis=0), g=np.repeat(balanced(m, c), m, axis=0), convex=convex)


def _masses(numbers: Numbers) -> list[int]:
    """None of the second outcome where it is left out."""
    return [int(numbers["m_1"]), int(numbers["m_2"]), int(numbers["m_3"])]


def _on_line(numbers: Numbers) -> FiniteSum:
    L, sign, m = numbers["L"], signs(numbers), _masses(numbers)
    c = [np.array([next(sign) * numbers[name]]) for name in ("c_1", "c_2")]
    D = [np.array([[next(sign) * numbers[name] * L]]) for name in ("h_1", "h_2")]
    return made(m, [L + each for each in balanced(m, D)], c)


def _in_plane(numbers: Numbers) -> FiniteSum:
    """D_i = L [[h_i, k_i], [k_i, l_i]] and c_i = (c_i, e_i)."""
    L, sign, m = numbers["L"], signs(numbers), _masses(numbers)
    H = np.diag([L, L / numbers["spread"]])

    def of(*names: str) -> Array:
        return np.array([next(sign) * numbers.get(name, 0.0) for name in names])

    c = [of(f"c_{i}", f"e_{i}") for i in (1, 2)]
    D = [L * of(f"h_{i}", f"k_{i}", f"l_{i}")[[0, 1, 1, 2]].reshape(2, 2) for i in (1, 2)]
    return made(m, [H + each for each in balanced(m, D)], c)


def _convex_on_line(numbers: Numbers) -> FiniteSum:
    """The Hessians are L r_1, L r_2 and L."""
    sign = signs(numbers)
    c = [np.array([next(sign) * numbers[name]]) for name in ("c_1", "c_2")]
    H = [np.array([[numbers["L"] * r]]) for r in (numbers["r_1"], numbers["r_2"], 1.0)]
    return made(_masses(numbers), H, c, convex=True)


def _convex_in_plane(numbers: Numbers) -> FiniteSum:
    """Outcome i is curved by L r_i along an axis that `tilt_i` turns, and by L r_i/q_i across; the third is upright."""
    sign = signs(numbers)
    c = [np.array([next(sign) * numbers[f"{name}_{i}"] for name in "ce"]) for i in (1, 2)]
    H = []
    for i in (1, 2, 3):
        turn = numbers.get(f"tilt_{i}", 0.0)
        axis = np.array([np.cos(turn), np.sin(turn)])
        across = 1 / numbers[f"q_{i}"]
        H.append(
            numbers["L"]
            * numbers.get(f"r_{i}", 1.0)
            * (across * np.eye(2) + (1 - across) * np.outer(axis, axis))
        )
    return made(_masses(numbers), H, c, convex=True)


def _exact(numbers: Numbers) -> FiniteSum:
    return FiniteSum(H=[np.diag([numbers["L"], numbers["L"] / numbers["spread"]])])


def _devices(numbers: Numbers) -> Federated:
    """Device k has the curvature L r_k, the minimiser b_k, and two outcomes, +-h_k and +-c_k where these are alike."""
    sign, found = signs(numbers), list[FiniteSum]()
    for k in range(1, int(numbers["N"]) + 1):
        h, c, b = (next(sign) * numbers.get(f"{name}_{k}", 0.0) for name in "hcb")
        H = np.array([[numbers["L"] * numbers.get(f"r_{k}", 1.0)]])
        m = [int(numbers.get("m_1", 1)), 0, int(numbers.get("m_3", 1))]
        own = made(m, [H + each for each in balanced(m, [h * H, 0 * H])], [np.array([c]), np.zeros(1)])
        found.append(FiniteSum(H=own.H, g=own.g, a=np.full((own.n, 1), b), convex=False))
    return Federated(devices=found)


def along_both(world: Any, numbers: Numbers) -> dict[str, Any]:
    """Start x_off away from x* in the first direction, and x_off2 in the second."""
    return {"x": world.x_star + np.array([numbers["x_off"], numbers["x_off2"]])}


# The families.


def _several(low: float, high: float, *names: str) -> list[Level]:
    return [Level(name=name, low=low, high=high) for name in names]


def _whole(most: int, *names: str) -> list[Level]:
    return [Level(name=name, low=ONE, high=float(most), whole=True) for name in names]


def _numbered(names: str, count: int = 2) -> list[str]:
    return [f"{name}_{i}" for i in range(1, count + 1) for name in names]


def _family(name: str, world: Any, levels: Sequence[Level], held: Sequence[Numbers], **rest: Any) -> Family:
    return Family(name=name, levels=(*CURVATURES[:1], START, *levels), world=world, held=(*held, {}), **rest)


START_2, COUNTS = Level(name="x_off2", low=1e-3, high=1e3), _whole(MOST, "m_1", "m_2", "m_3")
pushes, turns, ratios = (
    partial(_several, 1e-3, 1e3),
    partial(_several, 1e-3, 1e1),
    partial(_several, 1e-3, 1.0),
)
TWO = {"m_2": 0.0}  # outcomes


def _line(name: str, world: Any, hessians: str, still: float) -> Family:
    """`still`: with this number the Hessian of an outcome is as the third one's."""
    own = [f"{hessians}_1", f"{hessians}_2"]
    wide = pushes if still else turns
    levels = [*pushes("c_1", "c_2"), *wide(*own), *COUNTS, *_whole(4 if still else 16, "signs")]
    two = {**TWO, "c_2": 0.0, own[1]: still}
    held = ({**two, "x_off": 0.0}, {**two, "c_1": 0.0}, two)
    return _family(name, world, levels, held, usual=USUAL | {own[0]: 0.25, "c_1": 0.5})


def _plane(name: str, world: Any, hessians: Sequence[Level], patterns: int, usual: Numbers) -> Family:
    pulls = _numbered("ce")
    levels = [START_2, *pushes(*pulls), *hessians, *COUNTS, *_whole(patterns, "signs")]
    held = ({"x_off": 0.0, "x_off2": 0.0}, dict.fromkeys(pulls, 0.0))
    usual = {**USUAL, "x_off2": 1.0, **dict.fromkeys(pulls, 0.25), **usual}
    return _family(name, world, levels, held, start=along_both, usual=usual)


def _apart(name: str, *, noise: str = "") -> Family:
    """Devices with noise of c, of c and h, or without."""
    own = [
        *(turns(*_numbered("h", 3)) if "h" in noise else []),
        *(pushes(*_numbered("c", 3)) if noise else []),
    ]
    counts = _whole(MOST, "m_1", "m_3") if noise else []
    levels = [*ratios("r_2", "r_3"), *pushes("b_2", "b_3"), *own, *counts, *_whole(512, "signs")]
    calm = dict.fromkeys([each.name for each in own], 0.0)
    held = ({"N": 2.0, "x_off": 0.0, **calm}, {"N": 2.0, **calm}, {"N": 2.0, "b_2": 0.0})
    return _family(name, _devices, [*_whole(3, "N"), *levels], held, usual=USUAL | {"N": 2.0}, devices="N")


TWO_DIRECTIONS = _family(
    "two_directions", _exact, [CURVATURES[1], START_2], (), start=along_both, usual=USUAL | {"x_off2": 1.0}
)
ONE_HESSIAN = _plane("one_hessian", _in_plane, [CURVATURES[1]], 2**4, {})
OUTCOMES = _line("outcomes", _on_line, "h", 0.0)
IN_PLANE = _plane(
    "outcomes_in_plane",
    _in_plane,
    [CURVATURES[1], *turns(*_numbered("hkl"))],
    2**10,
    dict.fromkeys(_numbered("hkl"), 0.1),
)
CONVEX = _line("convex_outcomes", _convex_on_line, "r", 1.0)
CONVEX_IN_PLANE = _plane(
    "convex_outcomes_in_plane",
    _convex_in_plane,
    [
        *pushes("r_1", "r_2"),
        *_several(1.0, 1e3, "q_1", "q_2", "q_3"),
        *_several(1e-2, np.pi, "tilt_1", "tilt_2"),
    ],
    2**4,
    {"r_1": 0.5, "r_2": 2.0},
)
DEVICES, NOISY, RANDOM = (
    _apart("devices"),
    _apart("noisy_devices", noise="c"),
    _apart("random_devices", noise="ch"),
)


# Which of them a theorem speaks of.

EXACT, BOUNDED, OF_TERMS, ANY = "exact gradients", "a bounded variance", "convex outcomes", "any outcomes"
ASKS: Mapping[str, str] = {
    **dict.fromkeys(("sigma", "sigma_mean", "largest_gradient"), BOUNDED),
    **dict.fromkeys(("L_max", "n"), OF_TERMS),
    **dict.fromkeys(("sigma_star", "M", "M_V", "calL", "L_average", "L_sample"), ANY),
}
APART = {"Gamma", "heterogeneity"}
ALIKE_WORLDS = {
    EXACT: (QUADRATICS, TWO_DIRECTIONS),
    BOUNDED: (SINGLE_LEVEL, ONE_HESSIAN),
    OF_TERMS: (FINITE_SUM, CONVEX, CONVEX_IN_PLANE),
    ANY: (NOISY_HESSIANS, OUTCOMES, IN_PLANE),
}
APART_WORLDS = {EXACT: (DEVICES,), BOUNDED: (FEDERATED, NOISY), OF_TERMS: (NOISY,), ANY: (RANDOM,)}


def kind(constants: Set[str]) -> str:
    """What a theorem asks of samples whose letters stand for these constants: the narrowest that one of them asks."""
    asked = {ASKS[name] for name in constants & set(ASKS)}
    return next((each for each in (BOUNDED, OF_TERMS, ANY) if each in asked), EXACT)


@cache
def default(constants: frozenset[str]) -> tuple[Family, ...]:
    """The families that a theorem speaks of which names none: those of its kind that have all its constants."""
    of = APART_WORLDS if constants & APART else ALIKE_WORLDS
    own = of[kind(constants)]
    return tuple(each for each in own if _has(each, constants)) or (
        (TWO_LEVEL,) if _has(TWO_LEVEL, constants) else own
    )


def _has(each: Family, constants: Set[str]) -> bool:
    numbers = each.ordinary()
    world = each.member(numbers)
    try:
        return constants <= set(Setting(world, 1, 1, each.begin(world, numbers)).constants)
    except RatecertError:
        return False


# All that have a name.

FAMILIES = {
    each.name: each
    for each in (
        *(SINGLE_LEVEL, QUADRATICS, NOISY_HESSIANS, FINITE_SUM, FEDERATED, TWO_LEVEL),
        *(TWO_DIRECTIONS, ONE_HESSIAN, OUTCOMES, IN_PLANE, CONVEX, CONVEX_IN_PLANE),
        *(DEVICES, NOISY, RANDOM),
    )
}


def family(which: str | Family) -> Family:
    """By its name, or a paper's own."""
    if isinstance(which, Family):
        return which
    if which not in FAMILIES:
        raise UserError(f"worlds must be among {', '.join(FAMILIES)}, or a Family, got {which!r:.60}.")
    return FAMILIES[which]
