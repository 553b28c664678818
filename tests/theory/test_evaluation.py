"""Theorems in numbers: refused outside their conditions, per term inside; the largest admissible steps are largest."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ratecert.api.papers import admissible
from ratecert.base.asked import VARIANTS
from ratecert.catalogue.find import paper
from ratecert.errors import OutsideConditionsError
from ratecert.solvers import CubeRoot
from ratecert.synthetic import heterogeneous, random_quadratic, scalar
from ratecert.theory.language.statements import Corollary, Theorem
from ratecert.theory.numbers.admissible import admissible as admissible_of
from ratecert.theory.numbers.admissible import enough_terms
from ratecert.theory.numbers.assumptions import check_assumptions
from ratecert.theory.numbers.evaluation import evaluate, number

THEOREMS = ("theorem-1", "theorem-2", "theorem-3")
CONSTANTS = {
    "mu": 0.5,
    "L_0": 2.0,
    "L_1": 1.5,
    "L_21": 0.3,
    "L_22": 0.2,
    "sigma": 0.7,
    "sigma_H": 0.4,
    "sigma_f": 0.6,
}
WORLD = {**CONSTANTS, "Phi_gap": 3.0, "y_gap": 1.1}
CASES = [(theorem, variant) for theorem in THEOREMS for variant in VARIANTS]


@pytest.mark.parametrize(("theorem", "variant"), CASES)
def test_the_largest_steps_are_inside_and_larger_ones_are_refused(theorem: str, variant: str) -> None:
    found = admissible(theorem, WORLD, 8, 4, 10**6, variant=variant)
    bounded = [c for c in found.bound.checks if c.relation in ("<=", "<")]
    assert {c.name for c in bounded} >= {"rho_1", "rho_2", "theta"}
    for check in bounded:
        larger = {**found.values, check.name: found.values[check.name] * (1 + 1e-9)}
        with pytest.raises(OutsideConditionsError, match=f"{check.name} {check.relation} .*margin 1 - 1e-09"):
            evaluate(paper(variant), theorem, larger)
    twice = {**found.values, "rho_1": 2 * found.values["rho_1"]}
    said = rf"{theorem} \({variant}\) says nothing here: rho_1 <= .*rho_1 = {twice['rho_1']:.6g}.*margin 0.5"
    with pytest.raises(OutsideConditionsError, match=said):
        evaluate(paper(variant), theorem, twice)


@pytest.mark.parametrize(("theorem", "variant"), CASES)
def test_the_bound_is_the_sum_of_its_terms(theorem: str, variant: str) -> None:
    bound = admissible(theorem, WORLD, 8, 4, 10**6, variant=variant).bound
    assert set(bound.terms) == set(paper(variant).the(Theorem, theorem).terms)
    assert bound.total == pytest.approx(sum(bound.terms.values()), rel=1e-14)
    assert sum(bound.shares.values()) == pytest.approx(1, rel=1e-12)
    assert bound.dominating == next(iter(bound.shares))
    assert bound.terms[bound.dominating] == max(bound.terms.values())
    assert replace(bound, terms={bound.dominating: bound.terms[bound.dominating]}).lead == math.inf


def test_undefined_symbols_are_bound_in_the_open() -> None:
    assert admissible("theorem-1", WORLD, 8, 4, 100, variant="printed").bound.bindings == {"L_12": "L_21"}
    assert admissible("theorem-1", WORLD, 8, 4, 100, variant="repaired").bound.bindings == {}
    other = {**WORLD, "L_12": 9.0}
    with_default = admissible("theorem-1", WORLD, 8, 4, 100, variant="printed").values
    with_other = admissible("theorem-1", other, 8, 4, 100, variant="printed").bound.values
    assert with_other["L_12"] == 9.0
    assert admissible("theorem-1", other, 8, 4, 100, variant="printed").bound.bindings == {}
    assert with_other["L_Phi"] > evaluate(paper(), "theorem-1", with_default).values["L_Phi"]


def test_the_gaps_of_a_world_are_those_of_its_start() -> None:
    world = random_quadratic(d_x=2, d_y=2, mu=1.0, L_1=4.0, s_f=0.5, s_g=0.5, seed=1)
    x0, y0 = np.array([1.0, -2.0]), np.array([0.5, 0.5])
    values = admissible("theorem-1", world, 8, 4, 100, radius=10.0, x0=x0, y0=y0).values
    assert values["Phi_gap"] == pytest.approx(world.objective(x0) - world.objective(world.x_star))
    assert values["y_gap"] == pytest.approx(np.linalg.norm(y0 - world.y_star(x0)))
    at_zero = admissible("theorem-1", world, 8, 4, 100, radius=10.0).values
    assert at_zero["y_gap"] == 0
    assert at_zero["Phi_gap"] == pytest.approx(world.objective(np.zeros(2)) - world.objective(world.x_star))


def test_steps_can_be_fixed_and_the_others_follow() -> None:
    free = admissible("theorem-1", WORLD, 8, 4, 100)
    held = admissible("theorem-1", WORLD, 8, 4, 100, fixed={"rho_2": free.values["rho_2"] / 10})
    assert held.values["rho_1"] == pytest.approx(free.values["rho_1"] / 10)
    assert "theta" in free.binding
    assert "theta" not in admissible("theorem-1", WORLD, 8, 4, 100, fixed={"theta": 0.1}).binding
    with pytest.raises(OutsideConditionsError, match="rho_2 <="):
        admissible("theorem-1", WORLD, 8, 4, 100, fixed={"rho_2": free.values["rho_2"] * 2})


@pytest.mark.parametrize(
    ("contraction", "size"), [(0.1, 1e6), (0.5, 8.0), (0.9, 1e12), (1e-6, 1e3), (0.5, 1.0)]
)
def test_the_default_Q_is_the_smallest_that_is_enough(contraction: float, size: float) -> None:
    Q = enough_terms(contraction, size)
    assert (1 - contraction) ** (2 * Q + 2) <= 1 / size * (1 + 1e-9)
    assert Q == 1 or (1 - contraction) ** (2 * Q) > 1 / size


@pytest.mark.parametrize("theorem", THEOREMS)
def test_by_default_the_neumann_sum_is_cut_where_its_bias_is_below_1_over_KT(theorem: str) -> None:
    values = admissible(theorem, WORLD, 8, 4, 100).values
    rate, Q = 1 - values["theta"] * values["mu"], values["Q"]
    assert rate ** (2 * Q + 2) <= 1 / 800 < rate ** (2 * Q)


def test_the_schedule_of_theorem_3_is_as_printed() -> None:
    found = admissible("theorem-3", WORLD, 8, 4, 10**6, variant="printed")
    v = found.bound.values
    step = CubeRoot(**found.schedule)
    for t in (0, 10, 10**9, 10**12):
        floors = (200**3 * 64 * 4**3 - t, 8 * v["rho_1"] ** 3 * v["L_Phi"] ** 3 * 64 / v["L_hat"] ** 3 - t)
        w = max(2, *floors)
        assert step(t) == pytest.approx(8 ** (2 / 3) / v["L_hat"] / (w + t) ** (1 / 3), rel=1e-12)
    assert found.largest_eta == pytest.approx(step(0))
    constant = admissible("theorem-2", WORLD, 8, 4, 10**6)
    assert (constant.schedule, constant.largest_eta) == ({}, constant.values["eta"])


def exact_slope(theorem: str, name: str, value: float) -> float:
    """The exponent of each term in T or K at fixed steps is known: the bound's slope is their mean, by share."""
    exponents = {
        ("theorem-1", "T"): {"start_x": -1, "start_y": -1, "start_u": -1, "start_v": -1},
        ("theorem-1", "K"): {"noise_u": -1, "noise_v": -1},
    }[theorem, name]
    shares = admissible(theorem, WORLD, 8, 4, value).bound.shares
    return sum(exponents.get(term, 0) * share for term, share in shares.items())


