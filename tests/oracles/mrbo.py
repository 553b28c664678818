"""One machine, one path: MRBO and plain stochastic gradient descent on both levels of the base world.

MRBO (Yang, Ji, Liang 2021) in its own letters: STORM on both levels, the full Neumann sum, and

    v_t = h(x_t, y_t) + (1 - alpha_t)(v_{t-1} - h(x_{t-1}, y_{t-1}))       one sample of h for both points
    u_t = g(x_t, y_t) + (1 - beta_t)(u_{t-1} - g(x_{t-1}, y_{t-1}))        likewise; v_0 = h, u_0 = g
    eta_t = d/(m + t)^{1/3},   alpha_{t+1} = c_1 eta_t^2,   beta_{t+1} = c_2 eta_t^2
    x_{t+1} = x_t - gamma eta_t v_t,   y_{t+1} = y_t - lambda eta_t u_t

The signs come from outside, one `Sample` per iteration, so that another implementation can be followed path
by path.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """The signs of one iteration; those of a source that is switched off are empty."""

    m_x: Array  # (d_x,) of grad_x f
    m_y: Array  # (d_y,) of grad_y f
    jacobian: Array  # (directions of F,) of grad_xy g in the hypergradient
    hessians: Array  # (Q, directions of E) of the Neumann factors, the first to be applied first
    e: Array  # (directions of E,) of grad_y g
    e_F: Array  # (directions of F,) of grad_y g
    n: Array  # (d_y,) of grad_y g


def signed(mean: Array, directions: Array, signs: Array) -> Array:
    for sign, direction in zip(signs, directions, strict=True):
        mean = mean + sign * direction
    return mean


def shift(level: float, signs: Array) -> Any:
    """level * signs; the number 0 where there are none."""
    return level * signs if len(signs) else 0.0


def hypergradient(world: Any, sample: Sample, x: Array, y: Array, theta: float) -> Array:
    """grad_x f + (B + e'F)' theta (r_0 + ... + r_Q), r_0 = grad_y f, r_i = (I - theta(A + e_i E)) r_{i-1}."""
    r = world.D @ (y - world.b) + shift(world.s_f, sample.m_y)
    total = r
    for e in sample.hessians:
        r = r - theta * signed(world.A, world.E, e) @ r
        total = total + r
    grad_x_f = world.P @ (x - world.a) + shift(world.s_f, sample.m_x)
    return grad_x_f + signed(world.B, world.F, sample.jacobian).T @ (theta * total)


def lower_gradient(world: Any, sample: Sample, x: Array, y: Array) -> Array:
    """(A + e E) y - (B + e' F) x - c + s_g n."""
    A, B = signed(world.A, world.E, sample.e), signed(world.B, world.F, sample.e_F)
    return A @ y - B @ x - world.c + shift(world.s_g, sample.n)


def mrbo(
    world: Any,
    samples: Sequence[Sample],
    *,
    x0: Any,
    y0: Any,
    d: float,
    m: float,
    c_1: float,
    c_2: float,
    gamma: float,
    lambda_: float,
    theta: float,
) -> tuple[Array, Array]:
    """x_0, ..., x_T and y_0, ..., y_T for T samples."""
    x, y = [np.array(x0, dtype=float)], [np.array(y0, dtype=float)]
    v = u = alpha = beta = None
    for t, sample in enumerate(samples):
        h, g = hypergradient(world, sample, x[t], y[t], theta), lower_gradient(world, sample, x[t], y[t])
        if t > 0:
            h_old = hypergradient(world, sample, x[t - 1], y[t - 1], theta)
            g_old = lower_gradient(world, sample, x[t - 1], y[t - 1])
        v = h if t == 0 else h + (1 - alpha) * (v - h_old)
        u = g if t == 0 else g + (1 - beta) * (u - g_old)
        eta = d / (m + t) ** (1 / 3)
        alpha, beta = c_1 * eta**2, c_2 * eta**2
        x.append(x[t] - gamma * eta * v)
        y.append(y[t] - lambda_ * eta * u)
    return np.array(x), np.array(y)


def sgd(
    world: Any,
    samples: Sequence[Sample],
    *,
    x0: Any,
    y0: Any,
    step_x: float,
    step_y: float,
    theta: float,
) -> tuple[Array, Array]:
    """x_{t+1} = x_t - step_x h(x_t, y_t), y_{t+1} = y_t - step_y grad_y g(x_t, y_t), one sample each."""
    x, y = [np.array(x0, dtype=float)], [np.array(y0, dtype=float)]
    for t, sample in enumerate(samples):
        x.append(x[t] - step_x * hypergradient(world, sample, x[t], y[t], theta))
        y.append(y[t] - step_y * lower_gradient(world, sample, x[t], y[t]))
    return np.array(x), np.array(y)
