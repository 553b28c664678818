"""The pages of docs/ and the README: their tables are made, their code runs and imports what is public, links lead
somewhere, the reference is whole.

Files of the package that a guide makes are inside it, and may import from inside; a module that a guide has just made
may be imported by its name.
"""

import ast
import importlib
import importlib.util
import inspect
import re
import shlex
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import ratecert as rc
from ratecert.base.asked import FIRST
from ratecert.catalogue import cases
from ratecert.catalogue.find import paper, split
from ratecert.cli.main import main
from ratecert.report.library import read as read_library
from ratecert.report.results import read
from ratecert.theory.numbers.evaluation import with_constants_of
from ratecert.typeset.errata import changes
from ratecert.verdicts.collect import claims as claims_of_package
from tools import papers, reference, runs
from tools.pages import PAGES, built, with_tables, write

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
TEXTS = sorted(
    [
        README,
        ROOT / "CONTRIBUTING.md",
        *(path for path in DOCS.rglob("*.md") if path.parent.stem not in ("reference", "library")),
    ]
)
COURSE = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.py"))
RESULTS = read(DOCS / "results.json")
CLAIMS = RESULTS["claims"]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def shown(name: str) -> str:
    """A page with its tables."""
    return built(name, page(f"{name}.md"))


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


def test_every_claim_and_every_statement_has_its_row_or_is_named_in_the_prose() -> None:
    first = set(re.findall(r"^\| `([^`]+)`", shown("verified"), re.MULTILINE))
    assert {*paper().statements, *(claim["id"] for claim in CLAIMS)} <= first
    unchecked = set(paper().statements).difference(*(claim["of"] for claim in CLAIMS))
    assert unchecked
    assert {id for id in paper().statements if f"`{id}`" in page("verified.md")} >= unchecked
    assert "`table-1`" not in page("verified.md")


def test_another_verdict_gives_another_table() -> None:
    assert runs.of_claims(CLAIMS) in shown("verified")
    assert runs.of_claims([{**CLAIMS[0], "verdict": "undecided"}, *CLAIMS[1:]]) not in shown("verified")


def test_the_stored_results_are_those_of_the_claims() -> None:
    assert RESULTS["budget"] == "standard"
    verdicts = {claim["id"]: claim["verdict"] for claim in CLAIMS}
    assert verdicts == {id: claim.expected for id, claim in claims_of_package().items()}


def test_every_number_of_the_case_study_is_that_of_the_results() -> None:
    checks = {(claim["id"], check["name"]): check for claim in CLAIMS for check in claim["checks"]}
    row = re.compile(r"^\| `([^`]+)` \| ([^|]+) \| (\S+) \| [=≤≥] \| (\S+) \| ", re.MULTILINE)
    rows = row.findall(page("found.md"))
    assert len(rows) >= 19
    for id, name, *numbers in rows:
        check = checks[id, name]
        assert numbers == [f"{check['measured']:.4g}", f"{check['predicted']:.4g}"], (id, name)


# What is corrected.


def test_every_erratum_is_on_the_page_and_another_one_is_not() -> None:
    """Places, reasons and evidence, read from the page alone; witnesses beside their erratum."""
    repaired = paper("repaired")
    text = re.sub(r"\\(.)", r"\1", shown("verified"))
    for erratum in repaired.errata:
        assert re.search(rf"^\| `{re.escape(erratum.place)}[`.]", text, re.MULTILINE), erratum.place
        assert erratum.reason in text
        assert f"*Evidence:* {erratum.evidence}\n" in text
    for witness in cases.stored(FIRST):
        (home,) = [section for section in text.split("\n### ") if f"`{witness.stem}`" in section]
        assert f"| `{cases.read(witness).place}`" in home
    assert "\n".join(papers.listed(repaired)) in shown("verified")
    changed = (replace(repaired.errata[0], reason="None."), *repaired.errata[1:])
    for wrong in (repaired.errata[1:], changed):
        assert "\n".join(papers.listed(replace(repaired, errata=wrong))) not in shown("verified")


def test_the_corrections_cover_all_that_is_refuted() -> None:
    """By an erratum to it or to its constants, or by what is said beside it; what is not refuted is not there."""
    pages = {key: wrong_of(text) for key, text in papers.source_pages().items()}
    for record in read_library():
        key, inside = split(record["id"])
        if record["verdict"] in ("refuted", "proved false"):
            own = with_constants_of(paper(key=key), inside)
            assert any(f"`{each}`" in pages[key] for each in own), record["id"]
    assert pages["silent"] == ""


def wrong_of(page: str) -> str:
    """What stands on the page of a source before all its statements."""
    return page.partition("## What is printed, and what fits")[2].partition("## Every statement")[0]


def test_every_source_of_the_library_has_a_page_and_a_line_of_the_index() -> None:
    pages = papers.source_pages()
    assert pages.keys() == {split(record["id"])[0] for record in read_library()}
    index = papers.sources(read_library())
    assert all(f"](library/{key}.md)" in index for key in pages)
    assert index != papers.sources(read_library()[1:])


