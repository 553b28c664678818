r"""Prose for LaTeX: letters, powers and relations in it as formulas, everything else escaped.

Phi is L_Phi-smooth, E||h||^2 <= G^2     is     $\Phi$ is $L_{\Phi}$-smooth, E$\|$h$\|^{2}$ $\leq$ G$^{2}$
"""

import re
from collections.abc import Mapping

from ratecert.theory.notation import Symbol

GREEK = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa", "lambda", "mu", "nu"),
    *("xi", "pi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega"),
    *("Gamma", "Delta", "Theta", "Lambda", "Sigma", "Phi", "Psi", "Omega"),
)
SIGNS = {"<=": r"\leq", ">=": r"\geq", "<": "<", ">": ">", "||": r"\|", "|": "|", "*": "*"}
ESCAPES = {**{c: f"\\{c}" for c in "&%#_${}"}, "~": r"\~{}", "^": r"\^{}", "\\": r"\textbackslash{}"}
INDEX = r"_(?:\{[^}]*\}|[A-Za-z0-9]+)"
TOKEN = re.compile(
    rf"(?P<word>(?<![\w.\\])[A-Za-z]+(?:{INDEX})*(?![A-Za-z_]))"
    r"|(?:\^|\*\*)(?P<power>\{[^}]*\}|\([^()]*\)|-?\w+)"
    r"|(?P<star>(?<=\b[a-z])\*(?![A-Za-z0-9]))"
    r"|(?P<sign><=|>=|\|\||[<>|*])"
    r"|(?P<other>.)",
    re.DOTALL,
)


def as_prose(text: str, notation: Mapping[str, Symbol]) -> str:
    """The text for LaTeX; letters of the notation look as they do in formulas."""
    parts = "".join(_token(found, notation) for found in TOKEN.finditer(text))
    return re.sub(r"(?<!\\)\$\$", "", parts)  # neighbours are one formula


def _token(found: re.Match[str], notation: Mapping[str, Symbol]) -> str:
    if found["word"]:
        return _word(found["word"], notation)
    if found["power"]:
        return f"$^{{{found['power'].strip('{}')}}}$"
    if found["star"]:
        return "$^*$"
    if found["sign"]:
        return f"${SIGNS[found['sign']]}$"
    return ESCAPES.get(found["other"], found["other"])


def _word(word: str, notation: Mapping[str, Symbol]) -> str:
    """A letter with an index, a Greek letter, or a word of English."""
    base, *indices = re.split(r"_(?![^{]*\})", word)
    if word in notation and (indices or word in GREEK):
        return f"${notation[word].latex}$"
    look = {"grad": r"\nabla", **{name: f"\\{name}" for name in GREEK}}.get(base, base)
    if not indices:
        return f"${look}$" if base in GREEK else word
    if len(base) > 1 and look == base:
        return "".join(ESCAPES.get(c, c) for c in word)  # a name, such as that of a term
    return f"${look}_{{{', '.join(map(_index, indices))}}}$"


def _index(text: str) -> str:
    inside = text.strip("{}")
    if inside in GREEK:
        return f"\\{inside}"
    return rf"\mathrm{{{inside}}}" if len(inside) > 1 and inside.isalpha() else inside
