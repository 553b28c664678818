"""What outsiders did with papers of their own: limits, disagreements, nothing to run, mistakes in their own lines."""

import json
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import arb
from sympy import Ge, Rational

import ratecert as rc
from oracles import long_form as example
from ratecert.catalogue.load import version_of
from ratecert.cli.main import main
from ratecert.verdicts.theorem import searched

s = rc.statements
EXAMPLE = Path(str(example.__file__))
KEY = "example-paper"
K, T, alpha, L, mu, sigma, Delta, eps = s.letters("K T alpha L mu sigma Delta eps")


def with_theorem(paper: Any, **changes: Any) -> Any:
    theorem = replace(paper["theorem-1"], **changes)
    return replace(paper, statements={**paper.statements, "theorem-1": theorem})


def with_statements(paper: Any, *added: Any) -> Any:
    notation = {**paper.notation, **s.table(s.Symbol("eps", "eps", "accuracy", units="f^2 x^-2"))}
    return replace(paper, notation=notation, statements={**paper.statements, **s.by_id(*added)})


def with_step(step: Callable[..., Any]) -> type:
    """A method of the user's own with this step."""

    class Own(rc.contract.Method):
        levels = 1

        @property
        def stages(self) -> tuple[Any, ...]:
            return (rc.contract.Stage(lambda t, state, oracle: step(self, t, state, oracle), 1, ("x",)),)

        def step_size(self, t: int) -> float:
            return 0.1

    return Own


# The limit of long runs.


def plane(numbers: Mapping[str, float]) -> Any:
    return rc.worlds.SingleLevel(H=np.diag([numbers["h"], numbers["h"] / 2]), s=numbers["s"])


def test_a_world_in_the_limit_is_the_nearest_one() -> None:
    """The noise alone comes to its term, in the limit; JSON, in which rows travel, has no infinity."""
    levels = tuple(s.Level(name=name, low=1e-3, high=1e3) for name in ("h", "s"))
    rest = s.Family(name="at_rest", levels=levels, world=plane, start=lambda world, _: {"x": world.x_star})
    run = replace(example.RUNS["theorem-1"], worlds=(rest,))
    rc.register(example.PRINTED, {"theorem-1": run})
    row = searched(KEY, "theorem-1", "printed", 40, 0, code=version_of(KEY))[0]
    assert row["run.T"] == "inf"
    assert 0.5 < row["largest"] <= 1
    json.dumps(row, allow_nan=False)


def test_ill_conditioned_worlds_are_searched_and_the_range_is_said() -> None:
    """10^4 alpha sigma^2/L in the place of alpha sigma^2/mu: false from L/mu = 4 10^4 on."""
    notation = s.table(s.Symbol("mu", r"\mu", "strong convexity", units="f x^-2"))
    paper = replace(example.PRINTED, notation={**example.PRINTED.notation, **notation})
    constants = {"L": "L", "mu": "mu", "sigma": "sigma", "Delta": "squared_distance"}
    run = replace(example.RUNS["theorem-1"], measure=rc.measures.distance().last(), constants=constants)
    start = Delta * (1 - alpha * mu) ** (2 * T)
    for factor, false in ((10**4 * alpha / L, True), (alpha / mu, False)):
        terms = {"start": start, "noise": factor * sigma**2 / K}
        rc.register(with_theorem(paper, terms=terms), {"theorem-1": run})
        assert rc.falsify(f"{KEY}:theorem-1", budget=90).falsified is false
    assert "L/mu from 1 to 1e+06" in run.searched
    assert ", K from 1 to 1e+06" in run.searched
    assert "K from" not in replace(run, worlds=("federated",)).searched  # which has two devices


# Two statements that disagree; costs of no run.


def in_T(claim: Any) -> Any:
    return s.Corollary(
        id="in-T", title="in T", source="3", theorem="theorem-1", claim=s.Scaling(claim), window=(Ge(T, K),),
        scalings={"alpha": s.Scaling(K ** Rational(1, 2) / T ** Rational(1, 2), "Theta")},
    )  # fmt: skip


IN_EPS = s.Corollary(
    id="in-eps", title="in eps", source="3", theorem="theorem-1", claim=s.Scaling(eps), same_as="in-T",
    window=(Ge(1 / K, eps),),
    scalings={"T": s.Scaling(1 / (K * eps**2), "Theta"), "alpha": s.Scaling(K * eps, "Theta")},
)  # fmt: skip


def test_a_true_corollary_beside_a_loose_one_is_not_refuted() -> None:
    loose = with_statements(example.PRINTED, in_T((K * T) ** Rational(-1, 4)), IN_EPS)
    rc.register(loose, example.RUNS)
    (found,) = rc.verify(f"{KEY}:in-eps", quick=True)
    assert found.verdict == "not refuted"
    assert any("Two statements disagree, at in-eps.T" in note for note in found.notes)
    assert [f.beside for f in rc.lint(KEY) if f.place == "in-eps.T"] == ["in-T"]


