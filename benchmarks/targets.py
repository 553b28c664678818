"""What the speed should be, and whether a record gets there. Nothing here can fail: a missed target is shown."""

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks import large
from benchmarks.cases import POINTS
from benchmarks.contestants import BY_HAND
from benchmarks.ratios import ratios
from benchmarks.record import Record

OF_NUMBA = 0.5
# Of what numpy does by hand, which is measured beside it (by_hand.py): the rest is Python's calls, which d = 2 feels,
# and arrays made anew. About a tenth below what was measured on ARM, 0.68, 0.81 and 0.90. Of C no share is asked
# of numpy: by hand it has 0.2 to 0.8 of C there, which for LocalBSGVRM at d = 50 is less than the 0.5 once asked for.
OF_NUMPY = {2: 0.6, 10: 0.75, 50: 0.85}
OF_BETTER = 1.25
OF_TWO_THREADS = 1.8
FIRST = {"numpy": 1.0, "numba, warm cache": 2.0}
FLAT = 1.1
MEBIBYTES = 2048.0


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
    return list(_targets(ratios(record)))


def _targets(found: dict[str, float]) -> Iterator[Target]:
    def least(what: str, target: float, begin: str, end: str = "") -> Target:
        numbers = [value for name, value in found.items() if name.startswith(begin) and name.endswith(end)]
        return Target(what, min(numbers, default=None), ">=", target)

    def most(what: str, target: float, begin: str) -> Target:
        numbers = [value for name, value in found.items() if name.startswith(begin)]
        return Target(what, max(numbers, default=None), "<=", target)

    for engine, of in (("numba", "C"), ("numpy", BY_HAND)):
        for d, Q in POINTS:
            target = OF_NUMBA if engine == "numba" else OF_NUMPY[d]
            at = f"d = {d}, Q = {Q}"
            yield least(f"{engine}/{of} at {at}, the slower algorithm", target, f"{engine}/{of}, ", at)
    yield most(
        "seconds with the engine that `auto` takes over those with the better", OF_BETTER, "chosen/better"
    )
    yield least("two threads of numba against one", OF_TWO_THREADS, "two threads of numba")
    for name, target in FIRST.items():
        yield most(f"seconds to the first result, {name}", target, f"seconds to the first result, {name}")
    for each in large.settings():
        name = f"{each.what}, {each.letter} = {each.large} against {each.small}"
        if each.most:
            yield most(f"exact moments, {name}", each.most, name)
    yield most("memory of exact moments, MiB", MEBIBYTES, "largest memory of exact moments")
    for engine in ("numba", "numpy"):
        yield most(f"memory of {engine}, largest over smallest", FLAT, f"largest/smallest memory, {engine}")
