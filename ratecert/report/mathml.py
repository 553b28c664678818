"""Formulas for a page that needs nothing else: LaTeX as MathML, which browsers typeset themselves.

A formula may be anybody's. Of what the converter makes of it, elements that typeset and their looks are kept, and all
text is escaped: nothing else reaches a page.
"""

import re
from functools import lru_cache
from html import unescape
from xml.etree.ElementTree import Element, tostring

from latex2mathml.converter import convert_to_element
from markupsafe import Markup

TYPESETS = re.compile("m[a-z]+|none")  # the elements of MathML
LOOKS = re.compile(
    "accent|(column|row)(align|lines|spacing)|depth|displaystyle|fence|form|height|largeop|[lr]space|linethickness|"
    "mathvariant|(max|min)size|movablelimits|notation|scriptlevel|stretchy|symmetric|voffset|width"
)
VALUE = re.compile(r"[\w.%+ -]*")  # of a look
SIZED = re.compile(r"\\[^<]+")  # the converter leaves a command that stands after \\Big as it is


@lru_cache(maxsize=4096)
def mathml(latex: str) -> Markup:
    """An inline formula; a paper's own LaTeX that cannot be read stays as it was written."""
    try:
        return Markup(
            tostring(_kept(convert_to_element(latex, xmlns="")), encoding="unicode")
        )  # safe: see _kept
    except Exception:  # noqa: BLE001  the converter has a dozen errors and no class for them
        return Markup("<code>{}</code>").format(latex)


def _kept(element: Element) -> Element:
    """A new element with what may be shown; its text is plain, so that it is escaped when it is written."""
    looks = {
        name: value for name, value in element.items() if LOOKS.fullmatch(name) and VALUE.fullmatch(value)
    }
    kept = Element(element.tag if TYPESETS.fullmatch(element.tag) else "mrow", looks)
    text = element.text or ""
    if element.tag == "mo" and SIZED.fullmatch(text):
        text = "".join(convert_to_element(text).itertext())
    kept.text = unescape(text)  # the converter writes signs as entities
    kept.extend(_kept(child) for child in element)
    return kept
