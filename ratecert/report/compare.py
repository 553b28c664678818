"""`ratecert compare A B`: what changed between two results, as a gate for continuous integration.

The first line says what became of the verdicts. Exit code 1 if one changed, of a claim or of a check, if a claim or a
check is gone, or if one asks for something else: a claim another statement or expected verdict, a check another
prediction, relation or tolerance. A number is said to have moved if the two intervals, measured +- uncertainty, are
farther apart than the tolerance of the check, and than two machines may round; inside an inequality they may also
differ by a ten-thousandth of the way to its edge.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ratecert.base.errors import ResultsError
from ratecert.base.terminal import echo
from ratecert.report.results import read, understood

ROUNDING = 1e-9  # relative: two machines may round differently, and sums of many terms more so
PART_OF_THE_WAY = (
    1e-4  # to the edge of an inequality, where searches end on one machine and a bit farther on another
)
DEMANDS = ("predicted", "relation", "tolerance")  # of a check
OF_CLAIMS = ("of", "expected")
Entries = Mapping[str, Mapping[str, Any]]


def compare(a: Path, b: Path) -> int:
    """Folders or files; prints the changes from a to b and returns 1 if a verdict or a demand changed."""
    files = [path / "results.json" if path.is_dir() else path for path in (a, b)]
    first, second = (read(path) for path in files)
    if not {*first["paper"].split(", ")} & {*second["paper"].split(", ")}:
        raise ResultsError(
            f"{files[0]} is about {first['paper']!r}, {files[1]} about {second['paper']!r}: they have no claim in "
            "common; compare two runs on the same paper."
        )
    with understood(files[1]):
        before, after = ({c["id"]: c for c in results["claims"]} for results in (first, second))
        verdicts = list(changed_verdicts(before, after))
        checks = list(changed_checks(before, after))
        demands = list(changed_demands(before, after))
        runs = [f"{name}: {first[name]} -> {second[name]}" for name in ("paper", "budget", "seed")
                if first[name] != second[name]]  # fmt: skip
        new = [f"{id}: new, {claim['verdict']}" for id, claim in after.items() if id not in before]
        lines = [in_one_line(before, after, len(checks), len(demands)), *runs, *verdicts, *checks, *demands]
        lines += [*new, *moved_numbers(before, after)]
    echo("".join(f"{line}\n" for line in lines))
    return int(bool(verdicts or checks or demands))


def in_one_line(before: Entries, after: Entries, checks: int, demands: int) -> str:
    """What became of the verdicts: those of claims first, and those of checks where they differ."""
    both = [id for id in before if id in after]
    changed = sum(before[id]["verdict"] != after[id]["verdict"] for id in both)
    counts = {
        f"{changed} of {len(both)} changed": changed,
        f"{len(before) - len(both)} gone": len(before) - len(both),
        f"{len(after) - len(both)} new": len(after) - len(both),
        f"{checks} check{'' if checks == 1 else 's'} gone or otherwise": checks,
        f"{demands} demand{'' if demands == 1 else 's'} changed": demands,
    }
    told = [words for words, count in counts.items() if count]
    same = "" if changed else f"all {len(both)} as before"
    return f"Verdicts: {', '.join(filter(None, (same, *told)))}."


def changed_verdicts(before: Entries, after: Entries) -> Iterator[str]:
    for id, old in before.items():
        if id not in after:
            yield f"{id}: gone; it was {old['verdict']}"
        elif after[id]["verdict"] != old["verdict"]:
            yield f"{id}: {old['verdict']} -> {after[id]['verdict']} ({after[id]['reason']})"


def _both(before: Entries, after: Entries) -> Iterator[tuple[str, str, Any, Any]]:
    """Claim, name of a check that was there, the check before and the check after, None where it is gone."""
    for id in (id for id in before if id in after):
        new = {check["name"]: check for check in after[id]["checks"]}
        yield from ((id, old["name"], old, new.get(old["name"])) for old in before[id]["checks"])


def changed_checks(before: Entries, after: Entries) -> Iterator[str]:
    """Checks that are gone, or decide otherwise."""
    for id, name, old, new in _both(before, after):
        if new is None:
            yield f"{id}: the check {name!r} is gone"
        elif old["verdict"] != new["verdict"]:
            yield f"{id}: the check {name!r}: {old['verdict']} -> {new['verdict']}"


def changed_demands(before: Entries, after: Entries) -> Iterator[str]:
    """Claims and checks that ask for something else."""
    for id in (id for id in before if id in after):
        yield from _demands(id, before[id], after[id], OF_CLAIMS)
    for id, name, old, new in _both(before, after):
        if new is not None:
            yield from _demands(f"{id}: {name}", old, new, DEMANDS)


def _demands(
    what: str, old: Mapping[str, Any], new: Mapping[str, Any], names: Sequence[str]
) -> Iterator[str]:
    changed = [name for name in names if _differ(old[name], new[name])]
    return (f"{what}: {name} {_told(old[name])} -> {_told(new[name])}" for name in changed)


def _differ(old: Any, new: Any) -> bool:
    """Beyond what two machines may round differently."""
    if isinstance(old, int | float) and isinstance(new, int | float):
        return abs(old - new) > ROUNDING * max(abs(old), abs(new))
    return bool(old != new)


def _told(value: Any) -> str:
    """As in a sentence: a list without its brackets, and none for what is not there or not finite."""
    return ", ".join(map(str, value)) if isinstance(value, list) else str("none" if value is None else value)


def moved_numbers(before: Entries, after: Entries) -> Iterator[str]:
    """Checks whose intervals are farther apart than is tolerated."""
    for id, name, old, new in _both(before, after):
        if new is not None and _moved(old, new):
            yield f"{id}: {name} moved, {_with_digits(old, new)}"


def _moved(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """A number that is not finite is far from every finite one."""
    numbers, widths = ([check[name] for check in (old, new)] for name in ("measured", "uncertainty"))
    if None in numbers:
        return bool(numbers[0] != numbers[1])
    if None in widths:
        return False
    room = sum(widths) + max(_tolerated(old), _tolerated(new), ROUNDING * max(map(abs, numbers)))
    return bool(abs(numbers[0] - numbers[1]) > room)


def _tolerated(check: Mapping[str, Any]) -> float:
    """The tolerance; inside an inequality also a part of the way to its edge, which decides nothing."""
    way = 0.0 if check["relation"] == "=" else abs(check["measured"] - (check["predicted"] or 0.0))
    return max(float(check["tolerance"] or 0.0), PART_OF_THE_WAY * way)


def _with_digits(*checks: Mapping[str, Any]) -> str:
    """Both numbers with their uncertainty, with as many digits as it takes to see a difference."""
    for digits in range(6, 18):
        numbers = ["not finite" if c["measured"] is None else f"{c['measured']:.{digits}g}" for c in checks]
        if numbers[0] != numbers[1]:
            break
    widths = [
        f" ± {c['uncertainty']:.2g}" if c["measured"] is not None and c["uncertainty"] else "" for c in checks
    ]
    return " -> ".join(f"{number}{width}" for number, width in zip(numbers, widths, strict=True))
