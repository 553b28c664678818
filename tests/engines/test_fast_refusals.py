"""What the fast engine does not run, it refuses in one sentence, and leaves to numpy without a word. Needs no numba."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from engines.test_draws import Lazy
from ratecert.solvers.contract.experiment import Experiment, prepare
from ratecert.solvers.engines.engine_choice import machine_for, preferred_engine

ALIKE = rc.worlds.single_level([1.0, 2.0], noise_H=0.2, s=0.5)
EQUAL = rc.worlds.federated([1.0, 2.0], K=3, dial=0.5, s=0.5)
WEIGHTED = rc.worlds.federated([1.0, 2.0], K=3, dial=0.5, s=0.5, weights=[0.5, 0.25, 0.25])
SUM = rc.worlds.FiniteSum(H=[1.0, 3.0], a=[0.0, 1.0])
PLAIN = rc.worlds.random_quadratic(d_x=2, d_y=2, seed=3, s_f=0.3)
SGD = rc.methods.SGD(alpha=0.1, p=4)
LOCAL = rc.methods.LocalBSGM(eta=0.1, alpha=2.0, beta=2.0, rho_1=0.2, rho_2=0.5, p=2, theta=0.15, Q=1)


class Curved:
    """A problem on one level whose gradient is not affine."""

    d_x = 2

    def gradient(self, x: Any) -> Any:
        return x + np.sin(x)

    def sample_f(self, bits: Any) -> None: ...

    def grad_f(self, xi: None, x: Any) -> Any:
        return x + np.sin(x)


def two_levels(weights: Sequence[float]) -> Any:
    """Devices on two levels with weights, which no constructor makes, but anybody may."""
    world = rc.worlds.heterogeneous(d_x=2, d_y=2, K=3, dial=0.3, s_f=0.1)
    names = {n for n in dir(world) if not n.startswith("_")}
    return SimpleNamespace(**{n: getattr(world, n) for n in names}, weights=np.array(weights))


MOVES, DEVICES = "it draws which steps are taken in an iteration", "its devices draw which steps they take"
UNEQUAL = "its devices have weights that differ"
REFUSED: dict[str, tuple[Any, Any, str]] = {
    "a switch": (ALIKE, rc.methods.ProxSkip(gamma=0.1, p=0.3), MOVES),
    "random rounds": (ALIKE, rc.methods.SVRG(alpha=0.1, m=3), MOVES),
    "a choice": (ALIKE, Lazy(alpha=0.1, p=2), DEVICES),
    "a choice of terms": (SUM, rc.methods.SAGA(alpha=0.1, n=2), DEVICES),
    "drawn devices": (ALIKE, rc.methods.FedAvg(alpha=0.1, p=2, m=2), "it draws whose results are averaged"),
    "weights": (WEIGHTED, SGD, UNEQUAL),
    "weights on two levels": (two_levels([0.5, 0.25, 0.25]), LOCAL, UNEQUAL),
    "samples of a finite sum": (SUM, SGD, "its samples draw whole numbers"),
    "a gradient that is not affine": (Curved(), SGD, "its gradient is not affine"),
    "branches": (rc.worlds.huberised(PLAIN, radius=50.0), LOCAL, ".*"),
}


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the choice can be tested without it; nothing is run by it."""
    monkeypatch.setattr("ratecert.solvers.engines.engine_choice.find_spec", lambda name: object())
    monkeypatch.setattr("ratecert.solvers.engines.engine_choice.import_module", lambda name: object())


def setting(world: Any, solver: Any, measures: Any = None) -> Experiment:
    start = {"x": np.ones(world.d_x)} | ({"y": np.ones(world.d_y)} if hasattr(world, "d_y") else {})
    return prepare(world, solver, K=3, T=10**6, start=start, times=[], measures=measures)


def refused(given: Experiment, sentence: str) -> None:
    with pytest.raises(
        ValueError, match=rf"^engine must be 'auto' or 'numpy' for \w+ on \w+, got 'numba': {sentence}\.$"
    ):
        machine_for(given, "numba", 10**6)
    assert machine_for(given, "auto", 10**6) is None
    with preferred_engine("numba"):
        assert machine_for(given, None, 10**6) is None


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_by_name_is_left_to_numpy(name: str) -> None:
    world, solver, sentence = REFUSED[name]
    refused(setting(world, solver), sentence)


@pytest.mark.parametrize(("world", "solver"), [(ALIKE, SGD), (EQUAL, SGD), (two_levels([1 / 3] * 3), LOCAL)])
def test_the_same_without_draws_and_weights_is_not(world: Any, solver: Any) -> None:
    for engine in ("numba", "auto"):
        assert machine_for(setting(world, solver), engine, 10**6) is not None


@pytest.mark.parametrize("world", [ALIKE, two_levels([1 / 3] * 3)], ids=["one level", "two levels"])
def test_so_are_measures_of_ones_own(world: Any) -> None:
    """Even where they are those that are usual: the usual ones are asked for by asking for none."""
    solver = SGD if world is ALIKE else LOCAL
    refused(setting(world, solver, {"gradient": rc.measures.gradient()}), "it has measures of its own")


def test_what_is_left_to_numpy_runs() -> None:
    for world, solver, _ in (REFUSED["a switch"], REFUSED["weights"], REFUSED["drawn devices"]):
        run: dict[str, Any] = {"K": 3, "T": 5, "x0": np.ones(2), "replicates": 3, "seed": 1}
        auto, numpy = (rc.simulate(world, solver, **run, engine=engine) for engine in ("auto", "numpy"))
        assert auto.values == numpy.values
