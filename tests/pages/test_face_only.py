"""What readers are shown imports from the face alone: the README, the pages, the guides and the course.

Files of the package that a guide makes are inside it, and may import from inside; a module that a guide has just made
may be imported by its name.
"""

import ast
import re
from pathlib import Path

import pytest

import ratecert as rc

ROOT = Path(__file__).resolve().parents[2]
FACE = {"ratecert", *(f"ratecert.{name}" for name in rc.__all__ if name in rc._NAMESPACES)}
INSIDE = re.compile(r"# ((?:ratecert|theory|synthetic|solvers|tests)/[\w/]+)\.py\n")
pytestmark = pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="pages are not part of the wheel")


def blocks_of(text: str) -> list[str]:
    """The Python that a page shows, in the solutions of its exercises too."""
    return [re.sub(r"^# ?", "", b, flags=re.MULTILINE) if b.startswith("# from") else b
            for b in re.findall(r"^(?:# )?```python\n(.*?)^(?:# )?```", text, re.DOTALL | re.MULTILINE)]  # fmt: skip


def beside_the_face(code: str, made: frozenset[str] = frozenset()) -> set[str]:
    """The modules and names of ours that a piece of code imports and that are not public."""
    found = set()
    for node in ast.walk(ast.parse(re.sub(r"^\s*%.*$", "", code, flags=re.MULTILINE))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            found |= {name for name in names if _ours(name) and name not in FACE | made}
        elif isinstance(node, ast.ImportFrom) and _ours(str(node.module)):
            module = str(node.module)
            if module not in FACE | made:
                found.add(module)
            elif module in FACE:
                public = __import__(module, fromlist=["__all__"]).__all__
                found |= {f"{module}.{alias.name}" for alias in node.names if alias.name not in public}
    return found


def _ours(module: str) -> bool:
    return module.split(".")[0] in ("ratecert", "theory", "synthetic", "solvers")


def shown_in(path: Path) -> set[str]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return beside_the_face(text).union(*map(beside_the_face, blocks_of(text)))
    blocks = blocks_of(text)
    made = {match.group(1).replace("/", ".") for block in blocks if (match := INSIDE.match(block))}
    named = frozenset(name if name.startswith("ratecert") else f"ratecert.{name}" for name in made)
    return set().union(*(beside_the_face(block, named) for block in blocks if not INSIDE.match(block)))


PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
COURSE = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.py"))


@pytest.mark.parametrize("path", [*PAGES, *COURSE], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_readers_are_shown_the_face_alone(path: Path) -> None:
    assert shown_in(path) == set()


def test_there_is_something_to_read() -> None:
    assert len(COURSE) == 9
    assert sum(bool(blocks_of(path.read_text(encoding="utf-8"))) for path in PAGES) >= 10


@pytest.mark.parametrize(
    ("code", "seen"),
    [
        ("import ratecert as rc\nfrom ratecert.worlds import scalar\nfrom ratecert import expect", set()),
        ("from ratecert.errors import UserError\nimport numpy", set()),
        ("from ratecert.solvers import expect", {"ratecert.solvers"}),
        ("import ratecert.catalogue.find", {"ratecert.catalogue.find"}),
        ("from ratecert import catalogue", {"ratecert.catalogue"}),
        ("from ratecert.worlds import np", {"ratecert.worlds.np"}),
        ("from solvers.heavy_ball import HeavyBall", {"solvers.heavy_ball"}),
        ("%matplotlib inline\ndef f():\n    from ratecert.run import tasks", {"ratecert.run"}),
    ],
)
def test_an_import_from_inside_is_seen(code: str, seen: set[str]) -> None:
    assert beside_the_face(code) == seen


def test_a_file_that_a_guide_makes_is_inside(tmp_path: Path) -> None:
    page = tmp_path / "guide.md"
    own = "```python\n# solvers/mine.py\nfrom ratecert.solvers.contract.stage import Stage\n```\n"
    page.write_text(own + "```python\nfrom ratecert.solvers.mine import Mine\n```\n", encoding="utf-8")
    assert shown_in(page) == set()
    page.write_text("```python\nfrom ratecert.solvers.mine import Mine\n```\n", encoding="utf-8")
    assert shown_in(page) == {"ratecert.solvers.mine"}
