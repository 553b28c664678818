"""Every number in the prose of README and docs is read by a test, or is a setting that is named here.

Prose is what is left of a page without code, formulas that are laid out, names in backticks and links. Whole numbers
below 13, versions and powers are words. A phrase of `facts` is made of what the repository keeps and has to be on its
page; `READ_ELSEWHERE` names lines whose numbers another test reads; `SETTINGS` are numbers that nothing has measured.
"""

import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ratecert.base.drawing import svgs
from ratecert.claims.claim import Budget, Task
from ratecert.solvers.engines.run import CERTIFIED_STEPS
from ratecert.verdicts.collect import claims
from ratecert.verdicts.mistakes import along_T

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in [
    ROOT / "README.md", *(p for p in DOCS.rglob("*.md") if p.parent.name not in ("reference", "library")),
]}  # fmt: skip
NOT_PROSE = re.compile(
    r"```.*?```|^ {4}.*?$|`[^`]*`|\]\([^)]*\)|<!--.*?-->|<a .*?>|arXiv:\S+", re.DOTALL | re.MULTILINE
)
NUMBER = re.compile(r"(?<![\w.^/−²³⁰-⁹])\d[\d,]*(?:\.\d+)?(?![\w⁰-⁹^/])")
SMALL = 13
PICTURE = DOCS / "figures" / "theorem-1-printed.svg"

READ_ELSEWHERE = {
    "README.md": r".*17/288.*|.*leave 0\.38.*",  # test_pages.py, the lost letter
    "docs/index.md": r".*17/288.*|.*leave 0\.38.*",
    "docs/found.md": r"\| `.*",  # test_pages.py, the case study
    "docs/falsify.md": r"\| \[`.*",  # tests/proofs/test_stored_proofs.py
    "docs/map.md": r"\| \d+ \| `.*",  # test_map.py
    "docs/trust.md": r".*102 .*|synthetic 8, .*",  # tests/mutation/test_places.py
}
SETTINGS = {
    "README.md": ["Section 5.3.1"],
    "docs/index.md": ["Section 5.3.1"],
    "docs/certified.md": ["0.1 is the double 0.1", "64 times", "256 roundings", "80-digit", "slope of 0.9997"],
    "docs/explore.md": ["T is 16 times", "127.0.0.1"],
    "docs/falsify.md": [
        *("most 64 iterations", "0.5, 0.9, 1e-06", "budget of 4000 worlds", "with 2000", "with 1500", "0.1 is 1/10"),
        *("than 1000 iterations", "than 16 iterations", "n = 41 solves"),
    ],
    "docs/methods.md": ["of 64 trials", "1/64 to 4096", "at K = 4096", "to K = 4096", "K = 1 and 64", "in 50 digits"],
    "docs/speed.md": [
        *("64 replicates side by side", "500 replicates", "over 200 iterations", "T = 200", "256 replicates"),
        *("Q = 20", "AVX-512", "1024 replicates", "16 cores", "16 workers", "127.0.0.1", "10.0.0.1", "10.0.0.2"),
        *("after 15 seconds", "exit code 130"),
    ],
    "docs/one_level.md": ["most 50000"],
    "docs/start.md": ["Below 110 columns", "Before 1.0", "From 1.0"],
    "docs/testing.md": ["eta = 0.1", "between 1 and 2.5"],
    "docs/trust.md": ["80-digit", "80 digits"],
    "docs/verified.md": ["up to 50 digits", "80 digits"],
    "docs/verify.md": ["70 for a bug", "Xeon at 2.5 GHz"],
    "docs/worlds.md": ["1/(200 p"],
    "docs/your_own_work.md": ["in 20 lines", "(0.05 unless"],
}  # fmt: skip


