"""The numbers of a record that mean something on another machine, or in another run, by name.

Ratios within one run, the seconds to the first result, and memory. What was not measured has no name here.
"""

from collections.abc import Iterator

from benchmarks.auto import loss
from benchmarks.contestants import BY_HAND
from benchmarks.record import Record


def ratios(record: Record) -> dict[str, float]:
    return dict(
        (
            *_to_C(record),
            *_to_numpy_by_hand(record),
            *_choices(record),
            *_speedups(record),
            *_first(record),
            *_exact(record),
            *_costs(record),
            *_large(record),
            *_long_runs(record),
            *_memory(record),
        )
    )


def _to_C(record: Record) -> Iterator[tuple[str, float]]:
    for row in record["throughput"]:
        rates = row["rates"]
        for name in rates if "C" in rates else ():
            if name != "C":
                yield (
                    f"{name}/C, {row['algorithm']}, d = {row['d']}, Q = {row['Q']}",
                    rates[name] / rates["C"],
                )


def _to_numpy_by_hand(record: Record) -> Iterator[tuple[str, float]]:
    for row in record["throughput"]:
        rates = row["rates"]
        if BY_HAND in rates:
            name = f"numpy/{BY_HAND}, {row['algorithm']}, d = {row['d']}, Q = {row['Q']}"
            yield name, rates["numpy"] / rates[BY_HAND]


def _choices(record: Record) -> Iterator[tuple[str, float]]:
    for row in record.get("auto", ()):
        what = ", ".join(f"{name} = {row[name]}" for name in ("d", "T", "replicates"))
        yield f"chosen/better, {row['algorithm']}, {what}", loss(row)


def _speedups(record: Record) -> Iterator[tuple[str, float]]:
    for row in record["scaling"]:
        name = f"two {row['workers']} of {row['engine']}, d = {row['d']}, Q = {row['Q']}"
        yield name, row["seconds"]["1"] / row["seconds"]["2"]


def _first(record: Record) -> Iterator[tuple[str, float]]:
    for row in record["first_result"]:
        yield f"seconds to the first result, {of_first(row)}", row["seconds"]


def of_first(row: Record) -> str:
    return f"{row['engine']}" if row["cache"] == "none" else f"{row['engine']}, {row['cache']} cache"


def _exact(record: Record) -> Iterator[tuple[str, float]]:
    """How many times longer sampling takes."""
    for row in record["accuracy"]:
        for sought in row["replicates_needed"]:
            name = (
                f"sampling/moments at accuracy {sought}, {row['algorithm']}, d = {row['d']}, T = {row['T']}"
            )
            yield name, sampling_seconds(row, sought) / row["exact_seconds"]


def sampling_seconds(row: Record, sought: str) -> float:
    return float(row["pilot_seconds"] * row["replicates_needed"][sought] / row["pilot_replicates"])


def _costs(record: Record) -> Iterator[tuple[str, float]]:
    base = {row["way"]: row["seconds"] for row in record["growth"] if row["changed"] == "nothing"}
    for row in record["growth"]:
        if row["changed"] != "nothing":
            yield f"cost of {row['way']}, {row['changed']}", row["seconds"] / base[row["way"]]


def _large(record: Record) -> Iterator[tuple[str, float]]:
    for row in record.get("large", ()):
        name = f"{row['what']}, {row['letter']} = {row['large']} against {row['small']}"
        yield name, row["seconds"] / row["small_seconds"]
    peaks = [row["MiB"] for row in record.get("large", ())]
    if peaks:
        yield "largest memory of exact moments, MiB", max(peaks)


def _long_runs(record: Record) -> Iterator[tuple[str, float]]:
    for row in record.get("one_level", ()):
        yield f"T = {row['T']} against 2^10, {row['what']}", row["seconds"] / row["short_seconds"]


def _memory(record: Record) -> Iterator[tuple[str, float]]:
    """The largest over the smallest peak of one engine."""
    for engine in dict.fromkeys(row["engine"] for row in record["memory"]):
        peaks = [row["MiB"] for row in record["memory"] if row["engine"] == engine]
        yield f"largest/smallest memory, {engine}", max(peaks) / min(peaks)
