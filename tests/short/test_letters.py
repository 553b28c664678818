"""Letters have their usual meaning, and a theorem says which reading it took."""

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

import ratecert as rc
from ratecert.short import measures


def sgd(x: Any, grad: Any, *, eta: Any) -> Any:
    return x - eta * grad(x)


def test_a_letter_knows_its_meaning_its_units_and_its_number() -> None:
    T, eta, L, sigma, R, Delta, kappa, K = rc.letters("T eta L sigma R Delta kappa K")
    found = rc.theorem(
        sgd,
        measure=rc.measures.gap().last(),
        bound=Delta / T + L * R**2 / kappa**2 + eta * sigma**2 / K,
    )
    assert found.binding.constants == {
        "L": "L",
        "mu": "mu",
        "sigma": "sigma",
        "R": "distance",
        "Delta": "gap",
    }
    assert (found.binding.iterations, found.binding.devices) == ("T", "K")
    assert found.letters.known["sigma"].symbol.units == "f x^-1"
    assert {each.id for each in found.statements} == {
        "constant.kappa",
        "smooth",
        "strongly-convex",
        "bounded-variance",
        "sgd-step",
    }
    assert [*found.theorem.terms] == ["start", "start_2", "noise"]
    taken = " ".join(found.binding.taken)
    assert "if it is the square, say rc.letter('R', means='squared distance of the start')" in taken
    assert "trace" in taken


def test_what_means_something_else_is_said_in_one_line() -> None:
    R2 = rc.letter("R2", means="squared distance of the start", units="x^2")
    ell = rc.letter("ell", means="Lipschitz constant of the gradient", latex=r"\ell")
    n = rc.letter("n", means="number of iterations")
    found = rc.theorem(sgd, measure=rc.measures.gap().last(), bound=ell * R2 / n)
    assert found.binding.constants == {"ell": "L", "R2": "squared_distance"}
    assert found.binding.iterations == "n"
    assert found.binding.taken == (
        "there is one device: no letter counts them",
        "nothing is known of the least curvature: no letter stands for the strong convexity",
    )
    assert found.statements[0].sentence == "The gradient of F is ell-Lipschitz."  # type: ignore[attr-defined]


def test_an_unknown_letter_is_asked_for_with_the_nearest() -> None:
    with pytest.raises(rc.errors.UserError, match=r"gama is no letter .*gamma.*rc.letter\('gama', means="):
        rc.letters("T gama")
    with pytest.raises(rc.errors.UserTypeError, match="a Python name"):
        rc.letter("2R")
    with pytest.raises(rc.errors.UserTypeError, match="such as 'T gamma L'"):
        rc.letters(("T", "L"))  # type: ignore[arg-type]


MEANT = {  # what users write -> what is said
    "lr": "for the step size write eta or alpha or gamma",
    "learning_rate": "for the step size write",
    "stepsize": "for the step size write",
    "step": "for the step size write",
    "noise": "for the standard deviation of a sample write sigma",
    "momentum": "for the momentum write beta or theta",
    "workers": "for the number of devices write K",
    "steps": "for the number of iterations write T",
    "dist": "for the distance of the start write R",
    "delta": r"did you mean Delta\?",
    "N": r"did you mean n\?",
    "Lmax": r"did you mean L_max\?",
    "lam": "those known are T, K, p,",  # a regularisation, or an eigenvalue: nobody knows
    "x0": "those known are",
}


@pytest.mark.parametrize("name", MEANT)
def test_a_usual_word_is_told_its_letter_and_no_other(name: str) -> None:
    with pytest.raises(
        rc.errors.UserError, match=f"{name} is no letter that has a usual meaning; {MEANT[name]}"
    ):
        rc.letters(name)


