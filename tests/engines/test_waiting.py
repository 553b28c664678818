"""Long computations say how far they are, to a terminal and to nobody else."""

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


def listening(monkeypatch: pytest.MonkeyPatch, to: io.StringIO, patience: float = -1.0) -> io.StringIO:
    """One that has waited long enough; pytest would take it away between a fixture and its test."""
    monkeypatch.setattr(sys, "stderr", to)
    monkeypatch.setattr(waiting, "PATIENCE", patience)
    monkeypatch.setattr(waiting, "PAUSE", -1.0)
    return to


def test_all_items_come_and_the_line_is_cleared_also_where_the_work_stops(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = listening(monkeypatch, Terminal())
    assert list(waiting.told("abc", "letters")) == ["a", "b", "c"]
    assert "1 of 3 letters" in terminal.getvalue()
    assert terminal.getvalue().endswith(waiting.CLEAR)
    terminal = listening(monkeypatch, Terminal())
    for item in waiting.told("abc", "letters"):
        if item == "b":
            break
    assert terminal.getvalue().endswith(waiting.CLEAR)


@pytest.mark.parametrize(("to", "patience"), [(Terminal, 60.0), (io.StringIO, -1.0)], ids=["patient", "file"])
def test_the_patient_and_files_hear_nothing(
    to: type[io.StringIO], patience: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = listening(monkeypatch, to(), patience)
    assert list(waiting.told("abc", "letters")) == ["a", "b", "c"]
    assert waiting.timed(slow)(3) == "done"
    assert heard.getvalue() == ""


def test_one_progress_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = listening(monkeypatch, Terminal())
    with progress_of("a bar of its own", 1):
        list(waiting.told("abc", "letters"))
    assert "letters" not in terminal.getvalue()


@pytest.mark.parametrize(("T", "said"), [(2**20, "devices read"), (2**20, "doublings"), (9, "iterations")])
def test_an_expectation_says_what_it_counts(monkeypatch: pytest.MonkeyPatch, T: int, said: str) -> None:
    terminal = listening(monkeypatch, Terminal())
    world = rc.worlds.heterogeneous(d_x=1, d_y=1, K=3, sigma_H=0.1, s_f=0.1, seed=0)
    solver = rc.methods.LocalBSGM(eta=0.01, alpha=2.0, beta=2.0, rho_1=0.2, rho_2=0.5, p=2, theta=0.1, Q=2)
    rc.expect(world, solver, K=3, T=T, x0=1.0, y0=1.0, times=[], certified=False)
    assert said in terminal.getvalue()


def slow(words: int) -> str:
    """Silent for a while, or counting."""
    for _ in waiting.told(range(words), "words"):
        time.sleep(0.01)
    time.sleep(0.1)
    return "done"


def test_what_is_silent_is_timed_by_one_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = listening(monkeypatch, Terminal())

    def outer() -> str:
        return waiting.timed(slow)(0)

    assert waiting.timed(outer)() == "done"
    assert "ratecert: outer, 0 s" in terminal.getvalue()
    assert "slow" not in terminal.getvalue()
    assert terminal.getvalue().endswith(waiting.CLEAR)


def test_a_mistake_stops_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    listening(monkeypatch, Terminal())
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        waiting.timed(lambda: 1 / 0)()
    assert threading.active_count() == before
