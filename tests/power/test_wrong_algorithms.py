"""Claims notice wrong algorithms, and edits that do not fit the sources are refused."""

from pathlib import Path

import pytest

from power.trial import BrokenCopyError, Edit, StaleEditError, edited, verdicts
from power.wrong_algorithms import NOTICED, SPEEDUP

ONE = "solvers/methods/local_bsgm.py"


@pytest.mark.nightly
@pytest.mark.parametrize("mistake", NOTICED)
def test_a_claim_notices_a_wrong_algorithm(mistake: str, tmp_path: Path) -> None:
    claim, edits = NOTICED[mistake]
    verdict, expected = verdicts(edits, [claim], tmp_path)[claim]
    assert verdict != expected


@pytest.mark.nightly
def test_a_harmless_edit_changes_no_verdict(tmp_path: Path) -> None:
    harmless = Edit(ONE, "a moving average", "an average")
    verdict, expected = verdicts([harmless], [SPEEDUP], tmp_path)[SPEEDUP]
    assert verdict == expected


def test_every_mistake_fits_the_sources() -> None:
    for _, edits in NOTICED.values():
        assert edited(edits)
        assert all(edit.line != edit.wrong for edit in edits)


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (Edit(ONE, "u = gone", "u = wrong"), "has 'u = gone' 0 times"),
        (Edit(ONE, "self.alpha", "self.beta"), "'self.alpha' 2 times"),
        (Edit("solvers/gone.py", "u", "v"), "does not exist"),
    ],
)
def test_an_edit_that_does_not_fit_is_refused(edit: Edit, sentence: str) -> None:
    with pytest.raises(StaleEditError, match=sentence):
        edited([edit])


def test_edits_of_one_file_apply_one_after_the_other() -> None:
    edits = [Edit(ONE, "weight_power = 1", "weight_power = 2"), Edit(ONE, "weight_power = 2", "odd = 3")]
    (text,) = edited(edits).values()
    assert "    odd = 3\n" in text


def test_a_copy_that_cannot_run_notices_nothing(tmp_path: Path) -> None:
    with pytest.raises(BrokenCopyError, match="SyntaxError"):
        verdicts([Edit(ONE, "weight_power = 1", "weight_power = = 1")], [SPEEDUP], tmp_path)
