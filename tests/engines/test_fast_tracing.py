"""What the fast engine writes down is what the algorithm does: expressions, traces, merged estimates, programs, signs.

Nothing here is compiled. A program is run on one lane by tests/oracles/one_lane.py and held against the step itself on
arrays, with the same signs.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from methods.test_conformance import DRAWS, LOCAL, make, suited
from oracles.mixed_world import Mixed, device
from oracles.one_lane import run_stage
from oracles.paths import Given
from ratecert.errors import NotTracedError
from ratecert.solvers import ALGORITHMS, CubeRoot, LocalBSGVRM, Power, Stage, State, expect
from ratecert.solvers.contract.counts import dimensions_of_state
from ratecert.solvers.engines.compiled import instructions
from ratecert.solvers.engines.compiled.expression import (
    ConstantVector,
    EntryByEntry,
    Leaf,
    Product,
    SignCounter,
    SignRow,
    SignVector,
    Sum,
    TracedSign,
    as_coefficient,
    as_expression,
    uses_of,
    written_out,
)
from ratecert.solvers.engines.compiled.instructions import NEXT_TERM, PLUS_PRODUCTS, PRODUCTS
from ratecert.solvers.engines.compiled.machine import Machine
from ratecert.solvers.engines.compiled.program import COUNT, OP
from ratecert.solvers.engines.compiled.trace import (
    ORIGIN,
    OverTimes,
    TracedEstimators,
    changing_schedules,
    over_times,
)
from ratecert.solvers.engines.monte_carlo.array_oracle import ArrayOracle
from ratecert.solvers.estimators.hypergradient import LowerGradient, StochasticNeumann
from ratecert.synthetic import heterogeneous, random_quadratic, wavy

pytestmark = pytest.mark.nightly

Array = NDArray[np.float64]

ALL_NOISE = {"sigma_H": 0.2, "sigma_J": 0.2, "s_f": 0.3, "s_g": 0.3}
QUADRATIC = random_quadratic(d_x=2, d_y=3, seed=5, **ALL_NOISE)
SQUARE = random_quadratic(d_x=2, d_y=2, seed=3, **ALL_NOISE)
WAVE = wavy(d=2, dial=1.3, A=[1.0, 2.0], E=0.3, B=[1.0, -1.5], a=0.2, b=0.4, s_f=0.3, s_g=0.2)
DIRECTIONS = replace(
    QUADRATIC,
    E=np.stack([QUADRATIC.E[0], 0.1 * np.eye(3), np.diag([0.1, 0.0, -0.1])]),
    F=np.stack([QUADRATIC.F[0], 0.2 * np.ones((3, 2))]),
)
WORLDS = {
    "quadratic": QUADRATIC,
    "directions": DIRECTIONS,
    "silent": replace(QUADRATIC, E=0.0, F=0.0, s_f=0.0, s_g=0.0),
}
TRACED = [name for name in ALGORITHMS if name not in DRAWS]
PAIRS = [(name, world) for name in TRACED for world in (*WORLDS, "wave") if (name, world) != ("STEM", "wave")]
VRM = LocalBSGVRM(**LOCAL | {"Q": 20, "theta": 0.05})


def machine_of(world: Any, solver: Any, **how: Any) -> Machine:
    return Machine(world, solver, dimensions_of_state(world, solver), **how)


def signs_of(machine: Machine, noise: Given, t: int) -> list[float]:
    """The sign of each slot of the program at iteration t."""
    readers = [(noise.reader(t + s.offset, s.label, s.member, 0), s.index) for s in machine.program.slots]
    return [float(reader.at(index, 1)[0, 0]) for reader, index in readers]


def some_fields(machine: Machine) -> dict[str, Array]:
    rng = np.random.default_rng(0)
    return {name: rng.standard_normal(d) for name, d in machine.fields.items()}


def stepped(
    world: Any, solver: Any, stage: int, fields: dict[str, Array], noise: Given, t: int
) -> dict[str, Array]:
    """By the algorithm's own step."""
    s = State(**{name: value[:, None].copy() for name, value in fields.items()})
    new = solver.stages[stage].step(t, s, ArrayOracle(world, noise))
    return {name: value[:, 0] for name, value in vars(new).items()}