def test_costs_of_no_run_inside_the_conditions_are_undecided() -> None:
    cost = s.Cost("SGD", "in-eps", {"iterations": s.Scaling(1 / (K * eps**2))}, linear_speedup=True)
    costs = s.Counts(id="costs", title="Costs", source="4", costs=(cost,))
    sound = with_statements(example.PRINTED, in_T((K * T) ** Rational(-1, 2)), IN_EPS, costs)
    rc.register(sound, example.RUNS)
    (found,) = rc.verify(f"{KEY}:costs", quick=True)
    assert found.verdict == "not refuted"
    conditions = {
        "most": s.Condition(alpha, "<=", (1 / (2 * L),)),
        "least": s.Condition(alpha, ">=", (1 / L,)),
    }
    rc.register(with_theorem(sound, conditions=conditions), example.RUNS)
    (found,) = rc.verify(f"{KEY}:costs", quick=True)
    assert found.verdict == "undecided"
    assert "theorem-1 (printed) says nothing here: alpha >= 1/L" in found.reason
    assert [f.place for f in rc.lint(KEY) if "admit nothing" in f.because] == ["theorem-1.condition.most"]
    conditions["least"] = s.Condition(alpha, ">=", (1 / L, 1 / (4 * L)))  # the smaller of the two is enough
    rc.register(with_theorem(sound, conditions=conditions), example.RUNS)
    assert not any("admit nothing" in f.because for f in rc.lint(KEY))


def test_where_nothing_is_measured_the_verdict_says_so() -> None:
    cost = s.Cost("SGD", "corollary-1", {"iterations": s.Scaling(T)})
    rc.register(
        with_statements(example.PRINTED, s.Counts(id="costs", title="", source="", costs=(cost,))), {}
    )
    found = rc.verify(KEY, quick=True)
    assert [f.claim for f in found] == [f"{KEY}:{name}" for name in ("theorem-1", "corollary-1", "costs")]
    assert all("findings of the linter, and nothing is measured" in f.reason for f in found)


# Mistakes in the user's own lines.


