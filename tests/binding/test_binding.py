"""What a binding runs and measures: from which iterate, before the first step, and in the limit of long runs."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

import ratecert as rc
from oracles.small_papers import descent, result, small_paper
from ratecert.binding.binding import Measured, Sides
from ratecert.binding.setting import Setting
from ratecert.errors import OutsideConditionsError, UserError
from ratecert.theory.numbers.enclosed import enclosed
from ratecert.theory.numbers.evaluation import complete, evaluate

s = rc.statements
alpha, h, R_2, T = s.letters("alpha h R_2 T")
PAPER = small_paper("binding-by-hand", terms={"all": R_2 + alpha * h / T}, letters="alpha h R_2 T K")
THEOREM = PAPER.the(s.Theorem, "theorem-1")
AT_3 = {"x": np.array([3.0])}
END = rc.measures.distance().last()


def on_a_line(T: float, *, K: int = 1, noise: float = 0.0, H: float = 1.0) -> Setting:
    return Setting(rc.worlds.SingleLevel(H=H, s=noise), K, T, AT_3)


def left(run: Any, setting: Setting, **values: float) -> float:
    known = {**run.given_by(setting), **values}
    return float(run.run(PAPER, THEOREM, setting, known).left)


# Which iterate it is.


@pytest.mark.parametrize("T", [0, 1, 2, 5])
def test_the_last_iterate_is_that_after_T_steps(T: int) -> None:
    """x_T = (1 - alpha h)^T x_0, from x_0 itself on."""
    run = s.Binding(**descent())
    assert left(run, on_a_line(T, H=2.0), alpha=0.25) == pytest.approx(9.0 * 0.5 ** (2 * T), rel=1e-12)


def test_an_average_is_over_the_iterates_before_the_last() -> None:
    run = s.Binding(**descent(measure=rc.measures.distance()))
    assert left(run, on_a_line(2, H=2.0), alpha=0.25) == pytest.approx((9.0 + 9.0 / 4) / 2, rel=1e-12)
    with pytest.raises(
        OutsideConditionsError, match="before the first iteration nothing is read at 'average'"
    ):
        left(run, on_a_line(0), alpha=0.25)


def test_the_number_of_iterations_counts_from_the_index_of_the_start_and_is_finite() -> None:
    """Where the first iterate is x_1, three steps lead to x_4."""
    numbers = [s.Binding(**descent(counts_from=i)).given_by(on_a_line(3))["T"] for i in (0, 1)]
    assert numbers == [3.0, 4.0]
    assert 1e300 < s.Binding(**descent()).given_by(on_a_line(math.inf))["T"] < math.inf


@pytest.mark.parametrize(
    ("counts_from", "measure", "begins"),
    [(1, END, True), (0, END, False), (1, rc.measures.distance(), False), (1, lambda values: END, False)],
)
def test_a_statement_speaks_of_its_start_where_that_is_the_first_iterate(
    counts_from: int, measure: Any, begins: bool
) -> None:
    assert s.Binding(**descent(counts_from=counts_from, measure=measure)).begins_at_start is begins


def test_a_letter_is_measured_as_many_steps_before_the_end_as_it_says() -> None:
    """V is the squared distance before the last step: 9/4 of x_2 on the way from 9 to 9/16 of x_3, rounded up."""
    V = s.Measured(END, before=1)
    run, setting = s.Binding(**descent(measured={"V": V})), on_a_line(3, H=2.0)
    paper = small_paper("measured-by-hand", terms={"all": s.letter("V")}, letters="alpha h R_2 T V")
    found = run.run(
        paper, paper.the(s.Theorem, "theorem-1"), setting, {**run.given_by(setting), "alpha": 0.25}
    )
    assert found.left == pytest.approx(9.0 / 64, rel=1e-12)
    assert found.letters() == {"V": pytest.approx(9.0 / 16, rel=1e-12)}
    assert set(found.results) == {0, 1}


# The limit of long runs.

ETA, NOISE = 0.5, 2.0  # v+ = (1 - eta)^2 v + eta^2 s^2 between averages, on curvature 1


def local(at: str, p: int, measure: Any = None) -> Any:
    measure = rc.measures.drift("x") if measure is None else measure
    given = {"hyperparameters": {"alpha": alpha, "p": p}, "devices": "K"}
    return s.Binding(**descent(**given, measure=replace(measure, at=at)))


def test_in_the_limit_the_average_is_over_a_round() -> None:
    """Of two devices the drift is half the variance: 0 after an average, eta^2 s^2/2 after the step that follows.

    The engine refuses to read the end of such a round in the limit; the average over the round is no answer.
    """
    found = left(local("average", 2), on_a_line(math.inf, K=2, noise=NOISE), alpha=ETA)
    assert found == pytest.approx((0 + ETA**2 * NOISE**2 / 2) / 2, rel=1e-9)
    with pytest.raises(ValueError, match="last"):
        left(local("last", 2), on_a_line(math.inf, K=2, noise=NOISE), alpha=ETA)


def test_where_all_iterations_are_alike_the_last_one_is_the_average() -> None:
    """v = (1 - eta)^2 v + eta^2 s^2: v = eta s^2/(2 - eta), over K devices."""
    run, setting = local("last", 1, rc.measures.distance()), on_a_line(math.inf, K=2, noise=NOISE)
    assert left(run, setting, alpha=ETA) == pytest.approx(ETA * NOISE**2 / (2 - ETA) / 2, rel=1e-9)


# What it is made of.


def test_counts_are_whole_numbers_and_steps_are_not() -> None:
    p = s.letter("p")
    run = s.Binding(**descent(hyperparameters={"alpha": alpha, "p": 2 * p}, devices="K"))
    paper = small_paper("counts-by-hand", terms={"all": R_2}, letters="alpha p R_2 T K")
    solver = run.solver(paper, {"alpha": 1.0, "p": 3.0})
    assert (solver.p, type(solver.p)) == (6, int)
    assert type(solver.step_size(0)) is float


def test_in_an_enclosure_a_third_is_a_third() -> None:
    """x_T^2 = 9 (2/3)^(2T): with the nearest double in the place of the step it would lie elsewhere."""
    run, setting = s.Binding(**descent(hyperparameters={"alpha": alpha / 3})), on_a_line(500)
    known = {**run.given_by(setting), "alpha": 1.0}
    low, high = run.run(PAPER, THEOREM, setting, known, certified=True, width=1e-15).results[0].enclosure.left
    assert Fraction(low) <= 9 * Fraction(2, 3) ** 1000 <= Fraction(high)


def test_a_step_that_is_no_double_runs_as_what_it_is() -> None:
    """1/7 as a rational, the root of 2 as a ball, 1/4 as the double."""
    for step, given in ((1 / R_2, 7.0), (sympy.sqrt(R_2), 2.0), (1 / R_2, 4.0)):
        paper = small_paper("steps-by-hand", terms={"all": R_2}, letters="alpha R_2 T")
        run = s.Binding(**descent(hyperparameters={"alpha": step}))
        found = run.exact_solver(paper, paper.the(s.Theorem, "theorem-1"), {"R_2": given}).step_size(0)
        if given == 7.0:
            assert (found.p, found.q) == (1, 7)
        elif given == 2.0:
            assert found.rad() < 1e-300
            assert (found * found).contains(2)
        else:
            assert (type(found), found) == (float, 0.25)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"measure": 3}, "measure must be one of rc.measures"),
        ({"at_least": 2}, "at_least must be a mapping by name, got 2"),
        ({"hyperparameters": 3}, "hyperparameters must be a mapping by name, got 3"),
        ({"hyperparameters": {"alpha": "1/L"}}, r"hyperparameters\['alpha'\] must be made of letters, .* got '1/L'"),
        ({"hyperparameters": {"alpha": sympy.zeta(alpha)}}, r"hyperparameters\['alpha'\] .* got zeta\(alpha\)"),
        ({"constants": [1]}, r"constants must be a mapping by name, got \[1\]"),
        ({"measured": {"V": 3}}, r"measured\['V'\] must be a Measured of rc.statements, got 3"),
        ({"worlds": "quadratics"}, r"worlds must be a tuple such as \('quadratics',\), got 'quadratics'"),
        ({"worlds": None}, "worlds must be a tuple .* got None"),
        ({"devices": 0}, "devices must be the name of a letter, or '' for one device, got 0"),
        ({"iterations": ""}, "iterations must be the name of a letter, got ''"),
        ({"most_iterations": 1.5}, r"most_iterations must be a whole number from 1 to \d+, got 1.5"),
        ({"most_iterations": 0}, "most_iterations must be a whole number .* got 0"),
        ({"counts_from": 2}, "counts_from must be a whole number from 0 to 1, got 2"),
        ({"counts_from": 0.5}, "counts_from must be a whole number .* got 0.5"),
        ({"constant_until": 3}, "constant_until must be a function of the letters' values, got 3"),
        ({"worlds": ("single_level", "single_level")}, "two families called single_level"),
    ],
)  # fmt: skip
def test_a_binding_that_cannot_be_run_is_refused(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        s.Binding(**descent(**wrong))


@pytest.mark.parametrize("made", [None, 3, rc.measures.gap])
def test_a_function_that_makes_no_measure_is_told(made: Any) -> None:
    run = s.Binding(**descent(measure=lambda values: made))
    with pytest.raises(UserError, match=r"measure must return a measure of rc\.measures, got "):
        left(run, on_a_line(2), alpha=ETA)
    with pytest.raises(
        UserError, match=r"the field of a measure must be a text, as in rc\.measures\.gap\('x'\)"
    ):
        left(s.Binding(**descent(measure=rc.measures.gap)), on_a_line(2), alpha=ETA)  # which was not called


@pytest.mark.parametrize(
    ("relations", "prescribed"),
    [("= ", True), ("<= >=", True), (">= <=", True), ("<= <=", False), ("< >=", False), ("<= >", False)],
)
def test_a_letter_between_two_ends_that_are_one_is_not_chosen(relations: str, prescribed: bool) -> None:
    """It is 1/7 as a rational, which is no double."""
    asked = [s.Condition(alpha, relation, (1 / R_2,)) for relation in relations.split()]
    conditions = {str(i): each for i, each in enumerate(asked)}
    paper = small_paper("ends-by-hand", terms={"all": alpha}, conditions=conditions, letters="alpha R_2 T")
    theorem = paper.the(s.Theorem, "theorem-1")
    free = s.Binding(**descent(constants={"R_2": "squared_distance"})).free(paper, theorem)
    assert ("alpha" not in free) is prescribed
    if prescribed:
        found = complete(paper, theorem, {"R_2": 7.0}, compute=enclosed)["alpha"]
        assert (found.p, found.q) == (1, 7)


@pytest.mark.parametrize(
    ("most", "least", "prescribed"),
    [
        (alpha, alpha * R_2, True), (alpha * R_2, alpha, True),
        (alpha, 2 * alpha * R_2, False), (alpha, 1 / (alpha * R_2), False),
    ],
)  # fmt: skip
def test_ends_that_are_equal_after_algebra_are_one(most: Any, least: Any, prescribed: bool) -> None:
    """alpha <= 1/49 beside 49 alpha >= 1, which is 1 - 1e-16 in doubles."""
    conditions = {
        name: s.Condition(left, relation, (1 / R_2 if left == alpha else 1,))
        for name, left, relation in (("most", most, "<="), ("least", least, ">="))
    }
    paper = small_paper(
        "ends-after-algebra", terms={"all": alpha}, conditions=conditions, letters="alpha R_2 T"
    )
    theorem = paper.the(s.Theorem, "theorem-1")
    assert ("alpha" in theorem.prescribed) is prescribed
    if prescribed:
        assert evaluate(paper, "theorem-1", {"R_2": 49.0}).total == pytest.approx(1 / 49)
        with pytest.raises(OutsideConditionsError):
            evaluate(paper, "theorem-1", {"R_2": 49.0, "alpha": 1 / 49 * (1 + 1e-9)})


def test_devices_are_said_to_be_varied_where_some_family_leaves_them_open() -> None:
    one = s.Binding(**descent(devices="K", worlds=("federated",)))
    two = s.Binding(**descent(devices="K", worlds=("federated", "single_level")))
    none = s.Binding(**descent(devices="", worlds=("single_level",)))
    assert [", K from 1 to" in run.searched for run in (one, two, none)] == [False, True, False]


def test_a_family_counts_its_devices_by_a_number_of_its_own() -> None:
    """A fixed number, the name of one of its numbers, or none at all."""
    given = {"name": "some", "levels": (), "world": lambda numbers: None}
    by_name, fixed, free = (s.Family(**given, devices=devices) for devices in ("n", 3, None))
    assert [family.count({"n": 5.0}) for family in (by_name, fixed, free)] == [5, 3, None]


# Both sides of a statement are read at the ends that speak for it: the left one low, letters of the right one high.

GAP = rc.measures.gap()


def sides(*, certified: bool, before: int = 0, power: float = 1.0, **ends: Any) -> Sides:
    """The left side, and one measured letter V, by the ends of what is known of them."""
    left, V = ends.get("left", (1.0, 3.0)), ends.get("V", (2.0, 6.0))
    results = {0: result(certified, left=left, V=(0.0, 0.0) if before else V)}
    results |= {before: result(certified, V=V)} if before else {}
    return Sides(results, {"V": Measured(GAP, power=power, before=before)})


@pytest.mark.parametrize("certified", [True, False], ids=["enclosed", "in doubles"])
def test_the_left_side_counts_by_its_lower_end_and_letters_by_their_upper_one(certified: bool) -> None:
    """Rounded up: the root of 9 is 3 in doubles; that of 3, of which the double is too small, is made large enough."""
    found = sides(certified=certified, left=(0.5, 0.625), V=(2.0, 6.0))
    assert (found.left_low, found.left) == (0.5, 0.5625)
    assert found.letters() == {"V": math.nextafter(6.0, math.inf)}
    assert sides(certified=certified, V=(4.0, 9.0), power=0.5).letters()["V"] == math.nextafter(3.0, math.inf)
    root = sides(certified=certified, V=(1.0, 3.0), power=0.5).letters()["V"]
    assert 0 < root - math.sqrt(3.0) < 1e-15


def test_a_letter_is_read_before_the_end_where_it_says_so_and_zero_is_not_rounded_up() -> None:
    """An upper end below zero is a rounding of zero."""
    assert sides(certified=True, before=1, V=(2.0, 6.0)).letters()["V"] == math.nextafter(6.0, math.inf)
    assert sides(certified=True, V=(0.0, 0.0)).letters() == {"V": 0.0}
    assert sides(certified=True, V=(-2e-20, -1e-20), power=0.5).letters() == {"V": 0.0}


def test_letters_of_a_ball_stand_beside_the_measured_ones() -> None:
    of_ball = Sides({0: result(True, left=(1.0, 1.0), V=(2.0, 2.0))}, {"V": Measured(GAP)}, {"L_0": 7.0}, 4.0)
    assert of_ball.letters() == {"L_0": 7.0, "V": math.nextafter(2.0, math.inf)}


def test_the_precision_is_the_worst_of_all_that_was_measured() -> None:
    """Of the left side it is 1/2 here, of the letter 3/4."""
    found = Sides(
        {0: result(True, left=(1.0, 3.0)), 1: result(True, V=(1.0, 7.0))}, {"V": Measured(GAP, before=1)}
    )
    assert found.precision == 0.75