def gap(one: dict[str, Array], other: dict[str, Array]) -> float:
    """The largest difference of two states, whose entries are of the order of 1."""
    assert set(one) == set(other)
    return max(float(np.abs(one[name] - other[name]).max()) for name in one)


# Programs do what the step does.


@pytest.mark.parametrize("merge", [True, False])
@pytest.mark.parametrize(("name", "world"), PAIRS)
def test_the_program_of_a_stage_is_its_step(name: str, world: str, merge: bool) -> None:
    """And with all signs turned around it is not."""
    problem = WAVE if world == "wave" else suited(name, WORLDS[world])
    solver, noise, t = make(name), Given(seed=1, K=1, replicates=1), 7
    machine = machine_of(problem, solver, merge=merge)
    fields, signs = some_fields(machine), signs_of(machine, noise, t)
    for stage in range(len(solver.stages)):
        direct = stepped(problem, solver, stage, fields, noise, t)
        assert gap(run_stage(machine, stage, fields, signs, t), direct) < 1e-13
    if signs:
        wrong = [-sign for sign in signs]
        assert gap(run_stage(machine, stage, fields, wrong, t), direct) > 1e-3


@dataclass(frozen=True)
class Own:
    """A method of one step."""

    step: Callable[..., State]

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (Stage(self.step, repeats=2, averaged=("x", "y")),)

    def start(self, s: State, oracle: Any) -> State:
        return s

    def check(self, problem: Any) -> None:
        pass

    def step_size(self, t: int) -> float:
        return 0.1


def g_of(t: int, oracle: Any, **how: Any) -> Callable[..., Any]:
    return oracle.sample(LowerGradient(), t, **how)


def one_for_two(t: int, s: State, oracle: Any) -> State:
    z = s.x + s.y
    return s.but(x=z, y=z)


def at_the_new_point(t: int, s: State, oracle: Any) -> State:
    moved = s.x - 0.1 * s.y
    return s.but(x=moved, y=s.y - 0.1 * g_of(t, oracle)(moved, s.y))


def used_twice(t: int, s: State, oracle: Any) -> State:
    g = g_of(t, oracle)(s.x, s.y)
    return s.but(x=s.x - 0.1 * g, y=s.y + 0.2 * g)


def of_itself(t: int, s: State, oracle: Any) -> State:
    g = g_of(t, oracle)
    return s.but(y=g(s.x, g(s.x, s.y)))


def difference(t: int, s: State, oracle: Any) -> State:
    g = g_of(t, oracle)
    return s.but(y=s.y - 0.1 * (g(s.x, s.y) - g(s.y, s.x)))


STEPS: dict[str, Callable[..., State]] = {
    "nothing": lambda t, s, o: s,
    "swap": lambda t, s, o: s.but(x=s.y, y=s.x),
    "turn": lambda t, s, o: s.but(x=s.y + 0.5 * s.x, y=s.x - 0.5 * s.y),
    "in place, second": lambda t, s, o: s.but(x=-0.1 * s.y + s.x),
    "in place, third": lambda t, s, o: s.but(x=-0.1 * s.y + 0.3 * s.y + s.x),
    "doubled": lambda t, s, o: s.but(x=s.x + s.x),
    "negative": lambda t, s, o: s.but(x=-1 * s.x, y=s.y - s.x),
    "nested": lambda t, s, o: s.but(x=s.x - 0.1 * (s.y - 0.2 * (s.x - 3 * s.y))),
    "one for two": one_for_two,
    "at the new point": at_the_new_point,
    "used twice": used_twice,
    "of itself": of_itself,
    "difference": difference,
    "estimate itself": lambda t, s, o: s.but(y=g_of(t, o)(s.x, s.y)),
    "batch": lambda t, s, o: s.but(y=g_of(t, o, batch=3)(s.x, s.y)),
    "last sample": lambda t, s, o: s.but(y=s.y - 0.1 * g_of(max(t - 1, 0), o)(s.x, s.y)),
}


@pytest.mark.parametrize("merge", [True, False])
@pytest.mark.parametrize("step", STEPS)
def test_steps_that_read_what_they_write(step: str, merge: bool) -> None:
    """Fields that change places, are used twice or are changed in place; another step is another state."""
    solver, noise, t = Own(STEPS[step]), Given(seed=2, K=1, replicates=1), 9
    machine = machine_of(SQUARE, solver, merge=merge)
    fields = some_fields(machine)
    found = run_stage(machine, 0, fields, signs_of(machine, noise, t), t)
    assert gap(found, stepped(SQUARE, solver, 0, fields, noise, t)) < 1e-13
    others = [Own(other) for name, other in STEPS.items() if name != step]
    assert min(gap(found, stepped(SQUARE, other, 0, fields, noise, t)) for other in others) > 1e-3


