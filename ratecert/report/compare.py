"""`ratecert compare A B`: what changed between two results, as a gate for continuous integration.

The first line says what became of the verdicts. Exit code 1 if one changed, of a claim or of a check, if a claim or a
check is gone, or if one asks for something else: a claim another statement or expected verdict, a check another
prediction, relation or tolerance. A number is said to have moved if the two intervals, measured +- uncertainty, are
farther apart than the tolerance of the check, and than two machines may round; inside an inequality they may also
differ by a ten-thousandth of the way to its edge.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ratecert.base.errors import ResultsError
from ratecert.base.terminal import echo
from ratecert.report.results import read, understood

ROUNDING = 1e-9  # relative: two machines may round differently, and sums of many terms more so
PART_OF_THE_WAY = 1e-4  # to the edge of an inequality, where two machines may end a search a bit apart
OF_CLAIMS, OF_CHECKS = ("of", "expected"), ("predicted", "relation", "tolerance")  # what they ask for
FAILURES = ("verdict", "check", "demand of a claim", "demand of a check")
Entry = Mapping[str, Any]


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
        found = defaultdict(list)
        for kind, line in changes(before, after):
            found[kind].append(line)
    failures = [line for kind in FAILURES for line in found[kind]]
    both = [id for id in before if id in after]
    gone, new = len(before) - len(both), [id for id in after if id not in before]
    changed, checks = len(found["verdict"]) - gone, len(found["check"])
    demands = len(failures) - len(found["verdict"]) - checks
    told = {
        f"all {len(both)} as before": not changed,
        f"{changed} of {len(both)} changed": changed,
        f"{gone} gone": gone,
        f"{len(new)} new": new,
        f"{checks} check{'' if checks == 1 else 's'} gone or otherwise": checks,
        f"{demands} demand{'' if demands == 1 else 's'} changed": demands,
    }
    lines = [f"Verdicts: {', '.join(words for words, is_so in told.items() if is_so)}."]
    lines += [f"{name}: {first[name]} -> {second[name]}" for name in ("paper", "budget", "seed")
              if first[name] != second[name]]  # fmt: skip
    lines += [*failures, *(f"{id}: new, {after[id]['verdict']}" for id in new), *found["number"]]
    echo("".join(f"{line}\n" for line in lines))
    return int(bool(failures))


def changes(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> Iterator[tuple[str, str]]:
    """What has changed of the claims that were there: its kind, and a line."""
    for id, old in before.items():
        new = after.get(id)
        if new is None:
            yield "verdict", f"{id}: gone; it was {old['verdict']}"
            continue
        if new["verdict"] != old["verdict"]:
            yield "verdict", f"{id}: {old['verdict']} -> {new['verdict']} ({new['reason']})"
        yield from (("demand of a claim", line) for line in _demands(id, old, new, OF_CLAIMS))
        checks = {check["name"]: check for check in new["checks"]}
        for check in old["checks"]:
            yield from _changes(id, check, checks.get(check["name"]))


def _changes(id: str, old: Entry, new: Entry | None) -> Iterator[tuple[str, str]]:
    """Of a check, None where it is gone."""
    if new is None:
        yield "check", f"{id}: the check {old['name']!r} is gone"
        return
    if old["verdict"] != new["verdict"]:
        yield "check", f"{id}: the check {old['name']!r}: {old['verdict']} -> {new['verdict']}"
    yield from (("demand of a check", line) for line in _demands(f"{id}: {old['name']}", old, new, OF_CHECKS))
    if _moved(old, new):
        yield "number", f"{id}: {old['name']} moved, {_with_digits(old, new)}"


def _demands(what: str, old: Entry, new: Entry, names: Sequence[str]) -> Iterator[str]:
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


def _moved(old: Entry, new: Entry) -> bool:
    """Whether the intervals are farther apart than is tolerated; what is not finite is far from every number."""
    numbers, widths = ([check[name] for check in (old, new)] for name in ("measured", "uncertainty"))
    if None in numbers:
        return bool(numbers[0] != numbers[1])
    if None in widths:
        return False
    room = sum(widths) + max(_tolerated(old), _tolerated(new), ROUNDING * max(map(abs, numbers)))
    return bool(abs(numbers[0] - numbers[1]) > room)


def _tolerated(check: Entry) -> float:
    """The tolerance; inside an inequality also a part of the way to its edge, which decides nothing."""
    way = 0.0 if check["relation"] == "=" else abs(check["measured"] - (check["predicted"] or 0.0))
    return max(float(check["tolerance"] or 0.0), PART_OF_THE_WAY * way)


def _with_digits(*checks: Entry) -> str:
    """Both numbers with their uncertainty, with as many digits as it takes to see a difference."""
    for digits in range(6, 18):
        numbers = ["not finite" if c["measured"] is None else f"{c['measured']:.{digits}g}" for c in checks]
        if numbers[0] != numbers[1]:
            break
    widths = [
        f" ± {c['uncertainty']:.2g}" if c["measured"] is not None and c["uncertainty"] else "" for c in checks
    ]
    return " -> ".join(f"{number}{width}" for number, width in zip(numbers, widths, strict=True))
