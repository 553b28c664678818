"""A function is a method: the same moments as the class that is written by hand, and refusals with the user's line."""

import pickle
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.short.methods import method_of

WORLD = rc.worlds.SingleLevel(H=np.diag([2.0, 0.5]), s=0.25)
SUM = rc.worlds.FiniteSum(H=[np.eye(2), 3 * np.eye(2)], a=[[1.0, 0.0], [0.0, -1.0]])
START = {"x": [1.0, -2.0]}


def sgd(x: Any, grad: Any, *, alpha: Any) -> Any:
    return x - alpha * grad(x)


def heavy_ball(x: Any, m: Any = 0, *, grad: Any, alpha: Any, beta: Any) -> Any:
    m = beta * m + grad(x)
    return x - alpha * m, m


def storm(x: Any, u: Any = lambda x, grad: grad(x), last: Any = "x", *, grad: Any, eta: Any, c: Any) -> Any:
    moved = x - eta * u
    a = c * eta**2
    u = grad(moved, sample="next") + (1 - a) * (u - grad(x, sample="next"))
    return moved, u, x


def nesterov(x: Any, y: Any = "x", *, grad: Any, alpha: Any, beta: Any) -> Any:
    after = y - alpha * grad(y)
    return after, after + beta * (after - x)


def schedule(x: Any, grad: Any, t: Any, *, alpha: Any) -> Any:
    return x - (0.5 if t == 0 else 1.0) * alpha * grad(x)


def measured(method: Any, K: int = 3, T: int = 7, world: Any = WORLD) -> Any:
    names = {"gap": rc.measures.gap().last(), "drift": rc.measures.drift("x")}
    return rc.expect(world, method, K=K, T=T, start=START, measures=names)


