"""Records for a terminal: what is wrong first."""

from collections.abc import Sequence

from rich.table import Table

from ratecert.shelf.record import Record, as_ratio, verdict_in_words


def table(records: Sequence[Record]) -> Table:
    """One line for each statement and variant."""
    result = Table(
        title="The library: published statements on trial",
        caption="largest: that was found of measured/bound, over quadratic worlds inside the conditions",
    )
    for name in ("statement", "after", "verdict", "largest", "tight", "findings"):
        result.add_column(name, justify="right" if name in ("largest", "findings") else "left", no_wrap=True)
    for record in records:
        variant = "" if record["variant"] == "printed" else f" ({record['variant']})"
        result.add_row(
            record["id"] + variant,
            record["certainty"],
            verdict_in_words(record),
            as_ratio(record["ratio"]),
            {True: "yes", False: "no", None: ""}[record["tight"]],
            str(len(record["findings"]) or ""),
        )
    return result
