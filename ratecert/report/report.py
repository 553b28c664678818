"""index.html from results.json: one file that needs nothing else, for reading on a screen, on a phone and on paper.

All text is escaped by the template engine. Figures are drawn again from the charts, one drawing per panel so that a
narrow screen stacks them, with the reader's text colour in place of black.
"""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ratecert.claim.verdict import VERDICTS, in_words
from ratecert.errors import ResultsError
from ratecert.output.files import require_writable, write_text
from ratecert.output.palette import GROUND, INK
from ratecert.output.terminal import echo
from ratecert.report.pictures import Pictures, pictures
from ratecert.report.results import decided_by, read, understood
from ratecert.report.typeset import typeset

TEMPLATES = Path(__file__).parent


def write_report(folder: Path, results: Mapping[str, Any], drawn: Pictures) -> Path:
    """index.html beside results.json; what belongs to the run is read from run.json, if it is there."""
    run = _read_run(folder / "run.json")
    path = folder / "index.html"
    write_text(path, render(results, drawn, run))
    return path


def render(results: Mapping[str, Any], drawn: Pictures, run: Mapping[str, str]) -> str:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    claims = [_shown(claim, drawn, f"c{i}") for i, claim in enumerate(results["claims"])]
    found = {verdict: sum(c["verdict"] == verdict for c in claims) for verdict in VERDICTS}
    return environment.get_template("report.html.jinja").render(
        results=results,
        title=results["title"],
        claims=claims,
        counts="Claims: " + ", ".join(f"{verdict} {n}" for verdict, n in found.items() if n),
        changed=[c for c in claims if c["verdict"] != c["expected"]],
        wrong=[c for c in claims if c["verdict"] == c["expected"] == "refuted"],
        bounds=[{**b, "panels": _panels(b, drawn, f"b{i}")} for i, b in enumerate(results["bounds"])],
        run=run,
    )


def _shown(claim: Mapping[str, Any], drawn: Pictures, prefix: str) -> dict[str, Any]:
    """A claim with what the template needs beside its own entries."""
    return {
        **claim,
        "anchor": "claim-" + re.sub(r"[^\w.-]", "-", claim["id"]),
        "in_words": in_words(claim),
        "decided": decided_by(claim),
        "panels": _panels(claim, drawn, prefix),
        "typeset": typeset(claim),
        "settings_text": json.dumps(claim["settings"], indent=1, ensure_ascii=False),
    }


def _panels(entry: Mapping[str, Any], drawn: Pictures, prefix: str) -> list[Markup]:
    """Each panel as an <svg> element whose ids are its own."""
    if not entry["chart"]:
        return []
    titles = [panel["title"] or entry["chart"]["caption"] for panel in entry["chart"]["panels"]]
    numbered = enumerate(zip(drawn[entry["id"]], titles, strict=True))
    return [inline(svg, f"{prefix}-{i}", title) for i, (svg, title) in numbered]


def inline(svg: str, prefix: str, title: str) -> Markup:
    """An SVG document as an element of a page: its own ids, a name for screen readers, the page's own colours."""
    svg = svg[svg.index("<svg") + len("<svg") :].replace(INK, "currentColor").replace(GROUND, "none")
    svg = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r' d="[^"]*"', _shorter, re.sub(r'<g id="[^"]*"', "<g", svg))
    svg = re.sub(r"\n\s*", "\n", svg)
    svg = re.sub(r'\bid="', f'id="{prefix}-', svg)
    svg = re.sub(r'(href="#|url\(#)', rf"\g<1>{prefix}-", svg)
    label = Markup('<svg role="img" aria-label="{}"').format(title)
    return label + Markup(svg)  # safe: matplotlib writes all text as outlines


def _shorter(path: re.Match[str]) -> str:
    """The outline to a hundredth of a point."""
    return re.sub(r"(\.\d\d)\d+", r"\1", path.group()).replace("\n", " ")


def _read_run(path: Path) -> dict[str, str]:
    """What belongs to one run and not to its results: when, where, how long."""
    if not path.exists():
        return {}
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ResultsError(
            f"{path} is not JSON: {error}; remove it, or write it again with ratecert verify."
        ) from error
    return {str(name): str(value) for name, value in run.items()} if isinstance(run, dict) else {}


def print_report(folder: Path) -> int:
    """`ratecert report DIR`: everything is drawn again from results.json."""
    results = read(folder / "results.json")
    require_writable(folder)
    with understood(folder / "results.json"):
        path = write_report(folder, results, pictures(results, jobs=os.cpu_count() or 1))
    echo(f"Wrote {path}\n")
    return 0
