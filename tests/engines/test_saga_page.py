"""SAGA, PAGE and STORM: exact moments against all outcomes, on devices that differ too, and costs by hand."""

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
