"""Books of the library on stochastic gradients and variance reduction: verdicts, where they are attained, constants."""

from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.base.asked import asked
from ratecert.binding.setting import Setting
from ratecert.catalogue.cases import bound_case
from ratecert.catalogue.find import bindings, paper
from ratecert.claims.claim import Budget, Claim, Task
from ratecert.errors import OutsideConditionsError
from ratecert.papers.library import closed_forms, sg, storm
from ratecert.search import witness

FOLDER = Path(closed_forms.__file__).parent
LINE = {"L": 1.0, "spread": 1.0}
NOISE, START = {**LINE, "s": 1.0, "x_off": 0.0}, {**LINE, "s": 0.0, "x_off": 1.0}

# statement -> where its ratio is this; what is printed, and a mistake in it
ATTAINED: dict[str, tuple[dict[str, float], float, str, str]] = {
    "sg:theorem-4-6": ({**NOISE, "T": 1, "of abar": 1.0}, 1.0,
        '"noise": abar * L * M / (2 * c * mu)', '"noise": abar * L * M / (4 * c * mu)'),
    "sg:theorem-4-7": ({**NOISE, "T": 1, "of alpha_1": 1.0, "of beta": 1e-4}, 1.0,
        "/ (2 * (beta * c * mu - 1))", "/ (2 * (2 * beta * c * mu - 1))"),
    "sg:theorem-4-8": ({**START, "T": 5, "of abar": 1.0}, 1.0,
        "2 * Delta / (T * mu * abar)", "Delta / (T * mu * abar)"),
    "sg-noise-reduction:theorem-5-1": (
        {**LINE, "x_off": 1.0, "noise_H": 2.0, "T": 1, "of abar": 1.0, "of zeta": 0.4}, 1.0,
        "1 - abar * c * mu / 2", "1 - abar * c * mu"),
    "svrg:theorem-1": ({**LINE, "x_off": 1.0, "uneven": 0.0, "apart": 0.0, "T": 2**31, "of eta": 1e-6}, 0.4995,
        "1 / (mu * eta * (1 - 2 * L * eta) * m)", "1 / (3 * mu * eta * (1 - 2 * L * eta) * m)"),
    "saga:theorem-1": ({**LINE, "x_off": 1.0, "first": 0.0, "second": 0.0, "T": 1}, 1.0,
        "(1 - gamma * mu) * V", "(1 - 2 * gamma * mu) * V"),
    "page:theorem-1": (
        {**LINE, "x_off": 1.0, "uneven": 0.0, "apart": 0.0, "T": 3, "of p": 1.0, "of b": 1.0, "of eta": 1.0}, 1.0,
        "2 * Delta / (eta * T)", "Delta / (eta * T)"),
    "expected-smoothness:theorem-3-1": ({**NOISE, "T": 1000, "of gamma": 1.0}, 1 / 3,
        "2 * gamma * sigma**2 / mu", "gamma * sigma**2 / (2 * mu)"),
    "ghadimi-lan:constant-steps": ({**NOISE, "T": 2**40, "of gamma": 0.3}, 1.0,
        "gamma**2 * second / steps", "gamma**2 * second / (2 * steps)"),
    "ghadimi-lan:diminishing-steps": ({**START, "T": 1, "of gamma": 0.5}, 1.0,
        '"start": D**2 / steps', '"start": D**2 / (2 * steps)'),
    "closed-forms:least-squares": (
        {"R": 1.0, "spread": 1.0, "sigma": 1.0, "x_off": 0.0, "T": 2**40, "of alpha": 1e-6}, 0.998,
        "** 2 / (2 * T)", "** 2 / (3 * T)"),
}  # fmt: skip


def ratio_at(key: str, statement: str, numbers: dict[str, float], variant: str = "printed") -> float:
    case = bound_case(key, statement, variant)
    return float(case.draw({**numbers, "family": 1.0}, paper(variant, key)).ratio)


def verdict_of(claim: Claim, tasks: list[Task]) -> str:
    return claim.judged(tasks, [task.function(**task.arguments) for task in tasks]).verdict


@pytest.mark.parametrize("id", ATTAINED)
def test_where_it_is_attained_a_seeded_mistake_is_refuted(id: str, tmp_path: Path) -> None:
    (key, statement), (numbers, expected, before, after) = id.split(":"), ATTAINED[id]
    assert ratio_at(key, statement, numbers) == pytest.approx(expected, rel=1e-3)
    assert ratio_at(key, statement, numbers) <= 1
    text = (FOLDER / f"{key.replace('-', '_')}.py").read_text(encoding="utf-8")
    assert text.count(before) == 1
    other = tmp_path / "other.py"
    other.write_text(text.replace(before, after), encoding="utf-8")
    assert ratio_at(asked(str(other)), statement, numbers) > 1 + 1e-6


