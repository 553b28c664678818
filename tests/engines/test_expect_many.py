"""Many settings at once, held against the same settings one by one, which are enclosed in balls."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import array_api_strict
import numpy as np
import pytest

import ratecert as rc
from oracles.random_settings import GROUPS, METHODS, Setting, _in_group, _with_method, settings
from ratecert.errors import DivergedError, NotAffineError, PrecisionWarning, UserError
from ratecert.solvers.engines.batch import drive, expect_many
from ratecert.solvers.engines.batch.pairs import Pair, times

m = rc.measures
BOTH = {
    "gap": m.gap().last(),
    "distance": m.distance(),
    "drift": m.drift("x"),
    "own": m.form(lambda _, s: 2 * s.x),
    "mean": m.gap().at_mean(),
}
LEVELS = {
    "gradient": m.gradient(), "tracking": m.tracking(), "drift_y": m.drift("y"), "last": m.gradient().last(),
    "mean": m.gradient().at_mean(),
}  # fmt: skip
NAMES = ("tame scalar", "wild scalar", "matrices")


def arguments(setting: Setting) -> dict[str, Any] | None:
    """A setting as a call of many; None where it gives fields beside x and y."""
    run = {name: value for name, value in setting.run.items() if name != "times"}
    start = run.pop("start", None) or {name: run.pop(f"{name}0") for name in ("x", "y") if f"{name}0" in run}
    if set(start) - {"x", "y"}:
        return None
    return run | {f"{name}0": np.atleast_1d(point).tolist() for name, point in start.items()}


def excesses(drawn: Iterator[Setting]) -> list[float]:
    """Of every setting that arrays take and doubles do not doubt: the error over what is stated."""
    found = []
    for setting in drawn:
        given = arguments(setting)
        if given is None:
            continue
        batch = rc.expect_many(setting.world, setting.solver, **given, precise=False)
        if batch.why or batch.precision[0] > expect_many.GOOD:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrecisionWarning)
            try:
                one = rc.expect(setting.world, setting.solver, **given, times=[])
            except DivergedError:
                continue
        largest = max(one.values.values())
        stated = batch.precision[0] + one.precision
        errors = (
            abs(batch.values[name][0] - value) / max(value, 1e-6 * largest, 1e-300)
            for name, value in one.values.items()
        )
        found.append(max(errors) / stated)
    return found


def test_random_settings_are_as_precise_as_stated() -> None:
    found = excesses(settings({name: _in_group(name) for name in NAMES}, 11, 15))
    assert len(found) >= 12
    assert max(found) <= 1


@pytest.mark.nightly
def test_of_hundreds_none_is_off_by_more() -> None:
    drawn = settings({name: _in_group(name) for name in GROUPS}, 12, 700)
    assert max(excesses(drawn)) <= 1
    one_level = settings({name: _with_method(name) for name in METHODS}, 12, 300)
    assert max(excesses(one_level)) <= 1


@pytest.mark.nightly
def test_few_tame_settings_are_in_doubt() -> None:
    drawn = list(settings({"tame scalar": _in_group("tame scalar")}, 13, 300))
    found = [rc.expect_many(s.world, s.solver, **arguments(s), precise=False) for s in drawn]  # type: ignore[arg-type]
    doubted = [batch for batch in found if batch.precision[0] > expect_many.GOOD]
    diverged = [batch for batch in doubted if not np.isfinite(batch.gradient[0])]
    assert len(doubted) - len(diverged) <= 0.02 * len(found)


def one_level(N: int) -> tuple[list[Any], np.ndarray]:
    rng = np.random.default_rng(3)
    worlds = [
        rc.worlds.single_level(rng.uniform(0.5, 2, size=2), seed=i, noise_H=0.2, correlated=0.3, s=0.5, a=1.0)
        for i in range(N)
    ]
    return worlds, rng.normal(size=(N, 2))


@pytest.mark.parametrize("method", [rc.methods.SGD, rc.methods.HeavyBall])
def test_every_number_may_differ(method: Any) -> None:
    """Worlds, steps, p, K, T and the start: one call is as many calls of one setting."""
    worlds, x0 = one_level(5)
    K, T, p = [1, 5, 10, 3, 10**6], [100, 2**20, 13, 2**62, 1], [1, 3, 20, 7, 2]
    more = {"beta": 0.7} if method is rc.methods.HeavyBall else {}
    solvers = [method(alpha=0.02 * (i + 1), p=p[i], **more) for i in range(5)]
    found = rc.expect_many(worlds, solvers, K=K, T=T, x0=x0, measures=BOTH)
    assert not found.why
    for i, (world, solver) in enumerate(zip(worlds, solvers, strict=True)):
        one = rc.expect(world, solver, K=K[i], T=T[i], x0=x0[i], measures=BOTH)
        assert [found.values[name][i] for name in BOTH] == pytest.approx(
            [one.values[name] for name in BOTH], rel=1e-11, abs=1e-18
        )


@pytest.mark.parametrize("momenta", ["carry", "fresh"])
@pytest.mark.parametrize("previous", ["local", "averaged"])
def test_two_levels_in_every_reading(momenta: str, previous: str) -> None:
    """A Neumann sum of any length, one sample at two points, fields that an average leaves alone."""
    world = rc.worlds.scalar(sigma_H=0.1, sigma_J=0.2, s_f=0.5, s_g=0.3, a=0.3, b=-0.2, c=0.4)
    common = {"eta": 0.05, "alpha": 10.0, "beta": 8.0, "rho_1": 0.1, "theta": 0.2, "momenta": momenta}
    Q, p, rho = np.array([0, 1, 5, 20]), np.array([1, 2, 4, 8]), np.array([0.5, 0.6, 0.7, 0.8])
    solvers = rc.many(rc.methods.LocalBSGVRM, **common, previous=previous, Q=Q, p=p, rho_2=rho)
    K, T = [4, 1, 10, 3], [5, 2**20, 13, 2**40]
    found = rc.expect_many(world, solvers, K=K, T=T, x0=1.0, y0=[0.5], measures=LEVELS)
    assert not found.why
    for i in range(4):
        one = rc.expect(world, solvers[i], K=K[i], T=T[i], x0=1.0, y0=0.5, measures=LEVELS)
        assert [found.values[name][i] for name in LEVELS] == pytest.approx(
            [one.values[name] for name in LEVELS], rel=1e-11, abs=1e-18
        )


def test_terms_that_are_drawn_by_number() -> None:
    world = rc.worlds.FiniteSum(H=[[[1.0]], [[3.0]]], a=[[0.0], [1.0]])
    steps = np.array([0.05, 0.1])
    found = rc.expect_many(world, rc.many(rc.methods.SGD, alpha=steps), K=2, T=50, x0=2.0, measures=BOTH)
    assert not found.why
    one = rc.expect(world, rc.methods.SGD(alpha=0.1), K=2, T=50, x0=2.0, measures=BOTH)
    assert found.gap[1] == pytest.approx(one.gap, rel=1e-12)


READ = {
    "average": m.gap(), "largest": m.gap().largest(), "smallest": m.gap().smallest(),
    "drawn": m.gap().drawn(lambda t: 1.0 + t), "last": m.distance().last(), "drift": m.drift("x"),
    "mean": m.distance().at_mean(),
}  # fmt: skip


@pytest.mark.parametrize(
    "step",
    [
        lambda scale: rc.contract.CubeRoot(scale=scale, floor=9.0),
        lambda scale: rc.contract.Power(scale=scale, exponent=1.0),
        lambda scale: scale,
    ],
    ids=["cube root", "1/t", "constant"],
)
def test_every_iteration_is_read_and_may_have_a_step_of_its_own(step: Any) -> None:
    worlds, x0 = one_level(3)
    solvers = [rc.methods.SGD(alpha=step(scale), p=p) for scale, p in ((0.1, 1), (0.2, 3), (0.3, 5))]
    T = [30, 7, 5]
    found = rc.expect_many(worlds, solvers, K=[1, 4, 10], T=T, x0=x0, measures=READ)
    assert not found.why
    for i in range(3):
        one = rc.expect(worlds[i], solvers[i], K=[1, 4, 10][i], T=T[i], x0=x0[i], measures=READ)
        assert [found.values[name][i] for name in READ] == pytest.approx(
            [one.values[name] for name in READ], rel=1e-11, abs=1e-18
        )


def test_momenta_on_two_levels_with_a_step_that_changes() -> None:
    world = rc.worlds.scalar(sigma_H=0.1, sigma_J=0.2, s_f=0.5, s_g=0.3, a=0.3, b=-0.2, c=0.4)
    eta = rc.contract.CubeRoot(scale=0.1)
    solver = rc.methods.LocalBSGVRM(eta=eta, alpha=10.0, beta=8.0, rho_1=0.1, rho_2=0.5, p=3, theta=0.2, Q=4)
    call: dict[str, Any] = {"K": 4, "T": 20, "x0": 1.0, "y0": 0.5, "measures": LEVELS}
    found, one = rc.expect_many(world, solver, **call), rc.expect(world, solver, **call)
    assert not found.why
    assert [found.values[name][0] for name in LEVELS] == pytest.approx(
        [one.values[name] for name in LEVELS], rel=1e-11, abs=1e-18
    )


@pytest.mark.parametrize(("p", "T"), [(1, 100), (4, 2**20), (5, 13), (7, 2**40), (9, 5)])
def test_devices_that_differ(p: int, T: int) -> None:
    """With shares of their own; of noise that grows, too; a mean over time, and how far devices are apart."""
    worlds = [
        rc.worlds.federated([1.0, 2.0], K=3, dial=1.0, seed=1, s=0.3, noise_H=0.1),
        rc.worlds.federated([1.0, 3.0], K=3, dial=0.5, seed=2, s=0.1, noise_H=0.2, weights=[0.2, 0.3, 0.5]),
    ]
    call: dict[str, Any] = {"K": 3, "T": T, "x0": [2.0, 1.0], "measures": BOTH}
    solver = rc.methods.HeavyBall(alpha=0.1, beta=0.3, p=p)
    found = rc.expect_many(worlds, solver, **call)
    assert not found.why
    for i, world in enumerate(worlds):
        one = rc.expect(world, solver, **call)
        assert [found.values[name][i] for name in BOTH] == pytest.approx(
            [one.values[name] for name in BOTH], rel=1e-11, abs=1e-18
        )


@pytest.mark.parametrize("momenta", ["carry", "fresh"])
def test_devices_that_differ_on_two_levels(momenta: Any) -> None:
    """And with a step that changes, iteration by iteration."""
    world = rc.worlds.heterogeneous(d_x=1, d_y=1, K=2, dial=0.3, s_f=0.3, s_g=0.2, sigma_H=0.1, seed=3)
    for eta, T in ((0.05, 2**30), (rc.contract.CubeRoot(scale=0.1), 15)):
        solver = rc.methods.LocalBSGM(
            eta=eta, alpha=5.0, beta=4.0, rho_1=0.1, rho_2=0.6, p=4, theta=0.2, Q=5, momenta=momenta
        )
        call: dict[str, Any] = {"K": 2, "T": T, "x0": 2.0, "y0": 1.0, "measures": LEVELS}
        found, one = rc.expect_many(world, solver, **call), rc.expect(world, solver, **call)
        assert not found.why
        assert [found.values[name][0] for name in LEVELS] == pytest.approx(
            [one.values[name] for name in LEVELS], rel=1e-11, abs=1e-18
        )


def test_a_series_that_is_cut_at_random() -> None:
    """A number that is drawn beside signs: its cases exclude one another, and each has noise of its own."""
    world = rc.worlds.scalar(sigma_H=0.1, sigma_J=0.2, s_f=0.5, s_g=0.3)
    solver = rc.methods.TTSA(alpha=0.02, beta=0.05, theta=0.2, N=6)
    call: dict[str, Any] = {"K": 1, "T": 2**20, "x0": 1.0, "y0": 0.5, "measures": {"gradient": m.gradient()}}
    found, one = rc.expect_many(world, solver, **call), rc.expect(world, solver, **call)
    assert not found.why
    assert found.gradient[0] == pytest.approx(one.gradient, rel=1e-11)


@dataclass(frozen=True)
class TwoTerms(rc.contract.Gradient):
    """The mean of two terms that are drawn one after the other."""

    def sample(self, problem: Any, bits: Any) -> Any:
        return problem.sample_f(bits), problem.sample_f(bits)

    def evaluate(self, problem: Any, sample: Any, *point: Any) -> Any:
        return 0.5 * (problem.grad_f(sample[0], *point) + problem.grad_f(sample[1], *point))


@dataclass(frozen=True, kw_only=True)
class OnTwoTerms(rc.methods.SGD):
    def step(self, t: int, s: Any, oracle: Any) -> Any:
        return s.but(x=s.x - self.step_size(t) * oracle.sample(TwoTerms(), t)(s.x))


def test_an_estimate_may_draw_several_numbers() -> None:
    """All their cases count, in the mean at the solution too."""
    world = rc.worlds.FiniteSum(H=[[[1.0]], [[3.0]]], a=[[0.0], [1.0]])
    call: dict[str, Any] = {"K": 2, "T": 50, "x0": 2.0, "measures": BOTH}
    found, one = (
        rc.expect_many(world, OnTwoTerms(alpha=0.1), **call),
        rc.expect(world, OnTwoTerms(alpha=0.1), **call),
    )
    assert not found.why
    assert [found.values[name][0] for name in BOTH] == pytest.approx(
        [one.values[name] for name in BOTH], rel=1e-11
    )


def test_a_wrong_line_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Devices whose deviations survive an average that leaves nothing alone."""
    worlds, x0 = one_level(1)
    solver, call = rc.methods.SGD(alpha=0.1, p=4), {"K": 5, "T": 6, "measures": BOTH}
    right = rc.expect_many(worlds, solver, x0=x0, **call)
    monkeypatch.setattr(drive, "_averaged", lambda moments, *_: moments)
    wrong = rc.expect_many(worlds, solver, x0=x0, **call, precise=False)
    assert wrong.drift[0] > 1.01 * right.drift[0]


