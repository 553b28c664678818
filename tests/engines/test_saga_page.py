"""SAGA, PAGE and STORM: exact moments against all outcomes, samples, costs by hand and their theorems."""

import time
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.errors import UserError

LINE = rc.worlds.FiniteSum(H=[1.0, 2.0, 0.5], a=[1.0, -1.0, 2.0])
PLANE = rc.worlds.FiniteSum(
    H=[[[2.0, 0.5], [0.5, 1.0]], [[1.0, 0.0], [0.0, 3.0]], [[0.5, 0.25], [0.25, 0.5]]],
    a=[[1.0, 0.0], [0.0, 1.0], [-1.0, 2.0]],
)
NOISY = rc.worlds.SingleLevel(
    H=[[2.0, 0.5], [0.5, 1.0]], a=[1.0, -1.0], E=[[[0.25, 0.0], [0.0, 0.125]]], c=[[0.5, 0.25]]
)
SLOW = rc.contract.CubeRoot(scale=0.2, offset=3.0)
MEASURES = {"gap": rc.measures.gap(), "last": rc.measures.distance().last(), "drift": rc.measures.drift("x")}
# a world, a method, one that differs, T on one device and on two, a measure of its own
CASES: dict[str, tuple[Any, Any, Any, tuple[int, int], dict[str, Any]]] = {
    "SAGA on a line": (
        LINE,
        rc.methods.SAGA(alpha=0.2, n=3, p=3),
        rc.methods.SAGA(alpha=0.201, n=3, p=3),
        (4, 4),
        {"own": rc.measures.distance("phi_1").last()},
    ),
    "SAGA in the plane": (
        PLANE,
        rc.methods.SAGA(alpha=0.1, n=3, p=2),
        rc.methods.SAGA(alpha=0.101, n=3, p=2),
        (5, 4),
        {"own": rc.measures.drift("phi_2")},
    ),
    "SAGA with smaller and smaller steps": (
        LINE,
        rc.methods.SAGA(alpha=SLOW, n=3, p=3),
        rc.methods.SAGA(alpha=0.14, n=3, p=3),
        (4, 4),
        {"own": rc.measures.distance("phi_0")},
    ),
    "PAGE on a sum": (
        PLANE,
        rc.methods.PAGE(alpha=0.2, p=0.3, b=1),
        rc.methods.PAGE(alpha=0.2, p=0.31, b=1),
        (4, 4),
        {"own": rc.measures.form(lambda _problem, s: s.g).last()},
    ),
    "PAGE with a batch": (
        LINE,
        rc.methods.PAGE(alpha=0.3, p=0.125, b=2),
        rc.methods.PAGE(alpha=0.3, p=0.125, b=1),
        (3, 2),
        {"own": rc.measures.form(lambda problem, s: s.g - problem.gradient(s.x))},
    ),
    "PAGE with noise": (
        NOISY,
        rc.methods.PAGE(alpha=0.3, p=0.3),
        rc.methods.PAGE(alpha=0.3, p=0.31),
        (5, 4),
        {"own": rc.measures.form(lambda _problem, s: s.g).last()},
    ),
    "STORM": (
        NOISY,
        rc.methods.STORM(eta=SLOW, c=5.0, p=2),
        rc.methods.STORM(eta=SLOW, c=5.05, p=2),
        (5, 4),
        {"own": rc.measures.drift("d")},
    ),
    "STORM with a batch": (
        LINE,
        rc.methods.STORM(eta=0.2, c=5.0, p=2, B=2),
        rc.methods.STORM(eta=0.2, c=5.0, p=2, B=1),
        (3, 3),
        {"own": rc.measures.form(lambda _problem, s: s.d).last()},
    ),
}


