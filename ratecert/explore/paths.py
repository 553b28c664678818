"""What each path of the server gives: files of the page, and what is computed of a link.

A link is read as names out of lists and numbers with ranges (state.py). A refusal is an answer, too: a sentence.
"""

import json
import threading
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from ratecert.base.errors import UserError
from ratecert.explore.answer import answer
from ratecert.explore.certifying import certified
from ratecert.explore.export import as_svg
from ratecert.explore.methods import METHODS
from ratecert.explore.presets import first, presets
from ratecert.explore.state import State, read
from ratecert.explore.theorems import theorems

PAGE = Path(__file__).parent / "page"
HTML, CSS, JS, JSON, SVG, PYTHON, TEXT = (
    "text/html; charset=utf-8",
    "text/css; charset=utf-8",
    "text/javascript; charset=utf-8",
    "application/json",
    "image/svg+xml",
    "text/x-python; charset=utf-8",
    "text/plain; charset=utf-8",
)
COMPUTING = threading.Lock()  # balls have one precision for the whole process


@lru_cache(maxsize=512)
def _answered(query: str) -> str:
    return _as_json(answer, query)


@lru_cache(maxsize=64)
def _certified(query: str) -> str:
    return _as_json(certified, query)


def _as_json(what: Callable[[State], dict[str, Any]], query: str) -> str:
    try:
        return json.dumps(what(_state(query)), ensure_ascii=False, allow_nan=False)
    except UserError as error:
        return json.dumps({"refused": str(error)}, ensure_ascii=False)


def _state(query: str) -> State:
    return read(query, first().show) if query else first()


@lru_cache(maxsize=1)
def _beginnings() -> str:
    groups: dict[str, list[list[str]]] = {}
    for each in presets():
        groups.setdefault(each.group, []).append([each.title, each.state.query])
    shown = {"Methods": list(METHODS), "Theorems": list(theorems())}
    return json.dumps({"presets": groups, "shown": shown}, ensure_ascii=False)


def _figure(query: str) -> bytes:
    found = json.loads(_answered(query))
    said = found.get("refused") or found.get("nothing")
    if said:
        raise UserError(said)
    return as_svg(found)


def _script(query: str) -> bytes:
    found = json.loads(_answered(query))
    text = found.get("python") or f"# {found.get('refused') or found.get('nothing')}\n"
    return str(text).encode()


FILES = {"/": ("page.html", HTML), "/page.css": ("page.css", CSS)}
FILES |= {f"/{name}.js": (f"{name}.js", JS) for name in ("page", "chart", "controls", "tables")}
COMPUTED: dict[str, tuple[Callable[[str], bytes], str]] = {
    "/answer": (lambda query: _answered(query).encode(), JSON),
    "/certify": (lambda query: _certified(query).encode(), JSON),
    "/presets": (lambda _: _beginnings().encode(), JSON),
    "/figure.svg": (_figure, SVG),
    "/point.py": (_script, PYTHON),
}


def warm() -> None:
    """Compute what the page asks for first, before it does."""
    with COMPUTING:
        _answered("")
        _beginnings()
