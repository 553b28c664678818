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
    "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
    "--disable-extensions", "--disable-sync", "--no-first-run", "--hide-scrollbars",
)  # fmt: skip
LOCAL = ("127.0.0.1", "localhost", "", None)  # hosts; a file, data: and blob: have none

# Everything visible that sticks out of the page, unless something around it scrolls or cuts it.
WIDE = """inside => {
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
  walk(document.querySelector(inside));
  if (document.documentElement.scrollWidth > width)
    found.push(`the page scrolls to ${document.documentElement.scrollWidth} of ${width} px`);
  return found;
}"""

# Text whose colour is too near to what is behind it: WCAG's ratio below 4.5, or below 3 where it is large.
FAINT = """() => {
  const rgb = text => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const linear = v => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  const behind = node => {
    for (let a = node; a; a = a.parentElement) {
      const [r, g, b, alpha = 1] = rgb(getComputedStyle(a).backgroundColor);
      if (alpha > 0.5) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const found = [];
  document.body.querySelectorAll('*').forEach(node => {
    const own = [...node.childNodes].some(child => child.nodeType === 3 && child.textContent.trim());
    const box = node.getBoundingClientRect(), style = getComputedStyle(node);
    if (!own || !box.width || !box.height || style.visibility === 'hidden' || node.disabled) return;
    const [a, b] = [rgb(node.namespaceURI.endsWith('svg') ? style.fill : style.color), behind(node)].map(light);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const text = node.textContent.trim().slice(0, 30);
    if (ratio < (large ? 3 : 4.5)) found.push(`${node.tagName.toLowerCase()} "${text}" has ${ratio.toFixed(2)}`);
  });
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


def wider_than_page(page: Any, inside: str = "body") -> list[str]:
    """What sticks out on the right, at the page's present width; lists that slide in from outside are not inside."""
    return list(page.evaluate(WIDE, inside))


def faint_text(page: Any) -> list[str]:
    """What cannot be read well, with its contrast."""
    return list(page.evaluate(FAINT))


if __name__ == "__main__" and installed() is None:
    raise SystemExit(MISSING)
