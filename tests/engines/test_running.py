"""`result.running`: the averages of all shorter runs, from one run."""

from typing import Any

import numpy as np
import pytest

import ratecert as rc

LOCAL = rc.methods.LocalBSGM(eta=0.02, alpha=10.0, beta=10.0, rho_1=0.5, rho_2=2.0, p=4, theta=0.2, Q=5)
DECAYING = rc.methods.SGD(alpha=rc.contract.Power(scale=0.1, exponent=0.5), p=2)
TIMES = [0, 1, 2, 63, 600]


def plane() -> Any:
    return rc.worlds.random_quadratic(d_x=2, d_y=2, mu=1.0, L_1=4.0, s_f=0.5, s_g=0.5, seed=1)


def line() -> Any:
    return rc.worlds.single_level([1.0, 4.0], s=0.5, seed=1)


@pytest.mark.by_night("line-solver1", "plane-solver0-True")
@pytest.mark.parametrize("certified", [False, True])
@pytest.mark.parametrize(("world", "solver"), [(plane, LOCAL), (line, DECAYING)])
def test_running_averages_are_those_of_shorter_runs(world: Any, solver: Any, certified: bool) -> None:
    setting: dict[str, Any] = {"K": 3, "start": {"x": np.ones(2)}, "certified": certified}
    if world is plane:
        setting["start"]["y"] = np.zeros(2)
    whole = rc.expect(world(), solver, T=600, times=TIMES, **setting)
    for name, found in whole.running.values.items():
        for t, value in zip(TIMES, found, strict=True):
            alone = rc.expect(world(), solver, T=max(t, 1), times=[], **setting)
            assert value == pytest.approx(alone.values[name], rel=1e-9, abs=1e-15)
    first = next(iter(whole.running.values))
    assert whole.running.values[first][-1] != pytest.approx(
        whole.curves.values[first][-1], rel=1e-3
    )  # an average, not the curve


def test_a_measure_of_the_last_iterate_runs_along_its_curve_and_extremes_are_monotone() -> None:
    gap = rc.measures.gap()
    found = rc.expect(
        line(),
        rc.methods.SGD(alpha=0.1, p=2),
        K=2,
        T=64,
        x0=np.ones(2),
        measures={"last": gap.last(), "least": gap.smallest(), "average": gap},
    )
    assert found.running.last.tolist() == found.curves.last.tolist()
    assert (np.diff(found.running.least) <= 0).all()
    assert found.running.average[-1] == pytest.approx(found.average)
    assert found.running.average[-1] > 2 * found.curves.average[-1]
