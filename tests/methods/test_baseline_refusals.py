"""What the methods beside the paper's two refuse, in one sentence with name, value and range; and what they take."""

import math
import sys
from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from ratecert.errors import DivergedError, NoLimitError
from ratecert.solvers import (
    ALGORITHMS,
    SMB,
    TTSA,
    Constant,
    CubeRoot,
    FedNest,
    LocalSGD,
    Power,
    RandomTruncation,
    Schedule,
    Stage,
    enumerate_outcomes,
    expect,
    fixed_point,
    name_of,
    simulate,
    stationary,
)
from ratecert.solvers.contract.draws import random_rounds
from ratecert.solvers.methods.method import Method
from ratecert.solvers.methods.storm_method import StormMethod
from ratecert.synthetic import Quadratic, scalar
from ratecert.synthetic.worlds.heterogeneous import Heterogeneous, heterogeneous

METHODS = {name: kind for name, kind in ALGORITHMS.items() if issubclass(kind, Method)}
ONE_MACHINE = {"BSA", "TTSA", "StocBiO", "SMB", "SUSTAIN", "MRBO", "VRBO", "SOBA"}
RECONSTRUCTED = {"FedBiOAcc", "FedBiOAccGlobal", "LFedNest", "StocBiO", "VRBO"}
every_method = pytest.mark.parametrize("name", METHODS)


def good(name: str) -> dict[str, Any]:
    """The smallest counts, and numbers that suit a scalar world."""
    small = {"Q": 0, "b": 0.5}
    chosen = {int: 1, float: 0.1, Schedule | float: 0.1}
    return {f.name: small.get(f.name, chosen[f.type]) for f in fields(METHODS[name])}


def make(name: str, **changes: Any) -> Any:
    return METHODS[name](**good(name) | changes)


def world(name: str, **noise: float) -> Quadratic:
    return Quadratic(A=1.0, B=0.0, P=1.0, D=1.0) if name == "STEM" else scalar(**noise)


def names_of_type(kind: Any) -> list[tuple[str, str]]:
    return [(name, f.name) for name in METHODS for f in fields(METHODS[name]) if f.type == kind]


# Fields.


@every_method
def test_good_fields_are_taken(name: str) -> None:
    """The twin of every refusal of a field."""
    solver = make(name)
    solver.check(world(name))
    assert {f.name for f in fields(solver)} == set(good(name))


NOT_POSITIVE = (0.0, -1.0, math.nan, math.inf, "1", None, True, Fraction(1, 2))
NOT_WHOLE = (-1, 1.0, 2.5, math.nan, "1", None, True)


@pytest.mark.parametrize(("name", "field"), names_of_type(float))
def test_numbers_are_positive(name: str, field: str) -> None:
    for value in NOT_POSITIVE:
        with pytest.raises(ValueError, match=rf"^{field} must be a finite number > 0, got "):
            make(name, **{field: value})


@pytest.mark.parametrize(("name", "field"), names_of_type(int))
def test_counts_are_whole_and_only_Q_may_be_zero(name: str, field: str) -> None:
    least = 0 if field == "Q" else 1
    for value in (least - 1, *NOT_WHOLE):
        with pytest.raises(ValueError, match=rf"^{field} must be a whole number >= {least}, got "):
            make(name, **{field: value})
    assert getattr(make(name, **{field: least}), field) == least


@pytest.mark.parametrize(("name", "field"), names_of_type(Schedule | float))
def test_step_sizes_are_positive_numbers_or_schedules(name: str, field: str) -> None:
    for value in NOT_POSITIVE:
        with pytest.raises(ValueError, match=r"must be a finite number > 0, got "):
            make(name, **{field: value})
    with pytest.raises(ValueError, match=r"must be a number or a schedule .* got <function"):
        make(name, **{field: lambda t: 0.1})
    assert getattr(make(name, **{field: 0.2}), field) == Constant(0.2)
    decaying = CubeRoot(scale=0.1)
    assert getattr(make(name, **{field: decaying}), field) is decaying


@pytest.mark.parametrize("field", ["scale", "offset", "exponent"])
def test_powers(field: str) -> None:
    numbers = {"scale": 1.0, "offset": 1.0, "exponent": 0.6}
    assert Power(**numbers)(31) == pytest.approx(32**-0.6, rel=1e-15)
    for value in (0.0, -1.0, math.nan):
        with pytest.raises(ValueError, match=f"^{field} must be a finite number > 0, got "):
            Power(**numbers | {field: value})


def test_random_truncations() -> None:
    assert RandomTruncation(theta=0.1, N=1).N == 1
    with pytest.raises(ValueError, match="N must be a whole number >= 1, got 0"):
        RandomTruncation(theta=0.1, N=0)
    with pytest.raises(ValueError, match="theta must be a finite number > 0, got -1"):
        RandomTruncation(theta=-1.0, N=1)
    with pytest.raises(ValueError, match=r"theta must lie in \(0, 2\)"):
        RandomTruncation(theta=2.0, N=1).check(scalar(mu=1.0))


