"""Runs along a corollary: where they are, with which units, and what they cost."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sympy import Rational

import ratecert as rc
from ratecert.claims.claim import Budget, Claim, rows_of
from ratecert.claims.rows import Rows
from ratecert.cli.main import main
from ratecert.errors import UndecidedError
from ratecert.verdicts.collect import claims_of
from ratecert.verdicts.corollary_runs import runs_along
from ratecert.verdicts.statement import left_open, sound

eps = rc.statements.letter("eps")
DOCS = Path(__file__).parents[2] / "docs"
TWO_LEVELS = "federated-bilevel"
BY_HAND = (".measured", ".nonconvex", ".ridge")


@pytest.mark.parametrize("corollary", ["corollary-1", "corollary-2", "corollary-3", "corollary-4"])
@pytest.mark.parametrize("variant", ["printed", "repaired"])
def test_places_are_inside_the_window_and_end_at_it(corollary: str, variant: str) -> None:
    places = runs_along(TWO_LEVELS, corollary, variant=variant).places
    assert all(places.in_window(*place) and 1 <= places.T(*place) <= 2**62 for place in places.inside)
    assert len({at for _, at in places.inside}) == len(places.sweep) == 4
    at_the_end = [K for K, at in places.inside if at == places.sweep[-1]]
    assert at_the_end == list(places.devices)
    assert len(at_the_end) == 4
    if variant == "repaired":
        assert places.outside
        assert not any(places.in_window(*place) for place in places.outside)
    else:
        assert places.outside == []  # the print has no window


def test_accuracies_are_those_of_runs_of_the_same_lengths() -> None:
    """Also where T has logarithms: log(1/eps)^8/eps^2 is 2^61 at 1e-5, not at 2^-30.5."""
    printed, repaired = (
        runs_along(TWO_LEVELS, "corollary-2", variant=v).places for v in ("printed", "repaired")
    )
    for places in (printed, repaired):
        assert [places.T(1, eps) for eps in places.sweep] == pytest.approx(
            [2**43, 2**49, 2**55, 2**61], rel=1e-9
        )
    assert printed.sweep[-1] == 2**-30.5
    assert repaired.sweep[-1] > 1e-5


@pytest.mark.parametrize("order", [eps, 1 / eps ** Rational(1, 20)], ids=["falls", "hardly grows"])
def test_runs_that_do_not_become_long_decide_nothing(order: Any) -> None:
    places = runs_along(TWO_LEVELS, "corollary-2").places
    scalings = {**places.statement.scalings, "T": rc.statements.Scaling(order)}
    other = replace(places, statement=replace(places.statement, scalings=scalings))
    with pytest.raises(UndecidedError, match=r"corollary-2: T = eps.* does not come to runs of 2\^43"):
        assert other.inside


def test_units_are_inside_the_conditions_with_the_balls_of_their_runs() -> None:
    """alpha is bounded by L_hat, and L_hat depends on theta, which is smaller than the most it may be."""
    runs = runs_along(TWO_LEVELS, "corollary-3")
    units, place = runs.first_units, runs.places.inside[0]
    radius = runs.radius(place, units)
    assert runs.allows(place, units, radius)
    assert not runs.allows(place, {**units, "alpha": 2.01 * units["alpha"]}, radius)


def test_costs_are_counted_with_so_many_that_rounding_does_not_matter() -> None:
    """Rounds are T/p, and p is whole; samples are Q + 3 in each of T iterations, and as many at the start."""
    runs = runs_along(TWO_LEVELS, "corollary-2", variant="repaired")
    K, eps = runs.places.inside[-1]
    found = runs.cost(K, eps)
    p = 2**10 * runs.places.size("p", K, eps)
    assert found["rounds"] == pytest.approx(found["iterations"] / p, rel=1 / p)
    Q = 4 * 2**10 * runs.places.size("Q", K, eps)
    assert found["samples"] == pytest.approx(found["iterations"] * (Q + 3), rel=1 / Q)


def verdict_of(claim: Claim) -> str:
    tasks = claim.tasks(Budget(quick=True))
    rows = rows_of(tasks, [task.function(**task.arguments) for task in tasks])
    found = {check.verdict for check in claim.checks(rows)}
    return "refuted" if "fails" in found else "not refuted" if found == {"passes"} else "undecided"


def verdicts(*kinds: str) -> dict[str, str]:
    return {id: verdict_of(claim) for id, claim in claims_of(TWO_LEVELS).items() if id.startswith(kinds)}


def test_a_corollary_of_which_no_order_can_be_derived_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not refuted by that; where nothing is measured either, it is not decided."""
    monkeypatch.chdir(tmp_path)
    assert main(["new", "my_paper"]) == 0
    file = tmp_path / "my_paper.py"
    falling = file.read_text("utf-8").replace(
        "2 * Delta / (alpha * T),", "2 * Delta / (alpha * T) + Delta * L * (1 - alpha * L) ** T,"
    )
    file.write_text(falling, encoding="utf-8")
    assert any("no order could be derived" in finding.fits for finding in rc.lint(str(file)))
    claim = claims_of(str(file))[f"{file}:corollary-1"]
    assert verdict_of(claim) == "not refuted"
    nothing = Rows([{"finding": "not known", "place": "corollary-1.rate", "says": "of powers"}])
    assert sound(nothing).verdict == "undecided"
    assert left_open(nothing) == ["No order can be derived: of powers"]
    assert sound(Rows([{"finding": "rate", "place": "corollary-1.rate", "says": "wrong"}])).verdict == "fails"


FOUND = {  # by people, before any of it followed from the data
    **{f"corollary-{n}.printed": "refuted" for n in range(1, 7)},
    **{f"corollary-{n}.exponents": "not refuted" for n in range(1, 7)},
    **{f"corollary-{n}.repaired": "not refuted" for n in range(1, 7)},
    "remark-1.printed": "refuted",  # samples are iterations times a logarithm
    "remark-1.exponents": "not refuted",
    "remark-2.exponents": "not refuted",
    "remark-4.printed": "not refuted",  # it is meant up to logarithms
    "table-1.exponents": "not refuted",
}


@pytest.mark.nightly
def test_what_follows_from_the_data_is_what_a_person_found() -> None:
    """People did not ask for the logarithms of Remark 2 and Table 1, which repaired corollaries have."""
    asked = {"remark-2.printed": "refuted", "table-1.printed": "refuted"}
    repaired = dict.fromkeys(
        [f"remark-{n}.repaired" for n in (1, 2, 4)] + ["table-1.repaired"], "not refuted"
    )
    found = verdicts("corollary-", "remark-1", "remark-2", "remark-4", "table-1")
    derived = {id: verdict for id, verdict in found.items() if not id.endswith(BY_HAND)}
    assert derived == FOUND | asked | repaired


def test_the_page_shows_costs_as_a_paper_has_them() -> None:
    page = (DOCS / "your_own_paper.md").read_text("utf-8")
    block = page.partition("## Rates and costs\n")[2].partition("```py\n")[2].partition("```")[0]
    assert block.startswith("COSTS = s.Counts(")
    assert block in (DOCS.parent / "ratecert/papers/parallel_sgd.py").read_text("utf-8")