@pytest.mark.parametrize(
    "eta",
    [
        CubeRoot(scale=0.1),
        CubeRoot(scale=0.1, floor=3.5),
        CubeRoot(scale=0.2, floor=9.0),
        Power(scale=0.1, exponent=0.5),
    ],
    ids=repr,
)
@pytest.mark.parametrize("t", [1, 2, 7, 8, 500])
@pytest.mark.parametrize("name", ["LocalBSGM", "LocalBSGVRM"])
def test_step_sizes_that_change(name: str, t: int, eta: Any) -> None:
    """Those of t, where t - 1 belongs to the momentum and t to the move; half the step is seen."""
    solver, noise = make(name, eta=eta), Given(seed=1, K=1, replicates=1)
    machine = machine_of(QUADRATIC, solver)
    fields, signs = some_fields(machine), signs_of(machine, noise, t)
    found = run_stage(machine, 0, fields, signs, t)
    assert gap(found, stepped(QUADRATIC, solver, 0, fields, noise, t)) < 1e-13
    half = make(name, eta=type(eta)(**vars(eta) | {"scale": eta.scale / 2}))
    assert gap(found, stepped(QUADRATIC, half, 0, fields, noise, t)) > 1e-6


def test_coefficients_of_a_stretch_are_those_of_each_time() -> None:
    machine = machine_of(QUADRATIC, make("LocalBSGVRM", eta=CubeRoot(scale=0.2, floor=9.0)))
    stretch = machine.coefficients(range(3, 12))
    for i, t in enumerate(range(3, 12)):
        np.testing.assert_allclose(stretch[i], machine.coefficients([t])[-1], rtol=1e-15)
    assert np.abs(stretch[-1] - stretch[0]).max() > 1e-3
    constant = machine_of(QUADRATIC, make("LocalBSGVRM"))
    assert len(constant.coefficients(range(3, 12))) == 1


# One chain instead of two.


def products(machine: Machine) -> int:
    """Matrices times vectors in one step."""
    table = machine.program.table
    return int(table[np.isin(table[:, OP], (PRODUCTS, PLUS_PRODUCTS, NEXT_TERM)), COUNT].sum())


def test_one_neumann_chain_where_the_world_is_affine() -> None:
    one, two = (machine_of(QUADRATIC, VRM, merge=merge) for merge in (True, False))
    assert 2 * products(one) == products(two)
    assert one.program.flops < 0.55 * two.program.flops
    assert one.program.slots == two.program.slots  # the sample is the same


def test_two_chains_where_it_is_not() -> None:
    one, two = (machine_of(WAVE, VRM, merge=merge) for merge in (True, False))
    np.testing.assert_array_equal(one.program.table, two.program.table)
    flat = wavy(d=2, dial=0.0, E=0.3, s_f=0.3)
    one, two = (machine_of(flat, VRM, merge=merge) for merge in (True, False))
    assert products(one) < products(two)


@pytest.mark.parametrize("name", ["LocalBSGVRM", "FedBiOAcc", "MRBO", "VRBO"])
def test_variance_reduced_methods_have_one_chain(name: str) -> None:
    one, two = (machine_of(QUADRATIC, make(name, Q=20, theta=0.05), merge=merge) for merge in (True, False))
    assert products(one) < 0.7 * products(two)  # VRBO restarts from one point
    plain = (
        machine_of(QUADRATIC, make("LocalBSGM", Q=20, theta=0.05), merge=merge) for merge in (True, False)
    )
    assert len({products(machine) for machine in plain}) == 1  # one point, nothing to merge


def test_merging_what_is_not_affine_would_be_another_number(monkeypatch: pytest.MonkeyPatch) -> None:
    noise, t = Given(seed=1, K=1, replicates=1), 7
    right = machine_of(WAVE, VRM)
    fields, signs = some_fields(right), signs_of(right, noise, t)
    direct = stepped(WAVE, VRM, 0, fields, noise, t)
    assert gap(run_stage(right, 0, fields, signs, t), direct) < 1e-13
    monkeypatch.setattr(EntryByEntry, "affine", True)
    wrong = machine_of(WAVE, VRM)
    assert products(wrong) < products(right)
    assert gap(run_stage(wrong, 0, fields, signs, t), direct) > 1e-2


