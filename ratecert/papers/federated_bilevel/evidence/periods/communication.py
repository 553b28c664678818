"""What the claims about the communication period share: worlds and methods by name, a run that starts near x_star."""

from collections.abc import Iterable, Mapping
from typing import Any

from ratecert.claims.claim import build
from ratecert.claims.rows import Rows
from ratecert.papers.federated_bilevel.evidence.periods.two_group_world import two_group_world
from ratecert.papers.federated_bilevel.evidence.runs import run_row
from ratecert.solvers import ALGORITHMS
from ratecert.solvers.methods.local_method import LocalMethod

METHODS: dict[str, dict[str, str]] = {
    "LocalBSGM": {"method": "LocalBSGM"},
    "LocalBSGVRM": {"method": "LocalBSGVRM"},
    "LocalBSGVRM, averaged": {"method": "LocalBSGVRM", "previous": "averaged"},
    "LocalBSGVRM, fresh": {"method": "LocalBSGVRM", "momenta": "fresh"},
}
"""Algorithm 2 as printed keeps every device's own previous point through an average; two variants of it do not."""

ADDITIVE: dict[str, Any] = {
    "world": "scalar", "mu": 1.0, "L_1": 2.0, "a": 0.5, "b": -0.2, "c": 0.3, "s_f": 0.5, "s_g": 0.5
}  # fmt: skip
HESSIAN_NOISE = {**ADDITIVE, "sigma_H": 0.2}
"""Two worlds of devices that are alike: p plays no part on the first, and does on the second."""


def world_of(spec: Mapping[str, Any]) -> Any:
    """Build {"two_kinds": {"K": 2, ...}}, a two-group world, or a world that ratecert.claims.claim.build knows."""
    return two_group_world(**spec["two_kinds"]) if "two_kinds" in spec else build(spec)


def method_of(name: str, steps: Mapping[str, Any], **more: Any) -> LocalMethod:
    """Build one of METHODS with these steps."""
    variant = dict(METHODS[name])
    solver: LocalMethod = ALGORITHMS[variant.pop("method")](**{**variant, **steps, **more})
    return solver


def run_near(
    world: Any, solver: LocalMethod, *, K: int, T: int, start_offset: float = 0.0, **options: Any
) -> dict[str, Any]:
    """Run from x0 = x_star + start_offset and y0 = y*(x0), by exact moments; `options` are those of `expect`."""
    x0 = world.x_star + start_offset
    return run_row(world, solver, K=K, T=T, x0=x0, y0=world.y_star(x0), **options)


def miscounted(rows: Rows) -> float:
    """Add up how far the counted rounds are from floor(T/p)."""
    return float(sum(abs(row["rounds"] - row["T"] // row["p"]) for row in rows))


def spread(numbers: Iterable[float]) -> float:
    """Compare the largest number with the smallest: their ratio minus 1."""
    numbers = list(numbers)
    return max(numbers) / min(numbers) - 1


def relative(error: float, value: float) -> float:
    """Divide the error of a small difference by its value; 1 where the difference is lost in the error."""
    return error / max(abs(value), error)
