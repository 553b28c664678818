"""The communication period p: averages, invariance, drift, displacement, the largest harmless p, rounds to eps.

First the laws, each with something wrong that it tells from the right. Then the claims of the page in the quick budget,
and what turns their verdicts around.
"""

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.catalogue.find import paper
from ratecert.claims import Budget, Task
from ratecert.papers.federated_bilevel.claims import communication_period as page
from ratecert.solvers import Stage
from ratecert.solvers.methods.local import LocalMethod
from ratecert.theory.orders.derivation import as_monomial
from ratecert.theory.statements import Corollary

STEPS: dict[str, Any] = {**page.STEPS, "theta": 0.4}
NOISY: dict[str, Any] = {"mu": 1.0, "L_1": 2.0, "a": 0.5, "b": -0.2, "s_f": 0.5, "s_g": 0.5}
ALGORITHMS = pytest.mark.parametrize("algorithm", [rc.methods.LocalBSGM, rc.methods.LocalBSGVRM])


@ALGORITHMS
@pytest.mark.parametrize("p", [1, 3, 7, 23, 24])
def test_an_average_after_every_p_iterations_and_no_other(algorithm: Any, p: int) -> None:
    """Devices agree right after it, and T iterations have floor(T/p) of them."""
    world, T = rc.worlds.scalar(**NOISY), 23
    run = rc.expect(world, algorithm(**STEPS, p=p), K=3, T=T, x0=[1.0], y0=[0.0], times=range(T + 1))
    agree = [t for t in range(1, T + 1) if run.curves.drift_x[t] == 0]
    assert agree == [t for t in range(1, T + 1) if t % p == 0]
    assert run.counts.rounds == len(agree) == T // p


@ALGORITHMS
def test_p_plays_no_part_with_additive_noise_and_does_with_hessian_noise(algorithm: Any) -> None:
    def change(**noise: Any) -> float:
        world = rc.worlds.scalar(**NOISY, **noise)
        runs = [page.run_near(world, algorithm(**STEPS, p=p), K=8, T=5_000, offset=1.0) for p in (1, 1024)]
        return float(abs(runs[1]["measure"] / runs[0]["measure"] - 1))

    assert change() < 1e-12
    assert change(sigma_H=0.2) > 1e-6
    assert change(sigma_J=0.2) > 1e-6


@pytest.mark.parametrize("p", [3, 1024])
def test_devices_that_are_alike_drift_as_the_cube_of_p_and_others_as_the_fourth_power(p: int) -> None:
    """A random walk of momenta, and a constant pull, both summed up once more; neither is the other."""
    eta, K, j = 1e-7, 4, np.arange(p, dtype=float)
    cube, fourth = p * (p**2 - 1) / 12, float(np.mean((j * (j + 1) / 2) ** 2))
    solver, two_kinds = rc.methods.LocalBSGM(**{**STEPS, "eta": eta}, p=p), page.two_kinds(K=2, dial=0.3)
    alike = rc.stationary(rc.worlds.scalar(**NOISY), solver, K=K).drift_y
    alike /= (1 - 1 / K) * (STEPS["rho_2"] * STEPS["beta"] * eta**2 * NOISY["s_g"]) ** 2
    different = rc.stationary(two_kinds, solver, K=2).drift_x
    different /= (STEPS["rho_1"] * STEPS["alpha"] * eta**2 * page.own_field(two_kinds, solver)[0]) ** 2
    for measured, right, wrong in ((alike, cube, fourth), (different, fourth, cube)):
        assert measured == pytest.approx(right, rel=1e-3)
        assert measured != pytest.approx(wrong, rel=0.1)


@pytest.mark.parametrize(("method", "power"), [*zip(page.METHODS, (2, 2, 1, 1), strict=True)])
def test_the_displacement_where_devices_differ(method: str, power: int) -> None:
    """Its exponent in p and its law, which is not that of other steps, and is over at p eta = 100."""
    world = page.two_kinds(K=4, dial=0.3)

    def d(p: int, eta: float = 1e-8) -> Any:
        rest = rc.fixed_point(world, page.METHODS[method](**{**STEPS, "eta": eta}, p=p))
        return np.concatenate([rest.excess_x, rest.excess_y])

    def in_p(*sizes: Any) -> float:
        return math.log(np.linalg.norm(sizes[1]) / np.linalg.norm(sizes[0]), 4)

    assert in_p(d(2048), d(8192)) == pytest.approx(power, abs=1e-3)
    solver = page.METHODS[method](**{**STEPS, "eta": 1e-8}, p=5)
    np.testing.assert_allclose(page.displacement(world, solver, 5), d(5), rtol=1e-5)
    for wrong in (replace(solver, rho_1=0.2), replace(solver, eta=2e-8)):
        assert not np.allclose(page.displacement(world, wrong, 5), d(5), rtol=0.1, atol=0.0)
    if method == "LocalBSGM":
        assert in_p(d(2048, 0.05), d(8192, 0.05)) == pytest.approx(0, abs=1e-3)