# What cannot be traced is refused.


def fixed_sample(t: int, s: State, oracle: Any) -> State:
    return s.but(y=s.y - 0.1 * g_of(5, oracle)(s.x, s.y))


def first_sample(t: int, s: State, oracle: Any) -> State:
    return s.but(y=s.y - 0.1 * g_of(0, oracle)(s.x, s.y))


def every_second_sample(t: int, s: State, oracle: Any) -> State:
    return s.but(y=s.y - 0.1 * g_of(2 * t, oracle)(s.x, s.y))


def another_estimator(t: int, s: State, oracle: Any) -> State:
    h = oracle.sample(StochasticNeumann(theta=0.1 / (1 + t), Q=2, label=f"at {t}"), t)
    return s.but(x=s.x - 0.1 * h(s.x, s.y))


TIMED: dict[str, Callable[..., State]] = {
    "decay": lambda t, s, o: s.but(x=s.x - 0.1 / (1 + t) * s.y),
    "parity": lambda t, s, o: s.but(x=s.x - (0.1 if t % 2 else 0.2) * s.y),
    "every fifth": lambda t, s, o: s.but(x=s.x - (0.1 if t % 5 == 0 else 0.2) * s.y),
    "the second": lambda t, s, o: s.but(x=s.x - (0.1 if t == 1 else 0.2) * s.y),
    "another step later": lambda t, s, o: s if t < 100 else s.but(x=s.x - 0.1 * s.y),
    "fixed sample": fixed_sample,
    "first sample": first_sample,
    "every second sample": every_second_sample,
    "another estimator": another_estimator,
}


@pytest.mark.parametrize("noisy", [True, False])
@pytest.mark.parametrize("step", TIMED)
def test_a_step_that_depends_on_t_is_refused(step: str, noisy: bool) -> None:
    world = SQUARE if noisy else replace(SQUARE, E=0.0, F=0.0, s_f=0.0, s_g=0.0)
    if not noisy and step.endswith("sample"):
        machine_of(world, Own(TIMED[step]))  # there is nothing in the sample
        return
    with pytest.raises(NotTracedError, match="depends on t other than through schedules"):
        machine_of(world, Own(TIMED[step]))


@pytest.mark.parametrize("special", [4, 64, 512])
def test_a_step_that_is_another_at_a_power_of_two_is_refused(special: int) -> None:
    with pytest.raises(NotTracedError, match="depends on t other than through schedules"):
        machine_of(SQUARE, Own(lambda t, s, o: s.but(x=s.x - (0.1 if t == special else 0.2) * s.y)))


@pytest.mark.parametrize("name", DRAWS)
def test_random_numbers_that_are_not_signs_are_refused(name: str) -> None:
    with pytest.raises(NotTracedError, match=r"draws which steps are taken|samples draw whole numbers"):
        machine_of(QUADRATIC, make(name))


def bent(t: int, s: State, oracle: Any) -> State:
    return s.but(x=s.x - 0.1 * np.tanh(s.y))


def bent_by_known_functions(t: int, s: State, oracle: Any) -> State:
    return s.but(x=s.x - 0.1 * np.sin(s.y))


def signed(t: int, s: State, oracle: Any) -> State:
    return s.but(x=np.where(s.x > 0, s.x, s.y))


def entry(t: int, s: State, oracle: Any) -> State:
    return s.but(x=s.x * s.x[0])


@pytest.mark.parametrize(
    ("step", "what"),
    [
        *((bent, "not made of"), (signed, "not made of"), (entry, "not made of")),
        (bent_by_known_functions, "EntryByEntry outside of estimates"),
    ],
)
def test_a_step_that_is_more_than_sums_is_refused(step: Callable[..., State], what: str) -> None:
    fields = {"x": 2, "y": 2}
    with pytest.raises(NotTracedError, match=what):
        Machine(SQUARE, Own(step), fields)
    Machine(SQUARE, Own(STEPS["turn"]), fields)


