"""Measures of devices, over time and at drawn outputs; starts by field; what a cycle leaves of a Lyapunov form."""

from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.errors import UserError
from ratecert.short.methods import method_of
from ratecert.solvers.engines import run as run_module

LINE, m = rc.worlds.SingleLevel, rc.measures
WEIGHTED = rc.worlds.Federated(
    devices=[
        LINE(H=1.0, a=0.0, s=0.4),
        rc.worlds.FiniteSum(H=[3.0, 1.0], a=[1.0, 2.0]),
        LINE(H=2.0, a=-1.0, E=[0.5], c=[0.3]),
    ],
    weights=[0.2, 0.5, 0.3],
)
ALIKE = rc.worlds.single_level([1.5], a=0.5, noise_H=0.3, correlated=0.2)
MEASURES = {
    "second": m.sampled_gradient(),
    "second_0": m.sampled_gradient(device=0),
    "second_1": m.sampled_gradient(device=1).last(),
    "own": m.form(lambda problem, s: problem.device.gradient(s.x), of="own", reads="x"),
    "largest": m.sampled_gradient(device=1).largest(),
    "smallest": m.gap().smallest(),
    "drawn": m.gap().drawn(lambda t: (3.0 + t) ** 2),
    "plain": m.gap(),
}


@pytest.mark.parametrize("certified", [True, False])
@pytest.mark.parametrize(
    ("world", "solver", "K"),
    [
        (WEIGHTED, rc.methods.SGD(alpha=0.2, p=2), 3),
        (ALIKE, rc.methods.SGD(alpha=0.2, p=2), 2),
        (WEIGHTED, rc.methods.ProxSkip(gamma=0.2, p=0.4), 3),
        (ALIKE, rc.methods.ProxSkip(gamma=0.2, p=0.4), 2),
    ],
)
def test_all_outcomes_say_the_same(world: Any, solver: Any, K: int, certified: bool) -> None:
    measures = MEASURES | ({"control": m.control("h")} if hasattr(solver, "gamma") else {})
    run: dict[str, Any] = {"K": K, "T": 3, "x0": 1.0, "measures": measures, "times": [0, 1, 2, 3]}
    outcomes = rc.enumerate_outcomes(world, solver, **run)
    exact = rc.expect(world, solver, **run, certified=certified)
    assert exact.values == pytest.approx(outcomes.values, rel=1e-12)
    for name in measures:
        np.testing.assert_allclose(exact.curves.values[name], outcomes.curves.values[name], rtol=1e-12)
    assert exact.largest == pytest.approx(max(exact.curves.largest[:3]), rel=1e-14)
    assert exact.smallest == pytest.approx(min(exact.curves.plain[:3]), rel=1e-14)
    assert exact.smallest < exact.plain
    assert exact.drawn != pytest.approx(exact.plain, rel=1e-3)


