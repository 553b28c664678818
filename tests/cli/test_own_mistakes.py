"""Whose mistake it is: a line of the user's own file, or ratecert."""

import re
import traceback

import numpy as np
import pytest

from ratecert.base.asked import asked
from ratecert.base.errors import PaperError, UndecidedError
from ratecert.base.own_code import called, is_own, own_lines, undecided_by_mistakes
from ratecert.catalogue.load import module_of
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


@pytest.fixture
def told(monkeypatch, capsys):
    """Exit code, and what is said, of a command that runs this function."""

    def of(function, at="ratecert.report.compare.compare"):
        monkeypatch.setattr(at, lambda *_: function())
        code = main(["compare", "a", "b"])
        return code, capsys.readouterr().err

    return of


def raised(call):
    with pytest.raises(Exception) as error:  # noqa: PT011  whatever it is, it is what is asked about
        call()
    return error.value


def test_a_wrong_call_is_the_callers_and_what_it_leads_to_is_not(own, told):
    """The line is told all the same where it is asked for."""
    wrong, deeper = raised(own.wrong_call), raised(own.wrong_number)
    assert (is_own(wrong), is_own(deeper)) == (True, False)
    assert own_lines(wrong)[-1] == "mine.py, line 7: return Stage()"
    assert own_lines(deeper)[-1].startswith("mine.py, line 11")
    code, said = told(own.wrong_call, "ratecert.cli.main._run")
    assert code == 2
    assert re.search(r"a mistake in your own code, .*mine.py, line 7: return Stage\(\): TypeError", said)
    code, said = told(own.wrong_number, "ratecert.cli.main._run")
    assert (code, "a bug in ratecert" in said) == (70, True)


def test_a_compiled_extension_is_nobodys_own():
    """Its frames name a file that is not there, and the line that it was compiled from is unknown."""
    error = raised(lambda: np.random.default_rng(0).random(-1))
    frames = [place.filename for place in traceback.extract_tb(error.__traceback__)]
    assert frames[-1].endswith(".pyx")
    assert not is_own(error)
    assert all("test_own_mistakes.py" in line for line in own_lines(error))


def test_too_little_memory_is_neither(told):
    ours = {"__name__": "ratecert.ours"}
    exec("def too_large():\n    raise MemoryError('Unable to allocate 7.28 TiB')\n", ours)
    sentence = "ratecert: this needs more memory than there is; take smaller dimensions.\n"
    assert told(ours["too_large"], "ratecert.cli.main._run") == (2, sentence)


def test_an_exit_of_a_paper_is_a_mistake_of_its_own(tmp_path, capsys):
    (tmp_path / "exits.py").write_text("import sys\nsys.exit(3)\n")
    assert main(["lint", str(tmp_path / "exits.py")]) == 2
    said = capsys.readouterr().err
    assert said.endswith("exits.py does not import; exits.py, line 2: sys.exit(3); SystemExit: 3\n")
    (tmp_path / "interrupted.py").write_text("raise KeyboardInterrupt\n")
    assert main(["lint", str(tmp_path / "interrupted.py")]) == 130


@pytest.mark.parametrize(
    ("name", "kind", "line"),
    [
        ("ending", "SystemExit: 0", 15),
        ("stopping", "StopIteration", 23),
        ("broken", "BrokenPipeError", 27),
        ("full", "MemoryError", 31),
        ("silent", r"Silent: \(it cannot say what\)", 40),
    ],
)
def test_what_looks_like_something_else_is_one_too(own, told, name, kind, line):
    """In a generator of ours, as a step of an algorithm is."""
    ours = {"__name__": "ratecert.ours", "step": getattr(own, name)}
    exec("def steps():\n    yield step()\n", ours)  # a StopIteration that leaves it becomes a RuntimeError
    code, said = told(lambda: next(ours["steps"]()))
    assert code == 2
    assert re.search(rf"mine.py, line {line}: .*{kind}", said)


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
