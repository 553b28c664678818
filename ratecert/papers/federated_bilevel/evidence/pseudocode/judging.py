"""The verdict on a comparison with the pseudocode: gaps are rounding, every change would show, counts are equal."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ratecert.claim.chart import Chart, Panel, Series
from ratecert.claim.check import Check
from ratecert.claim.claim import Json, Judgement
from ratecert.papers.federated_bilevel.evidence.pseudocode.comparing import (
    COEFFICIENTS,
    LEVELS,
    WHOLE_NUMBERS,
)

TOLERANCE = 1e-12  # relative gap; sums over up to 2^20 outcomes round to about 1e-14
VISIBLE = 1e-6  # what a change has to move at least: a million times the tolerance
ROUNDING = 64 * 2.0**-52  # of a mean over outcomes
WAYS = ("exact moments", "all outcomes")
LEAST_DRAWN = 1e-17  # a gap may be zero, which a logarithmic axis cannot show
LETTERS = {"eta": r"$\eta$", "alpha": r"$\alpha$", "beta": r"$\beta$", "rho_1": r"$\rho_1$", "rho_2": r"$\rho_2$",
           "theta": r"$\theta$", "p": "$p$", "Q": "$Q$", "B": "$B$"}  # fmt: skip


def judge(values: Sequence[Json]) -> Judgement:
    """Values of `compare` and of `counted`, in any order."""
    compared, counted = [v for v in values if "gaps" in v], [v for v in values if "counted" in v]
    return Judgement(
        checks=[*_gaps(compared), *_effects(compared), *_counts(counted)],
        regime="small worlds with noise in f, in grad_y g, in the Hessian and in the Jacobian; steps far larger than "
        "the theorems allow, so that every coefficient shows",
        settings={"cases": [v["case"] for v in compared], "counts": [v["case"] for v in counted]},
        method="enumeration of all outcomes, and exact moments",
        chart=_chart(compared),
        notes=[
            "Counts are whole numbers per device, and are compared without a tolerance.",
            *(f"case {i}, {text}" for i, value in enumerate(compared, start=1) for text in value["refused"]),
        ],
        table=[_row(i, value) for i, value in enumerate(compared, start=1)],
    )


def _gaps(compared: Sequence[Json]) -> list[Check]:
    return [
        Check(
            name=f"relative gap of {way} to the printed lines, case {i}",
            measured=math.nan if value["gaps"][way] is None else value["gaps"][way],
            predicted=0.0,
            tolerance=TOLERANCE,
            uncertainty=value["rounding"] if way == "exact moments" else ROUNDING,
        )
        for i, value in enumerate(compared, start=1)
        for way in WAYS
    ]


def _effects(compared: Sequence[Json]) -> list[Check]:
    """Every change moves a measure of some case by far more than the tolerance."""
    return [
        Check(name=f"relative effect of {_more(name)}", measured=effect, predicted=VISIBLE, relation=">=")
        for name, effect in _largest_effects(compared).items()
    ]


def _more(name: str) -> str:
    return f"{name} + 1" if name in WHOLE_NUMBERS else f"1 % more {name}"


def _largest_effects(compared: Sequence[Json]) -> dict[str, float]:
    names = [name for name in (*COEFFICIENTS, *WHOLE_NUMBERS) if name in compared[0]["effects"]]
    return {name: max(v["effects"][name] for v in compared) for name in names}


def _counts(counted: Sequence[Json]) -> list[Check]:
    """How many runs differ from the count by hand, kind by kind. These are whole numbers: within 0.5 of 0 is 0."""
    wrong = {
        kind: sum(v["counted"][kind] != v["by hand"][kind] for v in counted) for kind in counted[0]["by hand"]
    }
    return [
        Check(name=f"runs of {len(counted)} with wrong {kind}", measured=n, predicted=0, tolerance=0.5)
        for kind, n in wrong.items()
    ]


def _row(i: int, value: Json) -> dict[str, Json]:
    effects = {_more(name): effect for name, effect in value["effects"].items()}
    return {"case": i, "run": describe(value["case"]), **value["gaps"], **effects}


def describe(case: Mapping[str, Any]) -> str:
    """Noise, dimensions, whole numbers and reading of a case."""
    world, solver = case["world"], case["solver"]
    noise = " + ".join(name for name in LEVELS if world.get(name))
    whole = {"d_x": world["d_x"], "d_y": world["d_y"], "K": case["K"], "T": case["T"]}
    whole |= {name: solver[name] for name in WHOLE_NUMBERS if name in solver}
    previous = solver.get("previous", "") if solver["momenta"] == "carry" else ""
    return ", ".join(
        [
            noise,
            *(f"{name} = {value}" for name, value in whole.items()),
            f"{solver['momenta']} {previous}".strip(),
        ]
    )


def _chart(compared: Sequence[Json]) -> Chart:
    effects = _largest_effects(compared)
    order = ", ".join(f"{i} {LETTERS[name]}" for i, name in enumerate(effects, start=1))
    gaps = {f"{way} against printed lines": [v["gaps"][way] for v in compared] for way in WAYS}
    return Chart(
        caption="First: the solver's expectations are those of the printed lines, up to rounding. Second: what a "
        "coefficient that is off by 1 %, or a whole number that is off by 1, does in the case where it matters most.",
        panels=[
            _panel("case, in the order of the table", "relative gap", gaps),
            _panel(order, "relative effect", {"1 % more, or one more": list(effects.values())}, colour=1),
        ],
    )


def _panel(
    x_label: str, y_label: str, points: Mapping[str, Sequence[float | None]], colour: int = 0
) -> Panel:
    """Points over 1, 2, 3, ..., where there are any, and the gap that is allowed."""
    n = max(len(values) for values in points.values())
    allowed = Series(label="allowed gap", x=[1.0, float(n)], y=[TOLERANCE] * 2, kind="bound", colour=6)
    series = []
    for i, (label, values) in enumerate(points.items()):
        known = {
            float(k): max(value, LEAST_DRAWN) for k, value in enumerate(values, start=1) if value is not None
        }
        if known:
            x, y = list(known), list(known.values())
            series.append(Series(label=label, x=x, y=y, kind="sampled", colour=colour + 2 * i))
    return Panel(x_label=x_label, y_label=y_label, series=[*series, allowed], x_scale="linear")
