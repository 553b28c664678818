"""Sentences of results.json, which are plain ASCII, as a printed page has them: 2^20 <= T becomes 2²⁰ ≤ T."""

import re

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
POWER = re.compile(r"\^(-?\d+)(?![\d.]*[\d/])")
RELATIONS = {"<=": "≤", ">=": "≥"}


def in_print(text: str) -> str:
    """Powers that are whole numbers are raised, and relations are single signs."""
    for plain, sign in RELATIONS.items():
        text = text.replace(plain, sign)
    return POWER.sub(lambda found: found[1].translate(SUPERSCRIPTS), text)