def test_changes_by_hand() -> None:
    by_place = {erratum.place: set(changes(erratum)) for erratum in paper("repaired").errata}
    assert by_place["constant.G.left"] == {("constant.G.left", "G", "G²")}
    assert by_place["estimator-tilde"] == {("estimator-tilde.arguments", "x", "x, y")}
    assert by_place["corollary-1"] >= {
        ("corollary-1.window", "nothing", "T >= K³"),
        ("corollary-1.scalings.rho_1", "O(1)", "Theta(log(K T)^(-4))"),
    }
    line = ("round: u_{t+1} = mean over devices of u_{t+1}", "round: u_t = mean over devices of u_t")
    assert ("algorithm-1.lines.7", *line) in by_place["algorithm-1"]
    assert ("algorithm-2.starts_from", "x_1, y_1", "x_0, y_0") in by_place["algorithm-2"]


# Code. The guides have a file of their own.

RUN = ("certified.md", "linter.md", "speed.md", "worlds.md")
RUN_ELSEWHERE = {
    "one_level.md": "engines/test_one_level.py",
    "testing.md": "test_algorithm_checks.py", "your_own_paper.md": "test_register.py",
    "your_own_work.md": "test_rates.py", "pytest_plugin.md": "test_plugin_installed.py",
}  # fmt: skip
NOT_RUN = "import ridge"  # half a minute, and data that are an extra


def blocks_of(text: str) -> list[str]:
    """The Python that a page shows, in the solutions of a notebook's exercises too."""
    found = re.findall(r"^(?:# )?```python\n(.*?)^(?:# )?```", text, re.DOTALL | re.MULTILINE)
    return [
        re.sub(r"^# ?", "", each, flags=re.MULTILINE) if each.startswith("# from") else each for each in found
    ]


@pytest.mark.by_night("worlds.md")
@pytest.mark.parametrize("name", RUN)
def test_every_python_block_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for block in blocks_of(page(name)):
        code = compile(block, name, "exec")
        if NOT_RUN not in block:
            exec(code, {})
    assert capsys.readouterr().out