@pytest.mark.parametrize("id", ["svrg:theorem-1", "saga:theorem-1", "sg:theorem-4-8"])
def test_a_short_search_breaks_nothing(id: str) -> None:
    outcome = rc.falsify(id, budget=40)
    assert not outcome.falsified
    assert not outcome.unconfirmed


def test_the_quote_of_svrg_lacks_its_strong_convexity() -> None:
    """By units, and by gradient descent on 1/2 h w^2, whose epoch is a geometric sum; with c it stands."""
    assert {found.place for found in rc.lint("sg-noise-reduction")} == {
        "svrg-rate.condition.rho",
        "svrg-rate.term.start",
    }
    assert rc.lint("sg-noise-reduction", variant="repaired") == []
    outcome = rc.falsify("sg-noise-reduction:svrg-rate", budget=160)
    assert outcome.falsified
    assert outcome.findings[0].simple.witness.place == "svrg-rate.term.start"
    assert not rc.falsify("sg-noise-reduction:svrg-rate", budget=60, variant="repaired").falsified
    h, alpha, m = 1e-3, 1.0, 1024
    left = np.mean([(1 - alpha * h) ** (2 * t) for t in range(m)])
    printed, repaired = ((1 / (m * c * alpha) + 2 * h * alpha) / (1 - 2 * alpha * h) for c in (1.0, h))
    assert printed < 1 < left / printed
    assert left < repaired < 1


def test_the_quote_of_saga_counts_a_step_too_many() -> None:
    """Where nothing has been done yet, with one term: (1 - q)(1 + q) of ||w_1 - w*||^2, and q = 1/4 if L = c."""
    outcome = rc.falsify("sg-noise-reduction:saga-rate", budget=150)
    assert outcome.largest == pytest.approx(16 / 15, rel=1e-8)
    assert outcome.findings[0].simple.witness.instance["run"] == {"K": 1, "T": 0}
    repaired = rc.falsify("sg-noise-reduction:saga-rate", budget=150, variant="repaired")
    assert not repaired.falsified
    assert repaired.largest == pytest.approx(4 / 5, rel=1e-8)
    case = bound_case("sg-noise-reduction", "saga-rate", "printed")
    numbers = {"L": 1.0, "spread": 1.0, "x_off": 1.0, "family": 2.0}
    ratios = [case.draw({**numbers, "T": T}, paper("printed", case.key)).ratio for T in (0.0, 1.0)]
    assert ratios == pytest.approx([16 / 15, 0.8], rel=1e-8)


def test_only_a_last_iterate_that_counts_from_one_may_be_the_start() -> None:
    for key, id, begins in (("sg-noise-reduction", "theorem-5-1", True), ("saga", "theorem-1", False)):
        case = bound_case(key, id, "printed")
        assert any(held.get("T") == 0 for held in case.subspaces) is begins
    with pytest.raises(
        OutsideConditionsError, match=r"run\.T must be a whole number from 1 to 2\^62, or inf, got 0"
    ):
        ratio_at("saga", "theorem-1", {**ATTAINED["saga:theorem-1"][0], "T": 0})


def test_an_epoch_is_that_of_svrg() -> None:
    """The mean over its m steps is what the method's own epoch, which draws one of them, gives."""
    world = rc.worlds.FiniteSum(H=[1.0, 2.0, 0.5], a=[1.0, -1.0, 2.0])
    run: dict[str, Any] = {"K": 1, "x0": 1.5, "times": []}
    epoch = bindings("svrg")["theorem-1"].method
    own = rc.expect(world, epoch(eta=0.2), T=5, **run).gap
    drawn = rc.expect(
        world, rc.methods.SVRG(alpha=0.2, m=5), T=2, **run, measures={"gap": rc.measures.gap("w").last()}
    ).gap
    assert own == pytest.approx(drawn, rel=1e-12)


def test_directions_that_lean() -> None:
    """mu, mu_G and M by all signs of the noise, at many points; the engine sees the same directions."""
    world = sg.LEANING.member({"L": 3.0, "spread": 2.0, "first": 0.5, "second": 2.0, "s": 0.7, "x_off": 1.0})
    c, rng = world.constants(), np.random.default_rng(0)
    for x in rng.standard_normal((50, 2)):
        gradient = world.gradient(x)
        each = []
        for signs in product((-1, 1), repeat=2):
            noise = np.array(signs)[:, None]
            each.append(world.grad_f(type("xi", (), {"e": [], "n": noise}), x[:, None])[:, 0])
        mean, spread = np.mean(each, axis=0), np.square(each - np.mean(each, axis=0)).sum(axis=1).mean()
        assert gradient @ mean >= c["follows"] * gradient @ gradient - 1e-12
        assert np.linalg.norm(mean) <= c["mu_G"] * np.linalg.norm(gradient) + 1e-12
        assert spread == pytest.approx(c["M"], rel=1e-12)
    run: dict[str, Any] = {"K": 1, "T": 3, "x0": [1.0, 2.0], "times": []}
    exact, outcomes = (
        engine(world, rc.methods.SGD(alpha=0.1), **run) for engine in (rc.expect, rc.enumerate_outcomes)
    )
    assert exact.values == pytest.approx(outcomes.values, rel=1e-12)


