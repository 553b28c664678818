"""Where federated methods rest on devices that differ: the closed forms, and the claims `at-rest`, with their twins."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from oracles.kept_pieces import values_of
from oracles.reconstructed import NAMES, unmarked, unmarked_in
from oracles.tracing import paused_tracing
from ratecert.base.drawing import svgs
from ratecert.claims.check import overall
from ratecert.claims.claim import Budget, Claim, Piece, rows_of
from ratecert.claims.rows import Rows
from ratecert.papers.federated_bilevel import claims
from ratecert.papers.federated_bilevel.claims import at_rest
from ratecert.papers.federated_bilevel.claims.at_rest import FEW, LARGE, those
from ratecert.papers.federated_bilevel.claims.at_rest_rounds import IN_STEP, SHORT, law, moved
from ratecert.papers.federated_bilevel.evidence.at_rest import methods
from ratecert.papers.federated_bilevel.evidence.at_rest.methods import METHODS, not_federated, solver_of
from ratecert.papers.federated_bilevel.evidence.at_rest.places import X_LOCAL, X_OWN, X_STAR
from ratecert.papers.federated_bilevel.evidence.at_rest.resting import (
    SAME_A,
    SAME_A_B,
    THREE,
    TWO,
    WORLDS,
    resting,
    world_at,
)
from ratecert.report.results import entry
from ratecert.solvers import ALGORITHMS, FedNest, LocalSGD, fixed_point, name_of, neumann_hypergradient
from ratecert.synthetic import heterogeneous

SPEC: dict[str, Any] = {"d_x": 2, "d_y": 2, "K": 3, "seed": 5, "theta": 0.4, "terms": 64}


# The places.


def test_three_places_are_where_three_gradients_are_zero() -> None:
    """grad Phi, grad Phi + the bias, and the mean of the devices' own gradients; no two of the places are the same."""
    world = world_at(SPEC, 0.3)

    def residuals(x: Any) -> list[float]:
        own = np.mean([device.hypergradient(x) for device in world.devices], axis=0)
        gradient = world.hypergradient(x)
        return [float(np.linalg.norm(v)) for v in (gradient, gradient + world.local_inverse_bias(x), own)]

    for i, place in enumerate((X_STAR, X_LOCAL, X_OWN)):
        found = residuals(place.at(world))
        assert found[i] < 1e-14
        assert min(found[:i] + found[i + 1 :]) > 1e-3


def test_a_series_that_is_cut_moves_them() -> None:
    """The devices' own sums at the common y*(x) have mean zero at x_local with as many terms, and not with another."""
    world = world_at(SPEC, 0.3)
    x = X_LOCAL.at(world, theta=0.2, terms=4)
    y = world.y_star(x)
    for Q, zero in ((3, True), (4, False)):
        own = [neumann_hypergradient(device, x, y, theta=0.2, Q=Q) for device in world.devices]
        assert (np.linalg.norm(np.mean(own, axis=0)) < 1e-14) == zero


def test_what_own_lower_levels_add_to_the_gradient() -> None:
    """The local-inverse bias, S'D times the mean of the solutions' gaps, and a covariance, which equal A_k leave."""
    for alike, vanishing in (([], 0), (["A"], 2), (["A", "B"], 3)):
        world = world_at({**SPEC, "alike": alike}, 0.3)
        x, S = np.array([0.4, -0.7]), [np.linalg.solve(d.A, d.B) for d in world.devices]
        y, S_bar, y_star = [d.y_star(x) for d in world.devices], np.mean(S, axis=0), world.y_star(x)
        y_bar = np.mean(y, axis=0)
        parts = [
            world.local_inverse_bias(x),
            S_bar.T @ world.D @ (y_bar - y_star),
            np.mean(
                [(S_k - S_bar).T @ world.D @ (y_k - y_bar) for S_k, y_k in zip(S, y, strict=True)], axis=0
            ),
        ]
        own = np.mean([device.hypergradient(x) for device in world.devices], axis=0)
        np.testing.assert_allclose(own - world.hypergradient(x), sum(parts), atol=1e-14)
        sizes = [float(np.linalg.norm(part)) for part in parts]
        assert max(sizes[:vanishing], default=0.0) < 1e-14
        assert min(sizes[vanishing:], default=1.0) > 1e-3


