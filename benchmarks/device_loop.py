"""The plain way to write LocalBSGM and LocalBSGVRM: a loop over devices with numpy matrix-vector products.

It is the yardstick of the throughput table and nothing else uses it. No work is wasted on purpose: all signs of an
iteration are drawn at once, and A + e E is never formed.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.solvers import LocalBSGM, LocalBSGVRM
from ratecert.synthetic import Quadratic

Array = NDArray[np.float64]


def hypergradient(world: Quadratic, theta: float, Q: int, x: Array, y: Array, signs: Array) -> Array:
    d_x, d_y, E, F = world.d_x, world.d_y, world.E[0], world.F[0]
    r = theta * (world.D @ (y - world.b) + world.s_f * signs[d_x : d_x + d_y])
    total = r
    for e in signs[d_x + d_y + 1 : d_x + d_y + 1 + Q]:
        r = r - theta * (world.A @ r + e * (E @ r))
        total = total + r
    coupled = world.B.T @ total + signs[d_x + d_y] * (F.T @ total)
    return world.P @ (x - world.a) + world.s_f * signs[:d_x] + coupled  # type: ignore[no-any-return]


def lower_gradient(world: Quadratic, x: Array, y: Array, signs: Array) -> Array:
    hessian = world.A @ y + signs[0] * (world.E[0] @ y)
    coupling = world.B @ x + signs[1] * (world.F[0] @ x)
    return hessian - coupling - world.c + world.s_g * signs[2:]  # type: ignore[no-any-return]


def run(world: Quadratic, solver: LocalBSGM | LocalBSGVRM, K: int, T: int, seed: int) -> float:
    """One replicate; returns the mean over t < T of ||grad Phi(xbar_t)||^2."""
    rng = np.random.default_rng(seed)
    upper, lower = world.d_x + world.d_y + 1 + solver.Q, 2 + world.d_y
    state: list[Any] = [(np.ones(world.d_x), np.ones(world.d_y), None, None, None, None)] * K
    total = 0.0
    for t in range(T):
        gradient = world.hypergradient(np.mean([s[0] for s in state], axis=0))
        total += float(gradient @ gradient)
        signs: Array = 2.0 * rng.integers(0, 2, (K, upper + lower)).astype(np.float64) - 1.0
        state = [_step(world, solver, t, s, signs[k, :upper], signs[k, upper:]) for k, s in enumerate(state)]
        if (t + 1) % solver.p == 0:
            x, y, u, v = (np.mean([s[i] for s in state], axis=0) for i in range(4))
            state = [(x, y, u, v, s[4], s[5]) for s in state]
    return total / T


def _step(world: Quadratic, solver: Any, t: int, s: Any, upper: Array, lower: Array) -> Any:
    x, y, u, v, x_previous, y_previous = s
    eta = solver.step_size(t)
    h = hypergradient(world, solver.theta, solver.Q, x, y, upper)
    g = lower_gradient(world, x, y, lower)
    if t == 0:
        u, v = h, g
    elif isinstance(solver, LocalBSGM):
        u = (1 - solver.alpha * eta) * u + solver.alpha * eta * h
        v = (1 - solver.beta * eta) * v + solver.beta * eta * g
    else:
        h_previous = hypergradient(world, solver.theta, solver.Q, x_previous, y_previous, upper)
        u = (1 - solver.alpha * eta**2) * (u - h_previous) + h
        v = (1 - solver.beta * eta**2) * (v - lower_gradient(world, x_previous, y_previous, lower)) + g
    return x - solver.rho_1 * eta * u, y - solver.rho_2 * eta * v, u, v, x, y
