"""Every baseline against its pseudocode, written out with loops over devices (tests/oracles), path by path.

Both read the same signs; x and y of every device agree at the beginning of every iteration. Negative tests change one
line of the pseudocode, and the paths part.
"""

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import numpy as np
import pytest

from oracles import fed_bio_acc, fed_nest, one_machine
from oracles.mixed_world import Mixed
from oracles.paths import Given, Paths, device_paths, distance
from ratecert.solvers import (
    BSA,
    MRBO,
    SMB,
    SOBA,
    STEM,
    SUSTAIN,
    TTSA,
    VRBO,
    CubeRoot,
    FedBiOAcc,
    FedBiOAccGlobal,
    FedNest,
    LFedNest,
    LocalSGD,
    Power,
    StocBiO,
)
from ratecert.synthetic import Quadratic, heterogeneous, random_quadratic

X0, Y0 = np.array([1.0, -0.8, 0.5]), np.array([-0.7, 0.4])
REPLICATES, SEED = 3, 7
LEVELS = {"d_x": 3, "d_y": 2, "sigma_H": 0.3, "sigma_J": 0.3, "s_f": 0.5, "s_g": 0.4, "seed": 3}

NEST = {"alpha": 0.15, "beta": 0.3, "tau": 3, "T_in": 2, "theta": 0.25, "N": 4}
LOOP = {"alpha": 0.1, "beta": 0.2, "T_in": 3, "theta": 0.25}
ETA, D_M = CubeRoot(scale=0.5, offset=2.0), {"d": 0.5, "m": 2.0}
ACC = {"lam": 0.3, "gamma": 0.6, "c_nu": 3.0, "c_w": 2.0, "p": 3}


@dataclass(frozen=True)
class Case:
    solver: Any
    pseudocode: Callable[..., Any]
    letters: dict[str, Any]  # its parameters, in its own letters
    T: int  # iterations
    K: int = 1


ACC_LOCAL, ACC_GLOBAL = {**ACC, "theta": 0.3, "Q": 2}, {**ACC, "tau": 0.7, "c_q": 1.5, "B": 2}
SUSTAINED = {"gamma": 0.3, "lam": 0.6, "c_u": 3.0, "c_v": 2.0, "theta": 0.25, "N": 4, "B": 3}
FULL_SUMS = {"gamma": 0.3, "lam": 0.6, "c_u": 3.0, "c_v": 2.0, "theta": 0.25, "Q": 3, "B": 3}
SPIDER = {"alpha": 0.1, "beta": 0.2, "q": 2, "T_in": 2, "S": 3, "S_2": 2, "theta": 0.3, "Q": 2}
SGD = {"rho_1": 0.3, "rho_2": 0.6, "p": 3, "theta": 0.3, "Q": 2}
MOMENTUM = {"eta": 0.1, "tau": 2.0, "b": 0.3, "theta": 0.3, "Q": 2}
STOC_BIO = {**LOOP, "Q": 2, "S": 3}
TIME_SCALES = {
    "alpha": Power(scale=0.2, exponent=3 / 5),
    "beta": Power(scale=0.3, exponent=2 / 5),
    "theta": 0.25,
    "N": 4,
}

CASES = {
    # a cycle: T_in (1 + tau) + 2 + 1 + tau iterations
    "FedNest": Case(FedNest(**NEST), fed_nest.fed_nest, {"cycles": 4, **NEST}, T=4 * 14, K=3),
    # a cycle: T_in tau + 3 tau
    "LFedNest": Case(LFedNest(**NEST), fed_nest.l_fed_nest, {"cycles": 4, **NEST}, T=4 * 15, K=3),
    "FedBiOAcc": Case(
        FedBiOAcc(eta=ETA, **ACC_LOCAL), fed_bio_acc.fed_bio_acc, {"T": 20, **D_M, **ACC_LOCAL}, T=20, K=3
    ),
    "FedBiOAccGlobal": Case(
        FedBiOAccGlobal(eta=ETA, **ACC_GLOBAL),
        fed_bio_acc.fed_bio_acc_global,
        {"T": 20, **D_M, **ACC_GLOBAL},
        T=20,
        K=3,
    ),
    "STEM": Case(
        STEM(eta=ETA, p=3, rho=0.4, c_u=3.0),
        fed_bio_acc.stem,
        {"T": 20, **D_M, "p": 3, "rho": 0.4, "c_u": 3.0},
        T=20,
        K=3,
    ),
    "LocalSGD": Case(LocalSGD(eta=ETA, **SGD), fed_bio_acc.local_sgd, {"T": 20, **D_M, **SGD}, T=20, K=3),
    "BSA": Case(BSA(**LOOP, N=4), one_machine.bsa, {"cycles": 6, **LOOP, "N": 4}, T=6 * 4),
    "StocBiO": Case(StocBiO(**STOC_BIO), one_machine.stoc_bio, {"cycles": 6, **STOC_BIO}, T=6 * 4),
    "TTSA": Case(
        TTSA(**TIME_SCALES), one_machine.ttsa, {"T": 20, "a": 0.2, "b": 0.3, "theta": 0.25, "N": 4}, T=20
    ),
    "SMB": Case(SMB(**MOMENTUM), one_machine.smb, {"T": 20, **MOMENTUM}, T=20),
    "SUSTAIN": Case(SUSTAIN(eta=ETA, **SUSTAINED), one_machine.sustain, {"T": 20, **D_M, **SUSTAINED}, T=20),
    "MRBO": Case(MRBO(eta=ETA, **FULL_SUMS), one_machine.mrbo, {"T": 20, **D_M, **FULL_SUMS}, T=20),
    # a cycle: 1 + q (1 + T_in)
    "VRBO": Case(VRBO(**SPIDER), one_machine.vrbo, {"cycles": 3, **SPIDER}, T=3 * 7),
    "SOBA": Case(
        SOBA(rho=Power(scale=0.3, exponent=2 / 5), gamma=Power(scale=0.2, exponent=3 / 5)),
        one_machine.soba,
        {"T": 20, "rho": 0.3, "gamma": 0.2},
        T=20,
    ),
}
FEDERATED = [name for name, case in CASES.items() if case.K > 1]
ONE_MACHINE = [name for name, case in CASES.items() if case.K == 1]