def test_pairs_have_twice_the_digits_of_doubles() -> None:
    """Sums, products and products of matrices, against fractions."""
    rng = np.random.default_rng(7)
    a, b = (Pair(hi, hi * 2.0**-54 * rng.uniform(-1, 1, hi.shape)) for hi in rng.normal(size=(2, 1, 3, 1)))
    M = rng.normal(size=(1, 2, 3))

    def exact(pair: Pair) -> list[Fraction]:
        return [Fraction(h) + Fraction(l) for h, l in zip(pair.hi.ravel(), pair.lo.ravel(), strict=True)]

    x, y = exact(a), exact(b)
    rows = [[Fraction(entry) for entry in row] for row in M[0]]
    for found, right in (
        (a + b, [p + q for p, q in zip(x, y, strict=True)]),
        (a - b, [p - q for p, q in zip(x, y, strict=True)]),
        (a * b, [p * q for p, q in zip(x, y, strict=True)]),
        (times(M, a), [sum(m * p for m, p in zip(row, x, strict=True)) for row in rows]),
    ):
        apart = [abs(p - q) for p, q in zip(exact(found), right, strict=True)]
        assert max(apart) < Fraction(2) ** -98


def test_what_doubles_cannot_know_goes_to_the_precise_engine() -> None:
    """Near the step beyond which noise in the Hessian grows, digits are lost, and it is said."""
    world = rc.worlds.single_level([1.0], noise_H=0.5, s=0.1)
    steps = rc.many(rc.methods.SGD, alpha=np.array([0.1, 1.6 - 1e-8]))
    call: dict[str, Any] = {"K": 1, "T": 2**30, "x0": 1.0, "measures": {"gap": m.gap().last()}}
    loose = rc.expect_many(world, steps, **call, precise=False)
    assert loose.precision[1] > expect_many.GOOD
    assert not loose.one_by_one.any()
    sure = rc.expect_many(world, steps, **call)
    assert sure.one_by_one.tolist() == [False, True]
    assert sure.gap[1] == pytest.approx(rc.expect(world, steps[1], certified=True, **call).gap, rel=1e-10)


