"""The bounds term by term: which term of a theorem dominates where, as T grows, at the largest steps it admits.

On one world, at fixed K and p; each line is one term, the thick one their sum. The steps do not depend on T, so what is
left for large T is the floor: noise, bias and drift.
"""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from ratecert.claim.chart import Chart, Panel, Series
from ratecert.claim.claim import Json, Piece
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.theory.language.statements import Theorem
from ratecert.theory.numbers.admissible import admissible
from ratecert.theory.numbers.evaluation import Bound

WORLD: dict[str, Any] = {"world": "scalar", "s_f": 0.5, "s_g": 0.5}
SETTING: dict[str, Any] = {"K": 8, "p": 4, "Q": 20, "B": 8}
RADIUS = 4.0  # holds the start, and what descent reaches from it
TIMES = [10.0**power for power in range(0, 25, 2)]
LEGIBLE = 5  # terms in one panel: those that are largest somewhere, then those that come nearest to it


def pieces(claims: Iterable[str]) -> list[Piece]:
    """One chart, as printed and repaired, for each theorem that one of these claims is about."""
    wanted = {id.partition(".")[0] for id in claims}
    theorems = [theorem.id for theorem in paper().of_kind(Theorem) if theorem.id in wanted]
    return [Piece(bound_chart, {"theorem": theorem}) for theorem in theorems]


def bound_chart(theorem: str) -> Json:
    return {"id": theorem, "chart": asdict(_chart(theorem))}


def _chart(theorem: str) -> Chart:
    setting = ", ".join(f"{name} = {value}" for name, value in SETTING.items())
    return Chart(
        caption=f"Terms of the bound of {theorem} against T at the largest steps that it admits; scalar world with "
        f"noise in f and g, {setting}.",
        panels=_panels(theorem),
    )


def _panels(theorem: str) -> list[Panel]:
    """As printed and as repaired; a term has one colour in both."""
    both = {variant: _bounds(theorem, variant) for variant in ("printed", "repaired")}
    colours = list(dict.fromkeys(name for bounds in both.values() for name in _seen(bounds)))
    return [_panel(f"{theorem}, {variant}", bounds, colours) for variant, bounds in both.items()]


def _bounds(theorem: str, variant: str) -> list[Bound]:
    world = build(WORLD)
    x0 = world.x_star + 0.5
    given = {"x0": x0, "y0": world.y_star(x0) + 0.5, "radius": RADIUS, "paper": paper(variant), **SETTING}
    return [admissible(theorem, world, T=T, **given).bound for T in TIMES]


def _seen(bounds: list[Bound]) -> list[str]:
    """The terms to draw, those with the largest share somewhere first."""
    shares = {name: max(bound.shares[name] for bound in bounds) for name in bounds[0].terms}
    positive = [name for name in shares if min(bound.terms[name] for bound in bounds) > 0]
    return sorted(positive, key=lambda name: -shares[name])[:LEGIBLE]


def _panel(title: str, bounds: list[Bound], colours: list[str]) -> Panel:
    total = [bound.total for bound in bounds]
    whole = Series(label="the bound: sum of all terms", x=TIMES, y=total, kind="bound", colour=6)
    lines = [
        Series(
            label=name,
            x=TIMES,
            y=[bound.terms[name] for bound in bounds],
            kind="predicted",
            colour=colours.index(name) % 6,
        )
        for name in _seen(bounds)
    ]
    return Panel(title=title, x_label="iterations $T$", y_label="bound and its terms", series=[whole, *lines])
