"""Every chart of the results as SVG documents, one per panel, and each as an element of a page.

What a plotting library writes repeats the same few styles thousands of times and wraps everything in groups. On a page
every style is a class, said once for all figures, groups that say nothing are opened, coordinates end at a hundredth of
a point, and ids and colours are the page's own.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from markupsafe import Markup

from ratecert.base.chart import GROUND, INK, SHEER
from ratecert.base.files import write_text
from ratecert.base.progress import progress_of
from ratecert.report.results import chart_from
from ratecert.run.tasks import as_finished

Pictures = Mapping[str, Sequence[str]]  # id of a claim -> its panels
SVG, HREF = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
NUMBERS = ("d", "x", "y", "width", "height", "transform", "points")
GLYPH = re.compile(r"[A-Z]\w*(-\w+)*-[0-9a-f]+")  # the id of a letter's outline, such as DejaVuSans-14
FAMILY = re.compile(r"\s*font-family:[^;]*(;|$)")


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


class Shared:
    """What the figures of a page have in common: styles, each with the name of its class, and outlines of letters."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._outlines: dict[str, str] = {}

    def name(self, style: str) -> str:
        return self._names.setdefault(style, f"s{len(self._names)}")

    def outline(self, glyph: ElementTree.Element) -> None:
        self._outlines.setdefault(glyph.get("id", ""), _lines(glyph.get("d", "")))

    @property
    def outlines(self) -> Markup:
        """To stand before the first figure."""
        paths = "".join(
            f'<path id="{id}" d="{d}" transform="scale(0.015625)"/>' for id, d in self._outlines.items()
        )
        return Markup(f'<svg class="outlines" width="0" height="0" aria-hidden="true">{paths}</svg>')

    @property
    def css(self) -> Markup:
        return Markup("".join(f".{name}{{{style}}}\n" for style, name in self._names.items()))


def slim(svg: str, prefix: str, title: str, shared: Shared) -> Markup:
    """The element, with a name for screen readers."""
    own = svg.replace(INK, "currentColor").replace(GROUND, "none")
    root = ElementTree.fromstring(own.replace(f"stroke-opacity: {SHEER}", "stroke-opacity: var(--sheer)"))
    _opened(root, shared)
    named = [id for element in root.iter() if (id := element.get("id")) and element.tag != f"{SVG}g"]
    ids = {id: f"{prefix}-{i}" for i, id in enumerate(named)}
    for element in root.iter():
        _shorten(element, ids, shared)
    inside = "".join(ElementTree.tostring(child, encoding="unicode") for child in root)
    inside = re.sub(r' xmlns(:\w+)?="[^"]*"|\n\s*', "", inside).replace(" />", "/>")
    head = Markup('<svg role="img" aria-label="{}" viewBox="{}">').format(title, root.get("viewBox"))
    return head + Markup(inside) + Markup("</svg>")  # safe: the parser has escaped all text


def _opened(element: ElementTree.Element, shared: Shared) -> None:
    """Groups without anything to say give way to what is in them; notes, the general style and outlines go."""
    children: list[ElementTree.Element] = []
    for child in element:
        _opened(child, shared)
        if GLYPH.fullmatch(child.get("id", "")) and child.get("transform") == "scale(0.015625)":
            shared.outline(child)
            continue
        child.tail = None
        empty = child.tag in (f"{SVG}metadata", f"{SVG}style") or (
            child.tag == f"{SVG}defs" and not len(child)
        )
        ground = child.tag == f"{SVG}path" and child.get("style", "").strip() in ("fill: none", "fill:none")
        if child.tag == f"{SVG}g" and not set(child.keys()) - {"id"}:
            children += list(child)
        elif not empty and not ground:
            children.append(child)
    element[:] = children


def _shorten(element: ElementTree.Element, ids: Mapping[str, str], shared: Shared) -> None:
    element.tag = element.tag.removeprefix(SVG)
    if "rotate(-0 " in element.get("transform", ""):
        del element.attrib["transform"]
    if target := element.attrib.pop(HREF, ""):
        element.set("href", f"#{ids.get(target[1:], target[1:])}")  # outlines have their own names
    if id := element.attrib.pop("id", ""):
        element.attrib |= {"id": ids[id]} if id in ids else {}
    for name, value in element.attrib.items():
        if found := re.fullmatch(r"url\(#(.*)\)", value):
            element.set(name, f"url(#{ids[found[1]]})")
        elif name in NUMBERS:
            element.set(name, _lines(value))
    if style := element.attrib.pop("style", ""):
        element.set("class", shared.name(FAMILY.sub("", style).strip().replace(": ", ":").replace("; ", ";")))


def _lines(numbers: str) -> str:
    """To a hundredth of a point, without needless blanks."""
    return re.sub(r"(\.\d\d)\d+", r"\1", " ".join(numbers.split()))
