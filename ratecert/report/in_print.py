"""Sentences of results.json, which are plain ASCII, as a printed page has them: 2^20 <= T becomes 2²⁰ ≤ T."""

import re

from markupsafe import Markup, escape

from ratecert.base.chart import SUPERSCRIPTS

POWER = re.compile(r"\^(-?\d+)(?![\d.]*[\d/])")
NEGATIVE = re.compile(r"\d[\d.]*e-\d+")  # a browser may end a line after its hyphen
RELATIONS = {"<=": "≤", ">=": "≥"}


def in_print(text: str) -> str:
    """Powers that are whole numbers are raised, and relations are single signs."""
    for plain, sign in RELATIONS.items():
        text = text.replace(plain, sign)
    return POWER.sub(lambda found: found[1].translate(SUPERSCRIPTS), text)


def in_cell(text: str) -> Markup:
    """The same, with numbers that stay whole where lines are short."""
    shown = str(escape(in_print(text)))
    return Markup(NEGATIVE.sub(r'<span class="whole">\g<0></span>', shown))  # safe: the text is escaped
