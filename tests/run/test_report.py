"""index.html and `ratecert compare`: whole, closed in itself, escaped; and what counts as a change."""

import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from oracles.toy_claims import toy
from ratecert.cli.main import main
from ratecert.report import compare, judge
from ratecert.verdicts import collect as known

VOID = {"meta", "br", "hr", "img", "link", "input", "wbr"}
EVIL = '<script>alert("x")</script>'


class Page(HTMLParser):
    """The structure of a page: ids, links, headings, text, and whether every element is closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def of(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results and the report of three claims."""
    folder = tmp_path_factory.mktemp("written")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            known, "claims", lambda: {"theorem-1.plain": toy("theorem-1.plain", [1, 2], evidence=("search",))}
        )
        assert main(["verify", "--out", str(folder), "--jobs", "1"]) == 0
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    del results["digest"]  # so that it may be changed
    (plain,) = results["claims"]
    evil = {"id": f"evil{EVIL}", "sentence": f"Says {EVIL} and no more.", "evidence": ["exact moments"]}
    wrong = {"id": "wrong", "verdict": "refuted", "expected": "refuted", "because": "it was printed so"}
    wrong["evidence"] = ["exact moments", "proof in fractions"]
    results["claims"] += [plain | evil, plain | wrong]
    results["worlds"] = judge.worlds([{"settings": {"a": [{"world": "scalar"}]}}])
    (folder / "results.json").write_text(json.dumps(results), encoding="utf-8")
    assert main(["report", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def text(written: Path) -> str:
    return (written / "index.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    """The results without the slow charts, to be changed at will."""
    results = json.loads((written / "results.json").read_text(encoding="utf-8"))
    (tmp_path / "results.json").write_text(json.dumps(results), encoding="utf-8")
    (tmp_path / "run.json").write_text((written / "run.json").read_text(encoding="utf-8"), encoding="utf-8")
    return tmp_path


def test_a_refuted_statement_with_a_proof_is_called_proved_false(text: str) -> None:
    before = text[: text.index('id="library"')]
    assert (
        before.count('<span class="badge proved-false">proved false</span>') == 4
    )  # counts, card, table, claim
    card = text[text.index('class="card"') : text.index('id="verdicts"')]
    assert "It was printed so" in card
    assert "measured is 1.1, allowed is 1 ± 0.2." in card
    assert "wrong</a>" in card


def test_every_element_is_closed(page: Page) -> None:
    assert page.open == []


def test_the_page_is_closed_in_itself(page: Page, text: str) -> None:
    assert page.of("link") == page.of("img") == page.of("iframe") == []
    assert page.of("script") == [{}]  # our own, without a source
    for tag, attributes in page.elements:
        for name in ("src", "href", "xlink:href", "action", "data"):
            assert attributes.get(name, "#").startswith("#"), (tag, attributes)
    assert not re.search(r"url\((?!#)|@import", text)
    addresses = set(re.findall(r"https?://[^\s\"'<]+", text))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}  # names, not places


def test_ids_are_unique_and_links_arrive(page: Page) -> None:
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = {a["href"][1:] for _, a in page.elements if a.get("href", "").startswith("#")}
    assert targets <= set(ids)


def test_one_section_per_claim_with_its_figure_and_command(page: Page) -> None:
    claims = [a for a in page.of("details") if a.get("class") == "claim"]
    assert len(claims) == 3
    assert ["open" in claim for claim in claims] == [False, False, True]  # what holds is folded
    pictures = [a for a in page.of("svg") if a.get("role") == "img"]
    assert len(pictures) == 3 + 1  # of the claims, and on the card
    assert all(a.get("aria-label") for a in pictures)
    assert "".join(page.text).count("ratecert verify theorem-1.plain") == 3 + 1


def test_a_claim_about_a_run_says_how_to_move_it_and_another_does_not(page: Page) -> None:
    assert re.findall(r"ratecert explore (\S+)", "".join(page.text)) == ["theorem-1"]  # of three claims


def test_headings_do_not_skip_a_level(page: Page) -> None:
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_text_of_a_claim_stays_text(page: Page, text: str) -> None:
    assert f"Says {EVIL} and no more." in "".join(page.text)
    assert text.count("<script") == 1  # our own


def test_what_was_found_wrong_stands_at_the_top(text: str) -> None:
    assert text.index("It was printed so") < text.index('id="verdicts"')


def test_the_page_can_be_drawn_again_from_the_results_alone(folder: Path) -> None:
    pages = []
    for name in ("run.json", "results.json"):
        assert main(["report", str(folder)]) == 0
        pages.append(Page((folder / "index.html").read_text(encoding="utf-8")).text)
        (folder / name).unlink()
    with_run, without = ([line for line in page if line.strip()] for page in pages)
    assert "Machine" in with_run
    assert "Machine" not in without
    assert [line for line in with_run if line in without] == without


@pytest.mark.parametrize("command", ["report", "compare"])
def test_results_without_a_key_are_one_sentence(
    command: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    del results["claims"][0]["checks"]
    (folder / "results.json").write_text(json.dumps(results), encoding="utf-8")
    (folder / "index.html").write_text("as it was", encoding="utf-8")
    assert main([command, *[str(folder)] * (1 + (command == "compare"))]) == 2
    err = capsys.readouterr().err
    assert re.fullmatch(r"ratecert: \S+results.json: claim 'theorem-1.plain' lacks checks; .*\n", err)
    assert (folder / "index.html").read_text(encoding="utf-8") == "as it was"


def test_a_folder_without_results_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"ratecert: {tmp_path / 'results.json'}: No such file or directory.\n"


# compare


def changed(folder: Path, tmp_path: Path, **new: Any) -> Path:
    """A copy of the results in which the first claim has these entries."""
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    checks = new.pop("check", {})
    results["claims"][0]["checks"][0] |= checks
    results["claims"][0] |= new
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(results), encoding="utf-8")
    return path


def compared(a: Path, b: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    capsys.readouterr()
    code = main(["compare", str(a), str(b)])
    return code, capsys.readouterr().out


def test_the_same_results_have_not_changed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compared(folder, folder, capsys) == (0, "Verdicts: all 3 as before.\n")


def test_a_changed_verdict_ends_with_1(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = compared(folder, changed(folder, tmp_path, verdict="refuted", reason="5 <= 1"), capsys)
    line = "theorem-1.plain: not refuted -> refuted (5 <= 1)"
    assert (code, out) == (1, f"Verdicts: 1 of 3 changed.\n{line}\n")


def test_a_claim_that_is_gone_ends_with_1_and_a_new_one_does_not(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = changed(folder, tmp_path, id="other")
    assert compared(folder, other, capsys) == (
        1,
        "Verdicts: all 2 as before, 1 gone, 1 new.\n"
        "theorem-1.plain: gone; it was not refuted\nother: new, not refuted\n",
    )


@pytest.mark.parametrize(
    ("number", "width", "moves"),
    [
        (1.1, 0.0, False),
        (1.1 + 1e-14, 0.0, False),
        (1.29, 0.0, False),  # the check tolerates 0.2
        (1.4, 0.0, True),
        (1.4, 0.2, False),
        (None, 0.0, True),
    ],
)
def test_a_number_moves_when_the_intervals_are_farther_apart_than_is_tolerated(
    number: float | None,
    width: float,
    moves: bool,
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    other = changed(folder, tmp_path, check={"measured": number, "uncertainty": width})
    code, out = compared(folder, other, capsys)
    assert code == 0
    assert ("theorem-1.plain: square of 1 moved, 1.1 -> " in out) is moves


@pytest.mark.parametrize(("measured", "moves"), [(0.50004, False), (0.5002, True)])
def test_a_number_inside_an_inequality_may_differ_where_that_decides_nothing(
    measured: float, moves: bool, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half way to the edge at 1."""
    inside = {"measured": 0.5, "predicted": 1.0, "relation": "<=", "tolerance": 0.0, "uncertainty": 0.0}
    (tmp_path / "before").mkdir()
    before = changed(folder, tmp_path / "before", check=inside)
    code, out = compared(before, changed(folder, tmp_path, check={**inside, "measured": measured}), capsys)
    assert (code, "moved" in out) == (0, moves)


def test_what_another_machine_rounds_otherwise_has_not_changed(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = changed(folder, tmp_path, check={"tolerance": 0.2 * (1 + 1e-12), "measured": 1.1 + 1e-7})
    assert compared(folder, other, capsys) == (0, "Verdicts: all 3 as before.\n")


@pytest.mark.parametrize(
    ("check", "code", "line"),
    [
        ({"verdict": "fails"}, 1, "the check 'square of 1': passes -> fails"),
        ({"name": "another"}, 1, "the check 'square of 1' is gone"),
        ({"tolerance": 99.0}, 1, "square of 1: tolerance 0.2 -> 99.0"),
        ({"predicted": 1.05}, 1, "square of 1: predicted 1 -> 1.05"),
        ({"tolerance": None}, 1, "square of 1: tolerance 0.2 -> none"),
        ({"relation": "<="}, 1, "square of 1: relation = -> <="),
        ({"tolerance": 0.2 * (1 + 1e-8)}, 1, "square of 1: tolerance 0.2 -> 0.200000002"),
    ],
)
def test_a_check_that_is_gone_or_asks_for_something_else_ends_with_1(
    check: dict[str, Any],
    code: int,
    line: str,
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found, out = compared(folder, changed(folder, tmp_path, check=check), capsys)
    assert found == code
    assert f"theorem-1.plain: {line}" in out


def test_a_claim_that_asks_for_something_else_ends_with_1(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = compared(folder, changed(folder, tmp_path, expected="refuted", of=["theorem-2"]), capsys)
    assert code == 1
    assert out.splitlines() == [
        "Verdicts: all 3 as before, 2 demands changed.",
        "theorem-1.plain: of theorem-1 -> theorem-2",
        "theorem-1.plain: expected not refuted -> refuted",
    ]


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"id": None}, "id of claim 1 must be a text that is not empty, got None."),
        ({"id": "wrong"}, "two claims have the id 'wrong'; each may stand there once."),
        ({"checks": None}, "checks of claim 'theorem-1.plain' must be a list, got None."),
        ({"checks": [3]}, "check 1 of claim 'theorem-1.plain' must be a mapping, got 3."),
        (
            {"check": {"relation": "<>"}},
            "relation of check 1 of claim 'theorem-1.plain' must be one of =, <=, >=, got '<>'.",
        ),
        (
            {"check": {"verdict": "holds"}},
            "verdict of check 1 of claim 'theorem-1.plain' must be one of fails, undecided, passes, got 'holds'.",
        ),
        (
            {"check": {"tolerance": "0.2"}},
            "tolerance of check 1 of claim 'theorem-1.plain' must be a number, or null, got '0.2'.",
        ),
        (
            {"check": {"name": "square of 2"}},
            "two checks of claim 'theorem-1.plain' have the name 'square of 2'; each may stand there once.",
        ),
    ],
)
def test_an_entry_of_another_shape_is_one_sentence(
    entry: dict[str, Any], told: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Even where both files have it."""
    path = changed(folder, tmp_path, **entry)
    assert main(["compare", str(path), str(path)]) == 2
    assert capsys.readouterr().err == f"ratecert: {path}: {told}\n"


def test_another_paper_is_no_comparison(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    (tmp_path / "other.json").write_text(json.dumps(results | {"paper": "another"}), encoding="utf-8")
    assert main(["compare", str(folder), str(tmp_path / "other.json")]) == 2
    err = capsys.readouterr().err
    assert "is about 'federated-bilevel'" in err
    assert "no claim in common; compare two runs on the same paper." in err


@pytest.mark.parametrize("later_has_more", [True, False])
def test_a_run_of_some_papers_is_compared_with_one_of_more(
    later_has_more: bool, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What both have is compared; what the later one lacks is gone, which is a failure."""
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    more = {
        "paper": "federated-bilevel, parallel-sgd",
        "claims": [*results["claims"], {**results["claims"][0], "id": "parallel-sgd:one"}],
    }
    (tmp_path / "more.json").write_text(json.dumps(results | more), encoding="utf-8")
    pair = (folder, tmp_path / "more.json") if later_has_more else (tmp_path / "more.json", folder)
    code, out = compared(*pair, capsys)
    both = ["federated-bilevel", "federated-bilevel, parallel-sgd"][:: 1 if later_has_more else -1]
    assert code == (0 if later_has_more else 1)
    assert out.startswith(f"Verdicts: all 3 as before, 1 {'new' if later_has_more else 'gone'}.\n")
    assert f"paper: {both[0]} -> {both[1]}\n" in out
    assert f"parallel-sgd:one: {'new' if later_has_more else 'gone'}" in out


BROKEN: dict[str, Any] = {
    "checks": [1],
    "table": 7,
    "id": None,
    "chart": "x",
    "reason": 3,
    "measured": 1e9,
}


@pytest.mark.parametrize("key", BROKEN)
def test_results_of_the_wrong_kind_are_one_sentence(
    key: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = changed(folder, tmp_path)
    results = json.loads(path.read_text(encoding="utf-8"))
    results["claims"][0][key] = BROKEN[key]
    (folder / "results.json").write_text(json.dumps(results), encoding="utf-8")
    capsys.readouterr()
    code = main(["report", str(folder)])
    err = capsys.readouterr().err
    if code:
        assert (code, err.count("\n")) == (2, 1)
        assert err.startswith(f"ratecert: {folder / 'results.json'}")
        assert not (folder / "index.html").exists()
    else:
        assert key in ("reason", "table", "measured")


def test_a_cell_without_a_number_is_empty_and_a_number_that_is_not_finite_is_called_so(
    folder: Path, tmp_path: Path
) -> None:
    table = [{"part": "whole", "share": None}, {"part": "term", "share": 0.5}]
    results = json.loads(changed(folder, tmp_path, table=table).read_text(encoding="utf-8"))
    claim = results["claims"][0]
    claim["checks"].append({**claim["checks"][0], "name": "another", "measured": None})
    (folder / "results.json").write_text(json.dumps(results), encoding="utf-8")
    assert main(["report", str(folder)]) == 0
    text = (folder / "index.html").read_text(encoding="utf-8")
    assert "<td>whole</td><td></td>" in text
    assert "<td>term</td><td>0.5</td>" in text
    assert text.count("not finite") == 1


def test_an_unexpected_verdict_is_not_blamed_on_the_paper(folder: Path, tmp_path: Path) -> None:
    results = json.loads(changed(folder, tmp_path, verdict="refuted").read_text(encoding="utf-8"))
    (folder / "results.json").write_text(json.dumps(results), encoding="utf-8")
    assert main(["report", str(folder)]) == 0
    text = (folder / "index.html").read_text(encoding="utf-8")
    wrong = text[text.index('id="wrong"') : text.index('id="verdicts"')]
    unexpected = text[text.index('id="changed"') : text.index('id="wrong"')]
    assert "#claim-theorem-1.plain" in unexpected
    assert "#claim-theorem-1.plain" not in wrong


def test_two_numbers_that_are_not_finite_are_the_same() -> None:
    check = {"name": "n", "measured": None, "uncertainty": None, **dict.fromkeys(compare.DEMANDS)}
    assert list(compare.moved_numbers({"a": {"checks": [check]}}, {"a": {"checks": [check]}})) == []