def test_noise_that_fades() -> None:
    """By hand on a line: E w_{k+1}^2 = (1 - alpha h)^2 E w_k^2 + alpha^2 M zeta^(k-1)."""
    h, noise, alpha, zeta, x0, T = 2.0, 0.8, 0.3, 0.6, 1.5, 7
    world = rc.worlds.single_level([h], noise_H=noise)
    run = bindings("sg-noise-reduction")["theorem-5-1"]
    M = run.given_by(Setting(world, 1, T, {"x": [x0]}))["M"]
    assert pytest.approx((noise * h * x0) ** 2, rel=1e-14) == M
    square = x0**2
    for t in range(T):
        square = (1 - alpha * h) ** 2 * square + alpha**2 * M * zeta**t
    solver = run.method(alpha=alpha, root=zeta**0.5)
    read = {"d": rc.measures.distance().last()}
    assert rc.expect(world, solver, K=1, T=T, x0=x0, measures=read, times=[]).d == pytest.approx(
        square, rel=1e-12
    )


def test_constants_of_features() -> None:
    """R, sigma and the minimiser of the least squares, from the four samples."""
    world = closed_forms.FEATURES.member({"R": 1.5, "spread": 3.0, "sigma": 0.4, "x_off": 1.0})
    given = bindings("closed-forms")["least-squares"].given_by(Setting(world, 1, 1, {"x": np.ones(2)}))
    H, features = world.H.mean(axis=0), [np.sqrt(np.diag(each)) for each in world.H]
    fourth = np.mean([x @ x * np.outer(x, x) for x in features], axis=0)
    noise = np.mean([np.outer(each @ a, each @ a) for each, a in zip(world.H, world.a, strict=True)], axis=0)
    assert np.linalg.eigvalsh(given["R"] ** 2 * H - fourth)[0] == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(noise, given["sigma"] ** 2 * H, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(world.x_star, 0.0, atol=1e-15)


def test_storm_by_the_linter() -> None:
    """The noise lacks sqrt(M); of the abstract's two forms, each lacks a logarithm that its theorem has."""

    def found(variant: str) -> list[tuple[str, str]]:
        return [(each.place, each.kind) for each in rc.lint("storm", variant=variant)]

    assert found("printed") == [("theorem-1.term.noise", "units"), ("abstract-small-noise.rate", "corollary")]
    assert found("repaired") == [("abstract.rate", "corollary")]


@pytest.mark.nightly
def test_the_affine_storm_falls_as_it_should() -> None:
    assert verdict_of(storm.CLAIMS[0], storm.CLAIMS[0].tasks(Budget())) == "not refuted"


def test_an_affine_storm_with_constant_steps_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """At shorter runs than the claim's."""
    monkeypatch.setattr(rc.contract, "CubeRoot", lambda scale, offset: rc.contract.Constant(scale / offset))
    assert verdict_of(storm.CLAIMS[0], [Task(storm.affine, {"T": 2**n}) for n in range(20, 24)]) == "refuted"


@pytest.mark.parametrize("form", closed_forms.RIGHT)
def test_a_form_with_a_mistake_is_refuted(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One part in 10^9 more is told apart."""
    claim = next(claim for claim in closed_forms.CLAIMS if claim.id == form)
    tasks = claim.tasks(Budget(quick=True))
    assert verdict_of(claim, tasks) == "not refuted"
    monkeypatch.setitem(closed_forms.RIGHT, form, closed_forms.RIGHT[form] * (1 + 1e-9))
    assert verdict_of(claim, tasks) == "refuted"


def test_the_small_witness_against_the_quote_of_svrg_holds_for_every_output_rule() -> None:
    """Terms alike, curvature c: an inner step is w <- (1 - alpha c) w, and the gap goes as w^2."""
    found = witness.read(Path("witnesses/sg-noise-reduction.svrg-rate.printed-start.simple.toml")).instance
    m, alpha, c = found["run"]["T"], Fraction(1), Fraction(1, 50)
    assert found["finite_sum"]["L"] == float(c)
    assert found["letters"]["alpha"] == 1
    bound = (1 / (m * alpha) + 2 * c * alpha) / (1 - 2 * c * alpha)
    iterates = [(1 - alpha * c) ** t for t in range(m + 1)]
    last, mean = iterates[m] ** 2, (sum(iterates[1:]) / m) ** 2
    random = sum(w**2 for w in iterates[1:]) / m
    assert min(last, mean, random) > Fraction(149, 100) * bound
    assert random < (1 / (m * alpha * c) + 2 * c * alpha) / (1 - 2 * c * alpha) < 1  # as the repair has it
