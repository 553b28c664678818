"""index.html: whole, closed in itself, escaped, drawn again from the results alone."""

import json
import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from oracles.toy_claims import results_of, toy
from ratecert.cli.main import main

VOID = {"meta", "br", "hr", "img", "link", "input", "wbr"}
EVIL = '<script>alert("x")</script>'


class Page(HTMLParser):
    """The structure of a page: ids, links, headings, text, and whether every element is closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def of(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The results and the report of three claims."""
    folder = tmp_path_factory.mktemp("written")
    results = results_of(folder, toy("theorem-1.plain", [1, 2], evidence=("search",)))
    (plain,) = results["claims"]
    evil = {"id": f"evil{EVIL}", "sentence": f"Says {EVIL} and no more.", "evidence": ["exact moments"]}
    wrong = {"id": "wrong", "verdict": "refuted", "expected": "refuted", "because": "it was printed so"}
    wrong["evidence"] = ["exact moments", "proof in fractions"]
    results["claims"] += [plain | evil, plain | wrong]
    (folder / "results.json").write_text(json.dumps(results), encoding="utf-8")
    assert main(["report", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def text(written):
    return (written / "index.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


@pytest.fixture
def folder(written, tmp_path):
    """The results without the slow charts, to be changed at will."""
    results = json.loads((written / "results.json").read_text(encoding="utf-8"))
    (tmp_path / "results.json").write_text(json.dumps(results), encoding="utf-8")
    (tmp_path / "run.json").write_text((written / "run.json").read_text(encoding="utf-8"), encoding="utf-8")
    return tmp_path


def test_a_refuted_statement_with_a_proof_is_called_proved_false(text):
    before = text[: text.index('id="run"')]
    assert before.count('<span class="badge proved-false">proved false</span>') == 3  # counts, table, claim
    card = text[text.index('class="first"') : text.index('id="verdicts"')]
    assert "it was printed so" in card
    assert "measured is 1.1, allowed is 1 ± 0.2." in card


def test_the_page_is_sound(page):
    """Elements are closed, ids unique, links arrive, and headings skip no level."""
    assert page.open == []
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {a["href"][1:] for _, a in page.elements if a.get("href", "").startswith("#")} <= set(ids)
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_the_page_is_closed_in_itself(page, text):
    assert page.of("link") == page.of("img") == page.of("iframe") == []
    assert page.of("script") == [{}]  # our own, without a source
    for tag, attributes in page.elements:
        for name in ("src", "href", "xlink:href", "action", "data"):
            assert attributes.get(name, "#").startswith("#"), (tag, attributes)
    assert not re.search(r"url\((?!#)|@import", text)
    addresses = set(re.findall(r"https?://[^\s\"'<]+", text))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}  # names, not places


def test_one_section_per_claim_with_its_figure_and_command(page):
    assert f"Says {EVIL} and no more." in "".join(page.text)  # text stays text
    claims = [a for a in page.of("details") if a.get("class") == "claim"]
    assert len(claims) == 3
    cards = [a for a in page.of("details") if a.get("class") == "card"]
    assert len(cards) == 1
    assert not any("open" in each for each in (*cards, *claims))
    pictures = [a for a in page.of("svg") if a.get("role") == "img"]
    assert len(pictures) == 3 + 1  # of the claims, and on the card
    assert all(a.get("aria-label") for a in pictures)
    assert "".join(page.text).count("ratecert verify theorem-1.plain") == 3 + 1
    assert re.findall(r"ratecert explore (\S+)", "".join(page.text)) == ["theorem-1"]  # the one about a run


def test_the_page_can_be_drawn_again_from_the_results_alone(folder):
    pages = []
    for name in ("run.json", "results.json"):
        assert main(["report", str(folder)]) == 0
        pages.append(Page((folder / "index.html").read_text(encoding="utf-8")).text)
        (folder / name).unlink()
    with_run, without = ([line for line in page if line.strip()] for page in pages)
    assert "Machine" in with_run
    assert "Machine" not in without
    assert [line for line in with_run if line in without] == without


def drawn(folder, **entries):
    """The page of the results in which the first claim has these entries."""
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    results["claims"][0] |= entries
    (folder / "results.json").write_text(json.dumps(results), encoding="utf-8")
    assert main(["report", str(folder)]) == 0
    return (folder / "index.html").read_text(encoding="utf-8")


def test_a_cell_without_a_number_is_empty_and_a_number_that_is_not_finite_is_called_so(folder):
    check, *_ = json.loads((folder / "results.json").read_text(encoding="utf-8"))["claims"][0]["checks"]
    table = [{"part": "whole", "share": None}, {"part": "term", "share": 0.5}]
    text = drawn(folder, table=table, checks=[check, {**check, "name": "another", "measured": None}])
    assert "<td>whole</td><td></td>" in text
    assert "<td>term</td><td>0.5</td>" in text
    assert text.count("not finite") == 1


def test_an_unexpected_verdict_is_not_blamed_on_the_paper(folder):
    wrong, unexpected, _ = re.split('id="(?:changed|verdicts)"', drawn(folder, verdict="refuted"))
    assert "#claim-theorem-1.plain" in unexpected
    assert "#claim-theorem-1.plain" not in wrong
