"""Which quick tests execute a line: measured once, in an unchanged copy, by coverage with one context per test.

Of a parametrised test only a few cases are kept, spread evenly, and no test that takes long or that pauses coverage. A
line that runs at the import, before any test, is everybody's: then all quick tests count.
"""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

EVERY = "not browser"  # also those of the night
DURATION = re.compile(r"^([\d.]+)s (?:call|setup|teardown) +(.+)$", re.MULTILINE)


def pytest(tree: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(
            f"the tests fail before anything is mutated:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    return done.stdout


def file_of(tree: Path, name: str) -> str:
    """The test file of this name, in whatever folder of tests/ it is."""
    (found,) = (tree / "tests").rglob(f"{name}.py")
    return str(found.relative_to(tree))


def few_cases(ids: Iterable[str], cases: int) -> list[str]:
    """At most so many of every test function, the first and the last among them."""
    groups: dict[str, list[str]] = defaultdict(list)
    for id in ids:
        groups[id.partition("[")[0]].append(id)
    kept = []
    for group in groups.values():
        n = min(cases, len(group))
        kept += [group[round(i * (len(group) - 1) / max(1, n - 1))] for i in range(n)]
    return kept


def measure(
    tree: Path, package: str, files: Sequence[str], *, cases: int, seconds: float
) -> dict[str, float]:
    """Test id -> seconds of the quick tests, quickest first; leaves .coverage in the tree."""
    traced = "-m", EVERY
    collected = pytest(tree, "--collect-only", *traced, *(file_of(tree, name) for name in files))
    ids = few_cases((line for line in collected.splitlines() if "::" in line), cases)
    chosen = tree / "chosen.txt"
    chosen.write_text("\n".join(ids), encoding="utf-8")
    contexts = (
        "--cov-context=test",
        "--cov-report=",
        "--cov-fail-under=0",
    )  # of a few cases, no matter how much
    printed = pytest(tree, f"--cov={package}", *traced, *contexts, "--durations=0", "-vv", "@chosen.txt")
    took = dict.fromkeys(ids, 0.0)
    for duration, id in DURATION.findall(printed):
        took[id] += float(duration)
    return {id: took[id] for id in sorted(ids, key=took.__getitem__) if took[id] <= seconds}


def tests_of(tree: Path, path: Path, line: int, quick: Sequence[str]) -> list[str]:
    """The quick tests in whose context the statement at this line was executed; all where it is none's."""
    seen = every_test_of(tree, path, line)
    return list(quick) if "" in seen else [id for id in quick if id in seen]


def every_test_of(tree: Path, path: Path, line: int) -> set[str]:
    """All tests that were measured in whose context it was; the empty one is the import's."""
    from coverage import CoverageData

    data = CoverageData(str(tree / ".coverage"))
    data.read()
    contexts = data.contexts_by_lineno(str(tree / path))
    lines = statement(tree / path, line)
    return {context.partition("|")[0] for n in lines for context in contexts.get(n, [])}


def statement(path: Path, line: int) -> range:
    """The lines of the innermost statement around a line, without the block that it opens."""
    around = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.stmt)]
    around = [node for node in around if node.lineno <= line <= (node.end_lineno or node.lineno)]
    if not around:
        return range(line, line + 1)
    inner = max(around, key=lambda node: node.lineno)
    body = getattr(inner, "body", None)
    last = body[0].lineno - 1 if body else inner.end_lineno
    return range(inner.lineno, max(last or 0, inner.lineno) + 1)
