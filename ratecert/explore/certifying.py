"""The point that is shown, certified: an enclosure of every measure, and of both sides of the theorem."""

from typing import Any

from ratecert.base.errors import RatecertError
from ratecert.explore.answer import computed
from ratecert.explore.bounds import Drawn, drawn
from ratecert.explore.state import State


def certified(state: State) -> dict[str, Any]:
    """Intervals with the truth between their ends; a sentence where there is no certificate."""
    try:
        point = state.point
        result = computed(point, certified=True)
    except RatecertError as error:
        return {"query": state.query, "nothing": str(error)}
    if result.enclosure is None:
        return {"query": state.query, "nothing": "there is no enclosure of this point; make T smaller."}
    rows = {n: list(map(float, e)) for n, e in result.enclosure.values.items() if n not in point.hidden}
    said = _sides(drawn(point.bound, result, sure=True)) if point.bound else ""
    return {"query": state.query, "enclosure": rows, "said": said}


def _sides(bound: Drawn | str) -> str:
    if isinstance(bound, str):
        return ""  # outside the conditions, which the page says above
    low, total = bound.left - bound.error, bound.top
    if not bound.broken:
        low = bound.left + bound.error
    end, relation = ("least", "above") if bound.broken else ("most", "not above")
    return (
        f"The left side is at {end} {low:.12g}, {relation} the bound {total:.12g} of {bound.bound.theorem} "
        f"({bound.bound.variant})" + (f"; {bound.said}." if bound.said else ".")
    )