def test_every_algorithm_has_a_place_or_a_reason() -> None:
    federated, others = {known.algorithm for known in METHODS.values()}, not_federated()
    assert federated | set(others) == set(ALGORITHMS)
    assert [name for name, why in others.items() if why == "no lower level"] == ["STEM"]
    assert set(IN_STEP) == set(METHODS) - {"FedNest"}


def test_an_algorithm_without_a_place_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ALGORITHMS, "Newcomer", LocalSGD)
    assert not_federated()["Newcomer"] == "no place has been derived for it"


# What local steps add.


@pytest.mark.parametrize("method", ["LocalSGD", "FedBiOAcc", "FedBiOAccGlobal", "LocalBSGVRM"])
def test_laws_in_two_dimensions(method: str) -> None:
    """To the order p eta; a law with another period is off."""
    world = world_at(SPEC, 0.3)
    solver, longer = (solver_of(method, p=p, step=1e-6, theta=0.4, terms=64) for p in (3, 4))
    moved, predicted = fixed_point(world, solver).excess_x, law(world, solver)
    assert np.linalg.norm(moved - predicted) < 1e-4 * np.linalg.norm(predicted)
    other = np.linalg.norm(law(world, longer)) / np.linalg.norm(moved)
    assert other == pytest.approx(15 / 8 if method == "LocalBSGVRM" else 3 / 2, rel=1e-4)


def test_in_short_rounds_the_weights_of_FedBiOAcc_matter_and_its_lower_step_does_not() -> None:
    """(p - 1)/2 eta lam c_nu/c_w: no gamma in it."""
    world, solver = world_at(SPEC, 0.3), solver_of("FedBiOAcc", p=3, step=1e-6, theta=0.4, terms=64)
    changed = [solver, replace(solver, gamma=0.6), replace(solver, c_w=8.0)]
    base, faster, heavier = (fixed_point(world, s).excess_x for s in changed)
    np.testing.assert_allclose(faster, base, rtol=1e-4)
    np.testing.assert_allclose(heavier, base / 2, rtol=1e-4)


def test_FedNest_rests_at_the_solution_whatever_its_loops() -> None:
    """Two inner rounds of three local steps; with an average of local solutions instead it would not."""
    world = world_at(WORLDS[THREE], 0.3)
    solver = FedNest(alpha=0.05, beta=0.4, tau=3, T_in=2, theta=0.95, N=22)
    assert np.abs(fixed_point(world, solver).x - world.x_star).max() < 1e-12
    light = ALGORITHMS["LFedNest"](alpha=0.05, beta=0.4, tau=3, T_in=2, theta=0.95, N=22)
    assert np.abs(fixed_point(world, light).x - world.x_star).max() > 1e-4


def test_a_solver_without_a_law_is_refused() -> None:
    world = heterogeneous(d_x=1, d_y=1, K=2)
    stem = ALGORITHMS["STEM"](eta=0.2, rho=0.3, c_u=2.0)
    with pytest.raises(ValueError, match="there is no law for STEM; add its own to"):
        law(world, stem)


# The claims.

FAMILY = "at-rest."
CLAIMS: dict[str, Claim] = {
    claim.id.removeprefix(FAMILY): claim for claim in claims.CLAIMS if claim.id.startswith(FAMILY)
}
QUICK = Budget(quick=True)
Found = tuple[list[Piece], list[Any]]


@pytest.fixture(scope="module")
def quick() -> dict[str, Found]:
    """The pieces of every claim in the quick budget and their values."""
    planned = {name: list(claim.pieces(QUICK)) for name, claim in CLAIMS.items()}
    with paused_tracing():
        return {name: (pieces, values_of(pieces)) for name, pieces in planned.items()}


def verdict(name: str, rows: Rows) -> str:
    return overall(CLAIMS[name].checks(rows))


def run(function: Callable[..., Any], **arguments: Any) -> Rows:
    """The rows of one piece."""
    return rows_of([Piece(function, arguments)], [function(**arguments)])


