"""Every method on two levels against its pseudocode, written out with loops over devices (tests/oracles), path by path.

Both read the same signs; x and y of every device agree at the beginning of every iteration. Negative tests change one
line of the pseudocode, and the paths part.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from oracles import federated, one_machine
from oracles.mixed_world import Mixed
from oracles.paths import Given, Paths, device_paths, distance
from oracles.pseudocode import with_change
from oracles.sampled import cut_at_random, full_sum
from ratecert.solvers import ALGORITHMS, CubeRoot, Power
from ratecert.synthetic import heterogeneous, random_quadratic

X0, Y0 = np.array([1.0, -0.8, 0.5]), np.array([-0.7, 0.4])
REPLICATES, SEED = 3, 7
LEVELS = {"d_x": 3, "d_y": 2, "sigma_H": 0.3, "sigma_J": 0.3, "s_f": 0.5, "s_g": 0.4, "seed": 3}


@dataclass(frozen=True)
class Case:
    """A method and its pseudocode, whose letters are the method's fields but for what is given beside them."""

    pseudocode: Callable[..., Any]
    fields: dict[str, Any]
    K: int = 3
    own: tuple[str, ...] = ()  # fields that the pseudocode has otherwise
    letters: dict[str, Any] | None = None

    @property
    def written(self) -> dict[str, Any]:
        return {n: v for n, v in self.fields.items() if n not in self.own} | (self.letters or {"T": 20})


SUM, CUT = {"theta": 0.3, "Q": 2}, {"theta": 0.25, "N": 4}
ETA = CubeRoot(scale=0.5, offset=2.0)
OF_T = {"T": 20, "eta": lambda t: 0.5 / (2 + t) ** (1 / 3)}
D_M = {"T": 20, "d": 0.5, "m": 2.0}
NEST = {"alpha": 0.15, "beta": 0.3, "tau": 3, "T_in": 2, **CUT}
LOOP = {"alpha": 0.1, "beta": 0.2, "T_in": 3, "S": 3}
ACC = {"eta": ETA, "lam": 0.3, "gamma": 0.6, "c_nu": 3.0, "c_w": 2.0, "p": 3}
OURS = {"eta": ETA, "alpha": 2.0, "beta": 1.5, "rho_1": 0.4, "rho_2": 0.6, "p": 3, **SUM}
STORM = {"eta": ETA, "gamma": 0.3, "lam": 0.6, "c_u": 3.0, "c_v": 2.0, "B": 3}
SPIDER = {"alpha": 0.1, "beta": 0.2, "q": 2, "T_in": 2, "S": 3, "S_2": 2, **SUM}
SGD = {"eta": ETA, "rho_1": 0.3, "rho_2": 0.6, "p": 3, **SUM}
SCALES = {"alpha": Power(scale=0.2, exponent=3 / 5), "beta": Power(scale=0.3, exponent=2 / 5), **CUT}
FULL, RANDOM = {"estimate": full_sum}, {"estimate": cut_at_random}
CASES = {
    **{
        f"LocalBSGM {momenta}": Case(federated.local_bsgm, OURS | {"momenta": momenta}, letters=OF_T)
        for momenta in ("carry", "fresh")
    },
    **{
        f"LocalBSGVRM {momenta} {previous}": Case(
            federated.local_bsgvrm,
            OURS | {"momenta": momenta, "previous": previous, "B": 2},
            letters=OF_T,
        )
        for momenta, previous in (("carry", "local"), ("carry", "averaged"), ("fresh", "local"))
    },
    "FedNest": Case(federated.fed_nest, NEST, letters={"cycles": 4}),
    "LFedNest": Case(federated.l_fed_nest, NEST, letters={"cycles": 4}),
    "FedBiOAcc": Case(federated.fed_bio_acc, ACC | SUM, own=("eta",), letters=D_M),
    "FedBiOAccGlobal": Case(
        federated.fed_bio_acc_global, ACC | {"tau": 0.7, "c_q": 1.5, "B": 2}, own=("eta",), letters=D_M
    ),
    "STEM": Case(federated.stem, {"eta": ETA, "p": 3, "rho": 0.4, "c_u": 3.0}, own=("eta",), letters=D_M),
    "LocalSGD": Case(federated.local_sgd, SGD, own=("eta",), letters=D_M),
    "BSA": Case(one_machine.double_loop, LOOP | CUT, 1, letters={"cycles": 6, **RANDOM}),
    "StocBiO": Case(one_machine.double_loop, LOOP | SUM, 1, letters={"cycles": 6, **FULL}),
    "TTSA": Case(
        one_machine.ttsa, SCALES, 1, own=("alpha", "beta"), letters={"T": 20, "a": 0.2, "b": 0.3, **RANDOM}
    ),
    "SMB": Case(one_machine.smb, {"eta": 0.1, "tau": 2.0, "b": 0.3, **SUM}, 1),
    "SUSTAIN": Case(one_machine.storm, STORM | CUT, 1, own=("eta",), letters=D_M | RANDOM),
    "MRBO": Case(one_machine.storm, STORM | SUM, 1, own=("eta",), letters=D_M | FULL),
    "VRBO": Case(one_machine.vrbo, SPIDER, 1, letters={"cycles": 3}),
    "SOBA": Case(
        one_machine.soba,
        {"rho": Power(scale=0.3, exponent=2 / 5), "gamma": Power(scale=0.2, exponent=3 / 5)},
        1,
        letters={"T": 20, "rho": 0.3, "gamma": 0.2},
    ),
}


