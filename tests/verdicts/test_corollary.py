"""A corollary on trial: exponents at the end of long runs, in T and in K; what derivation and linter say beside it."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy

import ratecert as rc
from oracles.small_papers import LINE, corollary, descent, small_paper
from ratecert.claims.check import Check
from ratecert.claims.claim import Claim
from ratecert.claims.rows import Row, Rows
from ratecert.errors import UndecidedError
from ratecert.theory.paper import Erratum
from ratecert.verdicts.collect import claims_of
from ratecert.verdicts.exponents import at_the_end, bounded, longest, over_logs, over_shown_logs

s = rc.statements
K, T, eps, alpha, R_2 = s.letters("K T eps alpha R_2")
TIMES = [2.0**n for n in (43, 49, 55, 61)]
VALUES = [2.0**n for n in (28, 32, 36, 40)]


# Which runs an exponent is read from, and how far it may still move.


@pytest.mark.parametrize(
    ("runs", "other", "held", "read"),
    [
        (
            [(k, t) for k in (1, 4, 16) for t in (8, 64)],
            "T",
            64,
            3,
        ),  # that of K at the largest T, or smallest eps
        ([(k, t) for k in (1, 4, 16) for t in (8, 64)], "K", 16, 2),  # that of T with the most devices
        ([(k, e) for k in (1, 4) for e in (0.5, 0.25, 0.125)], "eps", 0.125, 2),
        (
            [*((k, t) for k in (1, 4) for t in (8, 64, 512)), (16, 512)],
            "K",
            4,
            3,
        ),  # a window cuts 16 devices off
    ],
)
def test_an_exponent_is_read_where_the_other_letter_is_most_extreme(
    runs: list[tuple[float, float]], other: str, held: float, read: int
) -> None:
    free = "eps" if other == "eps" else "T"
    found, here = longest(Rows({"K": k, free: at} for k, at in runs), other)
    assert (found, len(here)) == (held, read)
    assert all(row[other] == held for row in here)


def along(x: list[float], slopes: tuple[float, ...], name: str = "T") -> list[Row]:
    """Points with these slopes between neighbours."""
    logs = np.cumsum([0.0, *(slopes * np.diff(np.log(x)))])
    return [{name: each, "y": math.exp(log)} for each, log in zip(x, logs, strict=True)]


@pytest.mark.parametrize(
    ("slopes", "rest"),
    [
        ((-0.5, -0.5, -0.5), 0.0),
        ((-0.3, -0.4, -0.425), -0.025 / 3),  # a quarter each time, and 1/4/(1 - 1/4) is left
        ((-0.7, -0.6, -0.56), 0.04 * (2 / 3)),  # two fifths each time
        ((-0.3, -0.4, -0.46), -0.06),  # 0.6 is no ratio that shrinks soon: as much as the last step
        ((-0.3, -0.3, -0.4), -0.1),
    ],
)
def test_what_is_left_of_the_way_is_the_rest_of_a_geometric_series(
    slopes: tuple[float, ...], rest: float
) -> None:
    value, moves = at_the_end(along([1e3, 1e4, 1e5, 1e6], slopes), "T", "y")
    assert (value, moves) == (pytest.approx(slopes[-1]), pytest.approx(rest, abs=1e-12))


def test_the_end_of_eps_is_at_small_values_and_an_exponent_needs_three_positive_ones() -> None:
    points = along([1e-3, 1e-4, 1e-5], (0.5, 0.75), "eps")
    assert at_the_end(points[::-1], "eps", "y")[0] == pytest.approx(0.75)
    with pytest.raises(UndecidedError, match="2 values of T do not say"):
        at_the_end(along([1e3, 1e4], (0.5,)), "T", "y")
    with pytest.raises(UndecidedError, match="a y of zero has no exponent"):
        at_the_end([{"T": t, "y": 0.0} for t in (1, 2, 4)], "T", "y")


@pytest.mark.parametrize(
    ("slopes", "bound", "factor", "verdict", "said"),
    [
        ((-0.5, -0.5, -0.5), -0.5, 10.0, "passes", ""),
        ((-0.5, -0.5, -0.5), -0.2, 10.0, "passes", ""),  # the bound is asked only where something fails
        ((-0.45, -0.45, -0.45), -0.5, 10.0, "fails", ""),  # below a bound that falls as claimed, and settled
        ((-0.4, -0.4, -0.4), -0.5, 1.5, "fails", ""),  # above it in the end
        ((-0.2, -0.2, -0.2), -0.3, 10.0, "undecided", "the bound itself has not come to it"),
        ((-0.2, -0.2, -0.2), -0.6, 10.0, "fails", ""),
        ((-0.42, -0.45, -0.47), -0.5, 100.0, "passes", "that of the bound, which it is below"),  # on its way
        ((-0.42, -0.45, -0.47), -0.5, 0.5, "fails", ""),  # above the bound it has to be there already
        ((-0.64, -0.58, -0.53), -0.5, 100.0, "passes", "that of the bound"),  # it may still pass it by
        ((-0.49, -0.48, -0.46), -0.5, 100.0, "undecided", "which moves away from it"),
        ((-0.44, -0.459, -0.46), -0.5, 100.0, "fails", ""),  # nearly settled, and not there
    ],
)
def test_a_rate_is_refuted_only_above_a_bound_that_has_come_to_it(
    slopes: tuple[float, ...], bound: float, factor: float, verdict: str, said: str
) -> None:
    rows = [{**row, "bound": factor * (row["T"] / VALUES[0]) ** bound} for row in along(VALUES, slopes)]
    check = bounded("exponent", rows, "T", "y", -0.5, "bound")
    assert (check.verdict, check.name == "exponent") == (verdict, said == "")
    assert said in check.name


@pytest.mark.parametrize(("bound", "verdict"), [(0.5, "fails"), (0.2, "undecided")])
def test_an_exponent_of_eps_may_be_too_small(bound: float, verdict: str) -> None:
    points: list[Row] = [{"eps": 1 / T, "measure": T**-0.1, "bound": T**-bound} for T in VALUES]
    assert bounded("exponent", points, "eps", "measure", 0.5, "bound").verdict == verdict


def test_logarithms_of_the_claim_are_no_part_of_its_exponents() -> None:
    """T^-1/2 log(KT)^4 is measured as T^-1/2, and fails as what it is without its logarithms."""
    order = sympy.log(K * T) ** 4 / sympy.sqrt(K * T)
    points = [{"T": t, "K": 4, "measure": math.log(4 * t) ** 4 / math.sqrt(4 * t)} for t in VALUES]
    plain = over_logs(points, order, "measure")
    assert bounded("exponent", plain, "T", "measure", -0.5).verdict == "passes"
    assert plain[0]["measure"] == pytest.approx((4 * VALUES[0]) ** -0.5)
    assert bounded("exponent", points, "T", "measure", -0.5).verdict == "fails"
    assert over_logs(points, 1 / sympy.sqrt(K * T), "measure") == points


@pytest.mark.parametrize(("power", "verdict"), [(1.5, "passes"), (1.49, "passes"), (1.51, "fails")])
@pytest.mark.parametrize("log", [0, 1, 6])
def test_orders_up_to_logarithms_forgive_these_alone(power: float, log: int, verdict: str) -> None:
    points: list[Row] = [{"eps": 1 / T, "samples": T**power * math.log(T) ** log} for T in VALUES]
    plain = over_shown_logs(points, "eps", "samples")
    assert bounded("exponent", plain, "eps", "samples", -1.5).verdict == verdict
    if log:
        assert bounded("exponent", points, "eps", "samples", -1.5).verdict == "fails"


# The claim.


KEY = "rate-by-hand"


def claims(claim: Any, read: Any = None) -> dict[str, Claim]:
    """Those of a corollary, alpha of the order 1/sqrt(KT) in R_2/(alpha T K); `read` instead where it is wrong."""
    paper = small_paper(
        KEY,
        terms={"all": R_2 / (alpha * T * K)},
        letters="K T eps alpha R_2",
        more=(corollary(claim, alpha=1 / sympy.sqrt(K * T)),),
    )
    run = descent(constants={"R_2": "squared_distance"}, devices="K", worlds=(LINE,))
    repaired = None
    if read is not None:
        place = "corollary-1.rate"
        erratum = Erratum(place=place, printed=claim, read=read, reason="lost", evidence="by hand")
        repaired = paper.repaired((erratum,))
    rc.register(paper, {"theorem-1": s.Binding(**run)}, repaired=repaired)
    return {id.removeprefix(f"{KEY}:"): each for id, each in claims_of(KEY).items() if "corollary" in id}


def checks_of(claim: Any, rows: list[Row]) -> list[Check]:
    return list(claims(claim)["corollary-1"].checks(Rows(rows)))


def runs(measure: Callable[[float, float], float], devices: tuple[int, ...] = (1, 8, 64)) -> list[Row]:
    """All runs inside the window, below a bound that is as large as what is claimed."""
    return [
        {"K": k, "T": t, "measure": measure(k, t), "bound": 4.0 / math.sqrt(k * t), "inside": True}
        for k in devices
        for t in TIMES
    ]


RATE = 1 / sympy.sqrt(K * T)


def verdicts(
    measure: Callable[[float, float], float], devices: tuple[int, ...] = (1, 8, 64)
) -> dict[str, str]:
    """By the letter whose exponent it is."""
    checks = checks_of(RATE, runs(measure, devices))
    return {check.name.split()[2]: check.verdict for check in checks if check.name.startswith("exponent of")}


@pytest.mark.parametrize(
    ("measure", "in_T", "in_K"),
    [
        (lambda k, t: 1 / math.sqrt(k * t), "passes", "passes"),
        (lambda k, t: 1 / math.sqrt(k**1.5 * t**1.5), "passes", "passes"),
        (lambda k, t: 9 / (math.sqrt(t) * k**0.45), "passes", "fails"),
        (lambda k, t: 9 / (math.sqrt(k) * t**0.45), "fails", "passes"),
        (lambda k, t: 9 / math.sqrt(t), "passes", "fails"),  # no speedup at all
        (lambda k, t: 9.0, "fails", "fails"),
    ],
)
def test_both_exponents_are_checked(measure: Callable[[float, float], float], in_T: str, in_K: str) -> None:
    assert verdicts(measure) == {"T": in_T, "K": in_K}


def test_of_one_number_of_devices_no_exponent_is_read() -> None:
    assert verdicts(lambda k, t: 1 / math.sqrt(k * t), devices=(4,)) == {"T": "passes"}


def test_runs_outside_the_window_are_not_read() -> None:
    outside = [{**row, "measure": 1e9, "inside": False} for row in runs(lambda k, t: 1.0)]
    checks = checks_of(RATE, [*runs(lambda k, t: 1 / math.sqrt(k * t)), *outside])
    assert {check.verdict for check in checks} == {"passes"}


DERIVED = {"part": "derived", "kappa": "0", "leads": "all", "power": -0.5, "claimed power": -0.5,
           "log": 0.0, "claimed log": 0.0, "keeps_logs": True}  # fmt: skip


@pytest.mark.parametrize(
    ("extra", "verdicts"),
    [
        (DERIVED, {"passes"}),
        ({**DERIVED, "power": -0.25}, {"passes", "fails"}),
        ({**DERIVED, "log": 1.0}, {"passes", "fails"}),
        ({"finding": "consistency", "place": "corollary-1.rate", "says": "something else"}, {"passes", "fails"}),
        ({"finding": "none", "place": "corollary-1"}, {"passes"}),
    ],
)  # fmt: skip
def test_a_finding_or_a_larger_derived_order_refutes_though_the_runs_pass(
    extra: Row, verdicts: set[str]
) -> None:
    """What counts of a derived order is in test_orders.py."""
    fine = runs(lambda k, t: 1 / math.sqrt(k * t))
    assert {check.verdict for check in checks_of(RATE, [*fine, extra])} == verdicts


LOGS = sympy.log(T) * RATE


@pytest.mark.parametrize(
    ("printed", "read", "expected"),
    [
        (RATE, None, {"corollary-1": "not refuted"}),
        (RATE**2, RATE, {"corollary-1.printed": "refuted", "corollary-1.repaired": "not refuted"}),
        (
            RATE,
            LOGS,  # logarithms are all that is lacking: the exponents are a claim of their own
            {
                "corollary-1.printed": "refuted",
                "corollary-1.exponents": "proved",
                "corollary-1.repaired": "not refuted",
            },
        ),
    ],
)
def test_a_print_with_an_erratum_is_expected_to_be_refuted(
    printed: Any, read: Any, expected: dict[str, str]
) -> None:
    assert {id: claim.expected for id, claim in claims(printed, read).items()} == expected


def test_the_measure_just_outside_the_window_is_told_beside_the_largest_inside() -> None:
    """In units of the claimed order it is 1 with 1 device, 3 with 64, and 7 outside."""
    inside = runs(lambda k, t: (1.0 if k == 1 else 3.0) / math.sqrt(k * t), devices=(1, 64))
    outside = {**inside[0], "K": 256, "measure": 7 / math.sqrt(256 * inside[0]["T"]), "inside": False}
    notes = claims(RATE)["corollary-1"].notes
    assert callable(notes)
    (note,) = [note for note in notes(Rows([*inside, outside])) if "outside" in note]
    assert "at K = 256, the measure is 7 times the claimed order; inside it is at most 3 times" in note
    refused = {"K": 256, "T": 8.0, "inside": False, "refused": "alpha is too large."}
    assert "Just outside the window, at K = 256: alpha is too large." in notes(Rows([*inside, refused]))
