"""The classical bound for stochastic gradient descent on K parallel devices (Ghadimi and Lan, 2013): a sound control.

K devices hold the same x_t, each takes a sample of grad Phi(x_t), and all move along the mean g_t of the samples:

    x_{t+1} = x_t - eta g_t,        E[g_t | x_t] = grad Phi(x_t),        E[||g_t - grad Phi(x_t)||^2 | x_t] <= sigma^2/K

because the K samples are independent and each has a variance of at most sigma^2.

Theorem. If grad Phi is L-Lipschitz, Phi is bounded below and 0 < eta <= 1/L, then for all T >= 1

    1/T sum_{t<T} E||grad Phi(x_t)||^2  <=  2 (Phi(x_0) - inf Phi)/(eta T) + L eta sigma^2/K.

Proof. Smoothness gives Phi(x_{t+1}) <= Phi(x_t) - eta <grad Phi(x_t), g_t> + L eta^2/2 ||g_t||^2. Take the mean given
x_t, with E||g_t||^2 <= ||grad Phi(x_t)||^2 + sigma^2/K:

    E Phi(x_{t+1}) <= E Phi(x_t) - eta (1 - L eta/2) E||grad Phi(x_t)||^2 + L eta^2 sigma^2/(2K),

and 1 - L eta/2 >= 1/2. Sum over t < T, divide by eta T/2, and use E Phi(x_T) >= inf Phi.                          QED

What is given away is the factor 2 - L eta >= 1, curvatures below L, and E Phi(x_T) - inf Phi. On a quadratic whose
curvatures are all L, at eta = 1/L, that is nothing but the last, which T makes small: the bound is attained. In the
form of Ghadimi and Lan the factor 2 - L eta is kept; the one here is the one that is usually quoted.

With eta = sqrt(K/T) both terms are (KT)^{-1/2}: linear speedup. eta <= 1/L asks, in order, for T >= K. To reach eps
takes T = 1/(K eps^2) iterations, of one sample on each device, with eta = K eps, where K eps <= 1.
"""

from sympy import sqrt

import ratecert as rc

PAPER = rc.about(
    "Stochastic First- and Zeroth-Order Methods for Nonconvex Stochastic Programming, on K devices"
)
s = rc.statements
K, T, eta, L, sigma = rc.letters("K T eta L sigma")
Phi_gap = rc.letter("Phi_gap", means="gap at the start", latex=r"(\Phi(x_0)-\inf\Phi)")
eps = rc.letter("eps", means="accuracy to be reached", units="f^2 x^-2", latex=r"\epsilon")
x = rc.letter("x", means="variable", units="x", latex="x_t")
g = rc.letter("g", means="mean of the devices' samples of the gradient at x_t", units="f x^-1", latex="g_t")

SMOOTH = s.Assumption(
    id="sgd-smooth",
    title="Smoothness",
    source="Ghadimi and Lan (2013), (1.2)",
    sentence="The gradient of Phi is L-Lipschitz, and Phi is bounded below.",
    constants={"L": 0.0},
)
NOISE = s.Assumption(
    id="sgd-noise",
    title="Bounded variance",
    source="Ghadimi and Lan (2013), A1",
    sentence="A device's sample of the gradient has no bias and a variance of at most sigma^2, and is independent.",
    constants={"sigma": 0.0},
)
SGD = s.Algorithm(
    id="sgd",
    title="Parallel SGD",
    source="Ghadimi and Lan (2013), RSG with a mean of K samples",
    hyperparameters=("eta",),
    starts_from=(("x", 0),),
    lines=(
        s.Line("g_t = mean over devices of samples of the gradient at x_t", (("x", 0),), (("g", 0),)),
        s.Line("x_{t+1} = x_t - eta g_t", (("x", 0), ("g", 0)), (("x", 1),)),
    ),
    updates={"x": (x, x - eta * g)},
)


def parallel_sgd(x, grad, *, eta):
    return x - eta * grad(x)


sgd_descent = rc.theorem(
    parallel_sgd,
    measure=rc.measures.gradient(),
    bound=2 * Phi_gap / (eta * T) + L * eta * sigma**2 / K,
    where=[eta <= 1 / L],
    assuming=[SMOOTH, NOISE],
    algorithm=SGD,
    title="Convergence of parallel SGD",
    source="Ghadimi and Lan (2013), Theorem 2.1",
    measure_latex=r"\frac{1}{T}\sum_{t=0}^{T-1}\mathbb{E}[\|\nabla\Phi(x_t)\|^2]",
)
sgd_rate = rc.corollary(
    sgd_descent,
    along={eta: sqrt(K) / sqrt(T)},
    rate=1 / sqrt(K * T),
    window=[T >= K],
    title="Parallel SGD after T iterations",
    source="Ghadimi and Lan (2013), Corollary 2.2",
)
sgd_accuracy = rc.corollary(
    sgd_descent,
    along={T: 1 / (K * eps**2), eta: K * eps},
    rate=eps,
    window=[eps <= 1 / K],
    same_as=sgd_rate,
    title="Parallel SGD to accuracy eps",
    source="Ghadimi and Lan (2013), (2.17)",
)
sgd_costs = rc.cost(
    sgd_accuracy,
    iterations=1 / (K * eps**2),
    samples=1 / (K * eps**2),
    linear_speedup=True,
    method="parallel SGD",
    title="Complexities of parallel SGD",
    source="Ghadimi and Lan (2013), below (2.17)",
)
