"""The pages of docs/: their tables are made, code runs, links lead somewhere, the reference is whole."""

import importlib
import importlib.util
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from sympy import Integer

from ratecert import solvers, synthetic
from ratecert.base.asked import FIRST
from ratecert.catalogue.find import paper, split
from ratecert.report.library import read as read_library
from ratecert.search.witness import read as read_witness
from ratecert.theory.language.statements import Scaling
from ratecert.theory.numbers.standing_in import with_constants_of

pytest.importorskip("tools", reason="the pages are not part of the installed wheel")

from tools import papers, runs
from tools.pages import PAGES, built, with_tables

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
WITNESSES = ROOT / "witnesses"
pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the pages are not part of the installed wheel")


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def shown(name: str) -> str:
    """A page with its tables."""
    return built(name, page(f"{name}.md"))


def claims() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(page("results.json"))["claims"]
    return found


# Tables.


@pytest.mark.parametrize("name", PAGES)
def test_every_table_stands_on_its_page(name: str) -> None:
    text = shown(name)
    assert "<!-- table" not in text
    assert text.count("\n|") > page(f"{name}.md").count("\n|") + 5


def test_a_place_without_a_table_and_a_table_without_a_place_are_refused() -> None:
    text = "a\n<!-- table: one -->\nb"
    assert with_tables(text, {"one": "| 1 |"}) == "a\n\n| 1 |\n\nb"
    for tables in ({}, {"other": ""}, {"one": "", "other": ""}):
        with pytest.raises(ValueError, match="the page has places for one, and there are tables"):
            with_tables(text, tables)


# What is verified.


def test_every_claim_and_every_statement_has_its_row() -> None:
    first = re.findall(r"^\| `([^`]+)`", shown("verified"), re.MULTILINE)
    for name in [*paper().statements, *(claim["id"] for claim in claims())]:
        assert first.count(name) >= 1, name


def test_another_verdict_gives_another_table() -> None:
    other = claims()
    assert runs.of_claims(other) in shown("verified")
    other[0]["verdict"] = "undecided"
    assert runs.of_claims(other) not in shown("verified")


def test_what_has_no_claim_is_named_in_the_prose() -> None:
    checked = {id for claim in claims() for id in claim["of"]}
    unchecked = [id for id in paper().statements if id not in checked]
    assert unchecked
    assert [id for id in unchecked if f"`{id}`" not in page("verified.md")] == []
    assert "`table-1`" not in page("verified.md")


# What is corrected.


def test_every_erratum_is_on_the_page() -> None:
    """Places, reasons and evidence, read from the page alone."""
    text = re.sub(r"\\(.)", r"\1", shown("corrections"))
    for erratum in paper("repaired").errata:
        assert re.search(rf"^\| `{re.escape(erratum.place)}[`.]", text, re.MULTILINE), erratum.place
        assert erratum.reason in text
        assert f"*Evidence:* {erratum.evidence}\n" in text


def test_another_reason_gives_another_page() -> None:
    repaired = paper("repaired")
    changed = (replace(repaired.errata[0], reason="None."), *repaired.errata[1:])
    assert "\n".join(papers.listed(repaired)) in shown("corrections")
    for wrong in (repaired.errata[1:], changed):
        assert "\n".join(papers.listed(replace(repaired, errata=wrong))) not in shown("corrections")


def test_every_witness_stands_with_its_erratum() -> None:
    sections = shown("corrections").split("\n### ")
    for witness in WITNESSES.glob(f"{FIRST}.*.toml"):
        (home,) = [section for section in sections if f"`{witness.stem}`" in section]
        assert f"| `{read_witness(witness).place}`" in home


def test_the_corrections_cover_all_that_is_refuted() -> None:
    """By an erratum to it or to its constants, or by what is said beside it; what is not refuted is not there."""
    text = shown("for_maintainers")
    for record in read_library():
        key, inside = split(record["id"])
        if record["verdict"] in ("refuted", "proved false"):
            assert any(f"`{own}`" in text for own in with_constants_of(paper(key=key), inside)), record["id"]
    assert "`heavy-ball`" not in text


def test_changes_by_hand() -> None:
    by_place = {erratum.place: erratum for erratum in paper("repaired").errata}
    assert list(papers.changes(by_place["constant.G.left"])) == [("constant.G.left", "G", "G²")]
    tilde = [("estimator-tilde.arguments", "x", "x, y")]
    assert list(papers.changes(by_place["estimator-tilde"])) == tilde
    of_first = {place: (old, new) for place, old, new in papers.changes(by_place["corollary-1"])}
    assert of_first["corollary-1.window"] == ("nothing", "T >= K³")
    assert of_first["corollary-1.scalings.rho_1"] == ("O(1)", "Theta(log(K T)^(-4))")
    line = ("round: u_{t+1} = mean over devices of u_{t+1}", "round: u_t = mean over devices of u_t")
    assert ("algorithm-1.lines.7", *line) in papers.changes(by_place["algorithm-1"])
    starts = ("algorithm-2.starts_from", "x_1, y_1", "x_0, y_0")
    assert starts in papers.changes(by_place["algorithm-2"])


