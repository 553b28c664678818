"""The scalings and rates of Corollaries 1-6 and the costs of Remarks 1-4 and Table 1, copied to the letter.

An order is its kind, O or O~, and its value at K, T and eps. "Independent of T and K" is O(1), and "at most eps" is
O(eps). Corollary 6 gives no eta. Plain floats; nothing of theory/ is used.
"""

import math

Order = tuple[str, float]


def big_O(value: float) -> Order:
    return "O", value


def O_tilde(value: float) -> Order:
    return "O~", value


def corollaries(K: float, T: float, eps: float) -> dict[str, dict[str, Order]]:
    """corollary -> hyperparameter, or "rate" -> order."""
    free = {"rho_1": big_O(1), "rho_2": big_O(1)}
    return {
        "corollary-1": {
            "p": big_O(T ** (1 / 4) / K ** (3 / 4)),
            "eta": big_O(K ** (1 / 2) / T ** (1 / 2)),
            "Q": big_O(math.log(K ** (1 / 2) * T ** (1 / 2))),
            "alpha": big_O(1),
            "beta": big_O(1),
            **free,
            "rate": big_O(1 / math.sqrt(K * T)),
        },
        "corollary-2": {
            "T": big_O(1 / (K * eps**2)),
            "p": big_O(1 / (K * eps ** (1 / 2))),
            "eta": big_O(K * eps),
            "Q": big_O(math.log(1 / eps)),
            "alpha": big_O(1),
            "beta": big_O(1),
            **free,
            "rate": big_O(eps),
        },
        "corollary-3": {
            "alpha": big_O(1 / K),
            "beta": big_O(1 / K),
            "eta": big_O(K ** (2 / 3) / T ** (1 / 3)),
            "B": big_O(T ** (1 / 3) / K ** (2 / 3)),
            "p": big_O(T ** (1 / 3) / K ** (2 / 3)),
            "Q": big_O(math.log(K ** (2 / 3) * T ** (2 / 3))),
            **free,
            "rate": big_O(1 / (K ** (2 / 3) * T ** (2 / 3))),
        },
        "corollary-4": {
            "alpha": big_O(1 / K),
            "beta": big_O(1 / K),
            "T": big_O(1 / (K * eps ** (3 / 2))),
            "p": big_O(1 / (K * eps ** (1 / 2))),
            "eta": big_O(K * eps ** (1 / 2)),
            "B": big_O(1 / (K * eps ** (1 / 2))),
            "Q": big_O(math.log(1 / eps)),
            **free,
            "rate": big_O(eps),
        },
        "corollary-5": {
            "alpha": big_O(1 / K),
            "beta": big_O(1 / K),
            "eta": big_O(K ** (2 / 3) / T ** (1 / 3)),
            "B": big_O(T ** (1 / 3) / K ** (2 / 3)),
            "p": big_O(T ** (1 / 3) / K ** (2 / 3)),
            "Q": big_O(math.log(K ** (2 / 3) * T ** (2 / 3))),
            **free,
            "rate": big_O(math.log(T + 1) / (K ** (2 / 3) * T ** (2 / 3))),
        },
        "corollary-6": {
            "alpha": big_O(1 / K),
            "beta": big_O(1 / K),
            "T": O_tilde(1 / (K * eps ** (3 / 2))),
            "p": O_tilde(1 / (K * eps ** (1 / 2))),
            "B": O_tilde(1 / eps ** (1 / 2)),
            "Q": O_tilde(math.log(1 / eps)),
            **free,
            "rate": big_O(eps),
        },
    }


def costs(K: float, T: float, eps: float) -> dict[str, dict[str, Order]]:
    """remark or table -> what is counted, in the table with the row's name before it -> order."""
    return {
        "remark-1": {
            "iterations": big_O(1 / (K * eps**2)),
            "samples": big_O(1 / (K * eps**2)),
            "rounds": big_O(1 / eps ** (3 / 2)),
        },
        "remark-2": {"iterations": big_O(1 / (K * eps ** (3 / 2))), "rounds": big_O(1 / eps)},
        "remark-3": {"factor": big_O(math.log(T + 1))},
        "remark-4": {"iterations": O_tilde(1 / (K * eps ** (3 / 2))), "rounds": O_tilde(1 / eps)},
        "table-1": {
            "FEDNEST.samples": big_O(1 / eps**2),
            "FEDNEST.rounds": big_O(1 / eps**2),
            "FedBiOAcc.samples": big_O(1 / eps ** (3 / 2)),
            "FedBiOAcc.rounds": big_O(1 / eps),
            "LocalBSGM.samples": big_O(1 / (K * eps**2)),
            "LocalBSGM.rounds": big_O(1 / eps ** (3 / 2)),
            "LocalBSGVR-constant.samples": big_O(1 / (K * eps ** (3 / 2))),
            "LocalBSGVR-constant.rounds": big_O(1 / eps),
            "LocalBSGVR-decaying.samples": O_tilde(1 / (K * eps ** (3 / 2))),
            "LocalBSGVR-decaying.rounds": O_tilde(1 / eps),
        },
    }


def orders(K: float, T: float, eps: float) -> dict[str, Order]:
    """place -> order."""
    stated = corollaries(K, T, eps) | costs(K, T, eps)
    return {f"{id}.{name}": order for id, named in stated.items() for name, order in named.items()}


STATEMENTS = (*(f"corollary-{i}" for i in range(1, 7)), *(f"remark-{i}" for i in range(1, 5)), "table-1")
