"""The page on mutation testing agrees with the mutants that are kept beside it, and explains every survivor."""

import json
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"
pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the documents are not part of the installed wheel")


def kept() -> dict[str, Any]:
    packages: dict[str, Any] = json.loads((DOCS / "mutation.json").read_text(encoding="utf-8"))["packages"]
    return packages


def row(name: str, package: dict[str, Any]) -> str:
    mutants = package["mutants"]
    later = [mutant.get("later", {}) for mutant in mutants]
    n, drawn = len(mutants), package["drawn"]
    quick = sum(mutant["outcome"] != "survived" for mutant in mutants)
    slower, new = (sum(found.get("tests") == kind for found in later) for kind in ("slower", "new"))
    ended = sum("timeout" in (m["outcome"], f.get("outcome")) for m, f in zip(mutants, later, strict=True))
    cells = [
        package["population"],
        drawn,
        drawn - n,
        n,
        quick,
        slower,
        ended,
        f"{(quick + slower) / n:.0%}",
        new,
    ]
    killed, alike = quick + slower + new, sum(mutant.get("kind") == "equivalent" for mutant in mutants)
    return f"| `{name}` | {' | '.join(map(str, cells))} | {killed / n:.0%} | {killed} of {n - alike} |"


@pytest.mark.parametrize("name", ["solvers", "solvers, second sample", "theory"])
def test_the_scores_are_those_of_the_mutants(name: str) -> None:
    page, package = (DOCS / "mutation.md").read_text(encoding="utf-8"), kept()[name]
    assert row(name, package) in page
    one_less = {**package, "mutants": package["mutants"][1:]}
    assert row(name, one_less) not in page


def test_every_survivor_is_explained() -> None:
    page = (DOCS / "mutation.md").read_text(encoding="utf-8")
    for package in kept().values():
        for mutant in package["mutants"]:
            by = mutant.get("later", {}).get("tests", "")
            if mutant["outcome"] == "survived" and by != "slower":
                assert mutant["kind"] == ("gap, closed" if by == "new" else "equivalent")
                assert f"| {mutant['kind']} | {mutant['why']} |" in page
                assert len(mutant["why"]) > 20
            assert (f"`{mutant['name']}`" in page) is (mutant["outcome"] == "survived")


@pytest.mark.parametrize("name", ["solvers", "theory"])
def test_the_page_of_trust_has_the_scores(name: str) -> None:
    mutants = kept()[name]["mutants"]
    killed = sum(m["outcome"] != "survived" or "tests" in m.get("later", {}) for m in mutants)
    page = (DOCS / "trust.md").read_text(encoding="utf-8")
    assert f"{killed} of {len(mutants)} mutants of `{name}/`" in page
    assert f"{killed - 1} of {len(mutants)} mutants of `{name}/`" not in page
