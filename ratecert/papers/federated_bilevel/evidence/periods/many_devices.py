"""Devices that all differ, in many dimensions: the world, and where rounds of p steps of LocalBSGM rest there.

All A_k are equal, so that the mean of the local inverses is the inverse of the mean, and B_k = B + dial dB_k and
c_k = c + dial dc_k, with differences of mean zero. At the solution z_1 = (x_1, y_1), with Hhat the Neumann sum of A,

    F_k = (P(x - a) + B_k'Hhat D(y - b),  A y - B_k x - c_k),        J_k = ((P, B_k'Hhat D), (-B_k, A)),

and by the law in solvers/engines/fixed_point.py rounds of p short steps rest at z_1 + d,

    Jbar d = (p^2 - 1)/6 eta^2 s,        s = (1/K) sum_k J_k R W F_k.
"""

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.papers.federated_bilevel.evidence.runs import L_tilde
from ratecert.solvers.methods.local_method import LocalMethod
from ratecert.synthetic import Heterogeneous, Quadratic, random_quadratic

Array = NDArray[np.float64]


def many_devices(*, K: int, d: int, dial: float, noise: float, seed: int) -> Heterogeneous:
    """Build the world; the largest dB_k and dc_k have norm 1."""
    mean = random_quadratic(d_x=d, d_y=d, mu=1.0, L_1=2.0, s_f=noise, s_g=noise, seed=seed)
    rng = np.random.default_rng([seed, K])
    dB, dc = (draw - draw.mean(axis=0) for draw in (rng.normal(size=(K, d, d)), rng.normal(size=(K, d))))
    dB, dc = dB / np.linalg.norm(dB, 2, axis=(1, 2)).max(), dc / np.linalg.norm(dc, axis=1).max()
    own = {field.name: getattr(mean, field.name) for field in fields(Quadratic)}
    return Heterogeneous(dA=np.zeros((K, d, d)), dB=dB, dc=dc, dial=dial, **own)


def added(world: Heterogeneous, solver: LocalMethod) -> float:
    """Compute what p adds to the measure, over (p^2 - 1)^2, by the law of short rounds."""
    d, x = world.d_x, world.x_star
    y, eta = world.y_star(x), solver.schedule.largest
    shrunk = np.eye(d) - solver.theta * world.A
    back = np.linalg.solve(world.A, np.eye(d) - np.linalg.matrix_power(shrunk, solver.Q + 1)) @ world.D
    R = np.repeat([solver.rho_1, solver.rho_2], d)
    W = np.repeat([solver.alpha, solver.beta], d)

    def field(B: Array, c: Array) -> tuple[Array, Array]:
        F = np.concatenate([world.P @ (x - world.a) + B.T @ back @ (y - world.b), world.A @ y - B @ x - c])
        return F, np.block([[world.P, B.T @ back], [-B, world.A]])

    each = [
        field(world.B + world.dial * dB, world.c + world.dial * dc)
        for dB, dc in zip(world.dB, world.dc, strict=True)
    ]
    s = np.mean([J @ (R * W * F) for F, J in each], axis=0)
    moved = np.linalg.solve(np.mean([J for _, J in each], axis=0), eta**2 / 6 * s)
    gradient = world.hypergradient(x + moved[:d]) - world.hypergradient(x)
    tracking = moved[d:] - (world.y_star(x + moved[:d]) - y)
    return float(gradient @ gradient + L_tilde(world) ** 2 * tracking @ tracking)


def harmless(world: Any, solver: LocalMethod, measure: float, fraction: float) -> float:
    """Compute the real p at which p adds this fraction to the measure."""
    return float(np.sqrt(1 + np.sqrt(fraction * measure / added(world, solver))))
