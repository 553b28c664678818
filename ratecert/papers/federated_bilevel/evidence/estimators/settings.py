"""The worlds in which the estimators are compared, and with how many terms."""

from typing import Any

from ratecert.claim.claim import Budget, Json

NOISE: dict[str, Any] = {"sigma_H": 0.6, "sigma_J": 0.3}
ALL: dict[str, Any] = {**NOISE, "s_f": 0.5}
WORLDS: dict[str, dict[str, Any]] = {
    "scalar": {"world": "scalar", "a": 0.5, "b": -0.2, **ALL},
    "1 x 2": {"world": "random_quadratic", "d_x": 1, "d_y": 2, "seed": 2, **ALL},
    "3 x 3": {"world": "random_quadratic", "d_x": 3, "d_y": 3, "seed": 0, **NOISE},
}
ENUMERATED = {"scalar": 4, "1 x 2": 3, "3 x 3": 8, "scalar, g noisy": 6}  # terms; up to 65536 outcomes
DRAWN = "3 x 3"  # the world of the charts
POINT = "x = a + 1, y = b - 1/2"


def terms_of(budget: Budget) -> list[int]:
    return list(range(1, 7 if budget.quick else 21))


def in_world(name: str, world: Json, budget: Budget) -> dict[str, Json]:
    """The arguments of what is computed in a world with noise."""
    return {"name": name, "world": world, "terms": terms_of(budget), "enumerated": ENUMERATED[name]}
