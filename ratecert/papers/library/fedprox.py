"""FedProx on devices that differ (Li, Sahu, Zaheer, Sanjabi, Talwalkar and Smith, MLSys 2020).

K devices, drawn by their weights, minimise F_k(w) + (mu/2)||w - w_t||^2 up to a part gamma of their gradient, and
w_{t+1} is the mean of what they find. F_k is L-smooth with Hessians above -L_-, mubar = mu - L_-, and E_k||grad
F_k(w_t)||^2 <= B^2 ||grad f(w_t)||^2. Here the step is the first, B is what it is at the start, proximal steps are
exact (gamma = 0), and the F_k are convex (L_- = 0). f is counted from its minimum.
"""

from typing import Any

import numpy as np
from sympy import sqrt

import ratecert as rc

s = rc.statements
K, T, mu, L_minus, mubar, L, B, gamma, rho, f, g = s.letters("K T mu L_minus mubar L B gamma rho f g")

NOTATION = s.table(
    s.Symbol("K", "K", "number of devices that are drawn", units="1", least=1),
    s.Symbol("T", "T", "number of iterations", units="1", least=1),
    s.Symbol("mu", r"\mu", "how tightly devices are tied", units="f x^-2"),
    s.Symbol("L_minus", "L_-", "how far Hessians are below zero", units="f x^-2"),
    s.Symbol("mubar", r"\bar{\mu}", "strong convexity of a device's problem", units="f x^-2"),
    s.Symbol("L", "L", "Lipschitz constant of every gradient", units="f x^-2"),
    s.Symbol("B", "B", "dissimilarity of the devices' gradients", units="1"),
    s.Symbol("gamma", r"\gamma", "inexactness of the proximal steps", units="1"),
    s.Symbol("rho", r"\rho", "what a step gains", units="x^2 f^-1"),
    s.Symbol("f", "f(w_t)", "f(w_t) - f*", units="f"),
    s.Symbol("g", r"\|\nabla f(w_t)\|", "norm of the gradient at w_t", units="f x^-1"),
)

DISSIMILAR = s.Assumption(
    id="dissimilar",
    title="Smoothness and dissimilarity",
    source="asked by Theorem 4",
    sentence="Every F_k is L-smooth, with Hessians above -L_-; E_k||grad F_k||^2 <= B^2 ||grad f||^2 at w_t.",
    constants={"L": 0.0, "B": 0.0},
    strict=True,
)
CONVEXITY = s.Definition(
    id="mubar", title="Strong convexity", source="Theorem 4", left=mubar, right=mu - L_minus
)
GAIN = s.Definition(
    id="rho",
    title="What a step gains",
    source="Theorem 4",
    left=rho,
    right=1 / mu
    - gamma * B / mu
    - B * (1 + gamma) * sqrt(2) / (mubar * sqrt(K))
    - L * B * (1 + gamma) / (mubar * mu)
    - L * (1 + gamma) ** 2 * B**2 / (2 * mubar**2)
    - L * B**2 * (1 + gamma) ** 2 / (mubar**2 * K) * (2 * sqrt(2 * K) + 2),
)
FEDPROX = s.Algorithm(
    id="fedprox",
    title="FedProx",
    source="run by Theorem 4",
    hyperparameters=("mu", "K"),
    starts_from=(),
    lines=(),
    updates={},
    requires="w_{t+1} is the mean of the minimisers of F_k(w) + (mu/2) ||w - w_t||^2 on K devices that are drawn",
)
THEOREM = s.Theorem(
    id="theorem-4",
    title="One round of FedProx",
    source="Theorem 4",
    algorithm="fedprox",
    assumptions=("dissimilar",),
    measure=r"\mathbb{E}f(w_{t+1})",
    measure_units="f",
    conditions={"rho": s.Condition(rho, ">", (0,)), "mubar": s.Condition(mubar, ">", (0,))},
    terms={"value": f, "descent": -rho * g**2},
)

PRINTED = s.Paper(
    key="fedprox",
    title="Federated Optimization in Heterogeneous Networks",
    certainty="text",
    notation=NOTATION,
    statements=s.by_id(DISSIMILAR, CONVEXITY, GAIN, FEDPROX, THEOREM),
    bindings={},
)


def devices(numbers: Any) -> rc.worlds.Federated:
    """Two devices whose minimisers lie on either side, the second curved less."""
    line = rc.worlds.SingleLevel
    return rc.worlds.Federated(
        devices=[
            line(H=numbers["L"], a=numbers["apart"]),
            line(H=numbers["L"] / numbers["uneven"], a=-numbers["apart"]),
        ]
    )


def dissimilarity(setting: s.Setting) -> float:
    """B at the start."""
    own = [np.sum(device.gradient(setting.x0) ** 2) for device in setting.world.devices]
    return float(np.sqrt(setting.world.weights @ own)) / steepness(setting)


def steepness(setting: s.Setting) -> float:
    """||grad f|| at the start."""
    return float(np.linalg.norm(setting.world.gradient(setting.x0)))


FAMILY = s.Family(
    name="two_devices",
    levels=(
        s.Level(name="L", low=1e-4, high=1.0),
        s.Level(name="uneven", low=1.0, high=1e3),
        *(s.Level(name=name, low=1e-3, high=1e3) for name in ("apart", "x_off")),
    ),
    world=devices,
    held=({"apart": 0.0, "uneven": 1.0}, {"apart": 0.0}, {"uneven": 1.0}, {}),
    devices=2,
)
RUNS = {
    "theorem-4": s.Binding(
        method=rc.methods.FedProx,
        hyperparameters={"mu": mu, "m": K},
        measure=rc.measures.gap().last(),
        constants={
            "L": "L",
            "L_minus": lambda _: 0.0,
            "gamma": lambda _: 0.0,
            "B": dissimilarity,
            "f": "gap",
            "g": steepness,
        },
        worlds=(FAMILY,),
        devices="",
        most_iterations=1,
        rests="with a large mu a step hardly moves, and both sides are f(w_t)",
        blind="proximal steps are exact and the devices convex, where rho could be larger",
    )
}
