"""index.html from results.json: one file that needs nothing else, for reading on a screen, on a phone and on paper.

All text is escaped by the template engine. Figures are drawn again from the charts, one drawing per panel so that a
narrow screen stacks them, with the reader's text colour in place of black.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ratecert.folders import written_whole
from ratecert.palette import GROUND, INK
from ratecert.verify.check import VERDICTS
from ratecert.verify.results import Unreadable, chart_from, decided_by, read

TEMPLATES = Path(__file__).parent


def write_report(folder: Path) -> Path:
    """index.html beside the results.json of a folder, from that file and, if it is there, run.json."""
    results = read(folder / "results.json")
    run = _read_run(folder / "run.json")
    path = folder / "index.html"
    with written_whole(path) as temporary:
        temporary.write_text(render(results, run), encoding="utf-8", newline="\n")
    return path


def render(results: Mapping[str, Any], run: Mapping[str, Any]) -> str:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    claims = [_shown(claim, f"c{i}") for i, claim in enumerate(results["claims"])]
    found = {verdict: sum(c["verdict"] == verdict for c in claims) for verdict in VERDICTS}
    return environment.get_template("report.html.jinja").render(
        results=results,
        title=results["title"],
        claims=claims,
        counts="Claims: " + ", ".join(f"{verdict} {n}" for verdict, n in found.items() if n),
        changed=[c["id"] for c in claims if c["verdict"] != c["expected"]],
        wrong=[c for c in claims if c["verdict"] == "violated"],
        bounds=[{**bound, "panels": panels(bound["chart"], bound["id"])} for bound in results["bounds"]],
        run=run,
    )


def _shown(claim: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """A claim with what the template needs beside its own entries."""
    anchor = "claim-" + re.sub(r"[^\w.-]", "-", claim["id"])
    return {
        **claim,
        "anchor": anchor,
        "decided": decided_by(claim),
        "panels": panels(claim["chart"], prefix) if claim["chart"] else [],
        "settings_text": json.dumps(claim["settings"], indent=1, ensure_ascii=False),
    }


def panels(chart: Mapping[str, Any], prefix: str) -> list[Markup]:
    """Each panel as an <svg> element whose ids are its own."""
    from ratecert.verify.drawing import svgs  # slow to import

    whole = chart_from(chart)
    titles = [panel.title or whole.caption for panel in whole.panels]
    pictures = enumerate(zip(svgs(whole), titles, strict=True))
    return [inline(svg, f"{prefix}-{i}", title) for i, (svg, title) in pictures]


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
        raise Unreadable(
            f"{path} is not JSON: {error}; remove it, or write it again with ratecert verify."
        ) from error
    return {str(name): str(value) for name, value in run.items()} if isinstance(run, dict) else {}


def print_report(folder: Path) -> int:
    """`ratecert report DIR`."""
    from ratecert.standard_output import show

    show(f"Wrote {write_report(folder)}\n")
    return 0
