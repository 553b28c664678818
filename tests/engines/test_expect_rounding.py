"""How many digits variance reduction keeps on devices that differ, where it rests very near the solution.

The second way is tests/oracles/joint_digits.py: 80 digits, its own algebra, plain coordinates. It is itself compared
with all outcomes of the noise first.
"""

from typing import Any

import pytest

from oracles.joint_digits import moments_of_devices
from oracles.many_digits import method, number
from ratecert.papers.federated_bilevel.claims.communication_period import two_kinds
from ratecert.solvers import LocalBSGM, LocalBSGVRM, enumerate_outcomes, expect

STEPS: dict[str, Any] = {"alpha": 0.5, "beta": 0.4, "rho_1": 0.1, "rho_2": 0.3, "theta": 0.2}


@pytest.mark.parametrize("algorithm", [LocalBSGM, LocalBSGVRM])
def test_the_second_way_is_a_mean_over_all_outcomes(algorithm: Any) -> None:
    """Of T = 3 iterations on two devices; with another period it is another."""
    world, numbers = two_kinds(K=2, dial=0.3, s_g=0.4), {"eta": 0.3, "Q": 2, **STEPS}
    outcomes = enumerate_outcomes(world, algorithm(p=2, **numbers), K=2, T=3, x0=[1.0], y0=[0.5])
    truth, other = (
        moments_of_devices(world, method(algorithm.__name__, p=p, **numbers), T=3, x0=1.0, y0=0.5)
        for p in (2, 1)
    )
    assert [outcomes.gradient, outcomes.tracking] == pytest.approx([float(each) for each in truth], rel=1e-13)
    assert outcomes.gradient != pytest.approx(float(other[0]), rel=1e-6)


@pytest.mark.nightly
def test_ten_digits_of_variance_reduction_on_devices_that_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    """eta^2 is 2e-7, and takes seven digits beside 1, unless the last move is a coordinate, not the previous point."""
    world, T = two_kinds(K=2, dial=0.3, s_f=1e-2, s_g=1e-2), 2**33
    x0, y0 = world.x_star, world.y_star(world.x_star)
    numbers = {"eta": 4e-4, "p": 1900, "Q": 120, "B": 600, **STEPS}
    solver, own = LocalBSGVRM(**numbers), method("LocalBSGVRM", **numbers)
    truth = moments_of_devices(world, own, T=T, x0=float(x0[0]), y0=float(y0[0]))

    def error() -> float:
        found = expect(world, solver, K=2, T=T, x0=x0, y0=y0, times=[])
        pairs = zip((found.gradient, found.tracking), truth, strict=True)
        return max(abs(float(number(a) / b - 1)) for a, b in pairs)

    assert error() <= 1e-10
    for name in ("to_coordinates", "from_coordinates"):
        monkeypatch.delattr(LocalBSGVRM, name)
    assert error() > 1e-10
