"""The constants of Assumptions 1-3 by brute force on ||(x - a, y - b)|| <= radius, from the oracles of a world alone.

    reached   the worst that eigenvectors of measured Hessians and a local maximisation over points find: an
              attained constant is this number, and one per cent less of it is exceeded

Where devices differ, the constants are those of every device.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from oracles.world_signs import every_outcome, noise_free
from ratecert.synthetic.constants import Reading
from ratecert.synthetic.ridge import Ridge

Array = NDArray[np.float64]
Gradient = Callable[[Any, Array], Array]
NAMES = ["mu", "L_0", "L_1", "L_21", "L_22", "sigma", "sigma_f", "sigma_H"]
READINGS: list[Reading] = ["joint", "block"]
H = 1e-5  # of central differences


def devices_of(world: Any) -> Sequence[Any]:
    return getattr(world, "devices", (world,))  # type: ignore[no-any-return]


def gradient_f(world: Any) -> Gradient:
    """grad f in z = (x, y), at columns."""

    def gradient(xi: Any, z: Array) -> Array:
        x, y = z[: world.d_x], z[world.d_x :]
        return np.concatenate([world.grad_x_f(xi, x, y), world.grad_y_f(xi, x, y)])

    return gradient


def gradient_g(world: Any) -> Gradient:
    """What depends on x in g is of degree one in y, on Ridge of degree two, so grad_x g = grad_xy g y / degree."""
    degree = 2 if isinstance(world, Ridge) else 1

    def gradient(zeta: Any, z: Array) -> Array:
        x, y = z[: world.d_x], z[world.d_x :]
        return np.concatenate([world.jacobian_g(zeta, x, y, y) / degree, world.grad_y_g(zeta, x, y)])

    return gradient


def centre(world: Any) -> Array:
    return np.concatenate([world.a, world.b])


def chosen(sample: Any, outcomes: Any) -> Any:
    """The sample with these of its outcomes as columns."""
    return type(sample)(**{k: v[..., outcomes] for k, v in vars(sample).items() if v is not None})


def blocks(world: Any, reading: Reading) -> list[slice]:
    """What a gradient and a step are cut into: nothing under `joint`, x and y under `block`."""
    return [slice(None)] if reading == "joint" else [slice(0, world.d_x), slice(world.d_x, None)]


def variance(gradient: Gradient, draw: Any, z: Array) -> Array:
    """E||gradient(.; sample) - its mean||^2 at every column of z, over all outcomes."""
    sample, n = every_outcome(draw)
    tiled = chosen(sample, np.tile(np.arange(n), z.shape[1]))
    noise = gradient(tiled, np.repeat(z, n, axis=1)) - np.repeat(gradient(noise_free(draw), z), n, axis=1)
    spread: Array = (noise**2).sum(axis=0).reshape(z.shape[1], n).mean(axis=1)
    return spread


# Reached.


def reached(world: Any, radius: float, reading: Reading, curved: str = "") -> dict[str, float]:
    """`curved`: which of f and g have Hessians that depend on the point."""
    return _worst([_reached(device, radius, reading, curved) for device in devices_of(world)])


def _reached(world: Any, radius: float, reading: Reading, curved: str) -> dict[str, float]:
    d, d_x, f, g = world.d_x + world.d_y, world.d_x, gradient_f(world), gradient_g(world)
    (xi, n_f), (zeta, n_g) = every_outcome(world.sample_f), every_outcome(world.sample_g)
    h, zero = (
        H * radius if curved else 1.0,
        np.zeros(d),
    )  # over any step differences of what is affine are exact

    def at(u: Array) -> Array:
        return centre(world) + radius * u

    def hessians(gradient: Gradient, sample: Any, n: int, u: Array) -> Array:
        """(n, d, d): of every outcome, from central differences along unit vectors."""
        z = np.repeat(at(u)[:, None], n, axis=1)
        ends = [[gradient(sample, z + s * h * e[:, None]) for s in (1, -1)] for e in np.eye(d)]
        return np.stack([(up - down).T / (2 * h) for up, down in ends], axis=2)

    def of_g(u: Array) -> Array:
        return hessians(g, zeta, n_g, u)

    def largest_block(stack: Array) -> float:
        cuts = [stack[:, r, c] for r in blocks(world, reading) for c in blocks(world, reading)]
        return max(float(np.linalg.norm(cut, 2, axis=(1, 2)).max()) for cut in cuts)

    def L_1_of_f(u: Array) -> float:
        return largest_block(hessians(f, xi, n_f, u))

    def L_1_of_g(u: Array) -> float:
        return largest_block(of_g(u))

    def change(u: Array, rows: slice) -> float:
        """The largest change of an entry of grad_xy g, or of grad_yy g, along the best direction."""
        size = 1e-4 / max(radius, 1.0)  # of second differences
        ends = [[of_g(u + s * size * e)[:, rows, d_x:] for s in (1, -1)] for e in np.eye(d)]
        slopes = np.stack([(up - down) / (2 * size * radius) for up, down in ends])
        return float(np.sqrt((slopes**2).sum(axis=0)).max())

    candidates = np.concatenate([np.zeros((1, d)), np.eye(d), -np.eye(d), _corners(world)])
    random = np.random.default_rng(23).standard_normal((30, d))
    candidates = np.concatenate([candidates, random / np.linalg.norm(random, axis=1)[:, None]])

    def climb(value: Callable[[Array], float], tries: int = 2) -> float:
        """The largest value(u) over ||u|| <= 1 that local searches from the best candidates find."""
        values = np.array([value(u) for u in candidates])
        unit, found = max(float(values.max()), 1e-300), float(values.max())
        inside = {"type": "ineq", "fun": lambda u: 1.0 - u @ u, "jac": lambda u: -2 * u}
        for start in candidates[np.argsort(values)[-tries:]]:
            run = minimize(
                lambda u: -value(u) / unit,
                start,
                method="SLSQP",
                constraints=[inside],
                options={"ftol": 1e-12},
            )
            found = max(found, value(run.x / max(1.0, float(np.linalg.norm(run.x)))))
        return found

    def noise_of_hessian(u: Array) -> float:
        S = of_g(u)[:, d_x:, d_x:]
        return float(np.linalg.norm(((S - S.mean(axis=0)) @ (S - S.mean(axis=0))).mean(axis=0), 2))

    def least_curvature(u: Array) -> float:
        return float(np.linalg.eigvalsh(of_g(u)[:, d_x:, d_x:]).min())

    top = least_curvature(zero)
    return {
        "mu": 2 * top - climb(lambda u: 2 * top - least_curvature(u)) if "g" in curved else top,
        "L_0": climb(lambda u: float(np.linalg.norm(f(xi, np.repeat(at(u)[:, None], n_f, axis=1)), axis=0).max())),
        "L_1": max(
            climb(L_1_of_f, 1) if "f" in curved else L_1_of_f(zero),
            climb(L_1_of_g) if "g" in curved else L_1_of_g(zero),
        ),
        "L_21": climb(lambda u: change(u, slice(0, d_x))) if "g" in curved else 0.0,
        "L_22": climb(lambda u: change(u, slice(d_x, None))) if "g" in curved else 0.0,
        "sigma": math.sqrt(climb(lambda u: float(variance(g, world.sample_g, at(u)[:, None])[0]))),
        "sigma_f": math.sqrt(climb(lambda u: float(variance(f, world.sample_f, at(u)[:, None])[0]))),
        "sigma_H": math.sqrt(noise_of_hessian(zero)),
    }  # fmt: skip


def _corners(world: Any) -> Array:
    """Both ends of the diagonals of x and of y, and of every plane of x_j and y_j where both exist."""
    one, two = np.zeros(world.d_x + world.d_y), np.zeros(world.d_x + world.d_y)
    one[: world.d_x], two[world.d_x :] = 1 / math.sqrt(world.d_x), 1 / math.sqrt(world.d_y)
    found = [sign * v for v in (one, two) for sign in (1, -1)]
    shares = np.array([0.02, 0.06, 0.12, 0.2, 0.35, 0.5, 0.7, 0.9, 0.98])
    for j in range(min(world.d_x, world.d_y)):
        for share in (*shares, *-shares):
            for sign in (1, -1):
                v = np.zeros(len(one))
                v[j], v[world.d_x + j] = share, sign * math.sqrt(1 - share**2)
                found.append(v)
    return np.array(found)


def _worst(each: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {k: (min if k == "mu" else max)(found[k] for found in each) for k in NAMES}


def factors(constants: Mapping[str, float], found: Mapping[str, float]) -> dict[str, float]:
    """How far a constant is from what was found: 1 where it is attained, less where it is wrong."""
    pairs = {k: (found[k], constants[k]) if k == "mu" else (constants[k], found[k]) for k in NAMES}
    noise = 1e-4  # what differences leave of a derivative that is zero
    return {k: up / down if max(up, down) > noise else 1.0 for k, (up, down) in pairs.items()}
