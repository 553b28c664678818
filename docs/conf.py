"""The site: `make docs`, or sphinx-build -W --keep-going -b html docs build/docs.

Tables of pages are made now, from what the repository keeps (tools/pages.py); no file in docs/ has them. The course is
shown with the outputs that are stored in it (tools/course.py); nothing is executed.

Docstrings here are plain text, in which y*(x) and |x| mean themselves. They are made safe for reStructuredText: what is
indented or has columns is shown as it stands, `names` become code, and all else is escaped.

Formulas become MathML, which browsers draw by themselves: the site needs no network and no script for them.
"""

import os
import re
import sys
from base64 import b64encode
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any

import furo
from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from ratecert import __version__  # noqa: E402
from tools import explorer  # noqa: E402
from tools.pages import built, write  # noqa: E402
from tools.papers import source_pages, write_figures  # noqa: E402
from tools.reference import pages as reference_pages  # noqa: E402

project = "ratecert"
author = "The ratecert authors"
project_copyright = author
version = release = __version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
exclude_patterns = ["**/.ipynb_checkpoints"]
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 3

nb_execution_mode = "off"
nb_merge_streams = True

autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"
highlight_language = "none"  # what is indented in a docstring is mathematics
autodoc_preserve_defaults = True

html_math_renderer = "mathml"
html_theme = "furo"
html_title = "ratecert"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["sort.js"]
html_copy_source = False


def copy_notebooks(_app: Any) -> None:
    """notebooks/*.ipynb as docs/course/*.ipynb, which git ignores; what is no longer there goes."""
    course = DOCS / "course"
    for old in course.glob("*.ipynb"):
        old.unlink()
    for notebook in sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        text = notebook.read_text(encoding="utf-8")
        moved = re.sub(r"\]\(\.\./(docs/)?", lambda link: "](../" if link.group(1) else "](../../", text)
        (course / notebook.name).write_text(moved, encoding="utf-8")


def filled(_app: Any, page: str, source: list[str]) -> None:
    """Tables in their places."""
    source[0] = built(page, source[0])


def unlinked(_app: Any, page: str, source: list[str]) -> None:
    """Links to folders and pages outside of docs/, which GitHub can follow and the site cannot, become plain text."""

    def kept(link: re.Match[str]) -> str:
        target = (DOCS / page).parent.joinpath(link.group(2)).resolve()
        outside = not target.is_relative_to(DOCS)
        return link.group(1) if outside and (target.is_dir() or target.suffix == ".md") else link.group(0)

    source[0] = re.sub(r"\[([^\]]*)\]\((\.\./[^)#\s]*)\)", kept, source[0])


def plain_docstring(_app: Any, _what: str, name: str, _obj: Any, _options: Any, lines: list[str]) -> None:
    """A dataclass without a docstring has its signature in the place of one, which is shown already."""
    own = name.rpartition(".")[2]
    lines[:] = [] if lines and lines[0].startswith(f"{own}(") else restructured(lines)


def restructured(lines: list[str]) -> list[str]:
    """Plain text as reStructuredText: what is laid out by hand as literal blocks, `names` as code, the rest escaped."""
    made: list[str] = []
    inside = False
    for line, by_hand in zip(lines, laid_out(lines), strict=True):
        if by_hand and not inside:
            made += ["", "::", ""]
        elif line and not by_hand and inside:
            made.append("")
        inside = by_hand or (inside and not line)
        made.append("    " + line if by_hand else _escaped(line))
    return made


def laid_out(lines: list[str]) -> list[bool]:
    """Line by line: it is indented, or stands in a paragraph that has columns, with four blanks inside a line."""
    found: list[bool] = []
    for is_text, paragraph in groupby(lines, key=bool):
        together = list(paragraph)
        columns = any("    " in line.strip() for line in together)
        found += [is_text and (columns or line.startswith("    ")) for line in together]
    return found


def _escaped(line: str) -> str:
    parts = re.split(r"(`[^`]+`)", line)
    return "".join(
        f"`{part}`" if i % 2 else re.sub(r"([\\*_|`])", r"\\\1", part) for i, part in enumerate(parts)
    )


def draw_formula(writer: Any, node: Any) -> None:
    """A formula as MathML; one that cannot be read is a warning, and shown as it is written."""
    as_block = isinstance(node, nodes.math_block)
    try:
        drawn = tex2mathml(readable(node.astext()), as_block=as_block)
    except (MathError, IndexError) as error:
        logging.getLogger(__name__).warning("cannot read %s: %s", node.astext(), error, location=node)
        drawn = writer.encode(node.astext())
    writer.body.append(f'<div class="math">{drawn}</div>\n' if as_block else drawn)
    raise nodes.SkipNode


def readable(tex: str) -> str:
    """In the LaTeX that docutils reads: arguments in braces, no bare exponent, one kind of dots, brackets in pairs."""
    tex = re.sub(r"\\([dt]?frac) *(\w) *(\w)", r"\\\1{\2}{\3}", tex.strip())
    tex = re.sub(r"\\(bar|hat|tilde) *(\w|\{\w+\})(?=_)", r"{\\\1{\2}{}}", tex)  # else the index stands below
    tex = re.sub(r"\\textstyle *(\\\w+)", r"{\\textstyle\1}", tex)
    tex = re.sub(r"\\Big(?=\\\{|[(\[])", r"\\Bigl", tex)
    tex = re.sub(r"\\Big(?=\\\}|[)\]])", r"\\Bigr", tex)
    return re.sub(r"^(?=[\^_])", "{}", tex.replace(r"\dots", r"\ldots"))


def make_pages(_app: Any) -> None:
    """Those that are made whole: of all public names, and of each source of the library with its figures."""
    write(DOCS / "reference", reference_pages())
    write(DOCS / "library", source_pages())
    write_figures(DOCS / "figures" / "library")


def make_explorer(app: Any, failed: Exception | None) -> None:
    """The explorer as a page, with answers that are computed now."""
    if not failed and app.builder.name == "html":
        (Path(app.outdir) / "explorer.html").write_text(explorer.page(), encoding="utf-8")


def policy(theme: Path) -> str:
    """The Content-Security-Policy of every page: the site's own scripts, and those that the theme has inside its page.

    Whatever a page is made of, a script or a handler in it does not run.
    """
    inside = re.findall(r"<script>(.*?)</script>", theme.read_text(encoding="utf-8"), flags=re.DOTALL)
    scripts = " ".join(f"'sha256-{b64encode(sha256(each.encode()).digest()).decode()}'" for each in inside)
    return (
        f"default-src 'none'; script-src 'self' {scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'"
    )


def add_policy(_app: Any, _page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    theme = Path(furo.__file__).parent / "theme" / "furo" / "base.html"
    tag = f'<meta http-equiv="Content-Security-Policy" content="{policy(theme)}" />'
    context["metatags"] = context.get("metatags", "") + tag


def setup(app: Any) -> None:
    app.add_html_math_renderer("mathml", (draw_formula, None), (draw_formula, None))
    app.connect("builder-inited", copy_notebooks)
    app.connect("builder-inited", make_pages)
    app.connect("build-finished", make_explorer)
    app.connect("html-page-context", add_policy)
    app.connect("source-read", filled)
    app.connect("source-read", unlinked)
    app.connect("autodoc-process-docstring", plain_docstring)
