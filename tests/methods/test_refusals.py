"""What the methods refuse, in one sentence with name, value and range before any work is done; and what they take."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ratecert.errors import DivergedError, NoLimitError, UserTypeError
from ratecert.solvers import (
    ALGORITHMS,
    Constant,
    CubeRoot,
    Power,
    RandomTruncation,
    Schedule,
    Stage,
    StochasticNeumann,
    enumerate_outcomes,
    exact_hypergradient,
    expect,
    fixed_point,
    name_of,
    neumann_hypergradient,
    simulate,
    stationary,
    stochastic_hypergradient,
)
from ratecert.solvers.contract.draws import random_rounds
from ratecert.solvers.engines.sampling.noise import Hashed
from ratecert.solvers.engines.sampling.oracle import ArrayOracle
from ratecert.solvers.methods.base import Method
from ratecert.solvers.methods.storm import StormMethod
from ratecert.synthetic import Quadratic, heterogeneous, random_quadratic, scalar

ONE_MACHINE = {"BSA", "TTSA", "StocBiO", "SMB", "SUSTAIN", "MRBO", "VRBO", "SOBA"}
RECONSTRUCTED = {"FedBiOAcc", "FedBiOAccGlobal", "LFedNest", "StocBiO", "VRBO"}
PAPERS = ("LocalBSGM", "LocalBSGVRM")
SMALLEST: dict[Any, Any] = {int: 1, float: 0.1, Schedule | float: 0.1}
RUN: dict[str, Any] = {"K": 1, "T": 2, "x0": 1.0, "y0": 1.0}
ENGINES: dict[str, Callable[..., Any]] = {
    "expect": expect,
    "simulate": partial(simulate, replicates=2, seed=0),
    "enumerate": enumerate_outcomes,
}
LIMITS: dict[str, Callable[..., Any]] = {"stationary": partial(stationary, K=1), "fixed_point": fixed_point}


def good(name: str) -> dict[str, Any]:
    """The smallest counts, and numbers that suit a scalar world."""
    small = {"Q": 0, "b": 0.5}
    return {
        f.name: small.get(f.name, SMALLEST[f.type]) for f in fields(ALGORITHMS[name]) if f.type in SMALLEST
    }


def make(name: str, **changes: Any) -> Any:
    return ALGORITHMS[name](**good(name) | changes)


# Fields, one by one. What is taken stands beside every refusal.

NOT_POSITIVE = (0.0, -1.0, math.nan, math.inf, "1", None, True, Fraction(1, 2))
NOT_WHOLE = (-1, 1.0, 2.5, math.nan, "1", None, True)


@pytest.mark.parametrize(
    ("name", "field", "kind"),
    [(name, f.name, f.type) for name in ALGORITHMS for f in fields(ALGORITHMS[name]) if f.type in SMALLEST],
)
def test_numbers_are_positive_and_counts_are_whole(name: str, field: str, kind: Any) -> None:
    """Only Q may be zero; a step size may be a schedule."""
    least = 0 if field == "Q" else 1
    for value in (least - 1, *NOT_WHOLE) if kind is int else NOT_POSITIVE:
        allowed = f"a whole number >= {least}" if kind is int else "a finite number > 0"
        named = rf"^{field} " if kind in (int, float) else ""
        with pytest.raises(ValueError, match=f"{named}must be {allowed}, got "):
            make(name, **{field: value})
    least = good(name)[field]
    assert getattr(make(name, **{field: least}), field) in (least, Constant(0.1))
    if kind not in (int, float):
        with pytest.raises(ValueError, match=r"must be a number or a schedule .* got <function"):
            make(name, **{field: lambda t: 0.1})
        decaying = CubeRoot(scale=0.1)
        assert getattr(make(name, **{field: decaying}), field) is decaying


POWER = {"scale": 1.0, "offset": 1.0, "exponent": 0.6}
CHOICES: list[tuple[Any, dict[str, Any], str]] = [
    (partial(make, "LocalBSGM"), {"momenta": "keep"}, "momenta must be one of 'carry', 'fresh', got 'keep'"),
    (partial(make, "LocalBSGVRM"), {"previous": "own"}, "previous must be one of 'local'"),
    (partial(make, "SMB"), {"b": 1.5}, r"b must lie in \(0, 1\], got 1.5; make b smaller"),
    (partial(Constant, 0.0), {}, "eta must be a finite number > 0"),
    (partial(CubeRoot, scale=1.0), {"scale": 0.0}, "scale must be"),
    (partial(CubeRoot, scale=1.0), {"offset": -1.0}, "offset must be"),
    (partial(CubeRoot, scale=1.0), {"floor": math.nan}, "floor .* must be a finite number > 0, got nan"),
    (partial(CubeRoot, scale=1.0), {"floor": "x"}, "floor .* must be a finite number > 0, got 'x'"),
    *((partial(Power, **POWER), {name: value}, f"^{name} must be a finite number > 0, got {value:g}")
      for name, value in (("scale", -1.0), ("offset", 0.0), ("exponent", math.nan))),
    (partial(RandomTruncation, theta=0.1), {"N": 0}, "N must be a whole number >= 1, got 0"),
    (partial(RandomTruncation, N=1), {"theta": -1.0}, "theta must be a finite number > 0, got -1"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "wrong", "words"), CHOICES)
def test_choices_and_schedules(make: Callable[..., Any], wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make(**wrong)


def test_schedules_are_what_they_say() -> None:
    """Theorem 3: eta_t = s/(w_t + t)^{1/3}, w_t = max{2, c - t}."""
    s, c = 0.7, 50.0
    schedule = CubeRoot(scale=s, offset=2.0, floor=c)
    for t in (0, 1, 47, 48, 49, 1000):
        assert schedule(t) == pytest.approx(s / (max(2.0, c - t) + t) ** (1 / 3), rel=1e-15)
    assert schedule(int(schedule.constant_until)) == schedule(0) == schedule.largest
    assert schedule(int(schedule.constant_until) + 1) < schedule(0)
    assert np.isinf(Constant(0.1).constant_until)
    assert Power(**POWER)(31) == pytest.approx(32**-0.6, rel=1e-15)


# What does not fit together.


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if "theta" in good(name)])
def test_theta_suits_every_sample(name: str) -> None:
    """The curvature is at most 1 + 2 * 0.3, so that theta < 2/1.6; the mean alone would allow more."""
    samples = scalar(mu=1.0, sigma_H=0.3)
    for theta, callers, run in ((1.26, ENGINES, RUN), (1.25, LIMITS, {})):
        for call in callers.values():
            words = rf"^theta must lie in \(0, 1\.25\) so that .* got {theta}\."
            with pytest.raises(ValueError, match=words):
                call(samples, make(name, theta=theta), **run)
    make(name, theta=1.24).check(samples)


@pytest.mark.parametrize(
    "name", [*PAPERS, *(name for name, kind in ALGORITHMS.items() if issubclass(kind, StormMethod))]
)
def test_weights_of_momenta(name: str) -> None:
    """alpha eta <= 1 for LocalBSGM, c eta^2 <= 1 for all others, at the largest step of a schedule; 1 is allowed."""
    square, most = (r"\^2", 4.0) if name != "LocalBSGM" else ("", 2.0)
    for c in ("alpha", "beta") if name in PAPERS else [f for f in good(name) if f.startswith("c_")]:
        for eta in (0.5, CubeRoot(scale=1.0, offset=8.0)):
            with pytest.raises(ValueError, match=rf"^{c} \* eta{square} must lie in \(0, 1\], got 1\.01"):
                make(name, eta=eta, **{c: 1.01 * most})
            assert getattr(make(name, eta=eta, **{c: most}), c) == most


def test_stem_is_for_one_level() -> None:
    """On the mean problem too: its devices may feel the lower level though their mean does not."""
    for engine in (ENGINES["expect"], ENGINES["simulate"]):
        for problem in (scalar(), heterogeneous(d_x=1, d_y=1, K=2, dial=0.5)):
            with pytest.raises(ValueError, match=r"STEM is for a single level: grad_xy g must be zero"):
                engine(problem, make("STEM"), **RUN | {"K": 2})
    flat = Quadratic(A=1.0, B=0.0, P=1.0, D=1.0)
    assert math.isfinite(expect(flat, make("STEM"), **RUN | {"K": 2}).gradient)


def stable(name: str) -> dict[str, Any]:
    """A slow upper level."""
    fast = "lam" if name in ("SUSTAIN", "MRBO") else "gamma" if name.startswith("FedBiO") else ""
    slow = {field: 0.01 for field in ("alpha", "rho_1", "lam", "gamma") if field in good(name)}
    return slow | {field: 1.0 for field in slow if field == fast}


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name not in (*PAPERS, "STEM")])
@pytest.mark.parametrize("engine", [*ENGINES, "stationary"])
def test_one_machine_has_one_device(name: str, engine: str) -> None:
    """Also where its two devices differ; the federated methods take both."""
    solver, differ = make(name, **stable(name)), heterogeneous(d_x=1, d_y=1, K=2, dial=0.3, s_g=0.1)

    def found(problem: Any, K: int) -> Any:
        run = {**RUN, "K": K} if engine in ENGINES else {"K": K}
        return ENGINES.get(engine, stationary)(problem, solver, **run)

    assert ALGORITHMS[name].one_machine == (name in ONE_MACHINE)
    for problem, words in ((scalar(s_g=0.1), "K must be 1, got 2"), (differ, "this problem has 2 devices")):
        if name in ONE_MACHINE:
            with pytest.raises(ValueError, match=rf"{re.escape(name_of(solver))} .* one machine.*{words}"):
                found(problem, 2)
        else:
            assert math.isfinite(found(problem, 2).gradient)
    assert math.isfinite(found(scalar(s_g=0.1), 1).gradient)
    if name in ONE_MACHINE:
        with pytest.raises(ValueError, match="one machine, and this problem has 2 devices"):
            fixed_point(differ, solver)


def test_random_rounds() -> None:
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
    solver = make("FedNest", alpha=0.01, N=2)
    wide = Quadratic(A=np.eye(8), B=np.eye(8), P=np.eye(8), D=np.eye(8), s_f=0.1)
    with pytest.raises(ValueError, match="too many for moves or devices that are drawn; make d smaller"):
        stationary(wide, solver, K=2)
    assert stationary(scalar(s_f=0.1), solver, K=2).gradient > 0


@pytest.mark.parametrize(("name", "field"), [("TTSA", "alpha"), ("TTSA", "beta"), ("LocalSGD", "eta")])
def test_a_decaying_step_has_no_limit(name: str, field: str) -> None:
    """Whichever of a method's schedules decays; constant ones have one."""
    for called, limit in LIMITS.items():
        with pytest.raises(ValueError, match=rf"^{called} needs a constant step size"):
            limit(scalar(), make(name, **{field: Power(scale=0.1, exponent=0.6)}))
    assert fixed_point(scalar(), make(name)).spectral_radius < 1


