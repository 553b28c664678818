"""Theorem 1: LocalBSGM with a constant step."""

from sympy import Integer, Rational, sqrt

from ratecert.papers.federated_bilevel.statements.measure import COMMON
from ratecert.theory.language.letters import letters
from ratecert.theory.language.statements import Condition, Theorem

K, T, p, eta, alpha, beta, rho_1, rho_2, theta = letters("K T p eta alpha beta rho_1 rho_2 theta")
mu, L_1, sigma = letters("mu L_1 sigma")
L_Phi, L_hat, L_tilde, G, Delta_Q = letters("L_Phi L_hat L_tilde G Delta_Q")
Phi_gap, y_gap = letters("Phi_gap y_gap")

MOMENTA = 4 * L_hat**2 / alpha**2 + 500 * L_1**2 * L_tilde**2 / (3 * beta**2 * mu**2)
_smooth = 2 * L_hat**2 + 500 * L_1**2 * L_tilde**2 / (3 * mu**2)
_steps = rho_1**2 + rho_2**2

THEOREM_1 = Theorem(
    id="theorem-1",
    title="Convergence of LocalBSGM",
    source="Section 4.1, Theorem 1",
    algorithm="algorithm-1",
    **COMMON,
    conditions={
        "alpha": Condition(alpha, ">", (Integer(0),)),
        "beta": Condition(beta, ">", (Integer(0),)),
        "theta": Condition(theta, "<", (1 / L_1,)),
        "rho_1": Condition(
            rho_1,
            "<=",
            (3 * rho_2 * mu**2 / (50 * L_1 * L_tilde), Rational(1, 4) / sqrt(MOMENTA)),
        ),
        "rho_2": Condition(
            rho_2,
            "<=",
            (
                6
                * L_tilde**2
                / mu
                / (4 * L_hat**2 / alpha**2 + 400 * L_1**2 * L_tilde**2 / (3 * beta**2 * mu**2)),
                1 / (6 * L_1),
            ),
        ),
        "eta": Condition(
            eta,
            "<",
            (
                1 / alpha,
                1 / beta,
                1 / (2 * rho_1 * L_Phi),
                1 / (3 * p * (alpha**2 + beta**2) ** Rational(1, 4) * _steps ** Rational(1, 4) * sqrt(L_hat)),
                Integer(1),
            ),
        ),
    },
    terms={
        "start_x": 2 * Phi_gap / (eta * rho_1 * T),
        "start_y": 20 * L_tilde**2 / (eta * T * rho_2 * mu) * y_gap**2,
        "start_u": 4 * G**2 / (alpha * eta * T),
        "start_v": 500 * L_tilde**2 * sigma**2 / (3 * eta * T * beta * mu**2),
        "noise_u": 4 * alpha * eta * sigma**2 / K,
        "noise_v": 500 * beta * eta * sigma**2 * L_tilde**2 / (3 * K * mu**2),
        "bias": 4 * Delta_Q**2,
        "drift_p4_u": 48 * alpha**2 * eta**4 * p**4 * _steps * _smooth * G**2,
        "drift_p4_v": 48 * beta**2 * p**4 * eta**4 * _steps * _smooth * sigma**2,
        "drift_p2_u": 48 * alpha**2 * p**2 * eta**2 * _steps * MOMENTA * G**2,
        "drift_p2_v": 48 * beta**2 * p**2 * eta**2 * _steps * MOMENTA * sigma**2,
    },
)
