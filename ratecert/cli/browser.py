"""A page of ours in the browser of whoever asked for it."""

import webbrowser
from pathlib import Path

from ratecert.base.errors import UserError


def show(page: Path) -> int:
    """Open the page, or say where it is."""
    address = page.resolve().as_uri()
    if not webbrowser.open(address):
        raise UserError(f"no browser was found here; open {address} in one, or leave --open out.")
    return 0