def rest(method: str, world: str, dials: list[float], few: int | None = None) -> Rows:
    return run(resting, method=method, world=world, dials=dials, p=1, few=few)


def instead(rows: Rows, old: Rows, new: Rows, **cells: Any) -> Rows:
    """With the new rows, under these cells, in the place of the old ones."""
    return Rows({**row, **cells} for row in new) + Rows(row for row in rows if row not in old)


@pytest.mark.parametrize("name", CLAIMS)
def test_the_claim_holds(name: str, quick: dict[str, Found]) -> None:
    judgement = CLAIMS[name].judged(*quick[name])
    assert judgement.verdict == CLAIMS[name].expected == "not refuted", judgement.decisive


def test_the_full_budget_asks_for_a_second_world() -> None:
    for claim in CLAIMS.values():
        few, more = (
            [piece.arguments["world"] for piece in claim.pieces(Budget(quick=q))] for q in (True, False)
        )
        assert TWO not in few
        assert TWO in more


def test_the_table_and_the_figure_say_who_carries_the_bias(quick: dict[str, Found]) -> None:
    judgement = CLAIMS["local-inverse"].judged(*quick["local-inverse"])
    carries = {row["method"]: row["carries the local-inverse bias"] for row in judgement.table}
    names = {row["name"] for row in rows_of(*quick["local-inverse"])}
    assert set(carries) == names | {name_of(ALGORITHMS[name]) for name in not_federated()}
    assert {name for name, answer in carries.items() if answer == "yes"} == {
        *("LocalBSGM", "LocalBSGVRM", "LocalSGD"), *("LFedNest (reconstructed)", "FedBiOAcc (reconstructed)")
    }  # fmt: skip
    assert {name for name, answer in carries.items() if answer == "no"} == {
        "FedNest", "FedBiOAccGlobal (reconstructed)"
    }  # fmt: skip
    assert judgement.chart is not None
    drawn = {series.label.partition(",")[0] for panel in judgement.chart.panels for series in panel.series}
    assert drawn - {"closed form"} == names
    assert [picture.count("<svg") for picture in svgs(judgement.chart)] == [1, 1]


def unmarked_of(name: str, found: Found) -> list[str]:
    return unmarked_in(entry(CLAIMS[name], CLAIMS[name].judged(*found), QUICK))


@pytest.mark.parametrize("name", CLAIMS)
def test_reconstructed_methods_are_marked(name: str, quick: dict[str, Found]) -> None:
    assert unmarked_of(name, quick[name]) == []


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("local-inverse", {"LFedNest"}),
        ("global-inverse", {"FedBiOAccGlobal"}),
        ("local-lower-level", {"FedBiOAcc"}),
        ("rounds", {"LFedNest", "FedBiOAcc", "FedBiOAccGlobal"}),
    ],
)
def test_checks_without_the_mark_are_found(
    name: str, found: set[str], quick: dict[str, Found], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(methods, "name_of", lambda method: method.__name__)
    assert set(unmarked_of(name, quick[name])) == found


def test_labels_rows_notes_and_sentences_without_the_mark_are_found(
    quick: dict[str, Found], monkeypatch: pytest.MonkeyPatch
) -> None:
    (pieces, values), claim = quick["local-inverse"], CLAIMS["local-inverse"]
    plain = [
        [{**row, "name": row["name"].removesuffix(" (reconstructed)")} for row in rows] for rows in values
    ]
    assert set(unmarked_of("local-inverse", (pieces, plain))) == {"LFedNest", "FedBiOAcc", "FedBiOAccGlobal"}
    sentence = "LFedNest rests elsewhere."
    monkeypatch.setitem(CLAIMS, "local-inverse", replace(claim, sentence=sentence))
    assert unmarked_of("local-inverse", quick["local-inverse"]) == ["LFedNest"]
    monkeypatch.setitem(CLAIMS, "local-inverse", claim)
    monkeypatch.setattr(at_rest, "name_of", lambda method: method.__name__)
    assert unmarked_of("local-inverse", quick["local-inverse"]) == [
        "StocBiO",
        "VRBO",
        "StocBiO",
        "VRBO",
    ]  # note, table


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("FedBiOAcc (reconstructed), FedBiOAccGlobal (reconstructed)", []),
        ("FedNest and LocalBSGVRM", []),
        ("FedBiOAccGlobal", ["FedBiOAccGlobal"]),
        ("FedBiOAcc rests, FedBiOAccGlobal (reconstructed) too", ["FedBiOAcc"]),
        ("FedNest, LFedNest", ["LFedNest"]),
        ("VRBO(reconstructed), VRBO (reconstructed), VRBO's", ["VRBO", "VRBO"]),
    ],
)
def test_what_is_found_without_the_mark(text: str, names: list[str]) -> None:
    assert unmarked(text) == names


