"""The tables of a record: headings and cells as text, for the terminal and for pages alike."""

from collections.abc import Callable

from benchmarks.auto import loss
from benchmarks.contestants import BY_HAND
from benchmarks.ratios import of_first, sampling_seconds
from benchmarks.record import Record
from benchmarks.targets import targets
from ratecert.base.lists import Grid

ENGINES = ("loop", "numpy", "numba")
MISSING = "–"
LATER = ("auto", "certified", "large", "one_level")  # parts that older records lack


def tables(record: Record) -> dict[str, Grid]:
    """name -> table; older records have no part for some."""
    makers: dict[str, Callable[[Record], Grid]] = {
        "summary": summary,
        "throughput": throughput,
        "targets": met,
        "auto": choices,
        "scaling": scaling,
        "first": first,
        "accuracy": accuracy,
        "growth": growth,
        "large": large,
        "certified": certified,
        "one_level": one_level,
        "memory": memory,
        "shares": shares,
        "machine": machine,
    }
    missing = [name for name in LATER if name not in record]
    return {name: make(record) for name, make in makers.items() if name not in missing}


def summary(record: Record) -> Grid:
    """One row per point, both algorithms."""
    algorithms = list(dict.fromkeys(row["algorithm"] for row in record["throughput"]))
    columns = ("d", "Q", *(f"{name}: {engine} / C" for name in algorithms for engine in ENGINES))
    cells: dict[tuple[str, str], list[str]] = {}
    # of one point, algorithms follow one another in the order of the columns
    for row in record["throughput"]:
        rates = row["rates"]
        share = [_ratio(rates.get(engine), rates.get("C")) for engine in ENGINES]
        cells.setdefault((str(row["d"]), str(row["Q"])), []).extend(share)
    rows = [(*point, *share) for point, share in cells.items()]
    return Grid("speed as a ratio to C", columns, rows)


def throughput(record: Record) -> Grid:
    columns = (
        *("algorithm", "d", "Q", "C", "loop over devices / C"),
        *("numpy by hand / C", "numpy / C", "numba / C", "numpy / numpy by hand"),
    )
    rows = []
    for row in record["throughput"]:
        rates = row["rates"]
        ways = ("loop", BY_HAND, "numpy", "numba")
        share = [_ratio(rates.get(way), rates.get("C")) for way in ways]
        share.append(_ratio(rates.get("numpy"), rates.get(BY_HAND)))
        of_C = MISSING if "C" not in rates else f"{rates['C'] / 1e6:.3g} million"
        rows.append((row["algorithm"], str(row["d"]), str(row["Q"]), of_C, *share))
    return Grid("device-iterations per core-second, as ratios to C", columns, rows)


def _ratio(rate: float | None, of: float | None) -> str:
    return MISSING if rate is None or of is None else f"{rate / of:.2g}"


def met(record: Record) -> Grid:
    columns = ("what", "measured", "target", "met")
    rows = [
        (
            target.what,
            MISSING if target.measured is None else f"{target.measured:.4g}",
            f"{'≥' if target.relation == '>=' else '≤'} {target.target:g}",
            {True: "yes", False: "no", None: "not measured"}[target.met],
        )
        for target in targets(record)
    ]
    return Grid("targets", columns, rows)


def choices(record: Record) -> Grid:
    rows = [
        (
            *(str(row[name]) for name in ("algorithm", "d", "T", "replicates")),
            *(f"{row['seconds'][engine]:.2f}" for engine in ("numpy", "numba")),
            *(row["chosen"], f"{loss(row):.2f}"),
        )
        for row in record["auto"]
    ]
    columns = (
        "algorithm",
        "d",
        "T",
        "replicates",
        "numpy, seconds",
        "numba",
        "auto takes",
        "chosen / better",
    )
    return Grid("the engine that auto takes", columns, rows)


def scaling(record: Record) -> Grid:
    columns = ("engine", "d", "Q", "one, seconds", "two, seconds", "ratio")
    rows = [
        (
            f"{row['engine']}, {row['workers']}",
            *(str(row[name]) for name in ("d", "Q")),
            *(f"{row['seconds'][n]:.2f}" for n in ("1", "2")),
            f"{row['seconds']['1'] / row['seconds']['2']:.2f}",
        )
        for row in record["scaling"]
    ]
    return Grid("two workers against one, wall clock", columns, rows)