def test_a_step_that_changes_the_fields_is_refused() -> None:
    fields = {"x": 2, "y": 2}
    with pytest.raises(NotTracedError, match=r"\['x', 'y'\] into \['x', 'y', 'z'\]"):
        Machine(SQUARE, Own(lambda t, s, o: s.but(z=s.x)), fields)


def test_a_program_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    longest = len(machine_of(QUADRATIC, VRM).program.table)
    monkeypatch.setattr(instructions, "LONGEST", longest)
    machine_of(QUADRATIC, VRM)
    monkeypatch.setattr(instructions, "LONGEST", longest - 1)
    with pytest.raises(NotTracedError, match=f"more than {longest - 1} instructions"):
        machine_of(QUADRATIC, VRM)


def test_devices_may_differ_in_matrices_and_constants_only() -> None:
    solver, spread = make("LocalBSGM"), [0, 1, 2]
    same_noise = Mixed([device(i, E=0.2, s_g=0.3) for i in spread])
    assert len(machine_of(same_noise, solver).program.matrices) == 3
    assert len(machine_of(heterogeneous(K=4, s_g=0.3), solver).program.constants) == 4
    for noise in ("s_f", "s_g"):
        levels = Mixed([device(i, **{noise: 0.1 * (1 + i)}) for i in spread])
        with pytest.raises(NotTracedError, match="differ in more than"):
            machine_of(levels, solver)
        some = Mixed([device(i, **{noise: 0.3 * (i > 0)}) for i in spread])
        with pytest.raises(NotTracedError, match="differ in more than"):
            machine_of(some, solver)


# Expressions.

x, y = Leaf("x", 2), Leaf("y", 2)


def test_arithmetic_is_written_down() -> None:
    M = np.arange(6.0).reshape(3, 2)
    for product in (M @ x, np.matmul(M, x)):
        assert isinstance(product, Product)
        assert (product.d, product.sign, product.operand) == (3, None, x)
        np.testing.assert_array_equal(product.M, M)
    assert (x + y).terms == ((1.0, x), (1.0, y))  # type: ignore[attr-defined]
    assert (x - y).terms == ((1.0, x), (-1.0, y))  # type: ignore[attr-defined]
    assert (-x).terms == ((-1.0, x),)  # type: ignore[attr-defined]
    assert (np.float64(3) * x).terms == ((3.0, x),)  # type: ignore[attr-defined]
    column = np.array([[1.0], [2.0]])
    for value, signs in ((x - column, (1, -1)), (column - x, (-1, 1)), (column + x, (1, 1))):
        coefficients = {type(term): c for c, term in value.terms}
        assert (coefficients[Leaf], coefficients[ConstantVector]) == signs
    np.testing.assert_array_equal(as_expression(2, 3).values, [2.0, 2.0, 2.0])  # type: ignore[attr-defined]


def test_what_is_affine_is_known() -> None:
    M = np.eye(2)
    for affine in (x, x + y, 2 * x, M @ (x - y), TracedSign(0) * (M @ x), 0.3 * SignRow(0, 2) + x):
        assert affine.affine
    for bent_value in (x * y, np.sin(x), x + np.cos(y), M @ (x * x), TracedSign(0) * (M @ np.sin(x))):
        assert not bent_value.affine


def test_signs_are_numbered_within_their_draw() -> None:
    bits = SignCounter()
    first, second = bits.signs(2), bits.signs(3)
    assert [sign.number for sign in first] == [0, 1]
    assert [sign.number for sign in second] == [2, 3, 4]
    assert (bits.used, len(second)) == (5, 3)
    (term,) = (0.3 * second).terms  # type: ignore[attr-defined]
    assert term[0] == 0.3
    assert (term[1].first, term[1].d) == (2, 3)
    assert isinstance(term[1], SignVector)


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        (lambda: x + Leaf("z", 3), "dimensions"),
        (lambda: np.eye(3) @ x, "multiplies a vector of length 2"),
        (lambda: x * Leaf("z", 3), "dimensions differ"),
        (lambda: x + np.ones(2), "ndarray is added"),
        (lambda: x * np.ones((2, 2)), "ndarray multiplies"),
        (lambda: x * "2", "str multiplies"),
        (lambda: TracedSign(0) * x, "a sign multiplies"),
        (lambda: TracedSign(1) * (TracedSign(0) * (np.eye(2) @ x)), "a sign multiplies"),
        (lambda: SignCounter().whole(3), "whole numbers"),
        (lambda: as_coefficient(None), "NoneType multiplies"),
    ],
)
def test_what_cannot_be_written_down_is_refused(wrong: Callable[[], Any], what: str) -> None:
    with pytest.raises(NotTracedError, match=what):
        wrong()


