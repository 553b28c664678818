"""The explorer as one page of the site, with answers that were computed beforehand: no server answers it.

It is the explorer's own page, its scripts one after the other, over a grid of a few theorems: the bound as printed or
repaired, T and K. Every answer is that of `ratecert explore` at the same link.
"""

import json
import re
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from ratecert.base.files import finite
from ratecert.catalogue import find
from ratecert.explore.answer import answer
from ratecert.explore.presets import beyond, named
from ratecert.explore.server import PAGE
from ratecert.explore.state import State
from ratecert.explore.theorems import theorems
from ratecert.report.page import policy

SHOWN = (
    "sg-noise-reduction.svrg-rate.printed-start.simple",
    "theorem-1.printed-G.simple",
    "pep-nonconvex.smallest-gradient.printed-start.simple",
    "parallel-sgd:sgd-descent",
)
GRID = {"T": (1, 4, 16, 64, 256, 2**12, 2**20), "K": (1, 4, 16)}
SCRIPTS = ("chart", "tables", "controls", "page")  # a script after those that it imports
SAID = (
    "<p>Some answers that were computed beforehand. <code>ratecert explore</code> has every method, every theorem "
    "and every number, and opens your own.</p>"
)


def page() -> str:
    """One file, which needs nothing else and asks for nothing."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in PAGE.iterdir()}
    text = json.dumps(answers(), ensure_ascii=False).replace("<", "\\u003c")
    bare = (re.sub(r"^import .*\n", "", texts[f"{name}.js"], flags=re.MULTILINE) for name in SCRIPTS)
    script = f"globalThis.BEFOREHAND = {text};\n" + re.sub(
        r"^export ", "", "\n".join(bare), flags=re.MULTILINE
    )
    style = texts["page.css"]
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy(style, script)}">\n<style>{style}</style>'
    made = re.sub(r'  <link rel="icon".*\n', "", texts["page.html"])
    made = made.replace('  <link rel="stylesheet" href="page.css">', head).replace(
        "<body>", '<body class="beforehand">'
    )
    made = made.replace('  <script type="module" src="page.js"></script>\n', "").replace(
        "  <main>", f"{SAID}\n  <main>"
    )
    return made.replace("</body>", f'<script type="module">{script}</script>\n</body>')


def answers() -> dict[str, Any]:
    """What the page looks up: presets, and for each theorem its grid, where it begins, and an answer for each point."""
    states = [beyond(named(name)) for name in SHOWN]
    presets = {find.paper(key=theorems()[s.show].key).title: [[s.show, f"show={s.show}"]] for s in states}
    listed = {"presets": presets, "shown": {"Theorems": [state.show for state in states]}}
    return {"first": states[0].show, "presets": listed, "theorems": {s.show: _of(s) for s in states}}


def _of(state: State) -> dict[str, Any]:
    controls = {each.name: each for each in state.controls}
    grid: dict[str, list[Any]] = {"bound": list(state.subject.bounds)}
    for name in (each for each in GRID if each in controls):
        own = {state.numbers[name], *(value for value in GRID[name] if value <= controls[name].high)}
        grid[name] = sorted(own)
    found, points = {}, [state]
    for name, values in grid.items():
        points = [_moved(point, name, value) for point in points for value in values]
    for point in points:
        at = {name: str(_at(point, name)) for name in grid}
        found[" ".join(at.values())] = _slim(answer(point), {"show": state.show, **at}, grid)
    texts = {name: [str(value) for value in values] for name, values in grid.items()}
    begin = {name: str(_at(state, name)) for name in grid}
    return {"grid": texts, "begin": begin, "answers": found}


def _moved(state: State, name: str, value: Any) -> State:
    if name == "bound":
        return replace(state, bound=value)
    return replace(state, numbers={**state.numbers, name: value})


def _at(state: State, name: str) -> Any:
    return state.bound if name == "bound" else state.numbers[name]


def _slim(found: dict[str, Any], at: dict[str, str], grid: dict[str, list[Any]]) -> dict[str, Any]:
    """The answer with what can be moved here, and numbers in six digits; its link names the point of the grid."""
    kept = [each for each in found["controls"] if each["name"] in grid]
    for each in kept:
        each |= {"choices": [str(value) for value in grid[each["name"]]], "text": str(int(each["value"]))}
    view = {"average": found["choices"]["view"]["average"]}
    slim = {
        **found,
        "query": urlencode(at, safe=":"),
        "controls": kept,
        "main": [each["name"] for each in kept],
    }
    slim["choices"] = {
        **found["choices"],
        "world": {found["names"]["world"]: found["names"]["world"]},
        "view": view,
    }
    for row in slim.get("measures", ()):
        row["now"] = []
    return json.loads(json.dumps(finite(slim)), parse_float=lambda text: float(f"{float(text):.6g}"))  # type: ignore[no-any-return]
