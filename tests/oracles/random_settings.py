"""Random settings for the exact engine, on two levels and on one: methods, worlds, measures and starts, tame and wild.

What makes no sense, such as momentum weights beyond 1, is drawn again; what diverges is for the caller to skip. Steps
go from tiny to near the stability limit, minimisers up to 10^6 from the origin, starts from the solution to far from
it, T from 1 to 2^62; it is small where iterations can only be stepped through.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import ratecert as rc
from ratecert.errors import UserError
from ratecert.solvers import ONE_LEVEL
from ratecert.solvers.engines.counting import fields_at_start

Rng = np.random.Generator
measures, methods, worlds = rc.measures, rc.methods, rc.worlds


@dataclass(frozen=True)
class Setting:
    group: str
    world: Any
    solver: Any
    run: dict[str, Any]  # arguments of expect


def log_uniform(rng: Rng, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def level(rng: Rng, low: float, high: float) -> float:
    return 0.0 if rng.random() < 0.3 else log_uniform(rng, low, high)


def settings(makers: Mapping[str, Callable[[Rng], Setting]], seed: int, n: int) -> Iterator[Setting]:
    """n settings, the groups in turn."""
    rng, names = np.random.default_rng(seed), list(makers)
    while n > 0:
        try:
            yield makers[names[n % len(names)]](rng)
        except UserError:
            continue
        n -= 1


def on_two_levels(seed: int, n: int) -> Iterator[Setting]:
    return settings({group: _in_group(group) for group in GROUPS}, seed, n)


def on_one_level(seed: int, n: int) -> Iterator[Setting]:
    return settings({name: _with_method(name) for name in METHODS}, seed, n)


# Two levels: a world, a solver, K, and whether T may be huge.

Drawn = tuple[Any, Any, int, bool]


def _in_group(group: str) -> Callable[[Rng], Setting]:
    def drawn(rng: Rng) -> Setting:
        world, solver, K, wild = GROUPS[group](rng)
        T, near = int(2 ** rng.uniform(1, 62 if wild else 34)), rng.random() < 0.5
        x0 = world.x_star if near else rng.normal(size=world.d_x) * log_uniform(rng, 0.1, 10)
        y0 = world.y_star(x0) if near else rng.normal(size=world.d_y)
        alone = getattr(solver, "one_machine", False)
        return Setting(
            group, world, solver, {"K": 1 if alone else K, "T": T, "x0": x0, "y0": y0, "times": []}
        )

    return drawn


def _two(rng: Rng, wild: bool) -> Any:
    """One of the paper's two methods, in one of its readings."""
    eta = log_uniform(rng, 1e-9, 0.3) if wild else log_uniform(rng, 1e-5, 0.03)
    reduced = rng.random() < 0.5
    weight = [log_uniform(rng, 0.01, 1.0) / eta ** (2 if reduced else 1) for _ in range(2)]
    if reduced and not wild:
        weight = [log_uniform(rng, 1.0, 20.0) for _ in range(2)]
    common: dict[str, Any] = {
        "eta": eta, "alpha": weight[0], "beta": weight[1], "rho_1": log_uniform(rng, 0.01, 0.5),
        "rho_2": log_uniform(rng, 0.1, 1.0), "p": int(log_uniform(rng, 1, 1e5 if wild else 33)),
        "theta": log_uniform(rng, 0.05, 0.4), "Q": int(rng.integers(0, 101 if wild else 21)),
        "momenta": str(rng.choice(["carry", "fresh"])),
    }  # fmt: skip
    if not reduced:
        return methods.LocalBSGM(**common)
    return methods.LocalBSGVRM(**common, previous=str(rng.choice(["local", "averaged"])))


