"""What is shown, from a link and back: round trips, and refusals that name the value and the range."""

from dataclasses import replace

import pytest

from ratecert.errors import UserError
from ratecert.explore.controls import Control, text_of, whole_number
from ratecert.explore.methods import METHODS
from ratecert.explore.presets import first, presets
from ratecert.explore.state import State, read, usual
from ratecert.explore.theorems import theorems

STATES = [usual(name, world=world) for name, subject in METHODS.items() for world in subject.worlds]


@pytest.mark.parametrize("state", STATES, ids=lambda state: f"{state.show}-{state.world}")
def test_a_link_restores_the_state_of_every_method(state: State) -> None:
    assert read(state.query, "SGD") == state


def test_a_link_restores_every_preset_to_the_last_digit() -> None:
    for each in presets():
        again = read(each.state.query, "SGD")
        assert again == each.state
        other = {**each.state.numbers, "T": 1 + each.state.numbers["T"]}
        assert again != replace(each.state, numbers=other)


def test_every_theorem_that_is_bound_to_a_run_can_be_shown() -> None:
    for name, subject in theorems().items():
        for world in subject.worlds:
            assert usual(name, world=world).world == world


def test_what_a_link_leaves_out_has_its_usual_value() -> None:
    assert read("show=LocalBSGM&K=7", "SGD") == usual("LocalBSGM", K=7)
    assert read("", "SGD") == usual("SGD")
    assert first().query != usual("LocalBSGM").query


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("K=0", r"K must be a whole number from 1 to 10\^6, got '0'"),
        ("K=1.5", "K must be a whole number"),
        ("K=__import__('os')", "K must be a whole number"),
        ("T=2^63", r"T must be a whole number from 1 to 2\^62, got '2\^63'"),
        ("T=2^999999999", "T must be a whole number"),
        ("eta=nan", "eta must be a number from 1e-18"),
        ("eta=-1", "eta must be a number"),
        ("eta=1e999", "eta must be a number"),
        ("eta=", "eta must be a number"),
        ("eta=１", "eta must be a number"),
        ("world=moon", "world must be one of two_level, differing"),
        ("bound=theorem-9", "bound must be one of none"),
        ("view=<script>", "view must be one of average, now, got '<script>'"),
        ("show=LocalBSGMM", "show must be one of LocalBSGM"),
        ("colour=red", "control must be one of K, T|control must be one of"),
        ("K=3&K=4", "'K' is given twice"),
        ("%ff=1", "the link cannot be read"),
        ("&".join(f"a{i}=1" for i in range(99)), "the link cannot be read"),
        ("K=" + "1" * 5000, "at most 4000 characters, got 5002"),
    ],
)
def test_bad_links_are_refused_with_what_is_allowed(query: str, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        read(query, "LocalBSGM")


def test_zero_is_read_only_where_it_is_allowed() -> None:
    control = Control(name="s", at=1.0, low=1e-3, high=10.0, zero=True)
    assert control.number("0") == 0
    with pytest.raises(UserError, match=r"s must be 0, or a number from 0\.001 to 10, got '0\.0001'"):
        control.number("0.0001")
    with pytest.raises(UserError, match=r"s must be a number from 0\.001"):
        replace(control, zero=False).number("0")


@pytest.mark.parametrize("value", [1, 127, 128, 2**40, 2**62, 10**17, 0.1, 5e-324, 1e-18, 2.0**40])
def test_numbers_are_written_so_that_they_are_read_again(value: float) -> None:
    control = Control(name="n", at=1, low=5e-324, high=2**62, whole=isinstance(value, int))
    again = control.number(text_of(value))
    assert again == value
    assert type(again) is type(value)


@pytest.mark.parametrize(
    ("control", "span"),
    [
        (
            whole_number("n", 1, 0, 2**62, "", "run"),
            (1, 2**62, True),
        ),  # 0 has no logarithm: it is the left end
        (whole_number("n", 1, 1, 10**6, "", "run"), (1, 10**6, False)),
        (Control(name="n", at=0.5, low=0.01, high=0.9, linear=True), (0.01, 0.9, False)),
        (Control(name="n", at=1, low=1e-9, high=100.0, zero=True), (1e-3, 100.0, True)),
    ],
)
def test_what_a_slider_spans(control: Control, span: tuple[float, float, bool]) -> None:
    data = control.as_data()
    assert (data["low"], data["high"], data["zero"]) == span
    if control.zero:
        assert control.number("0") == 0
