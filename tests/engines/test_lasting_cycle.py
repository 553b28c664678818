"""Of a cycle in which every field is averaged, but not all at once, no deviation lasts: its map is that of the mean."""

from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.solvers.contract.measures import defaults
from ratecert.solvers.contract.result import MEASURES
from ratecert.solvers.engines.moments import differing
from ratecert.solvers.engines.moments.apart import Apart
from ratecert.solvers.engines.moments.differing import DifferingEngine
from ratecert.solvers.engines.moments.packing import packing

FED_NEST = rc.methods.FedNest(alpha=0.05, beta=0.1, tau=3, T_in=2, theta=0.15, N=3)
NOISE: dict[str, Any] = {"additive": {}, "E": {"sigma_H": 0.3, "sigma_J": 0.2}}
every_noise = pytest.mark.parametrize("noise", NOISE.values(), ids=NOISE)


def world(K: int, **noise: float) -> Any:
    return rc.worlds.heterogeneous(d_x=1, d_y=1, K=K, seed=2, s_f=0.3, s_g=0.3, **noise)


def values(result: Any) -> Any:
    return np.array([getattr(result, name) for name in MEASURES])


def engine(K: int, solver: Any = FED_NEST) -> DifferingEngine:
    return DifferingEngine(world(K), solver, defaults(world(K)))


def test_controls_of_proxskip_last() -> None:
    quadratics = rc.worlds.federated([1.0, 2.0], K=3, dial=1.0, seed=1)
    made = DifferingEngine(quadratics, rc.methods.ProxSkip(gamma=0.1, p=0.25), defaults(quadratics))
    assert made._lasts.all()


def test_of_steps_that_could_be_roundings_all_last() -> None:
    short = rc.methods.FedNest(alpha=1e-9, beta=0.1, tau=3, T_in=2, theta=0.15, N=3)
    assert engine(3, short)._lasts.all()


def test_where_moments_overflow_all_last() -> None:
    """And the run says that it diverges."""
    long = rc.methods.FedNest(alpha=1e200, beta=0.1, tau=3, T_in=2, theta=0.15, N=3)
    with np.errstate(over="ignore", invalid="ignore"):
        assert engine(3, long)._lasts.all()
    with pytest.raises(rc.errors.DivergedError):
        rc.expect(world(3), long, K=3, T=1000, x0=1.0, y0=1.0, certified=False)


def test_a_small_deviation_at_the_start_is_not_taken_for_a_rounding() -> None:
    made = engine(3)
    S = np.zeros((made.packing.n, made.packing.n))
    S[-1, -1] = 1.0
    assert len(made.cycle_map_from(Apart.together(made.common, S), 1).C) == packing(8).size
    S[8, 8] = 1e-20
    assert len(made.cycle_map_from(Apart.together(made.common, S), 1).C) == made.packing.size


@every_noise
@pytest.mark.parametrize("T", [1, 1000, 10**6 + 7])
def test_the_map_of_what_lasts_is_that_of_all(
    noise: dict[str, float], T: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole cycles and parts of one."""
    run: dict[str, Any] = {"K": 3, "T": T, "x0": 1.0, "y0": 1.0, "times": [T], "certified": False}
    lasting = rc.expect(world(3, **noise), FED_NEST, **run)
    monkeypatch.setattr(differing, "SHORT", np.inf)
    whole = rc.expect(world(3, **noise), FED_NEST, **run)
    np.testing.assert_allclose(values(lasting), values(whole), rtol=1e-11)
    other = rc.expect(world(3, sigma_H=0.1), FED_NEST, **run)
    assert not np.allclose(values(other), values(whole), rtol=1e-6)


@every_noise
def test_limits_of_what_lasts_are_those_of_all(
    noise: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    lasting = rc.stationary(world(3, **noise), FED_NEST, K=3, certified=False)
    monkeypatch.setattr(differing, "SHORT", np.inf)
    whole = rc.stationary(world(3, **noise), FED_NEST, K=3, certified=False)
    np.testing.assert_allclose(values(lasting), values(whole), rtol=1e-10)


@pytest.mark.nightly
def test_sixteen_devices_of_fednest_at_any_length() -> None:
    """As many as could only be stepped through; the limit and a long run agree."""
    made = rc.expect(world(16), FED_NEST, K=16, T=2**40 * 11, x0=1.0, y0=1.0, times=[])
    limit = rc.stationary(world(16), FED_NEST, K=16)
    assert made.gradient == pytest.approx(limit.gradient, rel=1e-7)
