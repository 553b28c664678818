"""Pages that are made of hostile texts, in a real browser: nothing runs, whatever is opened, and all of it is shown."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import ratecert as rc
from oracles.hostile import ACTING, HOSTILE, LATEX
from oracles.toy_claims import results_of, toy
from ratecert.catalogue import find
from ratecert.cli.main import main
from ratecert.report import page as report_room

SITE = Path(__file__).parents[2] / "build" / "docs"
OPENED = "document.querySelectorAll('details').forEach(each => { each.open = true; })"
BY_HAND = "<img src=x onerror='window.ran=1'><script>window.ran=1</script>"


def filled(value: Any, text: str, kept: tuple[str, ...]) -> Any:
    """The same with this text in the place of every text, but for keys that name one of a list."""
    if isinstance(value, dict):
        return {name: each if name in kept else filled(each, text, kept) for name, each in value.items()}
    if isinstance(value, list):
        return [filled(each, text, kept) for each in value]
    return text if isinstance(value, str) else value


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A claim for each text, which stands in every field that takes one."""
    folder = tmp_path_factory.mktemp("hostile")
    results = results_of(folder, toy("theorem-1.plain", [1, 2]))
    (plain,) = results["claims"]
    plain |= {"because": "x", "notes": ["x"], "settings": {"x": {"world": "x", "y": ["x"]}}, "figures": []}
    plain |= {"verdict": "refuted", "expected": "refuted", "checks": plain["checks"][:1]}
    kept = ("verdict", "expected", "relation", "of", "kind", "x_scale", "y_scale", "level", "text", "figures")
    # A caption or a label is LaTeX for the plotting library between dollars, and refused where it is none.
    results["claims"] = [
        {**filled(plain, text, kept), "id": f"{text} {i}", "table": [{text: text}]}
        for i, text in enumerate(HOSTILE)
    ]
    results["errata"] = [dict.fromkeys(("place", "reason", "evidence"), each) for each in HOSTILE]
    head = {name: results[name] for name in ("ratecert", "budget", "versions", "title")}
    results |= filled(head, HOSTILE[0], ())
    (folder / "results.json").write_text(json.dumps(results), encoding="utf-8")
    (folder / "run.json").write_text(json.dumps({each: each for each in HOSTILE}), encoding="utf-8")
    paper = find.paper("printed")
    theorem = replace(paper["theorem-1"], title=HOSTILE[0], source=HOSTILE[10], measure=LATEX[0])
    letters = {
        name: replace(each, latex=LATEX[i % len(LATEX)])
        for i, (name, each) in enumerate(paper.notation.items())
    }
    evil = replace(
        paper, title=HOSTILE[1], notation=letters, statements={**paper.statements, "theorem-1": theorem}
    )
    with pytest.MonkeyPatch.context() as patch:
        for room in ("typeset", "summary", "page"):
            patch.setattr(f"ratecert.report.{room}.paper", lambda *_, **__: evil)
        assert main(["report", str(folder)]) == 0
    return folder / "index.html"


def nothing_ran(page: Any) -> None:
    assert page.evaluate("window.ran") is None
    assert page.evaluate(ACTING) == []


def test_a_report_shows_hostile_texts_and_runs_none(page: Any, report: Path) -> None:
    page.goto(report.as_uri())
    page.evaluate(OPENED)
    page.locator("details.late table").nth(100).wait_for(state="attached")
    nothing_ran(page)
    shown = page.evaluate("document.body.textContent")
    for text in HOSTILE:
        assert text in shown
    for link in page.locator("summary").all()[:200]:
        link.hover()
    nothing_ran(page)


def test_what_was_put_into_a_report_does_not_run_either(blank: Any, report: Path, tmp_path: Path) -> None:
    """The second wall: markup that has come through is stopped by the page's policy, and its own script goes on."""
    text = report.read_text(encoding="utf-8")
    (tmp_path / "x.html").write_text(text.replace("<main>", f"<main>{BY_HAND}", 1), encoding="utf-8")
    blank.goto((tmp_path / "x.html").as_uri())
    blank.evaluate(OPENED)
    blank.locator("details.late table").nth(100).wait_for(state="attached")
    assert blank.evaluate("window.ran") is None
    without = text.replace("<main>", f"<main>{BY_HAND}", 1).replace("Content-Security-Policy", "x")
    (tmp_path / "y.html").write_text(without, encoding="utf-8")
    blank.goto((tmp_path / "y.html").as_uri())
    assert blank.evaluate("window.ran") == 1  # so the policy it is


@pytest.mark.parametrize("field", ["show", "K", "x"])
def test_an_explorer_shows_a_hostile_link_and_runs_nothing(page: Any, address: str, field: str) -> None:
    for text in HOSTILE:
        page.goto(f"{address}?{quote(field)}={quote(text)}")
        page.wait_for_selector("body[data-busy=no]")
        assert page.inner_text("#refused")
        nothing_ran(page)


def test_a_paper_of_hostile_words_is_explored_and_runs_nothing(page: Any, address: str) -> None:
    """Ids, titles and letters are a user's own: they are shown."""
    paper = rc.paper(key="parallel-sgd")
    theorem = replace(paper["sgd-descent"], title=HOSTILE[0], measure=LATEX[0])
    own = replace(
        paper, key="hostile", title=HOSTILE[1], statements={**paper.statements, "sgd-descent": theorem}
    )
    key = rc.register(own, {"sgd-descent": find.bindings("parallel-sgd")["sgd-descent"]})
    from ratecert.explore.theorems import bring

    (shown,) = bring(key)
    page.goto(f"{address}?show={quote(shown)}")
    page.wait_for_selector("body[data-busy=no]")
    nothing_ran(page)


@pytest.mark.skipif(not SITE.exists(), reason="the site is not built; make docs builds it")
@pytest.mark.parametrize("name", ["index", "library", "search", "course/03_local_bsgm", "genindex"])
def test_what_was_put_into_a_page_of_the_site_does_not_run(blank: Any, name: str) -> None:
    path = SITE / f"{name}.html"
    text = path.read_text(encoding="utf-8")
    assert "<article" in text
    changed = path.with_name("with_a_script.html")
    changed.write_text(text.replace("<article", f"{BY_HAND}<article", 1), encoding="utf-8")
    try:
        blank.goto(changed.as_uri())
        assert blank.evaluate("window.ran") is None
        assert blank.evaluate("document.body.dataset.theme") == "auto"  # the theme's own script has run
    finally:
        changed.unlink()


def test_every_statement_is_drawn_without_markup_of_its_own() -> None:
    """The room that the fixture changes is the one that the report asks."""
    assert report_room.paper is find.paper
