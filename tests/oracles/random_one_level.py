"""Random settings of one level, and of finite sums on two: every method, world, measure and start, tame and wild.

The methods come in turn. Steps go from tiny to near the stability limit, minimisers up to 10^6 from the origin, starts
from the solution to far from it, T from 1 to 2^40; it is small where iterations can only be stepped through.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import ratecert as rc
from oracles.random_settings import Setting, level, log_uniform
from ratecert.errors import UserError
from ratecert.solvers import ONE_LEVEL
from ratecert.solvers.contract.counts import fields_at_start

FEW = 200  # iterations that are stepped through
Rng = np.random.Generator
measures, methods, worlds = rc.measures, rc.methods, rc.worlds


def settings(seed: int, n: int) -> Iterator[Setting]:
    """n settings, the methods in turn."""
    rng = np.random.default_rng([seed, 1])
    names = list(METHODS)
    for i in range(n):
        yield _drawn(rng, names[i % len(names)])


def _drawn(rng: Rng, name: str) -> Setting:
    while True:
        try:
            return _two_levels(rng, name) if name in BILEVEL else _one_level(rng, name)
        except UserError:
            continue


def _one_level(rng: Rng, name: str) -> Setting:
    world = WORLDS[str(rng.choice(WORLDS_OF.get(name, ALL_WORLDS)))](rng)
    constants = world.constants()
    L = max(constants["L"], constants.get("L_max", 0.0))
    devices = getattr(world, "devices", None)
    K = len(devices) if devices else int(rng.choice([1, 2, 5, 100, 10**6]))
    step = log_uniform(rng, 1e-9, 1e-2) if rng.random() < 0.3 else log_uniform(rng, 1e-2, 1.9)
    solver = METHODS[name](rng, step / L, K, world)
    return _started(rng, name, world, solver, K)


def _started(rng: Rng, name: str, world: Any, solver: Any, K: int) -> Setting:
    fields = fields_at_start(world, solver)
    read = _measures(rng, name, world, list(fields), K)
    short = name in STEPPED or any(
        measure.at in ("largest", "smallest", "drawn") for measure in read.values()
    )
    T = int(2 ** rng.uniform(0, np.log2(FEW) if short else 40))
    far = 0.0 if rng.random() < 0.3 else log_uniform(rng, 1e-6, 1e6)
    start = {"x": world.x_star + far * rng.normal(size=world.d_x)}
    if name in BILEVEL:
        start["y"] = world.y_star(start["x"]) + far * rng.normal(size=world.d_y)
    others = [field for field in fields if field not in start and field in GIVEN]
    if others and rng.random() < 0.3:
        field = str(rng.choice(others))
        start[field] = log_uniform(rng, 1e-3, 1e3) * rng.normal(size=fields[field])
    return Setting(name, world, solver, {"K": K, "T": T, "start": start, "times": [], "measures": read})


def _measures(rng: Rng, name: str, world: Any, fields: list[str], K: int) -> dict[str, Any]:
    """Three of all that can be read."""
    of_x = [field for field in fields if field in ("x", "z", "w", "last", "v", "y_k", "anchor", "phi_0")]
    field = str(rng.choice(of_x))
    found = {
        "gradient": measures.gradient(field),
        "distance": measures.gradient(field) if name in BILEVEL else measures.distance(field),
        "drift": measures.drift(field),
        "devices": measures.form(lambda _problem, s: getattr(s, field), of="devices", reads=field),
        "deviations": measures.form(lambda _problem, s: 2 * getattr(s, field), of="deviations", reads=field),
    }
    if name in BILEVEL:
        found["tracking"] = measures.tracking()
    elif not isinstance(world, worlds.LinearMap):
        device = None if rng.random() < 0.5 else int(rng.integers(K))
        own = measures.form(lambda problem, s: problem.device.gradient(s.x), of="own", device=device)
        found |= {"gap": measures.gap(field), "own": own}
        found["sampled"] = measures.sampled_gradient(field, device=device)
        if variate := next((field for field in ("h", "c_k") if field in fields), None):
            found["control"] = measures.control(variate)
    chosen = rng.choice(list(found), size=3, replace=False)
    return {str(each): _read(rng, name, found[each]) for each in chosen}


def _read(rng: Rng, name: str, measure: Any) -> Any:
    """When a measure is read; over all t in one of ten settings or so."""
    at = rng.random()
    if at < 0.4:
        return measure
    if at < 0.7:
        return measure.last()
    if at < 0.96:
        of_mean = all(form.of == "mean" for _, form in measure.forms)
        return measure.at_mean() if of_mean and name not in DRAWS_HOW_MANY else measure
    return [measure.largest(), measure.smallest(), measure.drawn(lambda t: (3.0 + t) ** 2)][
        int(rng.integers(3))
    ]


# Worlds


def _centre(rng: Rng, d: int) -> Any:
    return level(rng, 0.1, 1e6) * rng.normal(size=d)


def _quadratic(rng: Rng, d: int | None = None) -> Any:
    d = d or int(rng.integers(1, 3))
    spectrum = [log_uniform(rng, 0.01, 10) for _ in range(d)]
    return worlds.single_level(
        spectrum, a=_centre(rng, d), seed=int(rng.integers(1000)), noise_H=level(rng, 1e-6, 0.5),
        correlated=level(rng, 1e-6, 1.0), s=level(rng, 1e-12, 1.0),
    )  # fmt: skip


def _noises(rng: Rng) -> Any:
    """Two directions of noise in the Hessian, that need not commute with it."""
    H = _quadratic(rng, 2).H
    E = [log_uniform(rng, 1e-3, 0.3) * np.array([[a, b], [b, c]]) for a, b, c in rng.normal(size=(2, 3))]
    return worlds.SingleLevel(H=H, a=_centre(rng, 2), E=E, c=level(rng, 1e-3, 1.0) * rng.normal(size=(2, 2)))


def _sum(rng: Rng, n: int | None = None, d: int | None = None) -> Any:
    n, d = n or int(rng.integers(2, 5)), d or int(rng.integers(1, 3))
    roots = rng.normal(size=(n, d, d))
    H = roots @ np.swapaxes(roots, 1, 2) + log_uniform(rng, 1e-3, 1.0) * np.eye(d)
    return worlds.FiniteSum(H=H, a=_centre(rng, d) + level(rng, 1e-3, 10.0) * rng.normal(size=(n, d)))


def _weights(rng: Rng, K: int) -> Any:
    shares = rng.uniform(0.1, 1.0, size=K)
    return None if rng.random() < 0.5 else shares / shares.sum()


def _devices(rng: Rng) -> Any:
    """Two or three on a line, or two in the plane, of both kinds."""
    d = int(rng.integers(1, 3))
    K = 2 if d == 2 else int(rng.integers(2, 4))
    mixed = [_sum(rng, n=2, d=d) if rng.random() < 0.4 else _quadratic(rng, d) for _ in range(K)]
    return worlds.Federated(devices=mixed, weights=_weights(rng, K))


def _sums(rng: Rng) -> Any:
    return worlds.Federated(devices=[_sum(rng, n=2, d=1) for _ in range(2)], weights=_weights(rng, 2))


def _map(rng: Rng) -> Any:
    d = int(rng.integers(1, 3))
    M = rng.normal(size=(d, d))
    return worlds.LinearMap(M=M * rng.uniform(0.1, 1.0) / np.linalg.norm(M, 2), b=_centre(rng, d))


WORLDS: dict[str, Callable[[Rng], Any]] = {
    "quadratic": _quadratic, "noises": _noises, "sum": _sum, "devices": _devices, "sums": _sums, "map": _map,
}  # fmt: skip
ALL_WORLDS = ("quadratic", "noises", "sum", "devices", "map")
WORLDS_OF = {"SAGA": ("sum", "sums"), "FedProx": ("quadratic", "noises", "sum", "devices")}


# Methods, of a step that is a part of the largest


def _smaller(rng: Rng, step: float) -> Any:
    """Smaller and smaller steps."""
    offset = log_uniform(rng, 1, 100)
    if rng.random() < 0.5:
        return rc.contract.CubeRoot(scale=step * offset ** (1 / 3), offset=offset)
    return rc.contract.Power(scale=step * offset**0.75, offset=offset, exponent=0.75)


def _p(rng: Rng) -> int:
    return int(log_uniform(rng, 1, 30))


def _beta(rng: Rng) -> float:
    return float(1 - log_uniform(rng, 1e-4, 0.9))


def _fed_avg(rng: Rng, step: float, K: int, world: Any) -> Any:
    shares = getattr(world, "weights", np.ones(1))
    again = bool(rng.random() < 0.5 or np.ptp(shares) > 0)
    return methods.FedAvg(alpha=step, m=int(rng.integers(1, min(K, 4) + 1)), p=_p(rng), replacement=again)


METHODS: dict[str, Callable[[Rng, float, int, Any], Any]] = {
    "SGD": lambda rng, step, K, world: methods.SGD(alpha=step, p=_p(rng)),
    "SGD, smaller and smaller steps": lambda rng, step, K, world: methods.SGD(
        alpha=_smaller(rng, step), p=_p(rng)
    ),
    "HeavyBall": lambda rng, step, K, world: methods.HeavyBall(alpha=step, beta=_beta(rng), p=_p(rng)),
    "Nesterov": lambda rng, step, K, world: methods.Nesterov(alpha=step, beta=_beta(rng), p=_p(rng)),
    "TripleMomentum": lambda rng, step, K, world: methods.TripleMomentum(
        alpha=step, beta=_beta(rng), gamma=rng.uniform(0.1, 0.9), delta=rng.uniform(0.1, 0.9), p=_p(rng)
    ),
    "AveragedSGD": lambda rng, step, K, world: methods.AveragedSGD(alpha=step, gamma=_beta(rng), p=_p(rng)),
    "FISTA": lambda rng, step, K, world: methods.FISTA(alpha=step, p=_p(rng)),
    "OGM": lambda rng, step, K, world: methods.OGM(alpha=step, N=_p(rng), p=_p(rng)),
    "ITEM": lambda rng, step, K, world: methods.ITEM(alpha=step, q=log_uniform(rng, 1e-3, 0.9), p=_p(rng)),
    "Halpern": lambda rng, step, K, world: methods.Halpern(alpha=step, p=_p(rng)),
    "SVRG": lambda rng, step, K, world: methods.SVRG(alpha=step, m=_p(rng)),
    "SAGA": lambda rng, step, K, world: methods.SAGA(
        alpha=step, n=world.n if hasattr(world, "n") else 2, p=_p(rng)
    ),
    "PAGE": lambda rng, step, K, world: methods.PAGE(
        alpha=step, p=log_uniform(rng, 1e-3, 1.0), b=int(rng.integers(1, 4))
    ),
    "STORM": lambda rng, step, K, world: methods.STORM(
        eta=step, c=log_uniform(rng, 1e-4, 1.0) / step**2, p=_p(rng), B=int(rng.integers(1, 4))
    ),
    "FedAvg": _fed_avg,
    "LocalGD": lambda rng, step, K, world: methods.LocalGD(alpha=step, p=_p(rng)),
    "ProxSkip": lambda rng, step, K, world: methods.ProxSkip(gamma=step, p=log_uniform(rng, 0.01, 1.0)),
    "SCAFFOLD": lambda rng, step, K, world: methods.SCAFFOLD(
        eta_l=step, eta_g=log_uniform(rng, 0.1, 1.0), p=_p(rng)
    ),
    "FedProx": lambda rng, step, K, world: methods.FedProx(
        mu=1 / step, m=None if rng.random() < 0.5 else int(rng.integers(1, 4))
    ),
    "SABA": lambda rng, step, K, world: methods.SABA(
        rho=step, gamma=step * log_uniform(rng, 0.01, 1.0), n=world.n, m=world.m
    ),
    "SOBA": lambda rng, step, K, world: methods.SOBA(rho=step, gamma=step * log_uniform(rng, 0.01, 1.0)),
}
STEPPED = ("SGD, smaller and smaller steps", "FISTA", "OGM", "ITEM", "Halpern")  # steps vary
DRAWS_HOW_MANY = ("SVRG",)  # steps, so that there is no mean of the iterates
BILEVEL = ("SABA", "SOBA")
GIVEN = ("m", "last", "z", "w", "G", "phi_0", "phi_1", "g", "d", "h", "v", "c_k", "c", "y_k", "anchor")
assert ONE_LEVEL.keys() <= METHODS.keys()


# Two levels


def _two_levels(rng: Rng, name: str) -> Setting:
    world = _quadratic_pair(rng) if name == "SOBA" and rng.random() < 0.5 else _sum_pair(rng)
    step = log_uniform(rng, 1e-6, 0.5) / (world.curvature[1] + 1)
    return _started(rng, name, world, METHODS[name](rng, step, 1, world), 1)


def _quadratic_pair(rng: Rng) -> Any:
    return worlds.scalar(
        mu=1.0, L_1=rng.uniform(2, 6), sigma_H=level(rng, 0.01, 0.3), s_f=level(rng, 1e-6, 1.0),
        s_g=level(rng, 1e-6, 1.0), a=level(rng, 0.1, 1e4) * rng.normal(), c=rng.normal(),
    )  # fmt: skip


def _sum_pair(rng: Rng) -> Any:
    n, m = [(1, 1), (1, 2), (2, 1)][int(rng.integers(3))]  # larger tables take balls many seconds
    far = level(rng, 0.1, 1e4)
    return worlds.BilevelSum(
        A=rng.uniform(0.5, 3, size=n), B=rng.normal(size=n), c=far * rng.normal(size=n),
        P=rng.uniform(0.5, 2, size=m), D=rng.uniform(0.1, 1, size=m), a=far * rng.normal(size=m),
        b=far * rng.normal(size=m),
    )  # fmt: skip
