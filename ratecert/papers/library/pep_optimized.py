"""Optimized gradient methods as PEPit 0.5.1 documents them: OGM and OGM-G.

The sources are optimized_gradient and optimized_gradient_for_gradient of unconstrained_convex_minimization. OGM has two
sequences: the docstring promises f(x_n), of the one that makes gradient steps, and the code measures f(y_n).
"""

import math
from dataclasses import dataclass

import ratecert as rc
from ratecert.papers.pep import SMOOTH, Delta, L, R, n
from ratecert.papers.pep.table import pepit

PAPER = rc.about("PEPit 0.5.1: optimized methods", certainty="note", edition="here that of PEPit 0.5.1")
FOLDER = "unconstrained_convex_minimization"
N_STEPS = {"L": (3.0, 1.0, 1.0), "n": (4, 1, 7)}


def thetas(N: int) -> list[float]:
    """1, then N - 1 times a factor 4 under the root, then a factor 8."""
    found = [1.0]
    for i in range(N):
        found.append((1 + math.sqrt((8 if i == N - 1 else 4) * found[-1] ** 2 + 1)) / 2)
    return found


def last(setting):
    return thetas(setting.T)[-1]


theta_n = rc.letter("theta_n", means="the last of OGM's numbers", units="1", of=last, latex=r"\theta_n")
theta_0 = rc.letter(
    "theta_0", means="the first of OGM-G's numbers", units="1", of=last, latex=r"\tilde{\theta}_0"
)
ogm = rc.theorem(
    rc.methods.OGM,
    hyperparameters={"alpha": 1 / L, "N": n},
    measure=rc.measures.gap("y").last(),  # the method's y is the docstring's x
    measure_latex=r"f(x_n)-f_\star",
    bound=L * R**2 / (2 * theta_n**2),
    assuming=[SMOOTH],
    title="OGM at x_n, as the docstring has it",
    steps="x_{t+1} = y_t - grad f(y_t)/L, y_{t+1} = x_{t+1} + (theta_t - 1)/theta_{t+1} (x_{t+1} - x_t) + "
    "theta_t/theta_{t+1} (x_{t+1} - y_t); theta_0 = 1, theta_t = (1 + sqrt(4 theta_{t-1}^2 + 1))/2, and theta_n with 8 "
    "for 4",
    blind="Huber functions break it, as PEPit's numbers show; quadratics do not. PEPit's code has the guarantee for "
    "the last y in the place of the last x, which attains it.",
    **pepit(f"{FOLDER}/optimized_gradient", "ogm_at_x", unit=R**2, **N_STEPS),
)
ogm_code = ogm.restated(
    measure=rc.measures.gap().last(),
    measure_latex=r"f(y_n)-f_\star",
    title="OGM at y_n, as the code has it",
    blind="",
    **pepit(f"{FOLDER}/optimized_gradient", unit=R**2, **N_STEPS),
)


@dataclass(frozen=True)
class Coefficient:
    """One of OGM-G's two coefficients, at whole t."""

    N: int
    of: str

    only_whole, constant_until, largest = True, 0.0, 2.0

    def __call__(self, t: float) -> float:
        theta = thetas(self.N)[::-1]
        now, then = theta[int(t) % self.N], theta[int(t) % self.N + 1]
        return (2 * then - 1) / (2 * now - 1) * ((now - 1) / now if self.of == "y - y_-" else 1.0)


def optimized_for_gradient(x, y="x", *, grad, alpha, beta, gamma):
    """OGM-G: a gradient step to y, then x beyond it in two directions."""
    after = x - alpha * grad(x)
    return after + beta * (after - y) + gamma * (after - x), after


ogm_g = rc.theorem(
    optimized_for_gradient,
    hyperparameters={
        "alpha": 1 / L,
        "beta": lambda values: Coefficient(int(values["n"]), "y - y_-"),
        "gamma": lambda values: Coefficient(int(values["n"]), "y - x"),
    },
    measure=rc.measures.gradient().last(),
    bound=2 * L * Delta / theta_0**2,
    assuming=[SMOOTH],
    title="OGM for the gradient",
    steps="y_{t+1} = x_t - grad f(x_t)/L, x_{t+1} = y_{t+1} + (theta_t - 1)(2 theta_{t+1} - 1)/(theta_t (2 theta_t - "
    "1)) (y_{t+1} - y_t) + (2 theta_{t+1} - 1)/(2 theta_t - 1) (y_{t+1} - x_t); theta_n = 1, theta_t = (1 + sqrt(4 "
    "theta_{t+1}^2 + 1))/2, and theta_0 with 8 for 4",
    **pepit(f"{FOLDER}/optimized_gradient_for_gradient", unit=Delta, **N_STEPS),
)