def _another(rng: Rng) -> Any:
    """One of the other methods."""
    eta, theta = log_uniform(rng, 1e-4, 0.1), log_uniform(rng, 0.05, 0.3)
    series, p, N = (
        {"theta": theta, "Q": int(rng.integers(0, 21))},
        int(rng.integers(1, 9)),
        int(rng.integers(1, 7)),
    )
    storm = {"eta": eta, "gamma": 0.2, "lam": 0.9, "c_u": 4.0, "c_v": 4.0}
    makers = [
        lambda: methods.LocalSGD(eta=eta, rho_1=0.2, rho_2=0.9, p=p, **series),
        lambda: methods.SMB(eta=eta, tau=log_uniform(rng, 0.5, 3), b=log_uniform(rng, 0.01, 1.0), **series),
        lambda: methods.TTSA(alpha=eta, beta=3 * eta, theta=theta, N=N),
        lambda: methods.BSA(alpha=eta, beta=3 * eta, theta=theta, N=N, T_in=p),
        lambda: methods.MRBO(**storm, **series),
        lambda: methods.SUSTAIN(**storm, theta=theta, N=4),
        lambda: methods.FedBiOAcc(eta=eta, lam=0.2, gamma=0.9, c_nu=4.0, c_w=4.0, **series, p=p),
        lambda: methods.FedNest(alpha=eta, beta=3 * eta, tau=2, T_in=2, theta=theta, N=3),
    ]
    return makers[int(rng.integers(len(makers)))]()


def _tame_scalar(rng: Rng) -> Drawn:
    world = worlds.scalar(
        mu=1.0, L_1=rng.uniform(2, 10), sigma_H=level(rng, 0.01, 0.3), sigma_J=level(rng, 0.01, 0.3),
        s_f=level(rng, 0.01, 1.0), s_g=level(rng, 0.01, 1.0), a=rng.normal(), b=rng.normal(), c=rng.normal(),
    )  # fmt: skip
    return world, _two(rng, wild=False), int(rng.choice([1, 2, 5, 100])), False


def _wild_scalar(rng: Rng) -> Drawn:
    far = log_uniform(rng, 0.1, 1e3)
    world = worlds.scalar(
        mu=1.0, L_1=rng.uniform(2, 10), sigma_H=level(rng, 1e-12, 0.3), sigma_J=level(rng, 1e-12, 0.3),
        s_f=level(rng, 1e-12, 1.0), s_g=level(rng, 1e-12, 1.0), D=float(rng.choice([0.0, 1.0])),
        a=far * rng.normal(), b=far * rng.normal(), c=far * rng.normal(),
    )  # fmt: skip
    return world, _two(rng, wild=True), int(log_uniform(rng, 1, 1e9)), True


def _other_methods(rng: Rng) -> Drawn:
    world = worlds.scalar(
        mu=1.0, L_1=rng.uniform(2, 6), sigma_H=level(rng, 0.01, 0.3), s_f=level(rng, 1e-6, 1.0),
        s_g=level(rng, 1e-6, 1.0), a=10 * rng.normal(), c=rng.normal(),
    )  # fmt: skip
    return world, _another(rng), int(rng.choice([1, 3, 50])), False


def _matrices(rng: Rng) -> Drawn:
    noise, seed = {name: level(rng, 0.01, 0.5) for name in ("s_f", "s_g")}, int(rng.integers(1000))
    if rng.random() < 0.2:
        world: Any = worlds.aligned(d_x=2, d_y=2, s_g=noise["s_g"])
    else:
        sigma_H = 0.1 * (rng.random() < 0.3)
        world = worlds.random_quadratic(
            d_x=int(rng.integers(1, 3)), d_y=2, sigma_H=sigma_H, seed=seed, **noise
        )
    return world, _two(rng, wild=False), int(rng.choice([1, 4])), False


def _devices_that_differ(rng: Rng) -> Drawn:
    K = int(rng.integers(2, 4))
    world = worlds.heterogeneous(
        d_x=1, d_y=1, K=K, dial=log_uniform(rng, 1e-3, 0.4), s_f=level(rng, 0.01, 0.5), s_g=level(rng, 0.01, 0.5),
        sigma_H=level(rng, 0.01, 0.2), seed=int(rng.integers(1000)),
    )  # fmt: skip
    return world, _two(rng, wild=False), K, False


