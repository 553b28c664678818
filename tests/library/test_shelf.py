"""The stored verdicts on the library: whole, of the statements of today, as a table, as JSON and as a page."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ratecert.catalogue.find import paper
from ratecert.catalogue.load import library
from ratecert.claims.claim import Claim
from ratecert.cli.main import main
from ratecert.errors import ResultsError
from ratecert.report.library import FIELDS, WORST_FIRST, from_results, in_letters, read, verdict_in_words
from ratecert.theory.statements import Theorem
from ratecert.typeset.outline import method_of, outline
from ratecert.verdicts.collect import claims_of
from tools.pages import built
from tools.papers import overview, source_pages

PAGE = Path("docs/library.md")
WORLD = {"L": 1.0, "spread": 1.0, "x_off": 1.0, "s": 0.0}
ENTRY: dict[str, Any] = {
    "id": "local-sgd-identical:theorem-1",
    "of": ["local-sgd-identical:theorem-1"],
    "verdict": "refuted",
    "evidence": ["exact moments", "search"],
    "notes": ["A note."],
    "chart": None,
    "table": [
        {"largest": 2.0, "attained": True, "certified": True, "run.K": 1, "run.T": 4, "letters.gamma": 0.25}
        | {"letters.H": 1.0, **{f"single_level.{name}": value for name, value in WORLD.items()}}
    ],
}


def library_claims() -> dict[str, Claim]:
    return {id: claim for key in library() for id, claim in claims_of(key).items()}


def test_every_statement_has_its_verdict_and_it_is_the_expected_one() -> None:
    wanted = {
        (
            id.removesuffix(".printed").removesuffix(".repaired"),
            "repaired" if id.endswith("repaired") else "printed",
        ): each
        for id, each in library_claims().items()
    }
    stored = {(record["id"], record["variant"]): record["verdict"] for record in read()}
    told = {
        at: verdict.replace("proved false", "refuted").removesuffix(" (one way)")
        for at, verdict in stored.items()
    }
    assert {at: verdict for at, verdict in told.items() if verdict != "not applicable"} == {
        at: each.expected for at, each in wanted.items()
    }


def test_what_is_wrong_comes_first_and_has_its_witness() -> None:
    ranks = [WORST_FIRST.index(record["verdict"]) for record in read()]
    assert ranks == sorted(ranks)
    wrong = [record for record in read() if record["verdict"].startswith(("proved false", "refuted"))]
    assert wrong
    without = [record for record in wrong if not record["witness"] and not record["findings"]]
    assert [(record["id"], record["evidence"]) for record in without] == [
        ("local-gd:section-2-3", ["derivation", "bound in numbers"])
    ]


def test_results_on_other_papers_are_left_out() -> None:
    other = {**ENTRY, "id": "theorem-1.printed", "of": ["theorem-1"]}
    assert len(from_results({"claims": [ENTRY, other]})["statements"]) == 1
    with pytest.raises(ResultsError, match="no claim on the library"):
        from_results({"claims": [other]})


def test_json_has_the_fields_that_are_promised(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["library", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["schema"] == 1
    assert all(set(FIELDS) == set(each) for each in told["statements"])
    rules = [set(found) for each in told["statements"] for found in each["findings"]]
    assert rules
    assert all(each == {"rule", "place", "printed", "fits"} for each in rules)


def test_a_record_says_what_its_run_found() -> None:
    (record,) = from_results({"claims": [ENTRY]})["statements"]
    assert (record["verdict"], record["tight"]) == ("refuted", None)
    assert record["ratio"] == pytest.approx(
        0.75**4, rel=1e-8
    )  # at the witness, computed: (1 - gamma)^T of the bound
    run = {"run": {"K": 1, "T": 4}, "letters": {"gamma": 0.25, "H": 1.0}}
    assert record["witness"] == {"single_level": WORLD, **run}
    assert record["certainty"] == "memory"
    proved = {**ENTRY, "evidence": [*ENTRY["evidence"], "proof in fractions"]}
    assert from_results({"claims": [proved]})["statements"][0]["verdict"] == "proved false"


def test_the_pages_are_those_of_the_record() -> None:
    page, sources = built("library", PAGE.read_text(encoding="utf-8")), source_pages()
    for record in read():
        head = f"### `{record['id']}`{'' if record['variant'] == 'printed' else ', repaired'}: "
        assert f"{head}{verdict_in_words(record)}" in sources[record["id"].partition(":")[0]]
    assert overview(read()) in page
    assert overview([{**record, "ratio": 0.123} for record in read()]) not in page


def test_where_the_tool_is_blind_the_verdict_says_so() -> None:
    words = {record["id"]: verdict_in_words(record) for record in read() if record["variant"] == "printed"}
    assert words["silent:heavy-ball"] == "not refuted on quadratics"
    assert words["pep-optimized:ogm"] == "not refuted on quadratics"
    assert words["storm:affine"] == "not refuted on quadratics"
    assert words["storm:theorem-1"] == "refuted, by the linter alone"
    assert words["proxskip:corollary-1"] == "not refuted, by the linter alone"
    assert words["silent:adam"] == "not applicable"
    assert words["saga:theorem-1"] == "not refuted"


def test_a_docstring_beside_code_that_is_right_is_not_called_proved_false(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """And one that its own code does not save is."""
    words = {record["id"]: verdict_in_words(record) for record in read() if record["variant"] == "printed"}
    unlike = {id for id, word in words.items() if word == "text and code differ"}
    assert unlike == {f"pep-{name}" for name in (
        "fixed-point:long-steps", "item:item", "momentum:triple-momentum", "robust-momentum:robust-momentum",
        "robust-momentum:robust-momentum-mixed",
    )}  # fmt: skip
    assert words["pep-item:item-code"] == "not refuted"
    assert words["pep-nonconvex:lojasiewicz-short"] == "proved false"
    assert main(["library", "--verdict", "text-and-code-differ"]) == 0
    assert "5 statements" in capsys.readouterr().out


def test_a_statement_without_a_claim_is_told_with_its_paper_alone() -> None:
    heavy_ball = {**ENTRY, "id": "silent:heavy-ball", "of": ["silent:heavy-ball"], "verdict": "not refuted"}
    heavy_ball |= {"table": [], "evidence": ["exact moments"]}
    told = {record["id"]: record for record in from_results({"claims": [heavy_ball]})["statements"]}
    assert set(told) == {"silent:heavy-ball", "silent:adam"}
    assert told["silent:adam"]["blind"]
    assert not told["silent:heavy-ball"]["blind"]  # its note in this entry says nothing of the kind
    assert {record["id"] for record in from_results({"claims": [ENTRY]})["statements"]} == {ENTRY["id"]}


def test_a_named_statement_is_told_whole(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["library", "pep-optimized:ogm", "silent:adam"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for part in ("Huber functions break it", "PEPit has 0.0930365", "here that of PEPit 0.5.1", "not affine"):
        assert part in shown


def test_a_world_is_told_in_the_letters_of_its_statement() -> None:
    """FedAvg has N devices and draws K of them; one machine has no letter; iterates of SG are counted from 1."""
    run = {"one": {"L": 2.0}, "run": {"K": 3, "T": 4}, "letters": {"E": 1, "K": 7}}
    assert in_letters("fedavg:theorem-2", run) == "L = 2, T = 5, N = 3, E = 1, K = 7"
    assert in_letters("svrg:theorem-1", {"run": {"K": 1, "T": 4}}) == "m = 4"
    assert in_letters("local-sgd-identical:theorem-1", {"run": {"K": 3, "T": 4}}) == "T = 4, M = 3"


@pytest.mark.parametrize("key", sorted(library()))
def test_every_theorem_says_its_method(key: str) -> None:
    source = paper(key=key)
    for theorem in source.of_kind(Theorem):
        method, *_ = outline(source, theorem)
        assert (method.heading, len(method.items)) == ("Method", 1)
    for theorem in paper(key="parallel-sgd").of_kind(Theorem):  # which has lines of pseudocode
        assert outline(paper(key="parallel-sgd"), theorem)[0].heading != "Method"


def test_a_theorem_whose_algorithm_is_not_entered_has_no_method() -> None:
    source = paper(key="svrg")
    theorem = replace(source.the(Theorem, "theorem-1"), algorithm="nowhere", steps="")
    assert method_of(source, theorem) == ""
    assert method_of(source, replace(theorem, steps="x <- x")) == "x <- x"
