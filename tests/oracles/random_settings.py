"""Random settings for the exact engine: over worlds, methods, K, p, Q, step sizes and T, tame and wild.

A setting is (world, solver, arguments of expect). What makes no sense, such as momentum weights beyond 1, is drawn
again; what diverges is for the caller to skip.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import ratecert as rc
from ratecert.errors import UserError


@dataclass(frozen=True)
class Setting:
    group: str
    world: Any
    solver: Any
    run: dict[str, Any]


Drawn = tuple[Any, Any, int, bool]  # world, solver, K, and whether T may be huge


def settings(seed: int, n: int) -> Iterator[Setting]:
    """n settings, the groups in turn."""
    rng = np.random.default_rng(seed)
    groups = list(GROUPS)
    for i in range(n):
        yield _drawn(rng, groups[i % len(groups)])


def _drawn(rng: np.random.Generator, group: str) -> Setting:
    while True:
        try:
            world, solver, K, wild = GROUPS[group](rng)
            return Setting(group, world, solver, _run(rng, world, solver, K=K, wild=wild))
        except UserError:
            continue


def log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def level(rng: np.random.Generator, low: float, high: float) -> float:
    return 0.0 if rng.random() < 0.3 else log_uniform(rng, low, high)


def _two(rng: np.random.Generator, wild: bool) -> Any:
    """One of the paper's two methods, in one of its readings."""
    eta = log_uniform(rng, 1e-9, 0.3) if wild else log_uniform(rng, 1e-5, 0.03)
    reduced = rng.random() < 0.5
    weight = [log_uniform(rng, 0.01, 1.0) / eta ** (2 if reduced else 1) for _ in range(2)]
    if reduced and not wild:
        weight = [log_uniform(rng, 1.0, 20.0) for _ in range(2)]
    common: dict[str, Any] = {
        "eta": eta,
        "alpha": weight[0],
        "beta": weight[1],
        "rho_1": log_uniform(rng, 0.01, 0.5),
        "rho_2": log_uniform(rng, 0.1, 1.0),
        "p": int(log_uniform(rng, 1, 1e5 if wild else 33)),
        "theta": log_uniform(rng, 0.05, 0.4),
        "Q": int(rng.integers(0, 101 if wild else 21)),
        "momenta": str(rng.choice(["carry", "fresh"])),
    }
    if not reduced:
        return rc.methods.LocalBSGM(**common)
    return rc.methods.LocalBSGVRM(**common, previous=str(rng.choice(["local", "averaged"])))


def _another(rng: np.random.Generator) -> Any:
    """One of the other methods."""
    eta, theta = log_uniform(rng, 1e-4, 0.1), log_uniform(rng, 0.05, 0.3)
    Q, p = int(rng.integers(0, 21)), int(rng.integers(1, 9))
    methods = rc.methods
    makers = [
        lambda: methods.LocalSGD(eta=eta, rho_1=0.2, rho_2=0.9, p=p, theta=theta, Q=Q),
        lambda: methods.SMB(
            eta=eta, tau=log_uniform(rng, 0.5, 3), b=log_uniform(rng, 0.01, 1.0), theta=theta, Q=Q
        ),
        lambda: methods.TTSA(alpha=eta, beta=3 * eta, theta=theta, N=int(rng.integers(1, 7))),
        lambda: methods.BSA(alpha=eta, beta=3 * eta, theta=theta, N=int(rng.integers(1, 7)), T_in=p),
        lambda: methods.MRBO(eta=eta, gamma=0.2, lam=0.9, c_u=4.0, c_v=4.0, theta=theta, Q=Q),
        lambda: methods.SUSTAIN(eta=eta, gamma=0.2, lam=0.9, c_u=4.0, c_v=4.0, theta=theta, N=4),
        lambda: methods.FedBiOAcc(eta=eta, lam=0.2, gamma=0.9, c_nu=4.0, c_w=4.0, theta=theta, Q=Q, p=p),
        lambda: methods.FedNest(alpha=eta, beta=3 * eta, tau=2, T_in=2, theta=theta, N=3),
    ]
    return makers[int(rng.integers(len(makers)))]()


def _run(rng: np.random.Generator, world: Any, solver: Any, *, K: int, wild: bool) -> dict[str, Any]:
    T = int(2 ** rng.uniform(1, 62 if wild else 34))
    near = rng.random() < 0.5
    x0 = world.x_star if near else rng.normal(size=world.d_x) * log_uniform(rng, 0.1, 10)
    y0 = world.y_star(x0) if near else rng.normal(size=world.d_y)
    alone = getattr(solver, "one_machine", False)
    return {"K": 1 if alone else K, "T": T, "x0": x0, "y0": y0, "times": []}


