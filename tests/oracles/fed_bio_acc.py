"""FedBiOAcc, its successor, STEM and local SGD, line by line as their pseudocode has them, device by device.

`w[i]` is the world of device i, `draw(t, label, i)` the signs of its sample. The path has x and y of every device
before the first step and after every one, after the mean where one follows. eta_t = d/(m + t)^{1/3}.
"""

from collections.abc import Callable, Sequence
from typing import Any

from oracles.sampled import Array, Path, Signs, coupling, full_sum, grad_f, grad_y_g, hessian, mean


def fed_bio_acc(
    w: Sequence[Any],
    draw: Any,
    x0: Array,
    y0: Array,
    *,
    T: int,
    p: int,
    d: float,
    m: float,
    lam: float,
    gamma: float,
    c_nu: float,
    c_w: float,
    theta: float,
    Q: int,
) -> Path:
    K = len(w)
    x, y = [x0] * K, [y0] * K
    nu = [full_sum(w[i], draw(0, "xi_hat", i), theta, Q)(x0, y0) for i in range(K)]
    omega = [grad_y_g(w[i], draw(0, "zeta", i))(x0, y0) for i in range(K)]
    yield list(x), list(y)
    for t in range(T):
        eta = d / (m + t) ** (1 / 3)
        for i in range(K):
            x_old, y_old = x[i], y[i]
            x[i] = x[i] - lam * eta * nu[i]
            y[i] = y[i] - gamma * eta * omega[i]
            h = full_sum(w[i], draw(t + 1, "xi_hat", i), theta, Q)
            g = grad_y_g(w[i], draw(t + 1, "zeta", i))
            nu[i] = h(x[i], y[i]) + (1 - c_nu * eta**2) * (nu[i] - h(x_old, y_old))
            omega[i] = g(x[i], y[i]) + (1 - c_w * eta**2) * (omega[i] - g(x_old, y_old))
        if (t + 1) % p == 0:
            x = [mean(x)] * K
            nu = [mean(nu)] * K
        yield list(x), list(y)


def through(w: Any, signs: Signs) -> Callable[[Array, Array], Array]:
    """E3: grad_x f - grad_xy g r as a function of (x, r)."""
    (grad_x_f, _), B = grad_f(w, signs), coupling(w, signs)
    return lambda x, r: grad_x_f(x) + B.T @ r


def residual(w: Any, signs: Signs) -> Callable[[Array, Array], Array]:
    """grad_yy g r - grad_y f as a function of (y, r)."""
    (_, grad_y_f), A = grad_f(w, signs), hessian(w, signs)
    return lambda y, r: A @ r - grad_y_f(y)


def fed_bio_acc_global(
    w: Sequence[Any],
    draw: Any,
    x0: Array,
    y0: Array,
    *,
    T: int,
    p: int,
    d: float,
    m: float,
    lam: float,
    gamma: float,
    tau: float,
    c_nu: float,
    c_w: float,
    c_q: float,
    B: int,
) -> Path:
    """r begins at 0, the momenta with means of B samples."""
    K = len(w)
    x, y, r = [x0] * K, [y0] * K, [0 * y0] * K
    batch = range(B)
    nu = [mean([through(w[i], draw(0, "xi_hat", i, j))(x0, 0 * y0) for j in batch]) for i in range(K)]
    omega = [mean([grad_y_g(w[i], draw(0, "zeta", i, j))(x0, y0) for j in batch]) for i in range(K)]
    q = [mean([residual(w[i], draw(0, "auxiliary", i, j))(y0, 0 * y0) for j in batch]) for i in range(K)]
    yield list(x), list(y)
    for t in range(T):
        eta = d / (m + t) ** (1 / 3)
        for i in range(K):
            x_old, y_old, r_old = x[i], y[i], r[i]
            x[i] = x[i] - lam * eta * nu[i]
            y[i] = y[i] - gamma * eta * omega[i]
            r[i] = r[i] - tau * eta * q[i]
            h = through(w[i], draw(t + 1, "xi_hat", i))
            g = grad_y_g(w[i], draw(t + 1, "zeta", i))
            a = residual(w[i], draw(t + 1, "auxiliary", i))
            nu[i] = h(x[i], r[i]) + (1 - c_nu * eta**2) * (nu[i] - h(x_old, r_old))
            omega[i] = g(x[i], y[i]) + (1 - c_w * eta**2) * (omega[i] - g(x_old, y_old))
            q[i] = a(y[i], r[i]) + (1 - c_q * eta**2) * (q[i] - a(y_old, r_old))
        if (t + 1) % p == 0:
            x, y, r = [mean(x)] * K, [mean(y)] * K, [mean(r)] * K
            nu, omega, q = [mean(nu)] * K, [mean(omega)] * K, [mean(q)] * K
        yield list(x), list(y)


def stem(
    w: Sequence[Any],
    draw: Any,
    x0: Array,
    y0: Array,
    *,
    T: int,
    p: int,
    d: float,
    m: float,
    rho: float,
    c_u: float,
) -> Path:
    """One level: y rests."""
    K = len(w)
    x = [x0] * K
    u = [grad_f(w[i], draw(0, "xi_hat", i))[0](x0) for i in range(K)]
    yield list(x), [y0] * K
    for t in range(T):
        eta = d / (m + t) ** (1 / 3)
        for i in range(K):
            x_old = x[i]
            x[i] = x[i] - rho * eta * u[i]
            grad_x_f, _ = grad_f(w[i], draw(t + 1, "xi_hat", i))
            u[i] = grad_x_f(x[i]) + (1 - c_u * eta**2) * (u[i] - grad_x_f(x_old))
        if (t + 1) % p == 0:
            x, u = [mean(x)] * K, [mean(u)] * K
        yield list(x), [y0] * K


def local_sgd(
    w: Sequence[Any],
    draw: Any,
    x0: Array,
    y0: Array,
    *,
    T: int,
    p: int,
    d: float,
    m: float,
    rho_1: float,
    rho_2: float,
    theta: float,
    Q: int,
) -> Path:
    K = len(w)
    x, y = [x0] * K, [y0] * K
    yield list(x), list(y)
    for t in range(T):
        eta = d / (m + t) ** (1 / 3)
        for i in range(K):
            h = full_sum(w[i], draw(t, "xi_hat", i), theta, Q)
            g = grad_y_g(w[i], draw(t, "zeta", i))
            x[i], y[i] = x[i] - rho_1 * eta * h(x[i], y[i]), y[i] - rho_2 * eta * g(x[i], y[i])
        if (t + 1) % p == 0:
            x, y = [mean(x)] * K, [mean(y)] * K
        yield list(x), list(y)
