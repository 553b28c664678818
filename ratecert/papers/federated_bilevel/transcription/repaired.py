"""The readings that errata give to constants, conditions and summands, written out as whole formulas in plain floats.

They are the eight places where the repaired statements are not the print. Constants of the print (L_hat, L_tilde, G)
are letters here, with the values that are given.
"""

import math

from ratecert.papers.federated_bilevel.transcription.bounds import Values


def readings(v: Values) -> dict[str, list[float]]:
    """place -> the repaired formula, a number for every clause."""
    return {**_constants(v), **_conditions(v), **_terms(v)}


def _constants(v: Values) -> dict[str, list[float]]:
    """L_Phi = L_tilde (1 + L_1/mu), with L_0 and L_21; G^2, with the noise of the Hessians."""
    mu, L_0, L_1, L_21, L_22 = (v[name] for name in ("mu", "L_0", "L_1", "L_21", "L_22"))
    theta, Q, sigma_H = v["theta"], v["Q"], v["sigma_H"]
    neumann = theta * L_0 * L_1 * (Q + 1)
    return {
        "constant.L_Phi.right": [
            (L_1 + L_1**2 / mu + L_0 * L_21 / mu + L_0 * L_1 * L_22 / mu**2) * (1 + L_1 / mu)
        ],
        "constant.G.left": [v["G"] * v["G"]],
        "constant.G.right": [2 * L_0**2 + 12 * neumann**2 + 4 * neumann**2 * theta**2 * (Q + 2) * sigma_H**2],
    }


def _conditions(v: Values) -> dict[str, list[float]]:
    """500 for 400 in Theorem 1; in Theorems 2 and 3, where eta <= 1/L_hat stands for eta <= 1, a factor L_hat."""
    mu, L_1, L_hat, L_tilde = (v[name] for name in ("mu", "L_1", "L_hat", "L_tilde"))
    alpha, beta, K = v["alpha"], v["beta"], v["K"]
    momentum_1 = 4 * L_hat**2 / alpha**2 + 500 * L_1**2 * L_tilde**2 / (3 * beta**2 * mu**2)
    momentum_2 = 16 * L_hat**2 / (alpha * K) + 2000 * L_1**2 * L_tilde**2 / (3 * beta * mu**2 * K)
    divisor_2 = momentum_2 + (12 / 25) * (4 + 1000 * L_tilde**2 / (3 * mu**2) + momentum_2)
    return {
        "theorem-1.condition.rho_2": [6 * L_tilde**2 / (mu * momentum_1), 1 / (6 * L_1)],
        "theorem-2.condition.rho_2": [L_hat / (6 * L_1), 15 * L_tilde**2 / (mu * divisor_2 * L_hat), 10.0],
        "theorem-3.condition.rho_2": [15 * mu / (1174 * L_hat), L_hat / (6 * L_1), 10.0],
    }


def _terms(v: Values) -> dict[str, list[float]]:
    """The noise of u is that of the hypergradient: G, not sigma."""
    alpha, eta, G, p, K, T = (v[name] for name in ("alpha", "eta", "G", "p", "K", "T"))
    return {
        "theorem-1.term.noise_u": [4 * alpha * eta * G**2 / K],
        "theorem-3.term.noise_u": [(200 * p / T + 1 / (K * T) ** (2 / 3)) * 32 * G**2 * math.log(T + 1)],
    }
