"""What every algorithm of the package keeps: a new one joins by its line in solvers.ALGORITHMS and an example here."""

import numpy as np
import pytest

from solvers import ALGORITHMS, enumerate_outcomes, expect, simulate
from solvers.counts import Size, Tally, TallyOracle, count
from solvers.result import MEASURES
from solvers.stage import State
from synthetic import random_quadratic, scalar

LOCAL = {"eta": 0.1, "alpha": 2.0, "beta": 2.0, "rho_1": 0.2, "rho_2": 0.5, "p": 2, "theta": 0.15, "Q": 1}
EXAMPLES = {"LocalBSGM": LOCAL, "LocalBSGVRM": LOCAL}
every = pytest.mark.parametrize("name", ALGORITHMS)


def make(name: str):
    if name not in EXAMPLES:
        pytest.fail(
            f"{name} is in solvers.ALGORITHMS but has no example in tests/test_conformance.py; add one line."
        )
    return ALGORITHMS[name](**EXAMPLES[name])


def values(result) -> list[float]:
    return [getattr(result, measure) for measure in MEASURES]


@every
def test_all_engines_agree(name: str) -> None:
    """Enumeration = exact moments to 1e-13; sampling to 5 standard errors (probability 6e-7 each, fixed seed)."""
    world, run = scalar(sigma_H=0.3, a=1.0, b=0.5), {"K": 2, "T": 3, "x0": 1.0, "y0": 1.0}
    outcomes = enumerate_outcomes(world, make(name), **run)
    np.testing.assert_allclose(
        values(expect(world, make(name), **run)), values(outcomes), rtol=1e-12, atol=1e-20
    )
    sampled = simulate(world, make(name), replicates=2000, seed=0, **run)
    for measure in MEASURES:
        error = getattr(sampled.standard_error, measure)
        assert abs(getattr(sampled, measure) - getattr(outcomes, measure)) <= 5 * error + 1e-20


@every
def test_steps_are_pure(name: str) -> None:
    """A step neither changes the state it is given nor remembers anything."""
    world, solver = random_quadratic(d_x=2, d_y=3, s_f=0.1, s_g=0.1, seed=0), make(name)
    run = {"K": 2, "T": 6, "x0": np.ones(2), "y0": np.ones(3), "replicates": 3, "seed": 0}
    start = {"x0": run["x0"].copy(), "y0": run["y0"].copy()}
    assert values(simulate(world, solver, **run)) == values(simulate(world, solver, **run))
    np.testing.assert_array_equal(run["x0"], start["x0"])
    np.testing.assert_array_equal(run["y0"], start["y0"])


@every
def test_without_noise_the_iterates_go_to_the_solution_up_to_the_neumann_bias(name: str) -> None:
    """grad Phi(x) at the end is within the bias of the truncated sum, which 81 terms make negligible."""
    world = random_quadratic(d_x=2, d_y=2, seed=3)
    solver = type(make(name))(**{**EXAMPLES[name], "eta": 0.05, "rho_1": 0.02, "Q": 80})
    result = expect(world, solver, K=2, T=10**6, x0=np.ones(2), y0=np.ones(2), times=[10**6])
    assert result.curves.gradient[-1] < 1e-8
    assert result.curves.tracking[-1] < 1e-8


@every
def test_every_averaged_field_exists_and_costs_are_counted(name: str) -> None:
    world, solver = random_quadratic(d_x=2, d_y=3, seed=0), make(name)
    state = solver.stages[0].step(1, _first(world, solver), TallyOracle(Tally(world)))
    for stage in solver.stages:
        assert set(stage.averaged) <= set(vars(state))
    counts = count(world, solver, 10)
    assert counts.samples_f >= 10
    assert counts.rounds > 0


def _first(world, solver) -> State:
    oracle = TallyOracle(Tally(world))
    state = solver.start(State(x=Size(world.d_x), y=Size(world.d_y)), oracle)
    return solver.stages[0].step(0, state, oracle)