@pytest.mark.parametrize("path", [README, *(DOCS / f"{name}.md" for name in ("start", "found"))], ids=name_of)
def test_a_first_page_shows_what_its_code_prints(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One block after the other, and the tests among them."""
    text = path.read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for code in blocks_of(text):
        exec(compile(code, path.name, "exec"), names)
    for test in [each for name, each in names.items() if name.startswith("test_")]:
        test()
    [output] = re.findall(r"^```text\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert capsys.readouterr().out == output


@pytest.mark.parametrize("path", [README, DOCS / "start.md"], ids=name_of)
def test_the_first_commands_end_well(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As they are typed one after the other, with a small budget; another name of the theorem is refused."""
    found = re.findall(
        r"^ratecert ((?:new|lint|falsify) .*?)(?: {3,}|$)", path.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(found) >= 2
    monkeypatch.chdir(tmp_path)
    small = {"falsify": ["--budget", "8", "--jobs", "1"]}
    for command in map(shlex.split, found):
        assert main([*command, *small.get(command[0], [])]) == 0, command
    assert main(["falsify", "my_paper.py:theorem"]) == 2


WITNESS = "sg-noise-reduction.svrg-rate.printed-start.simple"


def test_the_lost_letter_is_drawn_with_the_numbers_of_its_counterexample() -> None:
    tried = rc.check_witness(WITNESS).tried
    measured, bound = (side / tried.values["Delta"] for side in (tried.measured, tried.bound))
    part = Fraction(bound).limit_denominator(1000)
    picture = (DOCS / "figures" / "lost-letter.svg").read_text(encoding="utf-8")
    bars = re.findall(r'width="([\d.]+)" height="24"', picture)
    assert bars == [f"{520 * side:.1f}" for side in (bound, measured)]
    assert re.findall(r'font-size="18" fill="#222222">(.*)</text>', picture) == [
        *(f"{part} = {bound:.3f}", f"{measured:.2f}")
    ]
    text = README.read_text(encoding="utf-8")
    assert f"{part} is allowed, {measured:.2f} is measured" in text
    assert f"leave {measured:.2f} of the gap" in text
    assert f"ratecert check {WITNESS}`" in text


def test_every_page_with_code_is_known() -> None:
    with_code = {
        path.relative_to(DOCS).as_posix()
        for path in TEXTS
        if path.is_relative_to(DOCS) and blocks_of(path.read_text())
    }
    guides = {f"guides/{guide.name}" for guide in (DOCS / "guides").glob("*.md")}
    assert with_code == {"found.md", "start.md", *RUN, *RUN_ELSEWHERE, *guides}
    for name, file in RUN_ELSEWHERE.items():
        assert name in next((ROOT / "tests").rglob(file)).read_text(encoding="utf-8")


# What readers are shown imports from the face alone.

FACE = {"ratecert", *(f"ratecert.{name}" for name in rc.__all__ if name in rc._NAMESPACES)}
INSIDE = re.compile(r"# ((?:ratecert|theory|synthetic|solvers|tests)/[\w/]+)\.py\n")


def beside_the_face(code: str, made: frozenset[str] = frozenset()) -> set[str]:
    """The modules and names of ours that a piece of code imports and that are not public."""
    found = set()
    for node in ast.walk(ast.parse(re.sub(r"^\s*%.*$", "", code, flags=re.MULTILINE))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names} - FACE
        elif isinstance(node, ast.ImportFrom):
            module = str(node.module)
            public = importlib.import_module(module).__all__ if module in FACE else ()
            names = {f"{module}.{alias.name}" for alias in node.names if alias.name not in public}
            found |= names if module in FACE else {module}
    ours = {name for name in found if name.split(".")[0] in ("ratecert", "theory", "synthetic", "solvers")}
    return ours - made


def shown_in(text: str) -> set[str]:
    blocks = blocks_of(text)
    made = {match.group(1).replace("/", ".") for block in blocks if (match := INSIDE.match(block))}
    named = frozenset(name if name.startswith("ratecert") else f"ratecert.{name}" for name in made)
    return set().union(*(beside_the_face(block, named) for block in blocks if not INSIDE.match(block)))


@pytest.mark.parametrize("path", [*TEXTS, *COURSE], ids=name_of)
def test_readers_are_shown_the_face_alone(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert shown_in(text) | (beside_the_face(text) if path.suffix == ".py" else set()) == set()


@pytest.mark.parametrize(
    ("code", "seen"),
    [
        ("import ratecert as rc\nfrom ratecert.worlds import scalar\nfrom ratecert import expect", set()),
        ("from ratecert.errors import UserError\nimport numpy", set()),
        ("from ratecert.solvers import expect", {"ratecert.solvers"}),
        ("import ratecert.catalogue.find", {"ratecert.catalogue.find"}),
        ("from ratecert import catalogue", {"ratecert.catalogue"}),
        ("from ratecert.worlds import np", {"ratecert.worlds.np"}),
        ("from solvers.heavy_ball import HeavyBall", {"solvers.heavy_ball"}),
        ("%matplotlib inline\ndef f():\n    from ratecert.run import tasks", {"ratecert.run"}),
    ],
)
def test_an_import_from_inside_is_seen(code: str, seen: set[str]) -> None:
    assert beside_the_face(code) == seen


def test_a_file_that_a_guide_makes_is_inside() -> None:
    own = "```python\n# solvers/mine.py\nfrom ratecert.solvers.contract.stage import Stage\n```\n"
    using = "```python\nfrom ratecert.solvers.mine import Mine\n```\n"
    assert shown_in(own + using) == set()
    assert shown_in(using) == {"ratecert.solvers.mine"}


# The reference.


def test_every_public_name_is_in_the_reference_and_nothing_else() -> None:
    text = "".join(reference.pages().values())
    shown = re.findall(r"auto(?:class|function|data):: ([\w.]+)", text)
    spaces = {name: getattr(rc, name).__all__ for name in reference.NAMESPACES}
    public = [f"ratecert.{name}" for name in rc.__all__ if name not in spaces]
    public += [f"ratecert.{space}.{name}" for space, names in spaces.items() for name in names]
    assert sorted(shown) == sorted(public)
    assert {reference.kind(each) for each in (rc.expect, rc.worlds.Quadratic, rc.smooth)} == {
        *("function", "class", "data")
    }


@pytest.mark.parametrize("space", [rc.statements, rc.contract], ids=lambda space: str(space.__name__))
def test_every_name_for_authors_says_what_it_is(space: Any) -> None:
    """In words of its own: a dataclass without a docstring has its signature in the place of one."""
    values = {name: getattr(space, name) for name in space.__all__}
    assert [n for n, v in values.items() if (inspect.getdoc(v) or f"{n}(").startswith(f"{n}(")] == []
    assert [name for name in values if f"| [`{name}`](reference/" not in shown("one_level")] == []


def test_pages_that_are_made_no_more_go(tmp_path: Path) -> None:
    (tmp_path / "old.md").write_text("", encoding="utf-8")
    write(tmp_path, reference.pages())
    assert {path.stem for path in tmp_path.iterdir()} == {"index", "face", *reference.NAMESPACES}


# Links, and length.


def broken(text: str, folder: Path) -> list[str]:
    """Targets of links that are no files beside the page."""
    targets = set(re.findall(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)", text))
    made = {f"reference/{name}.md" for name in ("index", "face", *reference.NAMESPACES)}
    return sorted(t for t in targets - made if "://" not in t and not (folder / t).exists())


@pytest.mark.parametrize("path", TEXTS, ids=name_of)
def test_what_a_page_links_to_is_there(path: Path) -> None:
    assert broken(path.read_text(encoding="utf-8"), path.parent) == []


def test_a_missing_picture_is_seen() -> None:
    text = "![a](nothing.png) [b](test_pages.py#top) [c](https://example.org/x)"
    assert broken(text, Path(__file__).parent) == ["nothing.png"]


def test_what_is_written_by_hand_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").split()) <= 600
    pages = [path for path in TEXTS if path.is_relative_to(DOCS)]
    assert len(pages) <= 25
    assert sum(path.read_text(encoding="utf-8").count("\n") for path in pages) <= 3500
