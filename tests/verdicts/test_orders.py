"""The order that follows from a theorem, on every edge of a corollary's cone, beside the one that is claimed."""

from fractions import Fraction
from typing import Any

import pytest
import sympy

import ratecert as rc
from oracles.small_papers import small_paper
from ratecert.claims.rows import Row, Rows
from ratecert.theory.language.statements import Corollary
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


def derived(
    claim: Any, window: tuple[Any, ...] = (), kind: str = "O", conditions: Any = None, **scalings: Any
) -> Rows:
    """From the bound R_2/(alpha T) + alpha/K."""
    corollary = Corollary(
        id="corollary-1",
        title="Rate",
        source="1",
        theorem="theorem-1",
        scalings={name: s.Scaling(order, "Theta") for name, order in scalings.items()},
        claim=s.Scaling(claim, kind),
        window=window,
    )
    terms = {"start": R_2 / (alpha * T), "noise": alpha / K}
    letters = "K T p eps alpha R_2"
    paper = small_paper(
        "derived-by-hand", terms=terms, conditions=conditions, letters=letters, more=(corollary,)
    )
    return Rows(derivation(paper, corollary))


def by_edge(rows: Rows) -> dict[str, tuple[float, float, str]]:
    return {
        row["kappa"]: (row["power"], row["claimed power"], row["leads"]) for row in rows.where(part="derived")
    }


def test_the_largest_term_leads_on_every_edge() -> None:
    """alpha = sqrt(K/T): both terms are 1/sqrt(KT), with one device and with as many as iterations."""
    rows = derived(1 / sympy.sqrt(K * T), (sympy.Ge(T, K),), alpha=sympy.sqrt(K / T))
    assert by_edge(rows) == {"0": (-0.5, -0.5, "start, noise"), "1": (-1.0, -1.0, "start, noise")}


def test_a_step_that_forgets_the_devices_costs_their_speedup() -> None:
    """alpha = 1/sqrt(T): the first term is 1/sqrt(T) whatever K is."""
    rows = derived(1 / sympy.sqrt(K * T), (sympy.Ge(T, K),), alpha=1 / sympy.sqrt(T))
    assert by_edge(rows) == {"0": (-0.5, -0.5, "start, noise"), "1": (-0.5, -1.0, "start")}
    assert [check.verdict for check in checks_of_powers(rows, "T")] == ["passes", "fails"]


def test_in_eps_the_power_is_that_of_one_over_eps() -> None:
    """alpha = K eps and T = 1/(K eps^2): both terms are eps, which is more than eps^2."""
    rows = derived(eps, alpha=K * eps, T=1 / (K * eps**2))
    assert by_edge(rows)["0"] == (-1.0, -1.0, "start, noise")
    slower = derived(eps**2, alpha=K * eps, T=1 / (K * eps**2))
    assert "fails" in {check.verdict for check in checks_of_powers(slower, "1/eps")}


@pytest.mark.parametrize(("kind", "keeps"), [("O", True), ("O~", False)])
def test_logarithms_are_kept_unless_the_claim_is_meant_up_to_them(kind: str, keeps: bool) -> None:
    """And nowhere where K grows alone, beside which they are constants."""
    rows = derived(1 / sympy.sqrt(T), kind=kind, alpha=1 / sympy.sqrt(T)).where(part="derived")
    assert {row["kappa"]: row["keeps_logs"] for row in rows} == {"0": keeps, "K alone": False}


STEP = 1 / sympy.sqrt(T)


