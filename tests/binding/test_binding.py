"""What a binding may be made of: letters measured by functions, before the first step too; zeros in families."""

from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.binding.setting import Setting
from ratecert.catalogue.find import bindings, paper
from ratecert.errors import OutsideConditionsError, PaperError
from ratecert.papers.library import saga
from ratecert.theory.language.statements import Theorem


def test_a_weight_may_be_a_function_of_the_problem() -> None:
    world = rc.worlds.single_level([1.0, 4.0], s=0.5)
    half = rc.measures.form(lambda _problem, s: s.x, weight=lambda problem: problem.H / 2).last()
    run: dict[str, Any] = {"K": 2, "T": 5, "x0": [1.0, 2.0], "times": []}
    found = rc.expect(
        world, rc.methods.SGD(alpha=0.1), **run, measures={"gap": rc.measures.gap().last(), "half": half}
    )
    assert found.half == pytest.approx(found.gap, rel=1e-13)
    negative = rc.measures.form(lambda _problem, s: s.x, weight=lambda problem: -problem.H)
    with pytest.raises(ValueError, match="without negative eigenvalues"):
        rc.expect(world, rc.methods.SGD(alpha=0.1), **run, measures={"negative": negative})


@pytest.mark.parametrize("T", [1, 2])
def test_a_letter_is_measured_before_a_step(T: int) -> None:
    """SAGA's V by hand, at any table before the first step, and after one step that is enumerated."""
    H, gamma, mu, n = [1.0, 0.5], 1 / (2 * (0.5 * 2 + 1.0)), 0.5, 2
    x, phi = 3.0, [1.0, -2.0]

    def V(x: float, phi: list[float]) -> float:
        table = sum(h * p**2 / 2 for h, p in zip(H, phi, strict=True)) / n
        return table + x**2 / (2 * n * gamma * (1 - mu * gamma))

    def step(x: float, phi: list[float], j: int) -> tuple[float, list[float]]:
        mean = sum(h * p for h, p in zip(H, phi, strict=True)) / n
        moved = x - gamma * (H[j] * x - H[j] * phi[j] + mean)
        return moved, [x if i == j else p for i, p in enumerate(phi)]

    states = [(x, phi)]
    values = [V(x, phi)]
    for _ in range(T):
        states = [step(*state, j) for state in states for j in range(n)]
        values.append(float(np.mean([V(*state) for state in states])))
    world = rc.worlds.FiniteSum(H=H, a=[0.0, 0.0])
    setting = Setting(world, 1, T, {"x": [x], "phi_0": [phi[0]], "phi_1": [phi[1]]})
    bound, source = bindings("saga")["theorem-1"], paper("printed", "saga")
    sides = bound.run(source, source.the(Theorem, "theorem-1"), setting, bound.given_by(setting))
    assert sides.left == pytest.approx(values[T], rel=1e-13)
    assert sides.letters()["V"] == pytest.approx(values[T - 1], rel=1e-12)


def test_nothing_else_is_read_before_the_first_step() -> None:
    average = rc.statements.Measured(rc.measures.gap(), before=1)
    run = rc.statements.Binding(
        method=rc.methods.SGD, hyperparameters={"alpha": 0.1}, measure=rc.measures.gap().last(), constants={},
        measured={"V": average}, devices="",
    )  # fmt: skip
    world = rc.worlds.single_level([1.0])
    source = paper("printed", "saga")
    with pytest.raises(OutsideConditionsError, match="before the first iteration"):
        run.run(
            source,
            source.the(Theorem, "theorem-1"),
            Setting(world, 1, 1, {"x": [1.0]}),
            {"gamma": 0.1, "mu": 1.0, "L": 1.0, "n": 1.0},
        )


def test_a_number_that_makes_no_world_is_outside() -> None:
    """A zero by which a family divides is no mistake of the paper's; another one is."""
    numbers = {**saga.TABLES.ordinary(), "spread": 0.0}
    with pytest.raises(OutsideConditionsError, match="tables has no world with spread = 0"):
        saga.TABLES.member(numbers)
    with pytest.raises(PaperError, match="KeyError"):
        saga.TABLES.member({})
