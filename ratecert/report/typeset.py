"""Formulas, sentences, settings and statements as they stand on a page that needs nothing else.

LaTeX becomes MathML, which browsers typeset themselves. A formula may be anybody's: of what the converter makes of it,
elements that typeset and their looks are kept, and all text is escaped, so nothing else reaches a page. Sentences of
results.json, which are plain ASCII, are shown as a printed page has them: 2^20 <= T becomes 2²⁰ ≤ T.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from html import unescape
from typing import Any
from xml.etree.ElementTree import Element, tostring

from latex2mathml.converter import convert_to_element
from markupsafe import Markup, escape

from ratecert.base.chart import SUPERSCRIPTS
from ratecert.base.errors import UserError
from ratecert.catalogue.find import paper, split
from ratecert.theory.paper import Paper
from ratecert.typeset.printed import as_formulas

TYPESETS = re.compile("m[a-z]+|none")  # the elements of MathML
LOOKS = re.compile(
    "accent|(column|row)(align|lines|spacing)|depth|displaystyle|fence|form|height|largeop|[lr]space|linethickness|"
    "mathvariant|(max|min)size|movablelimits|notation|scriptlevel|stretchy|symmetric|voffset|width"
)
VALUE = re.compile(r"[\w.%+ -]*")  # of a look
SIZED = re.compile(r"\\[^<]+")  # the converter leaves a command that stands after \\Big as it is
POWER = re.compile(r"\^(-?\d+)(?![\d.]*[\d/])")
NEGATIVE = re.compile(r"\d[\d.]*e-\d+")  # a browser may end a line after its hyphen
RELATIONS = {"<=": "≤", ">=": "≥"}
Row = tuple[str, Markup | None]  # name and value; a heading has no value
NEXT = Markup(", <wbr>")  # the only place where a line may end
Formulas = Sequence[tuple[str, Sequence[tuple[str, Markup]]]]  # heading, [(label, formula)]


@lru_cache(maxsize=4096)
def mathml(latex: str) -> Markup:
    """An inline formula; a paper's own LaTeX that cannot be read stays as it was written."""
    try:
        found = tostring(_harmless(convert_to_element(latex, xmlns="")), encoding="unicode")
        return Markup(found)  # safe: see _harmless
    except Exception:  # noqa: BLE001  the converter has a dozen errors and no class for them
        return Markup("<code>{}</code>").format(latex)


def _harmless(element: Element) -> Element:
    """A new element with what may be shown; its text is plain, so that it is escaped when it is written."""
    looks = {name: v for name, v in element.items() if LOOKS.fullmatch(name) and VALUE.fullmatch(v)}
    new = Element(element.tag if TYPESETS.fullmatch(element.tag) else "mrow", looks)
    text = element.text or ""
    if element.tag == "mo" and SIZED.fullmatch(text):
        text = "".join(convert_to_element(text).itertext())
    new.text = unescape(text)  # the converter writes signs as entities
    new.extend(map(_harmless, element))
    return new


def in_print(text: str) -> str:
    """Powers that are whole numbers are raised, and relations are single signs."""
    for plain, sign in RELATIONS.items():
        text = text.replace(plain, sign)
    return POWER.sub(lambda found: found[1].translate(SUPERSCRIPTS), text)


def in_cell(text: str) -> Markup:
    """The same, with numbers that stay whole where lines are short."""
    shown = str(escape(in_print(text)))
    return Markup(NEGATIVE.sub(r'<span class="whole">\g<0></span>', shown))  # safe: the text is escaped


def settings_rows(settings: Mapping[str, Any]) -> list[Row]:
    """Names and values; a table that has tables in it is a heading with a row for each of its parts, and comes last."""
    plain: list[Row] = []
    nested: list[Row] = []
    for name, value in _numbered(settings).items():
        parts = _numbered(value) if isinstance(value, Mapping) else {}
        if any(isinstance(each, Mapping) for each in parts.values()):
            nested += [(name, None), *((part, in_line(each)) for part, each in parts.items())]
        else:
            plain.append((name, in_line(value)))
    return plain + nested


def _numbered(table: Mapping[str, Any]) -> dict[str, Any]:
    """Its entries; the tables of a list are numbered."""
    found: dict[str, Any] = {}
    for name, value in table.items():
        several = isinstance(value, list) and any(isinstance(each, Mapping) for each in value)
        found |= {f"{name} {i}": each for i, each in enumerate(value, 1)} if several else {name: value}
    return found


def in_line(value: Any) -> Markup:
    """name = value, name = value, with five digits; inner lists and tables in brackets, a world's kind first."""
    if isinstance(value, Mapping):
        kind = value.get("world")
        if isinstance(kind, str):
            rest = in_line({name: each for name, each in value.items() if name != "world"})
            return Markup("{}: {}").format(kind, rest) if rest else escape(kind)
        return NEXT.join(_pair(name, each) for name, each in value.items())
    if isinstance(value, list):
        return Markup("[{}]").format(NEXT.join(map(in_line, value)))
    if isinstance(value, bool) or value is None:
        return escape({True: "yes", False: "no", None: "none"}[value])
    return escape(f"{value:.5g}" if isinstance(value, float) else value)


def _pair(name: str, value: Any) -> Markup:
    return Markup("{} ({})" if isinstance(value, Mapping) else "{} = {}").format(name, in_line(value))


def variant_of(claim: Mapping[str, Any]) -> str:
    return "repaired" if claim["id"].endswith(".repaired") else "printed"


def formulas_of(source: Paper, id: str) -> list[tuple[str, Sequence[tuple[str, str]]]]:
    """(heading, [(label, LaTeX)]) of a statement; letters are in the notation's own words, and long."""
    return [each for each in as_formulas(source, source[id]) if each[0] != "Letters"]


def statements(claims: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, Formulas]]:
    """Anchor -> title and formulas; nothing where a paper is not at hand, as a file that has gone."""
    found: dict[str, tuple[str, Formulas]] = {}
    for id, variant in ((id, variant_of(claim)) for claim in claims for id in claim["of"]):
        with suppress(UserError):
            key, inside = split(id)
            source = paper(variant, key)
            where = f", {source[inside].source}" if source[inside].source else ""
            title = f"{source[inside].title} ({id}, {variant}{where})"
            formulas = [
                (heading, [(label, mathml(latex)) for label, latex in own])
                for heading, own in formulas_of(source, inside)
            ]
            found[dashed("statement", id, variant)] = title, formulas
    return found


def dashed(*parts: str) -> str:
    """An anchor of a page."""
    return re.sub(r"[^\w.-]", "-", "-".join(parts))
