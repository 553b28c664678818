"""The first paper written out once more, from the print alone: constants, conditions, bounds, rates, costs, errata.

Plain floats and nothing of theory/, so that a slip in the paper's data is seen; nothing is corrected in the first two
parts. G is what is printed as "G = ...", and the theorems square it again; L_12 is a letter of its own; "at most
{a, b}" is read as at most each of them. An order is its kind, O or O~, and its value at K, T and eps: "independent of T
and K" is O(1), "at most eps" is O(eps), and Corollary 6 gives no eta. The third part has the eight places where the
repaired statements are not the print: constants of the print (L_hat, L_tilde, G) are letters there, with the values
that are given.
"""

import math

Values = dict[str, float]
Conditions = dict[str, tuple[str, list[float]]]  # relation, right-hand sides
Order = tuple[str, float]

# Constants, conditions and bounds of the three theorems.


def constants(v: Values) -> Values:
    """L_Phi, L_hat (the root of the printed square), L_tilde, G and Delta_Q."""
    mu, L_0, L_1, L_21, L_22, L_12 = (v[name] for name in ("mu", "L_0", "L_1", "L_21", "L_22", "L_12"))
    theta, Q, sigma = v["theta"], v["Q"], v["sigma"]
    return {
        "L_Phi": L_1
        + (2 * L_1**2 + L_21 * L_0**2) / mu
        + (L_22 * L_1 * L_0 + L_1**3 + L_12 * L_0 * L_1) / mu**2
        + L_22 * L_1**2 * L_0 / mu**3,
        "L_hat": math.sqrt(
            2 * L_1**2
            + 4 * theta**2 * L_0**2 * L_21**2 * (Q + 1) ** 2
            + 8 * theta**2 * L_1**4 * (Q + 1) ** 2
            + 2 * theta**4 * L_0**2 * L_1**2 * L_22**2 * Q**2 * (Q + 1) ** 2
        ),
        "L_tilde": L_1 + L_1**2 / mu + L_0 * L_21 / mu + L_0 * L_1 * L_22 / mu**2,
        "G": 2 * L_0**2
        + 12 * theta**2 * L_0**2 * L_1**2 * (Q + 1) ** 2
        + 4 * theta**4 * L_0**2 * L_1**2 * (Q + 2) * (Q + 1) ** 2 * sigma**2,
        "Delta_Q": (1 - theta * mu) ** (Q + 1) * L_0 * L_1 / mu,
    }


def _read(v: Values, names: str) -> list[float]:
    """The named values, in this order; the constants are among them."""
    known = v | constants(v)
    return [known[name] for name in names.split()]


def conditions_1(v: Values) -> Conditions:
    mu, L_1, L_Phi, L_hat, L_tilde = _read(v, "mu L_1 L_Phi L_hat L_tilde")
    alpha, beta, rho_1, rho_2, p = _read(v, "alpha beta rho_1 rho_2 p")
    return {
        "alpha": (">", [0.0]),
        "beta": (">", [0.0]),
        "theta": ("<", [1 / L_1]),
        "rho_1": ("<=", [
            3 * rho_2 * mu**2 / (50 * L_1 * L_tilde),
            (1 / 4) / math.sqrt(4 * L_hat**2 / alpha**2 + 500 * L_1**2 * L_tilde**2 / (3 * beta**2 * mu**2)),
        ]),
        "rho_2": ("<=", [
            6 * L_tilde**2 / mu / (4 * L_hat**2 / alpha**2 + 400 * L_1**2 * L_tilde**2 / (3 * beta**2 * mu**2)),
            1 / (6 * L_1),
        ]),
        "eta": ("<", [
            1 / alpha, 1 / beta, 1 / (2 * rho_1 * L_Phi),
            1 / (3 * p * (alpha**2 + beta**2) ** (1 / 4) * (rho_1**2 + rho_2**2) ** (1 / 4) * L_hat ** (1 / 2)),
            1.0,
        ]),
    }  # fmt: skip


