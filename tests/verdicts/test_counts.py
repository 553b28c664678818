"""Printed costs: whether logarithms are all that they lack, and what counted runs say of their exponents."""

import math
from typing import Any

import pytest
import sympy

import ratecert as rc
from oracles.small_papers import descent, small_paper
from ratecert.catalogue import load
from ratecert.claims.claim import Budget, Claim
from ratecert.claims.rows import Rows
from ratecert.errors import UndecidedError
from ratecert.theory.language.paper import Erratum
from ratecert.verdicts.collect import claims_of
from ratecert.verdicts.corollary_runs import Places

s = rc.statements
K, T, eps, alpha, R_2 = s.letters("K T eps alpha R_2")
KEY = "counts-by-hand"
RATE = {"alpha": s.Scaling(K * eps, "Theta"), "T": s.Scaling(1 / (K * eps**2), "Theta")}
LOG = sympy.log(1 / eps)


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "_HELD", {})


def costs(samples: Any, kind: str) -> Any:
    cost = s.Cost("SGD", "corollary-1", {"samples": s.Scaling(samples, kind)})
    return s.Counts(id="costs", title="Costs", source="1", costs=(cost,))


def claims(printed: Any, kind: str, repaired: Any, rate: Any = None) -> dict[str, Claim]:
    """Of costs as they are printed, with an erratum to them, or to the rate of their corollary, where one is given."""
    corollary = s.Corollary(
        id="corollary-1", title="Rate", source="1", theorem="theorem-1", scalings=RATE, claim=s.Scaling(eps)
    )
    paper = small_paper(
        KEY,
        terms={"all": R_2 / (alpha * T) + alpha / K},
        letters="K T eps alpha R_2",
        more=(corollary, costs(printed, kind)),
    )
    erratum = None
    if repaired is not None:
        read = costs(repaired, "O")
        erratum = Erratum(place="costs", printed=paper["costs"], read=read, reason="lost", evidence="by hand")
    if rate is not None:
        place = "corollary-1.rate"
        erratum = Erratum(place=place, printed=eps, read=rate, reason="lost", evidence="by hand")
    run = s.Binding(**descent(constants={"R_2": "squared_distance"}, devices="K"))
    rc.register(paper, {"theorem-1": run}, repaired=paper.repaired((erratum,)) if erratum else None)
    return {id.removeprefix(f"{KEY}:"): claim for id, claim in claims_of(KEY).items() if ":costs" in id}


EXACT, SLOWER = 1 / (K * eps**2), 1 / (K * eps**3)


@pytest.mark.parametrize(
    ("printed", "kind", "repaired", "ids"),
    [
        (EXACT, "O", EXACT * LOG, {"costs.printed", "costs.exponents", "costs.repaired"}),
        (
            EXACT,
            "O~",
            EXACT * LOG,
            {"costs.printed", "costs.repaired"},
        ),  # meant up to logarithms: none is lacking
        (EXACT, "O", SLOWER, {"costs.printed", "costs.repaired"}),  # a power is lacking
        (EXACT, "O", None, {"costs"}),
    ],
)
def test_exponents_are_a_claim_of_their_own_where_logarithms_are_all_that_is_lacking(
    printed: Any, kind: str, repaired: Any, ids: set[str]
) -> None:
    found = claims(printed, kind, repaired)
    assert set(found) == ids
    if "costs.printed" in found:
        assert found["costs.printed"].expected == ("refuted" if kind == "O" else "not refuted")


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
    checks = claims(EXACT, "O", None)["costs"].checks(rows)
    found = {check.name.split()[3]: check.verdict for check in checks if "exponent of" in check.name}
    assert found == verdicts


def test_a_claim_on_exponents_alone_leaves_the_linter_out() -> None:
    found = claims(EXACT, "O", EXACT * LOG)
    functions = {
        id: [str(each).rpartition(".")[2] for each in claim.tasks(Budget())] for id, claim in found.items()
    }
    assert functions["costs.exponents"] == ["counted"]
    assert functions["costs.printed"] == functions["costs.repaired"] == ["counted", "findings"]


