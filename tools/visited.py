"""In how many files of the package a function runs when a small paper of one's own is verified in one process.

    python -m tools.visited            the paper that `ratecert new` writes
    python -m tools.visited FILE       another one

It is a measure of how much of the package somebody has to know to follow one command. The papers that come with
ratecert (ratecert/papers) are counted for themselves. What runs while a module is imported counts if it is a function;
the templates of the report, which are compiled, do not.
"""

import inspect
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("ratecert/papers", "ratecert", "theory", "synthetic", "solvers")


def visited(paper: str) -> set[Path]:
    """What `ratecert verify --jobs 1 PAPER` runs, from its first import on, in a folder that is empty."""
    codes: set[CodeType] = set()

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            codes.add(frame.f_code)

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        if not paper:
            subprocess.run([sys.executable, "-m", "ratecert", "new", "my_paper"], check=True)
        sys.setprofile(profile)
        from ratecert.cli.main import main

        code = main(["verify", paper or "my_paper.py", "--jobs", "1", "--out", "results"])
        sys.setprofile(None)
        os.chdir(ROOT)
    if code:
        raise SystemExit(f"ratecert verify {paper} ended with {code}.")
    functions = [each for each in codes if each.co_flags & inspect.CO_OPTIMIZED]  # no modules, no classes
    files = {Path(each.co_filename).resolve() for each in functions}
    return {file.relative_to(ROOT) for file in files if file.is_relative_to(ROOT) and file.suffix == ".py"}


if __name__ == "__main__":
    files = visited(str(Path(sys.argv[1]).resolve()) if sys.argv[1:] else "")
    for room in ROOMS:
        own = sorted(file for file in files if file.is_relative_to(room))
        files -= set(own)
        print(f"{room}: {len(own)} files", *own, sep="\n  ")