def facts() -> dict[str, list[str]]:
    """Phrases of pages, made of records."""
    found: dict[str, list[str]] = {"docs/trust.md": [], "docs/falsify.md": [], "docs/found.md": []}
    kept = json.loads((DOCS / "mutation.json").read_text(encoding="utf-8"))["packages"]
    for package, own in kept.items():
        tried = own["mutants"]
        noticed = [each for each in tried if each["outcome"] != "survived" or each["kind"] == "slower"]
        changing = [each for each in tried if each.get("kind") != "equivalent"]
        later = [each for each in changing if each in noticed or each["later"]["outcome"] == "killed"]
        name, _, second = package.partition(",")
        parts = (f"{len(noticed) / len(tried):.0%}", f"{len(later) / len(tried):.0%}")
        row = f"| `{name}`{',' if second else ''}{second} | {own['population']} | {len(tried)} | {' | '.join(parts)} |"
        found["docs/trust.md"].append(f"{row} {len(later)} of {len(changing)} |")
    lines = [json.loads(line) for line in (DOCS / "search.jsonl").read_text(encoding="utf-8").splitlines()]
    searches = {(line["statement"], line["place"]) for line in lines}
    found["docs/falsify.md"].append(f"over {len(lines) // len(searches)} seeds")
    (_, runs) = printed_G()
    last, first = next((a["T"], b["T"]) for a, b in pairwise(runs) if b["left"] > b["printed"])
    found["docs/found.md"].append(f"a T between {last} and {first} on")
    found["docs/one_level.md"] = [f"and {CERTIFIED_STEPS} "]
    return found


def printed_G() -> tuple[Task, list[dict[str, Any]]]:
    """The runs of the figure of Theorem 1 as printed."""
    (task,) = (each for each in claims()["theorem-1.printed-G"].tasks(Budget()) if each.function is along_T)
    return task, along_T(**task.arguments)


def unread(page: str, text: str, known: list[str]) -> list[str]:
    """Numbers of the prose of a page that are in none of these phrases."""
    elsewhere = READ_ELSEWHERE.get(page)
    if elsewhere:
        text = re.sub(rf"^(?:{elsewhere})$", "", text, flags=re.MULTILINE)
    for phrase in (*known, *SETTINGS.get(page, ())):
        text = text.replace(phrase, "")
    numbers = NUMBER.findall(NOT_PROSE.sub("", text))
    return [each for each in numbers if "." in each or int(each.replace(",", "")) >= SMALL]


def test_every_number_of_the_prose_is_read_or_is_a_setting() -> None:
    known = facts()
    missing = {page: [each for each in own if each not in PAGES[page]] for page, own in known.items()}
    assert {page: own for page, own in missing.items() if own} == {}
    found = {page: unread(page, text, known.get(page, [])) for page, text in PAGES.items()}
    assert {page: own for page, own in found.items() if own} == {}


def test_no_setting_is_named_that_is_on_no_page() -> None:
    gone = {page: [each for each in own if each not in PAGES[page]] for page, own in SETTINGS.items()}
    assert {page: own for page, own in gone.items() if own} == {}


@pytest.mark.parametrize("said", ["it is 3.14 times as fast", "it found 1766 worlds", "on 20,000 runs"])
def test_a_number_that_nothing_reads_is_seen(said: str) -> None:
    assert unread("docs/linter.md", f"Some prose: {said}, `0.5` and 12 words.", []) != []
    assert unread("docs/linter.md", f"Some prose: {said}.", [said]) == []


def test_every_picture_is_shown() -> None:
    shown = {
        name for text in PAGES.values() for name in re.findall(r"\]\((?:docs/)?figures/([^/)]+)\)", text)
    }
    assert shown == {path.name for path in (DOCS / "figures").iterdir() if path.is_file()}


def test_the_picture_of_theorem_1_has_the_axes_and_curves_of_its_claim() -> None:
    """In words and numbers: coordinates are another library's."""
    task, runs = printed_G()
    chart = claims()["theorem-1.printed-G"].judged([task], [runs]).chart
    assert chart
    words = [
        re.findall(r"<text[^>]*>([^<]*)<", svg)
        for svg in (svgs(chart)[0], PICTURE.read_text(encoding="utf-8"))
    ]
    assert words[0] == words[1]
    longer = replace(
        chart.panels[0],
        series=[replace(each, y=[1e6 * y for y in each.y]) for each in chart.panels[0].series],
    )
    assert re.findall(r"<text[^>]*>([^<]*)<", svgs(replace(chart, panels=[longer]))[0]) != words[1]
