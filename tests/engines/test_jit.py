"""`rc.simulate(jit=True)` is numpy's sampler, number for number; `make test-arrays` runs it where JAX is."""

import sys
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.contract import CubeRoot, LowerGradient, State

with_jax = pytest.mark.skipif(find_spec("jax") is None, reason="JAX is not installed: make test-arrays")
nightly = [pytest.mark.nightly, with_jax]

NOISE = {"s_f": 0.3, "s_g": 0.3, "sigma_H": 0.2, "sigma_J": 0.2, "seed": 1}
PLANE = rc.worlds.random_quadratic(d_x=2, d_y=3, **NOISE)
DIFFER = rc.worlds.heterogeneous(d_x=2, d_y=3, K=3, dial=0.3, **NOISE)
WEIGHTED = rc.worlds.federated((1.0, 2.5), K=3, dial=0.5, s=0.5, seed=1, weights=np.array([1, 2, 3]) / 6)
ETA = CubeRoot(scale=0.1, offset=2.0)
LOCAL = {"eta": ETA, "alpha": 2.0, "beta": 2.0, "rho_1": 0.2, "rho_2": 0.5, "p": 3, "theta": 0.15, "Q": 2}
CASES: dict[str, tuple[Any, Any]] = {
    "LocalBSGM": (PLANE, rc.methods.LocalBSGM(**LOCAL)),
    "LocalBSGVRM": (DIFFER, rc.methods.LocalBSGVRM(B=2, previous="averaged", **LOCAL)),
    "SOBA": (PLANE, rc.methods.SOBA(rho=0.1, gamma=0.02)),
    "FISTA": (WEIGHTED, rc.methods.FISTA(alpha=0.2, p=2)),
    "SCAFFOLD": (WEIGHTED, rc.methods.SCAFFOLD(eta_l=0.1, p=2)),
}


def run(world: Any, solver: Any, **changes: Any) -> Any:
    """70 replicates in a whole word of signs and the rest of another."""
    lower = {"y0": np.ones(3)} if hasattr(world, "d_y") else {}
    K = 1 if getattr(solver, "one_machine", False) else 3
    return rc.simulate(
        world, solver, **{"K": K, "T": 9, "x0": np.ones(2), "replicates": 70, "seed": 3, **lower, **changes}
    )


def numbers(result: Any) -> np.ndarray:
    curves = [value for curve in result.curves.values.values() for value in curve]
    return np.array([*result.values.values(), *np.sqrt(np.diag(result.covariance)), *curves])


@pytest.mark.parametrize("name", [pytest.param(name, marks=nightly) for name in CASES])
def test_the_samples_are_numpys(name: str) -> None:
    """In tiles, too; another seed gives other numbers."""
    world, solver = CASES[name]
    expected, found = (numbers(run(world, solver, lanes=200, jit=jit)) for jit in (False, True))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-15 * np.abs(expected).max())
    other = numbers(run(world, solver, seed=4))
    assert np.abs(found - other).max() > 1e-6 * np.abs(expected).max()


@pytest.mark.nightly
@with_jax
def test_measures_of_ones_own_and_shared_noise_too() -> None:
    weighed = rc.measures.form(lambda _, s: s.x - 1.0, weight=[[2.0, 1.0], [1.0, 2.0]], of="devices").last()
    asked: dict[str, Any] = {
        "measures": {"own": weighed, "gap": rc.measures.distance()},
        "shared_noise": True,
    }
    world, solver = WEIGHTED, rc.methods.SGD(alpha=0.1, p=4)
    expected, found = (numbers(run(world, solver, jit=jit, **asked)) for jit in (False, True))
    np.testing.assert_allclose(found, expected, rtol=1e-11)
    asked["shared_noise"] = False
    assert not np.allclose(found, numbers(run(world, solver, **asked)), rtol=1e-3)


@pytest.mark.nightly
@with_jax
def test_divergence_is_numpys_sentence() -> None:
    wild = rc.methods.SGD(alpha=40.0)
    said = []
    for jit in (False, True):
        with pytest.raises(
            rc.errors.DivergedError, match=r"^SGD diverged: iteration \d+, replicate \d+"
        ) as error:
            run(WEIGHTED, wild, T=200, times=[50], jit=jit)
        said.append(str(error.value))
    assert said[0] == said[1]


class Asking(rc.methods.LocalSGD):
    """A step that asks for another iteration than the first."""

    def step(self, t: int, s: State, oracle: Any) -> State:
        return s.but(y=s.y - (0.2 if t == 3 else 0.1) * oracle.sample(LowerGradient(), t)(s.x, s.y))


class Clipped(rc.methods.LocalSGD):
    """A step that is not made of sums and products."""

    def step(self, t: int, s: State, oracle: Any) -> State:
        return s.but(y=np.clip(s.y, -1, 1))


SGD = {"eta": 0.1, "rho_1": 0.2, "rho_2": 0.5, "p": 2, "theta": 0.15, "Q": 1}
NEST = rc.methods.FedNest(alpha=0.05, beta=0.1, tau=2, T_in=1, theta=0.15, N=3)
LARGEST = {"largest": rc.measures.gradient().largest()}
REFUSED: dict[str, tuple[Any, dict[str, Any], str]] = {
    "coins": (NEST, {}, "jit runs stages of plain steps, and FedNest draws"),
    "cuts": (rc.methods.BSA(alpha=0.05, beta=0.1, T_in=2, theta=0.1, N=3), {}, "jit draws signs alone"),
    "extremes": (rc.methods.LocalSGD(**SGD), {"measures": LARGEST}, "jit reads averages over t < T"),
    "workers": (rc.methods.LocalSGD(**SGD), {"workers": 2}, "workers must be 1 with jit, .* got 2"),
    "another t": (Asking(**SGD), {}, "Asking on Quadratic cannot be traced by JAX .* not for t == 3"),
    "clipping": (Clipped(**SGD), {}, "Clipped on Quadratic cannot be traced by JAX"),
}


@pytest.mark.parametrize("why", [pytest.param(why, marks=nightly) for why in REFUSED])
def test_what_jit_does_not_do_is_refused_and_numpy_does_it(why: str) -> None:
    solver, asked, sentence = REFUSED[why]
    with pytest.raises(ValueError, match=sentence):
        run(PLANE, solver, jit=True, **asked)
    assert run(PLANE, solver, **asked).curves.t[-1] == 9


def test_without_jax_jit_is_refused_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    monkeypatch.delitem(sys.modules, "ratecert.solvers.engines.sampling.compiled", raising=False)
    world, solver = CASES["SOBA"]
    with pytest.raises(ValueError, match=r"^jit needs JAX, .*; install ratecert\[jax\], or leave jit out"):
        run(world, solver, jit=True)
    with pytest.raises(ValueError, match="jit must be one of False, True, got 1"):
        run(world, solver, jit=1)
    assert run(world, solver).gradient > 0