@pytest.mark.parametrize("T", [1.0, 1e3, 1e9, 1e15])
def test_slopes_at_fixed_steps_are_the_mean_exponents(T: float) -> None:
    slopes = admissible("theorem-1", WORLD, 8, 4, T).slopes["fixed"]
    assert pytest.approx(exact_slope("theorem-1", "T", T), abs=1e-6) == slopes.T
    assert pytest.approx(exact_slope("theorem-1", "K", T), abs=1e-6) == slopes.K


@pytest.mark.parametrize(
    ("theorem", "corollary"), [("theorem-1", "corollary-1"), ("theorem-2", "corollary-3")]
)
def test_the_slope_along_a_corollary_is_pre_asymptotic_and_said_to_be(theorem: str, corollary: str) -> None:
    """With K and p fixed in size, Q growing like log: the printed rate is not reached at any T a computer can run."""
    found = admissible(theorem, WORLD, 8, 4, 10**9, variant="printed").slopes
    rate = -0.5 if theorem == "theorem-1" else -2 / 3
    assert pytest.approx(rate) == found["claim"].T
    assert pytest.approx(rate) == found["claim"].K
    assert found[corollary].T - rate > 0.05


@pytest.mark.parametrize(("theorem", "variant"), CASES)
def test_one_iteration_on_one_device_has_no_slope_along_a_corollary(theorem: str, variant: str) -> None:
    assert set(admissible(theorem, WORLD, 1, 1, 1, variant=variant).slopes) == {"fixed"}
    assert len(admissible(theorem, WORLD, 1, 1, 2, variant=variant).slopes) == 3


