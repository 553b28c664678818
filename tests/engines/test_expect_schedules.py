"""Step sizes that vary: constant phases that end anywhere, schedules that hide, and steps that look at the clock."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from oracles.pairwise import pairwise
from ratecert.errors import NotAffineError
from ratecert.solvers import CubeRoot, LocalBSGM, LocalBSGVRM, LowerGradient, StochasticNeumann, expect
from ratecert.solvers.contract.measures import defaults
from ratecert.solvers.contract.result import MEASURES
from ratecert.solvers.contract.stage import Stage, State
from ratecert.solvers.engines.moments.exchangeable import ExchangeableEngine
from ratecert.solvers.engines.moments.interpreter import Interpreter
from ratecert.solvers.engines.moments.unrounded import Unrounded
from ratecert.synthetic import scalar

pytestmark = pytest.mark.nightly

WORLD = scalar(sigma_H=0.3, sigma_J=0.2, s_f=0.4, s_g=0.5, a=0.3, b=-0.4, c=0.2)


def values(result) -> np.ndarray:
    return np.array([getattr(result, name) for name in MEASURES])


PHASES = ([LocalBSGM, LocalBSGVRM], [(1, 1), (2, 3), (2, 5)], [60.5, 102.5, 308.0, 308.6])


@pytest.mark.parametrize(("kind", "devices", "floor"), pairwise(*PHASES))
def test_the_end_of_a_constant_phase_costs_no_digits(
    kind: Any, devices: tuple[int, int], floor: float
) -> None:
    """Long runs flow through smooth maps; the kink of the schedule must not lie among them."""
    K, p = devices
    eta = CubeRoot(scale=0.15 * floor ** (1 / 3), offset=2.0, floor=floor)
    solver = kind(eta=eta, alpha=2.0, beta=3.0, rho_1=0.5, rho_2=0.9, p=p, theta=0.2, Q=2)
    T = int(floor) + 1500
    result = expect(WORLD, solver, K=K, T=T, x0=1.0, y0=1.0, times=[T])
    assert "slowly varying" in result.method
    engine = ExchangeableEngine(Unrounded(Interpreter(WORLD, solver), K, defaults(WORLD)))
    t, sums, pair = engine.start(np.ones(2))
    gained, last = engine.walk(pair, t, T - t)
    stepped = (sums + gained) / T
    np.testing.assert_allclose(values(result), stepped, rtol=1e-11, atol=1e-30)
    np.testing.assert_allclose(result.curves.gradient[-1], engine.measures.read(last, 1)[0], rtol=1e-11)
    assert max(result.precision, result.curve_precision) < 1e-10


@dataclass(frozen=True)
class Inner:
    eta: Any = CubeRoot(scale=0.3)  # noqa: RUF009


@dataclass(frozen=True)
class Plain:
    """Plain steps on both levels with a step size by some rule."""

    inner: Inner = Inner()
    rule: str = "clock"

    def rate(self, t: int) -> float:
        return {"clock": 0.3 / (1 + t), "switch": 0.1 if t < 500 else 0.3}.get(self.rule) or self.inner.eta(t)

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (Stage(self.step, repeats=2, averaged=("x", "y")),)

    def start(self, s: State, oracle: Any) -> State:
        return s

    def check(self, problem: Any) -> None:
        pass

    def step_size(self, t: int) -> float:
        return self.rate(t)

    def step(self, t: int, s: State, oracle: Any) -> State:
        h = oracle.sample(StochasticNeumann(theta=0.2, Q=1), t)(s.x, s.y)
        g = oracle.sample(LowerGradient(), t)(s.x, s.y)
        return State(x=s.x - 0.1 * self.rate(t) * h, y=s.y - self.rate(t) * g)


@pytest.mark.parametrize("rule", ["clock", "switch", "nested"])
def test_a_step_that_looks_at_the_clock_is_refused(rule: str) -> None:
    """Its maps at a few t are not those that its schedules, as far as they are seen, account for."""
    with pytest.raises(
        NotAffineError, match=r"depends on t = .* other than through schedules in its own fields"
    ):
        expect(WORLD, Plain(rule=rule), K=2, T=4, x0=1.0, y0=1.0)


@dataclass(frozen=True)
class Wavering:
    """A schedule that is not smooth on the scale of t."""

    largest: float = 0.11
    constant_until: float = 0.0

    def __call__(self, t: float) -> float:
        return 0.1 + 1e-4 * float(np.cos(2 * np.pi * t / 97))


@pytest.mark.filterwarnings("ignore::ratecert.errors.PrecisionWarning")
def test_precision_covers_the_curves() -> None:
    """Smooth maps cannot follow this schedule, and the estimate says so for the last point too."""
    solver = LocalBSGM(eta=Wavering(), alpha=2.0, beta=2.0, rho_1=0.1, rho_2=0.5, p=1, theta=0.2, Q=2)
    T = 4000
    result = expect(WORLD, solver, K=1, T=T, x0=1.0, y0=1.0, times=[T])
    engine = ExchangeableEngine(Unrounded(Interpreter(WORLD, solver), 1, defaults(WORLD)))
    t, _, pair = engine.start(np.ones(2))
    exact = engine.measures.read(engine.walk(pair, t, T - t)[1], T)[0]
    error = abs(result.curves.gradient[-1] / exact - 1)
    assert 1e-9 < error < 3 * result.curve_precision