@cache
def alike(name: str) -> Any:
    """One world for all devices, with all sources of noise; for STEM the levels do not meet."""
    world = random_quadratic(**LEVELS)
    return replace(world, B=0 * world.B) if name == "STEM" else world


@cache
def different(name: str) -> Any:
    """Three devices that differ in A, B, c, P and D."""
    devices = [
        replace(device, P=device.P + 0.2 * i * np.eye(3), D=device.D + 0.3 * i * np.eye(2))
        for i, device in enumerate(heterogeneous(K=3, dial=0.4, **LEVELS).devices)
    ]
    return Mixed([replace(device, B=0 * device.B) for device in devices] if name == "STEM" else devices)


def of_pseudocode(name: str, world: Any, pseudocode: Callable[..., Any] | None = None) -> Paths:
    """x and y as (T + 1, d, K, replicates), one replicate after the other."""
    case = CASES[name]
    noise = Given(seed=SEED, K=case.K, replicates=REPLICATES)
    w = world if case.K == 1 else getattr(world, "devices", [world] * case.K)
    paths = []
    for i in range(REPLICATES):
        drawn = {"rounds": lambda t, i=i: noise.rounds(t, CUT["N"])[i]} if "Nest" in name else {}
        path = (pseudocode or case.pseudocode)(w, noise.drawn(i), X0, Y0, **case.written, **drawn)
        fields = (np.array(field) for field in zip(*path, strict=True))
        paths.append([field.reshape(len(field), case.K, -1).swapaxes(1, 2) for field in fields])
    x, y = (np.stack(field, axis=-1) for field in zip(*paths, strict=True))
    return x, y


def apart(name: str, world: Any, pseudocode: Callable[..., Any] | None = None) -> float:
    case, expected = CASES[name], of_pseudocode(name, world, pseudocode)
    solver = ALGORITHMS[name.split()[0]](**case.fields)
    noise = Given(seed=SEED, K=case.K, replicates=REPLICATES)
    run = {"T": len(expected[0]) - 1, "K": case.K, "replicates": REPLICATES, "x0": X0, "y0": Y0}
    return distance(device_paths(world, solver, noise, **run), expected)


@pytest.mark.parametrize(
    ("name", "world"), [(n, w) for n, case in CASES.items() for w in (alike, different)[: case.K]]
)
def test_every_device_follows_the_pseudocode(name: str, world: Callable[[str], Any]) -> None:
    assert apart(name, world(name)) <= 1e-12


