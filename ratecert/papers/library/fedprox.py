"""FedProx on devices that differ (Li, Sahu, Zaheer, Sanjabi, Talwalkar and Smith, MLSys 2020).

K devices, drawn by their weights, minimise F_k(w) + (mu/2)||w - w_t||^2 up to a part gamma of their gradient, and
w_{t+1} is the mean of what they find. F_k is L-smooth with Hessians above -L_-, mubar = mu - L_-, and E_k||grad
F_k(w_t)||^2 <= B^2 ||grad f(w_t)||^2. Here the step is the first, B is what it is at the start, proximal steps are
exact (gamma = 0), and the F_k are convex (L_- = 0). f is counted from its minimum.
"""

import math

import numpy as np
from sympy import sqrt

import ratecert as rc


def steepness(setting: rc.statements.Setting) -> float:
    """||grad f|| at the start."""
    return float(np.linalg.norm(setting.world.gradient(setting.x0)))


def dissimilarity(setting: rc.statements.Setting) -> float:
    """B at the start; at rest nothing bounds it."""
    own = [np.sum(device.gradient(setting.x0) ** 2) for device in setting.world.devices]
    mean = float(np.sqrt(setting.world.weights @ own))
    return mean / steepness(setting) if steepness(setting) else math.inf


def zero(_: rc.statements.Setting) -> float:
    return 0.0


PAPER = rc.about("Federated Optimization in Heterogeneous Networks", certainty="text")
K = rc.letter("K", means="number of devices that are drawn", units="1", least=1)
T = rc.letter("T")
mu = rc.letter("mu", means="how tightly devices are tied", units="f x^-2")
L_minus = rc.letter("L_minus", means="how far Hessians are below zero", units="f x^-2", of=zero, latex="L_-")
L = rc.letter("L", means="Lipschitz constant of every gradient", units="f x^-2", of="L")
B = rc.letter("B", means="dissimilarity of the devices' gradients", units="1", of=dissimilarity)
gamma = rc.letter("gamma", means="inexactness of the proximal steps", units="1", of=zero)
f = rc.letter("f", means="f(w_t) - f*", units="f", of="gap", latex="f(w_t)")
g = rc.letter(
    "g", means="norm of the gradient at w_t", units="f x^-1", of=steepness, latex=r"\|\nabla f(w_t)\|"
)
mubar = rc.define(
    "mubar",
    mu - L_minus,
    means="strong convexity of a device's problem",
    units="f x^-2",
    latex=r"\bar{\mu}",
    id="mubar",
    source="Theorem 4",
)
rho = rc.define(
    "rho",
    1 / mu
    - gamma * B / mu
    - B * (1 + gamma) * sqrt(2) / (mubar * sqrt(K))
    - L * B * (1 + gamma) / (mubar * mu)
    - L * (1 + gamma) ** 2 * B**2 / (2 * mubar**2)
    - L * B**2 * (1 + gamma) ** 2 / (mubar**2 * K) * (2 * sqrt(2 * K) + 2),
    means="what a step gains",
    units="x^2 f^-1",
    id="rho",
    source="Theorem 4",
)

DISSIMILAR = rc.statements.Assumption(
    id="dissimilar",
    title="Smoothness and dissimilarity",
    source="asked by Theorem 4",
    sentence="Every F_k is L-smooth, with Hessians above -L_-; E_k||grad F_k||^2 <= B^2 ||grad f||^2 at w_t.",
    constants={"L": 0.0, "B": 0.0},
    strict=True,
)


theorem_4 = rc.theorem(
    rc.methods.FedProx,
    hyperparameters={"m": K},
    steps="w_{t+1} is the mean of the minimisers of F_k(w) + (mu/2) ||w - w_t||^2 on K devices that are drawn",
    measure=rc.measures.gap().last(),
    measure_latex=r"\mathbb{E}f(w_{t+1})",
    bound={"value": f, "descent": -rho * g**2},
    where=[rho > 0, mubar > 0],
    assuming=[DISSIMILAR],
    worlds=("devices",),
    title="One round of FedProx",
    source="Theorem 4",
    most_iterations=1,
    rests="with a large mu a step hardly moves, and both sides are f(w_t)",
    blind="proximal steps are exact and the devices convex, where rho could be larger",
)
