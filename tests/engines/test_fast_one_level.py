"""The fast engine on one level is the numpy engine, number for number."""

from typing import Any

import numpy as np
import pytest

import ratecert as rc
from engines.test_fast_engine import relative
from ratecert.explore.methods import EXAMPLES
from ratecert.solvers import ONE_LEVEL
from ratecert.solvers.contract.result import Result

pytestmark = pytest.mark.nightly

SPECTRUM = (1.0, 2.0, 4.0)
LINE = rc.worlds.SingleLevel
DESCENT = {"alpha": 0.1, "p": 4}
HYPERPARAMETERS: dict[str, dict[str, Any]] = {
    **EXAMPLES[1],
    "FISTA": DESCENT,
    "OGM": DESCENT | {"N": 8},
    "ITEM": DESCENT | {"q": 0.1},
    "Halpern": DESCENT,
}
WORLDS: dict[str, Any] = {
    "every noise": rc.worlds.single_level(SPECTRUM, a=0.3, noise_H=0.2, correlated=0.3, s=0.5, seed=1),
    "additive noise": rc.worlds.single_level(SPECTRUM, s=0.5, seed=1),
    "correlated noise": rc.worlds.single_level(SPECTRUM, correlated=0.5, seed=1),
    "two directions": LINE(
        H=np.diag([1.0, 2.0]), a=[0.5, -1.0], E=[0.2 * np.eye(2), np.ones((2, 2)) / 5], s=0.1
    ),
    "differ": rc.worlds.federated(SPECTRUM, K=3, dial=0.5, noise_H=0.2, s=0.5, seed=1),
    "turned": rc.worlds.LinearMap(M=[[0.5, 0.5], [-0.5, 0.5]], b=[1.0, 0.0]),
}
PLAIN = [name for name in ONE_LEVEL if name not in ("SVRG", "SAGA", "PAGE", "FedAvg", "ProxSkip", "FedProx")]


def run(world: Any, solver: Any, engine: str, **changes: Any) -> Result:
    settings = {
        "K": 3,
        "T": 41,
        "x0": np.linspace(1.0, 1.5, world.d_x),
        "replicates": 70,
        "seed": 1,
        **changes,
    }
    return rc.simulate(world, solver, engine=engine, **settings)


def gap(one: Result, other: Result) -> float:
    """Over averages, curves and standard errors, which are as exact as the values that they belong to."""
    assert one.values.keys() == other.values.keys()
    (a, c, e), (b, d, f) = (
        [np.array([*each.values.values()]) for each in (result, result.curves, result.standard_error)]
        for result in (one, other)
    )
    return max(relative(a, b), relative(c, d), float(np.max(np.abs(e - f) / (e + 1e-3 * a + 1e-12))))


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("name", PLAIN)
def test_every_method_with_plain_stages_on_every_world(name: str, world: str) -> None:
    """And with the signs of another seed, or from another start, they differ."""
    solver = ONE_LEVEL[name](**HYPERPARAMETERS[name])
    expected = run(WORLDS[world], solver, "numpy")
    assert ("gap" in expected.values) == (world != "turned")  # which is not the gradient of a function
    assert gap(expected, run(WORLDS[world], solver, "numba")) < 1e-9
    silent = name == "LocalGD" or world == "turned"
    other = {"x0": np.full(WORLDS[world].d_x, 1.1)} if silent else {"seed": 2}
    assert gap(expected, run(WORLDS[world], solver, "numba", **other)) > 1e-6
