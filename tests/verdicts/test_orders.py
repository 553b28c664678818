"""The order that follows from a theorem, on every edge of a corollary's cone, beside the one that is claimed."""

from fractions import Fraction
from typing import Any

import pytest
import sympy

import ratecert as rc
from oracles.small_papers import corollary, small_paper
from ratecert.claims.rows import Row, Rows
from ratecert.theory.orders.monomials import Monomial
from ratecert.verdicts.orders import (
    checks_of_all_edges,
    checks_of_conditions,
    checks_of_logs,
    checks_of_powers,
    derivation,
    power_along,
)

s = rc.statements
K, T, p, eps, alpha, R_2 = s.letters("K T p eps alpha R_2")
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
STEP = 1 / sympy.sqrt(T)


@pytest.mark.parametrize(
    ("monomial", "kappa", "power"),
    [
        (Monomial.of(T=-HALF), Fraction(0), -HALF),
        (Monomial.of(T=-HALF, K=-HALF), THIRD, -HALF - Fraction(1, 6)),  # K = T^(1/3)
        (Monomial.of(eps=-2), Fraction(0), Fraction(2)),  # eps^-2 is N^2 for N = 1/eps
        (Monomial.of(eps=1, K=1), Fraction(2), Fraction(1)),
        (Monomial.of(T=5, K=-1), None, Fraction(-1)),  # where K grows alone, its power counts
    ],
)
def test_a_power_along_an_edge(monomial: Monomial, kappa: Fraction | None, power: Fraction) -> None:
    assert power_along(monomial, kappa) == power


def derived(claim: Any, condition: Any = None, **given: Any) -> Rows:
    """From the bound R_2/(alpha T) + alpha/K."""
    paper = small_paper(
        "derived-by-hand",
        terms={"start": R_2 / (alpha * T), "noise": alpha / K},
        conditions={"one": condition} if condition else {},
        letters="K T p eps alpha R_2",
        more=(corollary(claim, **given),),
    )
    return Rows(derivation(paper, paper["corollary-1"]))


JOINT = {"window": (sympy.Ge(T, K),)}


@pytest.mark.parametrize(
    ("claim", "given", "edges", "verdicts"),
    [
        (  # both terms are 1/sqrt(KT), with one device and with as many as iterations
            1 / sympy.sqrt(K * T),
            {"alpha": sympy.sqrt(K / T), **JOINT},
            {"0": (-0.5, -0.5, "start, noise"), "1": (-1.0, -1.0, "start, noise")},
            ["passes", "passes"],
        ),
        (  # a step that forgets the devices costs their speedup: the first term is 1/sqrt(T) whatever K is
            1 / sympy.sqrt(K * T),
            {"alpha": STEP, **JOINT},
            {"0": (-0.5, -0.5, "start, noise"), "1": (-0.5, -1.0, "start")},
            ["passes", "fails"],
        ),
        (  # in eps the power is that of N = 1/eps; both terms are eps
            eps,
            {"alpha": K * eps, "T": 1 / (K * eps**2)},
            {"0": (-1.0, -1.0, "start, noise"), "2": (-1.0, -1.0, "start, noise")},
            ["passes", "passes"],
        ),
        (
            eps**2,
            {"alpha": K * eps, "T": 1 / (K * eps**2)},
            {"0": (-1.0, -2.0, "start, noise"), "2": (-1.0, -2.0, "start, noise")},
            ["fails", "fails"],
        ),
    ],
)
def test_the_largest_term_leads_on_every_edge(
    claim: Any, given: Any, edges: dict[str, Any], verdicts: list[str]
) -> None:
    rows = derived(claim, **given)
    found = {r["kappa"]: (r["power"], r["claimed power"], r["leads"]) for r in rows.where(part="derived")}
    assert found == edges
    assert [check.verdict for check in checks_of_powers(rows, "N")] == verdicts


@pytest.mark.parametrize(("kind", "keeps"), [("O", True), ("O~", False)])
def test_logarithms_are_kept_unless_the_claim_is_meant_up_to_them(kind: str, keeps: bool) -> None:
    """And nowhere where K grows alone, beside which they are constants."""
    rows = derived(STEP, kind=kind, alpha=STEP).where(part="derived")
    assert {row["kappa"]: row["keeps_logs"] for row in rows} == {"0": keeps, "K alone": False}


