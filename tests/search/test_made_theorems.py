"""No true theorem is accused, and no false one acquitted: theorems that are made by tests/oracles/made_theorems.py.

By day few worlds of few theorems; at night a hundred true ones with a hundred worlds each, and false ones that fail on
a tenth and on a hundredth of their box, ten of each, with a thousand worlds.
"""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

import ratecert as rc
from oracles.made_theorems import CONSTANTS, TERMS, Made, failing_on
from ratecert.base.errors import OutsideConditionsError, UndecidedError
from ratecert.base.promised import smallest_eigenvalue
from ratecert.catalogue.cases import bound_case
from ratecert.search.climb import search
from ratecert.search.finding import Outcome, confirm, falsify
from ratecert.theory.numbers.enclosed import in_full

KEY, SINGLE_LEVEL = "made", "ratecert.synthetic.one_level"
TRUE = [
    Made(form, d, scale=1 + slack, seed=seed, longest=longest)
    for form in TERMS
    for d, seed in ((1, None), (2, 1), (2, 2), (3, 3), (4, 4))
    for slack in (0.0, 0.01)
    for longest in (64, 2**62)
    if not (form == "descent" and longest > 64)  # an average over all t of a run that vanishes
]
FALSE = [
    Made(form, d, beta=beta, inside=inside)
    for form, d, beta in (("descent", 1, 0.0), ("floor", 2, 0.5), ("descent", 2, 0.0), ("descent", 1, 0.5))
    for inside in (False, True)
] + [Made("floor", 2), Made("floor", 1, inside=True)]
SHARES = {0.1: 10, 0.01: 9}  # of ten, how many at least


def tried(made: Made, worlds: int, seed: int = 0) -> Outcome:
    rc.register(made.paper(KEY), {"theorem-1": made.binding()})
    return falsify(
        bound_case(KEY, "theorem-1", "printed"), budget=worlds, seed=seed, jobs=1, advance=lambda _: None
    )


@pytest.mark.parametrize("form", TERMS)
@pytest.mark.parametrize("slack", [0.0, 0.01])
def test_a_true_theorem_on_rotated_worlds_is_not_refuted(form: str, slack: float) -> None:
    outcome = tried(Made(form, 2, scale=1 + slack, seed=1), 40)
    assert not outcome.falsified
    assert not outcome.unconfirmed
    assert outcome.largest <= 1


@pytest.mark.nightly
@pytest.mark.parametrize("made", TRUE, ids=map(str, TRUE))
@pytest.mark.parametrize("seed", [1, 2])
def test_none_of_a_hundred_true_theorems_is_refuted(made: Made, seed: int) -> None:
    outcome = tried(made, 100, seed)
    assert (outcome.falsified, outcome.unconfirmed) == (False, False)
    assert outcome.largest <= 1


@pytest.mark.parametrize("made", [FALSE[0], FALSE[3]], ids=str)
def test_a_false_theorem_falls(made: Made) -> None:
    """One that fails on a tenth of the box."""
    assert tried(failing_on(0.1, made, n=2000), 60).falsified


@pytest.mark.nightly
@pytest.mark.parametrize("share", SHARES)
def test_false_theorems_fall(share: float) -> None:
    """Half of them inside the box alone; the share is that of other points than those that chose the scale."""
    made = [failing_on(share, each, n=10**5) for each in FALSE]
    assert all(share / 2 < each.broken(10**6, seed=1) < 2 * share for each in made)
    fallen = [tried(each, 1000).falsified for each in made]
    assert sum(fallen) >= SHARES[share], dict(zip(map(str, made), fallen, strict=True))


def test_the_shares_are_those_of_the_box() -> None:
    """By twenty thousand other points; and a true theorem fails nowhere."""
    for form in ("floor", "descent"):
        assert failing_on(0.1, Made(form, 2), n=4000).broken(20_000, seed=1) == pytest.approx(0.1, abs=0.02)
        assert Made(form, 2).broken(20_000) == 0


# Edges, of which doubles know one side.


def bounded(**more: Any) -> Any:
    rc.register(Made("contraction", 1).paper(KEY), {"theorem-1": Made("contraction", 1, **more).binding()})
    return bound_case(KEY, "theorem-1", "printed")


def test_a_step_that_is_too_large_by_rounding_is_outside() -> None:
    """1/5 is rounded up to a double, which in doubles is not above 1/5."""
    case = bounded()
    step = 1 / 5
    world = {"L": 5.0, "spread": 1.0, "x_off": 1.0}
    assert Fraction(step) > Fraction(1, 5)
    instance = {"made": world, "run": {"K": 1, "T": 4}, "letters": {"gamma": step}}
    edge = {**instance, "letters": {"gamma": math.nextafter(step, 0)}}
    with pytest.raises(OutsideConditionsError, match=r"gamma <= 1/L is broken, if by rounding only"):
        case.attempt(instance, case.source)
    assert case.attempt(edge, case.source).ratio <= 1


