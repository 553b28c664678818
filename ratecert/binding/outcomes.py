"""The general small world: samples with few outcomes of any probability, on a line or in a plane.

Outcome i = 1, 2, 3 has the probability m_i/(m_1 + m_2 + m_3) and the gradient

    (H + D_i) x + c_i,        m_1 D_1 + m_2 D_2 + m_3 D_3 = 0,    m_1 c_1 + m_2 c_2 + m_3 c_3 = 0

with any symmetric D_i and any c_i, so that noise of the Hessian and of the gradient have every correlation, of both
signs. F has the Hessian H = diag(L, L/spread) and its minimiser at the origin. Magnitudes are searched over decades,
and `signs` counts through the signs of all of them.

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

from ratecert.base.errors import OutsideConditionsError, RatecertError, UserError
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
from ratecert.synthetic.worlds.federated import Federated
from ratecert.synthetic.worlds.finite_sum import FiniteSum

Array = NDArray[np.float64]
MOST = 4  # equally likely outcomes of one kind
ALMOST = 1e-12  # of L: an eigenvalue that is so little below zero is zero
ONE = 0.75  # the low end of whole numbers: 1 is as likely as 2 to 4 together


def signs(numbers: Numbers) -> Iterator[float]:
    """1 or -1, for one magnitude after the other."""
    left = int(numbers["signs"]) - 1
    while True:
        left, bit = divmod(left, 2)
        yield 1.0 - 2.0 * bit


def made(H: Array, m: Sequence[int], D: Sequence[Array], c: Sequence[Array], *, convex: bool) -> FiniteSum:
    """Of the deviations of the first two outcomes; the third balances them."""
    balanced = ([first, second, -(m[0] * first + m[1] * second) / m[2]] for first, second in (D, c))
    (*terms,), (*pushes,) = balanced
    H_i = np.repeat([H + each for each in terms], m, axis=0)
    least = float(np.linalg.eigvalsh(H_i).min())
    if convex and least < -ALMOST * float(H[0, 0]):
        raise OutsideConditionsError(f"an outcome is not convex: it has the eigenvalue {least:.6g}.")
    return FiniteSum(H=H_i, g=np.repeat(pushes, m, axis=0), convex=False)


def _masses(numbers: Numbers) -> list[int]:
    """None of the second outcome where it is left out."""
    return [int(numbers["m_1"]), int(numbers["m_2"]), int(numbers["m_3"])]


def _on_line(numbers: Numbers, *, convex: bool) -> FiniteSum:
    L, sign = numbers["L"], signs(numbers)
    c = [np.array([next(sign) * numbers[name]]) for name in ("c_1", "c_2")]
    D = [np.array([[next(sign) * numbers[name] * L]]) for name in ("h_1", "h_2")]
    return made(np.array([[L]]), _masses(numbers), D, c, convex=convex)


def _in_plane(numbers: Numbers, *, convex: bool) -> FiniteSum:
    """D_i = L [[h_i, k_i], [k_i, l_i]] and c_i = (c_i, e_i)."""
    L, sign = numbers["L"], signs(numbers)

    def of(*names: str) -> Array:
        return np.array([next(sign) * numbers.get(name, 0.0) for name in names])

    c = [of(f"c_{i}", f"e_{i}") for i in (1, 2)]
    D = [L * of(f"h_{i}", f"k_{i}", f"l_{i}")[[0, 1, 1, 2]].reshape(2, 2) for i in (1, 2)]
    return made(np.diag([L, L / numbers["spread"]]), _masses(numbers), D, c, convex=convex)


def _exact(numbers: Numbers) -> FiniteSum:
    return FiniteSum(H=[np.diag([numbers["L"], numbers["L"] / numbers["spread"]])])


def _devices(numbers: Numbers) -> Federated:
    """Device k has the curvature L r_k, the minimiser b_k, and two outcomes, +-h_k and +-c_k where these are alike."""
    sign, found = signs(numbers), list[FiniteSum]()
    for k in range(1, int(numbers["N"]) + 1):
        h, c, b = (next(sign) * numbers.get(f"{name}_{k}", 0.0) for name in "hcb")
        H = np.array([[numbers["L"] * numbers.get(f"r_{k}", 1.0)]])
        m = [int(numbers.get("m_1", 1)), 0, int(numbers.get("m_3", 1))]
        own = made(H, m, [h * H, 0 * H], [np.array([c]), np.zeros(1)], convex=False)
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


def _line(name: str, *, convex: bool) -> Family:
    levels = [*pushes("c_1", "c_2"), *turns("h_1", "h_2"), *COUNTS, *_whole(16, "signs")]
    two = {**TWO, "c_2": 0.0, "h_2": 0.0}
    held = ({**two, "x_off": 0.0}, {**two, "c_1": 0.0}, two)
    return _family(
        name, partial(_on_line, convex=convex), levels, held, usual=USUAL | {"h_1": 0.25, "c_1": 0.5}
    )


def _plane(name: str, *, hessians: bool = True, convex: bool = False) -> Family:
    turned = turns(*_numbered("hkl")) if hessians else []
    kinds = 10 if hessians else 4
    levels = [CURVATURES[1], START_2, *pushes(*_numbered("ce")), *turned, *COUNTS, *_whole(2**kinds, "signs")]
    calm = dict.fromkeys(_numbered("ce"), 0.0)
    usual = (
        USUAL | {"x_off2": 1.0} | dict.fromkeys(_numbered("hkl"), 0.1) | dict.fromkeys(_numbered("ce"), 0.25)
    )
    held = ({"x_off": 0.0, "x_off2": 0.0}, calm)
    world = partial(_in_plane, convex=convex)
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
ONE_HESSIAN = _plane("one_hessian", hessians=False)
OUTCOMES, IN_PLANE = _line("outcomes", convex=False), _plane("outcomes_in_plane")
CONVEX, CONVEX_IN_PLANE = (
    _line("convex_outcomes", convex=True),
    _plane("convex_outcomes_in_plane", convex=True),
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
