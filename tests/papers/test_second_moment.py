"""The claim that G as printed bounds the second moment: refuted where f is small, and not with the repaired G."""

import math
from typing import Any

import pytest

from ratecert.claims import Budget
from ratecert.claims.claim import build, rows_of
from ratecert.papers.federated_bilevel.claims import second_moment

(CLAIM,) = second_moment.CLAIMS
PIECES = CLAIM.tasks(Budget(quick=True))


def values() -> list[list[dict[str, Any]]]:
    return [task.function(**task.arguments) for task in PIECES]


def test_the_print_is_exceeded_where_f_is_small_and_the_repaired_constant_is_not() -> None:
    found, rows = CLAIM.judged(PIECES, values()), rows_of(PIECES, values())
    assert found.verdict == "refuted"
    failed = [check.name for check in found.checks if check.verdict == "fails"]
    assert failed == [
        f"measured/G, f of size {size:g}, {what}"
        for what in second_moment.QUANTITIES
        for size in (1e-4, 1e-6, 1e-8)
    ]
    assert all(row["measured"] < row["repaired"] for row in rows)
    repaired = [[{**row, "printed": row["repaired"]} for row in some] for some in values()]
    assert CLAIM.judged(PIECES, repaired).verdict == "not refuted"


@pytest.mark.parametrize("size", [1.0, 1e-6])
def test_the_moments_are_their_closed_form(size: float) -> None:
    """h = s (x + s_1) + B Hhat s (y + s_2), Hhat the sum, over the unit ball: B = A Hhat would do as well."""
    world = build(second_moment.world_of(size))
    A, B = (float(matrix.item()) for matrix in (world.A, world.B))
    moment, variance = second_moment.largest_moments(size)
    theta = second_moment.SHARE / max(
        world.constants(radius=1.0, reading=r)["L_1"] for r in ("joint", "block")
    )
    slope = B / A * (1 - (1 - theta * A) ** (second_moment.Q + 1))
    assert variance["measured"] == pytest.approx(size * math.hypot(1, slope), rel=1e-12)
    assert moment["measured"] == pytest.approx(size * math.sqrt(2) * math.hypot(1, slope), rel=1e-12)
