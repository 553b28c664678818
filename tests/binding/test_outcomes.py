"""The general small world: few outcomes of any probability, and which of them a theorem speaks of."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from oracles.small_papers import descent
from ratecert.binding.outcomes import FAMILIES, default, signs
from ratecert.binding.setting import Setting
from ratecert.catalogue.cases import bound_case
from ratecert.errors import OutsideConditionsError, UserError

s = rc.statements
SAMPLED = ("outcomes", "outcomes_in_plane", "one_hessian", "convex_outcomes", "convex_outcomes_in_plane")


def drawn(name: str, seed: int) -> Mapping[str, float]:
    levels, rng = FAMILIES[name].levels, np.random.default_rng(seed)
    return {level.name: level.value(float(rng.uniform())) for level in levels}


# The worlds.


@pytest.mark.parametrize("name", SAMPLED)
@pytest.mark.parametrize("seed", range(4))
def test_outcomes_balance_and_the_mean_has_its_curvature_and_its_minimiser(name: str, seed: int) -> None:
    numbers = drawn(name, seed)
    world, L = FAMILIES[name].member(numbers), numbers["L"]
    largest = max(np.abs(world.H).max(), np.abs(world.g).max())
    assert world.n == sum(numbers[f"m_{i}"] for i in (1, 2, 3))
    if name.startswith("convex"):
        assert np.linalg.eigvalsh(world.H).min() > 0
    else:
        mean = np.diag([L, L / numbers["spread"]]) if world.d_x == 2 else [[L]]
        np.testing.assert_allclose(world.H.mean(axis=0), mean, atol=1e-14 * largest)
    np.testing.assert_allclose(world.gradient(np.zeros(world.d_x)), 0, atol=1e-14 * largest)


def test_probabilities_are_multiplicities_and_an_outcome_may_be_left_out() -> None:
    numbers = {**drawn("outcomes", 0), "m_1": 1.0, "m_2": 0.0, "m_3": 4.0, "h_1": 2.0, "L": 1.0, "signs": 1.0}
    world = FAMILIES["outcomes"].member(numbers)
    assert sorted(world.H.ravel()) == [0.5, 0.5, 0.5, 0.5, 3.0]


def test_signs_are_counted_through() -> None:
    found = [[next(each) for _ in range(3)] for each in (signs({"signs": i}) for i in range(1, 9))]
    assert len({tuple(row) for row in found}) == 8
    assert found[0] == [1, 1, 1]


def test_noise_of_the_hessian_and_of_the_gradient_correlate_with_both_signs() -> None:
    """Of two outcomes; beside a third every correlation is possible."""
    numbers = {**drawn("outcomes", 1), "m_1": 1.0, "m_2": 0.0, "m_3": 1.0}
    worlds = [FAMILIES["outcomes"].member({**numbers, "signs": float(i)}) for i in (1, 2)]
    up, down = (float(np.mean((world.H[:, 0, 0] - world.H.mean()) * world.g[:, 0])) for world in worlds)
    assert up == pytest.approx(-down)
    assert up > 0


def test_outcomes_need_not_be_convex_where_that_is_not_asked_for() -> None:
    assert min(FAMILIES["outcomes"].member(drawn("outcomes", seed)).H.min() for seed in range(8)) < 0


@pytest.mark.parametrize("N", [2.0, 3.0])
def test_devices_have_curvatures_minimisers_and_outcomes_of_their_own(N: float) -> None:
    family = FAMILIES["random_devices"]
    numbers = {**family.ordinary(), "N": N, "r_2": 0.5, "r_3": 0.25, "b_2": 1.0, "b_3": 3.0, "signs": 1.0}
    world = family.member(numbers)
    assert len(world.devices) == family.count(numbers) == N
    assert [device.constants()["L"] for device in world.devices] == pytest.approx([2.0, 1.0, 0.5][: int(N)])
    assert [float(device.x_star[0]) for device in world.devices] == pytest.approx([0.0, 1.0, 3.0][: int(N)])


def test_terms_that_are_not_convex_are_asked_for() -> None:
    with pytest.raises(UserError, match="convex=False"):
        rc.worlds.FiniteSum(H=[3.0, -1.0])
    world = rc.worlds.FiniteSum(H=[3.0, -1.0], g=[1.0, 1.0], convex=False)
    assert world.x_star == [-1.0]
    assert world.constants()["L_max"] == 3.0
    assert rc.worlds.FiniteSum(H=[1.0, -4.0, 9.0], convex=False).constants()["L_max"] == 9.0
    assert rc.worlds.FiniteSum(H=[1.0, -12.0, 14.0], convex=False).constants()["L"] == 1.0


# Which of them a theorem speaks of.


@pytest.mark.parametrize(
    ("constants", "families"),
    [
        ("L", ["quadratics", "two_directions"]),
        ("L gap distance mu", ["quadratics", "two_directions"]),
        ("L sigma", ["single_level", "one_hessian"]),
        ("L sigma sigma_star", ["single_level", "one_hessian"]),
        ("L_max sigma_star", ["finite_sum", "convex_outcomes", "convex_outcomes_in_plane"]),
        ("L_max n", ["finite_sum", "convex_outcomes", "convex_outcomes_in_plane"]),
        ("L sigma_star", ["noisy_hessians", "outcomes", "outcomes_in_plane"]),
        ("calL", ["noisy_hessians", "outcomes", "outcomes_in_plane"]),
        ("L M M_V", ["noisy_hessians", "outcomes", "outcomes_in_plane"]),
        ("L heterogeneity", ["devices"]),
        ("L Gamma sigma", ["federated", "noisy_devices"]),
        ("L Gamma sigma_star", ["random_devices"]),
        ("L largest_gradient", ["single_level"]),
        ("lower_distance", ["two_level"]),
    ],
)
def test_the_constants_decide_what_samples_may_be(constants: str, families: list[str]) -> None:
    assert [each.name for each in default(frozenset(constants.split()))] == families
    letters = {f"a_{i}": source for i, source in enumerate(constants.split())}
    assert [each.name for each in s.Binding(**descent(constants=letters, worlds=())).families] == families


@pytest.mark.parametrize("name", ["single_level", "one_hessian"])
@pytest.mark.parametrize("seed", range(3))
def test_a_bounded_variance_is_one(name: str, seed: int) -> None:
    assert np.isfinite(FAMILIES[name].member(drawn(name, seed)).constants()["sigma"])


def test_noise_at_the_minimiser_is_no_bounded_variance() -> None:
    """Where it stood for one, a true theorem would be accused: the run is far above its bound."""
    case = bound_case("ghadimi-lan", "constant-steps", "printed")
    world = rc.worlds.SingleLevel(H=1.0, E=[0.9], s=1e-3)
    known = world.constants()
    assert (known["sigma_star"], known["sigma"]) == (pytest.approx(1e-3), np.inf)
    setting = Setting(world, 1, 8, {"x": [10.0]})
    with pytest.raises(OutsideConditionsError, match="sigma_star is the noise at the minimiser"):
        case.binding.given_by(setting)
    run = rc.expect(
        world, rc.methods.SGD(alpha=0.5), K=1, T=8, x0=[10.0], measures={"g": rc.measures.gradient()}
    )
    gap = 0.5 * 10.0**2
    assert run.g > 2 * gap / (8 * 0.5) / (2 - 0.5) + 0.5 * 1e-6  # 22.79 and 16.67
    assert all(np.isfinite(each.member(each.ordinary()).constants()["sigma"]) for each in case.families)


def test_the_sentence_on_what_was_searched_says_that_gradients_are_exact() -> None:
    exact, sampled = (
        s.Binding(**descent(constants=each, worlds=())) for each in ({"L": "L"}, {"v": "sigma"})
    )
    assert "gradients exact as no letter is a constant of samples" in exact.searched
    assert "exact" not in sampled.searched


def expects(signs: float, repaired: str = "printed") -> float:
    """Measured/bound of ProxSkip's Theorem 8, where what curves more pushes further, or less far."""
    case = bound_case("proxskip", "theorem-8", repaired)
    numbers: dict[str, Any] = {**dict.fromkeys(("L", "x_off", "c_1", "c_2", "h_1", "h_2"), 1.0)}
    numbers |= {"m_1": 1.0, "m_2": 1.0, "m_3": 1.0, "signs": signs}
    instance = {"outcomes": numbers, "run": {"K": 1, "T": 4}, "letters": {"gamma": 1 / 3, "p": 1.0}}
    return case.attempt(instance, case.source).ratio


def test_a_theorem_that_forgets_the_correlation_is_false_where_it_is_positive() -> None:
    """h and c of one sign, against opposite ones: signs 1 is ++++, signs 13 has both h below zero."""
    assert expects(1.0) == pytest.approx(1.457142857, rel=1e-6)
    assert expects(13.0) < 1
    with pytest.raises(OutsideConditionsError):
        expects(1.0, "repaired")  # whose step is half as large


# Devices of a theorem that has no letter for them.


def test_without_a_letter_for_devices_a_few_are_tried_where_steps_of_their_own_are_averaged() -> None:
    once, local = (
        bound_case(*name, "printed") for name in (("ghadimi-lan", "constant-steps"), ("pasgd", "theorem-1"))
    )
    local = replace(local, binding=replace(local.binding, devices=""))
    assert "K" not in {level.name for level in once.levels}
    assert {level.high for level in local.levels if level.name == "K"} == {3.0}
    assert {point["K"] for point in local.drawn(64, seed=0)} == {1.0, 2.0, 3.0}
    pair = replace(local, binding=replace(local.binding, worlds=("federated",)))
    assert "K" not in {level.name for level in pair.levels}
