"""The page, served to this machine alone.

    /             the page             /answer?LINK    the numbers of a state, as JSON
    /page.css     its look             /certify?LINK   the enclosure of the point
    /page.js ...  its scripts          /figure.svg?LINK, /point.py?LINK   to take away
    /presets      where to begin

Only GET is answered, and only to a browser that asks 127.0.0.1 or localhost by name, so that no page from elsewhere can
reach in under a name of its own. A link is read as names out of lists and numbers with ranges (state.py). A refusal
comes with status 200, because it is an answer: a sentence.
"""

import json
import socket
import threading
from collections.abc import Callable
from functools import lru_cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ratecert.errors import UserError
from ratecert.explore.answer import answer
from ratecert.explore.certifying import certified
from ratecert.explore.export import as_svg
from ratecert.explore.methods import METHODS
from ratecert.explore.presets import first, presets
from ratecert.explore.state import State, read
from ratecert.explore.theorems import theorems

HOST = "127.0.0.1"
PAGE = Path(__file__).parent / "page"
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
HTML, CSS, JS, JSON, SVG, PYTHON = (
    "text/html; charset=utf-8",
    "text/css; charset=utf-8",
    "text/javascript; charset=utf-8",
    "application/json",
    "image/svg+xml",
    "text/x-python; charset=utf-8",
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


class Handler(BaseHTTPRequestHandler):
    """One request; anything but GET of a known path is refused by the base class or with 404."""

    server_version, sys_version = "ratecert", ""

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        _, port = self.connection.getsockname()
        if self.headers.get("Host") not in (f"{HOST}:{port}", f"localhost:{port}"):
            return self._send(HTTPStatus.FORBIDDEN, b"ask for 127.0.0.1 by name\n", HTML)
        if asked.path in FILES:
            name, kind = FILES[asked.path]
            return self._send(HTTPStatus.OK, (PAGE / name).read_bytes(), kind)
        if asked.path not in COMPUTED:
            return self._send(HTTPStatus.NOT_FOUND, b"there is no such page; begin at /\n", HTML)
        compute, kind = COMPUTED[asked.path]
        with COMPUTING:
            try:
                status, body = HTTPStatus.OK, compute(asked.query)
            except UserError as error:
                status, body, kind = HTTPStatus.BAD_REQUEST, f"{error}\n".encode(), HTML
        return self._send(status, body, kind)

    def _send(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": kind, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: a slider asks ten times a second."""


def warm() -> None:
    """Compute what the page asks for first, before it does."""
    with COMPUTING:
        _answered("")
        _beginnings()


def served(port: int) -> ThreadingHTTPServer:
    """A server that listens, on this port or on any for 0."""
    try:
        return ThreadingHTTPServer((HOST, port), Handler)
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, socket.error) else "it must lie in [0, 65535]"
        raise UserError(f"port {port} cannot be used: {reason}; choose another with --port.") from error