def first(record: Record) -> Grid:
    rows = [(of_first(row), f"{row['seconds']:.2f}") for row in record["first_result"]]
    return Grid("a new process until its first result", ("engine", "seconds"), rows)


def accuracy(record: Record) -> Grid:
    columns = (
        *("algorithm", "d", "T", "sought", "replicates", "sampling, core-seconds"),
        *("exact moments", "ratio", "their precision"),
    )
    rows = []
    for row in record["accuracy"]:
        for sought, replicates in row["replicates_needed"].items():
            seconds = sampling_seconds(row, sought)
            rows.append(
                (
                    *(row["algorithm"], str(row["d"]), str(row["T"]), sought, f"{replicates:.2g}"),
                    *(f"{seconds:.2g} ({row['engine']})", f"{row['exact_seconds']:.2g}"),
                    *(f"{seconds / row['exact_seconds']:.2g}", f"{row['exact_precision']:.0e}"),
                )
            )
    return Grid("the gradient measure by sampling and by exact moments, at equal accuracy", columns, rows)


def growth(record: Record) -> Grid:
    base = {row["way"]: row["seconds"] for row in record["growth"] if row["changed"] == "nothing"}
    rows = [
        (row["way"], row["changed"], f"{row['seconds']:.2g}", f"{row['seconds'] / base[row['way']]:.2g}")
        for row in record["growth"]
    ]
    return Grid(
        "how cost grows, one change at a time", ("way", "changed", "core-seconds", "against the base"), rows
    )


def large(record: Record) -> Grid:
    rows = [
        (
            *(row["what"], f"{row['letter']} = {row['small']}", f"{row['small_seconds']:.3g}"),
            *(f"{row['letter']} = {row['large']}", f"{row['seconds']:.3g}"),
            *(f"{row['seconds'] / row['small_seconds']:.3g}", f"{row['MiB']:.0f}"),
        )
        for row in record["large"]
    ]
    columns = ("what", "small", "core-seconds", "large", "core-seconds", "ratio", "MiB")
    return Grid("exact moments at the size of experiments", columns, rows)


def certified(record: Record) -> Grid:
    rows = [
        (
            *(str(row["d"]), row["noise"], row["T"]),
            *(f"{row['plain_seconds']:.2g}", f"{row['certified_seconds']:.2g}"),
            f"{row['certified_seconds'] / row['plain_seconds']:.2g}",
        )
        for row in record["certified"]
    ]
    columns = ("d", "noise", "T", "plain, core-seconds", "certified", "certified / plain")
    return Grid("LocalBSGM enclosed, and in doubles", columns, rows)


def one_level(record: Record) -> Grid:
    rows = [
        (
            *(row["what"], str(row["d"]), row["T"]),
            *(f"{row['seconds']:.2g}", f"{row['seconds'] / row['short_seconds']:.2g}"),
        )
        for row in record["one_level"]
    ]
    columns = ("what", "d", "T", "core-seconds", "against T = 2^10")
    return Grid("methods of one level, by exact moments", columns, rows)


def memory(record: Record) -> Grid:
    rows = [
        (row["engine"], str(row["replicates"]), str(row["T"]), f"{row['MiB']:.0f}")
        for row in record["memory"]
    ]
    return Grid("peak of resident memory", ("engine", "replicates", "T", "MiB"), rows)


def shares(record: Record) -> Grid:
    parts = list(record["shares"][0]["shares"]) if record["shares"] else []
    rows = [
        (row["algorithm"], str(row["d"]), str(row["Q"]), *(f"{row['shares'][part]:.0%}" for part in parts))
        for row in record["shares"]
    ]
    return Grid("where the time of numba goes", ("algorithm", "d", "Q", *parts), rows)


def machine(record: Record) -> Grid:
    rows = [(name, str(value)) for name, value in record["machine"].items() if value is not None]
    return Grid("measured on", ("what", "which"), rows)
