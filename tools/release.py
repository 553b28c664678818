"""Make a release: the version wherever it stands, the changelog, one commit and one tag.

    python -m tools.release 0.2.0          show what would change
    python -m tools.release 0.2.0 --write  change it, commit, and tag v0.2.0

The section "Unreleased" of CHANGELOG.md becomes that of the version, and an empty one takes its place. Refused are a
version that does not follow the present one, an empty section, a tree with changes, and a branch other than main.
Publishing is left to whoever pushes the tag.
"""

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMES = ("pyproject.toml", "ratecert/__init__.py", "CITATION.cff", "CHANGELOG.md")
UNRELEASED = "## [Unreleased]"
VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")


class ReleaseError(Exception):
    """Why there can be no such release."""


@dataclass(frozen=True)
class Release:
    """The texts of a release, by file."""

    version: str
    files: dict[str, str]


def prepare(version: str, day: str, texts: dict[str, str]) -> Release:
    """The files of the release, from those before it."""
    present = _found(r'^version = "(.*)"$', texts["pyproject.toml"], "pyproject.toml")
    if not VERSION.fullmatch(version) or _numbers(version) not in _following(_numbers(present)):
        allowed = ", ".join(".".join(map(str, numbers)) for numbers in _following(_numbers(present)))
        raise ReleaseError(f"the version after {present} must be one of {allowed}, got {version!r}.")
    changelog = texts["CHANGELOG.md"]
    if UNRELEASED not in changelog:
        raise ReleaseError(f"CHANGELOG.md has no section {UNRELEASED!r}; add one.")
    before, _, after = changelog.partition(UNRELEASED)
    section = re.split(r"^## ", after, maxsplit=1, flags=re.MULTILINE)[0]
    if not section.strip():
        raise ReleaseError("the section Unreleased of CHANGELOG.md is empty; there is nothing to release.")
    files = {
        "pyproject.toml": texts["pyproject.toml"].replace(
            f'version = "{present}"', f'version = "{version}"', 1
        ),
        "ratecert/__init__.py": texts["ratecert/__init__.py"].replace(
            f'__version__ = "{present}"', f'__version__ = "{version}"', 1
        ),
        "CITATION.cff": re.sub(
            r"^version: .*$", f"version: {version}", texts["CITATION.cff"], flags=re.MULTILINE
        ),
        "CHANGELOG.md": f"{before}{UNRELEASED}\n\n## [{version}] - {day}{after}",
    }
    return Release(version, files)


def _found(pattern: str, text: str, file: str) -> str:
    match = re.search(pattern, text, re.MULTILINE)
    if not match:
        raise ReleaseError(f"{file} states no version.")
    return match[1]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _following(numbers: tuple[int, ...]) -> list[tuple[int, ...]]:
    major, minor, patch = numbers
    return [(major, minor, patch + 1), (major, minor + 1, 0), (major + 1, 0, 0)]


def _git(*arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


def _require_releasable() -> None:
    if _git("status", "--porcelain"):
        raise ReleaseError("the tree has changes; commit them first.")
    branch = _git("branch", "--show-current")
    if branch != "main":
        raise ReleaseError(f"a release is made on main, and this is {branch}.")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.release", description="Make a release.")
    parser.add_argument("version", help="such as 0.2.0")
    parser.add_argument("--write", action="store_true", help="change the files, commit and tag")
    options = parser.parse_args(arguments)
    try:
        if options.write:
            _require_releasable()
        texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in NAMES}
        release = prepare(options.version, f"{datetime.now(UTC):%Y-%m-%d}", texts)
    except ReleaseError as error:
        print(f"release: {error}", file=sys.stderr)
        return 2
    changed = [name for name in NAMES if release.files[name] != texts[name]]
    if not options.write:
        print(f"would change {', '.join(changed)}, commit and tag v{release.version}")
        return 0
    for name in changed:
        (ROOT / name).write_text(release.files[name], encoding="utf-8")
    _git("commit", "-am", f"Release {release.version}")
    _git("tag", "-a", f"v{release.version}", "-m", f"ratecert {release.version}")
    print(f"committed and tagged v{release.version}; push with `git push --follow-tags`")
    return 0


if __name__ == "__main__":
    sys.exit(main())
