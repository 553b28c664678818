"""The second way: outcomes one by one in fractions, promises and conditions tested, nothing shared with the first."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq

import ratecert as rc
from oracles.small_papers import small_paper
from ratecert.base.arrays import Rationals
from ratecert.base.errors import NotExactError, OutsideConditionsError
from ratecert.base.exact import rational
from ratecert.binding.setting import Setting
from ratecert.search.second_way import over_outcomes, positive
from ratecert.theory.statements import Theorem

s = rc.statements
gamma, L, c, T = s.letters("gamma L c T")
TURN = np.array([[0.6, -0.8], [0.8, 0.6]])
ROTATED = TURN @ np.diag([3.0, 0.7]) @ TURN.T
ROTATED = (ROTATED + ROTATED.T) / 2
WORLDS = {
    "rotated": rc.worlds.SingleLevel(H=ROTATED, a=[0.1, -0.3], s=0.7),
    "noisy Hessians": rc.worlds.SingleLevel(H=ROTATED, E=[0.3 * ROTATED], c=[[0.1, 0.2]], s=0.3),
    "three terms": rc.worlds.FiniteSum(
        H=[ROTATED, np.eye(2), np.diag([0.1, 5.0])], a=[[1, 0], [0, 0.1], [0.3, 1]]
    ),
    "map": rc.worlds.LinearMap(M=0.9 * TURN, b=[1.0, 0.2]),
    "devices": rc.worlds.Federated(
        devices=[rc.worlds.SingleLevel(H=h, a=a, s=0.2) for h, a in ((ROTATED, 0.3), (np.eye(2), -0.1))]
    ),
}
START = {"x": np.array([1.0, -2.0])}


def second(
    world: Any, *, constants: Any, values: Any, T: int = 2, method: Any = rc.methods.SGD, **more: Any
) -> tuple[float, float]:
    """Both sides of E||x_T - x*||^2 <= c^2 by the second way."""
    measure = more.pop("measure", rc.measures.distance().last())
    given = {
        "terms": {"all": c**2},
        "conditions": {"gamma": s.Condition(gamma, "<=", (1 / L,))},
        "letters": "gamma L c T",
    }
    paper = small_paper("second", **{**given, **more})
    binding = s.Binding(
        method=method,
        hyperparameters={"alpha": gamma},
        measure=measure,
        constants=constants,
        worlds=("single_level",),
        devices="",
    )
    setting = Setting(world, len(getattr(world, "devices", (world,))), T, START)
    known = {"gamma": 0.125, "L": 8.0, "c": 1.0, "T": float(T), **values}
    return over_outcomes(binding, paper, paper.the(Theorem, "theorem-1"), setting, known)


@pytest.mark.parametrize(
    "measure", [rc.measures.distance().last(), rc.measures.gradient()], ids=["last", "all"]
)
@pytest.mark.parametrize("name", WORLDS)
def test_the_mean_over_outcomes_is_that_of_the_moments(name: str, measure: Any) -> None:
    world = WORLDS[name]
    measured, bound = second(world, constants={}, values={"c": 3.0}, measure=measure)
    K = len(getattr(world, "devices", (world,)))
    run = {"K": K, "T": 2, "start": START, "measures": {"left": measure}}
    exact = rc.expect(world, rc.methods.SGD(alpha=0.125), **run).left
    assert measured == pytest.approx(exact, rel=1e-13)
    assert bound == 9.0


@dataclass(frozen=True, kw_only=True)
class Lazy(rc.contract.Method):
    """Half of its iterations make no step, and a step has a double in it."""

    alpha: Any
    levels = 1

    @property
    def stages(self) -> Any:
        move = rc.contract.Stage(self.step, repeats=1, averaged=("x",))
        return (rc.contract.switch((0.5, [move]), (0.5, [])),)

    def step(self, t: int, state: Any, oracle: Any) -> Any:
        g = oracle.sample(rc.contract.Gradient(), t)
        return state.but(x=0.5 * (state.x + (state.x - 2 * self.alpha * g(state.x))))

    def start(self, state: Any, oracle: Any) -> Any:
        return state.but()

    def step_size(self, t: int) -> Any:
        return self.alpha


def test_what_a_method_draws_is_gone_through_too() -> None:
    world = WORLDS["three terms"]
    measured, _ = second(world, constants={}, values={}, method=Lazy)
    read = {"left": rc.measures.distance().last()}
    exact = rc.expect(world, Lazy(alpha=0.125), K=1, T=2, start=START, measures=read).left
    assert measured == pytest.approx(exact, rel=1e-13)


def test_a_start_may_be_a_number() -> None:
    world = rc.worlds.SingleLevel(H=1.0)
    assert over(world, np.float64(3.0), 1) == over(world, np.array([3.0]), 1)


def test_it_is_exact_and_rounded_to_the_side_of_the_theorem() -> None:
    """x_1 = (1 - 1/10 as a double) 3, and 1/3 is no double."""
    world = rc.worlds.SingleLevel(H=1.0)
    square = (3 * (1 - Fraction(0.1))) ** 2
    found = over(world, 3.0, 1)
    assert Fraction(found) <= square < Fraction(math.nextafter(found, math.inf))
    third = second(WORLDS["rotated"], constants={}, values={"L": 3.0}, terms={"all": 1 / L})[1]
    assert Fraction(third) >= Fraction(1, 3) > Fraction(math.nextafter(third, 0))


def over(world: Any, x: Any, T: int) -> float:
    paper = small_paper(
        "second", terms={"all": c}, conditions={"gamma": s.Condition(gamma, "<=", (1,))}, letters="gamma c T"
    )
    binding = s.Binding(
        method=rc.methods.SGD,
        hyperparameters={"alpha": gamma},
        measure=rc.measures.distance().last(),
        constants={},
        devices="",
    )
    values = {"gamma": 0.1, "c": 1.0, "T": float(T)}
    theorem = paper.the(Theorem, "theorem-1")
    return over_outcomes(binding, paper, theorem, Setting(world, 1, T, {"x": x}), values)[0]


UP, DOWN = math.inf, 0.0
PROMISES = [  # a constant, where it is wrong, and on which worlds
    *(
        (name, DOWN, world)
        for name in ("L", "sigma_star", "distance")
        for world in ("rotated", "three terms", "devices")
    ),
    *(("sigma", DOWN, world) for world in ("rotated", "devices")),
    *(("mu", UP, world) for world in ("rotated", "three terms", "devices", "map")),
    ("L", DOWN, "map"),
    *((name, DOWN, "three terms") for name in ("L_max", "L_average", "calL", "gap", "squared_distance")),
    *((name, DOWN, "noisy Hessians") for name in ("L_sample", "L_average", "calL", "sigma_star", "M", "M_V")),
    ("heterogeneity", DOWN, "devices"),
]


@pytest.mark.parametrize(("name", "wrong", "world"), PROMISES)
def test_a_constant_is_refused_where_it_does_not_hold(name: str, wrong: float, world: str) -> None:
    """As the world promises it, it holds; a part in a million away on the wrong side it does not."""
    promised = Setting(WORLDS[world], 1, 1, START).constants[name]
    constants = {"c": name}
    assert second(WORLDS[world], constants=constants, values={"c": promised})
    off = promised * (1 + 1e-6 if wrong == UP else 1 - 1e-6)
    with pytest.raises(OutsideConditionsError, match=f"is not {name} of this world"):
        second(WORLDS[world], constants=constants, values={"c": off})


def test_no_bound_on_the_variance_holds_where_the_hessians_of_samples_differ() -> None:
    with pytest.raises(OutsideConditionsError, match="is not sigma of this world"):
        second(WORLDS["noisy Hessians"], constants={"c": "sigma"}, values={"c": 1e9})


def test_a_condition_is_met_in_fractions_or_refused() -> None:
    """1/10 is rounded up to a double, which is above 1/10."""
    assert second(WORLDS["rotated"], constants={}, values={})
    with pytest.raises(OutsideConditionsError, match="gamma is outside"):
        second(WORLDS["rotated"], constants={}, values={"gamma": 0.1, "L": 10.0})


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"T": 65}, "K T is above 64"),
        ({"T": 20}, "outcomes"),
        ({"constants": {"c": "largest_gradient"}}, "no test of largest_gradient"),
    ],
)
def test_without_fractions_there_is_no_second_way(how: Any, said: str) -> None:
    with pytest.raises(NotExactError, match=said):
        second(WORLDS["rotated"], **{"constants": {}, "values": {}, **how})


@pytest.mark.parametrize(
    ("A", "is_positive"),
    [
        ([[1, 2], [2, 4]], True),
        ([[0, 0], [0, 1]], True),
        ([[0, 1], [1, 5]], False),
        ([[1, 2], [2, 3]], False),
        ([[1, 0, 0], [0, 0, 0], [0, 0, -1]], False),
        ([[-1]], False),
    ],
)
def test_pivots_tell_a_negative_eigenvalue(A: Any, is_positive: bool) -> None:
    assert positive(Rationals.of(np.array(A))) is is_positive
    assert rational(0.5) == fmpq(1, 2)
