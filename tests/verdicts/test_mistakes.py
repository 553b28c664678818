"""Claims on the mistakes that stored witnesses show: each refutes; a witness or a proof that does not is noticed."""

from typing import Any

import pytest

from ratecert.base.asked import FIRST
from ratecert.catalogue import find
from ratecert.catalogue.cases import read, stored
from ratecert.catalogue.load import version_of
from ratecert.claims.check import in_words
from ratecert.claims.claim import Budget, Claim, Task
from ratecert.errors import UndecidedError
from ratecert.proofs import prove
from ratecert.verdicts.collect import claims_of, of_package
from ratecert.verdicts.mistakes import along_T, replay
from ratecert.verdicts.statement import proved

CLAIMS = {id: claim for id, claim in of_package(FIRST).items() if id.startswith("theorem-")}
PRINTED = {id: claim for id, claim in CLAIMS.items() if ".printed" in id}
ALL = CLAIMS["theorem-1.counterexamples"]
QUICKEST = "theorem-1.printed-noise_u.simple"
BUT_ONE, ALONE = "all errata but one", "this erratum alone"


def replays(claim: Claim) -> list[Task]:
    return [task for task in claim.tasks(Budget()) if task.function is replay]


def test_every_stored_witness_and_every_proof_of_a_theorem_is_asked_for() -> None:
    names = {path.stem.removeprefix(f"{FIRST}.") for path in stored(FIRST)}
    for among in ("printed", "counterexamples"):
        own = [claim for id, claim in CLAIMS.items() if among in id]
        assert {task.arguments["witness"] for claim in own for task in replays(claim)} == names
    tasks = [task for claim in PRINTED.values() for task in claim.tasks(Budget())]
    asked = {task.arguments["proof"] for task in tasks if task.function is proved}
    assert asked == {path.stem for path in prove.stored(FIRST) if ".theorem-" in path.stem}
    assert all("proof in fractions" in claim.evidence for claim in PRINTED.values())


def test_stored_witnesses_are_of_printed_statements_and_name_what_is_to_blame() -> None:
    for path in stored():
        found = read(path)
        assert (found.variant, path.stem.removesuffix(".simple")) == ("printed", found.name)
        key, inside = find.split(found.statement)
        run = find.bindings(key).get(inside)
        assert found.place or (run and run.because)
        assert found.ratio > 1


def test_the_library_has_the_verdicts_of_its_own_search() -> None:
    assert {path.stem.partition(".")[0] for path in stored()} > {FIRST, "pep-momentum"}
    own = [id.rpartition(":")[2] for id in claims_of("pep-momentum")]
    assert [id for id in own if id.startswith("triple-momentum.")] == [
        "triple-momentum.printed",
        "triple-momentum.repaired",
    ]


@pytest.fixture(scope="module")
def task() -> Task:
    (found,) = [task for task in replays(ALL) if task.arguments["witness"] == QUICKEST]
    return found


@pytest.fixture(scope="module")
def row(task: Task) -> dict[str, Any]:
    (found,) = replay(**task.arguments)
    return found


def verdicts(claim: Claim, task: Task, row: dict[str, Any]) -> dict[str, str]:
    judged = claim.judged([task], [[row]])
    return {check.name.partition(", theorem")[0]: check.verdict for check in judged.checks}


def test_a_witness_is_enclosed_and_its_proof_proves_the_print_false(task: Task, row: dict[str, Any]) -> None:
    assert len(verdicts(ALL, task, row)) == 5
    assert set(verdicts(ALL, task, row).values()) == {"passes"}
    judged = PRINTED["theorem-1.printed-noise_u"].judged([task], [[row]])
    entry = {"verdict": judged.verdict, "evidence": ["exact moments"], "table": judged.table}
    assert in_words(entry) == "refuted (one way)"  # enclosed is not yet proved, and the run is long
    assert in_words({**entry, "evidence": PRINTED["theorem-1.printed-noise_u"].evidence}) == "proved false"


