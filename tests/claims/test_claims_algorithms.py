"""The claims on Algorithms 1 and 2, their readings and Lemma 1: they hold, and with one thing changed they do not.

Each change is made in the solvers or in a world, where an error would be; the claim is then judged as `ratecert verify`
does it. A changed solver has to be seen by both ways of computing, at a relative gap of at least 1e-6.
"""

import ast
import inspect
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from oracles.kept_pieces import KEPT, KeptPieces, rows_from
from ratecert.claim.claim import Budget, Claim
from ratecert.claim.rows import Row, Rows
from ratecert.cli.main import main
from ratecert.cli.verify import judged
from ratecert.papers.federated_bilevel.claims import algorithm_1, algorithm_2, lemma_1, readings
from ratecert.papers.federated_bilevel.evidence.pseudocode import claim, comparing
from ratecert.papers.federated_bilevel.transcription import pseudocode
from ratecert.solvers import LocalBSGM, LocalBSGVRM, LowerGradient, StochasticNeumann, expect
from ratecert.solvers.engines import enumeration
from ratecert.solvers.estimators.hypergradient import NeumannSample
from ratecert.solvers.methods.local_method import LocalMethod
from ratecert.synthetic import Heterogeneous, Quadratic, Wavy
from ratecert.synthetic.worlds.ridge import Ridge

QUICK = Budget(quick=True)
MODULES = {m.CLAIMS[0].id: m for m in (algorithm_1, algorithm_2, readings, lemma_1)}
CLAIMS: dict[str, Claim] = {name: module.CLAIMS[0] for name, module in MODULES.items()}
ALGORITHMS = ("algorithm-1", "algorithm-2")


def judge(name: str, store: KeptPieces | None = None) -> dict[str, Any]:
    (entry,) = judged([CLAIMS[name]], QUICK, store=store)
    return entry


def violated(entry: dict[str, Any]) -> list[str]:
    return [check["name"] for check in entry["checks"] if check["verdict"] == "fails"]


@pytest.mark.parametrize("name", CLAIMS)
def test_the_claim_holds(name: str) -> None:
    entry = judge(name, KEPT)
    assert entry["verdict"] == entry["expected"] == "not refuted", entry["reason"]
    assert entry["chart"]
    assert entry["settings"]


@pytest.mark.parametrize("name", CLAIMS)
def test_quick_is_a_part_of_standard(name: str) -> None:
    quick, standard = (
        [str(p.arguments) for p in CLAIMS[name].pieces(Budget(quick=q))] for q in (True, False)
    )
    assert set(quick) <= set(standard)


# Algorithms 1 and 2: what the cases are made of.


def test_the_printed_lines_share_no_code_with_the_solvers() -> None:
    tree = ast.parse(inspect.getsource(pseudocode))
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert {name.partition(".")[0] for name in names} == {"collections", "dataclasses", "typing", "numpy"}


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("quick", [True, False], ids=["quick", "standard"])
def test_the_cases_leave_nothing_out(name: str, quick: bool) -> None:
    pieces = CLAIMS[name].pieces(Budget(quick=quick))
    cases = [piece.arguments["case"] for piece in pieces if piece.function is comparing.compare]
    solvers = [case["solver"] for case in cases]
    assert {case["K"] for case in cases} == {1, 2, 3}
    assert {solver["p"] for solver in solvers} == {1, 2, 3}
    assert {solver["Q"] for solver in solvers} == {1, 2}
    assert {source for case in cases for source in comparing.LEVELS if source in case["world"]} == {
        *comparing.LEVELS
    }
    assert all(case["world"]["d_x"] != case["world"]["d_y"] for case in cases)
    assert sum(case["T"] % case["solver"]["p"] != 0 for case in cases) >= 3
    readings = {(s["momenta"], s.get("previous") if s["momenta"] == "carry" else None) for s in solvers}
    if name == "algorithm-1":
        assert readings == {("carry", None), ("fresh", None)}
    else:
        assert readings == {("carry", "local"), ("carry", "averaged"), ("fresh", None)}
        assert {s["B"] for s in solvers} == {1, 2}
        assert {isinstance(s["eta"], dict) for s in solvers} == {True, False}
        decaying = [case for case in cases if isinstance(case["solver"]["eta"], dict) and case["T"] >= 3]
        schedule = comparing.solver_of(decaying[0]).step_size
        assert schedule(0) > schedule(1) > schedule(2)
        assert 2.0 + 0 < decaying[0]["solver"]["eta"]["floor"] < 2.0 + 1