def terms_1(v: Values) -> list[float]:
    """Summands of the bound of Theorem 1."""
    mu, L_1, L_hat, L_tilde, G, Delta_Q = _read(v, "mu L_1 L_hat L_tilde G Delta_Q")
    sigma, eta, alpha, beta, rho_1, rho_2 = _read(v, "sigma eta alpha beta rho_1 rho_2")
    p, K, T, Phi_gap, y_gap = _read(v, "p K T Phi_gap y_gap")
    drift = 2 * L_hat**2 + 500 * L_1**2 * L_tilde**2 / (3 * mu**2)
    momentum = 4 * L_hat**2 / alpha**2 + 500 * L_1**2 * L_tilde**2 / (3 * beta**2 * mu**2)
    return [
        2 * Phi_gap / (eta * rho_1 * T),
        20 * L_tilde**2 / (eta * T * rho_2 * mu) * y_gap**2,
        4 * G**2 / (alpha * eta * T),
        500 * L_tilde**2 * sigma**2 / (3 * eta * T * beta * mu**2),
        4 * alpha * eta * sigma**2 / K,
        500 * beta * eta * sigma**2 * L_tilde**2 / (3 * K * mu**2),
        4 * Delta_Q**2,
        48 * alpha**2 * eta**4 * p**4 * (rho_1**2 + rho_2**2) * drift * G**2,
        48 * beta**2 * p**4 * eta**4 * (rho_1**2 + rho_2**2) * drift * sigma**2,
        48 * alpha**2 * p**2 * eta**2 * (rho_1**2 + rho_2**2) * momentum * G**2,
        48 * beta**2 * p**2 * eta**2 * (rho_1**2 + rho_2**2) * momentum * sigma**2,
    ]


def _bracket_2(v: Values) -> float:
    """The bracket "4 + ..." that Theorem 2 prints in both conditions on rho and in its last summand."""
    mu, L_1, L_hat, L_tilde, alpha, beta, K = _read(v, "mu L_1 L_hat L_tilde alpha beta K")
    return (
        4
        + 1000 * L_tilde**2 / (3 * mu**2)
        + 16 * L_hat**2 / (alpha * K)
        + 2000 * L_1**2 * L_tilde**2 / (3 * beta * mu**2 * K)
    )


def conditions_2(v: Values) -> Conditions:
    mu, L_1, L_hat, L_tilde, alpha, beta, rho_2, p, K = _read(v, "mu L_1 L_hat L_tilde alpha beta rho_2 p K")
    divisor = (
        16 * L_hat**2 / (alpha * K)
        + 2000 * L_1**2 * L_tilde**2 / (3 * beta * mu**2 * K)
        + (12 / 25) * _bracket_2(v)
    )
    return {
        "theta": ("<", [1 / L_1]),
        "alpha": ("<=", [L_hat**2 / K]),
        "beta": ("<=", [L_hat**2 / K]),
        "eta": ("<=", [1 / math.sqrt(alpha), 1 / math.sqrt(beta), 1 / (200 * p * L_hat)]),
        "rho_1": ("<=", [rho_2 * mu**2 / (20 * L_tilde * L_1), (1 / 2) / math.sqrt(divisor), 10.0]),
        "rho_2": ("<=", [1 / (6 * L_1), (15 * L_tilde**2 / mu) / divisor, 10.0]),
    }


def terms_2(v: Values) -> list[float]:
    """Summands of the bound of Theorem 2; its last product is one of them."""
    mu, L_tilde, G, Delta_Q, sigma = _read(v, "mu L_tilde G Delta_Q sigma")
    eta, alpha, beta, rho_1, rho_2 = _read(v, "eta alpha beta rho_1 rho_2")
    p, K, T, B, Phi_gap, y_gap = _read(v, "p K T B Phi_gap y_gap")
    return [
        2 * Phi_gap / (eta * rho_1 * T),
        10 * L_tilde**2 / (rho_2 * mu * eta * T) * y_gap**2,
        2 * G**2 / (alpha * eta**2 * T * K * B),
        250 * L_tilde**2 * sigma**2 / (3 * beta * mu**2 * eta**2 * T * K * B),
        4 * Delta_Q**2,
        8 * alpha * eta**2 * G**2 / K,
        1000 * beta * eta**2 * sigma**2 * L_tilde**2 / (3 * mu**2 * K),
        (rho_1**2 + rho_2**2)
        * _bracket_2(v)
        * (48 * beta**2 * p**2 * eta**4 * sigma**2 + 48 * alpha**2 * p**2 * eta**4 * G**2),
    ]


