"""Printed costs: whether logarithms are all that they lack, and what counted runs say of their exponents."""

from typing import Any

import pytest
import sympy

import ratecert as rc
from oracles.small_papers import corollary, descent, small_paper
from ratecert.claims.claim import Budget, Claim
from ratecert.claims.rows import Rows
from ratecert.theory.paper import Erratum
from ratecert.verdicts.collect import claims_of

s = rc.statements
K, eps, alpha, T, R_2 = s.letters("K eps alpha T R_2")
KEY = "counts-by-hand"
EXACT, SLOWER = 1 / (K * eps**2), 1 / (K * eps**3)
LOG = sympy.log(1 / eps)


def costs(samples: Any, kind: str) -> Any:
    cost = s.Cost("SGD", "corollary-1", {"samples": s.Scaling(samples, kind)})
    return s.Counts(id="costs", title="Costs", source="1", costs=(cost,))


def claims(printed: Any, kind: str = "O", repaired: Any = None, rate: Any = None) -> dict[str, Claim]:
    """Of costs as they are printed, with an erratum to them, or to the rate of their corollary, where one is given."""
    along = corollary(eps, alpha=K * eps, T=EXACT)
    terms = {"all": R_2 / (alpha * T) + alpha / K}
    paper = small_paper(KEY, terms=terms, letters="K T eps alpha R_2", more=(along, costs(printed, kind)))
    errata = [
        Erratum(place=place, printed=print_, read=read, reason="lost", evidence="by hand")
        for place, print_, read in (
            ("costs", paper["costs"], costs(repaired, "O") if repaired else None),
            ("corollary-1.rate", eps, rate),
        )
        if read
    ]
    run = s.Binding(**descent(constants={"R_2": "squared_distance"}, devices="K"))
    rc.register(paper, {"theorem-1": run}, repaired=paper.repaired(tuple(errata)) if errata else None)
    return {id.removeprefix(f"{KEY}:"): claim for id, claim in claims_of(KEY).items() if ":costs" in id}


BOTH = {"costs.printed": "refuted", "costs.repaired": "not refuted"}


@pytest.mark.parametrize(
    ("printed", "kind", "repaired", "expected"),
    [
        (EXACT, "O", EXACT * LOG, {**BOTH, "costs.exponents": "not refuted"}),
        (EXACT, "O~", EXACT * LOG, {**BOTH, "costs.printed": "not refuted"}),  # none is lacking
        (EXACT, "O", SLOWER, BOTH),  # a power is lacking
        (EXACT, "O", None, {"costs": "not refuted"}),
    ],
)
def test_exponents_are_a_claim_of_their_own_where_logarithms_are_all_that_is_lacking(
    printed: Any, kind: str, repaired: Any, expected: dict[str, str]
) -> None:
    assert {id: claim.expected for id, claim in claims(printed, kind, repaired).items()} == expected


@pytest.mark.parametrize(
    ("power_of_K", "power_of_eps", "verdicts"),
    [
        (-1.0, -2.0, {"eps": "passes", "K": "passes"}),
        (-1.0, -1.5, {"eps": "passes", "K": "passes"}),  # cheaper than printed
        (-1.0, -2.5, {"eps": "fails", "K": "passes"}),
        (0.0, -2.0, {"eps": "passes", "K": "fails"}),
    ],
)
def test_what_runs_cost_is_held_against_both_exponents(
    power_of_K: float, power_of_eps: float, verdicts: dict[str, str]
) -> None:
    rows = Rows(
        {"corollary": "corollary-1", "K": k, "eps": e, "samples": k**power_of_K * e**power_of_eps}
        for k in (1, 4, 16)
        for e in (1e-6, 1e-7, 1e-8, 1e-9)
    )
    checks = claims(EXACT)["costs"].checks(rows)
    found = {check.name.split()[3]: check.verdict for check in checks if "exponent of" in check.name}
    assert found == verdicts


def test_a_claim_on_exponents_alone_leaves_the_linter_out() -> None:
    tasks = {id: claim.tasks(Budget()) for id, claim in claims(EXACT, "O", EXACT * LOG).items()}
    functions = {id: [str(each).rpartition(".")[2] for each in some] for id, some in tasks.items()}
    assert functions["costs.exponents"] == ["counted"]
    assert functions["costs.printed"] == functions["costs.repaired"] == ["counted", "findings"]


@pytest.mark.parametrize(("rate", "variant"), [(None, "printed"), (2 * eps, "repaired")])
def test_costs_are_counted_along_the_repaired_corollary_where_that_has_errata(
    rate: Any, variant: str
) -> None:
    (counted, _) = claims(EXACT, rate=rate)["costs"].tasks(Budget())
    assert counted.arguments["variant"] == variant
