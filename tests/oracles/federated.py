"""The methods on K devices, line by line as their pseudocode has them, device by device.

`w[i]` is the world of device i, `draw(t, label, i)` the signs of its sample, `draw(t, label, i, j)` those of member j
of a batch. The path has x and y of every device before the first move and after every one, after the mean where one
follows. Numbers have the letters of the papers; `series` is what the full sum of sampled.py takes.
"""

from oracles.sampled import Path, full_sum, grad_f, grad_xy_g, grad_y_g, hessian, mean, times

ROUND = 2**32  # the n-th product of a time draws as member n * 2^32


def local_bsgm(w, draw, x0, y0, *, T, p, eta, alpha, beta, rho_1, rho_2, momenta="carry", **series) -> Path:
    """Algorithm 1. A number eta is read as eta_t wherever iteration t prints it.

    What the printed lines leave open is `momenta`. "carry": a synchronisation at t+1 averages x_{t+1}, y_{t+1} and the
    u_t, v_t in hand. "fresh": u_{t+1}, v_{t+1} are computed first, at the local x_{t+1}, y_{t+1}, then averaged.
    """
    K = len(w)
    x, y, u, v = [x0] * K, [y0] * K, [0.0] * K, [0.0] * K

    def renew(t):
        for i in range(K):
            h = full_sum(w[i], draw(t, "xi_hat", i), **series)(x[i], y[i])
            g = grad_y_g(w[i], draw(t, "zeta", i))(x[i], y[i])
            u[i] = (1 - alpha * eta(t)) * u[i] + alpha * eta(t) * h if t else h
            v[i] = (1 - beta * eta(t)) * v[i] + beta * eta(t) * g if t else g

    yield list(x), list(y)
    for t in range(T):
        if momenta == "carry" or t == 0 or t % p != 0:
            renew(t)
        for i in range(K):
            x[i] = x[i] - rho_1 * eta(t) * u[i]
            y[i] = y[i] - rho_2 * eta(t) * v[i]
        if (t + 1) % p == 0:
            if momenta == "fresh" and t + 1 < T:  # nothing that is seen depends on u_T, v_T
                renew(t + 1)
            for field in (u, v, x, y):
                field[:] = [mean(field)] * K
        yield list(x), list(y)


def local_bsgvrm(
    w, draw, x0, y0, *, T, p, eta, alpha, beta, rho_1, rho_2, B=1, momenta="carry", previous="local", **series
) -> Path:
    """Algorithm 2. The batch at t = 0 is the mean of B complete, independent estimates.

    Open are `momenta`, as above, and `previous`: after a synchronisation the difference is taken to the device's own
    x_t, y_t ("local") or to their means over the devices ("averaged"); under "fresh" it makes no difference.
    """
    K = len(w)
    x, y, u, v = [x0] * K, [y0] * K, [0.0] * K, [0.0] * K
    x_old, y_old = list(x), list(y)

    def renew(t):
        for i in range(K):
            batch = range(1 if t else B)
            h = [full_sum(w[i], draw(t, "xi_hat", i, j), **series) for j in batch]
            g = [grad_y_g(w[i], draw(t, "zeta", i, j)) for j in batch]
            if t == 0:
                u[i], v[i] = mean([h_j(x[i], y[i]) for h_j in h]), mean([g_j(x[i], y[i]) for g_j in g])
            else:
                (h,), (g,) = h, g
                u[i] = (1 - alpha * eta(t - 1) ** 2) * (u[i] - h(x_old[i], y_old[i])) + h(x[i], y[i])
                v[i] = (1 - beta * eta(t - 1) ** 2) * (v[i] - g(x_old[i], y_old[i])) + g(x[i], y[i])

    yield list(x), list(y)
    for t in range(T):
        if momenta == "carry" or t == 0 or t % p != 0:
            renew(t)
        for i in range(K):
            x_old[i], y_old[i] = x[i], y[i]
            x[i] = x[i] - rho_1 * eta(t) * u[i]
            y[i] = y[i] - rho_2 * eta(t) * v[i]
        if (t + 1) % p == 0:
            if momenta == "fresh" and t + 1 < T:
                renew(t + 1)
            for field in (u, v, x, y, *((x_old, y_old) if previous == "averaged" else ())):
                field[:] = [mean(field)] * K
        yield list(x), list(y)


def local_sgd(w, draw, x0, y0, *, T, p, d, m, rho_1, rho_2, **series) -> Path:
    """eta_t = d/(m + t)^{1/3}, here and below."""
    K = len(w)
    x, y = [x0] * K, [y0] * K
    yield list(x), list(y)
    for t in range(T):
        eta = d / (m + t) ** (1 / 3)
        for i in range(K):
            h = full_sum(w[i], draw(t, "xi_hat", i), **series)
            g = grad_y_g(w[i], draw(t, "zeta", i))
            x[i], y[i] = x[i] - rho_1 * eta * h(x[i], y[i]), y[i] - rho_2 * eta * g(x[i], y[i])
        if (t + 1) % p == 0:
            x, y = [mean(x)] * K, [mean(y)] * K
        yield list(x), list(y)


def stem(w, draw, x0, y0, *, T, p, d, m, rho, c_u) -> Path:
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


