"""What is drawn beside samples: switches, choices, devices; weights. Exact moments against all outcomes, and more."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.errors import UserError
from ratecert.solvers.engines import run as run_module
from ratecert.solvers.engines.sampling.noise import Hashed
from ratecert.solvers.engines.sampling.tile import Shares

LINE = rc.worlds.SingleLevel
ALIKE = rc.worlds.single_level([1.5], a=0.5, s=0.4)
LOUD = rc.worlds.single_level([1.5], a=0.5, noise_H=0.3, correlated=0.2)
EQUAL = rc.worlds.federated([1.0], K=3, dial=1.0, s=0.3)
WEIGHTED = rc.worlds.Federated(
    devices=[LINE(H=1.0, a=0.0, s=0.4), LINE(H=3.0, a=1.0), LINE(H=2.0, a=-1.0)], weights=[0.2, 0.5, 0.3]
)
SUM = rc.worlds.FiniteSum(H=[1.0, 2.0], a=[0.0, 1.0])
RIDGE = rc.worlds.Regularised(smooth=LOUD, lam=0.5, c=1.0)
PLANE = rc.worlds.federated([1.0, 2.5], K=2, dial=1.0, weights=[0.3, 0.7])


@dataclass(frozen=True, kw_only=True)
class Lazy(rc.methods.SGD):
    """SGD in which every device stays where it is with probability q, and moves twice as far with probability r."""

    q: float = 0.25
    r: float = 0.125

    def start(self, s: Any, oracle: Any) -> Any:
        return rc.contract.State(x=s.x)

    @property
    def stages(self) -> Any:
        choice = rc.contract.Choice(
            (self.q, self.stay), (self.r, self.leap), (1 - self.q - self.r, self.step)
        )
        return (rc.contract.Stage(choice, repeats=self.p, averaged=("x",)),)

    def stay(self, t: int, s: Any, oracle: Any) -> Any:
        return s

    def leap(self, t: int, s: Any, oracle: Any) -> Any:
        g = oracle.sample(rc.contract.Gradient(), t)
        return rc.contract.State(x=s.x - 2 * self.step_size(t) * g(s.x))


def gossip(q: float) -> Any:
    """Three lists of moves, two of which begin alike: nothing; a step; a step, an average and another step."""

    @dataclass(frozen=True, kw_only=True)
    class Gossip(rc.methods.SGD):
        q: float

        def start(self, s: Any, oracle: Any) -> Any:
            return rc.contract.State(x=s.x)

        @property
        def stages(self) -> Any:
            alone, meet = rc.contract.Stage(self.step, 1, ()), rc.contract.Stage(self.half, 1, ("x",))
            return (
                rc.contract.switch(
                    (self.q, []), (self.q / 2, [alone]), (1 - 3 * self.q / 2, [alone, meet, alone])
                ),
            )

        def half(self, t: int, s: Any, oracle: Any) -> Any:
            return rc.contract.State(x=s.x * (1 / 2))

    return Gossip(alpha=0.2, q=q)


CASES: dict[str, tuple[Any, Any, int, int]] = {
    "m of K": (ALIKE, rc.methods.FedAvg(alpha=0.2, p=2, m=2), 3, 4),
    "m of K, noisy Hessians": (LOUD, rc.methods.FedAvg(alpha=0.2, p=2, m=2), 3, 4),
    "with replacement": (ALIKE, rc.methods.FedAvg(alpha=0.2, p=2, m=2, replacement=True), 3, 4),
    "one of K": (ALIKE, rc.methods.FedAvg(alpha=0.2, p=1, m=1), 4, 3),
    "m of K that differ": (EQUAL, rc.methods.FedAvg(alpha=0.2, p=2, m=2), 3, 3),
    "by weight": (WEIGHTED, rc.methods.FedAvg(alpha=0.2, p=2, m=2, replacement=True), 3, 4),
    "all, by weight": (WEIGHTED, rc.methods.SGD(alpha=0.2, p=2), 3, 4),
    "momentum, by weight": (WEIGHTED, rc.methods.HeavyBall(alpha=0.1, beta=0.5, p=2), 3, 4),
    "local gradients": (WEIGHTED, rc.methods.LocalGD(alpha=0.2, p=2), 3, 4),
    "a coin for all": (ALIKE, rc.methods.ProxSkip(gamma=0.2, p=0.3), 2, 4),
    "a coin for all, noisy Hessians": (LOUD, rc.methods.ProxSkip(gamma=0.2, p=0.3), 2, 4),
    "a coin, devices differ": (WEIGHTED, rc.methods.ProxSkip(gamma=0.2, p=0.3), 3, 4),
    "a coin in the plane": (PLANE, rc.methods.ProxSkip(gamma=0.2, p=0.3), 2, 4),
    "a coin and a regulariser": (RIDGE, rc.methods.ProxSkip(gamma=0.2, p=0.3), 2, 4),
    "control variates": (WEIGHTED, rc.methods.SCAFFOLD(eta_l=0.2, eta_g=0.9, p=2), 3, 5),
    "proximal steps": (WEIGHTED, rc.methods.FedProx(mu=2.0, m=2), 3, 4),
    "proximal steps, alike": (LOUD, rc.methods.FedProx(mu=2.0), 3, 3),
    "own choices": (LOUD, Lazy(alpha=0.2, p=2), 2, 3),
    "own choices, devices differ": (WEIGHTED, Lazy(alpha=0.2, p=2), 3, 2),
    "lists of moves": (LOUD, gossip(0.25), 2, 2),
    "lists of moves, devices differ": (WEIGHTED, gossip(0.25), 3, 2),
}


QUICK = ("m of K", "by weight", "a coin for all", "own choices", "control variates", "lists of moves")
LONG = CASES.keys() - {*QUICK, "proximal steps, alike"}


def changed(solver: Any) -> Any:
    """The same method with another draw, or where it has none another step."""
    for name, value in (("q", 0.26), ("p", 0.31)):
        if isinstance(getattr(solver, name, None), float):
            return replace(solver, **{name: value})
    if getattr(solver, "m", None):
        return replace(solver, m=3 - solver.m)
    name = next(name for name in ("eta_l", "mu", "alpha") if hasattr(solver, name))
    return replace(
        solver, **{name: 1.01 * float(getattr(solver, name)(0) if name == "alpha" else getattr(solver, name))}
    )


@pytest.mark.parametrize("certified", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_exact_moments_are_the_mean_over_all_outcomes(name: str, certified: bool) -> None:
    world, solver, K, T = CASES[name]
    run: dict[str, Any] = {"K": K, "T": T, "x0": np.ones(world.d_x), "times": range(T + 1)}
    outcomes = rc.enumerate_outcomes(world, solver, **run)
    exact = rc.expect(world, solver, **run, certified=certified)
    for measure, value in outcomes.values.items():
        assert exact.values[measure] == pytest.approx(value, rel=1e-12, abs=1e-16)
        np.testing.assert_allclose(
            exact.curves.values[measure], outcomes.curves.values[measure], rtol=1e-12, atol=1e-16
        )
    other = rc.expect(world, changed(solver), **run)
    assert any(abs(other.values[n] - v) > 1e-6 * v for n, v in outcomes.values.items())


@pytest.mark.by_night(*sorted(LONG))
@pytest.mark.parametrize("name", [*QUICK, *sorted(LONG)])
def test_doubling_and_stepping_agree(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    world, solver, K, _ = CASES[name]
    run: dict[str, Any] = {"K": K, "T": 1501, "x0": np.ones(world.d_x), "times": [], "certified": False}
    long = rc.expect(world, solver, **run)
    monkeypatch.setattr(run_module, "_steps_worth_a_doubling", lambda _engine: 10**9)
    stepped = rc.expect(world, solver, **run)
    assert (long.method, stepped.method) == ("doubling", "stepping")
    assert long.values == pytest.approx(stepped.values, rel=1e-11, abs=1e-20)


@pytest.mark.by_night("a coin, devices differ")
@pytest.mark.parametrize(
    "name", ["m of K", "by weight", "a coin, devices differ", "own choices, devices differ", "lists of moves"]
)
def test_the_limit_is_where_long_runs_end(name: str) -> None:
    world, solver, K, _ = CASES[name]
    limit = rc.stationary(world, solver, K=K)
    run = rc.expect(world, solver, K=K, T=2**50, x0=np.ones(world.d_x), times=[])
    assert run.values == pytest.approx(limit.values, rel=1e-10)
    sure = rc.stationary(world, solver, K=K, certified=True)
    low, high = sure.enclosure.gap
    assert low <= limit.gap * (1 + 1e-11)
    assert limit.gap * (1 - 1e-11) <= high


@pytest.mark.parametrize(
    "name", ["m of K", "by weight", "a coin, devices differ", "own choices", "lists of moves"]
)
def test_sampling_agrees(name: str) -> None:
    """Five standard errors, probability 6e-7, fixed seed; another draw is seen."""
    world, solver, K, _ = CASES[name]
    run: dict[str, Any] = {"K": K, "T": 12, "x0": np.ones(world.d_x), "times": []}
    sampled = rc.simulate(world, solver, **run, replicates=20000, seed=1)

    def z(other: Any) -> float:
        exact = rc.expect(world, other, **run)
        return max(
            abs(sampled.values[n] - exact.values[n]) / (sampled.standard_error.values[n] + 1e-15)
            for n in exact.values
        )

    assert z(solver) <= 5
    assert z(CASES["all, by weight"][1]) > 5


@pytest.mark.parametrize("m", [1, 2])
def test_every_device_is_drawn_equally_often(m: int) -> None:
    """Of three: within five standard errors of m/3, probability 6e-7 for each device, fixed seed."""
    n, p = 10_000, m / 3
    noise = Hashed(seed=1, first=0, replicates=n, K=3)
    drawn = Shares(EQUAL, 3, noise).of(rc.contract.Drawn(m), 0, 0) * m
    assert ((drawn == 0) | (drawn == 1)).all()
    assert (drawn.sum(axis=0) == m).all()
    assert np.abs(drawn.mean(axis=1) - p).max() <= 5 * np.sqrt(p * (1 - p) / n)


def test_all_devices_drawn_are_all_devices() -> None:
    """m = K different devices are all of them; with replacement they are not; a million of them cost what ten do."""
    run: dict[str, Any] = {"K": 10, "T": 2**30, "x0": 1.0, "times": []}
    everyone = rc.expect(ALIKE, rc.methods.SGD(alpha=0.1, p=3), **run)
    drawn = rc.expect(ALIKE, rc.methods.FedAvg(alpha=0.1, p=3, m=10), **run)
    again = rc.expect(ALIKE, rc.methods.FedAvg(alpha=0.1, p=3, m=10, replacement=True), **run)
    assert drawn.values == pytest.approx(everyone.values, rel=1e-12)
    assert again.gap > 1.5 * everyone.gap
    few = rc.expect(ALIKE, rc.methods.FedAvg(alpha=0.1, p=3, m=3), **run | {"K": 10**6})
    three = rc.expect(ALIKE, rc.methods.SGD(alpha=0.1, p=3), **run | {"K": 3})
    boundary = {"T": 3 * 2**20, "measures": {"last": rc.measures.gap().last()}}
    few_end = rc.expect(ALIKE, rc.methods.FedAvg(alpha=0.1, p=3, m=3), **run | {"K": 10**6, **boundary}).last
    three_end = rc.expect(ALIKE, rc.methods.SGD(alpha=0.1, p=3), **run | {"K": 3, **boundary}).last
    assert few_end == pytest.approx(three_end, rel=1e-12)
    assert few.gap != pytest.approx(three.gap, rel=1e-6)  # within a round the mean is over a million


def test_costs_by_hand() -> None:
    """A coin of 0.3 falls 0.3 T times; a choice costs the mean of its steps; a drawn device is counted as drawn."""
    coin = rc.contract.count(ALIKE, rc.methods.ProxSkip(gamma=0.1, p=0.3), 100)
    assert (coin.samples_f, coin.rounds, coin.floats_sent) == (100, 30, 30)
    lazy = rc.contract.count(ALIKE, Lazy(alpha=0.1, p=2, q=0.25, r=0.125), 100)
    assert (lazy.samples_f, lazy.rounds) == (75, 50)
    drawn = rc.contract.count(ALIKE, rc.methods.FedAvg(alpha=0.1, p=4, m=2), 100)
    assert (drawn.samples_f, drawn.rounds) == (100, 25)
    lists = rc.contract.count(ALIKE, gossip(0.25), 16)
    assert lists.samples_f == 16 * (Fraction(1, 8) + 2 * Fraction(5, 8))
    assert lists.rounds == 10
    control = rc.contract.count(PLANE, rc.methods.SCAFFOLD(eta_l=0.1, p=3), 40)
    assert (control.samples_f, control.rounds, control.floats_sent) == (30, 10, 40)
    prox = rc.contract.count(PLANE, rc.methods.FedProx(mu=1.0, m=2), 7)
    assert (prox.samples_f, prox.rounds) == (7, 7)


def _step(t: int, s: Any, oracle: Any) -> Any:
    return s


@dataclass(frozen=True, kw_only=True)
class OneTerm(rc.methods.SGD):
    """Descent along one term of a sum."""

    i: int

    def step(self, t: int, s: Any, oracle: Any) -> Any:
        return rc.contract.State(x=s.x - 0.1 * oracle.sample(rc.contract.TermGradient(self.i), t)(s.x))


class Bare(Lazy):
    """Begins with the state that it is given."""

    def start(self, s: Any, oracle: Any) -> Any:
        return s


class Absent(rc.methods.SGD):
    """Averages what it does not have."""

    @property
    def stages(self) -> Any:
        return (rc.contract.Stage(self.step, 1, ("q",)),)


def test_doubles_beside_hyperparameters_are_fine() -> None:
    """1.0 - q in a stage, where 1 - q would be a fraction to the exact engine."""

    class Written(type(gossip(0.25))):  # type: ignore[misc]
        @property
        def stages(self) -> Any:
            move = rc.contract.Stage(self.step, 1, ("x",))
            return (rc.contract.switch((self.q, [move]), (1.0 - self.q, [])),)

    run: dict[str, Any] = {"K": 2, "T": 3, "x0": 1.0, "times": []}
    for certified in (True, False):
        exact = rc.expect(ALIKE, Written(alpha=0.2, q=0.3), **run, certified=certified).gap
        assert exact == pytest.approx(
            rc.enumerate_outcomes(ALIKE, Written(alpha=0.2, q=0.3), **run).gap, rel=1e-12
        )


def test_devices_that_share_their_noise_are_one_whoever_is_drawn() -> None:
    run: dict[str, Any] = {"K": 3, "T": 4, "x0": 1.0, "times": [], "shared_noise": True}
    drawn, everyone = rc.methods.FedAvg(alpha=0.1, p=2, m=2), rc.methods.SGD(alpha=0.1, p=2)
    assert rc.expect(ALIKE, drawn, **run).gap == pytest.approx(
        rc.expect(ALIKE, everyone, **run).gap, rel=1e-14
    )


MOVE = rc.contract.Stage(_step, 1, ("x",))
HALF, FOUR = {"K": 3, "T": 5, "x0": 1.0}, rc.methods.FedAvg(alpha=0.1, m=4)
TERM = "term 1 is asked of a problem that is no sum of terms"
BAD: dict[str, tuple[Any, str]] = {
    "outside": (lambda: rc.contract.switch((1.5, [MOVE]), (-0.5, [])), "from 0 to 1, got -0.5"),
    "not 1": (lambda: rc.contract.switch((0.5, [MOVE]), (0.4, [])), "add up to 1, got 0.9"),
    "not a pair": (lambda: rc.contract.switch(MOVE), r"a pair \(probability, moves\)"),
    "not a number": (lambda: rc.contract.Choice(("half", _step)), "from 0 to 1, got 'half'"),
    "no step": (lambda: rc.contract.Choice((1.0, 3)), r"a pair \(probability, step\)"),
    "no moves": (lambda: rc.contract.switch((1.0, [])), "needs a move"),
    "no average": (lambda: rc.contract.Stage(_step, 1, (), drawn=rc.contract.Drawn(2)), "this stage averages nothing"),
    "nobody": (lambda: rc.contract.Drawn(0), "m must be a whole number >= 1"),
    "too many": (lambda: rc.expect(ALIKE, FOUR, **HALF), "m = 4 different devices cannot be drawn from 3"),
    "too many at rest": (lambda: rc.stationary(ALIKE, FOUR, K=3), "m = 4 different devices cannot be drawn from 3"),
    "weights differ": (lambda: rc.expect(WEIGHTED, rc.methods.FedAvg(alpha=0.1, m=2), **HALF),
                       "weights differ; use replacement=True"),
    "a switch of switches": (lambda: rc.contract.switch((1.0, [rc.contract.switch((1.0, [MOVE]))])),
                             "a move of a switch must be a Stage"),
    "a choice of choices": (lambda: rc.contract.Choice((1.0, rc.contract.Choice((1.0, _step)))),
                            "a choice among choices is one choice"),
    "no steps": (lambda: rc.contract.Stage(_step, 0, ()), "repeats must be a whole number >= 1, got 0"),
    "no function": (lambda: rc.contract.Stage(3, 1, ()), "step must be a function of t"),
    "a text": (lambda: rc.contract.Stage(_step, 1, "x"), "averaged must be a tuple of names"),
    "a number": (lambda: rc.contract.Stage(_step, 1, ("x",), drawn=3), "drawn must be a Drawn"),
    "no term": (lambda: rc.expect(ALIKE, OneTerm(alpha=0.1, i=1), **HALF), TERM),
    "no term, sampled": (lambda: rc.simulate(ALIKE, OneTerm(alpha=0.1, i=1), **HALF, replicates=2, seed=0), TERM),
    "another term": (lambda: rc.expect(SUM, OneTerm(alpha=0.1, i=7), **HALF | {"K": 1}),
                     "the number of the term must be a whole number from 0 to 1, got 7"),
    "two levels": (lambda: rc.expect(ALIKE, rc.methods.SOBA(rho=0.1, gamma=0.1), **HALF | {"K": 1}),
                   "SOBA is a method for two levels, and SingleLevel has one"),
    "no proximal step": (lambda: rc.expect(RIDGE, rc.methods.FedProx(mu=1.0), **HALF),
                         "Regularised does not give its proximal step"),
    "no such field": (lambda: rc.expect(ALIKE, Absent(alpha=0.1), **HALF),
                      "Absent averages 'q', which its state does not have"),
    "no start": (lambda: rc.expect(ALIKE, Bare(alpha=0.1), **HALF),
                 r"draws its first step, so its start\(s, oracle\) has to return a new State"),
    "no spectrum": (lambda: rc.worlds.federated("ab"), "spectrum must be real numbers"),
    "paper of two levels": (lambda: rc.constants(ALIKE), "SingleLevel has one level"),
    "probability": (lambda: rc.methods.ProxSkip(gamma=0.1, p=1.5), r"p must lie in \(0, 1\], got 1.5"),
    "weights": (lambda: rc.worlds.Federated(devices=WEIGHTED.devices, weights=[0.5, 0.5, 0.5]),
                r"weights must be 3 numbers > 0 with sum 1, .* with sum 1.5"),
    "dimensions": (lambda: rc.worlds.Federated(devices=[LINE(H=1.0), LINE(H=np.eye(2))]),
                   r"with one dimension, got \[1, 2\]"),
    "not devices": (lambda: rc.worlds.Federated(devices=[1.0]), "a list of SingleLevel and FiniteSum"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_mistake_is_one_sentence(name: str) -> None:
    call, sentence = BAD[name]
    with pytest.raises(UserError, match=sentence):
        call()


def test_devices_that_are_alike_are_drawn_from_any_number() -> None:
    """Their weights are never written out: 2^50 of them would fill any memory."""
    world, solver = rc.worlds.single_level([1.0], s=0.5), rc.methods.FedAvg(alpha=0.1, p=2, m=4)
    many, more = (rc.expect(world, solver, K=K, T=64, x0=1.0) for K in (2**50, 2**51))
    assert many.gap == pytest.approx(more.gap, rel=1e-12)