@pytest.mark.parametrize(
    ("condition", "scalings", "missed"),
    [
        ((alpha, "<=", (STEP,)), {"alpha": STEP}, {}),
        ((alpha, "<=", (1 / T,)), {"alpha": STEP}, {"alpha": True}),
        ((alpha, "<=", (STEP,)), {"alpha": sympy.log(T) * STEP}, {"alpha": False}),
        ((alpha, "=", (STEP,)), {"alpha": 1 / T}, {"alpha": True}),  # too small is wrong as well
        ((alpha, "=", (STEP,)), {"alpha": STEP / sympy.log(T)}, {"alpha": False}),
        ((alpha * p, "<=", (1,)), {"alpha": STEP, "p": T}, {"alpha": True}),  # no letter by itself
        ((alpha * p, "<=", (1,)), {"alpha": STEP, "p": sympy.sqrt(T) * sympy.log(T)}, {"alpha": False}),
        ((alpha * p, "<=", (1,)), {"alpha": STEP, "p": sympy.sqrt(T)}, {}),
    ],
)
def test_scalings_outside_a_condition_are_told_by_a_power_or_by_a_logarithm(
    condition: Any, scalings: dict[str, Any], missed: dict[str, bool]
) -> None:
    rows = derived(STEP, s.Condition(*condition), **scalings).where(part="condition")
    assert {row["scaling"].rpartition(".")[2]: row["by a power"] for row in rows} == missed


# The checks, of rows that are given.


def row(**changed: Any) -> Row:
    powers = {"power": -0.5, "claimed power": -0.5, "log": 0.0, "claimed log": 0.0, "keeps_logs": True}
    return {"part": "derived", "kappa": "0", "leads": "all", **powers, **changed}


@pytest.mark.parametrize(
    ("rows", "verdicts"),
    [
        ([{}], ["passes"]),
        ([{"log": 1.0}], ["fails"]),
        ([{"log": 1.0, "claimed log": 1.0}], ["passes"]),
        ([{"log": 1.0, "claimed log": 2.0}], ["passes"]),
        ([{"log": 1.0, "power": -0.75}], []),  # the claimed power is not attained
        ([{"log": 1.0, "power": -0.25}], ["fails"]),
        ([{"log": 1.0, "keeps_logs": False}], []),
        ([{"log": 1.0, "claimed log": 1.0}, {"log": 2.0, "claimed log": 1.0}, {"log": 3.0, "power": -1.0}], ["fails"]),
    ],
)  # fmt: skip
def test_logarithms_count_where_the_claimed_power_is_attained(rows: list[Any], verdicts: list[str]) -> None:
    """Of several edges the worst counts."""
    checks = [*checks_of_logs(Rows(row(**changed) for changed in rows))]
    assert [check.verdict for check in checks] == verdicts
    assert all(check.measured == max(each.get("log", 0.0) for each in rows[:2]) for check in checks)


def test_a_power_may_be_smaller_than_claimed() -> None:
    rows = Rows([row(), row(power=-0.75, kappa="1/3"), row(power=-0.25, kappa="K alone")])
    checks = [*checks_of_powers(rows, "T")]
    assert [check.verdict for check in checks] == ["passes", "passes", "fails"]
    names = [check.name.split(", ")[1] for check in checks]
    assert names == ["K = 1 (all)", "K = T^(1/3) (all)", "T fixed (all)"]


def test_without_an_edge_nothing_is_known() -> None:
    assert [check.verdict for check in checks_of_all_edges(Rows())] == ["undecided"]
    assert not [*checks_of_all_edges(Rows([row()]))]


def test_a_scaling_outside_the_conditions_by_a_power_fails() -> None:
    by_log = {"part": "condition", "scaling": "alpha", "ratio": "log", "by a power": False}
    by_power = {"part": "condition", "scaling": "p", "ratio": "T", "by a power": True}
    for rows, verdict in (([], "passes"), ([by_log], "passes"), ([by_log, by_power], "fails")):
        (check,) = checks_of_conditions(Rows(rows))
        assert check.verdict == verdict
        assert ("(p)" in check.name) is (verdict == "fails")
