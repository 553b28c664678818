"""One level: the engines agree, measures have names, starts are by field, and mistakes are one sentence."""

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.errors import NoLimitError, NotAffineError, UserError
from ratecert.solvers.contract.measures import RESERVED

WORLD = rc.worlds.SingleLevel(
    H=[[2.0, 0.5], [0.5, 1.0]], a=[1.0, -1.0], E=[[[0.25, 0.0], [0.0, 0.125]]], c=[[0.5, 0.25]], s=0.25
)
SGD = rc.methods.SGD(alpha=0.2, p=2)
MEASURES = {
    "gradient": rc.measures.gradient(),
    "gap": rc.measures.gap(),
    "last": rc.measures.distance().last(),
    "at_mean": rc.measures.gap().at_mean(),
    "drift": rc.measures.drift("x"),
    "lyapunov": rc.measures.distance() + 2.0 * rc.measures.drift("x"),
    "own": rc.measures.form(lambda _problem, s: s.x, of="devices", weight=[[2.0, 0.5], [0.5, 1.0]]),
}


@pytest.mark.parametrize("solver", [SGD, rc.methods.AveragedSGD(alpha=0.2, gamma=0.5, p=2)])
@pytest.mark.parametrize("certified", [True, False])
def test_exact_moments_of_all_measures_are_means_over_all_outcomes(solver: Any, certified: bool) -> None:
    """Every method is compared in tests/methods/test_one_level_methods.py, with the usual measures."""
    run: dict[str, Any] = {"K": 2, "T": 3, "x0": [0.5, 0.25], "measures": MEASURES, "times": [0, 1, 2, 3]}
    exact = rc.expect(WORLD, solver, **run, certified=certified)
    outcomes = rc.enumerate_outcomes(WORLD, solver, **run)
    assert exact.values == pytest.approx(outcomes.values, rel=1e-12, abs=1e-20)
    for measure in MEASURES:
        assert exact.curves.values[measure] == pytest.approx(
            outcomes.curves.values[measure], rel=1e-12, abs=1e-20
        )


def test_the_moving_average_is_that_of_the_iterates() -> None:
    """Without noise x_t = (1 - alpha)^t, of which z has (1 - gamma) gamma^(T - t); of x_0 it has gamma^T."""
    alpha, gamma, T = 0.5, 0.75, 3
    of_z = rc.measures.form(lambda _problem, s: s.z, of="mean")
    solver = rc.methods.AveragedSGD(alpha=alpha, gamma=gamma)
    found = rc.expect(rc.worlds.SingleLevel(H=1.0), solver, K=1, T=T, x0=1.0, measures={"z": of_z}, times=[T])
    x = [(1 - alpha) ** t for t in range(T + 1)]
    z = gamma**T + sum((1 - gamma) * gamma ** (T - t) * x[t] for t in range(1, T + 1))
    assert found.curves.z == pytest.approx([z**2], rel=1e-12)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"measures": {"u": rc.measures.form(lambda _p, s: s.u)}}, "reads a field that is not there"),
        ({"measures": {"lower": rc.measures.tracking()}}, "reads a field that is not there"),
        ({"measures": {"gap": 3}}, r"measures\['gap'\] must be a measure"),
        ({"measures": {"not a name": rc.measures.gap()}}, "must be a Python name"),
        ({"measures": {}}, "measures must be a dictionary"),
        ({"y0": 1.0}, "the problem has no 'y'"),
        ({"x0": None}, "x0 is missing"),
        ({"start": {"x": [1.0, 1.0]}}, "give start or x0, not both"),
        ({"measures": {"m": rc.measures.form(lambda _p, s: s.x).at_mean()}}, "needs to say what it reads"),
    ],
)
def test_a_mistake_is_one_sentence(change: dict[str, Any], sentence: str) -> None:
    run: dict[str, Any] = {"K": 1, "T": 5, "x0": [1.0, 2.0], **change}
    with pytest.raises(UserError, match=sentence):
        rc.expect(WORLD, SGD, **run)


