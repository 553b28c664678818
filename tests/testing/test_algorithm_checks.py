"""Each check of algorithms fails on a wrong one; wrong worlds are in tests/synthetic/test_conformance_of_worlds.py."""

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ratecert.contract import LowerGradient, Stage, State, StochasticNeumann, count
from ratecert.solvers import expect, simulate
from ratecert.testing import AlgorithmCase, check_algorithm, check_world, checks_of, parametrize_with_checks
from ratecert.worlds import scalar


@dataclass(frozen=True)
class Sound:
    eta: float = 0.1
    p: int = 2

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (Stage(self.step, repeats=self.p, averaged=("x", "y")),)

    def step(self, t: int, s: State, oracle: Any) -> State:
        h, g = oracle.sample(StochasticNeumann(theta=0.15, Q=1), t), oracle.sample(LowerGradient(), t)
        return State(x=s.x - 0.2 * self.eta * h(s.x, s.y), y=s.y - self.eta * g(s.x, s.y))

    def start(self, s: State, oracle: Any) -> State:
        return s

    def check(self, problem: Any) -> None:
        pass

    def step_size(self, t: int) -> float:
        return self.eta


def failed(algorithm: Any, check: str, **expected: Any) -> str:
    """The sentence with which a check fails."""
    case = AlgorithmCase(algorithm, **expected)
    with pytest.raises(AssertionError) as error:
        checks_of(case)[check](case)
    return str(error.value)


def test_a_sound_algorithm_passes() -> None:
    check_algorithm(Sound(), step="eta")
    check_algorithm(Sound())


# Negative tests.


class AveragesNothing(Sound):
    @property
    def stages(self) -> tuple[Stage, ...]:
        return (Stage(self.step, repeats=2, averaged=("u",)),)


class NeverMeets(Sound):
    @property
    def stages(self) -> tuple[Stage, ...]:
        return (Stage(self.step, repeats=2, averaged=()),)


class Deterministic(Sound):
    def step(self, t: int, s: State, oracle: Any) -> State:
        return State(x=0.9 * s.x, y=0.9 * s.y)


class OnArrays(Sound):
    """Other steps where it is sampled than where it is interpreted."""

    def step(self, t: int, s: State, oracle: Any) -> State:
        new = super().step(t, s, oracle)
        return new.but(x=0.99 * new.x) if isinstance(s.x, np.ndarray) else new


class InPlace(Sound):
    def step(self, t: int, s: State, oracle: Any) -> State:
        if isinstance(s.x, np.ndarray):
            s.x *= 0.5
        return super().step(t, s, oracle)


CALLS: list[int] = []


class Remembering(Sound):
    def step(self, t: int, s: State, oracle: Any) -> State:
        CALLS.append(t)
        new = super().step(t, s, oracle)
        return new.but(x=(1 + 0.01 * len(CALLS)) * new.x)


@dataclass(frozen=True)
class Unread(Sound):
    b: float = 0.5


def on_x(change: Callable[[Any], Any]) -> Any:
    """A step that does something to the new x."""

    class Changed(Sound):
        def step(self, t: int, s: State, oracle: Any) -> State:
            new = super().step(t, s, oracle)
            return new.but(x=change(new.x))

    return Changed()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda x: x / 2, "may use +, - and scalar * only (unsupported operand type(s) for /: 'Affine' and 'int')"),
        (abs, "may use +, - and scalar * only (bad operand type for abs(): 'Affine'); use simulate"),
        (lambda x: np.clip(x, -1, 1), "and scalar * only ('>=' not supported between instances of 'Affine'"),
        (lambda x: x[0], "a step of Changed must return vectors with a row for each coordinate"),
    ],
)  # fmt: skip
def test_what_a_step_may_not_do_is_told(change: Callable[[Any], Any], sentence: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(sentence)):
        check_algorithm(on_x(change))


