"""Runs along a corollary: where they are, with which units, and what they cost."""

from pathlib import Path
from typing import Any

import pytest
import sympy

import ratecert as rc
from oracles.small_papers import corollary, descent
from ratecert.claims.claim import Budget, Claim
from ratecert.claims.rows import Rows
from ratecert.cli.main import main
from ratecert.errors import UndecidedError
from ratecert.verdicts.collect import claims_of
from ratecert.verdicts.corollary_runs import Points, runs_along
from ratecert.verdicts.statement import left_open, sound

K, T, eps = rc.statements.letters("K T eps")
DOCS = Path(__file__).parents[2] / "docs"
TWO_LEVELS = "federated-bilevel"
DERIVED = ("corollary-", "remark-1", "remark-2", "remark-4", "table-1")


# Where a corollary is tried.

TIMES = [2.0**n for n in (43, 49, 55, 61)]
CUBE = (sympy.Ge(T, K**3),)


def points(window: tuple[Any, ...] = (), one: bool = False, devices: str = "K", **scalings: Any) -> Points:
    return Points(corollary(eps, window, **scalings), rc.statements.Binding(**descent(devices=devices)), one)


def test_runs_are_inside_the_window_with_few_and_with_many_devices_and_just_outside_it() -> None:
    """T = 2^43, ..., 2^61 has room for 2^14, ..., 2^20 devices: 2^18 at the end, and 2^12 in all runs."""
    found = points(CUBE, alpha=1 / T)
    assert found.devices == (1, 2**6, 2**12, 2**18)
    few_and_many = [(K_, at) for K_ in (1, 2**12) for at in TIMES]
    assert sorted(found.inside) == sorted([*few_and_many, (2**6, TIMES[-1]), (2**18, TIMES[-1])])
    assert found.outside == [(2**16, TIMES[0]), (2**18, TIMES[0])]
    assert points(alpha=1 / T).outside == []
    with pytest.raises(UndecidedError, match="fewer than 3 of the T that are tried"):
        assert points((sympy.Ge(K, T),), alpha=1 / T).inside


def test_one_number_of_devices_is_enough_where_nothing_depends_on_it() -> None:
    assert points(CUBE, one=True, alpha=1 / T).devices == (2**6,)
    assert points(CUBE, devices="", alpha=1 / T).devices == (1,)


@pytest.mark.parametrize(
    ("scalings", "falls", "fixed"),
    [
        ({"T": 1 / eps**2, "alpha": K * eps, "p": K, "q": 1 / eps}, {"alpha"}, {"other"}),
        ({"alpha": K / T, "p": K, "q": T}, {"alpha"}, {"other"}),
        ({"T": 1 / eps**2, "Q": sympy.log(1 / eps), "c": sympy.Integer(1)}, set(), {"Q", "c", "other"}),
    ],
)
def test_a_letter_becomes_small_or_is_fixed_where_its_order_does(
    scalings: dict[str, Any], falls: set[str], fixed: set[str]
) -> None:
    """As eps falls, or T grows; one that is a logarithm at most, or not scaled, is fixed."""
    found = points(**scalings)
    assert {name for name in (*scalings, "other") if found.falls(name)} == falls
    assert {name for name in (*scalings, "other") if found.is_fixed(name)} == fixed


def test_runs_are_as_long_as_the_corollary_says() -> None:
    """Also with a constant, and where T has logarithms: log(1/eps)^8/eps^2 is 2^61 at 1e-5, not at 2^-30.5."""
    assert [points(alpha=1 / T).T(1, at) for at in (8.0, 2.0**61)] == [8, 2**61]
    logs = sympy.log(1 / eps) ** 8
    for order in (100 / eps**2, 1 / eps**2, logs / eps**2):
        found = points(T=order, alpha=eps)
        assert [found.T(1, at) for at in found.sweep] == pytest.approx(TIMES, rel=1e-9)
    assert points(T=1 / eps**2, alpha=eps).sweep[-1] == 2**-30.5
    assert found.sweep[-1] > 1e-5


@pytest.mark.parametrize("order", [eps, eps ** -sympy.Rational(1, 20), sympy.Integer(7)])
def test_runs_that_do_not_become_long_decide_nothing(order: Any) -> None:
    with pytest.raises(UndecidedError, match=r"corollary-1: T = .* does not come to runs of 2\^43"):
        assert points(T=order, alpha=eps).inside


