"""The drawing of the rooms and layers, made of the import contract that `make test` enforces.

    python -m tools.house              into docs/figures/rooms.svg

A room may import what is below it, never what is above or beside it; the sentence of a room is that of its docstring.
"""

import tomllib
from html import escape
from pathlib import Path
from textwrap import wrap

from ratecert.base.files import write_text

ROOT = Path(__file__).resolve().parent.parent
FIGURE = ROOT / "docs" / "figures" / "rooms.svg"
FACE = "worlds"  # a room of the face, whose namespaces are one box
WIDTH, ROW, GAP = 880, 58, 8
COLOURS = dict.fromkeys(("theory", "synthetic", "solvers"), "#dcebf7") | {
    "base": "#eeeeea",
    "papers": "#fbe3d3",
}


def layers() -> list[list[str]]:
    """From the top; what stands beside one another, and does not import each other, is one layer."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    (own,) = [each for each in contracts["contracts"] if each.get("containers") == ["ratecert"]]
    found = [[name.strip() for name in layer.split("|")] for layer in own["layers"]]
    return [["rc.*"] if FACE in layer else layer for layer in found if "__main__" not in layer]


def sentence(room: str) -> str:
    """What is in a room: the first sentence of its docstring, as far as it fits into a line."""
    if room == "rc.*":
        return "the namespaces of the face: worlds, methods, measures, statements, contract, claims"
    text = (ROOT / "ratecert" / room / "__init__.py").read_text(encoding="utf-8").split('"""')[1]
    return " ".join(text.partition("\n\n")[0].split()).partition(". ")[0].rstrip(".")


def drawn(rows: list[list[str]]) -> str:
    """The drawing as SVG, the same bytes on every machine."""
    height = GAP + len(rows) * (ROW + GAP)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" fill="#222222" '
        'font-family="Verdana, DejaVu Sans, sans-serif">',
        f'<title>The rooms of ratecert in layers</title>\n<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for i, layer in enumerate(rows):
        width = (WIDTH - GAP * (len(layer) + 1)) / len(layer)
        for j, room in enumerate(layer):
            x, y, colour = GAP + j * (width + GAP), GAP + i * (ROW + GAP), COLOURS.get(room, "#ffffff")
            lines += [
                f'<rect x="{x:.0f}" y="{y}" width="{width:.0f}" height="{ROW}" rx="5" '
                f'fill="{colour}" stroke="#77776f"/>',
                f'<text x="{x + 10:.0f}" y="{y + 19}" font-size="15" font-weight="bold">{room}</text>',
            ]
            told = wrap(sentence(room), round(width / 7), max_lines=2, placeholder=" …")
            lines += [
                f'<text x="{x + 10:.0f}" y="{y + 35 + 14 * k}" font-size="12">{escape(line)}</text>'
                for k, line in enumerate(told)
            ]
    return "\n".join([*lines, "</svg>\n"])


if __name__ == "__main__":
    write_text(FIGURE, drawn(layers()))
