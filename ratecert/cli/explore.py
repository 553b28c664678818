"""`ratecert explore`: serves the explorer until it is interrupted, and opens it."""

import threading
import webbrowser

from ratecert.explore.paths import warm
from ratecert.explore.server import HOST, served
from ratecert.output.terminal import echo


def explore(*, port: int, open_page: bool) -> int:
    """0 when the user ends it."""
    server = served(port)
    address = f"http://{HOST}:{server.server_address[1]}/"
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
