"""Families of worlds: quadratics by one direction, numbers outside their ranges, measures that letters make."""

import numpy as np
import pytest

import ratecert as rc
from ratecert.binding.families import QUADRATICS
from ratecert.binding.setting import Setting
from ratecert.catalogue.cases import bound_case
from ratecert.catalogue.find import paper
from ratecert.errors import OutsideConditionsError, PaperError

NUMBERS = {"L": 4.0, "spread": 8.0, "depth": 2.0, "x_off": 3.0}


@pytest.mark.parametrize(("depth", "felt"), [(1.0, 4.0), (2.0, 2.0), (8.0, 0.5), (1e3, 0.5)])
def test_a_run_on_a_quadratic_feels_one_curvature_between_mu_and_L(depth, felt):
    numbers = {**NUMBERS, "depth": depth}
    world = QUADRATICS.member(numbers)
    start = QUADRATICS.begin(world, numbers)
    constants = Setting(world, 1, 1, start).constants
    assert (constants["L"], constants["mu"], constants["distance"]) == (4.0, 0.5, 3.0)
    assert constants["gap"] == felt / 2 * 9
    assert np.array_equal(world.gradient(start["x"]), felt * start["x"])


def test_a_number_outside_its_range_may_have_no_world_and_that_is_no_mistake_of_the_paper():
    with pytest.raises(OutsideConditionsError, match="no world with spread = 0"):
        QUADRATICS.member({**NUMBERS, "spread": 0.0})
    line = rc.statements.Family(
        name="line",
        levels=(rc.statements.Level(name="h", low=1.0, high=2.0),),
        world=lambda numbers: rc.worlds.SingleLevel(H=1 / (numbers["h"] - 1)),
    )
    with pytest.raises(PaperError, match="ZeroDivisionError"):
        line.member({"h": 1.0})


def test_a_measured_letter_may_be_a_function_of_the_letters():
    s = rc.statements
    gamma, L, V = s.letters("gamma L V")
    notation = s.table(
        s.Symbol("n", "n", "iterations", units="1", least=1),
        s.Symbol("gamma", "g", "step", units="x^2 f^-1"),
        s.Symbol("L", "L", "smoothness", units="f x^-2"),
        s.Symbol("V", "V", "L^2 times a squared distance", units="f^2 x^-2"),
    )
    method = s.Algorithm(
        id="m", title="m", source="", hyperparameters=(), starts_from=(), lines=(), updates={}
    )
    theorem = s.Theorem(
        id="t",
        title="t",
        source="",
        algorithm="m",
        assumptions=(),
        measure="",
        measure_units="f^2 x^-2",
        conditions={"gamma": s.Condition(gamma, "<=", (1 / L,))},
        terms={"start": V},
    )
    source = s.Paper(key="k", title="k", notation=notation, statements=s.by_id(method, theorem), bindings={})
    run = s.Binding(
        method=rc.methods.SGD,
        hyperparameters={"alpha": gamma},
        measure=rc.measures.gradient().last(),
        constants={"L": "L"},
        measured={"V": s.Measured(lambda values: values["L"] ** 2 * rc.measures.distance())},
        worlds=("quadratics",),
        devices="",
        iterations="n",
    )
    world = QUADRATICS.member(NUMBERS)
    setting = Setting(world, 1, 1, QUADRATICS.begin(world, NUMBERS))
    sides = run.run(source, theorem, setting, {**run.given_by(setting), "gamma": 0.25})
    assert sides.letters()["V"] == pytest.approx(16 * 9)
    assert sides.left == pytest.approx((2 * 3 * (1 - 0.25 * 2)) ** 2)


def test_a_bound_of_zero_is_broken_and_confirmed():
    case = bound_case("pep-fixed-point", "long-steps", "printed")
    instance = {"rotations": {"angle": 3.0, "x_off": 1.0}, "run": {"K": 1, "T": 2}, "letters": {"gamma": 1.0}}
    source = paper("printed", "pep-fixed-point")
    tried = case.attempt(instance, source)
    assert tried.bound == case.again(instance, tried).bound == 0.0
    assert case.ratio_in(tried, source) == float("inf")
