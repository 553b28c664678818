"""A real browser for tests of pages: an installed Chromium, headless, with an empty profile and no way out.

Nothing is downloaded. Requests that leave this machine are stopped and counted as complaints, as are errors on the
console and exceptions in scripts.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "microsoft-edge")
MISSING = (
    "no Chromium was found on the PATH (looked for "
    + ", ".join(NAMES)
    + "): install one, such as Debian's package "
    "chromium, and run make test-browser again."
)
WIDTHS = (360, 768, 1024, 1366)  # px: a phone, a tablet, two laptops
ARGUMENTS = (
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-sync",
    "--no-first-run",
    "--hide-scrollbars",
)
LOCAL = ("127.0.0.1", "localhost", "", None)  # hosts; a file, data: and blob: have none

# Everything visible that sticks out of the page, unless something around it scrolls or cuts it.
WIDE = """() => {
  const width = document.documentElement.clientWidth, found = [];
  const held = node => {
    for (let a = node.parentElement; a && a !== document.body; a = a.parentElement)
      if (getComputedStyle(a).overflowX !== 'visible' && a.getBoundingClientRect().right <= width + 1) return true;
    return false;
  };
  const walk = root => root.querySelectorAll('*').forEach(node => {
    const box = node.getBoundingClientRect();
    if (box.width > 0 && box.height > 0 && box.right > width + 1 && !held(node))
      found.push(`${node.tagName.toLowerCase()}.${node.className} ends at ${Math.round(box.right)} of ${width} px`);
    if (node.shadowRoot) walk(node.shadowRoot);
  });
  walk(document.body);
  if (document.documentElement.scrollWidth > width)
    found.push(`the page scrolls to ${document.documentElement.scrollWidth} of ${width} px`);
  return found;
}"""


def installed() -> str | None:
    """Where Chromium is; None where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@contextmanager
def launched() -> Iterator[Any]:
    """A browser of Playwright's that runs the installed Chromium; its profile goes with it."""
    from playwright.sync_api import sync_playwright

    as_root = ("--no-sandbox",) if hasattr(os, "geteuid") and os.geteuid() == 0 else ()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=installed(), headless=True, args=[*ARGUMENTS, *as_root]
        )
        yield browser
        browser.close()


def complaints_of(page: Any) -> list[str]:
    """A list that grows with every error of this page from now on, and stays empty on a sound page."""
    found: list[str] = []
    page.on("console", lambda message: found.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: found.append(str(error)))

    def stop(route: Any) -> None:
        if urlsplit(route.request.url).hostname in LOCAL:
            route.continue_()
        else:
            found.append(f"the page asks for {route.request.url}")
            route.abort()

    page.route("**/*", stop)
    return found


def wider_than_page(page: Any) -> list[str]:
    """What sticks out on the right, at the page's present width."""
    return list(page.evaluate(WIDE))


if __name__ == "__main__" and installed() is None:
    raise SystemExit(MISSING)