def test_what_is_not_affine_is_sampled_all_the_same() -> None:
    """A minus sign is affine."""
    run: dict[str, Any] = {"K": 2, "T": 4, "x0": 1.0, "y0": 1.0, "times": []}
    turned = on_x(lambda x: -x)
    for change in (lambda x: abs(x) / 2, np.sign, lambda x: np.clip(x, -1, 1)):
        sampled = simulate(scalar(), on_x(change), replicates=2, seed=0, **run)
        assert sampled.counts == count(scalar(), Sound(), 4)
    assert expect(scalar(), turned, **run).gradient > 0


@dataclass(frozen=True)
class Told(Sound):
    told: Any = 0.1

    def step_size(self, t: int) -> Any:
        return self.told


MOMENTS, SAMPLES = "exact_moments_equal_the_mean_over_all_outcomes", "sampling_agrees_with_exact_moments"


@pytest.mark.parametrize(
    ("algorithm", "check", "sentence"),
    [
        (AveragesNothing(), "keeps_the_contract", "averages u, which its step does not make"),
        (Told(told=7.0), "keeps_the_contract", "step_size(0) of Told is 7, and its eta is 0.1"),
        (Told(told=-0.1), "keeps_the_contract", "step_size(0) of Told must be a finite number > 0, got -0.1"),
        (Told(told=None), "keeps_the_contract", "step_size(0) of Told must be a finite number > 0, got None"),
        (NeverMeets(), "costs_are_counted", "never averages over its 2 devices"),
        (Deterministic(), "costs_are_counted", "hardly a sample"),
        (OnArrays(), MOMENTS, "averages of exact moments"),
        (OnArrays(), SAMPLES, "standard errors apart"),
        (Deterministic(), MOMENTS, "twice as much s_f changes no measure"),
        (Deterministic(), "steps_are_pure", "another seed changes nothing"),
        (InPlace(), "steps_are_pure", "writes into the state that it is given"),
        (Remembering(), "steps_are_pure", "done twice, differs"),
        (Unread(), "every_hyperparameter_matters", "b of Unread changes nothing: is it read?"),
    ],
    ids=lambda v: type(v).__name__ if isinstance(v, Sound) else "",
)
def test_each_check_sees_its_mistake(algorithm: Any, check: str, sentence: str) -> None:
    assert sentence in failed(algorithm, check)


def test_divergence_that_is_not_refused() -> None:
    assert "1000 times too large was not refused" in failed(Unread(), "divergence_is_a_refusal", step="b")


def test_one_decorated_test_has_every_check() -> None:
    @parametrize_with_checks([Sound(), scalar()])
    def test_mine(subject: Any, check: Callable[[Any], None]) -> None:
        check(subject)

    (mark,) = test_mine.pytestmark  # type: ignore[attr-defined]
    ids = [row.id for row in mark.args[1]]
    assert len(ids) == len(checks_of(Sound())) + len(checks_of(scalar()))
    assert {"Sound-steps_are_pure", "Quadratic-constants_hold"} <= set(ids)
    check_world(scalar())
    with pytest.raises(TypeError, match="a subject is an algorithm, a world"):
        checks_of(Sound)


PAGE = Path(__file__).resolve().parents[2] / "docs" / "testing.md"


@pytest.mark.nightly
def test_the_example_of_testing_md_runs(tmp_path: Path) -> None:
    """In a project of its own, as the page shows it; and with one mistake."""
    (block,) = re.findall(r"(?ms)^```python\n# test_mine.py\n(.*?)^```$", PAGE.read_text("utf-8"))
    in_place = "s.u *= self.b if hasattr(s.u, 'flags') else 1\n        u = s.u + h"
    wrong = block.replace("u = self.b * s.u + h", in_place)
    assert wrong != block
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py"]
    for text, code, said in ((block, 0, "14 passed"), (wrong, 1, "writes into the state that it is given")):
        (tmp_path / "test_mine.py").write_text(text, encoding="utf-8")
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout
        assert said in done.stdout


def test_the_page_names_every_check() -> None:
    if PAGE.is_file():
        text = PAGE.read_text(encoding="utf-8")
        for name in (*checks_of(Sound()), *checks_of(scalar())):
            assert f"`{name}`" in text