@pytest.mark.parametrize(
    ("condition", "scalings", "missed"),
    [
        (s.Condition(alpha, "<=", (STEP,)), {"alpha": STEP}, {}),
        (s.Condition(alpha, "<=", (1 / T,)), {"alpha": STEP}, {"alpha": True}),
        (s.Condition(alpha, "<=", (STEP,)), {"alpha": sympy.log(T) * STEP}, {"alpha": False}),
        (s.Condition(alpha, "=", (STEP,)), {"alpha": 1 / T}, {"alpha": True}),  # too small is wrong as well
        (s.Condition(alpha, "=", (STEP,)), {"alpha": STEP / sympy.log(T)}, {"alpha": False}),
        (s.Condition(alpha * p, "<=", (1,)), {"alpha": STEP, "p": T}, {"alpha": True}),  # no letter by itself
        (
            s.Condition(alpha * p, "<=", (1,)),
            {"alpha": STEP, "p": sympy.sqrt(T) * sympy.log(T)},
            {"alpha": False},
        ),
        (s.Condition(alpha * p, "<=", (1,)), {"alpha": STEP, "p": sympy.sqrt(T)}, {}),
    ],
)
def test_scalings_outside_a_condition_are_told_by_a_power_or_by_a_logarithm(
    condition: Any, scalings: dict[str, Any], missed: dict[str, bool]
) -> None:
    rows = derived(STEP, conditions={"one": condition}, **scalings).where(part="condition")
    assert {row["scaling"].rpartition(".")[2]: row["by a power"] for row in rows} == missed


# The checks, of rows by hand.

ROW: Row = {
    "part": "derived",
    "kappa": "0",
    "leads": "all",
    "power": -0.5,
    "claimed power": -0.5,
    "log": 0.0,
    "claimed log": 0.0,
    "keeps_logs": True,
}


def row(**changed: Any) -> Row:
    return {
        **ROW,
        **{name.replace("_", " ") if name != "keeps_logs" else name: v for name, v in changed.items()},
    }


@pytest.mark.parametrize(
    ("changed", "verdicts"),
    [
        ({}, ["passes"]),
        ({"log": 1.0}, ["fails"]),
        ({"log": 1.0, "claimed_log": 1.0}, ["passes"]),
        ({"log": 1.0, "claimed_log": 2.0}, ["passes"]),
        (
            {"log": 1.0, "power": -0.75},
            [],
        ),  # the claimed power is not attained, and a logarithm beside it is no matter
        ({"log": 1.0, "power": -0.25}, ["fails"]),
        ({"log": 1.0, "keeps_logs": False}, []),
    ],
)
def test_logarithms_count_where_the_claimed_power_is_attained(
    changed: dict[str, Any], verdicts: list[str]
) -> None:
    assert [check.verdict for check in checks_of_logs(Rows([row(**changed)]))] == verdicts


def test_of_several_edges_the_worst_logarithm_counts() -> None:
    rows = Rows([row(log=1.0, claimed_log=1.0), row(log=2.0, claimed_log=1.0), row(log=3.0, power=-1.0)])
    (check,) = checks_of_logs(rows)
    assert (check.measured, check.predicted, check.verdict) == (2.0, 1.0, "fails")


def test_a_power_may_be_smaller_than_claimed() -> None:
    rows = Rows([row(), row(power=-0.75, kappa="1/3"), row(power=-0.25, kappa="K alone")])
    checks = [*checks_of_powers(rows, "T")]
    assert [check.verdict for check in checks] == ["passes", "passes", "fails"]
    assert [check.name.split(", ")[1] for check in checks] == [
        "K = 1 (all)",
        "K = T^(1/3) (all)",
        "T fixed (all)",
    ]


def test_without_an_edge_nothing_is_known() -> None:
    (check,) = checks_of_all_edges(Rows())
    assert check.verdict == "undecided"
    assert not [*checks_of_all_edges(Rows([row()]))]


def test_a_scaling_outside_the_conditions_by_a_power_fails() -> None:
    by_log = {"part": "condition", "scaling": "alpha", "ratio": "log", "by a power": False}
    by_power = {"part": "condition", "scaling": "p", "ratio": "T", "by a power": True}
    for rows, verdict in (([], "passes"), ([by_log], "passes"), ([by_log, by_power], "fails")):
        (check,) = checks_of_conditions(Rows(rows))
        assert check.verdict == verdict
        assert ("(p)" in check.name) is (verdict == "fails")
