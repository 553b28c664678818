"""The explorer in a real browser: sliders move, numbers are those of `expect`, bad links are refused politely."""

from typing import Any

import numpy as np
import pytest

import ratecert as rc
from oracles.chromium import WIDTHS, complaints_of, faint_text, wider_than_page
from ratecert.explore.presets import first
from ratecert.explore.state import read, usual

STATES = [first(), usual("LocalBSGM", T=2**10), usual("parallel-sgd:sgd-descent"), usual("SGD", alpha=10.0)]


def settled(page: Any) -> None:
    """Wait until the last question is answered."""
    page.wait_for_selector(
        "body[data-busy=no]"
    )  # a function to wait for would be eval, which the page forbids


def opened(page: Any, address: str, query: str = "") -> None:
    page.goto(f"{address}?{query}" if query else address)
    settled(page)


def moved(page: Any, name: str, place: int) -> None:
    """Drag a slider to one of its 600 places, through those between."""
    slider = page.locator(f"#at-{name}")
    for at in (place - 2, place - 1, place):
        slider.evaluate("(s, at) => { s.value = at; s.dispatchEvent(new Event('input')); }", at)
    settled(page)


def value(page: Any, measure: str) -> float:
    return float(page.get_attribute(f"tr[data-measure={measure}] .value", "data-value"))


def expected(page: Any) -> Any:
    """By the face, from the numbers that the fields show."""
    field = {c: page.input_value(f"#is-{c}") for c in ("K", "T", "alpha", "p", "L", "spread", "s", "x_off")}
    number = {name: float(text) for name, text in field.items() if name not in ("K", "T", "p")}
    H = np.diag([number["L"], number["L"] / number["spread"]])
    world = rc.worlds.SingleLevel(H=H, s=number["s"])
    T = 2 ** int(field["T"][2:]) if "^" in field["T"] else int(field["T"])
    solver = rc.methods.SGD(alpha=number["alpha"], p=int(field["p"]))
    return rc.expect(
        world, solver, K=int(field["K"]), T=T, x0=world.x_star + number["x_off"], times=[], certified=False
    )


def test_sliders_move_and_the_numbers_are_those_of_expect(page: Any, address: str) -> None:
    opened(page, address, usual("SGD", T=2**20).query)
    before = value(page, "gap")
    assert before == pytest.approx(expected(page).gap, rel=1e-9)
    for name, place in (("K", 300), ("T", 400), ("alpha", 250), ("p", 30), ("s", 350), ("spread", 500)):
        was = page.input_value(f"#is-{name}")
        moved(page, name, place)
        assert page.input_value(f"#is-{name}") != was
        for measure in ("gradient", "gap", "distance", "drift_x"):
            assert value(page, measure) == pytest.approx(expected(page).values[measure], rel=1e-9)
    assert value(page, "gap") != pytest.approx(before, rel=1e-3)


def test_the_address_bar_restores_what_is_shown(page: Any, address: str) -> None:
    opened(page, address)
    moved(page, "K", 200)
    query = page.evaluate("location.search.slice(1)")
    shown = value(page, "gradient"), page.inner_text("#verdict")
    assert read(query, "SGD").numbers["K"] == int(page.input_value("#is-K")) > 1
    opened(page, address, query)
    assert (value(page, "gradient"), page.inner_text("#verdict")) == shown


def test_the_first_page_shows_a_refuted_theorem_and_its_repair(page: Any, address: str) -> None:
    opened(page, address)
    assert page.inner_text("#verdict").startswith("Theorem 1 of “On the Convergence")
    assert "”, as printed, breaks its bound here." in page.inner_text("#verdict")
    assert page.locator("#formula math").count() > 3
    assert page.locator("#formula math").first.evaluate("m => m.namespaceURI").endswith("/MathML")
    assert page.locator("#controls > .numbers input[type=range]").count() == 5
    assert not page.locator("#is-theta").is_visible()
    page.select_option("#choose-bound", "repaired")
    settled(page)
    assert "”, as repaired, is not refuted here." in page.inner_text("#verdict")
    assert page.locator("[data-term]").count() > 3
    page.select_option("#choose-show", "LocalBSGVRM")
    settled(page)
    assert page.locator("[data-term]").count() == 0


def test_other_methods_worlds_and_counterexamples_can_be_chosen(page: Any, address: str) -> None:
    opened(page, address)
    page.wait_for_selector("#choose-show option[value=LocalBSGVRM]", state="attached")
    page.select_option("#choose-show", "LocalBSGVRM")
    settled(page)
    page.select_option("#choose-world", "differing")
    settled(page)
    assert page.locator("#measures tbody tr").count() == 4
    page.select_option("#presets", label="item, printed, simple: counterexample")
    settled(page)
    assert page.inner_text("#verdict").startswith("ITEM with the docstring's indices, in “PEPit")
    assert page.input_value("#is-T") == "16"


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("K=many", "K must be a whole number from 1 to 10^6, got 'many'"),
        ("show=<img src=x onerror=alert(1)>", "Show must be one of"),
        ("T=2^99", "T must be a whole number from 1 to 2^62"),
    ],
)
def test_a_bad_link_is_refused_politely_and_something_is_shown(
    page: Any, address: str, query: str, sentence: str
) -> None:
    opened(page, address, query)
    assert page.inner_text("#refused").startswith(sentence)
    assert page.locator("#measures tbody tr").count() == 4
    opened(page, address, "show=LocalBSGM")
    assert page.is_hidden("#refused")


def test_a_number_out_of_range_is_refused_where_it_is_typed(page: Any, address: str) -> None:
    opened(page, address, usual("SGD").query)
    before = value(page, "gap")
    page.fill("#is-K", "0")
    page.press("#is-K", "Enter")
    settled(page)
    assert "K must be a whole number from 1" in page.inner_text("#refused")
    assert value(page, "gap") == before
    page.fill("#is-K", "64")
    page.press("#is-K", "Enter")
    settled(page)
    assert page.is_hidden("#refused")
    assert value(page, "gap") == pytest.approx(expected(page).gap, rel=1e-9) != before


def test_the_figure_can_be_taken_away_in_its_colours(page: Any, address: str) -> None:
    opened(page, address)
    with page.expect_download() as download:
        page.click("#figure")
    picture = download.value.path().read_text(encoding="utf-8")
    assert picture.startswith("<svg")
    assert "--c0: #0072b2" in picture.lower()
    assert picture.count("<path") == page.locator("#chart path").count() > 1


def test_the_button_certifies_the_point(page: Any, address: str) -> None:
    opened(page, address)
    page.click("#certify")
    page.wait_for_selector("th:has-text('certified between')")
    low, high = map(float, page.inner_text("tr[data-measure=gradient] td:last-child").split(" and "))
    assert low <= value(page, "gradient") * (1 + 1e-9)
    assert high >= value(page, "gradient") * (1 - 1e-9)
    assert "above the bound" in page.inner_text("#certificate")
    moved(page, "K", 100)
    assert page.locator("th:has-text('certified between')").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_page_and_all_text_can_be_read(
    browser: Any, address: str, width: int, scheme: str
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    complaints = complaints_of(page)
    for state in STATES:
        opened(page, address, state.query)
        assert wider_than_page(page) == []
        assert faint_text(page) == []
    assert complaints == []
    context.close()