# What does not fit together.


@pytest.mark.parametrize("name", [name for name in METHODS if "theta" in good(name)])
def test_theta_suits_every_sample(name: str) -> None:
    """The curvature is at most 1 + 2 * 0.3, so that theta < 2/1.6."""
    samples, K = scalar(mu=1.0, sigma_H=0.3), 1
    run: dict[str, Any] = {"K": K, "T": 2, "x0": 1.0, "y0": 1.0}
    for engine in (expect, partial(simulate, replicates=2, seed=0), enumerate_outcomes):
        with pytest.raises(ValueError, match=r"^theta must lie in \(0, 1\.25\) so that .* got 1\.26\."):
            engine(samples, make(name, theta=1.26), **run)
    for limit in (partial(stationary, K=K), fixed_point):
        with pytest.raises(ValueError, match=r"^theta must lie in \(0, 1\.25\)"):
            limit(samples, make(name, theta=1.25))
    make(name, theta=1.24).check(samples)


@pytest.mark.parametrize("name", [name for name, kind in METHODS.items() if issubclass(kind, StormMethod)])
def test_weights_of_storm(name: str) -> None:
    """c eta^2 <= 1, at the largest step of a schedule; 1 itself is plain stochastic gradient descent."""
    weights = [field for field in good(name) if field.startswith("c_")]
    assert len(weights) == len(make(name).moves)
    for c in weights:
        with pytest.raises(
            ValueError, match=rf"^{c} \* eta\^2 must lie in \(0, 1\], got 1\.01; make {c} or eta"
        ):
            make(name, eta=0.5, **{c: 4.04})
        with pytest.raises(ValueError, match=rf"^{c} \* eta\^2 must lie in \(0, 1\], got 1\.01"):
            make(name, eta=CubeRoot(scale=1.0, offset=8.0), **{c: 4.04})
        assert getattr(make(name, eta=0.5, **{c: 4.0}), c) == 4.0
        assert getattr(make(name, eta=CubeRoot(scale=1.0, offset=8.0), **{c: 4.0}), c) == 4.0


def test_weight_of_smb() -> None:
    with pytest.raises(
        ValueError, match=r"b must lie in \(0, 1\], got 1.5; it is the weight of the new sample"
    ):
        make("SMB", b=1.5)
    assert isinstance(make("SMB", b=1.0), SMB)


def test_stem_is_for_one_level() -> None:
    """On the mean problem too: its devices may feel the lower level though their mean does not."""
    stem, run = make("STEM"), {"K": 2, "T": 2, "x0": 1.0, "y0": 1.0}
    for problem in (scalar(), _coupled_devices(0.5)):
        with pytest.raises(
            ValueError, match=r"STEM is for a single level: grad_xy g must be zero.*with B = 0"
        ):
            expect(problem, stem, **run)
        with pytest.raises(ValueError, match="STEM is for a single level"):
            simulate(problem, stem, replicates=2, seed=0, **run)
    for problem in (world("STEM"), _coupled_devices(0.0)):
        assert math.isfinite(expect(problem, stem, **run).gradient)


def _coupled_devices(strength: float) -> Heterogeneous:
    """Couplings + and - strength, of mean zero."""
    return Heterogeneous(
        A=1.0, B=0.0, P=1.0, D=1.0, dA=np.zeros((2, 1, 1)), dB=np.array([[[1.0]], [[-1.0]]]), dc=np.zeros((2, 1)),
        dial=strength,
    )  # fmt: skip


# One machine.


def test_which_methods_are_for_one_machine() -> None:
    assert {name for name, kind in METHODS.items() if kind.one_machine} == ONE_MACHINE


ENGINES: list[Callable[..., Any]] = [
    lambda problem, solver, K: simulate(problem, solver, K=K, T=2, x0=1.0, y0=1.0, replicates=2, seed=0),
    lambda problem, solver, K: expect(problem, solver, K=K, T=2, x0=1.0, y0=1.0, times=[]),
    lambda problem, solver, K: enumerate_outcomes(problem, solver, K=K, T=2, x0=1.0, y0=1.0),
    lambda problem, solver, K: stationary(problem, solver, K=K),
]


@pytest.mark.parametrize("name", [name for name in METHODS if name != "STEM"])  # whose worlds are those above
@pytest.mark.parametrize("engine", ENGINES, ids=["simulate", "expect", "enumerate", "stationary"])
def test_one_machine_has_one_device(name: str, engine: Callable[..., Any]) -> None:
    """Also where its two devices differ; the federated methods take both."""
    solver, differ = make(name, **_stable(name)), heterogeneous(d_x=1, d_y=1, K=2, dial=0.3, s_g=0.1)
    if name not in ONE_MACHINE:
        for problem in (scalar(s_g=0.1), differ):
            assert math.isfinite(engine(problem, solver, 2).gradient)
        return
    alone = f"{name_of(solver)} is a method for one machine"
    devices = f"{alone}, and this problem has 2 devices; give it one of problem.devices."
    for problem, words in ((scalar(s_g=0.1), f"{alone}: K must be 1, got 2."), (differ, devices)):
        with pytest.raises(ValueError, match="for one machine") as refused:
            engine(problem, solver, 2)
        assert str(refused.value) == words
    assert math.isfinite(engine(scalar(s_g=0.1), solver, 1).gradient)