def test_a_number_of_the_world_has_its_own_units() -> None:
    with pytest.raises(rc.errors.UserError, match=r"R2, the squared .* has the units x\^2, got units='x'"):
        rc.letter("R2", means="squared distance of the start", units="x")
    with pytest.raises(rc.errors.UserError, match="L, the Lipschitz constant of the gradient, has the units"):
        rc.letter("L", units="1")
    assert rc.letter("gamma", units="1").letters["gamma"].symbol.units == "1"  # what is chosen may be scaled
    scaled = rc.letter("L", units="1", of=lambda setting: 1.0)
    assert scaled.letters["L"].symbol.units == "1"


def test_a_factor_of_a_gap_is_that_of_the_whole_gap() -> None:
    (L,) = rc.letters("L")
    for measure, shown in (
        (L * rc.measures.gap(), "E[L (F(x_T) - F_*)]"),
        (rc.measures.gap(), "E[F(x_T) - F_*]"),
    ):
        stated = rc.theorem(
            rc.methods.SGD, measure=measure.last(), bound=L * 0, hyperparameters={"alpha": 1 / L}
        )
        assert shown.replace(" ", "") in repr(stated).replace(" ", "")


def test_a_letter_that_nothing_gives_is_refused_with_its_line() -> None:
    tau = rc.letter("tau", means="delay", units="1")
    (R,) = rc.letters("R")
    with pytest.raises(
        rc.errors.UserError, match=r"test_letters.py, line \d+: tau = .*nothing gives the letter tau"
    ):
        rc.theorem(sgd, measure=rc.measures.distance().last(), bound=tau * R**2)


def test_a_letter_with_two_meanings_is_refused() -> None:
    R, own = rc.letters("R")[0], rc.letter("R", means="squared distance of the start")
    with pytest.raises(rc.errors.UserError, match=r"R means .*; give one of them another name"):
        rc.theorem(sgd, measure=rc.measures.distance().last(), bound=R**2 + own)


def test_assumptions_can_be_given_by_name() -> None:
    (R,) = rc.letters("R")
    found = rc.theorem(
        sgd,
        measure=rc.measures.distance().last(),
        bound=R**2,
        assuming=[rc.strongly_convex, rc.bounded_variance],
    )
    assert found.theorem.assumptions == ("strongly-convex", "bounded-variance")
    assert found.binding.constants == {"R": "distance", "mu": "mu", "sigma": "sigma"}
    assert [each.name for each in found.binding.families] == ["single_level", "one_hessian"]


def test_a_variance_is_the_square_of_what_the_world_calls_sigma() -> None:
    eta, mu, V = *rc.letters("eta mu"), rc.letter("V", means="variance of a sample")
    stated = rc.theorem(sgd, measure=rc.measures.distance().last(), bound=eta * V / mu)
    assert stated.constants["V"](SimpleNamespace(constants={"sigma": 3.0})) == 9.0


@pytest.mark.parametrize(("directions", "false"), [(1, True), (2, False)])
def test_a_deviation_in_one_direction_is_less_than_that_of_all(directions: int, false: bool) -> None:
    """In a plane the noise is up to twice as much as in one direction; the search has no more dimensions."""
    T, eta, L, mu, R = rc.letters("T eta L mu R")
    sigma = rc.letter("sigma", means="standard deviation of a sample in one direction")
    floor = rc.theorem(
        sgd,
        measure=rc.measures.distance().last(),
        bound=(1 - eta * mu) ** T * R**2 + directions * eta * sigma**2 / mu,
        where=[eta <= 1 / L],
    )
    assert floor.binding is not None
    assert [each.name for each in floor.binding.families] == ["single_level", "one_hessian"]
    found = floor.falsify(budget=60)
    assert found.falsified is false
    assert found.largest == pytest.approx(2 / directions, rel=1e-6)


@pytest.mark.parametrize("L", [1.0, 2.0, 5.0])
def test_a_factor_of_a_measure_is_no_larger_than_its_formula(L: float) -> None:
    """So that no rounding of the left side breaks a bound."""
    made = measures.with_letters(rc.letter("L") / 3 * rc.measures.distance())
    ((factor, _),) = made({"L": L}).forms
    assert Fraction(factor) <= Fraction(L) / 3 <= Fraction(math.nextafter(factor, math.inf))
