"""Theorem 2: LocalBSGVRM with a constant step."""

from sympy import Integer, Rational, sqrt

from ratecert.papers.federated_bilevel.statements.measure import COMMON
from ratecert.theory.language.letters import letters
from ratecert.theory.language.statements import Condition, Theorem

K, T, p, eta, alpha, beta, rho_1, rho_2, theta, B = letters("K T p eta alpha beta rho_1 rho_2 theta B")
mu, L_1, sigma = letters("mu L_1 sigma")
L_hat, L_tilde, G, Delta_Q = letters("L_hat L_tilde G Delta_Q")
Phi_gap, y_gap = letters("Phi_gap y_gap")

_momenta = 16 * L_hat**2 / (alpha * K) + 2000 * L_1**2 * L_tilde**2 / (3 * beta * mu**2 * K)
_drift = 4 + 1000 * L_tilde**2 / (3 * mu**2) + _momenta
_steps = _momenta + Rational(12, 25) * _drift

THEOREM_2 = Theorem(
    id="theorem-2",
    title="Convergence of LocalBSGVRM, constant step",
    source="Section 4.2, Theorem 2",
    algorithm="algorithm-2",
    **COMMON,
    conditions={
        "theta": Condition(theta, "<", (1 / L_1,)),
        "alpha": Condition(alpha, "<=", (L_hat**2 / K,)),
        "beta": Condition(beta, "<=", (L_hat**2 / K,)),
        "eta": Condition(eta, "<=", (1 / sqrt(alpha), 1 / sqrt(beta), 1 / (200 * p * L_hat))),
        "rho_1": Condition(
            rho_1,
            "<=",
            (rho_2 * mu**2 / (20 * L_tilde * L_1), Rational(1, 2) / sqrt(_steps), Integer(10)),
        ),
        "rho_2": Condition(rho_2, "<=", (1 / (6 * L_1), 15 * L_tilde**2 / mu / _steps, Integer(10))),
    },
    terms={
        "start_x": 2 * Phi_gap / (eta * rho_1 * T),
        "start_y": 10 * L_tilde**2 / (rho_2 * mu * eta * T) * y_gap**2,
        "start_u": 2 * G**2 / (alpha * eta**2 * T * K * B),
        "start_v": 250 * L_tilde**2 * sigma**2 / (3 * beta * mu**2 * eta**2 * T * K * B),
        "bias": 4 * Delta_Q**2,
        "noise_u": 8 * alpha * eta**2 * G**2 / K,
        "noise_v": 1000 * beta * eta**2 * sigma**2 * L_tilde**2 / (3 * mu**2 * K),
        "drift": (rho_1**2 + rho_2**2)
        * _drift
        * (48 * beta**2 * p**2 * eta**4 * sigma**2 + 48 * alpha**2 * p**2 * eta**4 * G**2),
    },
)