def _stable(name: str) -> dict[str, Any]:
    """A slow upper level."""
    return {field: 0.01 for field in ("alpha", "rho_1", "lam", "gamma") if field in good(name)} | (
        {"lam": 1.0} if name in ("SUSTAIN", "MRBO") else {"gamma": 1.0} if name.startswith("FedBiO") else {}
    )


@pytest.mark.parametrize("name", sorted(ONE_MACHINE))
def test_one_machine_has_no_fixed_point_on_devices_that_differ(name: str) -> None:
    solver = make(name, **_stable(name))
    with pytest.raises(ValueError, match="is a method for one machine, and this problem has 3 devices"):
        fixed_point(heterogeneous(d_x=1, d_y=1, K=3), solver)
    assert fixed_point(scalar(a=1.0), solver).spectral_radius < 1


# Random rounds.


def test_stages_with_random_rounds() -> None:
    step = make("FedNest").next_product
    with pytest.raises(ValueError, match="repeats must be 1 in a move of a switch, got 2"):
        random_rounds(Stage(step, repeats=2, averaged=()), 3)
    with pytest.raises(ValueError, match="repeats must be a whole number >= 1, got 0"):
        Stage(step, repeats=0, averaged=())
    for wrong in (0, -1, 2.5, True):
        with pytest.raises(ValueError, match=f"N must be a whole number >= 1, got {wrong}"):
            random_rounds(Stage(step, repeats=1, averaged=()), wrong)
    assert len(random_rounds(Stage(step, repeats=1, averaged=()), 4).endings) == 4


def test_no_limit_of_random_rounds_in_many_dimensions() -> None:
    """A map of their second moments is needed, which is too large at d = 8; at d = 1 there is a limit."""
    solver = FedNest(alpha=0.01, beta=0.1, tau=1, T_in=1, theta=0.1, N=2)
    wide = Quadratic(A=np.eye(8), B=np.eye(8), P=np.eye(8), D=np.eye(8), s_f=0.1)
    with pytest.raises(
        ValueError, match="coordinates are too many for moves or devices that are drawn; make d smaller"
    ):
        stationary(wide, solver, K=2)
    assert stationary(scalar(s_f=0.1), solver, K=2).gradient > 0


# Reconstructed methods say so.


@pytest.mark.parametrize("name", ALGORITHMS)
def test_names_say_what_is_reconstructed(name: str) -> None:
    kind = ALGORITHMS[name]
    assert getattr(kind, "reconstructed", False) == (name in RECONSTRUCTED)
    if name in METHODS:
        assert name_of(make(name)) == name + (" (reconstructed)" if name in RECONSTRUCTED else "")
        assert ("reconstructed" in str(sys.modules[kind.__module__].__doc__)) == (name in RECONSTRUCTED)


@every_method
def test_messages_say_it_too(name: str) -> None:
    wild = {"FedBiOAcc": "lam", "FedBiOAccGlobal": "lam", "STEM": "rho", "SMB": "eta", "LocalSGD": "rho_1"}
    step = wild.get(name, "gamma" if name in ("SUSTAIN", "MRBO", "SOBA") else "alpha")
    solver, K = make(name, **{step: 1e4}), 1 if name in ONE_MACHINE else 2
    shown = name + (" (reconstructed)" if name in RECONSTRUCTED else "")
    run: dict[str, Any] = {"K": K, "T": 2000, "x0": 1.0, "y0": 1.0}
    for engine in (expect, partial(simulate, replicates=2, seed=0)):
        with pytest.raises(DivergedError) as refused:
            engine(world(name), solver, **run)
        assert str(refused.value).startswith(f"{shown} diverged: ")
    with pytest.raises(NoLimitError) as refused_limit:
        fixed_point(world(name), solver)
    assert f"the rounds of {shown} do not converge" in str(refused_limit.value)


# Schedules.


def test_a_decaying_step_has_no_limit() -> None:
    """Whichever of a method's schedules decays; constant ones have one."""
    decaying = Power(scale=0.1, exponent=0.6)
    for solver in (
        TTSA(alpha=decaying, beta=0.1, theta=0.1, N=2),
        TTSA(alpha=0.01, beta=decaying, theta=0.1, N=2),
        LocalSGD(eta=decaying, rho_1=0.1, rho_2=0.5, p=1, theta=0.1, Q=0),
    ):
        with pytest.raises(ValueError, match=r"^stationary needs a constant step size"):
            stationary(scalar(), solver, K=1)
        with pytest.raises(ValueError, match=r"^fixed_point needs a constant step size"):
            fixed_point(scalar(), solver)
    assert fixed_point(scalar(), TTSA(alpha=0.01, beta=0.1, theta=0.1, N=2)).spectral_radius < 1
