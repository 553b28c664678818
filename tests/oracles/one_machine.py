"""The methods for one machine, line by line as their pseudocode has them.

`draw(t, label)` is the signs of a sample, `draw(t, label, 0, m)` those of member m of a batch; t counts the moves. The
path is (x, y) before the first move and after every one. Numbers have the letters of the papers; `estimate` of the
hypergradient is a function of sampled.py, and `series` what it takes.
"""

from oracles.sampled import Path, full_sum, grad_f, grad_xy_g, grad_y_g, hessian, mean, times


def double_loop(w, draw, x, y, *, cycles, alpha, beta, T_in, S, estimate, **series) -> Path:
    """BSA, with the sum cut at random and S = 1; stocBiO, with the full sum."""
    yield x, y
    t = 0
    for _ in range(cycles):
        for _ in range(T_in):
            g = [grad_y_g(w, draw(t, "zeta", 0, m)) for m in range(S)]
            y = y - beta * mean([g_m(x, y) for g_m in g])
            yield x, y
            t += 1
        h = [estimate(w, draw(t, "xi_hat", 0, m), **series) for m in range(S)]
        x = x - alpha * mean([h_m(x, y) for h_m in h])
        yield x, y
        t += 1


def ttsa(w, draw, x, y, *, T, a, b, estimate, **series) -> Path:
    """Steps a (1 + t)^{-3/5} of x and b (1 + t)^{-2/5} of y."""
    yield x, y
    for t in range(T):
        h = estimate(w, draw(t, "xi_hat"), **series)
        g = grad_y_g(w, draw(t, "zeta"))
        x, y = x - a / (1 + t) ** (3 / 5) * h(x, y), y - b / (1 + t) ** (2 / 5) * g(x, y)
        yield x, y


def smb(w, draw, x, y, *, T, eta, tau, b, **series) -> Path:
    """z_0 is the first sample itself."""
    yield x, y
    z = full_sum(w, draw(0, "xi_hat"), **series)(x, y)
    for t in range(T):
        h = full_sum(w, draw(t, "xi_hat"), **series)
        g = grad_y_g(w, draw(t, "zeta"))
        z = (1 - b) * z + b * h(x, y)
        x, y = x - eta * z, y - tau * eta * g(x, y)
        yield x, y


def storm(w, draw, x, y, *, T, d, m, gamma, lam, c_u, c_v, B, estimate, **series) -> Path:
    """SUSTAIN cuts its sum at random, MRBO has the full one. eta_t = d/(m + t)^{1/3}; the momenta begin with means."""
    yield x, y
    u = mean([estimate(w, draw(0, "xi_hat", 0, j), **series)(x, y) for j in range(B)])
    v = mean([grad_y_g(w, draw(0, "zeta", 0, j))(x, y) for j in range(B)])
    for t in range(T):
        eta = d / (m + t) ** (1 / 3)
        x_old, y_old = x, y
        x, y = x - gamma * eta * u, y - lam * eta * v
        h = estimate(w, draw(t + 1, "xi_hat"), **series)
        g = grad_y_g(w, draw(t + 1, "zeta"))
        u = h(x, y) + (1 - c_u * eta**2) * (u - h(x_old, y_old))
        v = g(x, y) + (1 - c_v * eta**2) * (v - g(x_old, y_old))
        yield x, y


def vrbo(w, draw, x, y, *, cycles, alpha, beta, q, T_in, S, S_2, **series) -> Path:
    """A restart takes a time of its own, in which x and y rest."""

    def batch(t, size):
        h = [full_sum(w, draw(t, "xi_hat", 0, j), **series) for j in range(size)]
        g = [grad_y_g(w, draw(t, "zeta", 0, j)) for j in range(size)]
        return lambda x, y: mean([h_j(x, y) for h_j in h]), lambda x, y: mean([g_j(x, y) for g_j in g])

    yield x, y
    t = 0
    for _ in range(cycles):
        h, g = batch(t, S)
        u, v = h(x, y), g(x, y)
        yield x, y
        t += 1
        for _ in range(q):
            h, g = batch(t, S_2)
            x_old, x = x, x - alpha * u
            u, v = u + h(x, y) - h(x_old, y), v + g(x, y) - g(x_old, y)
            yield x, y
            t += 1
            for _ in range(T_in):
                h, g = batch(t, S_2)
                y_old, y = y, y - beta * v
                u, v = u + h(x, y) - h(x, y_old), v + g(x, y) - g(x, y_old)
                yield x, y
                t += 1


def soba(w, draw, x, z, *, T, rho, gamma) -> Path:
    """Steps rho (1 + t)^{-2/5} of z and v and gamma (1 + t)^{-3/5} of x; v begins at 0, and grad_21 G = grad_xy g."""
    yield x, z
    v = 0 * z
    for t in range(T):
        D_z = grad_y_g(w, draw(t, "zeta"))(x, z)
        signs = draw(t, "auxiliary")
        (_, grad_1_F), grad_11_G = grad_f(w, signs), hessian(w, signs)
        D_v = times(grad_11_G, v) + grad_1_F(z)
        signs = draw(t, "xi_hat")
        (grad_2_F, _), grad_21_G = grad_f(w, signs), grad_xy_g(w, signs)
        D_x = times(grad_21_G, v) + grad_2_F(x)
        step, slow = rho / (1 + t) ** (2 / 5), gamma / (1 + t) ** (3 / 5)
        z = z - step * D_z
        v = v - step * D_v
        x = x - slow * D_x
        yield x, z
