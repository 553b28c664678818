"""Every chart of the results as SVG documents, one per panel, drawn in several processes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ratecert.base.files import write_text
from ratecert.base.progress import progress_of
from ratecert.report.results import chart_from
from ratecert.run.tasks import as_finished

Pictures = Mapping[str, Sequence[str]]  # id of a claim -> its panels


def pictures(results: Mapping[str, Any], *, jobs: int) -> Pictures:
    """Those of all claims; an id without a chart has none."""
    charts = {entry["id"]: entry["chart"] for entry in results["claims"]}
    drawn: dict[str, Sequence[str]] = dict.fromkeys(charts, ())
    calls = [(id, chart) for id, chart in charts.items() if chart]
    with progress_of("figures", len(calls)) as advance:
        for id, panels in as_finished(_draw, calls, jobs):
            drawn[id] = panels
            advance(1)
    return drawn


def _draw(id: str, chart: Mapping[str, Any]) -> tuple[str, list[str]]:
    from ratecert.base.drawing import svgs  # slow to import

    return id, svgs(chart_from(chart))


def write_pictures(results: Mapping[str, Any], drawn: Pictures, folder: Path) -> None:
    """The figures of the claims as files, and no others."""
    wanted = {folder / name for claim in results["claims"] for name in claim["figures"]}
    for old in set((folder / "figures").glob("*.svg")) - wanted:
        old.unlink()
    for claim in results["claims"]:
        for name, picture in zip(claim["figures"], drawn[claim["id"]], strict=True):
            write_text(folder / name, picture)