def test_the_largest_harmless_p_is_not_the_printed_one_of_corollary_1() -> None:
    """It is 3/8 and 1/3 in T, where 1/4 and 1/3 are printed; with fresh momenta T plays no part."""
    derived = [tuple(page.harmless(case, letter) for letter in "TK") for case in page.CASES]
    third = Fraction(1, 3)
    assert derived == [(Fraction(3, 8), Fraction(-5, 8)), (third, -2 * third), (0, -1)]
    printed = (as_monomial(paper().the(Corollary, f"corollary-{n}").scalings["p"].order) for n in (1, 3))
    assert [order.exponent("T") for order in printed] == [Fraction(1, 4), third]


@pytest.mark.nightly
def test_samples_against_rounds_to_eps_bend_where_devices_differ() -> None:
    """With the best step for each p: at first a longer period costs no samples, then it saves no more rounds."""
    world, eps = page.two_kinds(K=2, dial=0.3, s_f=0.05, s_g=0.05), 1e-3

    def iterations(p: int, eta: float) -> float:
        steps = {**STEPS, "eta": eta, "rho_1": 0.03, "Q": 60, "rho_2": 0.1}
        run = partial(page.run_near, world, rc.methods.LocalBSGM(**steps, p=p), K=2, offset=1.0)
        found = page.reach(eps, lambda T, **how: run(T=round(T), **how), first=50 / (eps * eta), slope=-0.8)
        return found[1]

    free, last, later = iterations(16, 0.065), iterations(1024, 4.05e-3), iterations(4096, 1.03e-3)
    assert free == pytest.approx(iterations(1, 0.066), rel=1e-2)
    assert last > 2 * free
    assert later / last == pytest.approx(4, rel=5e-2)


CLAIMS = {claim.id.removeprefix("communication-period."): claim for claim in page.CLAIMS}


@cache
def quick(name: str) -> tuple[list[Task], list[Any]]:
    """Tasks and values of the quick budget; of invariance those of one algorithm."""
    tasks = CLAIMS[name].tasks(Budget(quick=True))
    if name == "invariance":
        tasks = [task for task in tasks if task.arguments["method"] == "LocalBSGM"]
    return tasks, [task.function(**task.arguments) for task in tasks]


def verdict(name: str, right: dict[str, Any] | None = None, **wrong: Any) -> str:
    """Of the claim; the first task with these arguments may be computed anew, with others in their place."""
    tasks, values = quick(name)
    if right is not None:
        i = next(i for i, task in enumerate(tasks) if right.items() <= task.arguments.items())
        other = tasks[i].function(**{**tasks[i].arguments, **wrong})
        values = [*values[:i], other, *values[i + 1 :]]
    return CLAIMS[name].judged(tasks, values).verdict


@pytest.mark.parametrize("name", CLAIMS)
def test_the_claim_is_not_refuted(name: str) -> None:
    assert verdict(name) == CLAIMS[name].expected == "not refuted"


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("invariance", {"world": "scalar"}, {"world": "Hessian noise"}),
        ("invariance", {"world": "Hessian noise"}, {"world": "scalar"}),
        ("drift", {"devices": "alike"}, {"devices": "different"}),
        ("excess", {"method": "LocalBSGVRM"}, {"method": "LocalBSGVRM, fresh"}),
        ("largest-p", {"K": 2}, {"p": 700}),
    ],
)
def test_one_setting_taken_for_another_is_seen(name: str, right: Any, wrong: Any) -> None:
    assert verdict(name, right, **wrong) == "refuted"


@pytest.mark.parametrize("p", ["never", "p + 1"])
def test_another_round_is_seen(p: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert verdict("drift") == verdict("rounds-to-eps") == "not refuted"
    if p == "never":
        monkeypatch.setattr(LocalMethod, "averaged", ())
        assert verdict("drift", {}) == "refuted"
    else:
        longer = property(lambda self: (Stage(self.carry, repeats=self.p + 1, averaged=self.averaged),))
        monkeypatch.setattr(LocalMethod, "stages", longer)
        assert verdict("rounds-to-eps", {}) == "refuted"