def random_sum(seed: int, n: int, d: int) -> rc.worlds.FiniteSum:
    rng = np.random.default_rng([11, seed])
    roots = rng.standard_normal((n, d, d))
    return rc.worlds.FiniteSum(
        H=roots @ np.swapaxes(roots, 1, 2) + 0.2 * np.eye(d), a=rng.standard_normal((n, d))
    )


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("certified", [True, False])
@pytest.mark.parametrize("K", [1, 2])
def test_exact_moments_are_means_over_all_outcomes(name: str, certified: bool, K: int) -> None:
    world, solver, other, (alone, together), own = CASES[name]
    T = alone if K == 1 else together
    run: dict[str, Any] = {"K": K, "T": T, "x0": np.full(world.d_x, 1.5), "times": range(T)}
    run["measures"] = MEASURES | own
    exact = rc.expect(world, solver, **run, certified=certified)
    outcomes = rc.enumerate_outcomes(world, solver, **run)
    assert exact.certified == certified
    assert exact.values == pytest.approx(outcomes.values, rel=1e-12, abs=1e-20)
    for measure in run["measures"]:
        assert exact.curves.values[measure] == pytest.approx(
            outcomes.curves.values[measure], rel=1e-12, abs=1e-20
        )
    assert rc.expect(world, other, **run).values != pytest.approx(outcomes.values, rel=1e-4, abs=1e-20)


@pytest.mark.parametrize("name", CASES)
def test_sampling_agrees(name: str) -> None:
    """Five standard errors, probability 6e-7 each, fixed seed; a start that is a tenth farther off is seen."""
    world, solver, _, _, own = CASES[name]
    run: dict[str, Any] = {"K": 3, "T": 12, "x0": np.full(world.d_x, 1.5), "measures": MEASURES | own}
    sampled = rc.simulate(world, solver, **run, times=[], replicates=4000, seed=3)
    exact = rc.expect(world, solver, **run, times=[])
    off = {
        measure: abs(sampled.values[measure] - exact.values[measure])
        / (sampled.standard_error.values[measure] + 1e-15)
        for measure in exact.values
    }
    assert max(off.values()) <= 5
    shifted = rc.expect(world, solver, **run | {"x0": np.full(world.d_x, 1.65)}, times=[])
    assert abs(sampled.gap - shifted.gap) > 5 * sampled.standard_error.gap


class Differing:
    """Devices with finite sums of their own, and their mean."""

    def __init__(self, *devices: rc.worlds.FiniteSum) -> None:
        self.devices, self.d_x = devices, devices[0].d_x

    def gradient(self, x: Any) -> Any:
        first, *others = (device.gradient(x) for device in self.devices)
        return sum(others, first) / len(self.devices)

    def sample_f(self, bits: Any) -> Any:
        raise AssertionError("only devices draw")

    grad_f = sample_f


SAME_LENGTH = Differing(LINE, rc.worlds.FiniteSum(H=[3.0, 0.5, 1.0], a=[2.0, -1.0, 0.0]))
OTHER_LENGTH = Differing(LINE, rc.worlds.FiniteSum(H=[3.0, 0.5], a=[2.0, -1.0]))


@pytest.mark.parametrize(
    ("world", "solver", "T"),
    [
        (SAME_LENGTH, rc.methods.SAGA(alpha=0.1, n=3, p=3), 4),
        (OTHER_LENGTH, rc.methods.SGD(alpha=0.1, p=2), 4),
        (OTHER_LENGTH, rc.methods.SVRG(alpha=0.1, m=3), 4),
        (OTHER_LENGTH, rc.methods.PAGE(alpha=0.1, p=0.3), 4),
        (OTHER_LENGTH, rc.methods.STORM(eta=0.1, c=2.0, p=2), 4),
    ],
    ids=lambda value: type(value).__name__,
)
def test_on_devices_that_differ_too(world: Differing, solver: Any, T: int) -> None:
    """Each draws from its own terms: exact moments, all outcomes, and samples within five standard errors."""
    read = {"gradient": rc.measures.gradient(), "drift": rc.measures.drift("x")}
    run: dict[str, Any] = {"K": 2, "T": T, "x0": 1.5, "times": [], "measures": read}
    exact, outcomes = rc.expect(world, solver, **run), rc.enumerate_outcomes(world, solver, **run)
    assert exact.values == pytest.approx(outcomes.values, rel=1e-12, abs=1e-20)
    sampled = rc.simulate(world, solver, **run, replicates=4000, seed=5)
    for measure, value in exact.values.items():
        assert abs(sampled.values[measure] - value) <= 5 * sampled.standard_error.values[measure] + 1e-15
    alike = rc.expect(Differing(LINE, LINE), solver, **run)
    assert alike.gradient != pytest.approx(outcomes.gradient, rel=1e-2)