def test_a_part_that_is_the_same_is_no_change() -> None:
    printed = paper()["corollary-1"]
    same = replace(paper("repaired").errata[-1], place="corollary-1", printed=printed, read=printed)
    assert list(papers.changes(same)) == []
    other = replace(same, read=replace(printed, claim=Scaling(Integer(1))))
    assert list(papers.changes(other)) == [("corollary-1.claim", "O(1/(sqrt(K) sqrt(T)))", "O(1)")]


# Code of the pages that are not guides; the README and others have tests of their own.

RUN = (
    "certified.md",
    "index.md",
    "linter.md",
    "using.md",
    "worlds/heterogeneous.md",
    "worlds/huberised.md",
)
RUN_ELSEWHERE = {
    "one_level.md": "engines/test_one_level.py",
    "draws.md": "engines/test_one_level.py",
    "testing.md": "test_algorithm_checks.py",
    "your_own_paper.md": "test_register.py",
    "your_own_work.md": "test_rates.py",
    "pytest_plugin.md": "test_plugin_installed.py",
}
NOT_RUN = {"worlds/ridge.md": "half a minute, and data that are an extra"}


def code_of(name: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", page(name), re.DOTALL | re.MULTILINE)


@pytest.mark.by_night("worlds/huberised.md")
@pytest.mark.parametrize("name", RUN)
def test_every_python_block_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for block in code_of(name):
        exec(compile(block, name, "exec"), {})
    assert capsys.readouterr().out


def test_the_first_page_shows_what_its_code_prints(capsys: pytest.CaptureFixture[str]) -> None:
    [(code, shown)] = re.findall(
        r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", page("index.md"), re.DOTALL | re.MULTILINE
    )
    exec(compile(code, "index.md", "exec"), {})
    assert capsys.readouterr().out == shown


@pytest.mark.parametrize("name", NOT_RUN)
def test_what_is_not_run_at_least_compiles_and_imports(name: str) -> None:
    for block in code_of(name):
        compile(block, name, "exec")
        exec("\n".join(re.findall(r"^(?:from|import) .*$", block, re.MULTILINE)), {})


def test_every_page_with_code_is_known() -> None:
    guides = {f"guides/{guide.name}" for guide in (DOCS / "guides").glob("*.md")}
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert {name for name in pages if code_of(name)} == {*RUN, *RUN_ELSEWHERE, *NOT_RUN, *guides}
    for name, file in RUN_ELSEWHERE.items():
        assert name in next(DOCS.parent.joinpath("tests").rglob(file)).read_text(encoding="utf-8")


# The reference.


def documented() -> set[str]:
    texts = (path.read_text(encoding="utf-8") for path in (DOCS / "reference").glob("*.md"))
    return {name for text in texts for name in re.findall(r"automodule:: ([\w.]+)", text)}


def missing(package: ModuleType, modules: set[str]) -> list[str]:
    """The public functions and classes of a package whose module is in no page of the reference."""
    public = {name: getattr(package, name) for name in package.__all__}
    made = {name: value.__module__ for name, value in public.items() if callable(value)}
    assert made
    return [name for name, module in made.items() if module not in modules]


@pytest.mark.parametrize("package", [synthetic, solvers], ids=lambda p: p.__name__)
def test_every_public_name_is_in_the_reference(package: ModuleType) -> None:
    assert missing(package, documented()) == []
    first = next(
        getattr(package, name).__module__ for name in package.__all__ if callable(getattr(package, name))
    )
    assert missing(package, documented() - {first})


def test_every_module_of_the_reference_is_there_and_says_what_it_is() -> None:
    for name in documented():
        assert importlib.import_module(name).__doc__, name


# The configuration of the site.


@pytest.fixture
def conf(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    pytest.importorskip("sphinx", reason="the site is an extra: pip install 'ratecert[docs]'")
    monkeypatch.setenv("PYTHONPATH", "")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    monkeypatch.setattr(sys, "path", [*sys.path])
    spec = importlib.util.spec_from_file_location("conf", DOCS / "conf.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_docstrings_mean_themselves(conf: ModuleType) -> None:
    given = [
        "y*(x) of `L_1`, |x|:",
        "",
        "    y* = A^{-1} B x",
        "",
        "    and more",
        "",
        "Then x_ ends.",
        "So.",
    ]
    made = [
        r"y\*(x) of ``L_1``, \|x\|:",
        "",
        "",
        "::",
        "",
        "        y* = A^{-1} B x",
        "",
        "        and more",
        "",
    ]
    assert conf.restructured(given) == [*made, "", r"Then x\_ ends.", "So."]


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.stem)
def test_formulas_of_a_page_can_be_drawn(page: Path, conf: ModuleType) -> None:
    for tex in re.findall(r"^\$\$\n(.+?)\n\$\$$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
        assert "<mi" in conf.tex2mathml(conf.readable(tex), as_block=True), tex


# Links.

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
LINKED = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]


def broken(text: str, folder: Path) -> list[str]:
    """Targets of links that are no files beside the page."""
    targets = {target for target in LINK.findall(text) if "://" not in target}
    return sorted(target for target in targets if not (folder / target).exists())


@pytest.mark.parametrize("path", LINKED, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_a_page_links_to_is_there(path: Path) -> None:
    assert broken(path.read_text(encoding="utf-8"), path.parent) == []


def test_a_missing_picture_is_seen() -> None:
    text = "![a](nothing.png) [b](test_pages.py#top) [c](https://example.org/x)"
    assert broken(text, Path(__file__).parent) == ["nothing.png"]
