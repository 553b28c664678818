"""FEDNEST and its light variant, line by line as their pseudocode has them, device by device.

`w[i]` is the world of device i, `draw(t, label, i)` the signs of its sample, `rounds(t)` the k that all devices share.
t counts the moves: a mean over devices that moves neither x nor y takes a time too, and so do the k products together.
The path has x and y of every device before the first move and after every one, after the mean where one follows.
"""

from collections.abc import Callable, Sequence
from typing import Any

from oracles.sampled import Array, Path, coupling, grad_f, grad_y_g, hessian, mean

ROUND = 2**32  # the n-th product of a time draws as member n * 2^32


def fed_nest(
    w: Sequence[Any],
    draw: Any,
    rounds: Callable[[int], int],
    x: Array,
    y: Array,
    *,
    cycles: int,
    alpha: float,
    beta: float,
    tau: int,
    T_in: int,
    theta: float,
    N: int,
) -> Path:
    K = len(w)
    path, t = [([x] * K, [y] * K)], 0

    for _ in range(cycles):
        for _ in range(T_in):  # FedInn
            q = mean([grad_y_g(w[i], draw(t, "zeta", i))(x, y) for i in range(K)])
            path.append(([x] * K, [y] * K))
            t += 1
            y_i = [y] * K
            for _ in range(tau):
                for i in range(K):
                    g = grad_y_g(w[i], draw(t, "zeta", i))
                    y_i[i] = y_i[i] - beta / tau * (g(x, y_i[i]) - g(x, y) + q)
                path.append(([x] * K, list(y_i)))
                t += 1
            y = mean(y_i)
            path[-1] = ([x] * K, [y] * K)

        r = N * theta * mean([grad_f(w[i], draw(t, "xi", i))[1](y) for i in range(K)])  # FedIHGP
        path.append(([x] * K, [y] * K))
        t += 1
        k = rounds(t)
        for n in range(1, k + 1):
            r = mean([r - theta * hessian(w[i], draw(t, "factor", i, n * ROUND)) @ r for i in range(K)])
        path.append(([x] * K, [y] * K))
        t += 1

        local = []  # FedOut
        for i in range(K):
            signs = draw(t, "xi_hat", i)
            grad_x_f, _ = grad_f(w[i], signs)
            local.append(grad_x_f(x) + coupling(w[i], signs).T @ r)
        h = mean(local)
        path.append(([x] * K, [y] * K))
        t += 1
        x_i = [x] * K
        for _ in range(tau):
            for i in range(K):
                grad_x_f, _ = grad_f(w[i], draw(t, "xi_x", i))
                x_i[i] = x_i[i] - alpha / tau * (grad_x_f(x_i[i]) - grad_x_f(x) + h)
            path.append((list(x_i), [y] * K))
            t += 1
        x = mean(x_i)
        path[-1] = ([x] * K, [y] * K)
    return path


def l_fed_nest(
    w: Sequence[Any],
    draw: Any,
    rounds: Callable[[int], int],
    x: Array,
    y: Array,
    *,
    cycles: int,
    alpha: float,
    beta: float,
    tau: int,
    T_in: int,
    theta: float,
    N: int,
) -> Path:
    K = len(w)
    path, t = [([x] * K, [y] * K)], 0

    for _ in range(cycles):
        for _ in range(T_in):
            y_i = [y] * K
            for _ in range(tau):
                for i in range(K):
                    y_i[i] = y_i[i] - beta / tau * grad_y_g(w[i], draw(t, "zeta", i))(x, y_i[i])
                path.append(([x] * K, list(y_i)))
                t += 1
            y = mean(y_i)
            path[-1] = ([x] * K, [y] * K)

        x_i = [x] * K
        for _ in range(tau):
            r_i = [N * theta * grad_f(w[i], draw(t, "xi", i))[1](y) for i in range(K)]
            path.append((list(x_i), [y] * K))
            t += 1
            k = rounds(t)
            for i in range(K):
                for n in range(1, k + 1):
                    r_i[i] = r_i[i] - theta * hessian(w[i], draw(t, "factor", i, n * ROUND)) @ r_i[i]
            path.append((list(x_i), [y] * K))
            t += 1
            for i in range(K):
                signs = draw(t, "xi_hat", i)
                grad_x_f, _ = grad_f(w[i], signs)
                x_i[i] = x_i[i] - alpha / tau * (grad_x_f(x_i[i]) + coupling(w[i], signs).T @ r_i[i])
            path.append((list(x_i), [y] * K))
            t += 1
        x = mean(x_i)
        path[-1] = ([x] * K, [y] * K)
    return path
