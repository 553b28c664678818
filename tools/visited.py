"""In how many files of the package a function runs when a small paper of one's own is verified in one process.

    python -m tools.visited            the paper that `ratecert new` writes
    python -m tools.visited FILE       another one
    python -m tools.visited --list     with their names

It is a measure of how much of the package somebody has to know to follow one command. The papers that come with
ratecert (ratecert/papers) are counted for themselves. What runs while a module is imported counts if it is a function.
"""

import inspect
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def watched(found: set[Path]) -> Iterator[None]:
    """Adds the file of every function of the package that is called."""
    codes: set[Any] = set()

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            codes.add(frame.f_code)

    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)
    functions = (code for code in codes if code.co_flags & inspect.CO_OPTIMIZED)  # no modules, no classes
    files = (Path(code.co_filename).resolve() for code in functions)
    found |= {file.relative_to(ROOT) for file in files if file.is_relative_to(ROOT)}


def visited(paper: Path | None) -> set[Path]:
    """What `ratecert verify --jobs 1 PAPER` runs, from its first import on, in a folder that is empty."""
    found: set[Path] = set()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        if paper is None:
            subprocess.run([sys.executable, "-m", "ratecert", "new", "my_paper"], check=True)
            paper = Path("my_paper.py")
        with watched(found):
            from ratecert.cli.main import main

            code = main(["verify", str(paper), "--jobs", "1", "--out", "results"])
        os.chdir(ROOT)
    if code:
        raise SystemExit(f"ratecert verify {paper} ended with {code}.")
    return found


def main(arguments: Sequence[str]) -> None:
    named = [Path(each).resolve() for each in arguments if each != "--list"]
    rooms: dict[str, list[Path]] = {
        "ratecert/papers": [],
        "ratecert": [],
        "theory": [],
        "synthetic": [],
        "solvers": [],
    }
    for file in sorted(visited(named[0] if named else None)):
        for files in [files for room, files in rooms.items() if file.is_relative_to(room)][:1]:
            files.append(file)
    for room, files in rooms.items():
        print(f"{room}: {len(files)} files")
        if "--list" in arguments:
            print("".join(f"  {file}\n" for file in files), end="")


if __name__ == "__main__":
    main(sys.argv[1:])
