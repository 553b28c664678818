"""Theorems in numbers: refused outside their conditions, per term inside; the largest admissible steps are largest."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

from ratecert.api.papers import admissible
from ratecert.base.asked import VARIANTS
from ratecert.catalogue.find import paper
from ratecert.errors import OutsideConditionsError
from ratecert.solvers import CubeRoot
from ratecert.synthetic import heterogeneous, random_quadratic, scalar
from ratecert.theory.notation import FUNCTIONS
from ratecert.theory.numbers.admissible import admissible as admissible_of
from ratecert.theory.numbers.admissible import enough_terms
from ratecert.theory.numbers.enclosed import in_full
from ratecert.theory.numbers.evaluation import evaluate, number
from ratecert.theory.numbers.expressions import DOUBLES, evaluated
from ratecert.theory.statements import Corollary, Theorem

THEOREMS = ("theorem-1", "theorem-2", "theorem-3")
CASES = [(theorem, variant) for theorem in THEOREMS for variant in VARIANTS]
CONSTANTS = {
    "mu": 0.5, "L_0": 2.0, "L_1": 1.5, "L_21": 0.3, "L_22": 0.2, "sigma": 0.7, "sigma_H": 0.4, "sigma_f": 0.6,
}  # fmt: skip
WORLD = {**CONSTANTS, "Phi_gap": 3.0, "y_gap": 1.1}


def of(theorem: str = "theorem-1", world: Any = WORLD, **given: Any) -> Any:
    return admissible(theorem, world, **{"K": 8, "p": 4, "T": 100, **given})


@pytest.mark.parametrize(("theorem", "variant"), CASES)
def test_the_largest_steps_are_inside_and_larger_ones_are_refused(theorem: str, variant: str) -> None:
    found = of(theorem, T=10**6, variant=variant)
    bounded = [c for c in found.bound.checks if c.relation in ("<=", "<")]
    assert {c.name for c in bounded} >= {"rho_1", "rho_2", "theta"}
    for check in bounded:
        larger = {**found.values, check.name: found.values[check.name] * (1 + 1e-9)}
        with pytest.raises(
            OutsideConditionsError, match=f"{check.name} {check.relation} .*inside, is 1 - 1e-09"
        ):
            evaluate(paper(variant), theorem, larger)
    twice = {**found.values, "rho_1": 2 * found.values["rho_1"]}
    said = (
        rf"{theorem} \({variant}\) says nothing here: rho_1 <= .*rho_1 = {twice['rho_1']:.6g}.*inside, is 0.5"
    )
    with pytest.raises(OutsideConditionsError, match=said):
        evaluate(paper(variant), theorem, twice)


def test_a_step_that_an_equation_fixes_may_be_left_out_or_off_by_rounding_and_no_more() -> None:
    values = of("theorem-3").values
    total = evaluate(paper("repaired"), "theorem-3", values).total
    for name in ("alpha", "beta"):
        fewer = {other: value for other, value in values.items() if other != name}
        assert evaluate(paper("repaired"), "theorem-3", fewer).total == total
    for off in (1e-14, 1e-9, 0.5):
        moved = {**values, "alpha": values["alpha"] * (1 + off)}
        if off == 1e-14:
            assert evaluate(paper("repaired"), "theorem-3", moved).total == pytest.approx(total)
        else:
            with pytest.raises(OutsideConditionsError, match="alpha = "):
                evaluate(paper("repaired"), "theorem-3", moved)


@pytest.mark.parametrize(("theorem", "variant"), CASES)
def test_the_bound_is_the_sum_of_its_terms(theorem: str, variant: str) -> None:
    bound = of(theorem, T=10**6, variant=variant).bound
    assert set(bound.terms) == set(paper(variant).the(Theorem, theorem).terms)
    assert bound.total == pytest.approx(sum(bound.terms.values()), rel=1e-14)
    assert sum(bound.shares.values()) == pytest.approx(1, rel=1e-12)
    second, largest = sorted(bound.terms.values())[-2:]
    assert bound.dominating == next(iter(bound.shares))
    assert bound.terms[bound.dominating] == largest
    assert bound.lead == largest / second != 1
    assert replace(bound, terms={bound.dominating: largest}).lead == math.inf


def test_undefined_symbols_are_bound_in_the_open() -> None:
    plain = of(variant="printed")
    other = of(world={**WORLD, "L_12": 9.0}, variant="printed").bound
    assert plain.bound.bindings == {"L_12": "L_21"}
    assert other.bindings == of(variant="repaired").bound.bindings == {}
    assert other.values["L_12"] == 9.0
    assert other.values["L_Phi"] > evaluate(paper(), "theorem-1", plain.values).values["L_Phi"]


def test_the_gaps_of_a_world_are_those_of_its_start() -> None:
    world = random_quadratic(d_x=2, d_y=2, mu=1.0, L_1=4.0, s_f=0.5, s_g=0.5, seed=1)
    x0, y0, zero = np.array([1.0, -2.0]), np.array([0.5, 0.5]), np.zeros(2)
    for given, x, y in (({"x0": x0, "y0": y0}, x0, y0), ({}, zero, world.y_star(zero))):
        values = of(world=world, radius=10.0, **given).values
        assert values["Phi_gap"] == pytest.approx(world.objective(x) - world.objective(world.x_star))
        assert values["y_gap"] == pytest.approx(np.linalg.norm(y - world.y_star(x)))


def test_steps_can_be_fixed_and_the_others_follow() -> None:
    free = of()
    fixed = of(fixed={"rho_2": free.values["rho_2"] / 10})
    assert fixed.values["rho_1"] == pytest.approx(free.values["rho_1"] / 10)
    assert "theta" in free.binding
    assert "theta" not in of(fixed={"theta": 0.1}).binding
    with pytest.raises(OutsideConditionsError, match="rho_2 <="):
        of(fixed={"rho_2": free.values["rho_2"] * 2})


@pytest.mark.parametrize(
    ("contraction", "size"), [(0.1, 1e6), (0.5, 8.0), (0.9, 1e12), (1e-6, 1e3), (0.5, 1.0)]
)
def test_the_default_Q_is_the_smallest_that_is_enough(contraction: float, size: float) -> None:
    Q = enough_terms(contraction, size)
    assert (1 - contraction) ** (2 * Q + 2) <= 1 / size * (1 + 1e-9)
    assert Q == 1 or (1 - contraction) ** (2 * Q) > 1 / size


@pytest.mark.parametrize("theorem", THEOREMS)
def test_by_default_the_neumann_sum_is_cut_where_its_bias_is_below_1_over_KT(theorem: str) -> None:
    values = of(theorem).values
    rate, Q = 1 - values["theta"] * values["mu"], values["Q"]
    assert rate ** (2 * Q + 2) <= 1 / 800 < rate ** (2 * Q)


def test_the_schedule_of_theorem_3_is_as_printed() -> None:
    found = of("theorem-3", T=10**6, variant="printed")
    v = found.bound.values
    step = CubeRoot(**found.schedule)
    for t in (0, 10, 10**9, 10**12):
        floors = (200**3 * 64 * 4**3 - t, 8 * v["rho_1"] ** 3 * v["L_Phi"] ** 3 * 64 / v["L_hat"] ** 3 - t)
        w = max(2, *floors)
        assert step(t) == pytest.approx(8 ** (2 / 3) / v["L_hat"] / (w + t) ** (1 / 3), rel=1e-12)
    assert found.largest_eta == pytest.approx(step(0))
    constant = of("theorem-2", T=10**6)
    assert (constant.schedule, constant.largest_eta) == ({}, constant.values["eta"])


@pytest.mark.parametrize("T", [1.0, 1e3, 1e9, 1e15])
def test_slopes_at_fixed_steps_are_the_mean_exponents(T: float) -> None:
    """Of start_x, ..., start_v in T, and of noise_u and noise_v in K, it is -1; by share."""
    found = of(T=T)
    for name, beginning in (("T", "start_"), ("K", "noise_")):
        exact = -sum(share for term, share in found.bound.shares.items() if term.startswith(beginning))
        assert getattr(found.slopes["fixed"], name) == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize(
    ("theorem", "corollary", "rate"),
    [("theorem-1", "corollary-1", -1 / 2), ("theorem-2", "corollary-3", -2 / 3)],
)
def test_the_slope_along_a_corollary_is_pre_asymptotic_and_said_to_be(
    theorem: str, corollary: str, rate: float
) -> None:
    """With K and p fixed in size, Q growing like log: the printed rate is not reached at any T a computer can run."""
    found = of(theorem, T=10**9, variant="printed").slopes
    assert found["claim"] == pytest.approx((rate, rate))
    assert found[corollary].T - rate > 0.05


@pytest.mark.parametrize(("theorem", "variant"), CASES)
def test_one_iteration_on_one_device_has_no_slope_along_a_corollary(theorem: str, variant: str) -> None:
    """Whichever scaling is read first: rho = 1/log(KT)^4 has no value there, and Q = log(KT) is zero."""
    assert set(of(theorem, K=1, p=1, T=1, variant=variant).slopes) == {"fixed"}
    assert len(of(theorem, K=1, p=1, T=2, variant=variant).slopes) == 3
    source = paper(variant)
    backwards = {
        c.id: replace(c, scalings=dict(reversed(c.scalings.items()))) for c in source.of_kind(Corollary)
    }
    other = replace(source, statements={**source.statements, **backwards})
    assert set(admissible_of(theorem, WORLD, 1, 1, 1, paper=other).slopes) == {"fixed"}


# Refusals: what is asked for, the name, and the value or what is allowed.


def at(theorem: str = "theorem-1", **changed: Any) -> Any:
    return evaluate(paper("repaired"), theorem, {**of(theorem).values, **changed})


def without_steps() -> Any:
    return evaluate(paper(), "theorem-1", {**WORLD, "theta": 0.1, "Q": 3, "K": 1, "p": 1, "T": 1})


def without(name: str) -> Any:
    return of(world={other: value for other, value in WORLD.items() if other != name})


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
    (without, {"name": "mu"}, "theorem-1 needs a value for mu; give it in the mapping"),
    (without, {"name": "L_1"}, "theorem-1 needs a value for L_1; give it in the mapping"),
    (without, {"name": "L_21"}, "theorem-1 needs a value for L_Phi, L_hat, L_tilde; give it"),
    *((of, {"world": {**WORLD, "L_0": bad}}, "L_0 must be .* >= 0, got") for bad in (math.inf, -1.0, math.nan, "much")),
    (of, {"theorem": "theorem-2", "K": 0}, "K must be .* >= 1"),
    (of, {"theorem": "theorem-2", "p": 0.5}, "p must be .* >= 1"),
    (of, {"theorem": "theorem-2", "T": 0}, "T must be .* >= 1"),
    (of, {"fixed": {"rho1": 1e-9, "beta_1": 1.0}}, "fixed sets the steps alpha, beta, .*; beta_1 is not one of them"),
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


# Digits


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
    assert 0 < of(p=10**200, T=2**63).bound.total < math.inf


def test_a_bound_of_zero_has_no_slopes_and_no_shares() -> None:
    found = of(world={**WORLD, **dict.fromkeys(("L_0", "sigma", "sigma_f", "Phi_gap", "y_gap"), 0.0)})
    assert found.bound.total == 0
    assert found.slopes == {}
    assert set(found.bound.shares.values()) == {0.0}


def test_terms_that_cancel_are_summed_before_they_are_rounded() -> None:
    """At the start the bound is Delta, whatever the noise that is added and subtracted."""
    values = {"M_V": 0.0, "M": 3e15, "Delta": 1 / 3, "abar": 0.1}
    values |= dict.fromkeys(("L", "c", "mu", "mu_G", "T"), 1)
    bound = evaluate(paper("printed", "sg"), "theorem-4-6", values)
    assert bound.total == 1 / 3
    assert sum(bound.terms.values()) != 1 / 3


x, n = sympy.Symbol("x", positive=True), sympy.Symbol("n", integer=True)
OTHERS = {"max": sympy.Max(x, 1 - x), "min": sympy.Min(x, 1 - x), "abs": sympy.Abs(x - 1),
          "sum": sympy.Sum(x / n, (n, 1, 5)), "product": sympy.Product(x + n, (n, 1, 5))}  # fmt: skip


MIXED = {
    "sqrt": sympy.sqrt(x),
    "power": (x + 1) ** sympy.Rational(-3, 2) / 3,
    "constants": sympy.pi * sympy.E**-x,
}


@pytest.mark.parametrize("name", [*FUNCTIONS.split(", "), *MIXED])
def test_every_function_that_a_bound_may_have_has_a_value(name: str) -> None:
    """As SymPy computes it, in balls, in doubles, and in arrays entry by entry."""
    known = OTHERS | MIXED
    expression = known[name] if name in known else getattr(sympy, name)(x)
    points = [7.0, 2.0] if name == "harmonic" else [0.375, 0.75]
    together = np.broadcast_to(evaluated(expression, {"x": np.array(points)}, DOUBLES), 2)
    for i, at in enumerate(points):
        exact = float(expression.subs(x, at).doit().evalf(30))
        assert in_full(expression, {"x": at}) == pytest.approx(exact, rel=1e-15)
        assert number(expression, {"x": at}) == pytest.approx(exact, rel=1e-14)
        assert together[i] == pytest.approx(exact, rel=1e-14)
