"""The numbers of a record that mean something on another machine, or in another run, by name; and their targets.

They are ratios within one run, the seconds to the first result, and memory. What was not measured has no name here.
Nothing can fail: a target that is missed is shown.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.cases import POINTS
from benchmarks.exact import LARGE
from benchmarks.record import Record

TOLERATED = 0.3  # seconds that are no loss: to load the compiled code takes twice that, once
OF_NUMBA = 0.5
OF_BETTER = 1.25
OF_TWO_THREADS = 1.8
FIRST = {"numpy": 1.0, "numba, warm cache": 2.0}
FLAT = 1.1
MEBIBYTES = 2048.0

Number = tuple[str, float]


def ratios(record: Record) -> dict[str, float]:
    return dict((*_of_sampling(record), *_of_moments(record)))


def _of_sampling(record: Record) -> Iterator[Number]:
    for row in record["throughput"]:
        rates = row["rates"]
        for name in [engine for engine in rates if engine != "C" and "C" in rates]:
            at = f"{row['algorithm']}, d = {row['d']}, Q = {row['Q']}"
            yield f"{name}/C, {at}", rates[name] / rates["C"]
    for row in record["auto"]:
        what = ", ".join(f"{name} = {row[name]}" for name in ("d", "T", "replicates"))
        yield f"chosen/better, {row['algorithm']}, {what}", loss(row)
    for row in record["scaling"]:
        name = f"two {row['workers']} of {row['engine']}, d = {row['d']}, Q = {row['Q']}"
        yield name, row["seconds"]["1"] / row["seconds"]["2"]
    for row in record["first_result"]:
        yield f"seconds to the first result, {of_first(row)}", row["seconds"]
    for engine in dict.fromkeys(row["engine"] for row in record["memory"]):
        peaks = [row["MiB"] for row in record["memory"] if row["engine"] == engine]
        yield f"largest/smallest memory, {engine}", max(peaks) / min(peaks)


def _of_moments(record: Record) -> Iterator[Number]:
    for row in record["accuracy"]:
        for sought in row["replicates_needed"]:
            at = f"{row['algorithm']}, d = {row['d']}, T = {row['T']}"
            longer = sampling_seconds(row, sought) / row["exact_seconds"]
            yield f"sampling/moments at accuracy {sought}, {at}", longer
    for row in record["growth"]:
        if row["changed"] != "nothing":
            yield f"cost of {row['way']}, {row['changed']}", row["seconds"] / base_of(record, row)
    for row in record["large"]:
        name = f"{row['what']}, {row['letter']} = {row['large']} against {row['small']}"
        yield name, row["seconds"] / row["small_seconds"]
    if record["large"]:
        yield "largest memory of exact moments, MiB", max(row["MiB"] for row in record["large"])
    for row in record["one_level"]:
        yield f"T = {row['T']} against 2^10, {row['what']}", row["seconds"] / row["short_seconds"]


def loss(row: Record) -> float:
    """The seconds of the chosen engine over those of the better one, 1 where they are nearly the same."""
    chosen, better = row["seconds"][row["chosen"]], min(row["seconds"].values())
    return 1.0 if chosen - better <= TOLERATED else float(chosen / better)


def of_first(row: Record) -> str:
    return f"{row['engine']}" if row["cache"] == "none" else f"{row['engine']}, {row['cache']} cache"


def sampling_seconds(row: Record, sought: str) -> float:
    return float(row["pilot_seconds"] * row["replicates_needed"][sought] / row["pilot_replicates"])


def base_of(record: Record, row: Record) -> float:
    """The seconds of the same way with nothing changed."""
    ways = {each["way"]: each["seconds"] for each in record["growth"] if each["changed"] == "nothing"}
    return float(ways[row["way"]])


@dataclass(frozen=True)
class Target:
    """`measured` is the worst of the numbers that it is about, None where none was measured."""

    what: str
    measured: float | None
    relation: str  # ">=" or "<="
    target: float

    @property
    def met(self) -> bool | None:
        if self.measured is None:
            return None
        return self.measured >= self.target if self.relation == ">=" else self.measured <= self.target


def targets(record: Record) -> list[Target]:
    """What the speed should be, and whether a record gets there."""
    return list(_targets(ratios(record)))


def _targets(found: dict[str, float]) -> Iterator[Target]:
    def least(what: str, target: float, begin: str, end: str = "") -> Target:
        numbers = [value for name, value in found.items() if name.startswith(begin) and name.endswith(end)]
        return Target(what, min(numbers, default=None), ">=", target)

    def most(what: str, target: float, begin: str) -> Target:
        numbers = [value for name, value in found.items() if name.startswith(begin)]
        return Target(what, max(numbers, default=None), "<=", target)

    for d, Q in POINTS:
        at = f"d = {d}, Q = {Q}"
        yield least(f"numba/C at {at}, the slower algorithm", OF_NUMBA, "numba/C, ", at)
    better = "seconds with the engine that `auto` takes over those with the better"
    yield most(better, OF_BETTER, "chosen/better")
    yield least("two threads of numba against one", OF_TWO_THREADS, "two threads of numba")
    for name, target in FIRST.items():
        yield most(f"seconds to the first result, {name}", target, f"seconds to the first result, {name}")
    for what, (letter, small, large, _, times) in LARGE.items():
        if times:
            name = f"{what}, {letter} = {large} against {small}"
            yield most(f"exact moments, {name}", times, name)
    yield most("memory of exact moments, MiB", MEBIBYTES, "largest memory of exact moments")
    for engine in ("numba", "numpy"):
        yield most(f"memory of {engine}, largest over smallest", FLAT, f"largest/smallest memory, {engine}")
