"""Claims that cost nothing, for tests of how claims are run: they count how often each task was computed."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ratecert.claims.check import Check, equal
from ratecert.claims.claim import Budget, Claim, Json, Task
from ratecert.claims.rows import Rows
from ratecert.cli.main import main
from ratecert.errors import UndecidedError
from ratecert.verdicts import collect

LOG, PAUSE = "TOY_LOG", "TOY_PAUSE"  # names of environment variables, which reach every process


def square(number: int) -> list[Json]:
    time.sleep(float(os.environ.get(PAUSE, "0")))
    if LOG in os.environ:
        with Path(os.environ[LOG]).open("a", encoding="utf-8") as log:
            log.write(f"{number}\n")
    return [{"square": number**2 + 0.1}]


def computed() -> list[int]:
    """Which tasks were computed, as often as they were."""
    log = Path(os.environ[LOG])
    return [int(line) for line in log.read_text(encoding="utf-8").split()] if log.exists() else []


def failing(number: int) -> list[Json]:
    raise UndecidedError(f"{number} is too much")


def buggy(number: int) -> list[Json]:
    raise KeyError("no such column")


def nan(number: int) -> list[Json]:
    return [{"square": float("nan") * number}]


def checks(rows: Rows) -> Iterator[Check]:
    return (equal(f"square of {row['number']}", row["square"], row["number"] ** 2, 0.2) for row in rows)


def toy(id: str, numbers: Sequence[int], function: object = square, **more: object) -> Claim:
    def tasks(_: Budget) -> list[Task]:
        return [Task(function, {"number": n}) for n in numbers]  # type: ignore[arg-type]

    given = {
        "of": ("theorem-1",),
        "sentence": f"Squares of {id}.",
        "tasks": tasks,
        "checks": checks,
        "regime": "small numbers",
        "method": "by hand",
        "evidence": ("closed forms",),
        "settings": lambda rows: {"numbers": len(rows)},
        **more,
    }
    return Claim(id=id, **given)  # type: ignore[arg-type]


def started(
    function: str, numbers: str, *arguments: object, stderr: int = subprocess.DEVNULL, **environment: str
) -> subprocess.Popen[bytes]:
    """`ratecert verify` in a process group of its own, on toys of this function and these numbers, both as code."""
    program = f"""
import sys
from oracles import cluster_tasks, toy_claims
from ratecert.cli.main import main
from ratecert.verdicts import collect
collect.claims = lambda: {{"toys": toy_claims.toy("toys", {numbers}, {function})}}
sys.exit(main(["verify", *sys.argv[1:]]))
"""
    tests = str(Path(__file__).parents[1])
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([tests, *filter(None, sys.path)]), **environment},
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        start_new_session=True,
    )


def results_of(folder: Path, *claims: Claim) -> dict[str, Any]:
    """What `ratecert verify` writes of them, without its digest, so that it may be changed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collect, "claims", lambda: {claim.id: claim for claim in claims})
        assert main(["verify", "--out", str(folder), "--jobs", "1"]) == 0
    results: dict[str, Any] = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    del results["digest"]
    return results