def test_costs_by_hand() -> None:
    """SAGA: n terms at the start, then one. PAGE: n with probability p, else b. STORM: B at the start, then one."""
    count = rc.contract.count
    saga = count(PLANE, rc.methods.SAGA(alpha=0.1, n=3, p=5), 20)
    assert (saga.samples_f, saga.rounds, saga.floats_sent) == (3 + 20, 4, 4 * (2 + 3 * 2))
    page = count(PLANE, rc.methods.PAGE(alpha=0.1, p=0.25, b=2), 20)
    assert (page.samples_f, page.rounds, page.floats_sent) == (3 + 20 * (0.25 * 3 + 0.75 * 2), 20, 20 * 4)
    storm = count(PLANE, rc.methods.STORM(eta=0.1, c=1.0, B=7, p=4), 20)
    assert (storm.samples_f, storm.rounds, storm.floats_sent) == (7 + 20, 5, 5 * 4)
    assert count(PLANE, rc.methods.PAGE(alpha=0.1, p=0.25, b=1), 20).samples_f != page.samples_f
    assert (
        count(OTHER_LENGTH, rc.methods.PAGE(alpha=0.1, p=0.25), 4).samples_f == 3 + 3 + 3
    )  # of the longer sum


def test_the_start_of_saga_is_the_full_gradient() -> None:
    """All points of the table are the first x, so that the first step is one of gradient descent, whatever is drawn."""
    run: dict[str, Any] = {
        "K": 1,
        "x0": [1.0, 1.0],
        "times": [],
        "measures": {"d": rc.measures.distance().last()},
    }
    saga, descent = rc.methods.SAGA(alpha=0.1, n=3), np.ones(2) - 0.1 * PLANE.gradient([1.0, 1.0])
    by_hand = float(np.sum((descent - PLANE.x_star) ** 2))
    assert rc.expect(PLANE, saga, T=1, **run).d == pytest.approx(by_hand, rel=1e-14)
    assert rc.expect(PLANE, saga, T=2, **run).d != pytest.approx(by_hand, rel=1e-3)


def lyapunov(world: rc.worlds.FiniteSum, gamma: float, mu: float) -> Any:
    """V of SAGA, with f_i(phi) - f_i(x*) - grad f_i(x*)'(phi - x*) = 1/2 (phi - x*)'H_i(phi - x*) of a quadratic."""

    def off(i: int) -> Any:
        return lambda problem, s: getattr(s, f"phi_{i}") - problem.x_star[:, None]

    n = world.n
    table = sum(rc.measures.form(off(i), weight=world.H[i] / (2 * n)) for i in range(n))
    return (table + 1 / (2 * n * gamma * (1 - mu * gamma)) * rc.measures.distance()).last()


def steps_of_saga(seed: int, times: float = 1.0) -> tuple[float, float]:
    """(E V_{T+1}/E V_T, 1 - gamma mu) of a random sum, for gamma = 1/(2(mu n + L)) or so many times as much."""
    rng = np.random.default_rng([12, seed])
    n, d = int(rng.integers(2, 6)), int(rng.integers(1, 3))
    world = random_sum(seed, n, d)
    mu, L = float(np.linalg.eigvalsh(world.H)[:, 0].min()), world.constants()["L_max"]
    gamma = 1 / (2 * (mu * n + L))
    solver, read = rc.methods.SAGA(alpha=times * gamma, n=n), {"V": lyapunov(world, gamma, mu)}
    T, x0 = int(rng.integers(1, 60)), rng.standard_normal(d)
    run: dict[str, Any] = {"K": 1, "x0": x0, "measures": read, "times": [], "certified": False}
    before, after = (rc.expect(world, solver, T=t, **run).V for t in (T, T + 1))
    return after / before, 1 - gamma * mu


@pytest.mark.parametrize("seed", range(40))
def test_saga_contracts_as_its_theorem_says(seed: int) -> None:
    """E V_{T+1} <= (1 - gamma mu) E V_T, from the tables of some steps."""
    factor, rho = steps_of_saga(seed)
    assert 0 < factor <= rho * (1 + 1e-12)


