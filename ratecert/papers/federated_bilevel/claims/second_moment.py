"""G: the second moment of the stochastic hypergradient h(z; s) is at most G^2, and G is printed as G^2 should be.

    printed    G   = 2 L_0^2 + 12 theta^2 L_0^2 L_1^2 (Q+1)^2 + 4 theta^4 L_0^2 L_1^2 (Q+2) (Q+1)^2 sigma^2
    repaired   G^2 = the same with sigma_H for sigma

The theorems use G^2 where a bound on E||h||^2, or at least on the noise E||h - E h||^2, is needed. The printed right
side is of the order L_0^2 already, so its square is of the order L_0^4: in units in which f is s times as large, h is
s times as large, the repaired G too, and the printed G is s^2 times as large. For small s even the noise exceeds it.

Where g has no noise, the mean of h is linear in z, as a = b = 0, and its noise is the same everywhere: E||h||^2 is
largest on the ball's sphere, in the direction in which the mean rises.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import ratecert as rc
from ratecert.claims import Check, Claim, Json, Rows, Task, above, build
from ratecert.proofs.prove import note
from ratecert.solvers.engines.sampling.enumeration import Outcomes

SIZES = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8)  # of f
SHARE, Q, RADIUS = 0.95, 12, 1.0  # theta times the larger L_1; of the ball around (a, b)
ROUNDING = 1e-9  # relative
QUANTITIES = ("second moment", "variance")


def world_of(size: float) -> dict[str, Any]:
    return {"world": "scalar", "mu": 1.0, "L_1": 1.25, "P": size, "D": size, "s_f": size}


def largest_moments(size: float) -> list[Json]:
    """The roots of the largest E||h||^2 and E||h - E h||^2 over all outcomes, and G as printed and as repaired."""
    world, numbers = build(world_of(size)), dict[Any, int]()
    theta = SHARE / max(world.constants(radius=RADIUS, reading=each)["L_1"] for each in ("joint", "block"))
    neumann = rc.contract.StochasticNeumann(theta=theta, Q=Q)

    def outcomes(n: int) -> Any:
        return neumann.sample(world, Outcomes(0, n, 1, numbers).reader(0, neumann.label, 0, 0))

    mean = neumann.sample(world, rc.contract.Silent())
    rise = neumann.evaluate(world, mean, np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]))[0]
    outcomes(1)  # gives every sign its number
    n = 2 ** len(numbers)
    x, y = (np.full((1, n), value) for value in RADIUS * rise / np.linalg.norm(rise))
    h = neumann.evaluate(world, outcomes(n), x, y)
    bounds = {
        variant: rc.constants(world, radius=RADIUS, paper=variant, theta=theta, Q=Q)["G"]
        for variant in ("printed", "repaired")
    }
    found = zip(QUANTITIES, (h, h - neumann.evaluate(world, mean, x, y)), strict=True)
    return [{"quantity": what, "measured": math.sqrt((v**2).mean()), **bounds} for what, v in found]


def checks(rows: Rows) -> Iterator[Check]:
    for what in QUANTITIES:
        for size, here in rows.where(quantity=what).by("size"):
            name = f"measured/G, f of size {size:g}, {what}"
            yield above(name, here, "measured", "printed", error=ROUNDING)


CLAIMS = (
    Claim(
        id="G.printed",
        of=("constant.G",),
        sentence="The second moment of the stochastic hypergradient is at most G^2 with G as it is printed.",
        tasks=lambda _: [Task(largest_moments, {"size": size}, 0.1) for size in SIZES],
        checks=checks,
        regime="a scalar world without noise in g, inside all assumptions on a ball of radius 1, L_1 read to the "
        "letter (joint), in smaller and smaller units of f",
        method="enumeration of all outcomes at the point of the ball where the moment is largest",
        evidence=("exact moments", "enumeration", "proof in fractions"),
        settings={"world": world_of(1.0), "sizes of f": SIZES, "theta L_1": SHARE, "Q": Q, "radius": RADIUS},
        notes=[note(rc.paper().key, "constant.G", "G")],
        table=("size", "quantity", "measured", "printed", "repaired"),
        because="G is defined by what is a second moment already, and squared again in the bounds: where f is small, "
        "G^2 is of the order of f^4 and too small.",
    ),
)