def _many_devices(rng: Rng) -> Drawn:
    """Additive noise, or noisy Hessians on fewer of them, which balls go through in seconds."""
    noisy = rng.random() < 0.3
    d = 1 if noisy else int(rng.integers(1, 3))
    K = int(rng.integers(3, 6)) if noisy else int(rng.integers(4, 13)) // d
    world = worlds.heterogeneous(
        d_x=d, d_y=d, K=K, dial=log_uniform(rng, 1e-6, 0.4), s_f=level(rng, 1e-6, 0.5), s_g=level(rng, 1e-6, 0.5),
        sigma_H=0.1 * noisy, seed=int(rng.integers(1000)),
    )  # fmt: skip
    return world, _two(rng, wild=False), K, True


def _many_dimensions(rng: Rng) -> Drawn:
    """Additive noise, where moments are doubled without a map on their pairs."""
    d, noise = int(rng.integers(4, 9)), {name: level(rng, 1e-6, 0.5) for name in ("s_f", "s_g")}
    world = worlds.random_quadratic(d_x=d, d_y=d, seed=int(rng.integers(1000)), **noise)
    return world, _two(rng, wild=False), int(log_uniform(rng, 1, 1e6)), True


GROUPS: dict[str, Callable[[Rng], Drawn]] = {
    "tame scalar": _tame_scalar, "wild scalar": _wild_scalar, "other methods": _other_methods, "matrices": _matrices,
    "devices that differ": _devices_that_differ, "many devices": _many_devices, "many dimensions": _many_dimensions,
}  # fmt: skip


# One level: a method, a world that suits it, a step that is a part of the largest, three measures and a start.

FEW = 200  # iterations that are stepped through


def _with_method(name: str) -> Callable[[Rng], Setting]:
    def drawn(rng: Rng) -> Setting:
        world = WORLDS[str(rng.choice(WORLDS_OF.get(name, ALL_WORLDS)))](rng)
        constants, devices = world.constants(), getattr(world, "devices", None)
        K = len(devices) if devices else int(rng.choice([1, 2, 5, 100, 10**6]))
        step = log_uniform(rng, 1e-9, 1e-2) if rng.random() < 0.3 else log_uniform(rng, 1e-2, 1.9)
        solver = METHODS[name](rng, step / max(constants["L"], constants.get("L_max", 0.0)), K, world)
        fields = fields_at_start(world, solver)
        read = _measures(rng, name, world, list(fields), K)
        short = name in STEPPED or any(each.at in ("largest", "smallest", "drawn") for each in read.values())
        T = int(2 ** rng.uniform(0, np.log2(FEW) if short else 40))
        far = 0.0 if rng.random() < 0.3 else log_uniform(rng, 1e-6, 1e6)
        start = {"x": world.x_star + far * rng.normal(size=world.d_x)}
        others = [field for field in fields if field not in start and field in GIVEN]
        if others and rng.random() < 0.3:
            field = str(rng.choice(others))
            start[field] = log_uniform(rng, 1e-3, 1e3) * rng.normal(size=fields[field])
        return Setting(name, world, solver, {"K": K, "T": T, "start": start, "times": [], "measures": read})

    return drawn


