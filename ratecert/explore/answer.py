"""The numbers of a state: what the page shows, as plain data.

Measures are exact expectations in doubles; their local exponent in T is taken between T/2 and T. A run that diverges
and a theorem that says nothing are answers, too: the sentence stands where the numbers would.
"""

import math
import warnings
from collections.abc import Sequence
from typing import Any

from ratecert.base.errors import PrecisionWarning, RatecertError
from ratecert.explore.bounds import Drawn, drawn
from ratecert.explore.export import as_python
from ratecert.explore.state import VIEWS, State
from ratecert.explore.subjects import Point
from ratecert.explore.windows import plain, windows
from ratecert.solvers import expect
from ratecert.solvers.contract.result import ExactResult
from ratecert.theory.language.statements import Theorem

FORMULAS = {
    "gradient": "E‖∇Φ(x̄)‖²",
    "tracking": "E‖ȳ − y*(x̄)‖²",
    "gap": "E F(x̄) − F*",
    "distance": "E‖x̄ − x*‖²",
    "drift_x": "mean of E‖xₖ − x̄‖²",
    "drift_y": "mean of E‖yₖ − ȳ‖²",
}
MANY_POINTS = 25  # of a curve
Json = dict[str, Any]


def answer(state: State) -> Json:
    """Everything that depends on the state."""
    found: Json = {
        "query": state.query,
        "names": {"show": state.show, "world": state.world, "bound": state.bound, "view": state.view},
        "titles": {"show": state.subject.title, "world": state.subject.worlds[state.world]},
        "choices": {"world": state.subject.worlds, "bound": state.subject.bounds, "view": VIEWS},
        "controls": [each.as_data() for each in state.controls],
    }
    try:
        point = state.point
        result = computed(point, shift=state.view == "now")
    except RatecertError as error:
        return {**found, "nothing": str(error)}
    bound = drawn(point.bound, result) if point.bound else None
    shown = {**found, **numbers(point, result), **_bound(point, bound), "python": as_python(point, bound)}
    return _before_averages(shown, point.T) if state.view == "now" else shown


def computed(point: Point, *, shift: bool = False, certified: bool = False) -> ExactResult:
    """The run, at T, at T/2 and at powers of two, of which long runs leave some out: each costs time.

    With a shift, one iteration before these: at most of them devices have just been averaged, and have no drift.
    """
    bits = point.T.bit_length()
    powers = (2**i - shift for i in range(0, bits, 1 + bits // MANY_POINTS))
    times = sorted({0, point.T // 2, point.T - shift, point.T, *powers})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrecisionWarning)  # the precision is shown
        return expect(
            point.problem,
            point.solver,
            K=point.K,
            T=point.T,
            start=point.start,
            times=[] if certified else times,
            measures=point.measures,
            certified=certified,
        )


def numbers(point: Point, result: ExactResult) -> Json:
    """Of every measure: its value, exponent and curves."""
    t = [int(u) for u in result.curves.t]
    rows = [
        {
            "name": name,
            "label": name.replace("_", " of "),
            "formula": FORMULAS.get(name, ""),
            "value": _finite(value),
            "exponent": exponent(t, result.running.values[name], point.T),
            "average": [_finite(each) for each in result.running.values[name]],
            "now": [_finite(each) for each in result.curves.values[name]],
        }
        for name, value in result.values.items()
        if name not in point.hidden
    ]
    return {"t": [str(u) for u in t], "measures": rows, "precision": _finite(result.precision)}


def _before_averages(found: Json, T: int) -> Json:
    """Curves without T/2 and T, where devices may just have been averaged: drifts would break off there."""
    keep = [i for i, t in enumerate(found["t"]) if int(t) not in {T // 2, T} - {T - 1}]

    def kept(each: Json, *curves: str) -> Json:
        return {**each, **{name: [each[name][i] for i in keep] for name in curves}}

    rows = [kept(row, "average", "now") for row in found["measures"]]
    bound = found["bound"]
    if bound and "curve" in bound:
        bound = kept(bound, "curve", "left_curve")
    return {**kept(found, "t"), "measures": rows, "bound": bound}


def exponent(t: Sequence[int], values: Sequence[float], T: int) -> float | None:
    """d log/d log T between T/2 and T; None where there is nothing to compare."""
    if T < 2:
        return None
    half, whole = values[list(t).index(T // 2)], values[list(t).index(T)]
    if not (half > 0 and whole > 0 and math.isfinite(half) and math.isfinite(whole)):
        return None
    return math.log(whole / half) / math.log(T / (T // 2))


def _bound(point: Point, bound: Drawn | str | None) -> Json:
    if point.bound is None or bound is None:
        return {"bound": None, "windows": []}
    seen = windows(point.bound.paper, point.bound.id, point.K, point.T)
    if isinstance(bound, str):
        return {"bound": {"outside": bound}, "windows": seen}
    theorem = point.bound.paper.the(Theorem, point.bound.id)
    terms = [
        {
            "name": name,
            "share": share,
            "value": bound.bound.terms[name],
            "formula": plain(str(theorem.terms[name])),
        }
        for name, share in bound.bound.shares.items()
    ]
    ratio = bound.left / bound.bound.total if bound.bound.total else math.inf
    drawn_bound = {
        "theorem": point.bound.id,
        "variant": bound.bound.variant,
        "total": _finite(bound.bound.total),
        "left": _finite(bound.left),
        "ratio": _finite(ratio),
        "broken": bound.broken,
        "dominating": bound.bound.dominating,
        "terms": terms,
        "curve": [_finite(each) for each in bound.curve],
        "left_curve": [_finite(each) for each in bound.left_curve],
        "said": bound.said,
    }
    return {"bound": drawn_bound, "windows": seen}


def _finite(value: float) -> float | None:
    """JSON knows no infinity."""
    return float(value) if math.isfinite(value) else None