def test_saga_with_too_large_a_step_does_not() -> None:
    broken = [factor > rho for factor, rho in (steps_of_saga(seed, times=6.0) for seed in range(10))]
    assert sum(broken) >= 5


@pytest.mark.parametrize("seed", range(40))
def test_page_keeps_its_bound(seed: int) -> None:
    """The mean of E||grad F||^2 over t < T is at most 2 Delta_0/(eta T) for eta <= 1/(L (1 + sqrt((1 - p)/(p b))))."""
    rng = np.random.default_rng([13, seed])
    world = random_sum(seed, n=4, d=2)
    p, b, T = float(rng.uniform(0.05, 1.0)), int(rng.integers(1, 5)), int(rng.integers(1, 300))
    eta = 1 / (world.constants()["L_average"] * (1 + np.sqrt((1 - p) / (p * b))))
    x0 = rng.standard_normal(2)
    delta = float(world.objective(x0) - world.objective(world.x_star))
    run: dict[str, Any] = {"K": 1, "T": T, "x0": x0, "times": [], "certified": False}
    found = rc.expect(world, rc.methods.PAGE(alpha=eta, p=p, b=b), **run).gradient
    assert found <= 2 * delta / (eta * T)
    assert found >= float(np.sum(world.gradient(x0) ** 2)) / T * (1 - 1e-12)


def test_page_with_too_large_a_step_breaks_its_bound() -> None:
    world, p, T = random_sum(0, n=4, d=2), 0.05, 300
    eta = 2.5 / world.constants()["L"]
    run: dict[str, Any] = {"K": 1, "T": T, "x0": [1.0, -1.0], "times": [], "certified": False}
    delta = float(world.objective(np.array([1.0, -1.0])) - world.objective(world.x_star))
    assert rc.expect(world, rc.methods.PAGE(alpha=eta, p=p), **run).gradient > 2 * delta / (eta * T)


def test_a_long_run_of_saga_takes_seconds() -> None:
    """Nine points in the plane and 2^30 steps; the table converges, so that the sum over t is that of a shorter run."""
    world = random_sum(1, n=8, d=2)
    solver = rc.methods.SAGA(alpha=1 / (3 * world.constants()["L_max"]), n=8)
    begin = time.perf_counter()
    long = rc.expect(world, solver, K=1, T=2**30, x0=[1.0, 1.0], times=[])
    seconds = time.perf_counter() - begin
    print(f"SAGA, n = 8, d = 2, T = 2^30: {seconds:.2f} s")
    shorter = rc.expect(world, solver, K=1, T=2**20, x0=[1.0, 1.0], times=[])
    assert long.gap * 2**30 == pytest.approx(shorter.gap * 2**20, rel=1e-9)
    assert long.gap != pytest.approx(shorter.gap, rel=1e-1)
    assert seconds < 60


@pytest.mark.parametrize(
    ("world", "solver", "sentence"),
    [
        (
            NOISY,
            rc.methods.SAGA(alpha=0.1, n=3),
            "SAGA is a method for finite sums, and SingleLevel has no terms",
        ),
        (PLANE, rc.methods.SAGA(alpha=0.1, n=4), "n must be 3, the number of terms of this problem, got 4"),
        (rc.worlds.scalar(), rc.methods.STORM(eta=0.1, c=1.0), "STORM is a method for one level"),
        (rc.worlds.scalar(), rc.methods.PAGE(alpha=0.1, p=0.5), "PAGE is a method for one level"),
    ],
)
def test_a_problem_that_does_not_fit_is_refused(world: Any, solver: Any, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        solver.check(world)
    rc.methods.SAGA(alpha=0.1, n=3).check(PLANE)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: rc.methods.PAGE(alpha=0.1, p=1.5), r"p must lie in \(0, 1\], got 1.5"),
        (lambda: rc.methods.STORM(eta=1.0, c=2.0), r"c \* eta\^2 must lie in \(0, 1\], got 2"),
        (lambda: rc.methods.SAGA(alpha=0.1, n=0), "n must be a whole number >= 1, got 0"),
    ],
)
def test_a_mistake_is_one_sentence(make: Any, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        make()