@pytest.mark.parametrize(
    ("column", "wrong", "which"),
    [
        ("as printed", 0.9, "measured/bound"),
        (BUT_ONE, 0.9, BUT_ONE),
        (ALONE, 1.1, ALONE),
        ("measured again", 1e-3, "measured, second way/first"),
        ("bound again", 1e-3, "bound, second way/first"),
    ],
)
def test_each_check_of_a_witness_can_fail(
    task: Task, row: dict[str, Any], column: str, wrong: float, which: str
) -> None:
    found = verdicts(ALL, task, {**row, column: wrong})
    assert [name for name, verdict in found.items() if verdict == "fails"] == [which]


@pytest.mark.parametrize(
    ("enclosed", "verdict"), [(0.999, "not refuted"), (1.001, "refuted"), (None, "undecided")]
)
def test_what_is_not_enclosed_above_the_bound_refutes_nothing(
    task: Task, row: dict[str, Any], enclosed: float | None, verdict: str
) -> None:
    claim = PRINTED["theorem-1.printed-noise_u"]
    assert claim.judged([task], [[{**row, "enclosed": enclosed}]]).verdict == verdict


@pytest.mark.parametrize(
    ("right", "wrong", "failed"),
    [
        ("s_g = 0.0", "s_g = 1.0", {"measured/bound"}),  # noise that the printed term is meant for
        ("T = 70000000000000000", "T = 70000000000", {"measured/bound"}),
        ('place = "theorem-1.term.noise_u"', 'place = "constant.G.left"', {BUT_ONE, ALONE}),
    ],
)
def test_an_edited_witness_is_noticed(task: Task, right: str, wrong: str, failed: set[str]) -> None:
    text = task.arguments["text"].replace(right, wrong)
    assert text != task.arguments["text"]
    (found,) = replay(**{**task.arguments, "text": text})
    assert failed <= {name for name, verdict in verdicts(ALL, task, found).items() if verdict == "fails"}
    if "measured/bound" in failed:
        assert PRINTED["theorem-1.printed-noise_u"].judged([task], [[found]]).verdict == "not refuted"
        assert not found["certified"]


def test_the_figure_passes_the_bound_where_the_witness_is_and_the_cured_one_never() -> None:
    claim = PRINTED["theorem-1.printed-G"]
    (task,) = [task for task in claim.tasks(Budget()) if task.function is along_T]
    rows = along_T(**task.arguments)
    assert task.arguments["witness"] == "theorem-1.printed-G.simple"
    assert rows[0]["left"] < rows[0]["printed"]
    assert rows[-1]["T"] == 2**20
    assert 10 * rows[-1]["printed"] < rows[-1]["left"]
    assert all(row["left"] < row["cured"] for row in rows)
    labels = [series.label for series in claim.judged([task], [rows]).chart.panels[0].series]
    assert labels == ["as printed", "with the erratum at constant.G.left", "1, all that is allowed"]


def test_a_text_that_is_no_witness_decides_nothing() -> None:
    with pytest.raises(UndecidedError, match="strange: format must be 1"):
        replay(FIRST, "strange", "format = 7", code=version_of(FIRST))


def test_a_proof_that_does_not_go_through_decides_nothing() -> None:
    (path,) = [path for path in prove.stored(FIRST) if path.stem.endswith("theorem-3.noise_u")]
    text = path.read_text(encoding="utf-8")
    assert proved(path.stem, text) == [{"proved": 89.0}]
    zero = "print('proved: x is false as printed, the bound is zero and the measure is not')"
    assert proved(path.stem, zero) == [{"proved": 1e300}]
    for wrong in (text.replace("proved: ", "found: "), "raise AssertionError('no')\n" + text):
        with pytest.raises(UndecidedError, match=r"theorem-3\.noise_u does not go through"):
            proved(path.stem, wrong)
    claim = PRINTED["theorem-3.printed-noise_u"]
    tasks = [task for task in claim.tasks(Budget()) if task.function is proved]
    assert claim.judged(tasks, [[{"proved": 89.0}]]).verdict == "refuted"
    assert claim.judged(tasks, [[{"proved": 0.9}]]).verdict == "not refuted"