def _tame_scalar(rng: np.random.Generator) -> Drawn:
    noise = {name: level(rng, 0.01, 1.0) for name in ("s_f", "s_g")}
    world = rc.worlds.scalar(
        mu=1.0, L_1=rng.uniform(2, 10), sigma_H=level(rng, 0.01, 0.3), sigma_J=level(rng, 0.01, 0.3), **noise,
        a=rng.normal(), b=rng.normal(), c=rng.normal(),
    )  # fmt: skip
    return world, _two(rng, wild=False), int(rng.choice([1, 2, 5, 100])), False


def _wild_scalar(rng: np.random.Generator) -> Drawn:
    far = log_uniform(rng, 0.1, 1e3)
    world = rc.worlds.scalar(
        mu=1.0, L_1=rng.uniform(2, 10), sigma_H=level(rng, 1e-12, 0.3), sigma_J=level(rng, 1e-12, 0.3),
        s_f=level(rng, 1e-12, 1.0), s_g=level(rng, 1e-12, 1.0), D=float(rng.choice([0.0, 1.0])),
        a=far * rng.normal(), b=far * rng.normal(), c=far * rng.normal(),
    )  # fmt: skip
    return world, _two(rng, wild=True), int(log_uniform(rng, 1, 1e9)), True


def _other_methods(rng: np.random.Generator) -> Drawn:
    world = rc.worlds.scalar(
        mu=1.0, L_1=rng.uniform(2, 6), sigma_H=level(rng, 0.01, 0.3), s_f=level(rng, 1e-6, 1.0),
        s_g=level(rng, 1e-6, 1.0), a=10 * rng.normal(), c=rng.normal(),
    )  # fmt: skip
    return world, _another(rng), int(rng.choice([1, 3, 50])), False


def _matrices(rng: np.random.Generator) -> Drawn:
    noise = {name: level(rng, 0.01, 0.5) for name in ("s_f", "s_g")}
    seed = int(rng.integers(1000))
    if rng.random() < 0.2:
        world = rc.worlds.aligned(d_x=2, d_y=2, s_g=noise["s_g"])
    else:
        multiplicative = rng.random() < 0.3
        world = rc.worlds.random_quadratic(
            d_x=int(rng.integers(1, 3)), d_y=2, sigma_H=0.1 * multiplicative, seed=seed, **noise
        )
    return world, _two(rng, wild=False), int(rng.choice([1, 4])), False


def _devices_that_differ(rng: np.random.Generator) -> Drawn:
    K = int(rng.integers(2, 4))
    world = rc.worlds.heterogeneous(
        d_x=1, d_y=1, K=K, dial=log_uniform(rng, 1e-3, 0.4), s_f=level(rng, 0.01, 0.5), s_g=level(rng, 0.01, 0.5),
        sigma_H=level(rng, 0.01, 0.2), seed=int(rng.integers(1000)),
    )  # fmt: skip
    return world, _two(rng, wild=False), K, False


def _many_devices(rng: np.random.Generator) -> Drawn:
    """Additive noise, or noisy Hessians on fewer of them, which balls go through in seconds."""
    noisy = rng.random() < 0.3
    d = 1 if noisy else int(rng.integers(1, 3))
    K = int(rng.integers(3, 6)) if noisy else int(rng.integers(4, 13)) // d
    world = rc.worlds.heterogeneous(
        d_x=d, d_y=d, K=K, dial=log_uniform(rng, 1e-6, 0.4), s_f=level(rng, 1e-6, 0.5), s_g=level(rng, 1e-6, 0.5),
        sigma_H=0.1 * noisy, seed=int(rng.integers(1000)),
    )  # fmt: skip
    return world, _two(rng, wild=False), K, True


def _many_dimensions(rng: np.random.Generator) -> Drawn:
    """Additive noise, where moments are doubled without a map on their pairs."""
    d = int(rng.integers(4, 9))
    world = rc.worlds.random_quadratic(
        d_x=d, d_y=d, s_f=level(rng, 1e-6, 0.5), s_g=level(rng, 1e-6, 0.5), seed=int(rng.integers(1000))
    )
    return world, _two(rng, wild=False), int(log_uniform(rng, 1, 1e6)), True


GROUPS: dict[str, Any] = {
    "tame scalar": _tame_scalar,
    "wild scalar": _wild_scalar,
    "other methods": _other_methods,
    "matrices": _matrices,
    "devices that differ": _devices_that_differ,
    "many devices": _many_devices,
    "many dimensions": _many_dimensions,
}