GAP, DRAWN = rc.measures.gap(), rc.methods.SVRG(alpha=0.1, m=3)
MEANINGLESS: list[tuple[Any, str]] = [
    (lambda: -1.0 * GAP, "a factor of a measure must be a number >= 0"),
    (lambda: GAP + GAP.last(), "have no sum"),
    (lambda: GAP - GAP, "may have any sign"),
    (lambda: GAP + 1, "added to measures only"),
    (lambda: rc.measures.form(lambda _p, s: s.x, weight=[[1.0, 2.0], [2.0, 1.0]]), "without negative eigenvalues"),
    (lambda: rc.measures.drift("x").at_mean(), "of the mean over devices only"),
    (lambda: rc.expect(WORLD, DRAWN, K=1, T=4, x0=[1.0, 1.0], measures={"gap": GAP.at_mean()}),
     "draws how many steps it takes"),
    (lambda: rc.expect(rc.worlds.scalar(), SGD, K=1, T=5, x0=1.0, y0=1.0), "SGD is a method for one level"),
    *((lambda at=at: rc.stationary(WORLD, SGD, K=1, measures={"gap": at}), "stationary averages over a cycle")
      for at in (GAP.at_mean(), GAP.last())),
    (lambda: rc.leading(WORLD, SGD), "leading is for problems of two levels, and SingleLevel has one"),
    (lambda: rc.reachable_radius(WORLD, SGD, 1), "reachable_radius is for problems of two levels, and SingleLevel has"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "sentence"), MEANINGLESS)
