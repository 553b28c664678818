"""What docs/terminal.md shows is what the commands print."""

import re
import shlex
from pathlib import Path

import pytest

from ratecert.cli.main import main, parser

PAGE = Path(__file__).parents[2] / "docs" / "terminal.md"
pytestmark = pytest.mark.skipif(not PAGE.is_file(), reason="the documentation is not part of the wheel")


def shown() -> list[tuple[str, str]]:
    """(command, what it prints) of every block with a prompt."""
    blocks = re.findall(
        r"^```text\n\$ ratecert ([^\n]*)\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    assert len(blocks) == 2
    return blocks


def without_errors(text: str) -> str:
    """Errors have one digit, which another machine may round to its neighbour."""
    return re.sub(r"\b\de-\d\d\b", "small", text)


@pytest.mark.parametrize(("command", "printed"), shown() if PAGE.is_file() else [])
def test_a_block_of_the_page_is_what_the_command_prints(
    command: str, printed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(shlex.split(command))
    captured = capsys.readouterr()
    said = captured.err if code else captured.out
    assert without_errors(said).startswith(without_errors(printed))
    assert not without_errors(said).startswith(without_errors(printed).replace("e", "a"))  # the twin


def test_every_command_of_the_page_is_one() -> None:
    commands = re.findall(r"^ratecert (\S.*?)(?: {3,}.*)?$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(commands) >= 8
    for command in commands:
        parser().parse_args(shlex.split(command.partition(" > ")[0]))
    with pytest.raises(SystemExit, match="2"):
        parser().parse_args(["claims", "--verdict", "true"])
