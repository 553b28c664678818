"""Formulas for a page that needs nothing else: LaTeX as MathML, which browsers typeset themselves."""

import re
from functools import lru_cache

from latex2mathml.converter import convert
from markupsafe import Markup

SIZED = re.compile(r">(\\[^<]+)</mo>")  # the converter leaves a command that stands after \Big as it is


@lru_cache(maxsize=4096)
def mathml(latex: str) -> Markup:
    """An inline formula; a paper's own LaTeX that cannot be read stays as it was written."""
    try:
        found = SIZED.sub(lambda sized: f">{_sign(sized[1])}</mo>", convert(latex))
    except Exception:  # noqa: BLE001  the converter has a dozen errors and no class for them
        return Markup("<code>{}</code>").format(latex)
    return Markup(re.sub(r' xmlns="[^"]*"| display="inline"', "", found))  # safe: the converter escapes text


def _sign(command: str) -> str:
    """{ for \\{."""
    return re.sub("<[^>]*>", "", convert(command))