def test_what_has_no_meaning_is_refused(call: Any, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        call()


def test_the_rate_of_the_averaged_iterate() -> None:
    """1/T for the gap at the mean of the iterates, a constant for that of the last one."""
    world, solver = rc.worlds.single_level([1.0, 2.0], s=1.0), rc.methods.SGD(alpha=0.25)
    T = [2**20, 2**24, 2**28]
    assert (
        rc.verify_rate(solver, world, expected=-1.0, T=T, measure=rc.measures.gap().at_mean()).verdict
        == "passes"
    )
    assert (
        rc.verify_rate(solver, world, expected=-1.0, T=T, measure=rc.measures.gap().last()).verdict == "fails"
    )
    assert rc.verify_rate(solver, world, expected=0.0, T=T, measure="gap", x0=[0.0, 0.0]).verdict == "passes"
    with pytest.raises(UserError, match="L_tilde on two levels only"):
        rc.verify_rate(solver, world, expected=0.0, T=T, measure=2.0)


def test_without_noise_a_step_that_is_too_large_has_no_limit() -> None:
    world = rc.worlds.single_level([1.0, 2.0])
    for certified in (True, False):
        assert rc.stationary(world, rc.methods.SGD(alpha=0.9), K=1, certified=certified).gap == 0
        with pytest.raises(NoLimitError):
            rc.stationary(world, rc.methods.SGD(alpha=1.1), K=1, certified=certified)


@pytest.mark.parametrize(("name", "blocks"), [("one_level.md", 6)])
def test_the_page_prints_what_it_shows(name: str, blocks: int, capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / name).read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for block in re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE):
        exec(compile(block, name, "exec"), names)
    shown = re.findall(r"^```text\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert len(shown) == blocks
    assert capsys.readouterr().out == "".join(shown)


@pytest.mark.parametrize(
    ("vector", "sentence"),
    [
        (lambda p, s: s.x - p.x_star, "a constant c is c"),
        (lambda _p, s: s.x[0], "could not be computed"),
        (lambda _p, _s: None, "could not be computed"),
        (lambda s: s.x, "could not be computed"),
        (lambda _p, s: s.x * np.inf, "must be finite"),
        (lambda _p, s: np.maximum(s.x, 0), "not affine"),
        (lambda _p, s: abs(s.x) + 1, "not affine"),
    ],
)
def test_a_wrong_vector_is_one_sentence(vector: Any, sentence: str) -> None:
    run: dict[str, Any] = {"K": 1, "T": 5, "x0": [1.0, 2.0], "measures": {"own": rc.measures.form(vector)}}
    with pytest.raises((UserError, NotAffineError), match=sentence):
        rc.expect(WORLD, SGD, **run)


@dataclass(frozen=True, kw_only=True)
class Rooted(rc.contract.Method):
    """SGD with a step size that is written as the square of its root."""

    alpha: float

    levels = 1

    @property
    def stages(self) -> tuple[Any, ...]:
        return (rc.contract.Stage(self.step, repeats=1, averaged=("x",)),)

    def step(self, t: int, s: Any, oracle: Any) -> Any:
        g = oracle.sample(rc.contract.Gradient(), t)(s.x)
        return s.but(x=s.x - np.sqrt(self.alpha) ** 2 * g)

    def step_size(self, t: int) -> float:
        return self.alpha


def test_a_root_of_a_step_size_that_is_no_fraction_is_a_ball() -> None:
    run: dict[str, Any] = {"K": 2, "T": 4, "x0": [1.0, 2.0]}
    found, plain = (
        rc.expect(WORLD, solver, **run) for solver in (Rooted(alpha=0.2), rc.methods.SGD(alpha=0.2))
    )
    assert found.gradient == pytest.approx(plain.gradient, rel=1e-12)


@pytest.mark.parametrize("engine", [rc.expect, partial(rc.simulate, replicates=8, seed=0)])
@pytest.mark.parametrize(
    ("vector", "sentence"),
    [
        (lambda _p, s: {}["k"] * s.x, r"test_one_level.py, line \d+: .*KeyError: 'k'"),
        (lambda _p, s: s.x * int(1 / 0), r"test_one_level.py, line \d+: .*ZeroDivisionError: division by zero"),
        (lambda p, s: p.nothing * s.x, r"test_one_level.py, line \d+: .*no attribute 'nothing'"),
        (lambda _p, s: np.zeros((3, 3)) @ s.x, r"test_one_level.py, line \d+: .*matmul"),
    ],
)  # fmt: skip
def test_a_mistake_in_ones_own_measure_names_the_measure_and_the_line(
    engine: Any, vector: Any, sentence: str
) -> None:
    with pytest.raises(UserError, match=f"the measure 'own'.*{sentence}"):
        engine(WORLD, SGD, K=1, T=5, x0=[1.0, 2.0], measures={"own": rc.measures.form(vector)})


@pytest.mark.parametrize(
    "weight", ["a", [[1.0, 2.0], [1.0]], np.zeros((2, 2, 2)), 1j, np.inf, [[1.0, 2.0], [0.0, 1.0]]]
)
def test_a_wrong_weight_is_one_sentence(weight: Any) -> None:
    with pytest.raises(UserError, match="weight must be a symmetric matrix"):
        rc.measures.form(lambda _p, s: s.x, weight=weight)
    v = np.array([0.1, 0.3, 0.7])
    rc.measures.form(
        lambda _p, s: s.x, weight=np.outer(v, v)
    )  # its smallest eigenvalue is a rounding below zero


def test_sums_of_measures() -> None:
    run: dict[str, Any] = {"K": 1, "T": 5, "x0": [1.0, 2.0], "times": []}
    parts = {"a": rc.measures.gap(), "b": rc.measures.distance()}
    both = {"both": sum([parts["a"], np.int64(2) * parts["b"]])}
    apart, together = (rc.expect(WORLD, SGD, **run, measures=m) for m in (parts, both))
    assert together.both == pytest.approx(apart.a + 2 * apart.b, rel=1e-13)


def test_no_measure_hides_what_a_result_has() -> None:
    run: dict[str, Any] = {"K": 1, "T": 5, "x0": [1.0, 2.0]}
    exact, limit = rc.expect(WORLD, SGD, **run), rc.stationary(WORLD, SGD, K=1)
    own = {
        name for result in (exact, limit, exact.curves) for name in dir(result) if not name.startswith("_")
    }
    assert own == RESERVED
    with pytest.raises(UserError, match="a result has its own 'precision'"):
        rc.expect(WORLD, SGD, **run, measures={"precision": rc.measures.gap()})


def test_results_with_measures_of_their_own_are_drawn() -> None:
    exact = rc.expect(WORLD, SGD, K=2, T=20, x0=[1.0, 2.0], measures={"own": rc.measures.gap().last()})
    assert len(exact.plot().lines) == 1
    rows = rc.stationary(WORLD, SGD, K=2).plot().get_yticklabels()
    assert [row.get_text().split()[0] for row in rows] == ["gradient", "gap", "distance", "drift"]


class Drawn:
    """grad F(x; e) = (1 + e/2) x, with the sign as somebody takes it out of its row and multiplies it."""

    d_x = 1

    def __init__(self, product: Any) -> None:
        self.product = product

    def sample_f(self, bits: Any) -> Any:
        return bits.signs(1)

    def grad_f(self, row: Any, x: Any) -> Any:
        return x + self.product(row, x)

    def gradient(self, x: Any) -> Any:
        return x

    def objective(self, x: Any) -> Any:
        return 0.5 * (x * x).sum(0)


def first(row: Any) -> Any:
    (e,) = row
    return e


@pytest.mark.parametrize(
    "product",
    [
        lambda row, x: first(row) * (0.5 * x),
        lambda row, x: 0.5 * row[0] * x,
        lambda row, x: x * (row[0] * 0.5),
    ],
    ids=["unpacked", "by its index", "on the right"],
)
def test_a_sign_may_be_taken_out_of_its_row_in_several_ways(product: Any) -> None:
    """E x_3^2 is ((1 - a)^2 + a^2/4)^3 on one device."""
    alpha, last = 0.25, {"last": rc.measures.distance().last()}
    run: dict[str, Any] = {"K": 1, "T": 3, "x0": 1.0, "measures": last}
    found = rc.expect(Drawn(product), rc.methods.SGD(alpha=alpha), **run)
    assert found.last == pytest.approx(((1 - alpha) ** 2 + alpha**2 / 4) ** 3, rel=1e-14)
    assert rc.enumerate_outcomes(Drawn(product), rc.methods.SGD(alpha=alpha), **run).last == pytest.approx(
        found.last
    )