@dataclass(frozen=True, kw_only=True)
class Plain(Method):
    """A method of which a test says what it has."""

    alpha: float = 0.1
    p: int = 3

    step_letter = "alpha"
    averaged = ("x",)


class Stepless(Plain):
    """It has no step."""


class Sizeless(Plain):
    """It has no field of the name that it gives."""

    step_letter = "rho"


def test_what_a_method_makes_of_its_fields_and_what_it_lacks_is_told() -> None:
    (stage,) = Plain().stages
    assert (stage.repeats, stage.averaged, stage.drawn) == (3, ("x",), None)
    assert Plain(alpha=0.2).step_size(5) == 0.2
    with pytest.raises(ValueError, match=r"^Stepless must have step\(t, s, oracle\), or stages"):
        expect(scalar(), Stepless(), **RUN)
    with pytest.raises(UserTypeError, match=r"^Sizeless must have step_size\(t\), .* no field rho"):
        Sizeless().step_size(0)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_names_say_what_is_reconstructed(name: str) -> None:
    kind, again = ALGORITHMS[name], name in RECONSTRUCTED
    assert getattr(kind, "reconstructed", False) == again
    if name not in PAPERS:
        assert name_of(make(name)) == name + again * " (reconstructed)"
        assert ("reconstructed" in kind.__doc__) == again


