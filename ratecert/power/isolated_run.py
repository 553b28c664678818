"""One mistake on trial: the claims run in a copy of the packages that has it, in a process of their own.

The process prints one line of JSON per claim. Of the claims that measure, it runs one after the other until a verdict
changes; a claim that cannot be computed any more (`undecided`) is noted, and the next one is tried. The same goes
for a claim without end: some search for a step or a period at which something happens that now never does.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from ratecert.base.errors import BrokenCopyError, BugError
from ratecert.claims.claim import Json
from ratecert.power.edits import Edit, copy_with

LONGEST = 60  # seconds of computing for one claim; without a mistake the longest takes half of that


class EndlessError(BaseException):
    """Not an Exception, as KeyboardInterrupt is none: no handler of what goes wrong in a claim is to swallow it."""


def tried(edits: Json, letter: Sequence[str], measured: Sequence[str]) -> Json:
    """The entries of all claims that were run; `edits` are (file, line, wrong)."""
    with tempfile.TemporaryDirectory(prefix="ratecert-power-") as name:
        folder = Path(name)
        copy_with([Edit(*edit) for edit in edits], folder)
        command = [sys.executable, "-m", __name__, json.dumps({"letter": letter, "measured": measured})]
        environment = {**os.environ, "PYTHONPATH": name, "PYTHONDONTWRITEBYTECODE": "1"}
        run = subprocess.run(command, cwd=name, env=environment, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        last = (run.stderr.strip() or "no message").splitlines()[-1]
        raise BrokenCopyError(f"the claims cannot be run in the copy: {last}")
    return [json.loads(line) for line in run.stdout.splitlines()]


def entries(letter: Sequence[str], measured: Sequence[str]) -> Iterator[dict[str, Any]]:
    """In the process: every claim of the letter, and the others up to the first that changes."""
    for panel, names in (("letter", letter), ("measured", measured)):
        for name in names:
            entry = _judged(name)
            kept = {key: entry[key] for key in ("id", "verdict", "expected", "reason", "checks")}
            yield {"panel": panel, **kept}
            if panel == "measured" and entry["verdict"] not in (entry["expected"], "undecided"):
                return


def _judged(name: str) -> dict[str, Any]:
    from ratecert.claims.claim import Budget
    from ratecert.from_data.claims import claims
    from ratecert.report.entries import judged

    claim = claims()[name]
    try:
        with _at_most(LONGEST):
            (entry,) = judged([claim], Budget())
            return entry
    except BugError as error:  # the mistake's own doing: nobody foresaw what is computed with it
        reason = str(error)
    except EndlessError:
        reason = f"no end after {LONGEST} s of computing"
    return {
        "id": name,
        "verdict": "undecided",
        "expected": claim.expected,
        "reason": reason,
        "checks": [],
    }


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """EndlessError, after so much time of this process; no limit where the system has no such clock."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise EndlessError

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def main(asked: str) -> None:
    import ratecert

    here = Path(ratecert.__file__).parents[1]
    if here.resolve() != Path.cwd().resolve():
        raise BrokenCopyError(f"the copy is not what runs: ratecert is imported from {here}.")
    for entry in entries(**json.loads(asked)):
        print(json.dumps(entry), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