def fed_bio_acc(w, draw, x0, y0, *, T, p, d, m, lam, gamma, c_nu, c_w, **series) -> Path:
    K = len(w)
    x, y = [x0] * K, [y0] * K
    nu = [full_sum(w[i], draw(0, "xi_hat", i), **series)(x0, y0) for i in range(K)]
    omega = [grad_y_g(w[i], draw(0, "zeta", i))(x0, y0) for i in range(K)]
    yield list(x), list(y)
    for t in range(T):
        eta = d / (m + t) ** (1 / 3)
        for i in range(K):
            x_old, y_old = x[i], y[i]
            x[i] = x[i] - lam * eta * nu[i]
            y[i] = y[i] - gamma * eta * omega[i]
            h = full_sum(w[i], draw(t + 1, "xi_hat", i), **series)
            g = grad_y_g(w[i], draw(t + 1, "zeta", i))
            nu[i] = h(x[i], y[i]) + (1 - c_nu * eta**2) * (nu[i] - h(x_old, y_old))
            omega[i] = g(x[i], y[i]) + (1 - c_w * eta**2) * (omega[i] - g(x_old, y_old))
        if (t + 1) % p == 0:
            x = [mean(x)] * K
            nu = [mean(nu)] * K
        yield list(x), list(y)


def through(w, signs):
    """E3: grad_x f - grad_xy g r as a function of (x, r)."""
    (grad_x_f, _), J = grad_f(w, signs), grad_xy_g(w, signs)
    return lambda x, r: grad_x_f(x) - times(J, r)


def residual(w, signs):
    """grad_yy g r - grad_y f as a function of (y, r)."""
    (_, grad_y_f), A = grad_f(w, signs), hessian(w, signs)
    return lambda y, r: times(A, r) - grad_y_f(y)


def fed_bio_acc_global(w, draw, x0, y0, *, T, p, d, m, lam, gamma, tau, c_nu, c_w, c_q, B) -> Path:
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


# FEDNEST: t counts the moves. A mean over devices that moves neither x nor y takes a time too, and so do the k products
# together; `rounds(t)` is the k that all devices share.


def fed_nest(w, draw, x, y, *, rounds, cycles, alpha, beta, tau, T_in, theta, N) -> Path:
    K, t = len(w), 0
    yield [x] * K, [y] * K
    for _ in range(cycles):
        for _ in range(T_in):  # FedInn
            q = mean([grad_y_g(w[i], draw(t, "zeta", i))(x, y) for i in range(K)])
            yield [x] * K, [y] * K
            t += 1
            y_i = [y] * K
            for step in range(1, tau + 1):
                for i in range(K):
                    g = grad_y_g(w[i], draw(t, "zeta", i))
                    y_i[i] = y_i[i] - beta / tau * (g(x, y_i[i]) - g(x, y) + q)
                y_i = [mean(y_i)] * K if step == tau else y_i
                yield [x] * K, list(y_i)
                t += 1
            y = y_i[0]

        r = N * theta * mean([grad_f(w[i], draw(t, "xi", i))[1](y) for i in range(K)])  # FedIHGP
        yield [x] * K, [y] * K
        t += 1
        k = rounds(t)
        for n in range(1, k + 1):
            r = mean([r - theta * times(hessian(w[i], draw(t, "factor", i, n * ROUND)), r) for i in range(K)])
        yield [x] * K, [y] * K
        t += 1

        h = mean([through(w[i], draw(t, "xi_hat", i))(x, r) for i in range(K)])  # FedOut
        yield [x] * K, [y] * K
        t += 1
        x_i = [x] * K
        for step in range(1, tau + 1):
            for i in range(K):
                grad_x_f, _ = grad_f(w[i], draw(t, "xi_x", i))
                x_i[i] = x_i[i] - alpha / tau * (grad_x_f(x_i[i]) - grad_x_f(x) + h)
            x_i = [mean(x_i)] * K if step == tau else x_i
            yield list(x_i), [y] * K
            t += 1
        x = x_i[0]


def l_fed_nest(w, draw, x, y, *, rounds, cycles, alpha, beta, tau, T_in, theta, N) -> Path:
    K, t = len(w), 0
    yield [x] * K, [y] * K
    for _ in range(cycles):
        for _ in range(T_in):
            y_i = [y] * K
            for step in range(1, tau + 1):
                for i in range(K):
                    y_i[i] = y_i[i] - beta / tau * grad_y_g(w[i], draw(t, "zeta", i))(x, y_i[i])
                y_i = [mean(y_i)] * K if step == tau else y_i
                yield [x] * K, list(y_i)
                t += 1
            y = y_i[0]

        x_i = [x] * K
        for step in range(1, tau + 1):
            r_i = [N * theta * grad_f(w[i], draw(t, "xi", i))[1](y) for i in range(K)]
            yield list(x_i), [y] * K
            t += 1
            k = rounds(t)
            for i in range(K):
                for n in range(1, k + 1):
                    A = hessian(w[i], draw(t, "factor", i, n * ROUND))
                    r_i[i] = r_i[i] - theta * times(A, r_i[i])
            yield list(x_i), [y] * K
            t += 1
            for i in range(K):
                h = through(w[i], draw(t, "xi_hat", i))
                x_i[i] = x_i[i] - alpha / tau * h(x_i[i], r_i[i])
            x_i = [mean(x_i)] * K if step == tau else x_i
            yield list(x_i), [y] * K
            t += 1
        x = x_i[0]