def test_it_has_none_whichever_scaling_is_read_first() -> None:
    """rho = 1/log(KT)^4 has no value there, and Q = log(KT) is zero."""
    source = paper("repaired")
    corollary = source.the(Corollary, "corollary-1")
    backwards = replace(corollary, scalings=dict(reversed(list(corollary.scalings.items()))))
    other = replace(source, statements={**source.statements, corollary.id: backwards})
    assert set(admissible_of("theorem-1", WORLD, 1, 1, 1, paper=other).slopes) == {"fixed"}


def test_a_world_that_breaks_an_assumption_is_told_which_constant() -> None:
    class Flat:
        def constants(self, radius: float, reading: str) -> dict[str, float]:
            return {**CONSTANTS, "mu": 0.0, "L_1": math.inf}

    standings = {s.assumption: s for s in check_assumptions(paper(), Flat(), radius=1.0)}
    assert standings["assumption-1"].holds == "no"
    assert standings["assumption-1"].because.startswith("mu = 0")
    assert "L_1 = inf" in standings["assumption-2"].because
    assert standings["assumption-3"].holds == "everywhere"


# Refusals: what is asked for, the name, and the value or what is allowed.


def of(theorem: str = "theorem-1", world: Any = WORLD, **given: Any) -> Any:
    return admissible(theorem, world, **{"K": 8, "p": 4, "T": 100, **given})


def at(theorem: str = "theorem-1", **changed: Any) -> Any:
    return evaluate(paper("repaired"), theorem, {**of(theorem).values, **changed})


def without_steps() -> Any:
    return evaluate(paper(), "theorem-1", {**WORLD, "theta": 0.1, "Q": 3, "K": 1, "p": 1, "T": 1})