def test_what_diverges_or_has_no_limit_is_told_by_name() -> None:
    wild = make("StocBiO", alpha=1e4)
    for engine in (ENGINES["expect"], ENGINES["simulate"]):
        with pytest.raises(DivergedError, match=r"^StocBiO \(reconstructed\) diverged: "):
            engine(scalar(), wild, **RUN | {"T": 2000})
    with pytest.raises(NoLimitError, match=r"the rounds of StocBiO \(reconstructed\) do not converge"):
        fixed_point(scalar(), wild)


# Runs and points.

LOCAL = make("LocalBSGM", p=2, Q=1)
WRONG_RUNS: list[tuple[str, Any, str]] = [
    *(("K", value, "a whole number >= 1") for value in (0, 1.5)),
    *(("T", value, "a whole number") for value in (0, -5, 2.5)),
    *(("x0", value, "1 finite number") for value in ([1.0, 2.0], math.nan, "1", 10**400, np.array([1j]), [1.0] * 9)),
    ("y0", math.inf, "1 finite number"),
    *(("times", [value], "a whole number from 0 to 3") for value in (4, -1)),
    ("times", 5, "a list of whole numbers from 0 to T = 3"),
]  # fmt: skip
OF_SAMPLING: list[tuple[str, Any, str]] = [
    *((name, 0, "a whole number >= 1") for name in ("replicates", "workers", "lanes")),
    *(("seed", value, "a whole number") for value in (-1, 2**64)),
    ("shared_noise", "no", "one of False, True"),
]
EACH = [(each, *row) for each in ENGINES for row in WRONG_RUNS + OF_SAMPLING * (each == "simulate")]


