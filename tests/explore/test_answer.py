"""The numbers of the explorer are those of the public face, and what it exports computes them again."""

import math
import warnings
from contextlib import redirect_stdout
from fractions import Fraction
from io import StringIO
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.explore.answer import answer, certified, exponent
from ratecert.explore.methods import METHODS
from ratecert.explore.presets import COUNTEREXAMPLES, beyond, first, named, presets
from ratecert.explore.state import State, usual
from ratecert.explore.theorems import theorems

THEOREM_1 = "federated-bilevel:theorem-1"
COUNTERS = [each for each in presets() if each.group == COUNTEREXAMPLES]


def values(found: dict[str, Any]) -> dict[str, float]:
    return {row["name"]: row["value"] for row in found["measures"]}


def run(script: str) -> dict[str, Any]:
    """What a script of the explorer leaves behind."""
    left: dict[str, Any] = {}
    with redirect_stdout(StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore", rc.errors.PrecisionWarning)
        exec(script, left)
    return left


def agree(left: dict[str, Any], found: dict[str, Any]) -> bool:
    """On every measure, and on the bound where there is one."""
    bound = found["bound"] or {}
    if "total" in bound and left["bound"].total != pytest.approx(bound["total"], rel=1e-12):
        return False
    own = left["result"].values
    return all(math.isclose(own[n], v, rel_tol=1e-9, abs_tol=1e-300) for n, v in values(found).items())


@pytest.mark.parametrize("name", sorted(METHODS))
def test_the_exported_python_computes_the_point_of_every_method(name: str) -> None:
    """And with another T it does not."""
    found = answer(usual(name, T=2**10))
    assert found["python"].count("\n") <= 11
    assert agree(run(found["python"]), found)
    assert not agree(run(found["python"].replace("T=2**10", "T=2**9")), found)


@pytest.mark.parametrize("preset", COUNTERS, ids=lambda preset: preset.title)
def test_counterexamples_open_broken_and_export_both_sides(preset: Any) -> None:
    found = answer(preset.state)
    assert found["bound"]["broken"]
    if found["python"].startswith("#"):
        assert "not part of the public face" in found["python"]
        return
    left = run(found["python"])
    assert agree(left, found)
    assert left["bound"].dominating == found["bound"]["dominating"]


@pytest.mark.parametrize("name", ["theorem-1.printed-G.simple", "theorem-3.printed-noise_u.simple"])
def test_an_opened_counterexample_has_the_ratio_of_its_file(name: str) -> None:
    check = rc.check_witness(name)
    title = name.replace(".", ", ")
    state = next(each.state for each in COUNTERS if each.title == title)
    assert answer(state)["bound"]["ratio"] == pytest.approx(check.ratios.itself, rel=1e-6)


def test_a_preset_is_opened_at_sixteen_times_the_length_that_breaks_it() -> None:
    """And as it is, where nothing breaks, or where a longer run does not."""
    found = answer(first())["bound"]
    assert first().numbers["T"] == 16 * 23
    assert found["broken"]
    held, unbroken = usual(THEOREM_1), named("pep-fixed-point.long-steps.printed-start.simple")
    assert beyond(held) == held
    assert beyond(unbroken) == unbroken


def test_a_sentence_says_which_theorem_on_which_world() -> None:
    found = answer(first())
    assert found["theorem"].startswith("Theorem 1 of “On the Convergence of Momentum-Based Algorithms")
    assert found["theorem"].endswith("”, as printed")
    assert found["run"] == "LocalBSGM, in a world of one x and one y"
    alone = answer(usual("SGD", T=64))
    assert (alone["theorem"], alone["run"]) == ("", "SGD on 4 devices, in a world of 2 coordinates")


def test_the_bound_is_typeset_term_by_term() -> None:
    bound = answer(first())["bound"]
    assert {"start_x", "bias"} < {term["name"] for term in bound["terms"]}
    assert all(
        each.startswith("<math") for each in (bound["measure"], *(t["formula"] for t in bound["terms"]))
    )


def test_five_numbers_are_seen_first() -> None:
    assert answer(first())["main"] == ["T", "K", "eta", "s_f", "x_off"]
    assert answer(usual("LocalBSGM", T=2**10, world="differing"))["main"][1] == "devices"
    for name in theorems():
        found = answer(usual(name, T=1))
        assert found["main"][0] == "T"
        assert len(set(found["main"])) == min(5, len(found["controls"]))


def test_a_repaired_bound_is_not_broken_where_the_printed_one_is() -> None:
    state = first()
    assert answer(state)["bound"]["broken"]
    repaired = answer(State(state.show, state.world, "repaired", state.view, state.numbers))
    assert not repaired["bound"]["broken"]


def test_a_bound_outside_its_conditions_is_a_sentence_not_a_number() -> None:
    found = answer(usual(THEOREM_1, T=2**10, rho_1=10.0))
    assert "says nothing here: rho_1 <= " in found["bound"]["outside"]
    assert "total" not in found["bound"]
    assert "total" in answer(usual(THEOREM_1, T=2**10))["bound"]
    assert answer(usual("LocalBSGM", T=2**10))["bound"] is None


def test_a_run_that_diverges_is_an_answer() -> None:
    found = answer(usual("SGD", alpha=10.0))
    assert "diverged" in found["nothing"]
    assert "measures" not in found
    assert "measures" in answer(usual("SGD", alpha=0.1))


def test_the_bound_of_shorter_runs_is_the_theorem_at_their_length() -> None:
    state = usual("parallel-sgd:sgd-descent", T=2**10)
    found = answer(state)
    for t, at_t in zip(found["t"], found["bound"]["curve"], strict=True):
        if int(t) >= 1:
            alone = answer(usual("parallel-sgd:sgd-descent", T=int(t)))["bound"]
            assert at_t == pytest.approx(alone["total"], rel=1e-12)
    left = found["bound"]["left_curve"][found["t"].index("16")]
    assert left == pytest.approx(answer(usual("parallel-sgd:sgd-descent", T=16))["bound"]["left"], rel=1e-9)
    assert left != pytest.approx(found["bound"]["left"], rel=1e-2)


def test_local_exponents_are_those_of_a_power() -> None:
    t = [1, 2, 4, 8]
    assert exponent(t, [u**-0.5 for u in t], 8) == pytest.approx(-0.5)
    assert exponent(t, [u**-1.0 for u in t], 8) == pytest.approx(-1.0)
    assert exponent(t, [1.0, 1.0, 0.0, 0.0], 8) is None
    assert exponent([0, 1], [1.0, 1.0], 1) is None


def test_windows_of_corollaries_move_with_K_and_T() -> None:
    (inside,) = answer(usual(THEOREM_1, K=4, T=2**20))["windows"]
    (outside,) = answer(usual(THEOREM_1, K=1024, T=2**20))["windows"]
    assert inside["needs"] == outside["needs"] == "T >= K^3"
    assert inside["inside"]
    assert not outside["inside"]
    (sgd,) = answer(usual("parallel-sgd:sgd-descent", K=64, T=16))["windows"]
    assert sgd["needs"] == "T >= K"
    assert not sgd["inside"]


def test_a_certified_point_encloses_what_is_shown() -> None:
    state = first()
    found, sure = values(answer(state)), certified(state)
    for name, (low, high) in sure["enclosure"].items():
        assert low * (1 - 1e-9) <= found[name] <= high * (1 + 1e-9)
        assert not low <= 1.001 * found[name] + 1e-30 <= high
    assert "above the bound" in sure["said"]
    assert "refuted (one way)" in sure["said"]
    attained = certified(usual("parallel-sgd:sgd-descent", T=2**10))["said"]
    assert "not above the bound" in attained
    assert "refuted" not in attained


def test_curves_have_the_values_of_expect_in_both_views() -> None:
    found = answer(usual("SGD", T=64))
    world = rc.worlds.SingleLevel(H=np.diag([2.0, 0.5]), s=0.5)
    solver, x0 = rc.methods.SGD(alpha=0.1, p=4), world.x_star + 1.0
    times = [int(t) for t in found["t"]]
    exact = rc.expect(world, solver, K=4, T=64, x0=x0, times=times, certified=False)
    row = next(row for row in found["measures"] if row["name"] == "gap")
    np.testing.assert_allclose(row["now"], exact.curves.gap, rtol=1e-12)
    np.testing.assert_allclose(row["average"], exact.running.gap, rtol=1e-12)
    assert row["value"] == pytest.approx(exact.gap, rel=1e-12)
    assert not np.allclose(row["now"], row["average"], rtol=1e-3)


def test_a_bound_that_cancels_in_doubles_is_not_called_broken() -> None:
    """2 - L gamma is one rounding: both sides are enclosed before anything is called refuted."""
    L = 0.017045101381017478
    near = {"L": L, "gamma": 117.33576441072556, "spread": 1.0, "x_off": 0.052325060903794574, "s": 0.0}
    state = usual("ghadimi-lan:constant-steps", T=1186163979404302592, **near)
    assert 0 < 2 - Fraction(L) * Fraction(near["gamma"]) < Fraction(1, 10**15)
    bound = answer(state)["bound"]
    assert bound["ratio"] > 1
    assert not bound["broken"]
    assert "not above the bound" in certified(state)["said"]


def test_a_preset_opens_the_bound_that_it_names() -> None:
    opened = {each.title: each.state.bound for each in presets()}
    assert opened["soba:lemma-3-8-v, repaired"] == "repaired"
    assert opened["soba:lemma-3-8-v, printed"] == "printed"
    assert opened[THEOREM_1] == opened["theorem-1, printed-G, simple"] == "printed"


def test_drifts_are_drawn_to_the_end() -> None:
    """At T and T/2 devices have just been averaged: such a zero would break the line."""
    found = answer(usual("LocalBSGM", world="differing", view="now", p=16, T=2**40))
    drifts = [row["now"] for row in found["measures"] if row["name"] == "drift_x"]
    assert found["t"][-1] == str(2**40 - 1)
    assert all(value > 0 for value in drifts[0][1:])
    averages = answer(usual("LocalBSGM", world="differing", view="average", p=16, T=2**40))
    assert averages["t"][-1] == str(2**40)
    assert any(row["now"][-1] == 0 for row in averages["measures"] if row["name"] == "drift_x")
