"""Claims notice wrong algorithms, and edits that do not fit the sources are refused."""

from pathlib import Path

import pytest

from power.wrong_algorithms import BOTH, NOTICED, SPEEDUP
from ratecert.errors import BrokenCopyError, StaleEditError
from ratecert.power.edits import Edit, Mistake, copy_with, require_fitting
from ratecert.power.isolated_run import tried

ONE = "solvers/methods/local_bsgm.py"


def changes_verdict(mistake: Mistake, claim: str) -> bool:
    edits = [[edit.file, edit.line, edit.wrong] for edit in mistake.edits]
    (entry,) = tried(edits, [], [claim])
    return bool(entry["verdict"] != entry["expected"])


@pytest.mark.nightly
@pytest.mark.parametrize(("mistake", "claim"), NOTICED, ids=[mistake.what for mistake, _ in NOTICED])
def test_a_claim_notices_a_wrong_algorithm(mistake: Mistake, claim: str) -> None:
    assert changes_verdict(mistake, claim)


@pytest.mark.nightly
def test_a_harmless_edit_changes_no_verdict() -> None:
    harmless = Mistake("a word of a docstring", BOTH, (Edit(ONE, "a moving average", "an average"),))
    assert not changes_verdict(harmless, SPEEDUP)


def test_every_mistake_fits_the_sources_and_has_a_name_of_its_own() -> None:
    for mistake, _ in NOTICED:
        require_fitting(mistake.edits)
        assert all(edit.line != edit.wrong for edit in mistake.edits)
    assert len({(mistake.what, mistake.algorithms) for mistake, _ in NOTICED}) == len(NOTICED)


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
        require_fitting([edit])


def test_edits_of_one_file_apply_one_after_the_other(tmp_path: Path) -> None:
    copy_with(
        [Edit(ONE, "weight_power = 1", "weight_power = 2"), Edit(ONE, "weight_power = 2", "odd = 3")],
        tmp_path,
    )
    assert "    odd = 3\n" in (tmp_path / "ratecert" / ONE).read_text(encoding="utf-8")


def test_a_copy_that_cannot_run_notices_nothing() -> None:
    with pytest.raises(BrokenCopyError, match="SyntaxError"):
        tried([[ONE, "weight_power = 1", "weight_power = = 1"]], [], ["remark-1.printed"])