def conditions_3(v: Values) -> Conditions:
    """eta and w at the iteration t."""
    mu, L_1, L_Phi, L_hat, L_tilde = _read(v, "mu L_1 L_Phi L_hat L_tilde")
    rho_1, rho_2, p, K, t = _read(v, "rho_1 rho_2 p K t")
    w = [2.0, 200**3 * K**2 * p**3 - t, 8 * rho_1**3 * L_Phi**3 * K**2 / L_hat**3 - t]
    return {
        "alpha": ("=", [L_hat**2 / (3 * p * K**2) + L_hat**2 / K]),
        "beta": ("=", [L_hat**2 / (3 * p * K**2) + L_hat**2 / K]),
        "eta": ("=", [(K ** (2 / 3) / L_hat) / (max(w) + t) ** (1 / 3)]),
        "w": ("= max", w),
        "rho_1": ("<=", [rho_2 * mu**2 / (60 * L_1**2), mu / (100 * L_tilde), 10.0]),
        "rho_2": ("<=", [15 * mu / 1174, 1 / (6 * L_1), 10.0]),
        "theta": ("<", [1 / L_1]),
    }


def terms_3(v: Values) -> list[float]:
    """Summands of the bound of Theorem 3; a bracket times its factor is one of them."""
    mu, L_hat, L_tilde, G, Delta_Q, sigma = _read(v, "mu L_hat L_tilde G Delta_Q sigma")
    rho_1, rho_2, p, K, T, B, Phi_gap, y_gap = _read(v, "rho_1 rho_2 p K T B Phi_gap y_gap")
    with_L_hat = 200 * p * L_hat / T + L_hat / (K ** (2 / 3) * T ** (2 / 3))
    without = 200 * p / T + 1 / (K ** (2 / 3) * T ** (2 / 3))
    return [
        2 * Phi_gap / rho_1 * with_L_hat,
        with_L_hat * 20 * L_tilde**2 / (rho_2 * mu) * y_gap**2,
        without * 800 * p * G**2 / B,
        without * 200000 * p * sigma**2 * L_tilde**2 / (3 * mu**2 * B),
        without * 32 * sigma**2 * math.log(T + 1),
        without * 4000 * sigma**2 * L_tilde**2 / (3 * mu**2) * math.log(T + 1),
        (4 * 200**3 * K**2 * p**3 / T + 4) * Delta_Q**2 * math.log(T + 1),
        without * 3 * (rho_1**2 + rho_2**2) * L_tilde**2 * (sigma**2 + G**2) / mu**2 * math.log(T + 1),
    ]


CONDITIONS = {"theorem-1": conditions_1, "theorem-2": conditions_2, "theorem-3": conditions_3}
TERMS = {"theorem-1": terms_1, "theorem-2": terms_2, "theorem-3": terms_3}


# Scalings and rates of Corollaries 1-6, costs of Remarks 1-4 and Table 1.


def big_O(**values: float) -> dict[str, Order]:
    return {name: ("O", value) for name, value in values.items()}


def O_tilde(**values: float) -> dict[str, Order]:
    return {name: ("O~", value) for name, value in values.items()}