@pytest.mark.parametrize("certified", [True, False])
@pytest.mark.parametrize(
    ("world", "solver", "K"),
    [
        (WEIGHTED, rc.methods.LocalGD(alpha=0.2, p=2), 3),
        (WEIGHTED, rc.methods.HeavyBall(alpha=0.1, beta=0.5, p=2), 3),
        (WEIGHTED, rc.methods.FedAvg(alpha=0.1, m=2, p=2, replacement=True), 3),
        (ALIKE, rc.methods.FedAvg(alpha=0.1, m=2, p=2), 3),
        (ALIKE, rc.methods.ProxSkip(gamma=0.2, p=0.4), 2),
    ],
)
def test_the_mean_of_the_iterates(world: Any, solver: Any, K: int, certified: bool) -> None:
    """Of devices that differ, of drawn ones, and where a coin says how many moves an iteration has."""
    read = {"gap": m.gap().at_mean(), "distance": m.distance().at_mean(), "plain": m.gap()}
    by_weight = m.gap().at_mean(rc.contract.Power(scale=1.0, offset=2.0, exponent=0.5))
    weighted = {"by_weight": by_weight, "growing": m.gap().at_mean(lambda t: (3.0 + t) ** 2), **read}
    few: dict[str, Any] = {"K": K, "x0": 1.0, "measures": weighted, "T": 3, "times": range(4)}
    found, sums = (
        rc.expect(world, solver, **few, certified=certified),
        rc.enumerate_outcomes(world, solver, **few),
    )
    assert found.values == pytest.approx(sums.values, rel=1e-12)
    np.testing.assert_allclose(found.curves.growing, sums.curves.growing, rtol=1e-12)
    assert found.growing < found.gap < found.by_weight
    run: dict[str, Any] = {"K": K, "x0": 1.0, "measures": read}
    outcomes = rc.enumerate_outcomes(world, solver, T=3, times=range(4), **run)
    exact = rc.expect(world, solver, T=3, times=range(4), **run, certified=certified)
    assert exact.values == pytest.approx(outcomes.values, rel=1e-12)
    np.testing.assert_allclose(exact.curves.gap, outcomes.curves.gap, rtol=1e-12)
    assert exact.gap != pytest.approx(exact.plain, rel=1e-3)
    long = rc.expect(world, solver, T=1501, times=[], **run, certified=certified)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_module, "_steps_worth_a_doubling", lambda _engine: 10**9)
        stepped = rc.expect(world, solver, T=1501, times=[], **run, certified=False)
    assert (long.method, stepped.method) == ("doubling", "stepping")
    assert long.values == pytest.approx(stepped.values, rel=1e-11)


def test_second_moments_by_hand() -> None:
    """At x = 1: 1 + 0.16 on the first device, (0^2 + 1)/2 on the second, 4^2 + (0.5 * 2 + 0.3)^2 on the third."""
    names = {f"on_{k}": m.sampled_gradient(device=k) for k in range(3)}
    found = rc.expect(WEIGHTED, rc.methods.SGD(alpha=0.1), K=3, T=1, x0=1.0, measures=names, times=[])
    assert list(found.values.values()) == pytest.approx([1.16, 0.5, 16 + 1.69], rel=1e-14)
    mean = rc.expect(
        WEIGHTED, rc.methods.SGD(alpha=0.1), K=3, T=1, x0=1.0, measures={"all": m.sampled_gradient()}
    )
    assert mean.all == pytest.approx(0.2 * 1.16 + 0.5 * 0.5 + 0.3 * 17.69, rel=1e-14)


def test_sampling_agrees_over_time() -> None:
    """Largest and smallest over t are of means over replicates: five standard errors, fixed seed."""
    run: dict[str, Any] = {"K": 3, "T": 12, "x0": 1.0, "measures": MEASURES, "times": [0, 12]}
    solver = rc.methods.SGD(alpha=0.2, p=2)
    exact = rc.expect(WEIGHTED, solver, **run)
    sampled = rc.simulate(WEIGHTED, solver, **run, replicates=4000, seed=3)
    for name in MEASURES:
        assert (
            abs(sampled.values[name] - exact.values[name]) <= 5 * sampled.standard_error.values[name] + 1e-12
        )
    assert len(sampled.curves.plain) == 2


def test_a_start_by_field() -> None:
    """A step of heavy ball from (x, m) by hand; and control variates that know everything stay."""
    world = rc.worlds.single_level([2.0])
    solver = rc.methods.HeavyBall(alpha=0.1, beta=0.5)
    read = {"at": m.form(lambda problem, s: s.x, reads="x").last()}
    for start, value in (({"x": 1.0, "m": 3.0}, 1 - 0.1 * (0.5 * 3 + 2)), ({"x": 1.0}, 1 - 0.1 * 2)):
        run: dict[str, Any] = {"K": 1, "T": 1, "start": start, "measures": read, "times": []}
        assert rc.expect(world, solver, **run).at == pytest.approx(value**2, rel=1e-14)
        assert rc.enumerate_outcomes(world, solver, **run).at == pytest.approx(value**2, rel=1e-14)
    fista: dict[str, Any] = {"K": 1, "T": 1, "start": {"x": 1.0, "y": 3.0}, "measures": read, "times": []}
    stepped = rc.expect(world, rc.methods.FISTA(alpha=0.1), **fista).at
    assert stepped == pytest.approx(
        rc.enumerate_outcomes(world, rc.methods.FISTA(alpha=0.1), **fista).at, rel=1e-14
    )
    assert stepped != pytest.approx(
        rc.expect(world, rc.methods.FISTA(alpha=0.1), **fista | {"start": {"x": 1.0}}).at
    )
    with pytest.raises(UserError, match="does not start with a field 'q'; it starts with x, m"):
        rc.expect(world, solver, K=1, T=1, start={"x": 1.0, "q": 1.0})
    with pytest.raises(UserError, match="does not start with a field 'h'; it starts with x"):
        rc.expect(world, rc.methods.SGD(alpha=0.1), K=1, T=1, start={"x": 1.0, "h": 1.0})