@pytest.mark.parametrize("name", ["corollary-1", "corollary-2", "corollary-3", "corollary-4"])
@pytest.mark.parametrize("variant", ["printed", "repaired"])
def test_runs_of_the_first_paper_are_inside_the_window_and_end_at_it(name: str, variant: str) -> None:
    """The print has no window."""
    found = runs_along(TWO_LEVELS, name, variant=variant)
    assert all(found.in_window(*point) and 1 <= found.T(*point) <= 2**62 for point in found.inside)
    assert len({at for _, at in found.inside}) == len(found.sweep) == 4
    assert [K for K, at in found.inside if at == found.sweep[-1]] == list(found.devices)
    assert len(found.devices) == 4
    assert bool(found.outside) is (variant == "repaired")
    assert not any(found.in_window(*point) for point in found.outside)


# Units, costs and verdicts.


def test_units_are_inside_the_conditions_with_the_balls_of_their_runs() -> None:
    """alpha is bounded by L_hat, and L_hat depends on theta, which is smaller than the most it may be."""
    runs = runs_along(TWO_LEVELS, "corollary-3")
    units, point = runs.first_units, runs.inside[0]
    radius = runs.radius(point, units)
    assert runs.allows(point, units, radius)
    assert not runs.allows(point, {**units, "alpha": 2.01 * units["alpha"]}, radius)


def test_costs_are_counted_with_so_many_that_rounding_does_not_matter() -> None:
    """Rounds are T/p, and p is whole; samples are Q + 3 in each of T iterations, and as many at the start."""
    runs = runs_along(TWO_LEVELS, "corollary-2", variant="repaired")
    K, eps = runs.inside[-1]
    found = runs.cost(K, eps)
    p = 2**10 * runs.size("p", K, eps)
    assert found["rounds"] == pytest.approx(found["iterations"] / p, rel=1 / p)
    Q = 4 * 2**10 * runs.size("Q", K, eps)
    assert found["samples"] == pytest.approx(found["iterations"] * (Q + 3), rel=1 / Q)


def judged(claim: Claim) -> str:
    tasks = claim.tasks(Budget(quick=True))
    return claim.judged(tasks, [task.function(**task.arguments) for task in tasks]).verdict


def test_a_corollary_of_which_no_order_can_be_derived_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not refuted by that; where nothing is measured either, it is not decided."""
    monkeypatch.chdir(tmp_path)
    assert main(["new", "my_paper"]) == 0
    file = tmp_path / "my_paper.py"
    falling = file.read_text("utf-8").replace(
        "bound=2 * Delta / (alpha * T)", "bound=2 * Delta / (alpha * T) + Delta * L * (1 - alpha * L) ** T"
    )
    file.write_text(falling, encoding="utf-8")
    assert any("no order could be derived" in finding.fits for finding in rc.lint(str(file)))
    claim = claims_of(str(file))[f"{file}:corollary-1"]
    assert judged(claim) == "not refuted"
    nothing = Rows([{"finding": "not known", "place": "corollary-1.rate", "says": "of powers"}])
    assert sound(nothing).verdict == "undecided"
    assert left_open(nothing) == ["No order can be derived: of powers"]
    assert sound(Rows([{"finding": "rate", "place": "corollary-1.rate", "says": "wrong"}])).verdict == "fails"


@pytest.mark.nightly
def test_what_follows_from_the_data_of_the_first_paper_is_what_is_expected_of_it() -> None:
    """The list of what is expected is in tests/papers/test_first_paper.py."""
    claims = claims_of(TWO_LEVELS)
    derived = {id: claim for id, claim in claims.items() if id.startswith(DERIVED) and "nonconvex" not in id}
    assert len(derived) == 29
    assert {id: judged(claim) for id, claim in derived.items()} == {
        id: claim.expected for id, claim in derived.items()
    }


def test_the_page_shows_costs_as_a_paper_has_them() -> None:
    page = (DOCS / "your_own_paper.md").read_text("utf-8")
    block = page.partition("## Rates and costs\n")[2].partition("```py\n")[2].partition("```")[0]
    assert block.startswith("sgd_accuracy = rc.corollary(")
    assert block in (DOCS.parent / "ratecert/papers/parallel_sgd.py").read_text("utf-8")