def test_other_functions_are_refused() -> None:
    for wrong in (lambda: np.exp(x), lambda: np.maximum(x, 0), lambda: np.add.reduce(x), lambda: x > 0):
        with pytest.raises(TypeError):
            wrong()


def test_sums_are_written_out_unless_something_else_uses_them() -> None:
    inner = x - y
    once = 2 * (inner + x)
    terms = list(written_out(once, uses_of([once])))  # type: ignore[arg-type]
    assert terms == [(2.0, x), (-2.0, y), (2.0, x)]
    terms = list(written_out(once, uses_of([once, inner])))  # type: ignore[arg-type]
    assert terms == [(2.0, inner), (2.0, x)]
    shared = Sum(((1.0, inner), (0.5, inner)))
    assert list(written_out(shared, uses_of([shared]))) == [(1.0, inner), (0.5, inner)]


def test_an_estimator_is_traced_once() -> None:
    bodies = TracedEstimators(QUADRATIC)
    first = bodies.of(LowerGradient(), (2, 3))
    assert bodies.of(LowerGradient(), (2, 3)) is first
    assert first.signs == 1 + 1 + 3  # e, e' and n
    assert bodies.of(StochasticNeumann(theta=0.1, Q=4), (2, 3)).signs == 2 + 3 + 1 + 4
    assert bodies.of(StochasticNeumann(theta=0.1, Q=5), (2, 3)) is not bodies.of(
        StochasticNeumann(theta=0.1, Q=4), (2, 3)
    )


# Time.


def test_a_schedule_at_all_times_of_a_stretch() -> None:
    schedule = CubeRoot(scale=0.3)
    over = OverTimes(schedule, (4, 5, 9))
    np.testing.assert_array_equal(over(ORIGIN), [schedule(t) for t in (4, 5, 9)])
    np.testing.assert_array_equal(over(ORIGIN - 1), [schedule(t) for t in (3, 4, 8)])
    assert over(ORIGIN)[0] != over(ORIGIN)[1]
    assert (over.largest, over.constant_until) == (schedule.largest, schedule.constant_until)


def test_schedules_that_change_are_known() -> None:
    solver = make("LocalBSGM", eta=CubeRoot(scale=0.1, offset=2.0, floor=12.0))  # constant until 10
    assert changing_schedules(solver, range(1, 10)) == {}
    assert changing_schedules(solver, range(1, 11)) == {"eta": solver.eta}  # at 11, one beyond, it is smaller
    assert changing_schedules(make("LocalBSGM"), range(10**6, 10**6 + 1)) == {}
    assert (
        changing_schedules(make("LocalBSGM", eta=CubeRoot(scale=0.1, floor=3.5)), [1]) != {}
    )  # other at ORIGIN
    assert isinstance(over_times(solver, [11]).eta, OverTimes)
    assert over_times(solver, [5]).eta is solver.eta


def test_step_sizes_that_change_need_a_dataclass() -> None:
    class Plain:
        def __init__(self, eta: Any) -> None:
            self.eta = eta

        stages = Own.stages
        start, check = Own.start, Own.check

        def step_size(self, t: int) -> float:
            return self.eta(t)

        def step(self, t: int, s: State, oracle: Any) -> State:
            return s.but(x=s.x - self.eta(t) * s.y)

    fields = {"x": 2, "y": 2}
    with pytest.raises(NotTracedError, match="not a dataclass"):
        Machine(SQUARE, Plain(CubeRoot(scale=0.1)), fields)
    Machine(SQUARE, Plain(make("LocalBSGM").eta), fields)


def test_the_exact_engine_still_refuses_a_wave() -> None:
    """A world with a sine lets engines' own vectors through; those of the moment engine have no sine."""
    how = {"K": 2, "T": 3, "x0": np.ones(2), "y0": np.ones(2)}
    with pytest.raises((TypeError, ValueError), match="sine"):
        expect(WAVE, make("LocalBSGM"), **how)
    assert expect(wavy(d=2, dial=0.0), make("LocalBSGM"), **how).gradient > 0