def lyapunov(gamma: float, p: float, K: int) -> rc.measures.Measure:
    """||x - x*||^2 + (gamma/p)^2 ||h - h*||^2 of all devices together."""
    away = m.form(lambda problem, s: s.x - problem.x_star[:, None], of="devices", reads="x")
    return K * (away + (gamma / p) ** 2 * m.control("h"))


def two_devices(H: tuple[float, float]) -> Any:
    return rc.worlds.Federated(devices=[LINE(H=H[0], a=1.0), LINE(H=H[1], a=-0.5)])


@pytest.mark.parametrize("seed", range(20))
def test_prox_skip_with_a_regulariser(seed: int) -> None:
    """The same theorem on one machine, whose average is nothing and whose regulariser is skipped; it rests at x*."""
    rng = np.random.default_rng([9, seed])
    mu, L = sorted(rng.uniform(0.2, 2.0, 2))
    smooth = rc.worlds.single_level([mu, L], a=[1.0, -2.0], seed=seed)
    world = rc.worlds.Regularised(smooth=smooth, lam=float(rng.uniform(0.1, 5.0)), c=[0.5, 0.5])
    gamma, p = rng.uniform(0.1, 1.0) / L, rng.uniform(0.1, 1.0)
    solver = rc.methods.ProxSkip(gamma=gamma, p=p)
    assert rc.contraction(world, solver, lyapunov(gamma, p, 1)).rate <= max(1 - gamma * mu, 1 - p**2) * (
        1 + 1e-12
    )
    np.testing.assert_allclose(rc.fixed_point(world, solver).x, world.x_star, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(world.gradient(world.x_star), np.zeros(2), atol=1e-13)
    v, step = rng.standard_normal(2), float(rng.uniform(0.1, 2.0))
    found = world.prox_r(step, v[:, None])[:, 0]
    np.testing.assert_allclose(world.lam * (found - world.c) + (found - v) / step, np.zeros(2), atol=1e-12)


def test_the_state_attains_the_rate() -> None:
    """One iteration from the state that is returned: the ratio is the rate, and from another state it is smaller."""
    world, gamma, p = two_devices((0.5, 1.0)), 0.8, 0.4
    solver, form = rc.methods.ProxSkip(gamma=gamma, p=p), lyapunov(0.8, 0.4, 2)
    found = rc.contraction(world, solver, form, K=2)
    assert found.rate == pytest.approx(1 - p**2, rel=1e-9)
    assert found.state["h"].shape == (2, 1)
    alike = rc.worlds.single_level([1.0])
    x, h = 0.0, 1.0
    start: dict[str, Any] = {"K": 2, "T": 1, "start": {"x": x, "h": h, "v": x}, "times": []}
    after = rc.expect(alike, solver, **start, measures={"psi": form.last()}).psi
    before = 2 * (x**2 + (gamma / p) ** 2 * h**2)
    rate = rc.contraction(alike, solver, form, K=2).rate
    assert after / before <= rate * (1 + 1e-12)


def test_a_form_contracts_whenever_a_run_would_read_it() -> None:
    world, solver, form = (
        two_devices((0.5, 1.0)),
        rc.methods.ProxSkip(gamma=0.8, p=0.4),
        lyapunov(0.8, 0.4, 2),
    )
    rates = {rc.contraction(world, solver, each, K=2).rate for each in (form, form.last(), form.largest())}
    assert len(rates) == 1
    with pytest.raises(UserError, match="zero in all states of ProxSkip"):
        rc.contraction(world, solver, 0.0 * form, K=2)


@pytest.mark.by_night("20", "3")
@pytest.mark.parametrize("m_steps", [1, 3, 20])
def test_an_epoch_of_svrg_contracts(m_steps: int) -> None:
    """The worst start of an epoch is at least as bad as any that is tried, and some start comes near."""
    world = rc.worlds.FiniteSum(
        H=[[[2.0, 0.5], [0.5, 1.0]], [[1.0, 0.0], [0.0, 3.0]]], a=[[0.0, 0.0], [0.0, 0.0]]
    )
    solver, gap = rc.methods.SVRG(alpha=0.1, m=m_steps), m.gap("w")
    rate = rc.contraction(world, solver, gap, states="start").rate
    rng = np.random.default_rng(0)
    read, tried = {"gap": gap.last()}, []
    for _ in range(200):
        x0 = rng.standard_normal(2)
        after = rc.expect(world, solver, K=1, T=2, x0=x0, measures=read, times=[], certified=False).gap
        tried.append(after / float(world.objective(x0)))
    assert 0.999 * rate <= max(tried) <= rate * (1 + 1e-12)


QUIET, SGD = rc.worlds.single_level([1.0]), rc.methods.SGD(alpha=0.1)


def read(world: Any, measure: Any, **run: Any) -> Any:
    start: dict[str, Any] = {"K": len(getattr(world, "devices", [0])), "T": 3, "x0": 1.0, **run}
    return rc.expect(world, SGD, **start, measures={"g": measure})


REFUSED: list[tuple[Any, str]] = [
    (lambda: rc.contraction(rc.worlds.single_level([1.0], s=0.1), SGD, m.distance()), "noise moves SGD from where it"),
    (lambda: rc.contraction(QUIET, rc.methods.HeavyBall(alpha=0.1, beta=0.5), m.distance()),
     "does not see all that matters to HeavyBall"),
    (lambda: rc.contraction(QUIET, SGD, m.form(lambda problem, s: s.x + 1.0)), "must be zero where SGD rests"),
    (lambda: rc.contraction(two_devices((0.5, 2.0)), rc.methods.ProxSkip(gamma=0.3, p=0.4), lyapunov(0.3, 0.4, 2), K=2,
                            states="start"), "rests in a state that its start makes of no x"),
    (lambda: read(WEIGHTED, m.sampled_gradient(device=5)), "reads device 5, and there are 3"),
    (lambda: read(QUIET, m.gap().largest(), T=10**6), "can only be stepped through"),
    (lambda: read(QUIET, m.gap().at_mean(lambda t: t)), r"likely\(0\) must be > 0"),
    (lambda: read(QUIET, m.gap().at_mean(3.0)), "must be a function of t"),
    *((lambda wrong=wrong: read(QUIET, m.gap().drawn(wrong)), r"likely\(t\) must be a number >= 0")
      for wrong in (lambda t: None, lambda t: "a", lambda t: 1 / (t - 2), lambda t: 2.0 ** (1e6 * t))),
    (lambda: read(QUIET, m.gap().drawn(lambda t: -1.0)), "likely"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "sentence"), REFUSED)
def test_what_cannot_be_measured_or_has_no_contraction_is_refused(call: Any, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        call()


def descent(x: Any, grad: Any, *, gamma: Any) -> Any:
    return x - gamma * grad.full(x)


def test_a_form_of_ones_own_has_the_exact_minimiser() -> None:
    """x* = 2/3 is no double; where the run is in intervals, the distance from a rounded one would never vanish."""
    world = rc.worlds.FiniteSum(H=[1.0, 2.0], a=[0.0, 1.0])
    own = rc.measures.form(lambda problem, s: s.x - problem.x_star[:, None]).last()
    measures = {"own": own, "distance": rc.measures.distance().last()}
    run = {"K": 1, "T": 400, "x0": [1.0], "measures": measures}
    result = rc.expect(world, method_of(descent)(gamma=0.5), certified=True, **run)
    low, high = result.enclosure.own
    assert low <= result.enclosure.distance[1]
    assert result.enclosure.distance[0] <= high < 1e-200