@pytest.mark.parametrize(
    ("binding", "message"),
    [
        ({"method": with_step(lambda self, t, state, oracle: None)}, r"a step of Own must return a State, got None"),
        ({"method": with_step(lambda self, t, state, oracle: state.but(x=state.y))}, r"a step of Own .* attribute 'y'"),
        ({"method": with_step(lambda self, t, state, oracle: state.but(x=3))}, "a State of vectors, got x = 3"),
        (
            {"method": with_step(lambda self, t, state, oracle: state.but(x=arb("nan") * state.x))},
            r"none of \d+ worlds can be run: a step multiplies a vector by nan",
        ),
        (
            {"method": with_step(lambda self, t, state, oracle: state.but(x=float("nan") * state.x))},
            r"none of \d+ worlds can be run: a step multiplies a vector by nan",
        ),
        ({"constants": {"L": "L", "sigma": "sigmaa", "Delta": "gap"}}, r"none of \d+ worlds can be run: Single"),
        (
            {"worlds": (s.Family(name="none", levels=(), world=lambda _: None),)},
            r"world of the family none must return a world of rc\.worlds, got None",
        ),
        (
            {"worlds": (s.Family(name="z", levels=(s.Level(name="s", low=1, high=2),),
                                 world=lambda n: rc.worlds.SingleLevel(H=1.0, s=n["s"]),
                                 start=lambda world, numbers: {"z": 1.0}),)},
            r"start of the family z must return a mapping such as {'x': 1.0}, with x in it, got {'z': 1.0}",
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_told_as_such(binding: dict[str, Any], message: str) -> None:
    hyperparameters = {} if "method" in binding else {"alpha": alpha}
    run = replace(example.RUNS["theorem-1"], hyperparameters=hyperparameters, **binding)
    paper = with_theorem(example.PRINTED, conditions={}, terms={"noise": sigma**2 * L * Delta})
    rc.register(paper if "method" in binding else example.PRINTED, {"theorem-1": run})
    with pytest.raises(rc.errors.RatecertError, match=message):
        rc.falsify(f"{KEY}:theorem-1", budget=20)


@pytest.mark.parametrize("conditions", [{}, {"step": s.Condition(alpha, "<=", (1 / L,))}])
def test_what_vanishes_on_both_sides_is_undecided(conditions: dict[str, Any]) -> None:
    """It was "not refuted, largest ratio 0": both sides are below the smallest double."""
    levels = (s.Level(name="h", low=1e-300, high=1e-290),)
    tiny = s.Family(name="tiny", levels=levels, world=lambda n: rc.worlds.SingleLevel(H=n["h"]),
                    start=lambda *_: {"x": 1.0})  # fmt: skip
    half = with_theorem(example.PRINTED, conditions=conditions, terms={"start": Delta**3 / (alpha * T)})
    rc.register(half, {"theorem-1": replace(example.RUNS["theorem-1"], worlds=(tiny,))})
    with pytest.raises(rc.errors.RatecertError, match="measure and bound are below 1e-280; choose larger"):
        rc.falsify(f"{KEY}:theorem-1", budget=20)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (1e-300, "none of 20 worlds can be run: x0 must be 0 or at least 1e-150 in size"),
        (1e200, "start of the family far must give finite real numbers of at most 1e+150 in size"),
        (float("nan"), "start of the family far must give finite real numbers"),
    ],
)
def test_a_start_whose_square_is_no_double_is_refused(x: float, message: str) -> None:
    """It was "not refuted, largest ratio 0": both sides underflow."""
    levels = (s.Level(name="h", low=0.5, high=1.0),)
    far = s.Family(name="far", levels=levels, world=lambda n: rc.worlds.SingleLevel(H=n["h"], s=0.0),
                   start=lambda *_: {"x": x})  # fmt: skip
    rc.register(example.PRINTED, {"theorem-1": replace(example.RUNS["theorem-1"], worlds=(far,))})
    with pytest.raises(rc.errors.RatecertError, match=re.escape(message)):
        rc.falsify(f"{KEY}:theorem-1", budget=20)


def test_a_step_between_two_ends_that_are_one_is_prescribed() -> None:
    """alpha <= 1/L beside alpha >= 1/L, or beside alpha L >= 1, is alpha = 1/L, also where 1/L is no double."""
    pair = {"most": s.Condition(alpha, "<=", (1 / L,)), "least": s.Condition(alpha, ">=", (1 / L,))}
    product = {**pair, "least": s.Condition(alpha * L, ">=", (1,))}
    equation = {"step": s.Condition(alpha, "=", (1 / L,))}
    for conditions, noted in ((pair, ["alpha = 1/L"]), (product, ["alpha = 1/L"]), (equation, [])):
        rc.register(with_theorem(example.PRINTED, conditions=conditions), example.RUNS)
        outcome = rc.falsify(f"{KEY}:theorem-1", budget=60)
        assert (outcome.falsified, outcome.inside) == (False, outcome.tried)
        assert [f.fits for f in rc.lint(KEY)] == [*noted, "alpha = Theta(1)"]
    half = {"start": Delta / (alpha * T), "noise": alpha * L * sigma**2 / (2 * K)}
    rc.register(with_theorem(example.PRINTED, conditions=pair, terms=half), example.RUNS)
    assert rc.falsify(f"{KEY}:theorem-1", budget=60).falsified


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            's.Condition(alpha, "<=", [[1, 2]])',
            ': s.Condition(alpha, "<=", [[1, 2]]); a side of a condition must be',
        ),
        ('RUNS = {"theorem-1": 3}', "must be a Binding of rc.statements, got 3"),
        ("RUNS = [1, 2]", "must be a mapping, theorem -> Binding, got [1, 2]"),
        (
            'RUNS = {"theorem-7": RUNS["theorem-1"]}',
            "names 'theorem-7', which is no theorem of it; those are theorem-1",
        ),
        ("REPAIRED = 3", "has a REPAIRED that is no Paper of rc.statements, got 3"),
        (
            'RUNS["theorem-1"] = s.Binding(method=ParallelSGD, hyperparameters={"alfa": alpha}, '
            'measure=rc.measures.gradient(), constants={"L": "L", "sigma": "sigma", "Delta": "gap"})',
            "hyperparameters name 'alfa', which is no field of ParallelSGD; those are alpha",
        ),
    ],
)
def test_the_linter_looks_at_what_binds_the_paper(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: str, message: str
) -> None:
    path = tmp_path / "own.py"
    path.write_text(f"{EXAMPLE.read_text(encoding='utf-8')}\n{change}\n", encoding="utf-8")
    assert main(["lint", str(path)]) == 2
    assert message in capsys.readouterr().err
    path.write_text(EXAMPLE.read_text(encoding="utf-8").replace("example-paper", "own"), encoding="utf-8")
    assert main(["lint", str(path)]) == 0


def test_a_module_in_a_folder_called_solvers_is_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where ratecert is installed from a checkout, which has such a folder, too."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    own = tmp_path / "solvers"
    own.mkdir()
    (own / "__init__.py").touch()
    (own / "paper.py").write_text(EXAMPLE.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert rc.lint("solvers.paper") == []
