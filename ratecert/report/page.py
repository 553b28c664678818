"""index.html from results.json: one file that needs nothing else, for reading on a screen, on a phone and on paper.

What is wrong comes first, a row for each statement; then verdicts, and the claims paper by paper. All text
is escaped by the template engine. Figures are drawn again from the charts, one drawing per panel so that a narrow
screen stacks them, with the reader's text colour in place of black.
"""

import os
from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ratecert.base.errors import ResultsError, UserError
from ratecert.base.files import read_data, require_writable, write_text
from ratecert.base.terminal import echo
from ratecert.base.words import WORDS
from ratecert.catalogue.find import paper, split
from ratecert.claims.check import in_words, relation_in
from ratecert.report.figures import Pictures, Shared, pictures, slim
from ratecert.report.results import decided_by, read, understood, unexpected, with_papers
from ratecert.report.summary import lines, sentence
from ratecert.report.typeset import dashed, in_cell, in_line, in_print, settings_rows, statements, variant_of

TEMPLATES = Path(__file__).parent / "templates"


def write_report(folder: Path, results: Mapping[str, Any], drawn: Pictures) -> Path:
    """index.html beside results.json; what belongs to the run is read from run.json, if it is there."""
    path, run, own = folder / "index.html", {}, folder / "run.json"
    if own.exists():
        run = read_data(own, ResultsError, "remove it, or write it again with ratecert verify.")
    write_text(path, render(results, drawn, {str(name): str(value) for name, value in run.items()}))
    return path


def render(results: Mapping[str, Any], drawn: Pictures, run: Mapping[str, str]) -> str:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters |= {each.__name__: each for each in (in_cell, in_line, in_print, relation_in)}
    shared = Shared()
    claims = [_shown(claim, drawn, f"c{i}", shared) for i, claim in enumerate(results["claims"])]
    found = [claim["in_words"] for claim in claims]
    parts = _parts(claims, drawn, shared)
    style = f"{(TEMPLATES / 'report.css').read_text(encoding='utf-8')}{shared.css}"  # a sum would escape it
    script = (TEMPLATES / "report.js").read_text(encoding="utf-8")
    return environment.get_template("report.html.jinja").render(
        style=Markup(style),  # safe: our own, and the figures' styles
        script=Markup(script),
        policy=policy(style, script),
        results=results,
        parts=parts,
        claims=claims,
        counts={words: found.count(words) for words in WORDS if words in found},
        changed=[c for c in claims if c["unexpected"]],
        ids=sorted({id for claim in claims for id in claim["of"]}),
        kinds=sorted({kind for claim in claims for kind in claim["evidence"]}),
        statements=statements(claims),
        outlines=shared.outlines,
        run=run,
    )


def policy(style: str, script: str) -> str:
    """The Content-Security-Policy of the page: this style, this script, and nothing else that could act."""
    style_is, script_is = (
        f"'sha256-{b64encode(sha256(each.encode()).digest()).decode()}'" for each in (style, script)
    )
    return f"default-src 'none'; style-src {style_is}; script-src {script_is}; base-uri 'none'; form-action 'none'"


def _parts(claims: Sequence[Mapping[str, Any]], drawn: Pictures, shared: Shared) -> list[dict[str, Any]]:
    """The claims of each paper, whose title is its key where it is not at hand any more.

    A row that is refuted has the first picture of its claim, a second time and with ids of its own.
    """
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for claim in claims:
        groups.setdefault(split(claim["of"][0])[0], []).append(claim)
    titles = dict.fromkeys(groups, "")
    for key in groups:
        with suppress(UserError):
            titles[key] = paper(key=key).title
    parts = []
    for i, (key, own) in enumerate(groups.items()):
        found = lines(own)
        pictured = (
            _panels(line.printed, drawn, f"w{i}-{j}", shared) if line.false else ()
            for j, line in enumerate(found)
        )
        parts.append(
            {
                "anchor": dashed("part", key),
                "title": titles[key] or key,
                "claims": own,
                "lines": [
                    (line, next(iter(panels), "")) for line, panels in zip(found, pictured, strict=True)
                ],
                "sentence": sentence(found),
            }
        )
    return parts


def _shown(claim: Mapping[str, Any], drawn: Pictures, prefix: str, shared: Shared) -> dict[str, Any]:
    """A claim with what the template needs beside its own entries."""
    variant = variant_of(claim)
    return {
        **claim,
        "anchor": dashed("claim", claim["id"]),
        "in_words": in_words(claim),
        "unexpected": unexpected(claim),
        "explored": claim["of"][0] if "search" in claim["evidence"] else "",  # what `ratecert explore` opens
        "decided": decided_by(claim),
        "panels": _panels(claim, drawn, prefix, shared),
        "statements": [(dashed("statement", id, variant), f"{id} ({variant})") for id in claim["of"]],
        "settings_rows": settings_rows(claim["settings"]),
    }


def _panels(entry: Mapping[str, Any], drawn: Pictures, prefix: str, shared: Shared) -> list[Markup]:
    """Each panel as an <svg> element whose ids are its own."""
    chart = entry["chart"] or {"panels": []}
    titles = [panel["title"] or chart["caption"] for panel in chart["panels"]]
    numbered = enumerate(zip(drawn[entry["id"]], titles, strict=True))
    return [slim(svg, f"{prefix}-{i}", title, shared) for i, (svg, title) in numbered]


def print_report(folder: Path) -> int:
    """`ratecert report DIR`: everything is drawn again from results.json."""
    results = with_papers(read(folder / "results.json"), folder / "results.json")
    require_writable(folder)
    with understood(folder / "results.json"):
        path = write_report(folder, results, pictures(results, jobs=os.cpu_count() or 1))
    echo(f"Wrote {path}\n")
    return 0
