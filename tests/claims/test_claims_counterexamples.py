"""The claims on counterexamples: what is kept refutes, and a witness that does not is noticed."""

import math

import pytest

from ratecert.base.asked import FIRST
from ratecert.catalogue import find
from ratecert.catalogue.cases import replayed, stored
from ratecert.claims.claim import Budget, Piece
from ratecert.claims.rows import Row, Rows
from ratecert.errors import WitnessError
from ratecert.papers.federated_bilevel.claims.counterexamples import CLAIMS, checks, pieces, replay
from ratecert.search.witness import parsed, read


def test_every_kept_witness_belongs_to_a_claim():
    asked = {piece.arguments["witness"] for claim in CLAIMS for piece in claim.pieces(Budget())}
    assert asked == {path.stem.removeprefix(f"{FIRST}.") for path in stored(FIRST)}
    assert all(claim.pieces(Budget()) for claim in CLAIMS)


def test_kept_witnesses_are_printed_statements_with_a_place():
    for path in stored():
        found = read(path)
        assert (found.variant, path.stem.removesuffix(".simple")) == ("printed", found.name)
        key, inside = find.split(found.statement)
        run = find.bindings(key).get(inside)
        assert found.place or (
            run and run.because
        )  # to blame: an erratum, or what the paper says of the print
        assert found.ratio > 1


@pytest.fixture(scope="module")
def piece() -> Piece:
    """The quickest of the kept: the simple ones of Theorem 1."""
    (found,) = [p for p in pieces("theorem-1", Budget()) if p.arguments["witness"].endswith("noise_u.simple")]
    return found


@pytest.fixture(scope="module")
def row(piece: Piece) -> Row:
    (found,) = replay(**piece.arguments)
    return {**piece.arguments, **found}


def verdicts(row: Row) -> dict[str, str]:
    return {check.name.partition(", theorem")[0]: check.verdict for check in checks(Rows([row]))}


def test_a_witness_is_replayed_by_two_ways(piece, row):
    assert len(verdicts(row)) == 5
    assert set(verdicts(row).values()) == {"passes"}
    _, assumptions = replayed(parsed(piece.arguments["witness"], piece.arguments["text"]))
    assert assumptions[1].startswith("assumption-2 holds everywhere")


@pytest.mark.parametrize(
    ("column", "wrong", "which"),
    [
        ("as printed", 0.9, "measured/bound"),
        ("all errata but one", 0.9, "all errata but one"),
        ("this erratum alone", 1.1, "this erratum alone"),
        ("measured again", 1e-3, "measured, second way/first"),
        ("bound again", 1e-3, "bound, second way/first"),
    ],
)
def test_each_check_can_fail(row, column, wrong, which):
    found = verdicts({**row, column: wrong})
    assert [name for name, verdict in found.items() if verdict == "fails"] == [which]


def test_a_quick_look_takes_one_way():
    (quick, *_) = pieces("theorem-1", Budget(quick=True))
    found = CLAIMS[0].judged([quick], [replay(**quick.arguments)])
    assert found.verdict == "not refuted"
    assert len(found.checks) == 3


def test_an_imprecise_ratio_confirms_nothing(row):
    assert "passes" not in [
        v for name, v in verdicts({**row, "precision": math.inf}).items() if "alone" not in name
    ]


def test_a_file_that_is_no_witness_is_refused_by_its_name():
    with pytest.raises(WitnessError, match="strange: format must be 1"):
        replay("strange", "format = 7", twice=False)
