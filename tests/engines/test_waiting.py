"""Long computations say how far they are, to a terminal and to nobody else."""

import io
import sys

import pytest

import ratecert as rc
from ratecert.run.progress import progress_of
from ratecert.solvers.engines import waiting


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
