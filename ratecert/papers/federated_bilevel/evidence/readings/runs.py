"""Runs of every reading along Corollaries 1 and 3, by exact moments.

Steps are the corollaries' orders times UNITS. Hessian and Jacobian are noisy, for without that the readings have the
same mean iterate. T is a power of 8 where exponents in T are taken: T^{1/3}, and with it p and B, is then whole.
"""

from collections.abc import Sequence
from typing import Any

from ratecert.claim.claim import Budget, Json, Piece
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.scalings import along
from ratecert.solvers import expect

NOISE = {"sigma_H": 0.1, "sigma_J": 0.1, "s_f": 0.5, "s_g": 0.5}
SMALL = {"mu": 1.0, "L_1": 2.0, **NOISE}
SCALAR: dict[str, Any] = {"world": "scalar", "a": 0.5, "b": -0.2, "c": 0.3, **SMALL}
LARGER: dict[str, Any] = {"world": "random_quadratic", "d_x": 1, "d_y": 2, "seed": 4, **SMALL}
THETA = 0.45
UNITS = {"eta": 0.5, "rho_1": 0.1, "rho_2": 0.3, "Q": 2.0}

CARRY, FRESH = {"momenta": "carry"}, {"momenta": "fresh"}
LOCAL, AVERAGED = {"momenta": "carry", "previous": "local"}, {"momenta": "carry", "previous": "averaged"}
READINGS = {"corollary-1": (CARRY, FRESH), "corollary-3": (LOCAL, AVERAGED, FRESH)}

CURVE = tuple(2**i for i in range(9, 43, 3))
T_LOW, T_HIGH, K_CURVE = 2**36, 2**42, 8  # exponents in T are those over [T_LOW, T_HIGH]
K_LOW, K_HIGH, T_MIDDLE = 256, 1024, 2**40  # exponents in K are those over [K_LOW, K_HIGH], at T_MIDDLE
T_VISIBLE = (2**24, 2**30)  # where fresh and averaged differ by far more than rounding
T_SHORT, UNITS_SHORT = 2**63, (1 / 256, 1 / 128)  # rounds with p alpha eta <= 1e-3 and still p >= 1000


def measured(corollary: str, reading: Json, world: Json, K: int, T: int, unit_of_p: float) -> Json:
    """The theorems' measure at K and T along the corollary, with what it was computed from."""
    problem = build(world)
    run = along(corollary, K=K, T=T, theta=THETA, units={**UNITS, "p": unit_of_p}, **reading)
    constants = problem.constants(radius=1.0)
    L_tilde = constants["L_1"] + constants["L_1"] ** 2 / constants["mu"]  # where L_21 = L_22 = 0
    x0, y0 = [1.0] * problem.d_x, [0.0] * problem.d_y
    result = expect(problem, run.solver, K=K, T=T, x0=x0, y0=y0, times=[])
    return {
        "corollary": corollary,
        "reading": " ".join(reading.values()),
        "world": world["world"],
        "K": K,
        "T": T,
        "unit_of_p": unit_of_p,
        "p": run.solver.p,
        "measure": result.measure(L_tilde)[0],
        "precision": result.precision,
    }


def pieces(budget: Budget) -> list[Piece]:
    curve = (*T_VISIBLE, T_LOW, T_HIGH) if budget.quick else CURVE
    points = [(SCALAR, K_CURVE, T) for T in curve] + [(SCALAR, K, T_MIDDLE) for K in (K_LOW, K_HIGH)]
    if not budget.quick:
        points += [(world, K, T) for world, K in ((SCALAR, 512), (LARGER, 8)) for T in (T_LOW, T_HIGH)]
        points += [(LARGER, K, T_MIDDLE) for K in (K_LOW, K_HIGH)]
    long = [_piece(c, r, *point) for point in points for c, readings in READINGS.items() for r in readings]
    short = [
        _piece("corollary-3", reading, SCALAR, K_CURVE, T_SHORT, unit)
        for unit in UNITS_SHORT
        for reading in (LOCAL, AVERAGED)
    ]
    return long + short


def _piece(corollary: str, reading: Json, world: Json, K: int, T: int, unit_of_p: float = 1.0) -> Piece:
    arguments = {
        "corollary": corollary,
        "reading": reading,
        "world": world,
        "K": K,
        "T": T,
        "unit_of_p": unit_of_p,
    }
    return Piece(measured, arguments, 0.1)


def chosen(values: Sequence[Json], **entries: Json) -> list[Json]:
    """The values with these entries, in their order."""
    return [v for v in values if all(v[name] == entry for name, entry in entries.items())]


def curve(values: Sequence[Json], corollary: str, reading: str) -> list[Json]:
    """The values over T on the scalar world."""
    on = {"world": "scalar", "K": K_CURVE, "unit_of_p": 1.0}
    return chosen(values, corollary=corollary, reading=reading, **on)
