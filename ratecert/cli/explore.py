"""`ratecert explore`: serves the explorer until it is interrupted, and opens it."""

import threading
import webbrowser

from ratecert.base.terminal import echo
from ratecert.explore.paths import warm
from ratecert.explore.presets import named
from ratecert.explore.server import HOST, served


def explore(*, name: str | None, port: int, open_page: bool) -> int:
    """At a claim, a statement, a counterexample or a paper of one's own, if one is named; 0 when the user ends it."""
    link = f"?{named(name).query}" if name else ""
    server = served(port)
    address = f"http://{HOST}:{server.server_address[1]}/{link}"
    echo(f"The explorer is at {address}; Ctrl-C ends it.\n")
    threading.Thread(target=warm, daemon=True).start()
    if open_page:
        webbrowser.open(address)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        echo("\n")
    finally:
        server.server_close()
    return 0