# Algorithms 1 and 2, changed.


def with_fields(solver: Any, fields: dict[str, Any]) -> Any:
    """A copy with other fields, unchecked: engines put their own kinds of numbers into them."""
    other = copy(solver)
    for name, value in fields.items():
        object.__setattr__(other, name, value)
    return other


def calling(owner: type, method: str, **changed: Callable[[Any, int], Any]) -> tuple[type, str, Any]:
    """The method, called on a solver with changed fields; a change is a function of the solver and t."""
    original = getattr(owner, method)

    def other(self: Any, t: int, *rest: Any) -> Any:
        return original(with_fields(self, {name: new(self, t) for name, new in changed.items()}), t, *rest)

    return owner, method, other


def as_property(owner: type, name: str, **changed: Callable[[Any], Any]) -> tuple[type, str, Any]:
    original = getattr(owner, name).fget

    def other(self: Any) -> Any:
        return original(with_fields(self, {field: new(self) for field, new in changed.items()}))

    return owner, name, property(other)


def another_start(owner: type) -> tuple[type, str, Any]:
    """u_0 = h_0/2."""
    original = owner.momentum

    def momentum(self: Any, t: int, s: Any, oracle: Any) -> Any:
        u, v = original(self, t, s, oracle)
        return (0.5 * u if t == 0 else u), v

    return owner, "momentum", momentum


def one_hessian_sample(self: StochasticNeumann, problem: Any, bits: Any) -> NeumannSample:
    xi, zeta = problem.sample_f(bits), problem.sample_jacobian(bits)
    return NeumannSample(xi, zeta, (problem.sample_hessian(bits),) * self.Q)


def horner(self: StochasticNeumann, problem: Any, sample: NeumannSample, *point: Any) -> Any:
    x, y = point
    r = self.theta * problem.grad_y_f(sample.xi, x, y)
    total = 1.0 * r
    for zeta_j in sample.factors:
        total = r + problem.neumann_factor_g(zeta_j, x, y, total, self.theta)
    return problem.grad_x_f(sample.xi, x, y) - problem.jacobian_g(sample.zeta, x, y, total)


def storm(self: LocalBSGVRM, t: int, s: Any, oracle: Any, *, common: bool = True, later: int = 0) -> Any:
    """The momenta of Algorithm 2, with an own sample for the previous point, or with eta of another iteration."""
    h, g = (oracle.sample(e, t, batch=self.B if t == 0 else 1) for e in (self.hypergradient, LowerGradient()))
    if t == 0:
        return h(s.x, s.y), g(s.x, s.y)
    others = replace(self.hypergradient, label="other xi_hat"), LowerGradient(label="other zeta")
    h_old, g_old = (h, g) if common else (oracle.sample(e, t) for e in others)
    eta = self.step_size(t - 1 + later)
    u = (1 - self.alpha * eta**2) * (s.u - h_old(s.x_previous, s.y_previous)) + h(s.x, s.y)
    v = (1 - self.beta * eta**2) * (s.v - g_old(s.x_previous, s.y_previous)) + g(s.x, s.y)
    return u, v


def own_sample(self: Any, t: int, s: Any, oracle: Any) -> Any:
    return storm(self, t, s, oracle, common=False)


def eta_of_t(self: Any, t: int, s: Any, oracle: Any) -> Any:
    return storm(self, t, s, oracle, later=1)


def less(name: str) -> dict[str, Callable[..., Any]]:
    return {name: lambda solver, *_: 0.99 * getattr(solver, name)}