@cache
def alike(name: str) -> Any:
    """One world for all devices, with all sources of noise; for STEM the levels do not meet."""
    world = random_quadratic(**LEVELS)
    return with_fields(world, B=0 * world.B) if name == "STEM" else world


@cache
def different(name: str) -> Any:
    """Three devices that differ in A, B, c, P and D."""
    devices = [
        with_fields(device, P=device.P + 0.2 * i * np.eye(3), D=device.D + 0.3 * i * np.eye(2))
        for i, device in enumerate(heterogeneous(K=3, dial=0.4, **LEVELS).devices)
    ]
    return Mixed([with_fields(device, B=0 * device.B) for device in devices] if name == "STEM" else devices)


def with_fields(world: Quadratic, **changed: Any) -> Quadratic:
    return Quadratic(**{f.name: getattr(world, f.name) for f in fields(Quadratic)} | changed)


@cache
def given(K: int) -> Given:
    return Given(seed=SEED, K=K, replicates=REPLICATES)


def of_engine(name: str, world: Any) -> Paths:
    case = CASES[name]
    run = {"T": case.T, "K": case.K, "replicates": REPLICATES, "x0": X0, "y0": Y0}
    return device_paths(world, case.solver, given(case.K), **run)


def of_pseudocode(name: str, world: Any, pseudocode: Callable[..., Any] | None = None) -> Paths:
    """The same arrays, (T + 1, d, K, replicates), one replicate after the other."""
    case = CASES[name]
    noise, run = given(case.K), pseudocode or case.pseudocode
    w = world if case.K == 1 else getattr(world, "devices", [world] * case.K)
    paths = []
    for replicate in range(REPLICATES):
        draws = [noise.drawn(replicate)]
        if "Nest" in name:
            draws.append(lambda t, replicate=replicate: noise.rounds(t, NEST["N"])[replicate])
        path = run(w, *draws, X0, Y0, **case.letters)
        paths.append([np.array(field).reshape(case.T + 1, case.K, -1) for field in zip(*path, strict=True)])
    x, y = (np.stack(field, axis=-1) for field in zip(*paths, strict=True))
    return np.swapaxes(x, 1, 2), np.swapaxes(y, 1, 2)


@pytest.mark.parametrize("world", [alike, different])
@pytest.mark.parametrize("name", FEDERATED)
def test_every_device_follows_the_pseudocode(name: str, world: Callable[[str], Any]) -> None:
    assert distance(of_engine(name, world(name)), of_pseudocode(name, world(name))) <= 1e-12


@pytest.mark.parametrize("name", ONE_MACHINE)
def test_one_machine_follows_the_pseudocode(name: str) -> None:
    assert distance(of_engine(name, alike(name)), of_pseudocode(name, alike(name))) <= 1e-12


# One line changed.


def with_change(pseudocode: Callable[..., Any], line: str, other: str) -> Callable[..., Any]:
    """The same function with `line`, which occurs once, replaced."""
    source = textwrap.dedent(inspect.getsource(pseudocode))
    assert source.count(line) == 1
    names = dict(vars(inspect.getmodule(pseudocode)))
    exec(compile(source.replace(line, other), "<changed>", "exec"), names)
    return names[pseudocode.__name__]


