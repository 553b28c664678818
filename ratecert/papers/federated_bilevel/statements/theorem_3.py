"""Theorem 3: LocalBSGVRM with a decaying step."""

from sympy import Integer, Max, Rational, log

from ratecert.papers.federated_bilevel.statements.measure import COMMON
from ratecert.theory.language.letters import letters
from ratecert.theory.language.statements import Condition, Theorem

K, T, p, eta, alpha, beta, rho_1, rho_2, theta, B = letters("K T p eta alpha beta rho_1 rho_2 theta B")
mu, L_1, sigma = letters("mu L_1 sigma")
L_Phi, L_hat, L_tilde, G, Delta_Q = letters("L_Phi L_hat L_tilde G Delta_Q")
Phi_gap, y_gap, t, w = letters("Phi_gap y_gap t w")

_third, _two_thirds = Rational(1, 3), Rational(2, 3)
_weight = L_hat**2 / (3 * p * K**2) + L_hat**2 / K
_time = 200 * p / T + 1 / (K**_two_thirds * T**_two_thirds)
_time_L_hat = 200 * p * L_hat / T + L_hat / (K**_two_thirds * T**_two_thirds)

THEOREM_3 = Theorem(
    id="theorem-3",
    title="Convergence of LocalBSGVRM, decaying step",
    source="Section 4.2, Theorem 3",
    algorithm="algorithm-2",
    **COMMON,
    conditions={
        "alpha": Condition(alpha, "=", (_weight,)),
        "beta": Condition(beta, "=", (_weight,)),
        "eta": Condition(eta, "=", (K**_two_thirds / L_hat / (w + t) ** _third,)),
        "w": Condition(
            w,
            "=",
            (
                Integer(2),
                200**3 * K**2 * p**3 - t,
                8 * rho_1**3 * L_Phi**3 * K**2 / L_hat**3 - t,
            ),
            of=Max,
        ),
        "rho_1": Condition(rho_1, "<=", (rho_2 * mu**2 / (60 * L_1**2), mu / (100 * L_tilde), Integer(10))),
        "rho_2": Condition(rho_2, "<=", (15 * mu / 1174, 1 / (6 * L_1), Integer(10))),
        "theta": Condition(theta, "<", (1 / L_1,)),
    },
    terms={
        "start_x": 2 * Phi_gap / rho_1 * _time_L_hat,
        "start_y": _time_L_hat * 20 * L_tilde**2 / (rho_2 * mu) * y_gap**2,
        "start_u": _time * 800 * p * G**2 / B,
        "start_v": _time * 200000 * p * sigma**2 * L_tilde**2 / (3 * mu**2 * B),
        "noise_u": _time * 32 * sigma**2 * log(T + 1),
        "noise_v": _time * 4000 * sigma**2 * L_tilde**2 / (3 * mu**2) * log(T + 1),
        "bias": (4 * 200**3 * K**2 * p**3 / T + 4) * Delta_Q**2 * log(T + 1),
        "drift": _time * 3 * (rho_1**2 + rho_2**2) * L_tilde**2 * (sigma**2 + G**2) / mu**2 * log(T + 1),
    },
)
