"""`ratecert new`: a paper in one file that runs, to be changed into one's own, and a test for it."""

import keyword
from importlib.util import find_spec
from pathlib import Path

from ratecert.base.errors import UserError
from ratecert.base.files import write_text
from ratecert.base.terminal import echo

EXAMPLE = Path(__file__).parents[1] / "executable" / "example_paper.py"
TEST = '''"""The paper in {name}.py is sound, and no world breaks its theorem."""

from pathlib import Path

import ratecert as rc

PAPER = str(Path(__file__).parent / "{name}.py")


def test_the_statements_are_sound() -> None:
    assert rc.lint(PAPER) == []


def test_no_world_breaks_the_theorem() -> None:
    outcome = rc.falsify(f"{{PAPER}}:theorem-1", budget=200)
    assert not outcome.falsified
    assert outcome.inside > 100
'''


def _is_taken(name: str, folder: Path) -> bool:
    """Whether Python would find another module under this name."""
    return not (folder / f"{name}.py").exists() and find_spec(name) is not None


def write_new(name: str, folder: Path) -> int:
    """NAME.py and test_NAME.py, neither of which is there yet."""
    if not name.isidentifier() or keyword.iskeyword(name) or _is_taken(name, folder):
        raise UserError(
            f"NAME must be a Python name such as my_paper, of no keyword and no module that is there, got {name!r}."
        )
    files = {
        folder / f"{name}.py": EXAMPLE.read_text(encoding="utf-8")
        .replace("FILE", f"{name}.py")
        .replace("example-paper", name.replace("_", "-")),
        folder / f"test_{name}.py": TEST.format(name=name),
    }
    for path in files:
        if path.exists():
            raise UserError(f"{path} is there already; choose another name, or remove it.")
    for path, text in files.items():
        write_text(path, text)
    paper = folder / f"{name}.py"
    echo(f"{paper}, {folder / f'test_{name}.py'} written. Now:\n")
    for command in ("lint", "explain", "falsify"):
        echo(f"  ratecert {command} {paper}{'' if command == 'lint' else ':theorem-1'}\n")
    return 0
