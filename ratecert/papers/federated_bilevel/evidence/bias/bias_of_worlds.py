"""The bias of the truncated sum against Q: at the worst point of an aligned world, and at many points of others."""

from itertools import pairwise
from typing import Any

import numpy as np

from ratecert.claim.claim import Json
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.evidence.bias.neumann_bias import (
    Array,
    Delta_Q,
    means_at,
    own_sum_biases,
)
from ratecert.solvers import neumann_hypergradient
from ratecert.synthetic.worlds.aligned import worst_point

TERMS = 60  # the largest Q
READINGS = ("block", "joint")


def attained(world: Json, theta: float, radius: float) -> Json:
    """Bias and bound at the worst point, for every Q."""
    problem = build(world)
    at = worst_point(problem, radius)
    measured = own_sum_biases(problem, *at, theta=theta, terms=TERMS)
    closed = np.linalg.norm(means_at(problem, *at).bias(theta=theta, terms=TERMS), axis=1)
    return {
        **_echo("aligned", world, theta, radius),
        "bias": [float(v) for v in measured],
        "factors": [float(after / before) for before, after in pairwise(measured)],
        "gap": float(max(abs(a / b - 1) for a, b in zip(measured, closed, strict=True))),
    }


def elsewhere(name: str, world: Json, radius: float, share: float, points: int, seed: int) -> Json:
    """The largest bias over points for every Q; at the first of them its decay."""
    problem = build(world)
    theta = share / problem.constants(radius=radius, reading="joint")["L_1"]
    places = _places(problem, radius, points, seed)
    every = [_sizes(problem, at, theta) for at in places]
    steepest = [
        _sizes(problem, _steepest(problem, radius, theta, Q), theta)[Q - 1] for Q in range(1, TERMS + 1)
    ]
    smallest = float(np.linalg.eigvalsh(means_at(problem, *places[0]).H)[0])
    return {
        **_echo(name, world, theta, radius),
        "bias": np.maximum(np.max(every, axis=0), steepest).tolist(),
        "lambda": smallest,
        "exponent": float(np.log(every[0][-1] / every[0][-2]) / np.log1p(-theta * smallest)),
        "gap": max(_gap(problem, at, theta) for at in places[:4]),
    }


def _echo(name: str, world: Json, theta: float, radius: float) -> dict[str, Json]:
    constants = {reading: build(world).constants(radius=radius, reading=reading) for reading in READINGS}
    bounds = {
        reading: [Delta_Q(values, theta=theta, Q=Q) for Q in range(1, TERMS + 1)]
        for reading, values in constants.items()
    }
    mu = constants["joint"]["mu"]
    return {"name": name, "world": world, "theta": theta, "radius": radius, "mu": mu, "Delta_Q": bounds}


def _places(problem: Any, radius: float, points: int, seed: int) -> list[tuple[Array, Array]]:
    """Random points of the sphere; every other one has x = a, where grad_y f is larger."""
    directions = np.random.default_rng(seed).standard_normal((points, problem.d_x + problem.d_y))
    directions[1::2, : problem.d_x] = 0.0
    directions *= radius / np.linalg.norm(directions, axis=1, keepdims=True)
    return [(problem.a + z[: problem.d_x], problem.b + z[problem.d_x :]) for z in directions]


def _steepest(problem: Any, radius: float, theta: float, Q: int) -> tuple[Array, Array]:
    """(a, b + radius v), v the direction in which J H^{-1} (I - theta H)^{Q+1} grad_y f grows most near (a, b)."""
    here, step = means_at(problem, problem.a, problem.b), 1e-3 * radius
    eye = np.eye(len(here.H))
    D = [means_at(problem, problem.a, problem.b + step * e).w - here.w for e in eye]
    shrunk = np.linalg.matrix_power(eye - theta * here.H, Q + 1)
    v = np.linalg.svd(here.J @ np.linalg.solve(here.H, shrunk @ np.array(D).T))[2][0]
    return problem.a, problem.b + radius * v


def _sizes(problem: Any, at: tuple[Array, Array], theta: float) -> Array:
    """The norm of the bias for every Q."""
    sizes: Array = np.linalg.norm(means_at(problem, *at).bias(theta=theta, terms=TERMS), axis=1)
    return sizes


def _gap(problem: Any, at: tuple[Array, Array], theta: float) -> float:
    """The largest ||(hat - tilde) - closed form|| over some Q, relative to the two parts of the hypergradient."""
    means = means_at(problem, *at)
    closed = means.bias(theta=theta, terms=TERMS)
    parts = np.linalg.norm(means.grad_x_f) + np.linalg.norm(means.tilde - means.grad_x_f)
    off = [
        neumann_hypergradient(problem, *at, theta=theta, Q=Q) - means.tilde - closed[Q - 1]
        for Q in (1, 5, 20, TERMS)
    ]
    return float(np.linalg.norm(off, axis=1).max() / parts)
