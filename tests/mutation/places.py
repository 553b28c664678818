"""Wrong lines, one at a time, against the tests of their room: which are noticed?

    python tests/mutation/places.py [--room NAME] [--only N ...] [--night] [--jobs 2] [--out FILE]

places.toml has the lines. The checkout is copied once for every job, and only the copies are changed. What all tests
import and nobody changes is imported here, so that a process forked for one wrong line begins with it. A room whose
tests fail, or take too long, before anything is wrong guards nothing, and that is tried first. `killed`: a test has
failed; `timeout`: the tests did not end in time, where without the wrong line they do.
"""

import argparse
import compileall
import importlib
import json
import multiprocessing
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from multiprocessing.process import BaseProcess
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Any

ROOT = Path(__file__).parents[2]
NOT_COPIED = (".git", ".venv*", "build", "results", "dist", "__pycache__", ".*_cache")
SHARED = ("numpy", "scipy.linalg", "scipy.optimize", "scipy.stats", "sympy", "mpmath", "flint", "pytest")
LIMIT = 60  # seconds of computing
WAIT = 5  # times as many of waiting, where the machine does other things as well
SLOTS = 2
OUTCOMES = ("killed", "survived", "timeout")
Place = dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--room", help="the places of this room alone")
    parser.add_argument("--only", type=int, nargs="+", metavar="N", help="places by number, counted from 1")
    parser.add_argument("--night", action="store_true", help="with the tests that run at night")
    parser.add_argument("--jobs", type=int, default=SLOTS, help="places at a time")
    parser.add_argument("--out", type=Path, help="file for the score, as JSON")
    options = parser.parse_args()
    found = tomllib.loads(Path(__file__).with_name("places.toml").read_text("utf-8"))
    rooms, places = found["rooms"], [{"number": i, **p} for i, p in enumerate(found["place"], start=1)]
    require_fitting(rooms, places)
    chosen = [p for p in places if options.room in (None, p["room"])]
    chosen = [p for p in chosen if options.only is None or p["number"] in options.only]
    if not chosen:
        raise SystemExit("no such place; places.toml has the rooms and, in their order, the places.")
    return judge(chosen, rooms, jobs=options.jobs, night=options.night, out=options.out)