def orders(K: float, T: float, eps: float) -> dict[str, Order]:
    """place -> order: hyperparameters and "rate", what is counted, in the table with the row's name before it."""
    momenta = big_O(alpha=1, beta=1, rho_1=1, rho_2=1)
    per_device = momenta | big_O(alpha=1 / K, beta=1 / K)
    root, log_eps = T ** (1 / 3) / K ** (2 / 3), math.log(1 / eps)
    reduced = per_device | big_O(eta=1 / root, B=root, p=root, Q=math.log(K ** (2 / 3) * T ** (2 / 3)))
    slow, fast = 1 / (K * eps**2), 1 / (K * eps ** (3 / 2))  # iterations to eps
    stated = {
        "corollary-1": momenta
        | big_O(p=T ** (1 / 4) / K ** (3 / 4), eta=K ** (1 / 2) / T ** (1 / 2))
        | big_O(Q=math.log(K ** (1 / 2) * T ** (1 / 2)), rate=1 / math.sqrt(K * T)),
        "corollary-2": momenta | big_O(T=slow, p=1 / (K * eps ** (1 / 2)), eta=K * eps, Q=log_eps, rate=eps),
        "corollary-3": reduced | big_O(rate=1 / (K ** (2 / 3) * T ** (2 / 3))),
        "corollary-4": per_device
        | big_O(T=fast, p=1 / (K * eps ** (1 / 2)), eta=K * eps ** (1 / 2), B=1 / (K * eps ** (1 / 2)))
        | big_O(Q=log_eps, rate=eps),
        "corollary-5": reduced | big_O(rate=math.log(T + 1) / (K ** (2 / 3) * T ** (2 / 3))),
        "corollary-6": per_device
        | O_tilde(T=fast, p=1 / (K * eps ** (1 / 2)), B=1 / eps ** (1 / 2), Q=log_eps)
        | big_O(rate=eps),
        "remark-1": big_O(iterations=slow, samples=slow, rounds=1 / eps ** (3 / 2)),
        "remark-2": big_O(iterations=fast, rounds=1 / eps),
        "remark-3": big_O(factor=math.log(T + 1)),
        "remark-4": O_tilde(iterations=fast, rounds=1 / eps),
        "table-1.FEDNEST": big_O(samples=1 / eps**2, rounds=1 / eps**2),
        "table-1.FedBiOAcc": big_O(samples=1 / eps ** (3 / 2), rounds=1 / eps),
        "table-1.LocalBSGM": big_O(samples=slow, rounds=1 / eps ** (3 / 2)),
        "table-1.LocalBSGVR-constant": big_O(samples=fast, rounds=1 / eps),
        "table-1.LocalBSGVR-decaying": O_tilde(samples=fast, rounds=1 / eps),
    }
    return {f"{id}.{name}": order for id, named in stated.items() for name, order in named.items()}


# What the errata read.


def readings(v: Values) -> dict[str, list[float]]:
    """place -> the repaired formula, a number for every clause.

    L_Phi = L_tilde (1 + L_1/mu), with L_0 and L_21; G^2, with the noise of the Hessians; the noise of u is G, no sigma.
    500 for 400 in Theorem 1; in Theorems 2 and 3, where eta <= 1/L_hat stands for eta <= 1, a factor L_hat.
    """
    mu, L_0, L_1, L_21, L_22, L_hat, L_tilde, G = (
        v[name] for name in ("mu", "L_0", "L_1", "L_21", "L_22", "L_hat", "L_tilde", "G")
    )
    theta, Q, alpha, beta, eta, p, K, T = (
        v[name] for name in ("theta", "Q", "alpha", "beta", "eta", "p", "K", "T")
    )
    neumann = theta * L_0 * L_1 * (Q + 1)
    momentum_1 = 4 * L_hat**2 / alpha**2 + 500 * L_1**2 * L_tilde**2 / (3 * beta**2 * mu**2)
    momentum_2 = 16 * L_hat**2 / (alpha * K) + 2000 * L_1**2 * L_tilde**2 / (3 * beta * mu**2 * K)
    divisor_2 = momentum_2 + (12 / 25) * (4 + 1000 * L_tilde**2 / (3 * mu**2) + momentum_2)
    return {
        "constant.L_Phi.right": [
            (L_1 + L_1**2 / mu + L_0 * L_21 / mu + L_0 * L_1 * L_22 / mu**2) * (1 + L_1 / mu)
        ],
        "constant.G.left": [G * G],
        "constant.G.right": [
            2 * L_0**2 + 12 * neumann**2 + 4 * neumann**2 * theta**2 * (Q + 2) * v["sigma_H"] ** 2
        ],
        "theorem-1.condition.rho_2": [6 * L_tilde**2 / (mu * momentum_1), 1 / (6 * L_1)],
        "theorem-2.condition.rho_2": [L_hat / (6 * L_1), 15 * L_tilde**2 / (mu * divisor_2 * L_hat), 10.0],
        "theorem-3.condition.rho_2": [15 * mu / (1174 * L_hat), L_hat / (6 * L_1), 10.0],
        "theorem-1.term.noise_u": [4 * alpha * eta * G**2 / K],
        "theorem-3.term.noise_u": [(200 * p / T + 1 / (K * T) ** (2 / 3)) * 32 * G**2 * math.log(T + 1)],
    }
