"""`ratecert library`: the verdicts on the library, as they were kept or as a run of one's own has them."""

import json
from pathlib import Path

from ratecert.base.terminal import echo, folded
from ratecert.report.results import read as read_results
from ratecert.report.results import with_papers
from ratecert.shelf.details import detailed
from ratecert.shelf.filter import Filter
from ratecert.shelf.record import FIELDS, SCHEMA, from_results, read
from ratecert.shelf.table import listed


def library(wanted: Filter, *, results: Path | None, as_json: bool) -> int:
    """Without results, those that come with the package; `ratecert verify library` computes them again."""
    records = wanted.of(
        read() if results is None else from_results(with_papers(read_results(results), results))["statements"]
    )
    if as_json:
        told = [{name: record[name] for name in FIELDS} for record in records]
        echo(json.dumps({"schema": SCHEMA, "statements": told}, indent=1) + "\n")
        return 0
    if records:
        echo(detailed(records) + "\n" if wanted.names else listed(records))
    wrong = sum(record["verdict"] in ("refuted", "proved false") for record in records)
    echo(
        folded(
            f"{len(records)} statement{'' if len(records) == 1 else 's'}, {wrong} refuted. `ratecert verify library` "
            "computes them again, `ratecert explain ID` shows one."
        )
    )
    return 0