@pytest.mark.parametrize(("engine", "name", "value", "allowed"), EACH)
def test_a_wrong_argument_of_a_run_is_named(engine: str, name: str, value: Any, allowed: str) -> None:
    with pytest.raises(ValueError, match=rf"^[^\n]*{name} must be {allowed}[^\n]*\.$") as told:
        ENGINES[engine](scalar(s_f=0.1), LOCAL, **RUN | {"K": 2, "T": 3, name: value})
    plain = value.tolist() if isinstance(value, np.ndarray) else value
    shown = str(np.ravel(value)[0]) if name == "times" else str(plain)[:4]
    assert shown.strip("[]") in str(told.value)


NOISY = scalar(sigma_H=0.1, sigma_J=0.1, s_f=0.1, s_g=0.1)


@pytest.mark.parametrize(
    ("engine", "problem", "solver", "run", "error", "words"),
    [
        ("simulate", SimpleNamespace(d_x=1, d_y=1), LOCAL, {}, TypeError, "as a problem: it lacks .*grad_y_g"),
        ("simulate", scalar(), ALGORITHMS["LocalBSGVRM"], {}, TypeError, "LocalBSGVRM is a class"),
        ("simulate", scalar(), SimpleNamespace(check=None, step_size=None, start=None), {}, TypeError, "it lacks"),
        ("enumerate", NOISY, LOCAL, {"K": 2, "T": 5}, ValueError, r"2\^\d+ outcomes, at most 2\^22"),
    ],
)  # fmt: skip
def test_what_cannot_be_run(engine: str, problem: Any, solver: Any, run: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        ENGINES[engine](problem, solver, **RUN | run)


def test_two_estimators_must_not_share_a_label() -> None:
    oracle = ArrayOracle(scalar(), Hashed(seed=0, first=0, replicates=1, K=1))
    oracle.sample(StochasticNeumann(theta=0.1, Q=1), 0)
    with pytest.raises(ValueError, match="two estimators draw from the stream 'xi_hat'"):
        oracle.sample(StochasticNeumann(theta=0.1, Q=2), 0)


@pytest.mark.parametrize(("x", "y"), [([1.0], [1.0, 1.0]), ([1.0, 1.0], 1.0), ([1.0, np.nan], [1.0, 1.0])])
def test_hypergradients_want_points_of_the_right_shape(x: object, y: object) -> None:
    plane = random_quadratic(d_x=2, d_y=2, sigma_H=0.1, seed=0)
    for hypergradient in (neumann_hypergradient, partial(stochastic_hypergradient, seed=0)):
        with pytest.raises(ValueError, match=r"[xy] must be 2 finite numbers"):
            hypergradient(plane, x, y, theta=0.1, Q=2)
    with pytest.raises(ValueError, match=r"x must be 2 finite numbers, got 1\.0"):
        exact_hypergradient(plane, 1.0)
