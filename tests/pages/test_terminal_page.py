"""Every command that docs/terminal.md shows is one."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from ratecert.cli.main import parser

PAGE = Path(__file__).parents[2] / "docs" / "terminal.md"
pytestmark = pytest.mark.skipif(not PAGE.is_file(), reason="the documentation is not part of the wheel")


def test_every_command_of_the_page_is_one() -> None:
    commands = re.findall(r"^ratecert (\S.*?)(?: {3,}.*)?$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(commands) >= 6
    for command in commands:
        parser().parse_args(shlex.split(command))
    with pytest.raises(SystemExit, match="2"):
        parser().parse_args(["library", "--verdict", "true"])


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_shtab_completes_commands_and_options(shell: str) -> None:
    """As the page has it; a parser without a command does not complete it."""
    assert f"shtab --shell={shell} ratecert.cli.main.parser" in PAGE.read_text("utf-8")
    command = [sys.executable, "-m", "shtab", "--shell", shell, "ratecert.cli.main.parser"]
    script = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for word in ("verify", "--scheduler", "falsify", "--budget", "repaired"):
        assert word in script
    assert "--no-such-option" not in script
