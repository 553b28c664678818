"""The map of the code is true: its drawing is the import contract, and a theorem goes through the files of its walk."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools import house

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "map.md").read_text(encoding="utf-8")
WALK = re.findall(r"`([\w/]+\.py)`", " ".join(re.findall(r"^\| \d+ \| (.*?) \|", PAGE, re.MULTILINE)))


def test_the_drawing_is_made_of_the_contract() -> None:
    rows = house.layers()
    assert house.FIGURE.read_text(encoding="utf-8") == house.drawn(rows)
    assert house.drawn(rows[::-1]) != house.drawn(rows)
    rooms = {path.parent.name for path in (ROOT / "ratecert").glob("*/__init__.py")}
    assert {room for layer in rows for room in layer} == {*rooms, "rc.*"}
    assert all(house.sentence(room) for layer in rows for room in layer)


def test_every_place_of_the_map_is_there() -> None:
    named = re.findall(r"`((?:ratecert|theory|synthetic|solvers|docs|tests|tools)(?:/[\w./]+)?)`", PAGE)
    assert len(WALK) > 20
    assert [place for place in named if not (ROOT / place).exists()] == []


@pytest.mark.nightly
def test_a_theorem_goes_through_every_file_of_the_walk() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.visited"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert [file for file in WALK if f"  {file}\n" not in done.stdout] == []