def test_a_run_that_diverges_spoils_no_other() -> None:
    """Its matrices are squared on beside those of runs that have ended."""
    world = rc.worlds.single_level([1.0], s=0.5)
    steps = rc.many(rc.methods.SGD, alpha=np.array([0.1, 30.0, 30.0, 0.1]))
    found = rc.expect_many(
        world, steps, K=2, T=[3, 2**60, 2, 2**60], x0=1.0, measures={"gap": m.gap().last()}
    )
    assert found.gap[1] == np.inf
    for i in (0, 2, 3):
        one = rc.expect(world, steps[i], K=2, T=[3, 0, 2, 2**60][i], x0=1.0, measures={"gap": m.gap().last()})
        assert found.gap[i] == pytest.approx(one.gap, rel=1e-12)


def test_a_world_that_is_not_affine_is_refused_as_by_the_precise_engine() -> None:
    solver = rc.methods.LocalSGD(eta=0.01, rho_1=0.2, rho_2=0.9, p=2, theta=0.2, Q=3)
    with pytest.raises(NotAffineError, match="a sine of x"):
        rc.expect_many(rc.worlds.wavy(), solver, K=2, T=9, x0=0.1, y0=0.1)


def test_batches_that_differ_are_computed_one_by_one() -> None:
    world = rc.worlds.scalar(s_f=0.5, s_g=0.3)
    common = {
        "eta": 0.05,
        "alpha": 10.0,
        "beta": 8.0,
        "rho_1": 0.1,
        "rho_2": 0.5,
        "p": 1,
        "theta": 0.2,
        "Q": 2,
    }
    solvers = rc.many(rc.methods.LocalBSGVRM, **common, B=np.array([1, 4]))
    call: dict[str, Any] = {"K": 2, "T": 9, "x0": 1.0, "y0": 0.0}
    found = rc.expect_many(world, solvers, **call)
    assert "batch" in found.why
    assert found.gradient[1] == rc.expect(world, solvers[1], **call, times=[0]).gradient


