"""The numbers of a state: what the page shows, as plain data.

Measures are exact expectations in doubles; their local exponent in T is taken between T/2 and T. A run that diverges
and a theorem that says nothing are answers, too: the sentence stands where the numbers would.
"""

import math
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

import numpy as np

from ratecert.base.errors import PrecisionWarning, RatecertError
from ratecert.base.files import finite
from ratecert.base.words import ONE_WAY
from ratecert.explore.bounds import LEFT, Drawn, drawn
from ratecert.explore.controls import main_of
from ratecert.explore.point import Point, as_python
from ratecert.explore.state import VIEWS, State
from ratecert.report.typeset import formulas_of, mathml
from ratecert.solvers import expect
from ratecert.solvers.contract.result import ExactResult
from ratecert.theory.lint.windows import as_window
from ratecert.theory.numbers.evaluation import number
from ratecert.theory.orders.derivation import whole_numbers
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Corollary, Statement

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
        "choices": {"world": state.subject.worlds, "bound": state.subject.bounds, "view": VIEWS},
        "controls": [each.as_data() for each in state.controls],
        "main": main_of(state.controls),
    }
    try:
        point = state.point
        found |= {"theorem": _theorem(point), "run": _run(point)}
        result = computed(point, shift=state.view == "now")
    except RatecertError as error:
        return {**found, "nothing": str(error)}
    bound, T = drawn(point.bound, point.setting, result) if point.bound else None, point.setting.T
    t = [int(u) for u in result.curves.t]
    # At T/2 and T devices may just have been averaged: drifts would break off there.
    left_out = {T // 2, T} - {T - 1} if state.view == "now" else set()
    seen = [i for i, u in enumerate(t) if u not in left_out]
    rows = [
        {
            "name": name,
            "label": name.replace("_", " of "),
            "formula": FORMULAS.get(name, ""),
            "value": float(value),
            "exponent": exponent(t, result.running.values[name], T),
            "average": [float(result.running.values[name][i]) for i in seen],
            "now": [float(result.curves.values[name][i]) for i in seen],
        }
        for name, value in result.values.items()
        if name != LEFT
    ]
    found |= {"t": [str(t[i]) for i in seen], "measures": rows, "precision": float(result.precision)}
    found |= {"bound": None, "windows": [], "python": as_python(point, bound)}
    if point.bound and bound:
        paper, id = point.bound.paper, point.bound.theorem.id
        found["windows"], found["bound"] = windows(paper, id, point.setting.K, T), {"outside": bound}
        if isinstance(bound, Drawn):
            found["bound"] = _bound(bound, _typeset(paper, id), seen)
    return dict(finite(found))


def _theorem(point: Point) -> str:
    """Which one, in which paper, for readers."""
    if point.bound is None:
        return ""
    paper, theorem = point.bound.paper, point.bound.theorem
    name = called(theorem)
    return f"{name}{', in' if name == theorem.title else ' of'} “{paper.title}”, as {paper.variant}"


def called(statement: Statement) -> str:
    """As the paper calls it, where its id is that number; else by its title."""
    kind, _, numbers = statement.id.partition("-")
    numbered = kind in ("corollary", "lemma", "proposition", "theorem") and numbers[:1].isdigit()
    return f"{kind.capitalize()} {numbers.replace('-', '.')}" if numbered else statement.title


def _run(point: Point) -> str:
    """The method, its devices and how large its world is."""
    where, world = point.setting, point.setting.world
    if two_level := getattr(world, "d_y", 0):
        size = f"{_counted(world.d_x, 'x', 'x')} and {_counted(two_level, 'y', 'y')}"
    else:
        size = _counted(np.size(next(iter(where.start.values()))), "coordinate", "coordinates")
    devices = f" on {where.K} devices" if where.K > 1 else ""
    return f"{type(point.solver).__name__.replace('_', ' ')}{devices}, in a world of {size}"


def _counted(many: int, one: str, several: str) -> str:
    return f"one {one}" if many == 1 else f"{many} {several}"


@lru_cache
def _typeset(paper: Paper, theorem: str) -> dict[str, str]:
    """Name of a term -> MathML; the measure has no name."""
    blocks = formulas_of(paper, theorem)
    return {name: mathml(latex) for heading, own in blocks if "easure" in heading for name, latex in own}


def _bound(found: Drawn, formulas: Mapping[str, str], seen: Sequence[int]) -> Json:
    """In numbers, term by term, and as curves."""
    bound = found.bound
    return {
        "theorem": bound.theorem,
        "measure": formulas[""],
        "total": bound.total,
        "left": found.left,
        "ratio": found.left / bound.total if bound.total else math.inf,
        "broken": found.broken,
        "dominating": bound.dominating,
        "terms": [
            {"name": name, "share": share, "value": bound.terms[name], "formula": formulas[name]}
            for name, share in bound.shares.items()
        ],
        "curve": [found.curve[i] for i in seen],
        "left_curve": [float(found.left_curve[i]) for i in seen],
        "said": found.said,
    }


def computed(point: Point, *, shift: bool = False, certified: bool = False) -> ExactResult:
    """The run, at T, at T/2 and at powers of two, of which long runs leave some out: each costs time.

    With a shift, one iteration before these: at most of them devices have just been averaged, and have no drift.
    """
    where = point.setting
    bits = where.T.bit_length()
    powers = (2**i - shift for i in range(0, bits, 1 + bits // MANY_POINTS))
    times = sorted({0, where.T // 2, where.T - shift, where.T, *powers})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrecisionWarning)  # the precision is shown
        return expect(
            where.world,
            point.solver,
            K=where.K,
            T=where.T,
            start=where.start,
            times=[] if certified else times,
            measures=point.measures,
            certified=certified,
        )


def exponent(t: Sequence[int], values: Sequence[float], T: int) -> float | None:
    """d log/d log T between T/2 and T; None where there is nothing to compare."""
    if T < 2:
        return None
    half, whole = values[list(t).index(T // 2)], values[list(t).index(T)]
    if not (half > 0 and whole > 0 and math.isfinite(half) and math.isfinite(whole)):
        return None
    return math.log(whole / half) / math.log(T / (T // 2))


def windows(paper: Paper, theorem: str, K: int, T: int) -> list[Json]:
    """Where the corollaries of a theorem speak; none where the paper has none, or scales with letters of its own.

    Every whole number that a corollary scales, such as p = T^(1/4)/K^(3/4), is at least 1 only inside a window.
    """
    found = []
    for corollary in paper.of_kind(Corollary):
        if corollary.theorem == theorem and "T" not in corollary.scalings:
            with suppress(RatecertError, KeyError):
                found.append(_window(paper, corollary, {"K": float(K), "T": float(T)}))
    return found


def _window(paper: Paper, corollary: Corollary, here: dict[str, float]) -> Json:
    """`needs` is the window, `inside` whether K and T are there, `scaled` what the corollary would take."""
    orders = {n: o for n, o in whole_numbers(paper, corollary).items() if o.exponent("K") or o.exponent("T")}
    values = {name: number(scaling.order, here) for name, scaling in corollary.scalings.items()}
    needs = dict.fromkeys(as_window(order) for order in orders.values())
    stated = [relation for relation in corollary.window if str(relation.rhs) in here or not needs]
    needs |= dict.fromkeys(plain(relation) for relation in stated)
    holds = [number(each.lhs, here) >= number(each.rhs, here) for each in stated]
    return {
        "corollary": called(corollary),
        "claim": plain(corollary.claim),
        "needs": ", ".join(needs) or "all K and T",
        "inside": all(values[name] >= 1 for name in orders) and all(holds),
        "scaled": ", ".join(f"{name} ~ {value:.3g}" for name, value in values.items() if value != 1),
    }


def plain(formula: Any) -> str:
    """SymPy's text, a little nearer to how it is written."""
    return str(formula).replace("**", "^").replace("*", " ")


def certified(state: State) -> Json:
    """Intervals with the truth between their ends; a sentence where there is no certificate."""
    try:
        point = state.point
        result = computed(point, certified=True)
    except RatecertError as error:
        return {"query": state.query, "nothing": str(error)}
    if result.enclosure is None:
        return {"query": state.query, "nothing": "there is no enclosure of this point; make T smaller."}
    rows = {name: list(map(float, ends)) for name, ends in result.enclosure.values.items() if name != LEFT}
    bound = drawn(point.bound, point.setting, result, sure=True) if point.bound else None
    return {
        "query": state.query,
        "enclosure": rows,
        "said": _sides(bound) if isinstance(bound, Drawn) else "",
    }


def _sides(bound: Drawn) -> str:
    end, sign, relation = ("least", -1, "above") if bound.broken else ("most", 1, "not above")
    return (
        f"The left side is at {end} {bound.left + sign * bound.error:.12g}, {relation} the bound {bound.top:.12g} of "
        f"{bound.bound.theorem} ({bound.bound.variant}){f': {ONE_WAY}' if bound.broken else ''}"
        f"{f'; {bound.said}' if bound.said else ''}."
    )
