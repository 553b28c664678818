"""The wrong lines on trial: the list fits the code, and what is written of it is what the last `make guard` found."""

import json
import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from mutation.places import ROOT, require_fitting

HERE = Path(__file__).parent
FOUND = tomllib.loads((HERE / "places.toml").read_text("utf-8"))
ROOMS, PLACES = FOUND["rooms"], [{"number": i, **place} for i, place in enumerate(FOUND["place"], start=1)]
SCORE = json.loads((HERE / "score.json").read_text("utf-8"))
BY_ROOM = Counter(place["room"] for place in PLACES)
TRIED = {room: own["killed"] + own["survived"] + own["timeout"] for room, own in SCORE.items()}
ALL, SOURCES = sum(TRIED.values()), sum(TRIED[room] for room in ("synthetic", "methods", "theory"))


def test_every_line_occurs_once_in_its_file() -> None:
    require_fitting(ROOMS, PLACES)
    assert {*BY_ROOM} == {*ROOMS}


@pytest.mark.parametrize(
    "change",
    [
        {"line": "no such line"},
        {"line": "import"},
        {"wrong": PLACES[0]["line"]},
        {"room": "attic"},
        {"file": "no.py"},
    ],
    ids=["gone", "often", "right", "room", "file"],
)
def test_a_list_that_has_grown_old_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(SystemExit, match=r"places\.toml, place 1"):
        require_fitting(ROOMS, [{**PLACES[0], **change}])


def test_tests_that_are_not_there_are_refused() -> None:
    with pytest.raises(SystemExit, match=r"there is no tests/nowhere\.py"):
        require_fitting({"binding": {"tests": ["tests/nowhere.py"]}}, [])


def test_the_stored_score_is_of_this_list_and_what_survives_has_a_reason() -> None:
    """The list may have grown since; by room it never falls."""
    assert {room: min(n, BY_ROOM[room]) for room, n in TRIED.items()} == TRIED
    reasons = sorted(f"{p['file']}: {p['wrong'].strip()}" for p in PLACES if p.get("reason"))
    assert sorted(each for own in SCORE.values() for each in own["survivors"]) == reasons


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("docs/trust.md", rf"### {ALL} wrong lines"),
        (
            "docs/trust.md",
            rf"lists {ALL} exact changes of one line: {ALL - SOURCES} between",
        ),
        ("docs/trust.md", rf" verdict, {SOURCES} in `theory/`"),
        (
            "docs/trust.md",
            rf"`make guard` noticed {sum(own['killed'] for own in SCORE.values())} of {ALL}",
        ),
        ("docs/trust.md", ", ".join(f"{room} {n}" for room, n in TRIED.items())),
        ("docs/trust.md", rf"{ALL} wrong lines"),
        ("CONTRIBUTING.md", rf"`make guard` puts {ALL} wrong lines in"),
    ],
)
def test_pages_say_how_many(page: str, said: str) -> None:
    text = " ".join((ROOT / page).read_text("utf-8").split())
    assert re.search(said, text)
