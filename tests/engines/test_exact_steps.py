"""Steps that are no doubles, a third or a root, and two full gradients in one step: both run as what they are."""

from dataclasses import dataclass
from typing import Any

import pytest
from flint import arb, fmpq

import ratecert as rc
from ratecert.base.exact import working_precision
from ratecert.errors import NotAffineError

LAST = {"distance": rc.measures.distance().last()}


def run(solver: Any, T: int, world: Any = None, **how: Any) -> Any:
    world = world or rc.worlds.SingleLevel(H=1.0)
    return rc.expect(world, solver, K=1, T=T, x0=1.0, measures=LAST, times=[], **how)


def test_a_third_is_a_third_after_many_steps() -> None:
    """(1 - 1/3)^(2T): with the nearest double in its place the enclosure would lie elsewhere."""
    T = 500
    exact = run(rc.methods.SGD(alpha=fmpq(1, 3)), T, certified=True, width=1e-15).enclosure.distance
    rounded = run(rc.methods.SGD(alpha=1 / 3), T, certified=True, width=1e-15).enclosure.distance
    with working_precision(400):
        truth = arb(fmpq(2, 3)) ** (2 * T)
        assert arb(exact[0]) < truth < arb(exact[1])
        assert not arb(rounded[0]) < truth < arb(rounded[1])


def test_a_root_is_a_ball() -> None:
    with working_precision(400):
        step = 1 - arb(fmpq(1, 2)).sqrt()
        low, high = run(rc.methods.SGD(alpha=step), 100, certified=True).enclosure.distance
        assert arb(low) <= arb(2) ** -100 <= arb(high)


@dataclass(frozen=True, kw_only=True)
class Extragradient(rc.contract.Method):
    """x+ = x - eta grad F(x - eta g), g = grad F(x), sampled or full."""

    eta: float
    first: Any
    levels = 1

    @property
    def stages(self) -> Any:
        return (rc.contract.Stage(self.step, repeats=1, averaged=("x",)),)

    def step(self, t: int, s: Any, oracle: Any) -> Any:
        g = oracle.sample(self.first, t)(s.x)
        return s.but(
            x=s.x - self.eta * oracle.sample(rc.contract.FullGradient("there"), t)(s.x - self.eta * g)
        )

    def step_size(self, t: int) -> float:
        return self.eta


def test_a_full_gradient_may_be_taken_where_another_leads() -> None:
    """1 - eta h (1 - eta h) a step, also on a world with noise, of which full gradients see nothing."""
    noisy = rc.worlds.SingleLevel(H=2.0, s=0.5)
    found = run(Extragradient(eta=0.1, first=rc.contract.FullGradient("here")), 3, noisy)
    assert found.distance == pytest.approx(0.84**6, rel=1e-12)


def test_behind_a_sample_it_is_refused_with_what_to_do() -> None:
    noisy = rc.worlds.SingleLevel(H=2.0, s=0.5)
    with pytest.raises(NotAffineError, match=r"a sample of the same step; split .* rc.contract.switch"):
        run(Extragradient(eta=0.1, first=rc.contract.Gradient("here")), 3, noisy)


def test_a_ball_beside_a_schedule_is_a_step_of_no_other_time() -> None:
    """As in Theorem 3, whose alpha has a root, and whose eta falls."""
    world = rc.worlds.scalar(s_f=0.5, s_g=0.5)
    given = {"alpha": 2.0, "beta": 2.0, "rho_1": 0.1, "rho_2": 0.2, "p": 2, "theta": 0.15, "Q": 1, "B": 2}
    eta = rc.contract.CubeRoot(scale=0.05, offset=1, floor=1.0)
    run: dict[str, Any] = {"K": 1, "T": 4, "x0": 1.0, "y0": 1.0, "times": [], "certified": True}
    plain = rc.expect(world, rc.methods.LocalBSGVRM(eta=eta, **given), **run).enclosure.gradient
    with working_precision(200):
        root = arb(4).sqrt() + arb(0, 1e-40)
        ball = rc.expect(world, rc.methods.LocalBSGVRM(eta=eta, **{**given, "alpha": root}), **run)
    assert ball.enclosure.gradient == pytest.approx(plain, rel=1e-12)