CHANGED = [
    ("LocalBSGM carry", "beta * eta(t) * g", "beta * eta(t) ** 2 * g", "wrong weight"),
    ("LocalBSGM carry", "(u, v, x, y)", "(u, x, y)", "v not averaged"),
    ("LocalBSGM fresh", 'momenta == "fresh" and', "False and", "momenta of before"),
    ("LocalBSGVRM carry local", "else B", "else 1", "no batch"),
    ("LocalBSGVRM carry local", "g(x_old[i], y_old[i])", "g(x[i], y_old[i])", "half of the old point"),
    ("LocalBSGVRM carry averaged", "x_old, y_old) if", "x_old,) if", "half of it averaged"),
    ("LocalBSGVRM fresh local", "beta * eta(t - 1) ** 2", "beta * eta(t) ** 2", "eta of t"),
    ("FedNest", "- g(x, y) + q)", ")", "no correction"),
    ("FedNest", "- g(x, y) + q", '- grad_y_g(w[i], draw(t + 1, "zeta", i))(x, y) + q', "two samples in a bracket"),
    ("FedNest", "r = N * theta", "r = theta", "no factor N"),
    ("FedNest", "k = rounds(t)", "k = rounds(t) + 1", "k from 1 to N"),
    ("FedNest", "n * ROUND", "ROUND", "one sample for all products"),
    ("FedNest", "ROUND)), r) for i in range(K)", "ROUND)), r) for i in range(1)", "products of one device"),
    ("FedNest", "grad_x_f(x_i[i]) - grad_x_f(x) + h", "h", "no correction of x"),
    ("FedNest", "alpha / tau", "alpha", "full local steps of x"),
    ("LFedNest", "range(1, k + 1)", "range(1, rounds(t + 100 * i) + 1)", "k drawn per device"),
    ("LFedNest", "y = y_i[0]", "y = y_i[0] + 0.1 * beta", "another y"),
    ("LFedNest", "h(x_i[i], r_i[i])", "h(x, r_i[i])", "grad_x f at the common point"),
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
        "LocalSGD", "x[i], y[i] = x[i] - rho_1 * eta * h(x[i], y[i]), ",
        "x[i] = x[i] - rho_1 * eta * h(x[i], y[i]); y[i] = ", "y after x",
    ),
    ("LocalSGD", "(t + 1) % p", "t % p", "averages a step late"),
    ("BSA", "**series) for", "**series | {'N': 3}) for", "N - 1"),
    ("BSA", 'draw(t, "zeta", 0, m)', 'draw(0, "zeta", 0, m)', "one sample for ever"),
    ("StocBiO", '"xi_hat", 0, m', '"xi_hat", 0, 0', "a batch of one sample"),
    ("StocBiO", '"zeta", 0, m', '"zeta", 0, 0', "a batch of one sample of g"),
    ("TTSA", "3 / 5", "2 / 5", "one time scale"),
    (
        "TTSA", "x, y = x - a / (1 + t) ** (3 / 5) * h(x, y), ", "x = x - a / (1 + t) ** (3 / 5) * h(x, y); y = ",
        "y after x",
    ),
    ("SMB", "draw(0,", "draw(1,", "another start"),
    ("SMB", "tau * eta * g", "eta * g", "no tau"),
    ("SUSTAIN", "1 - c_u * eta**2", "1 - c_v * eta**2", "wrong weight"),
    ("SUSTAIN", "u - h(x_old", 'u - estimate(w, draw(t, "xi_hat"), **series)(x_old', "two samples"),
    ("SUSTAIN", '"xi_hat", 0, j', '"xi_hat", 0, 0', "a batch of one sample"),
    ("MRBO", "1 - c_v * eta**2", "1 - c_u * eta**2", "wrong weight"),
    ("MRBO", "v - g(x_old", 'v - grad_y_g(w, draw(t, "zeta"))(x_old', "two samples"),
    ("MRBO", '"zeta", 0, j', '"zeta", 0, 0', "a batch of one sample"),
    ("VRBO", "u + h(x, y) - h(x, y_old)", "u", "u does not follow y"),
    ("VRBO", "v + g(x, y) - g(x_old, y)", "v", "v does not follow x"),
    ("VRBO", "h, g = batch(t, S)", "h, g = batch(t, S_2)", "small batch at the restart"),
    ("SOBA", "v) + grad_1_F", "v) - grad_1_F", "the other sign of v*"),
    ("SOBA", 'signs = draw(t, "xi_hat")', 'signs = draw(t, "auxiliary")', "one sample for v and x"),
    ("SOBA", "times(grad_21_G, v)", "times(grad_21_G, v - rho * D_v)", "x after v"),
    ("SOBA", "gamma / (1 + t) ** (3 / 5)", "gamma / (1 + t) ** (2 / 5)", "one time scale"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "line", "other"), [pytest.param(*each[:3], id=f"{each[0]}-{each[3]}") for each in CHANGED]
)
def test_with_one_line_changed_it_does_not(name: str, line: str, other: str) -> None:
    world = (different if CASES[name].K > 1 else alike)(name)
    assert apart(name, world, with_change(CASES[name].pseudocode, line, other)) > 1e-4


def test_every_method_has_a_changed_line() -> None:
    assert {each[0] for each in CHANGED} == set(CASES)
    assert {name.split()[0] for name in CASES} == set(ALGORITHMS)
