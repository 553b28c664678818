"""The page, served to this machine alone.

    /             the page             /answer?LINK    the numbers of a state, as JSON
    /page.css     its look             /certify?LINK   the enclosure of the point
    /page.js ...  its scripts
    /presets      where to begin   /begin?LINK     the numbers of such a state, at a length that shows what breaks

Only GET is answered, and only to a browser that asks 127.0.0.1 or localhost by name, so that no page from elsewhere can
reach in under a name of its own. Who says nothing for half a minute is cut off, and 32 are served at once. A refusal
comes with status 200, because it is an answer.
"""

import json
import socket
import threading
from collections.abc import Callable
from functools import lru_cache, partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ratecert.base.errors import UserError
from ratecert.catalogue import find
from ratecert.explore.answer import answer, certified
from ratecert.explore.methods import METHODS
from ratecert.explore.presets import beyond, first, presets
from ratecert.explore.state import read
from ratecert.explore.theorems import theorems

PAGE = Path(__file__).parent / "page"
HTML, CSS, JS, PLAIN = (f"text/{kind}; charset=utf-8" for kind in ("html", "css", "javascript", "plain"))
HOST = "127.0.0.1"
PATIENCE = 30.0  # seconds for a browser to say what it wants
COMPUTING = threading.Lock()  # balls have one precision for the whole process
CONNECTIONS = 32  # at once; a browser opens six
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@lru_cache(maxsize=512)
def _told(what: str, query: str) -> dict[str, Any]:
    """Of the state of a link: its numbers, those at a length that shows what breaks, or its enclosures."""
    ways = {"answer": answer, "begin": lambda state: answer(beyond(state)), "certify": certified}
    try:
        return ways[what](read(query, first().show) if query else first())
    except UserError as error:
        return {"refused": str(error)}


@lru_cache(maxsize=1)
def _beginnings(_: str = "") -> dict[str, Any]:
    """Grouped by paper: counterexamples come first, so do the papers that have some."""
    groups: dict[str, list[list[str]]] = {}
    for each in presets():
        key = theorems()[each.state.show].key
        title = f"{each.title.removeprefix(key).lstrip(':, ')}: {each.group}"
        groups.setdefault(find.paper(key=key).title, []).append([title, each.state.query])
    return {"presets": groups, "shown": {"Methods": list(METHODS), "Theorems": list(theorems())}}


def _as_json(what: Callable[[str], dict[str, Any]]) -> Callable[[str], bytes]:
    return lambda query: json.dumps(what(query), ensure_ascii=False, allow_nan=False).encode()


FILES = {"/": ("page.html", HTML), "/page.css": ("page.css", CSS)}
FILES |= {f"/{name}.js": (f"{name}.js", JS) for name in ("page", "chart", "controls", "tables")}
COMPUTED: dict[str, tuple[Callable[[str], bytes], str]] = {
    **{
        f"/{what}": (_as_json(partial(_told, what)), "application/json")
        for what in ("answer", "begin", "certify")
    },
    "/presets": (_as_json(_beginnings), "application/json"),
}


def warm() -> None:
    """Compute what the page asks for first, before it does."""
    with COMPUTING:
        _told("answer", "")
        _beginnings()


class Handler(BaseHTTPRequestHandler):
    """One request; anything but GET of a known path is refused by the base class or with 404."""

    server_version, sys_version = "ratecert", ""
    timeout = PATIENCE

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        _, port = self.connection.getsockname()
        if self.headers.get("Host") not in (f"{HOST}:{port}", f"localhost:{port}"):
            return self._send(HTTPStatus.FORBIDDEN, b"ask for 127.0.0.1 by name\n", PLAIN)
        if asked.path in FILES:
            name, kind = FILES[asked.path]
            return self._send(HTTPStatus.OK, (PAGE / name).read_bytes(), kind)
        if asked.path not in COMPUTED:
            return self._send(HTTPStatus.NOT_FOUND, b"there is no such page; begin at /\n", PLAIN)
        compute, kind = COMPUTED[asked.path]
        with COMPUTING:
            try:
                status, body = HTTPStatus.OK, compute(asked.query)
            except UserError as error:
                status, body, kind = HTTPStatus.BAD_REQUEST, f"{error}\n".encode(), PLAIN
            except Exception as error:  # noqa: BLE001  the page goes on, and the bug is told apart from a mistake
                sentence = f"a bug in ratecert, no mistake of yours: {type(error).__name__}: {error}\n"
                status, body, kind = HTTPStatus.INTERNAL_SERVER_ERROR, sentence.encode(), PLAIN
        return self._send(status, body, kind)

    def _send(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": kind, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: a slider asks ten times a second."""


class Server(ThreadingHTTPServer):
    """Threads, so that a page comes while something is computed."""

    daemon_threads = True

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.free = threading.BoundedSemaphore(CONNECTIONS)

    def process_request(self, request: Any, client_address: Any) -> None:
        """In a thread of its own; a connection beyond the most is closed."""
        if self.free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing for a browser that has gone, which is all that is not answered above."""


def served(port: int) -> Server:
    """A server that listens, on this port or on any for 0."""
    try:
        return Server((HOST, port), Handler)
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, socket.error) else "it must lie in [0, 65535]"
        raise UserError(f"port {port} cannot be used: {reason}; choose another with --port.") from error