def _measures(rng: Rng, name: str, world: Any, fields: list[str], K: int) -> dict[str, Any]:
    """Three of all that can be read."""
    of_x = [field for field in fields if field in ("x", "z", "w", "last", "v", "y_k", "anchor", "phi_0")]
    field = str(rng.choice(of_x))
    found = {
        "gradient": measures.gradient(field),
        "distance": measures.distance(field),
        "drift": measures.drift(field),
        "devices": measures.form(lambda _problem, s: getattr(s, field), of="devices", reads=field),
        "deviations": measures.form(lambda _problem, s: 2 * getattr(s, field), of="deviations", reads=field),
    }
    if not isinstance(world, worlds.LinearMap):
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
        return (
            measure.at_mean() if of_mean and name != "SVRG" else measure
        )  # which draws how many steps it takes
    extremes = [measure.largest(), measure.smallest(), measure.drawn(lambda t: (3.0 + t) ** 2)]
    return extremes[int(rng.integers(3))]


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


def _part(rng: Rng) -> float:
    return float(rng.uniform(0.1, 0.9))


def _descent(kind: Any, **more: Callable[[Rng], Any]) -> Callable[[Rng, float, int, Any], Any]:
    """A method with the step alpha, the period p, and numbers that are drawn for themselves."""
    return lambda rng, step, K, world: kind(
        alpha=step, p=_p(rng), **{n: draw(rng) for n, draw in more.items()}
    )


def _fed_avg(rng: Rng, step: float, K: int, world: Any) -> Any:
    again = bool(rng.random() < 0.5 or np.ptp(getattr(world, "weights", np.ones(1))) > 0)
    return methods.FedAvg(alpha=step, m=int(rng.integers(1, min(K, 4) + 1)), p=_p(rng), replacement=again)


METHODS: dict[str, Callable[[Rng, float, int, Any], Any]] = {
    "SGD": _descent(methods.SGD),
    "SGD, smaller and smaller steps": lambda rng, step, K, world: methods.SGD(
        alpha=_smaller(rng, step), p=_p(rng)
    ),
    "HeavyBall": _descent(methods.HeavyBall, beta=_beta),
    "Nesterov": _descent(methods.Nesterov, beta=_beta),
    "TripleMomentum": _descent(methods.TripleMomentum, beta=_beta, gamma=_part, delta=_part),
    "AveragedSGD": _descent(methods.AveragedSGD, gamma=_beta),
    "FISTA": _descent(methods.FISTA),
    "OGM": _descent(methods.OGM, N=_p),
    "ITEM": _descent(methods.ITEM, q=lambda rng: log_uniform(rng, 1e-3, 0.9)),
    "Halpern": _descent(methods.Halpern),
    "SVRG": lambda rng, step, K, world: methods.SVRG(alpha=step, m=_p(rng)),
    "SAGA": lambda rng, step, K, world: methods.SAGA(alpha=step, n=getattr(world, "n", 2), p=_p(rng)),
    "PAGE": lambda rng, step, K, world: methods.PAGE(
        alpha=step, p=log_uniform(rng, 1e-3, 1.0), b=int(rng.integers(1, 4))
    ),
    "STORM": lambda rng, step, K, world: methods.STORM(
        eta=step, c=log_uniform(rng, 1e-4, 1.0) / step**2, p=_p(rng), B=int(rng.integers(1, 4))
    ),
    "FedAvg": _fed_avg,
    "LocalGD": _descent(methods.LocalGD),
    "ProxSkip": lambda rng, step, K, world: methods.ProxSkip(gamma=step, p=log_uniform(rng, 0.01, 1.0)),
    "SCAFFOLD": lambda rng, step, K, world: methods.SCAFFOLD(
        eta_l=step, eta_g=log_uniform(rng, 0.1, 1.0), p=_p(rng)
    ),
    "FedProx": lambda rng, step, K, world: methods.FedProx(
        mu=1 / step, m=None if rng.random() < 0.5 else int(rng.integers(1, 4))
    ),
}
STEPPED = ("SGD, smaller and smaller steps", "FISTA", "OGM", "ITEM", "Halpern")  # steps vary
GIVEN = ("m", "last", "z", "w", "G", "phi_0", "phi_1", "g", "d", "h", "v", "c_k", "c", "y_k", "anchor")
assert ONE_LEVEL.keys() <= METHODS.keys()