def in_both(owner: type) -> dict[str, tuple[Any, str, Any]]:
    """What can be wrong in the algorithm's own lines, and in the lines that both have in common."""
    return {
        "alpha 1 % less": calling(owner, "momentum", **less("alpha")),
        "beta 1 % less": calling(owner, "momentum", **less("beta")),
        "one more power of eta": calling(owner, "momentum", alpha=lambda s, t: s.alpha * s.step_size(t)),
        "half of u_0": another_start(owner),
        "period p + 1": as_property(LocalMethod, "stages", p=lambda s: s.p + 1),
        "momenta not averaged": (LocalMethod, "averaged", ("x", "y")),
        "Q + 1": as_property(LocalMethod, "hypergradient", Q=lambda s: s.Q + 1),
    }


IN_COMMON: dict[str, tuple[Any, str, Any]] = {
    "rho_1 1 % less": calling(LocalMethod, "move", **less("rho_1")),
    "rho_2 1 % less": calling(LocalMethod, "move", **less("rho_2")),
    "rho_1 and rho_2 swapped": calling(
        LocalMethod, "move", rho_1=lambda s, t: s.rho_2, rho_2=lambda s, t: s.rho_1
    ),
    "y and v not averaged": (LocalMethod, "averaged", ("x", "u")),
    "Q - 1": as_property(LocalMethod, "hypergradient", Q=lambda s: s.Q - 1),
    "theta 1 % less": as_property(LocalMethod, "hypergradient", **less("theta")),
    "one Hessian sample for all factors": (StochasticNeumann, "sample", one_hessian_sample),
    "factors in Horner's order": (StochasticNeumann, "evaluate", horner),
}
WRONG: dict[tuple[str, str], tuple[Any, str, Any]] = {
    **{("algorithm-1", name): change for name, change in (in_both(LocalBSGM) | IN_COMMON).items()},
    **{("algorithm-2", name): change for name, change in in_both(LocalBSGVRM).items()},
    ("algorithm-2", "B ignored"): calling(LocalBSGVRM, "momentum", B=lambda s, t: 1),
    ("algorithm-2", "own sample for the previous point"): (LocalBSGVRM, "momentum", own_sample),
    ("algorithm-2", "eta_t in the weight"): (LocalBSGVRM, "momentum", eta_of_t),
}
ALSO_COUNTED = {
    "period p + 1": {"rounds", "floats_sent"},
    "momenta not averaged": {"floats_sent"},
    "y and v not averaged": {"floats_sent"},
    "Q + 1": {"samples_g", "hessian_products"},
    "Q - 1": {"samples_g", "hessian_products"},
    "B ignored": {"samples_f", "samples_g", "hessian_products", "jacobian_products"},
    "own sample for the previous point": {"samples_f", "samples_g"},
    "one Hessian sample for all factors": {"samples_g"},
}
MULTIPLIES_ITSELF = "one Hessian sample for all factors"  # which exact moments refuse


_printed = comparing.printed_numbers


@cache
def _printed_once(text: str) -> Any:
    return _printed(ast.literal_eval(text))


@pytest.fixture
def least_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """As little work as shows an error: printed numbers once, no effects of changes, no more outcomes than needed."""
    monkeypatch.setattr(enumeration, "MOST_SIGNS", 18)
    monkeypatch.setattr(comparing, "printed_numbers", lambda case: _printed_once(repr(case)))
    monkeypatch.setattr(comparing, "changes", lambda case: {})


def gaps(entry: dict[str, Any], way: str) -> list[float]:
    """Those that are known."""
    found = [c["measured"] for c in entry["checks"] if c["name"].startswith(f"relative gap of {way}")]
    return [value for value in found if value is not None]


