"""Claims notice wrong algorithms, and edits that do not fit the sources are refused."""

from pathlib import Path

import pytest

from power.trial import Edit, edited, verdicts
from power.wrong_algorithms import NOTICED, SPEEDUP

ONE = "solvers/methods/local.py"


@pytest.mark.nightly
@pytest.mark.parametrize("mistake", NOTICED)
def test_a_claim_notices_a_wrong_algorithm(mistake: str, tmp_path: Path) -> None:
    claim, edits = NOTICED[mistake]
    verdict, expected = verdicts(edits, [claim], tmp_path)[claim]
    assert verdict != expected


@pytest.mark.nightly
def test_a_harmless_edit_changes_no_verdict(tmp_path: Path) -> None:
    harmless = Edit(ONE, "along moving averages", "along averages")
    verdict, expected = verdicts([harmless], [SPEEDUP], tmp_path)[SPEEDUP]
    assert verdict == expected


def test_every_mistake_fits_the_sources() -> None:
    for _, edits in NOTICED.values():
        assert edited(edits)
        assert all(edit.line != edit.wrong for edit in edits)