PAIRS = {
    "sgd": (method_of(sgd)(alpha=0.1), rc.methods.SGD(alpha=0.1)),
    "local": (method_of(rc.local(sgd, every=4))(alpha=0.1), rc.methods.SGD(alpha=0.1, p=4)),
    "momentum": (method_of(heavy_ball)(alpha=0.1, beta=0.5), rc.methods.HeavyBall(alpha=0.1, beta=0.5)),
    "a field y": (method_of(nesterov)(alpha=0.1, beta=0.5), rc.methods.Nesterov(alpha=0.1, beta=0.5)),
    "x-alone": (
        method_of(rc.local(heavy_ball, every=2, average=("x", "m")))(alpha=0.1, beta=0.5),
        rc.methods.HeavyBall(alpha=0.1, beta=0.5, p=2),
    ),
    "falling": (
        method_of(sgd)(alpha=rc.contract.Power(scale=1.0, offset=3.0, exponent=1.0)),
        rc.methods.SGD(alpha=rc.contract.Power(scale=1.0, offset=3.0, exponent=1.0)),
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_it_has_the_moments_of_the_class(name: str) -> None:
    ours, theirs = map(measured, PAIRS[name])
    assert ours.gap == pytest.approx(theirs.gap, rel=1e-12)
    assert ours.drift == pytest.approx(theirs.drift, rel=1e-12, abs=1e-15)


def test_named_samples_are_shared_and_others_are_not() -> None:
    """The difference of two gradients with one sample has no added noise; with two it has twice as much."""

    def shared(x: Any, w: Any = "x", *, grad: Any) -> Any:
        return x + grad(x, sample="a") - grad(w, sample="a"), w

    def apart(x: Any, w: Any = "x", *, grad: Any) -> Any:
        return x + grad(x) - grad(w), w

    def exact(x: Any, w: Any = "x", *, grad: Any) -> Any:
        return x + grad.full(x) - grad.full(w), w

    gaps = [measured(method_of(each)(), K=1, T=1).gap for each in (shared, apart, exact)]
    assert gaps[0] == pytest.approx(gaps[2])
    assert gaps[1] == pytest.approx(gaps[2] + 0.5 * 2.5 * 2 * 0.25**2)


def test_a_start_is_a_function_of_what_came_before() -> None:
    ours = measured(method_of(storm)(eta=0.1, c=5.0), K=1, world=SUM)
    sampled = rc.simulate(
        SUM, method_of(storm)(eta=0.1, c=5.0), K=1, T=7, start=START, replicates=20000, seed=1,
        measures={"gap": rc.measures.gap().last()},
    )  # fmt: skip
    assert abs(sampled.gap - ours.gap) < 5 * sampled.standard_error.gap


def test_t_is_there_for_a_step_that_asks() -> None:
    assert measured(method_of(schedule)(alpha=0.1), T=1).gap != measured(method_of(sgd)(alpha=0.1), T=1).gap
    assert measured(method_of(schedule)(alpha=0.1), T=1).gap == measured(method_of(sgd)(alpha=0.05), T=1).gap


def test_the_class_is_made_again_in_another_process() -> None:
    made = method_of(rc.local(heavy_ball, every=2, average="x"))(alpha=0.1, beta=0.5)
    again = pickle.loads(pickle.dumps(made))
    assert (again.given.average, again.stages[0].repeats, again.alpha) == (("x",), 2, 0.1)
    assert measured(again).gap == measured(made).gap


def branches(x: Any, grad: Any, *, alpha: Any) -> Any:
    return x - alpha * grad(x) if x > 0 else x


def multiplies(x: Any, grad: Any, *, alpha: Any) -> Any:
    return x - alpha * x * grad(x)


def divides(x: Any, grad: Any, *, alpha: Any) -> Any:
    return x - grad(x) / x


def falls(x: Any, grad: Any, t: Any, *, alpha: Any) -> Any:
    return x - alpha / (t + 1) * grad(x)


def drops(x: Any, m: Any = 0, *, grad: Any) -> Any:
    return x - grad(x)


def counts(x: Any, grad: Any) -> Any:
    return 3


def unstarted(x: Any, m: Any, grad: Any) -> Any:
    return x, m


def elsewhere(x: Any, m: Any = 1, *, grad: Any) -> Any:
    return x, m


def many(x: Any, *others: Any, grad: Any) -> Any:
    return x


def fieldless(y: Any = 0, *, x: Any) -> Any:
    return y


def weights(w: Any, grad: Any, *, alpha: Any) -> Any:
    return w - alpha * grad(w)


REFUSED = [
    (
        branches,
        r"test_functions.py, line \d+: return x - alpha \* grad\(x\) if x > 0 else x: .* no branch on a field",
    ),
    (multiplies, r"line \d+: return x - alpha \* x \* grad\(x\): .*no product of two"),
    (divides, r"1 / c \* x for x / c"),
    (falls, r"falls \(test_functions.py, line \d+\) changes with t; .*rc.contract.Power"),
    (
        drops,
        r"drops \(test_functions.py, line \d+\) returns 1 fields and takes 2: x, m; .*in this order",
    ),
    (counts, "returns 3 as the next x"),
    (unstarted, "the field m without a start; write m=0"),
    (elsewhere, "starts m at 1; a field starts at 0, at another field"),
    (many, r"has \*others"),
    *((step, "must have x as its first field") for step in (fieldless, weights)),
    (rc.local(sgd, every=2, average="v"), "has no field 'v' to average"),
    ("sgd", "the method must be a function"),
]


@pytest.mark.parametrize(("step", "says"), REFUSED, ids=lambda each: getattr(each, "__name__", ""))
def test_what_cannot_be_read_is_refused_with_its_line(step: Any, says: str) -> None:
    with pytest.raises(rc.errors.RatecertError, match=says):
        method_of(step)


def test_a_period_is_a_letter_or_a_count() -> None:
    with pytest.raises(
        rc.errors.UserError, match="every must be a letter such as p, or a whole number >= 1, got 0"
    ):
        rc.local(sgd, every=0)
    with pytest.raises(rc.errors.UserTypeError, match="step must be a function"):
        rc.local("sgd", every=2)  # type: ignore[arg-type]


def test_a_step_of_zero_moves_nothing_and_draws_no_noise() -> None:
    """A counterexample that is made simple may have one."""
    world, still = rc.worlds.SingleLevel(H=2.0, s=0.5), method_of(sgd)(alpha=0.0)
    found = rc.expect(world, still, K=1, T=3, x0=[1.0], measures={"d": rc.measures.distance().last()})
    assert found.d == 1.0
