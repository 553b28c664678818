"""Federated and local methods of the library, and SOBA: how near worlds come to each bound, what a mistake shows."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.binding.along_runs import largest_gradient
from ratecert.binding.outcomes import FAMILIES
from ratecert.catalogue.cases import bound_case
from ratecert.catalogue.find import paper
from ratecert.claims import Rows
from ratecert.papers.library import fedavg, local_gd, proxskip, soba
from ratecert.theory.numbers.evaluation import number

line = rc.worlds.SingleLevel

# Where each bound is nearest to what is measured: a world, a run, letters, and the ratio there.

ALONE = {"L": 1.0, "spread": 1.0}
FAR, NOISY = {**ALONE, "x_off": 1.0, "s": 0.0}, {**ALONE, "x_off": 0.0, "s": 1.0}
APART = {"L": 1.0, "spread": 2.0, "uneven": 1.0, "apart": 1.0, "x_off": 0.0, "h_off": 0.0}
# family, its numbers, K, T, letters, the ratio there, and a mistake: what a term is times, that has to be 1
NEAREST: dict[str, tuple[str, dict[str, float], int, int, dict[str, float], float, dict[str, float]]] = {
    "pasgd:theorem-1":
        ("single_level", NOISY, 4, 2**20, {"tau": 1.0, "b": 2.0, "eta": 1.0}, 1.0, {"noise": 0.5}),
    "restarted-sgd:theorem-1": ("single_level", NOISY, 1, 2**40, {"I": 1.0, "gamma": 1e-6}, 0.5, {"noise": 0.25}),
    "proxskip:theorem-6": ("two_devices", APART, 2, 1, {"gamma": 1.0, "p": 0.5}, 1.0, {}),
    "proxskip:theorem-8":
        ("noisy_hessians", {**NOISY, "noise_H": 0.0}, 8, 64, {"gamma": 1.0, "p": 1.0}, 1.0, {"floor": 0.5}),
    "fedavg:theorem-1": ("single_level", FAR, 3, 1, {"E": 1.0}, 49 / 72, {"start": 0.5}),
    "fedavg:theorem-3": ("alike", {**FAR, "N": 3.0}, 3, 1, {"K": 3.0, "E": 1.0}, 49 / 72, {}),
}  # fmt: skip


def nearest(id: str) -> Any:
    """What is tried there."""
    family, numbers, K, T, letters, *_ = NEAREST[id]
    instance = {family: numbers, "run": {"K": K, "T": T}, "letters": letters}
    return bound_case(*id.split(":"), "printed").attempt(instance, paper(key=id.split(":")[0]))


@pytest.mark.parametrize("id", NEAREST)
def test_how_near_a_bound_comes_and_that_a_mistake_is_refuted_there(id: str) -> None:
    found, (*_, ratio, mistake) = nearest(id), NEAREST[id]
    assert found.ratio == pytest.approx(ratio, rel=1e-5)
    assert found.ratio <= 1
    wrong = sum(mistake.get(name, 1.0) * term for name, term in found.terms.items())
    assert (found.measured > wrong) is bool(mistake)


def test_a_rate_of_one_minus_p_would_be_refuted() -> None:
    found, p = nearest("proxskip:theorem-6"), 0.5
    assert found.measured > (1 - p) / (1 - p**2) * found.bound


# The linter.

FINDINGS = {"soba": {"beta", "lemma-3-8-v.term.lower"}}


@pytest.mark.parametrize(
    "key", ["pasgd", "restarted-sgd", "proxskip", "fedavg", "local-gd", "soba", "stich-local-sgd", "fedprox"]
)
def test_what_the_linter_finds(key: str) -> None:
    assert {found.place for found in rc.lint(key) if found.severity != "note"} == FINDINGS.get(key, set())
    assert [found for found in rc.lint(key, variant="repaired") if found.severity != "note"] == []


@pytest.mark.parametrize(("eps", "found"), [(12.0, 1.0), (0.03, 0.1)])
def test_the_smallest_h_as_printed_is_no_count(eps: float, found: float) -> None:
    """sqrt(eps/3) is 2 and 0.1 here; the print takes the smaller of it and 1."""
    values = {"eps": eps, "L": 1.0, "sigma": 1.0}
    assert number(paper(key="local-gd").constants["H_min"], values) == pytest.approx(found)


@pytest.mark.parametrize("square", ["1/9", "4", "100"])
def test_rounds_become_fewest_at_the_larger_of_the_two_numbers(square: str) -> None:
    """R = L = eps = 1: T = 4/gamma iterations; 24 gamma^2 sigma^2 H^2 = 1/2 and gamma = 1/4 at H = sqrt(square)."""
    (printed,), (repaired,) = (
        local_gd.smallest_steps(variant, (square,)) for variant in ("printed", "repaired")
    )
    root = math.sqrt(Fraction(square))
    assert repaired["H"] == max(1.0, root)
    assert repaired["too many"] == 0
    assert printed["too many"] == pytest.approx(max(1.0, root) - 1)


def test_rounds_of_proxskip_grow_as_the_root() -> None:
    """4 times as many for 16 times L/mu; negative: 16 times, as with p = 1, where every iteration is a round."""
    few, many = (proxskip.fall(2**n, (2, 4))[0]["rounds"] for n in (20, 24))
    assert many / few == pytest.approx(4, rel=2e-3)
    rows = Rows(
        {"condition": 2**n, "from": 4 * 2**n, "L/mu": 2.0 ** (n + 1), "rounds": 2.0**n}
        for n in (16, 20, 24, 28)
    )
    verdicts = [check.verdict for check in proxskip.checks(Rows([*rows, *rows]))]
    assert verdicts[0] == "fails"


# Constants.


@pytest.mark.parametrize("seed", range(4))
def test_gradients_stay_below_their_bound(seed: int) -> None:
    rng = np.random.default_rng(seed)
    devices = [
        line(H=np.diag(rng.uniform(0.2, 2, 2)), a=rng.normal(size=2), s=rng.uniform()) for _ in range(3)
    ]
    world, x0 = rc.worlds.Federated(devices=devices), 2 * rng.normal(size=2)
    solver = rc.methods.SGD(alpha=rng.uniform(0.05, 1) / world.constants()["L"], p=int(rng.integers(1, 9)))
    measures = {f"G_{k}": rc.measures.sampled_gradient(device=k).largest() for k in range(3)}
    found = rc.expect(world, solver, K=3, T=40, x0=x0, measures=measures, times=[])
    G = largest_gradient(world, x0)
    assert G is not None
    assert max(found.G_0, found.G_1, found.G_2) <= G**2 <= 20 * max(found.G_0, found.G_1, found.G_2)


def test_gradients_that_are_not_bounded_are_not_known() -> None:
    assert largest_gradient(line(H=1.0, E=[0.5]), np.ones(1)) is None
    assert largest_gradient(line(H=[[2.0, 1.0], [1.0, 2.0]]), np.ones(2)) is None


def test_a_family_that_never_holds_a_number_at_zero_says_so() -> None:
    numbers = {**fedavg.WEIGHTED.ordinary(), "spread": 0.0}
    with pytest.raises(rc.errors.OutsideConditionsError, match="has no world with spread = 0"):
        fedavg.WEIGHTED.member(numbers)


def test_constants_of_weighted_devices() -> None:
    world = fedavg.WEIGHTED.member({**fedavg.WEIGHTED.ordinary(), "N": 3})
    p = np.array([0.5, 0.25, 0.25])  # the first counts twice
    H = [np.diag([2.0, 0.5]), np.diag([1.0, 0.25]), np.diag([2.0, 0.5])]
    a = [0.5 * np.ones(2), -0.5 * np.ones(2), 0.5 * np.ones(2)]
    x = np.linalg.solve(
        sum(w * h for w, h in zip(p, H, strict=True)), sum(w * h @ c for w, h, c in zip(p, H, a, strict=True))
    )
    Gamma = sum(w * (x - c) @ h @ (x - c) / 2 for w, h, c in zip(p, H, a, strict=True))
    known = world.constants()
    assert known["Gamma"] == pytest.approx(Gamma)
    assert known["sigma_mean"] ** 2 == pytest.approx(np.square(p).sum() * 2 * 0.5**2)
    assert (known["L"], known["mu"]) == (2.0, 0.25)


@pytest.mark.nightly
@pytest.mark.parametrize("E", [2, 8])
def test_a_fixed_step_leads_fedavg_elsewhere(E: int) -> None:
    """Theorem 4, in the closed form for quadratics: the distance grows as (E - 1) eta."""
    h, a, offs = np.array([1.0, 4.0]), np.array([1.0, -1.0]), []
    world = rc.worlds.Federated(devices=[line(H=float(c), a=float(m)) for c, m in zip(h, a, strict=True)])
    for eta in (1e-3, 1e-4):
        S = 1 - (1 - eta * h) ** E
        off = (S * a).sum() / S.sum() - (h * a).sum() / h.sum()
        run = rc.expect(
            world,
            rc.methods.SGD(alpha=eta, p=E),
            K=2,
            T=E * 2**18,
            x0=0.0,
            measures={"off": rc.measures.distance().last()},
            times=[],
        )
        assert math.sqrt(run.off) == pytest.approx(abs(off), rel=1e-6)
        offs.append(off / ((E - 1) * eta))
    assert offs[0] == pytest.approx(offs[1], rel=0.05)


def test_expected_smoothness_by_samples() -> None:
    family = FAMILIES["noisy_hessians"]
    world = family.member({**family.ordinary(), "noise_H": 0.5, "s": 0.0})
    H, x = np.diag([2.0, 0.5]), np.array([1.0, 0.0])
    second = np.mean([np.sum(((1 + sign * 0.5) * H @ x) ** 2) for sign in (-1, 1)])
    setting = rc.statements.Setting(world, 1, 1, {"x": x})
    assert proxskip.smoothness(setting) == pytest.approx(second / (2 * float(world.objective(x))))


def test_directions_of_soba_by_hand() -> None:
    numbers = dict(zip(soba.NAMES, (2.0, 3.0, 1.0, 4.0, 0.5, 0.25, 1.0, -1.0, 2.0), strict=True))
    world = soba.world(numbers)
    x, z, v = 0.7, -0.3, 1.1
    start = {"x": [x], "y": [z], "v": [v]}
    measures = {name: measure for name, measure in soba.READ.items() if name != "g"}
    found = rc.expect(
        world, rc.methods.SOBA(rho=0.1, gamma=0.01), K=1, T=1, start=start, measures=measures, times=[]
    )
    z_star = 3.0 * x / 2.0
    assert found.d_z == pytest.approx((z - z_star) ** 2)
    assert found.d_v == pytest.approx((v + 4.0 * (z_star - 1) / 2.0) ** 2)
    assert found.V_z == pytest.approx((2 * z - 3 * x) ** 2 + 0.25**2)
    assert found.V_v == pytest.approx((2 * v + 4 * (z - 1)) ** 2 + 0.5**2)
    assert found.V_x == pytest.approx((x - 3 * v) ** 2 + 0.5**2)