REFUSED: list[tuple[Any, dict[str, Any], str]] = [
    (at, {"rho1": 1e-9}, r"rho1 is no symbol .* rho_1\?"),
    (at, {"K": 0.1}, "K must be .* >= 1, got 0.1"),
    (at, {"Q": 2.5}, "Q must be .* >= 0, got 2.5"),
    (at, {"theta": 0.0}, "theta must be > 0, got 0"),
    (at, {"mu": 0.0}, r"mu must be > 0 \(assumption-1\), got 0"),
    (at, {"mu": 100.0}, r"must lie in \[0, 1\), got .*mu cannot exceed L_1"),
    (at, {"T": math.inf}, "T must be .* >= 0, got inf"),
    (at, {"T": 10**400}, "T must be .* >= 0"),
    (at, {"K": "8"}, "K must be .* >= 0, got '8'"),
    (at, {"sigma": 1e200}, "floating point: it is inf"),
    (at, {"theorem": "theorem-3", "eta": 1e9}, "eta follows from the schedule of theorem-3"),
    (without_steps, {}, "theorem-1 needs a value for .*eta"),
    *((of, {"world": {**WORLD, "L_0": bad}}, "L_0 must be .* >= 0, got") for bad in (math.inf, -1.0, math.nan, "much")),
    (of, {"theorem": "theorem-2", "K": 0}, "K must be .* >= 1"),
    (of, {"theorem": "theorem-2", "p": 0.5}, "p must be .* >= 1"),
    (of, {"theorem": "theorem-2", "T": 0}, "T must be .* >= 1"),
    (of, {"fixed": {"rho1": 1e-9}}, "fixed sets the steps alpha, beta, .*; rho1 is not one of them"),
    (of, {"K": math.inf}, "K must be a finite number"),
    (of, {"T": 10**400}, "T must be a finite number"),
    (of, {"world": scalar()}, "L_0 must be .*Give `radius`"),
    (of, {"world": scalar(), "radius": 1.0, "x0": [100.0]}, "radius must be >= .*, the distance of the start"),
    (of, {"world": heterogeneous(), "radius": 10.0}, "devices are alike"),
    (of, {"theorem": "parallel-sgd:sgd-descent"}, "theta of a Neumann sum, got sgd-descent"),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "given", "message"), REFUSED)
def test_what_cannot_be_used_is_refused_by_name(ask: Any, given: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, ArithmeticError), match=message):
        ask(**given)


def test_a_factor_that_cancels_keeps_its_digits() -> None:
    """2 gamma - L gamma^2 one rounding below its zero; in doubles a third of it is lost."""
    source, L = paper("printed", "ghadimi-lan"), 1.3
    gamma = math.nextafter(2 / L, 0)
    values = {"L": L, "gamma": gamma, "D_f": 0.7, "sigma": 0.5, "T": 100}
    exact = Fraction(0.7) ** 2 / (100 * (2 * Fraction(gamma) - Fraction(L) * Fraction(gamma) ** 2))
    assert evaluate(source, "constant-steps", values).terms["start"] == pytest.approx(float(exact), rel=1e-15)
    plain = number(source.the(Theorem, "constant-steps").terms["start"], values)
    assert abs(plain / float(exact) - 1) > 1e-3


def test_what_overflows_on_the_way_only_has_a_value() -> None:
    """p^4 is beyond all doubles, and times eta^4 it is not."""
    assert 0 < admissible("theorem-1", WORLD, K=8, p=10**200, T=2**63).bound.total < math.inf


def test_a_bound_of_zero_has_no_slopes_and_no_shares() -> None:
    nothing = {**WORLD, "L_0": 0.0, "sigma": 0.0, "sigma_f": 0.0, "Phi_gap": 0.0, "y_gap": 0.0}
    found = admissible("theorem-1", nothing, 8, 4, 100)
    assert found.bound.total == 0
    assert found.slopes == {}
    assert set(found.bound.shares.values()) == {0.0}


def test_terms_that_cancel_are_summed_before_they_are_rounded() -> None:
    """At the start the bound is Delta, whatever the noise that is added and subtracted."""
    values = {
        "L": 1.0,
        "c": 1.0,
        "mu": 1.0,
        "mu_G": 1.0,
        "M_V": 0.0,
        "M": 3e15,
        "Delta": 1 / 3,
        "abar": 0.1,
        "T": 1,
    }
    bound = evaluate(paper("printed", "sg"), "theorem-4-6", values)
    assert bound.total == 1 / 3
    assert sum(bound.terms.values()) != 1 / 3
