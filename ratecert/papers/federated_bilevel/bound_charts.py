"""The bounds term by term: which term of a theorem dominates where, as T grows, at the largest steps it admits.

On one world, at fixed K and p; each line is one term, the thick one their sum. The steps do not depend on T, so what is
left for large T is the floor: noise, bias and drift.
"""

import math
from collections.abc import Iterable
from typing import Any

from ratecert.claims import Chart, Json, Panel, Piece, Rows
from ratecert.claims.claim import build
from ratecert.claims.lines import line
from ratecert.papers.federated_bilevel.paper import VARIANTS, paper
from ratecert.theory.language.statements import Theorem
from ratecert.theory.numbers.admissible import admissible

WORLD: dict[str, Any] = {"world": "scalar", "s_f": 0.5, "s_g": 0.5}
SETTING: dict[str, Any] = {"K": 8, "p": 4, "Q": 20, "B": 8}
RADIUS = 4.0  # holds the start, and what descent reaches from it
TIMES = [10.0**power for power in range(0, 25, 2)]
LEGIBLE = 5  # terms in one panel: those that are largest somewhere, then those that come nearest to it


def pieces(claims: Iterable[str]) -> list[Piece]:
    """One piece for each theorem that one of these claims is about."""
    wanted = {id.partition(".")[0] for id in claims}
    theorems = [theorem.id for theorem in paper().of_kind(Theorem) if theorem.id in wanted]
    return [Piece(bound_terms, {"theorem": theorem}) for theorem in theorems]


def bound_terms(theorem: str) -> list[Json]:
    """Evaluate every term at every T, as printed and as repaired."""
    world = build(WORLD)
    x0 = world.x_star + 0.5
    given = {"x0": x0, "y0": world.y_star(x0) + 0.5, "radius": RADIUS, **SETTING}
    return [
        {"variant": variant, "term": term, "T": T, "value": value}
        for variant in VARIANTS
        for T in TIMES
        for term, value in admissible(theorem, world, T=T, paper=paper(variant), **given).bound.terms.items()
    ]


def chart(theorem: str, rows: Rows) -> Chart:
    """Draw the bound and its terms as printed and as repaired; a term has one colour in both."""
    setting = ", ".join(f"{name} = {value}" for name, value in SETTING.items())
    colours = list(dict.fromkeys(term for _, terms in rows.by("variant") for term in _seen(terms)))
    return Chart(
        caption=f"Terms of the bound of {theorem} against T at the largest steps that it admits; scalar world with "
        f"noise in f and g, {setting}.",
        panels=[_panel(f"{theorem}, {variant}", terms, colours) for variant, terms in rows.by("variant")],
    )


def _seen(terms: Rows) -> list[str]:
    """The terms to draw, those with the largest share somewhere first."""
    whole = {row["T"]: row["value"] for row in _sums(terms)}
    shares = {
        term: max(row["value"] / whole[row["T"]] for row in here)
        for term, here in terms.by("term")
        if min(here.column("value")) > 0
    }
    return sorted(shares, key=lambda term: -shares[term])[:LEGIBLE]


def _sums(terms: Rows) -> Rows:
    return Rows({"T": T, "value": math.fsum(here.column("value"))} for T, here in terms.by("T"))


def _panel(title: str, terms: Rows, colours: list[str]) -> Panel:
    series = [
        line("the bound: sum of all terms", _sums(terms), "T", "value", kind="bound", colour=6),
        *(
            line(term, terms.where(term=term), "T", "value", kind="predicted", colour=colours.index(term) % 6)
            for term in _seen(terms)
        ),
    ]
    return Panel(title=title, x_label="iterations $T$", y_label="bound and its terms", series=series)
