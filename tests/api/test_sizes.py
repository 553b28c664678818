"""Sizes beyond memory are refused in a sentence with the estimate and the limit, before any of it is taken."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.base.arrays import MOST, bytes_of

STEPS = {"eta": 0.01, "alpha": 10.0, "beta": 10.0, "rho_1": 0.2, "rho_2": 2.0, "p": 8, "theta": 0.2}
NESTED = {"alpha": 0.1, "beta": 0.1, "theta": 0.1}
START = {"x0": 1.0, "y0": 0.0}
worlds, methods = rc.worlds, rc.methods
LOADED = rc.expect, rc.simulate, rc.stationary, rc.fixed_point, rc.leading  # which takes memory, too


def scalar() -> Any:
    return worlds.scalar(s_f=0.5, s_g=0.5, sigma_H=0.1)


def local(Q: int) -> Any:
    return methods.LocalBSGM(Q=Q, **STEPS)


def run(method: Any, K: int = 2, T: int = 2, **options: Any) -> Any:
    return rc.expect(scalar(), method, K=K, T=T, **START, **options)


def sampled(method: Any, K: int = 2, seed: int = 0) -> Any:
    return rc.simulate(scalar(), method, K=K, T=2, replicates=2, seed=seed, **START)


CALLS: dict[str, tuple[str, Callable[[], Any]]] = {
    "dimensions of two levels": ("d_x", lambda: worlds.random_quadratic(d_x=10**4, d_y=10**4, seed=1)),
    "aligned": ("d_x", lambda: worlds.aligned(d_x=10**9)),
    "a spectrum": ("d", lambda: worlds.single_level(np.ones(10**5), seed=1)),
    "devices that differ": ("K", lambda: worlds.heterogeneous(K=10**12)),
    "the same on one level": ("K", lambda: worlds.federated([1.0, 2.0], K=10**12)),
    "factors": ("Q", lambda: run(local(10**9))),
    "factors at rest": ("Q", lambda: rc.stationary(scalar(), local(10**9), K=4)),
    "factors in a fixed point": ("Q", lambda: rc.fixed_point(scalar(), local(10**9))),
    "factors in fractions": ("Q", lambda: rc.leading(scalar(), local(10**9), K=4)),
    "factors of samples": ("Q", lambda: sampled(local(10**9))),
    "steps inside": ("T_in", lambda: run(methods.FedNest(T_in=10**9, tau=1, N=1, **NESTED))),
    "terms": ("N", lambda: run(methods.BSA(T_in=1, N=10**9, **NESTED), K=1)),
    "devices that are sampled": ("K", lambda: sampled(local(2), K=10**12)),
    "devices whose outcomes are tried": (
        "K",
        lambda: rc.enumerate_outcomes(scalar(), local(1), K=10**9, T=1, **START),
    ),
    "times": ("times", lambda: run(local(2), T=10**9, times=range(10**8))),
    "all times": ("times", lambda: run(local(2), T=10**9, measures={"g": rc.measures.gradient().largest()})),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_would_not_fit_is_refused_before_memory_is_taken(name: str) -> None:
    size, call = CALLS[name]
    tracemalloc.start()
    try:
        with pytest.raises(rc.errors.UserError) as refused:
            call()
        assert tracemalloc.get_traced_memory()[1] < 2**24
    finally:
        tracemalloc.stop()
    said = str(refused.value)
    assert "\n" not in said
    assert f"{size} = " in said or f"{size} + " in said
    assert "GiB of memory, and at most 4 GiB are taken" in said


FAR = 10**5000


@pytest.mark.parametrize(
    "call",
    [
        lambda: run(local(2), K=FAR),
        lambda: run(local(2), T=FAR),
        lambda: sampled(local(2), seed=FAR),
        lambda: rc.stationary(scalar(), local(2), K=10**400),
        lambda: methods.LocalBSGM(Q=1, **{**STEPS, "eta": FAR}),
    ],
)
def test_a_number_beyond_floats_is_refused(call: Callable[[], Any]) -> None:
    with pytest.raises(rc.errors.UserError, match=r"got (a number of thousands of digits|1000)"):
        call()


def test_what_nobody_can_enumerate_is_refused_at_once() -> None:
    with pytest.raises(rc.errors.UserError, match=r"more than 2\^1000 outcomes, at most 2\^22"):
        rc.enumerate_outcomes(scalar(), local(2), K=4, T=10**7, **START)


@pytest.mark.parametrize(
    ("sizes", "call"),
    [
        ({"d": 400}, lambda: worlds.random_quadratic(d_x=200, d_y=200, seed=1)),
        ({"d": 3, "K": 1000}, lambda: worlds.federated([1.0, 2.0, 3.0], K=1000)),
        ({"d": 2, "Q": 600}, lambda: rc.expect(scalar(), local(600), K=4, T=20, certified=False, **START)),
    ],
)
def test_the_estimate_is_of_the_right_size(sizes: dict[str, int], call: Callable[[], Any]) -> None:
    tracemalloc.start()
    try:
        call()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 0.1 < peak / bytes_of(**sizes) < 20
    assert bytes_of(**sizes) < MOST


def test_a_method_whose_step_knows_its_number_of_steps_is_not_refused_for_it() -> None:
    world = worlds.single_level([1.0, 4.0])
    assert rc.expect(world, methods.OGM(alpha=0.25, N=10**9), K=1, T=10, x0=[1.0, 1.0]).gap > 0