def test_a_long_run_with_a_step_that_changes_is_computed_one_by_one() -> None:
    solver = rc.methods.SGD(alpha=rc.contract.CubeRoot(scale=0.1))
    found = rc.expect_many(rc.worlds.single_level([1.0], s=0.5), solver, K=2, T=[5, 5000], x0=1.0)
    assert "more than 512 iterations" in found.why
    assert found.one_by_one.all()


@pytest.mark.parametrize(
    ("solver", "why"),
    [
        (rc.methods.PAGE(alpha=0.1, p=0.5), "draws"),
        (rc.methods.FedAvg(alpha=0.1, p=2, m=1), "draws"),
    ],
    ids=["switch", "drawn"],
)
def test_what_arrays_do_not_take_is_computed_one_by_one(solver: Any, why: str) -> None:
    world = rc.worlds.FiniteSum(H=[[[1.0]], [[3.0]]], a=[[0.0], [1.0]])
    found = rc.expect_many(world, [solver, solver], K=1, T=[7, 9], x0=1.0, measures={"gap": m.gap()})
    assert why in found.why
    assert found.one_by_one.all()
    assert found.gap[1] == rc.expect(world, solver, K=1, T=9, x0=1.0, measures={"gap": m.gap()}).gap


def test_the_array_standard_is_enough() -> None:
    """The same numbers on a library that has nothing but the standard."""
    xp, rng = array_api_strict, np.random.default_rng(5)
    data = {
        "H": np.eye(2) * rng.uniform(1, 2, size=(4, 1, 1)),
        "a": rng.normal(size=(4, 2)),
        "s": np.full(4, 0.5),
    }
    steps, x0 = rng.uniform(0.01, 0.1, size=4), rng.normal(size=(4, 2))
    found = []
    for make in (np.asarray, xp.asarray):
        worlds = rc.many(rc.worlds.SingleLevel, **{name: make(each) for name, each in data.items()})
        solvers = rc.many(rc.methods.HeavyBall, alpha=make(steps), beta=0.5, p=4)
        call = {"K": [1, 2, 3, 100], "T": [1, 2, 2**20, 2**62], "x0": make(x0)}
        found.append(rc.expect_many(worlds, solvers, **call, measures=BOTH))
    assert isinstance(found[1].gap, type(xp.asarray(0.0)))
    for name in BOTH:
        assert np.asarray(found[1].values[name]) == pytest.approx(found[0].values[name], rel=1e-14)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: rc.many(rc.methods.SGD, alpha=np.array([0.1, -0.2])), r"entry 1: alpha must .* got -0\.2"),
        (
            lambda: rc.many(rc.methods.SGD, alpha=np.array([0.1, np.nan])),
            r"alpha\[1\] must be finite, got nan",
        ),
        (lambda: rc.many(rc.methods.SGD, alpha=np.array([0.1], dtype=np.float32)), "float64 .* float32"),
        (lambda: rc.many(rc.methods.HeavyBall, alpha=np.ones(2), beta=np.ones(3)), "same number of entries"),
        (lambda: rc.many(rc.methods.SGD, alpha=0.1), "no array"),
        (lambda: rc.many(rc.methods.SGD(alpha=0.1), alpha=np.ones(2)), "must be the class"),
        (
            lambda: rc.many(rc.worlds.SingleLevel, H=np.array([[[1.0]], [[-1.0]]])),
            r"entry 1: H must be positive",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_entry(wrong: Any, said: str) -> None:
    with pytest.raises(UserError, match=said):
        wrong()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"K": [1, 0]}, r"K\[1\] must be a whole number from 1 to \d+, got 0"),
        ({"T": [1, 2**64]}, r"T\[1\]"),
        ({"K": [1, 2, 3]}, "one entry for each"),
        ({"x0": np.ones((2, 1)) * np.nan}, r"x0\[0\] must be finite"),
        ({"x0": array_api_strict.asarray([[1.0], [2.0]])}, "one library"),
        ({"worlds": []}, "empty list"),
        ({"K": np.array([], dtype=int)}, "empty list"),
        ({"T": float("inf")}, "T must be a whole number"),
        ({"worlds": rc.worlds.federated([1.0], K=2), "K": [2, 3]}, "K must be 2, .* got 3"),
        ({"worlds": [rc.worlds.single_level([1.0]), rc.worlds.scalar()]}, "one kind"),
    ],
)
def test_a_wrong_call_is_refused(changed: dict[str, Any], said: str) -> None:
    steps = rc.many(rc.methods.SGD, alpha=np.array([0.1, 0.2]))
    call: dict[str, Any] = {
        "worlds": rc.worlds.single_level([1.0]),
        "solvers": steps,
        "K": 1,
        "T": 5,
        "x0": 1.0,
    }
    with pytest.raises(UserError, match=said):
        rc.expect_many(**call | changed)
