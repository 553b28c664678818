"""The simplest instances known of each mistake: short runs, or long ones with few digits.

They have the tables of a witness file. A = P = 2 rather than 1, so that every exponent in a proof counts. Where G is
squared twice, three to eight iterations are enough if f is small. The mistake in noise_u shows only in long runs: the
print counts the noise of g alone, and there is none.

For Theorem 3, L_hat is to be a fraction: with L_1 = 2 its square is 4 (2 + 2 n^2), n = 2 theta L_1 (Q + 1), and n = 41
solves Pell's equation 2 + 2 n^2 = 58^2.
"""

from fractions import Fraction
from typing import Any

TWOS = {"A": 2, "B": 0, "P": 2, "D": 0, "b": 0, "s_g": 0}
AT_REST = {"x_off": 0, "y_off": 0}

SIMPLEST: dict[tuple[str, str], dict[str, dict[str, Any]]] = {
    ("theorem-1", "constant.G.left"): {
        "world": {**TWOS, "s_f": Fraction("1e-9")},
        "run": {"K": 2, "p": 2, "T": 4, "Q": 1, "B": 1, **AT_REST},
        "steps": {
            "alpha": 2,
            "beta": 2,
            "theta": Fraction("0.4995"),
            "rho_1": Fraction("0.001"),
            "rho_2": Fraction("0.05"),
            "eta": Fraction("0.1"),
        },
    },
    ("theorem-1", "theorem-1.term.noise_u"): {
        "world": {**TWOS, "s_f": Fraction("0.01")},
        "run": {"K": 1, "p": 2, "T": 10**40, "Q": 11, "B": 1, **AT_REST},
        "steps": {
            "alpha": 2,
            "beta": 2,
            "theta": Fraction("0.45"),
            "rho_1": Fraction("2e-17"),
            "rho_2": Fraction("1e-15"),
            "eta": Fraction("0.25"),
        },
    },
    ("theorem-2", "constant.G.left"): {
        "world": {**TWOS, "s_f": Fraction("1e-15")},
        "run": {"K": 2, "p": 2, "T": 3, "Q": 4, "B": 2, **AT_REST},
        "steps": {
            "theta": Fraction("0.495"),
            "alpha": 100,
            "beta": 100,
            "eta": Fraction(1, 16000),
            "rho_1": Fraction(1, 10000),
            "rho_2": Fraction(1, 200),
        },
    },
    ("theorem-3", "constant.G.left"): {
        "world": {**TWOS, "s_f": Fraction("1e-18")},
        "run": {"K": 1, "p": 2, "T": 8, "Q": 20, "B": 2, **AT_REST},
        "steps": {"theta": Fraction(41, 84), "rho_1": Fraction("3e-6"), "rho_2": Fraction("2e-4")},
    },
    ("theorem-3", "theorem-3.term.noise_u"): {
        "world": {**TWOS, "s_f": Fraction("0.01")},
        "run": {"K": 1, "p": 10**6, "T": 10**24, "Q": 20, "B": 10**30, **AT_REST},
        "steps": {"theta": Fraction(41, 84), "rho_1": Fraction("1e-8"), "rho_2": Fraction("6e-7")},
    },
    ("constant.G", "constant.G.left"): {
        "world": {"kind": "quadratic", "A": 2, "B": 0, "P": 2, "D": 0, "E": 0, "F": 0, "s_f": 0},
        "ball": {"radius": Fraction("1e-7")},
        "sample": {"theta": Fraction("0.45"), "Q": 1},
    },
}
