"""Long computations say how far they are, to a terminal and to nobody else."""

import inspect
import io
import sys
import threading
import time

import pytest

import ratecert as rc
from ratecert.base import progress as waiting
from ratecert.base.progress import progress_of


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def opened(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal that has waited long enough; pytest would take it away between a fixture and its test."""
    made = Terminal()
    monkeypatch.setattr(sys, "stderr", made)
    monkeypatch.setattr(waiting, "PATIENCE", -1.0)
    monkeypatch.setattr(waiting, "PAUSE", -1.0)
    return made


def test_all_items_come_and_the_line_is_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = opened(monkeypatch)
    assert list(waiting.told("abc", "letters")) == ["a", "b", "c"]
    assert "1 of 3 letters" in terminal.getvalue()
    assert terminal.getvalue().endswith(waiting.CLEAR)


def test_the_line_is_cleared_where_the_work_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = opened(monkeypatch)
    for item in waiting.told("abc", "letters"):
        if item == "b":
            break
    assert terminal.getvalue().endswith(waiting.CLEAR)


def test_the_patient_hear_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = opened(monkeypatch)
    monkeypatch.setattr(waiting, "PATIENCE", 60.0)
    assert list(waiting.told("abc", "letters")) == ["a", "b", "c"]
    assert terminal.getvalue() == ""


def test_a_file_hears_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    log = io.StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    monkeypatch.setattr(waiting, "PATIENCE", -1.0)
    assert list(waiting.told("abc", "letters")) == ["a", "b", "c"]
    assert log.getvalue() == ""


def test_one_progress_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = opened(monkeypatch)
    with progress_of("a bar of its own", 1):
        list(waiting.told("abc", "letters"))
    assert "letters" not in terminal.getvalue()
    list(waiting.told("abc", "letters"))
    assert "letters" in terminal.getvalue()


@pytest.mark.parametrize(
    ("K", "T", "said"), [(3, 2**20, "devices read"), (3, 2**20, "doublings"), (3, 9, "iterations")]
)
def test_an_expectation_says_what_it_counts(
    monkeypatch: pytest.MonkeyPatch, K: int, T: int, said: str
) -> None:
    terminal = opened(monkeypatch)
    world = rc.worlds.heterogeneous(d_x=1, d_y=1, K=K, sigma_H=0.1, s_f=0.1, seed=0)
    solver = rc.methods.LocalBSGM(eta=0.01, alpha=2.0, beta=2.0, rho_1=0.2, rho_2=0.5, p=2, theta=0.1, Q=2)
    rc.expect(world, solver, K=K, T=T, x0=1.0, y0=1.0, times=[], certified=False)
    assert said in terminal.getvalue()


def slow(words: int) -> str:
    """Silent for a while, or counting."""
    for _ in waiting.told(range(words), "words"):
        time.sleep(0.01)
    time.sleep(0.1)
    return "done"


def test_what_is_silent_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = opened(monkeypatch)
    assert waiting.timed(slow)(0) == "done"
    assert "ratecert: slow, 0 s" in terminal.getvalue()
    assert terminal.getvalue().endswith(waiting.CLEAR)


def test_the_clock_does_not_talk_over_what_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = opened(monkeypatch)
    monkeypatch.setattr(waiting, "PATIENCE", 60.0)
    assert waiting.timed(slow)(3) == "done"
    assert terminal.getvalue() == ""


def test_there_is_one_clock_and_none_for_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = opened(monkeypatch)

    def outer() -> str:
        return waiting.timed(slow)(0)

    assert waiting.timed(outer)() == "done"
    assert "outer" in terminal.getvalue()
    assert "slow" not in terminal.getvalue()
    log = io.StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    assert waiting.timed(slow)(0) == "done"
    assert log.getvalue() == ""


def test_a_mistake_stops_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    opened(monkeypatch)
    before = threading.active_count()

    def wrong() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        waiting.timed(wrong)()
    assert threading.active_count() == before


def test_expectations_and_limits_are_timed() -> None:
    """Their names, words and arguments stay what they are."""
    for function in (rc.expect, rc.stationary):
        assert inspect.unwrap(function) is not function
        assert "problem" in inspect.signature(function).parameters