def test_the_names_that_need_the_mark() -> None:
    assert {name for name, method in ALGORITHMS.items() if name_of(method) != name} == set(NAMES)


def test_local_inverse_twins(quick: dict[str, Found]) -> None:
    """Devices with equal A_k carry nothing, and own lower levels rest elsewhere."""
    claim, rows = CLAIMS["local-inverse"], rows_of(*quick["local-inverse"])
    (mine,) = those(rows.where(method="LocalBSGM"))
    same = instead(rows, mine, rest("LocalBSGM", SAME_A, mine.column("dial")), world=THREE)
    assert overall(claim.checks(same)) == "fails"
    assert callable(claim.table)
    assert next(iter(claim.table(same)))["carries the local-inverse bias"] == "no"
    (own,) = those(rows.where(method="FedBiOAcc"))
    assert verdict("local-inverse", instead(rows, mine, own, method="LocalBSGM")) == "fails"


def test_two_methods_that_swap_places(quick: dict[str, Found], monkeypatch: pytest.MonkeyPatch) -> None:
    for method, place in (("LocalSGD", X_OWN), ("FedBiOAcc", X_LOCAL)):
        monkeypatch.setitem(METHODS, method, replace(METHODS[method], place=place))
    assert verdict("local-inverse", rows_of(*quick["local-inverse"])) == "fails"
    pieces = CLAIMS["local-lower-level"].pieces(QUICK)
    assert {piece.arguments["method"] for piece in pieces} == {"LocalSGD"}
    values = [piece.function(**piece.arguments) for piece in pieces]
    assert verdict("local-lower-level", rows_of(pieces, values)) == "fails"


def test_products_that_are_not_averaged(quick: dict[str, Found], monkeypatch: pytest.MonkeyPatch) -> None:
    """LFedNest in FedNest's place: with a long series, with a short one, and with local steps."""
    monkeypatch.setitem(METHODS, "FedNest", replace(METHODS["FedNest"], algorithm="LFedNest"))
    rows, rounds = (rows_of(*quick[name]) for name in ("global-inverse", "rounds"))
    for few in (None, FEW):
        (right,) = those(rows.where(method="FedNest"), few=few)
        wrong = rest("FedNest", THREE, right.column("dial"), few)
        assert verdict("global-inverse", instead(rows, right, wrong)) == "fails"
    wrong = run(moved, method="FedNest", world=THREE, dials=[LARGE], p=SHORT)
    assert verdict("rounds", instead(rounds, rounds.where(method="FedNest"), wrong)) == "fails"


def test_local_lower_level_twins(quick: dict[str, Found]) -> None:
    """A shared y rests elsewhere, equal A_k do not bring it home, equal A_k and B_k do."""
    rows = rows_of(*quick["local-lower-level"])
    (mine,), (first,), (second,) = those(rows), those(rows, SAME_A), those(rows, SAME_A_B)
    shared = rest("LocalSGD", THREE, mine.column("dial"))
    for old, new, cells in (
        (mine, shared, {"method": "FedBiOAcc"}),
        (first, second, {"world": SAME_A}),
        (second, first, {"world": SAME_A_B}),
    ):
        assert verdict("local-lower-level", instead(rows, old, new, **cells)) == "fails"


def test_the_power_of_another_reading_is_violated(
    quick: dict[str, Found], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(IN_STEP, "LocalBSGVRM", 2)
    assert verdict("rounds", rows_of(*quick["rounds"])) == "fails"