def test_costs_are_counted_along_the_repaired_corollary_where_that_has_errata() -> None:
    (task, _) = claims(EXACT, "O", None)["costs"].tasks(Budget())
    assert task.arguments["variant"] == "printed"
    (task, _) = claims(EXACT, "O", None, rate=2 * eps)["costs"].tasks(Budget())
    assert task.arguments["variant"] == "repaired"


# Where a corollary is tried.


def places(window: tuple[Any, ...] = (), one: bool = False, devices: str = "K", **scalings: Any) -> Places:
    letters = {name: s.Scaling(order) for name, order in scalings.items()}
    corollary = s.Corollary(
        id="corollary-1",
        title="Rate",
        source="1",
        theorem="theorem-1",
        scalings=letters,
        claim=s.Scaling(eps),
        window=window,
    )
    return Places(corollary, s.Binding(**descent(devices=devices)), one)


CUBE = (sympy.Ge(T, K**3),)


def test_runs_are_inside_the_window_with_few_and_with_many_devices() -> None:
    """T = 2^43, ..., 2^61 has room for 2^14, ..., 2^20 devices: 2^18 at the end, and 2^12 in all runs."""
    found = places(CUBE, alpha=1 / T)
    times = [2.0**n for n in (43, 49, 55, 61)]
    assert found.devices == (1, 2**6, 2**12, 2**18)
    few_and_many = [(K_, at) for K_ in (1, 2**12) for at in times]
    assert sorted(found.inside) == sorted([*few_and_many, (2**6, times[-1]), (2**18, times[-1])])


def test_runs_just_outside_have_more_devices_than_the_shortest_allows() -> None:
    assert places(CUBE, alpha=1 / T).outside == [(2**16, 2.0**43), (2**18, 2.0**43)]
    assert places(alpha=1 / T).outside == []


def test_one_number_of_devices_is_enough_where_nothing_depends_on_it() -> None:
    assert places(CUBE, one=True, alpha=1 / T).devices == (2**6,)
    assert places(CUBE, devices="", alpha=1 / T).devices == (1,)


def test_a_window_that_no_run_meets_leaves_the_exponent_unread() -> None:
    with pytest.raises(UndecidedError, match="fewer than 3 of the T that are tried"):
        assert places((sympy.Ge(K, T),), alpha=1 / T).inside


def test_a_letter_becomes_small_where_its_order_does() -> None:
    """As eps falls, or T grows; one that follows K alone, or nothing, does not."""
    in_eps = places(T=1 / eps**2, alpha=K * eps, p=K, q=1 / eps)
    assert [in_eps.falls(name) for name in ("alpha", "p", "q", "T", "other")] == [
        True,
        False,
        False,
        False,
        False,
    ]
    in_T = places(alpha=K / T, p=K, q=T)
    assert [in_T.falls(name) for name in ("alpha", "p", "q", "other")] == [True, False, False, False]


def test_a_letter_is_fixed_where_its_order_is_a_logarithm_at_most() -> None:
    in_eps = places(T=1 / eps**2, alpha=K * eps, Q=LOG, c=sympy.Integer(1))
    assert [in_eps.is_fixed(name) for name in ("alpha", "Q", "c", "other")] == [False, True, True, True]


def test_runs_are_as_long_as_the_corollary_says() -> None:
    """T = 100/eps^2 with one device: -log2 eps for 2^43 iterations is (43 - log2 100)/2."""
    found = places(T=100 / eps**2, alpha=eps)
    assert [-2 * math.log2(each) + math.log2(100) for each in found.sweep] == pytest.approx([43, 49, 55, 61])
    assert [places(alpha=1 / T).T(1, at) for at in (8.0, 2.0**61)] == [8, 2**61]
    with pytest.raises(UndecidedError, match="does not come to runs of"):
        assert places(T=sympy.Integer(7) + 0 * eps, alpha=eps).sweep