@pytest.mark.usefixtures("least_work")
@pytest.mark.filterwarnings("ignore::ratecert.errors.PrecisionWarning")
@pytest.mark.parametrize(("name", "wrong"), WRONG, ids=[", ".join(key) for key in WRONG])
@pytest.mark.untraced
def test_a_wrong_algorithm_is_seen(name: str, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By exact moments, on all outcomes, and in the counts where it changes what is spent."""
    monkeypatch.setattr(*WRONG[name, wrong])
    entry = judge(name)
    assert entry["verdict"] == "refuted", entry["reason"]
    assert max(gaps(entry, "all outcomes")) >= 1e-6
    assert max(gaps(entry, "exact moments")) >= 1e-6 or wrong == MULTIPLIES_ITSELF
    counts = {check.rpartition(" ")[2] for check in violated(entry) if check.startswith("runs of")}
    assert counts == ALSO_COUNTED.get(wrong, set())


@pytest.mark.usefixtures("least_work")
@pytest.mark.untraced
def test_what_an_engine_refuses_is_not_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*WRONG["algorithm-1", MULTIPLIES_ITSELF])
    entry = judge("algorithm-1")
    verdicts = {check["name"]: check["verdict"] for check in entry["checks"]}
    assert verdicts["relative gap of exact moments to the printed lines, case 2"] == "undecided"
    assert any("a sample multiplies itself" in note for note in entry["notes"])


@pytest.mark.usefixtures("least_work")
@pytest.mark.untraced
def test_an_average_over_one_more_iteration_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Averages are over t < T; a curve ends at t = T."""

    def with_the_last(*arguments: Any, **run: Any) -> Any:
        result = expect(*arguments, **run)
        return replace(result, values={**result.values, "gradient": float(np.mean(result.curves.gradient))})

    monkeypatch.setitem(comparing.ENGINES, "exact moments", with_the_last)
    entry = judge("algorithm-1")
    assert entry["verdict"] == "refuted"
    assert min(gaps(entry, "exact moments")) >= 1e-6
    assert max(gaps(entry, "all outcomes")) <= 1e-12


@pytest.mark.untraced
def test_a_change_that_nothing_would_show_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The claim does not hold if its cases are blind to a coefficient, however small the gaps."""
    monkeypatch.setattr(comparing, "changes", lambda case: {"alpha": case})
    monkeypatch.setattr(comparing, "printed_numbers", lambda case: _printed_once(repr(case)))
    assert violated(judge("algorithm-2")) == ["relative effect of 1 % more alpha"]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_counts_by_hand_are_compared(name: str) -> None:
    case = MODULES[name].LONG[3]
    rows = claim.counted(case=case)
    assert all(row["counted"] == row["by hand"] and type(row["counted"]) is int for row in rows)
    one_more = {**case, "solver": {**case["solver"], "Q": case["solver"]["Q"] + 1}}
    assert [row["by hand"] for row in claim.counted(case=one_more)] != [row["by hand"] for row in rows]


@pytest.mark.usefixtures("least_work")
@pytest.mark.untraced
def test_the_command_names_the_claim(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 1 with a coefficient changed."""
    monkeypatch.setattr(*WRONG["algorithm-1", "alpha 1 % less"])
    assert main(["verify", "algorithm-1", "--quick", "--jobs", "1", "--out", str(tmp_path)]) == 1
    (sentence,) = capsys.readouterr().err.splitlines()
    assert sentence.startswith("ratecert: algorithm-1 is refuted, expected was not refuted: relative gap of")


# The readings.


def judge_readings(changed: Callable[[Row], float]) -> list[str]:
    """The checks that are violated if every measure is multiplied with what `changed` says."""
    rows = rows_from(CLAIMS["readings"], QUICK)
    wrong = Rows({**row, "measure": row["measure"] * changed(row)} for row in rows)
    return [check.name for check in readings.checks(wrong) if check.verdict == "fails"]


def test_a_rate_of_one_reading_that_is_off_by_a_hundredth_is_seen() -> None:
    assert judge_readings(lambda v: 1.0) == []
    found = judge_readings(lambda v: v["T"] ** 0.01 if v["reading"] == "fresh" else 1.0)
    for corollary in ("corollary-1", "corollary-3"):
        assert f"exponent in T, {corollary}, scalar, K = 8, fresh" in found
        assert f"exponent in T, {corollary}, scalar, K = 8, spread over readings" in found
    assert not any("carry" in name and name.startswith("exponent") for name in found)


def test_a_speedup_of_one_reading_that_is_off_by_a_hundredth_is_seen() -> None:
    found = judge_readings(lambda v: v["K"] ** 0.01 if v["reading"] == "carry local" else 1.0)
    assert "exponent in K, corollary-3, scalar, T = 2^40, carry local" in found


def test_differences_that_fall_in_another_way_are_seen() -> None:
    def of(reading: str, relative: Callable[[Row], float]) -> list[str]:
        return judge_readings(lambda v: 1 + relative(v) if v["reading"] == reading else 1.0)

    local = "corollary-3, local against averaged, exponent of the difference in"
    assert f"{local} T" in of("carry local", lambda v: 1e-5 * v["T"] ** 0.05)
    assert f"{local} p" in of("carry local", lambda v: 1e-13 * v["p"])
    assert any("fresh against averaged" in name for name in of("fresh", lambda v: 1e-6 * v["T"] ** -0.5))
    assert any("fresh against carry" in name for name in of("fresh", lambda v: 1e-11))


@pytest.mark.untraced
def test_a_reading_without_its_batch_has_another_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    """B = 1 under `fresh` alone: T^{-1/3}, as the noise of u_0 then stays for T^{2/3} iterations."""
    monkeypatch.setattr(*calling(LocalBSGVRM, "momentum", B=lambda s, t: 1 if s.momenta == "fresh" else s.B))
    entry = judge("readings")
    assert entry["verdict"] == "refuted"
    assert "exponent in T, corollary-3, scalar, K = 8, fresh" in violated(entry)
    assert not any("corollary-1" in name for name in violated(entry))


# Lemma 1.

LEMMA_WRONG: dict[str, tuple[Any, str, Any, str]] = {
    "Hessian 1 % larger": (
        Quadratic,
        "hessian_g",
        lambda self, zeta, x, y, r: 1.01 * (self.A @ r),
        "formula against difference quotient, random_quadratic",
    ),
    "Jacobian transposed in sign": (
        Wavy,
        "jacobian_g",
        lambda self, zeta, x, y, r, real=Wavy.jacobian_g: -real(self, zeta, x, y, r),
        "formula against difference quotient, wavy",
    ),
    "own gradient of ridge off by 1e-6": (
        Ridge,
        "hypergradient",
        lambda self, x, real=Ridge.hypergradient: (1 + 1e-6) * real(self, x),
        "the world's own gradient against difference quotient, ridge",
    ),
    "y* off by 1e-6": (
        Quadratic,
        "y_star",
        lambda self, x, real=Quadratic.y_star: real(self, x) + 1e-6,
        "slope of g at y*(x), scalar",
    ),
    "devices all alike": (
        Heterogeneous,
        "_device",
        lambda self, k, real=Heterogeneous._device: real(SimpleNamespace(**{**vars(self), "dial": 0.0}), k),
        "exponent of the bias in the dial",
    ),
}


@pytest.mark.parametrize(("owner", "attribute", "value", "check"), LEMMA_WRONG.values(), ids=LEMMA_WRONG)
def test_a_wrong_gradient_is_seen(
    owner: Any, attribute: str, value: Any, check: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, attribute, value)
    entry = judge("lemma-1")
    verdicts = {c["name"]: c["verdict"] for c in entry["checks"]}
    assert verdicts[check] != "passes"
    assert entry["verdict"] != "not refuted"


def test_the_formula_is_tried_on_both_sides_of_the_radius() -> None:
    world = lemma_1.build(lemma_1.WORLDS[2])
    inside = [
        np.allclose(world.hypergradient(x), world.quadratic_part.hypergradient(x))
        for x in lemma_1.phi.points(world)
    ]
    assert 2 <= sum(inside) <= len(inside) - 2
