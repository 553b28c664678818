"""The three theorems bound to runs, from which the verdicts on corollaries, costs and the theorems themselves follow.

f has to be L_0-Lipschitz, which no quadratic is: L_0 is that of a ball which no outcome of the run leaves. The printed
algorithms ask for p > 1 and B > 1.
"""

from typing import Any

import ratecert as rc

s = rc.statements
STEPS = {name: s.letter(name) for name in ("eta", "alpha", "beta", "rho_1", "rho_2", "theta", "p", "Q")}
BATCHES = {**STEPS, "B": s.letter("B")}


def left_side(letters: Any) -> Any:
    """The squared hypergradient and L_tilde^2 times the squared tracking error, averaged over t < T."""
    return rc.measures.gradient() + letters["L_tilde"] ** 2 * rc.measures.tracking()


def decaying(letters: Any) -> Any:
    """Theorem 3's step, K^(2/3)/L_hat over the third root of t, which is constant before."""
    K, p, L_hat, L_Phi, rho_1 = (letters[name] for name in ("K", "p", "L_hat", "L_Phi", "rho_1"))
    floor = K**2 * max(200.0**3 * p**3, 8 * (L_Phi * rho_1 / L_hat) ** 3)
    return rc.contract.CubeRoot(scale=K ** (2 / 3) / L_hat, offset=2, floor=floor)


def before_decay(letters: Any) -> float:
    """The iterations in which max(2 + t, floor) is the floor, of which 200^3 K^2 p^3 is one side."""
    constant: float = 200.0**3 * letters["K"] ** 2 * letters["p"] ** 3 - 2
    return constant


BOTH: dict[str, Any] = {
    "measure": left_side,
    "worlds": ("two_level",),
    "constants": {
        **{name: name for name in ("mu", "L_1", "L_21", "L_22", "sigma", "sigma_H")},
        "L_0": s.Within("L_0"),
        "Phi_gap": "gap",
        "y_gap": "lower_distance",
    },
}
OF_ALGORITHM_2 = BOTH | {"method": rc.methods.LocalBSGVRM, "at_least": {"p": 2, "B": 2}}
RUNS = {
    "theorem-1": s.Binding(method=rc.methods.LocalBSGM, hyperparameters=STEPS, at_least={"p": 2}, **BOTH),
    "theorem-2": s.Binding(hyperparameters=BATCHES, **OF_ALGORITHM_2),
    "theorem-3": s.Binding(
        hyperparameters={**BATCHES, "eta": decaying},
        constant_until=before_decay,
        blind="what of its class is not quadratic, and runs in which the step decays: those of its corollaries go on",
        **OF_ALGORITHM_2,
    ),
}