def test_a_short_run_is_counted_outcome_by_outcome() -> None:
    """x_4 of gradient descent is one outcome; with noise in two coordinates and two steps there are sixteen."""
    case = bounded()
    instance = {
        "made": {"L": 2.0, "spread": 1.0, "x_off": 1.0},
        "run": {"K": 1, "T": 4},
        "letters": {"gamma": 0.25},
    }
    assert case.again(instance, case.attempt(instance, case.source)).counted == (2.0**-8, 2.0**-8)
    rc.register(Made("floor", 2).paper(KEY), {"theorem-1": Made("floor", 2).binding()})
    noisy = bound_case(KEY, "theorem-1", "printed")
    world = {"L": 2.0, "spread": 4.0, "x_off": 1.0, "s": 0.5}
    short = {"made": world, "run": {"K": 1, "T": 2}, "letters": {"gamma": 0.25}}
    again = noisy.again(short, noisy.attempt(short, noisy.source))
    assert again.measured is not None
    assert again.counted == pytest.approx((again.measured, again.bound), rel=1e-14)
    long = {**short, "run": {"K": 1, "T": 2**40}}
    assert noisy.again(long, noisy.attempt(long, noisy.source)).counted is None


def test_a_constant_that_does_not_hold_accuses_no_true_theorem(monkeypatch: pytest.MonkeyPatch) -> None:
    """With mu a tenth too large the first way sees the bound broken; the second one tests mu, and objects."""
    case = bounded()
    instance = {
        "made": {"L": 2.0, "spread": 1.0, "x_off": 1.0},
        "run": {"K": 1, "T": 4},
        "letters": {"gamma": 0.25},
    }
    assert confirm(case, instance, "").ratios.itself == 1.0
    monkeypatch.setattr(f"{SINGLE_LEVEL}.smallest_eigenvalue", lambda H: 1.1 * smallest_eigenvalue(H))
    found = confirm(case, instance, "")
    assert found.ratios.itself > 1.5
    assert found.again.measured > found.again.bound
    assert (found.word, found.again.objection) == ("not confirmed", "mu = 2.2 is not mu of this world")


def test_blind_worlds_are_short_every_other_time() -> None:
    drawn = bounded(longest=2**40).drawn(64, seed=0)
    assert len(drawn) == 64
    assert all(1 <= numbers["T"] <= 64 for numbers in drawn[::2])
    assert np.median([numbers["T"] for numbers in drawn[1::2]]) > 2**16


def test_a_peak_that_nothing_leads_to_is_found_where_it_is_drawn() -> None:
    """The score is 0 but near one point, from which the search goes on."""
    levels = (
        rc.statements.Level(name="h", low=1e-3, high=1e3),
        rc.statements.Level(name="k", low=1e-3, high=1e3),
    )

    def peak(numbers: Any) -> float:
        off = abs(math.log(numbers["h"] / 300)) + abs(math.log(numbers["k"] / 0.02))
        return max(0.0, 1 - off)

    blind = {"h": 250.0, "k": 0.022}
    plain, begun = (
        search(peak, levels, [{}], budget=150, seed=1, jobs=1, drawn=drawn) for drawn in ([], [blind])
    )
    assert begun.score > peak(blind)
    assert plain.score < begun.score


def test_a_constant_of_ones_own_function_may_be_an_ulp_off() -> None:
    """mu by LAPACK is too large here by rounding, and 1 - gamma mu a third of what it is."""
    made = Made("contraction", 2, seed=1)
    own = {**CONSTANTS["contraction"], "mu": lambda setting: float(np.linalg.eigvalsh(setting.world.H)[0])}
    rc.register(made.paper(KEY), {"theorem-1": replace(made.binding(), constants=own)})
    case = bound_case(KEY, "theorem-1", "printed")
    outcome = falsify(case, budget=40, seed=0, jobs=1, advance=lambda _: None)
    assert (outcome.falsified, outcome.unconfirmed) == (False, False)


@pytest.mark.parametrize("bound", [-1.0, 0.0])
def test_a_bound_that_is_never_positive_is_broken_by_anything(bound: float) -> None:
    assert tried(Made("contraction", 1, scale=bound), 10).falsified


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("harmonic(x)", 25 / 12), ("Sum(1/i, (i, 1, x))", 25 / 12), ("Product(i, (i, 1, x))", 24.0),
        ("factorial(x)", 24.0),
        ("tanh(x)", math.tanh(4)), ("cos(x)", math.cos(4)), ("atan(x)", math.atan(4)), ("erf(x)", math.erf(4)),
    ],
)  # fmt: skip
def test_bounds_have_functions(expression: str, value: float) -> None:
    assert in_full(sympy.sympify(expression), {"x": 4.0}) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize("expression", ["f(x)", "oo*x", "I*x", "Sum(i, (i, 1, 10**9*x))"])
def test_what_cannot_be_a_bound_is_named_with_what_can(expression: str) -> None:
    with pytest.raises(UndecidedError, match=r"cannot be evaluated: .*"):
        in_full(sympy.sympify(expression), {"x": 4.0})


def test_a_run_whose_bound_has_vanished_is_tried_shorter_and_the_search_goes_on() -> None:
    """Of gradient descent with falling steps, and a rate that forgets that they fall."""
    made = Made("contraction", 1, longest=2**62)
    falling = replace(
        made.binding(), hyperparameters={"alpha": lambda v: rc.contract.Power(scale=v["gamma"], exponent=0.5)}
    )
    rc.register(made.paper(KEY), {"theorem-1": falling})
    case = bound_case(KEY, "theorem-1", "printed")
    numbers = {level.name: level.value(level.place(1.0)) for level in case.levels} | {
        "T": 2.0**62,
        "of gamma": 0.5,
    }
    assert case.instance(numbers, case.source)["run"]["T"] < 2**12
    outcome = falsify(case, budget=60, seed=0, jobs=1, advance=lambda _: None)
    assert (outcome.falsified, outcome.unconfirmed) == (True, False)