def judge(chosen: list[Place], rooms: dict[str, Any], *, jobs: int, night: bool, out: Path | None) -> int:
    """Try them, and say what was noticed; 1 if something was not, and no reason is given."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that nothing is left behind
    for name in SHARED:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory(prefix="ratecert-places-") as folder:
        trees = copies(Path(folder), jobs)
        sound = [{"room": room, "number": 0} for room in dict.fromkeys(place["room"] for place in chosen)]
        for place in tried(sound, rooms, trees, night):
            if place["outcome"] != "survived":
                raise SystemExit(f"room {place['room']}: its tests do not pass as they are; {place['by']}.")
        done = sorted(tried(chosen, rooms, trees, night), key=lambda place: place["number"])
    report(done)
    if out:
        out.write_text(json.dumps(score(done), indent=1) + "\n", encoding="utf-8")
    return int(any(place["outcome"] == "survived" and not place.get("reason") for place in done))


def require_fitting(rooms: dict[str, Any], places: list[Place]) -> None:
    """The list has not grown old: tests are there, and every line occurs exactly once."""
    for name, room in rooms.items():
        missing = [each for each in room["tests"] if not each.startswith("-") and not (ROOT / each).exists()]
        if missing:
            raise SystemExit(f"places.toml, room {name}: there is no {missing[0]}.")
    for place in places:
        path = ROOT / place["file"]
        times = path.read_text("utf-8").count(place["line"]) if path.is_file() else 0
        if times != 1 or place["wrong"] == place["line"] or place["room"] not in rooms:
            raise SystemExit(
                f"places.toml, place {place['number']}: {place['file']} has {place['line']!r} {times} times, and a "
                f"place needs it exactly once, another line instead, and a room; bring the list up to date."
            )


def copies(folder: Path, jobs: int) -> list[Path]:
    """Copies of the checkout; compiled code in them is valid as long as its source has not changed, to the letter."""
    trees = [folder / str(i) for i in range(jobs)]
    shutil.copytree(ROOT, trees[0], symlinks=True, ignore=shutil.ignore_patterns(*NOT_COPIED))
    for name in ("theory", "synthetic", "solvers", "ratecert"):
        compileall.compile_dir(trees[0] / name, quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
    for tree in trees[1:]:
        shutil.copytree(trees[0], tree, symlinks=True)
    return trees


def tried(places: list[Place], rooms: dict[str, Any], trees: list[Path], night: bool) -> list[Place]:
    """Each with its outcome, the test that has noticed, and seconds, in the order in which they ended."""
    fork, waiting, done = multiprocessing.get_context("fork"), places[:], list[Place]()
    running: dict[Path, tuple[Place, BaseProcess, float, str]] = {}
    try:
        while waiting or running:
            for tree in [tree for tree in trees if tree not in running][: len(waiting)]:
                place = waiting.pop(0)
                right = edited(tree, place)
                process = fork.Process(target=pytest_in, args=(tree, rooms[place["room"]]["tests"], night))
                process.start()
                running[tree] = place, process, time.monotonic(), right
            time.sleep(0.05)
            for tree, (place, process, begun, right) in [*running.items()]:
                seconds = time.monotonic() - begun
                if process.is_alive() and seconds < WAIT * LIMIT:
                    continue
                endless = process.is_alive() or process.exitcode == -signal.SIGXCPU
                outcome = "timeout" if endless else "killed" if process.exitcode else "survived"
                end(process)
                if place["number"]:
                    (tree / place["file"]).write_text(right, encoding="utf-8")
                del running[tree]
                by = (tree / "failed").read_text("utf-8") if outcome == "killed" else ""
                done.append({**place, "outcome": outcome, "by": by, "seconds": round(seconds, 1)})
                print(f"{outcome:9} {seconds:5.1f} s  {named(place)}  {by}", flush=True)
    finally:
        for _, process, *_ in running.values():
            end(process)
    return done


def edited(tree: Path, place: Place) -> str:
    """Put the wrong line in; what the file was before. Of a room as it is nothing is changed."""
    if not place["number"]:
        return ""
    path = tree / place["file"]
    right = path.read_text("utf-8")
    path.write_text(right.replace(place["line"], place["wrong"]), encoding="utf-8")
    return right


def pytest_in(tree: Path, tests: list[str], night: bool) -> None:
    """In a process of its own, with all that it starts in its group; the first failure is left in the tree."""
    import pytest

    class First:
        """Writes down the first test, or file, that fails."""

        def keep(self, report: Any) -> None:
            if report.failed and not (tree / "failed").read_text("utf-8"):
                (tree / "failed").write_text(report.nodeid, encoding="utf-8")

        pytest_runtest_logreport = pytest_collectreport = keep

    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, 2 * LIMIT))
    os.chdir(tree)
    sys.path[0] = str(tree)
    os.environ |= {"PYTHONPATH": str(tree), "OPENBLAS_NUM_THREADS": "1"}
    (tree / "failed").write_text("", encoding="utf-8")
    with (tree / "output").open("w") as output:
        for stream in (1, 2):
            os.dup2(output.fileno(), stream)
    marks = ["-m", "nightly or not nightly"] if night else []
    code = pytest.main(["-x", "-q", "--tb=no", "-p", "no:cacheprovider", *marks, *tests], plugins=[First()])
    import ratecert

    if not (ratecert.__file__ or "").startswith(str(tree)):
        (tree / "failed").write_text(f"ratecert is imported from {ratecert.__file__}", encoding="utf-8")
        code = pytest.ExitCode.INTERNAL_ERROR
    sys.stdout.flush()
    os._exit(code)


def end(process: BaseProcess) -> None:
    """With all that it has started."""
    if process.is_alive():
        os.killpg(process.pid or 0, signal.SIGKILL)
    process.join()


def named(place: Place) -> str:
    if not place["number"]:
        return f"room {place['room']} as it is"
    text = (ROOT / place["file"]).read_text("utf-8")
    return f"{place['number']:2}  {place['file']}:{1 + text[: text.index(place['line'])].count(chr(10))}"


def score(done: list[Place]) -> dict[str, Any]:
    """By room how many of each outcome, and the places that nobody has noticed."""
    rooms = {room: [p for p in done if p["room"] == room] for room in dict.fromkeys(p["room"] for p in done)}
    return {
        room: {
            **{outcome: sum(p["outcome"] == outcome for p in own) for outcome in OUTCOMES},
            "survivors": [f"{p['file']}: {p['wrong'].strip()}" for p in own if p["outcome"] == "survived"],
        }
        for room, own in rooms.items()
    }


def report(done: list[Place]) -> None:
    found = score(done)
    total = {outcome: sum(own[outcome] for own in found.values()) for outcome in OUTCOMES}
    for name, own in {"room": dict(zip(OUTCOMES, OUTCOMES, strict=True)), **found, "all": total}.items():
        print(f"{name:12}" + "".join(f"{own[outcome]:>10}" for outcome in OUTCOMES))
    for place in done:
        if place["outcome"] != "killed":
            why = f"\n    because: {place['reason']}" if place.get("reason") else ""
            print(f"{place['outcome']}: {named(place)}\n    - {place['line']}\n    + {place['wrong']}{why}")


if __name__ == "__main__":
    sys.exit(main())