CHANGED = [
    ("FedNest", "- g(x, y) + q)", ")", "no correction"),
    (
        "FedNest",
        "- g(x, y) + q",
        '- grad_y_g(w[i], draw(t + 1, "zeta", i))(x, y) + q',
        "two samples in a bracket",
    ),
    ("FedNest", "r = N * theta", "r = theta", "no factor N"),
    ("FedNest", "k = rounds(t)", "k = rounds(t) + 1", "k from 1 to N"),
    ("FedNest", "n * ROUND", "ROUND", "one sample for all products"),
    ("FedNest", "@ r for i in range(K)", "@ r for i in range(1)", "products of one device"),
    ("FedNest", "grad_x_f(x_i[i]) - grad_x_f(x) + h", "h", "no correction of x"),
    ("FedNest", "alpha / tau", "alpha", "full local steps of x"),
    ("LFedNest", "range(1, k + 1)", "range(1, rounds(t + 100 * i) + 1)", "k drawn per device"),
    ("LFedNest", "y = mean(y_i)", "y = y_i[0]", "y of one device"),
    ("LFedNest", "grad_x_f(x_i[i])", "grad_x_f(x)", "grad_x f at the common point"),
    ("FedBiOAcc", "nu = [mean(nu)] * K", "nu, y = [mean(nu)] * K, [mean(y)] * K", "y averaged"),
    ("FedBiOAcc", "nu = [mean(nu)] * K", "nu = nu", "nu not averaged"),
    ("FedBiOAcc", "1 - c_nu * eta**2", "1 - c_nu * eta", "wrong weight"),
    ("FedBiOAcc", "omega[i] - g(x_old, y_old)", "omega[i] - g(x[i], y_old)", "half of the old point"),
    ("FedBiOAccGlobal", "[mean(r)] * K", "r", "r not averaged"),
    ("FedBiOAccGlobal", "[mean(q)] * K", "q", "q not averaged"),
    ("FedBiOAccGlobal", "1 - c_q * eta**2", "1 - c_q * eta", "wrong weight"),
    ("FedBiOAccGlobal", "h(x[i], r[i])", "h(x[i], r_old)", "r of before"),
    ("FedBiOAccGlobal", "batch = range(B)", "batch = range(1)", "no batch"),
    ("STEM", "u[i] - grad_x_f(x_old)", "u[i] - grad_x_f(x[i])", "no difference"),
    ("STEM", "[mean(u)] * K", "u", "u not averaged"),
    (
        "LocalSGD",
        "x[i], y[i] = x[i] - rho_1 * eta * h(x[i], y[i]), ",
        "x[i] = x[i] - rho_1 * eta * h(x[i], y[i]); y[i] = ",
        "y after x",
    ),
    ("LocalSGD", "(t + 1) % p", "t % p", "averages a step late"),
    ("BSA", "theta, N)", "theta, N - 1)", "N - 1"),
    ("BSA", 'draw(t, "zeta")', 'draw(0, "zeta")', "one sample for ever"),
    ("StocBiO", '"xi_hat", 0, m', '"xi_hat", 0, 0', "a batch of one sample"),
    ("StocBiO", '"zeta", 0, m', '"zeta", 0, 0', "a batch of one sample of g"),
    ("TTSA", "3 / 5", "2 / 5", "one time scale"),
    (
        "TTSA",
        "x, y = x - a / (1 + t) ** (3 / 5) * h(x, y), ",
        "x = x - a / (1 + t) ** (3 / 5) * h(x, y); y = ",
        "y after x",
    ),
    ("SMB", "draw(0,", "draw(1,", "another start"),
    ("SMB", "tau * eta * g", "eta * g", "no tau"),
    ("SUSTAIN", "1 - c_u * eta**2", "1 - c_v * eta**2", "wrong weight"),
    ("SUSTAIN", "u - h(x_old", 'u - cut_at_random(w, draw(t, "xi_hat"), theta, N)(x_old', "two samples"),
    ("SUSTAIN", '"xi_hat", 0, j', '"xi_hat", 0, 0', "a batch of one sample"),
    ("MRBO", "1 - c_v * eta**2", "1 - c_u * eta**2", "wrong weight"),
    ("MRBO", "v - g(x_old", 'v - grad_y_g(w, draw(t, "zeta"))(x_old', "two samples"),
    ("MRBO", '"zeta", 0, j', '"zeta", 0, 0', "a batch of one sample"),
    ("VRBO", "u + h(x, y) - h(x, y_old)", "u", "u does not follow y"),
    ("VRBO", "v + g(x, y) - g(x_old, y)", "v", "v does not follow x"),
    ("VRBO", "h, g = batch(t, S)", "h, g = batch(t, S_2)", "small batch at the restart"),
    ("SOBA", "grad_11_G @ v +", "grad_11_G @ v -", "the other sign of v*"),
    ("SOBA", 'signs = draw(t, "xi_hat")', 'signs = draw(t, "auxiliary")', "one sample for v and x"),
    ("SOBA", "        D_x = grad_21_G @ v", "        D_x = grad_21_G @ (v - rho * D_v)", "x after v"),
    ("SOBA", "gamma / (1 + t) ** (3 / 5)", "gamma / (1 + t) ** (2 / 5)", "one time scale"),
]


@pytest.mark.parametrize(
    ("name", "line", "other"), [pytest.param(*each[:3], id=f"{each[0]}-{each[3]}") for each in CHANGED]
)
def test_with_one_line_changed_it_does_not(name: str, line: str, other: str) -> None:
    world = (different if CASES[name].K > 1 else alike)(name)
    wrong = of_pseudocode(name, world, with_change(CASES[name].pseudocode, line, other))
    assert distance(of_engine(name, world), wrong) > 1e-4


def test_every_method_has_a_changed_line() -> None:
    assert {each[0] for each in CHANGED} == set(CASES)
