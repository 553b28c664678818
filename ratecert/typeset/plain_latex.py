r"""Formulas in LaTeX as plain text, for a terminal: \frac{1}{T}\sum_{t<T}\mathbb{E}\|\nabla f(x_t)\|^2 is
1/T Σ_{t<T} E‖∇f(x_t)‖², and in ASCII 1/T sum_{t<T} E||grad f(x_t)||^2.

Only what measures of theorems are made of is known; of another command its name is left.
"""

import re
import unicodedata
from collections.abc import Iterator

ACCENTS = {"bar": "\u0304", "hat": "\u0302", "tilde": "\u0303", "overline": "\u0304", "widehat": "\u0302"}
FONTS = ("mathbb", "mathrm", "mathcal", "mathbf", "text", "operatorname", "mathit")
SPACES = {"quad": " ", "qquad": " ", ",": " ", ";": " ", ":": " ", "!": "", " ": " "}
NOTHING = ("left", "right", "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "displaystyle", "limits")
SIGNS = {  # Unicode, ASCII
    "|": ("‖", "||"),
    "Vert": ("‖", "||"),
    "nabla": ("∇", "grad "),
    "sum": ("Σ", "sum"),
    "prod": ("Π", "prod"),
    "leq": (" ≤ ", " <= "),
    "leqslant": (" ≤ ", " <= "),
    "le": (" ≤ ", " <= "),
    "geq": (" ≥ ", " >= "),
    "geqslant": (" ≥ ", " >= "),
    "ge": (" ≥ ", " >= "),
    "in": (" ∈ ", " in "),
    "star": ("*", "*"),
    "ast": ("*", "*"),
    "cdot": ("·", " "),
    "times": (" × ", " x "),
    "infty": ("∞", "inf"),
    "langle": ("⟨", "<"),
    "rangle": ("⟩", ">"),
    "ldots": ("...", "..."),
    "dots": ("...", "..."),
    "{": ("{", "{"),
    "}": ("}", "}"),
    "min": ("min", "min"),
    "max": ("max", "max"),
}
RAISED = {"2": "²", "3": "³"}
RELATIONS = ("+", "-", "=", "<", ">")  # have a blank on either side, but in an index
LARGE = re.compile(r"(Σ|Π|sum|prod|min|max)(_(\{[^}]*\}|\w))?(\^(\{[^}]*\}|\w))?")  # and a blank after these
TOKEN = re.compile(
    r"\\(?P<command>[A-Za-z]+|.)\s*|(?P<open>\{)|(?P<close>\})|(?P<script>[\^_])|(?P<plain>.)", re.DOTALL
)


def as_plain(latex: str, *, unicode: bool = True) -> str:
    """The formula in one line of text."""
    text = "".join(_parts(TOKEN.finditer(latex.strip().strip("$")), unicode))
    spaced = re.sub(r"\bE (?=[‖|[(])", "E", LARGE.sub(r"\g<0> ", text))
    return " ".join(spaced.split())


def _parts(tokens: Iterator[re.Match[str]], unicode: bool) -> Iterator[str]:
    """Up to the end of the group."""
    for token in tokens:
        if token["close"]:
            return
        yield _one(token, tokens, unicode)


def _one(token: re.Match[str], tokens: Iterator[re.Match[str]], unicode: bool) -> str:
    if token["open"]:
        return "".join(_parts(tokens, unicode))
    if token["script"]:
        return _script(token["script"], _argument(tokens, unicode), unicode)
    if token["command"]:
        return _command(token["command"], tokens, unicode)
    return f" {token['plain']} " if token["plain"] in RELATIONS else token["plain"]


def _argument(tokens: Iterator[re.Match[str]], unicode: bool) -> str:
    token = next(tokens, None)
    return _one(token, tokens, unicode).strip() if token else ""


def _script(sign: str, inside: str, unicode: bool) -> str:
    inside = inside.replace(" ", "")
    if sign == "^" and inside == "*":
        return "*"
    if sign == "^" and unicode and inside in RAISED:
        return RAISED[inside]
    return f"{sign}{inside}" if len(inside) == 1 or inside.isdigit() else f"{sign}{{{inside}}}"


def _command(name: str, tokens: Iterator[re.Match[str]], unicode: bool) -> str:
    if name == "frac":
        return f"{_factor(_argument(tokens, unicode))}/{_factor(_argument(tokens, unicode))} "
    if name == "sqrt":
        root = _argument(tokens, unicode)
        return f"√{_factor(root)}" if unicode else f"sqrt({root})"
    if name in ACCENTS:
        return _accented(_argument(tokens, unicode), name, unicode)
    if name in FONTS:
        return _argument(tokens, unicode) + (" " if name == "mathbb" else "")
    if name in SIGNS:
        return SIGNS[name][0 if unicode else 1]
    if name in SPACES or name in NOTHING:
        return SPACES.get(name, "")
    return _letter(name) if unicode else name


def _accented(letter: str, accent: str, unicode: bool) -> str:
    if unicode and len(letter) == 1:
        return unicodedata.normalize("NFC", letter + ACCENTS[accent])
    return f"{letter}{accent}"


def _letter(name: str) -> str:
    """A Greek letter by its name; of anything else, the name."""
    size = "CAPITAL" if name[0].isupper() else "SMALL"
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {name.upper().replace('LAMBDA', 'LAMDA')}")
    except KeyError:
        return name


def _factor(text: str) -> str:
    """In parentheses where a fraction would swallow a part of it."""
    return f"({text})" if re.search(r"[-+ ](?![^{]*\})", text) else text
