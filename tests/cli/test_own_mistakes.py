"""Whose mistake it is: a line of the user's own file, or ratecert."""

import re
import traceback

import numpy as np
import pytest

from ratecert.base.asked import asked
from ratecert.base.errors import PaperError, UndecidedError
from ratecert.base.own_code import called, is_own, own_lines, undecided_by_mistakes
from ratecert.catalogue.load import module_of
from ratecert.cli import main as cli
from ratecert.cli.main import main

FILE = """import sys
from ratecert.solvers.contract.stage import Stage
from ratecert.base.arrays import Balls


def wrong_call():
    return Stage()


def wrong_number():
    return Balls.of(["no number"])


def ending():
    sys.exit(0)


def interrupted():
    raise KeyboardInterrupt


def stopping():
    raise StopIteration


def broken():
    raise BrokenPipeError


def full():
    raise MemoryError


class Silent(Exception):
    def __str__(self):
        sys.exit(5)


def silent():
    raise Silent
"""


@pytest.fixture
def own(tmp_path):
    (tmp_path / "mine.py").write_text(FILE)
    return module_of(asked(str(tmp_path / "mine.py")))


def raised(call):
    try:
        call()
    except Exception as error:  # noqa: BLE001  whatever it is, it is what is asked about
        return error
    raise AssertionError("nothing was raised")


def test_a_wrong_call_is_the_callers(own):
    error = raised(own.wrong_call)
    assert is_own(error)
    assert own_lines(error)[-1] == "mine.py, line 7: return Stage()"


def test_what_a_call_leads_to_is_not(own):
    """The line is told all the same where it is asked for."""
    error = raised(own.wrong_number)
    assert not is_own(error)
    assert own_lines(error)[-1].startswith("mine.py, line 11")


def test_the_command_says_whose(own, monkeypatch, capsys):
    monkeypatch.setattr(cli, "_run", lambda _: own.wrong_call())
    assert main(["lint"]) == 2
    assert re.search(
        r"a mistake in your own code, .*mine.py, line 7: return Stage\(\): TypeError", _last(capsys)
    )
    monkeypatch.setattr(cli, "_run", lambda _: own.wrong_number())
    assert main(["lint"]) == 70
    assert "a bug in ratecert" in _last(capsys)


def test_a_compiled_extension_is_nobodys_own():
    """Its frames name a file that is not there, and the line that it was compiled from is unknown."""
    error = raised(lambda: np.random.default_rng(0).random(-1))
    frames = [place.filename for place in traceback.extract_tb(error.__traceback__)]
    assert frames[-1].endswith(".pyx")
    assert not is_own(error)
    assert all("test_own_mistakes.py" in line for line in own_lines(error))


def test_too_little_memory_is_neither(monkeypatch, capsys):
    ours = {"__name__": "ratecert.ours"}
    exec("def too_large(_):\n    raise MemoryError('Unable to allocate 7.28 TiB')\n", ours)
    monkeypatch.setattr(cli, "_run", ours["too_large"])
    assert main(["lint"]) == 2
    assert _last(capsys) == "ratecert: this needs more memory than there is; take smaller dimensions.\n"


def test_an_exit_of_a_paper_is_a_mistake_of_its_own(tmp_path, capsys):
    (tmp_path / "exits.py").write_text("import sys\nsys.exit(3)\n")
    assert main(["lint", str(tmp_path / "exits.py")]) == 2
    assert _last(capsys).endswith("exits.py does not import; exits.py, line 2: sys.exit(3); SystemExit: 3\n")
    (tmp_path / "interrupted.py").write_text("raise KeyboardInterrupt\n")
    assert main(["lint", str(tmp_path / "interrupted.py")]) == 130


def test_an_exit_while_a_command_runs_is_one_too(own, monkeypatch, capsys):
    monkeypatch.setattr("ratecert.report.compare.compare", lambda *_: own.ending())
    assert main(["compare", "a", "b"]) == 2
    assert _last(capsys).endswith("mine.py, line 15: sys.exit(0): SystemExit: 0\n")


@pytest.mark.parametrize(
    ("name", "kind", "line"),
    [
        ("stopping", "StopIteration", 23),
        ("broken", "BrokenPipeError", 27),
        ("full", "MemoryError", 31),
        ("silent", r"Silent: \(it cannot say what\)", 40),
    ],
)
def test_what_looks_like_something_else_is_one_too(own, name, kind, line, monkeypatch, capsys):
    """In a generator of ours, as a step of an algorithm is."""
    ours = {"__name__": "ratecert.ours", "step": getattr(own, name)}
    exec("def steps():\n    yield step()\n", ours)  # a StopIteration that leaves it becomes a RuntimeError
    monkeypatch.setattr("ratecert.report.compare.compare", lambda *_: next(ours["steps"]()))
    assert main(["compare", "a", "b"]) == 2
    assert re.search(rf"mine.py, line {line}: .*{kind}", _last(capsys))


def test_an_exit_inside_what_is_called_is_one_too(own):
    with pytest.raises(PaperError, match=r"^the step \(mine.py, line 15\) raised SystemExit: 0$"):
        called("the step", own.ending)
    with (
        pytest.raises(UndecidedError, match=r"mine.py, line 15: sys.exit\(0\); SystemExit: 0$"),
        undecided_by_mistakes(),
    ):
        own.ending()
    with pytest.raises(KeyboardInterrupt):
        called("the step", own.interrupted)
    with pytest.raises(KeyboardInterrupt), undecided_by_mistakes():
        own.interrupted()


def _last(capsys):
    return capsys.readouterr().err
