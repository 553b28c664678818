"""`ratecert compare A B`: what changed between two results, as a gate for continuous integration.

A verdict that changed, or a claim that is gone, ends with exit code 1. A number is said to have moved if the two
intervals, measured +- uncertainty, do not meet.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ratecert.standard_output import show
from ratecert.verify.results import read

ROUNDING = 1e-12  # relative: two machines may round differently


def compare(a: Path, b: Path) -> int:
    """Folders or files; prints the changes from a to b and returns 1 if a verdict changed."""
    before, after = ({c["id"]: c for c in read(_file(path))["claims"]} for path in (a, b))
    verdicts = list(changed_verdicts(before, after))
    lines = [*verdicts, *new_claims(before, after), *moved_numbers(before, after)]
    show("".join(f"{line}\n" for line in lines) or f"Nothing changed in {len(after)} claims.\n")
    return int(bool(verdicts))


def _file(path: Path) -> Path:
    return path / "results.json" if path.is_dir() else path


def changed_verdicts(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for id, old in before.items():
        if id not in after:
            yield f"{id}: gone; it was {old['verdict']}"
        elif after[id]["verdict"] != old["verdict"]:
            yield f"{id}: {old['verdict']} -> {after[id]['verdict']} ({after[id]['reason']})"


def new_claims(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    return (f"{id}: new, {new['verdict']}" for id, new in after.items() if id not in before)


def moved_numbers(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """Checks of the same name whose intervals do not meet."""
    for id in (id for id in before if id in after):
        old = {check["name"]: check for check in before[id]["checks"]}
        for new in after[id]["checks"]:
            if new["name"] in old and _apart(old[new["name"]], new):
                numbers = f"{_number(old[new['name']])} -> {_number(new)}"
                yield f"{id}: {new['name']} moved, {numbers}"


def _apart(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """A number that is not finite is apart from every finite one."""
    numbers = [old["measured"], new["measured"]]
    if None in numbers:
        return bool(numbers[0] != numbers[1])
    widths = [check["uncertainty"] for check in (old, new)]
    if None in widths:
        return False
    room = sum(widths) + ROUNDING * max(map(abs, numbers))
    return bool(abs(numbers[0] - numbers[1]) > room)


def _number(check: Mapping[str, Any]) -> str:
    if check["measured"] is None:
        return "not finite"
    width = check["uncertainty"]
    return f"{check['measured']:.6g}" + (f" ± {width:.2g}" if width else "")
