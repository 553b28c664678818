"""The claim that a solver is a printed algorithm: gaps are rounding, every change would show, counts are equal.

What a device spends over T iterations is counted by hand from the printed lines. An estimate of (u, v) draws one xi for
f and, of g, one zeta for grad_xy g, Q for the factors of the Neumann sum and one for v; at one point it takes Q
Hessian- and one Jacobian-vector product. There is a round after every p-th iteration, in which a device sends x, y, u
and v.

    Algorithm 1   T estimates, each at one point
    Algorithm 2   B estimates at one point at t = 0, then T - 1, each at two points

With momenta="fresh" an iteration ends with the next u and v, so that there is one estimate more: u_T and v_T. The
printed upload asks for them where p divides T. With previous="averaged" the previous x and y are sent as well.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ratecert.claim import Budget, Chart, Check, Claim, Json, Panel, Piece, Row, Rows, Series
from ratecert.claim.checks import at_least, equal, largest_error
from ratecert.claim.lines import level
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.evidence.pseudocode import comparing
from ratecert.solvers.contract.counts import count

TOLERANCE = 1e-12  # relative gap; sums over up to 2^20 outcomes round to about 1e-14
VISIBLE = 1e-6  # what a change has to move at least: a million times the tolerance
ROUNDING = 64 * 2.0**-52  # of a mean over outcomes
LEAST_DRAWN = 1e-17  # a gap may be zero, which a logarithmic axis cannot show
LETTERS = {"eta": r"$\eta$", "alpha": r"$\alpha$", "beta": r"$\beta$", "rho_1": r"$\rho_1$", "rho_2": r"$\rho_2$",
           "theta": r"$\theta$", "p": "$p$", "Q": "$Q$", "B": "$B$"}  # fmt: skip


def counted(*, case: Json) -> list[Json]:
    """The solver's own counts and the counts by hand, kind by kind; all are whole numbers."""
    own = asdict(count(build(case["world"]), comparing.solver_of(case), case["T"]))
    hand = by_hand(**case["solver"], d=case["world"]["d_x"] + case["world"]["d_y"], T=case["T"])
    return [{"kind": kind, "counted": own[kind], "by hand": hand[kind]} for kind in sorted(hand)]


def by_hand(
    *, T: int, d: int, p: int, Q: int, B: int = 0, momenta: str, previous: str = "local", **_steps: Any
) -> Mapping[str, int]:
    """B = 0 is Algorithm 1; d = d_x + d_y."""
    later = T if momenta == "fresh" else T - 1  # estimates after the first iteration's
    first = B or 1
    points = first + (2 * later if B else later)
    vectors = 3 if B and momenta == "carry" and previous == "averaged" else 2
    return {
        "samples_f": first + later,
        "samples_g": (Q + 2) * (first + later),
        "hessian_products": Q * points,
        "jacobian_products": points,
        "rounds": T // p,
        "floats_sent": vectors * d * (T // p),
    }


def claim(
    id: str, sentence: str, *, quick: Sequence[Json], more: Sequence[Json], long: Sequence[Json]
) -> Claim:
    """Of `quick` and `more` expectations are compared, of `long` the counts."""
    cases = [*quick, *more]

    def pieces(budget: Budget) -> list[Piece]:
        some = enumerate(quick if budget.quick else cases, start=1)
        return [
            *(Piece(comparing.compare, {"number": i, "case": case}, 0.5) for i, case in some),
            *(Piece(counted, {"case": case}, 0.1) for case in long),
        ]

    return Claim(
        id=id,
        of=(id,),
        sentence=sentence,
        pieces=pieces,
        checks=checks,
        regime="small worlds with noise in f, in grad_y g, in the Hessian and in the Jacobian; steps far larger than "
        "the theorems allow, so that every coefficient shows",
        method="enumeration of all outcomes, and exact moments",
        evidence=("exact moments", "enumeration", "second transcription"),
        settings=lambda rows: {"cases": cases[: len(rows.cells("number"))], "counts": list(long)},
        chart=chart,
        notes=notes,
        table=lambda rows: table(rows, cases),
        runs=(comparing.SOLVERS[id].__name__,),
        blind_to={
            "effect": "that a change shows is asked in orders of magnitude: it is thousands of times VISIBLE"
        },
    )


def checks(rows: Rows) -> Iterator[Check]:
    for number, here in rows.having("printed").by("number"):
        for way in comparing.ENGINES:
            name = f"relative gap of {way} to the printed lines, case {number}"
            error = largest_error(here) if way == "exact moments" else ROUNDING
            yield equal(name, gap_of(here, way), 0.0, TOLERANCE, error)
    for change, effect in effects(rows).items():
        yield at_least(f"relative effect of {more(change)}", effect, VISIBLE)
    for kind, here in rows.by("kind"):
        wrong = sum(row["counted"] != row["by hand"] for row in here)
        yield equal(f"runs of {len(here)} with wrong {kind}", wrong, 0, tolerance=0.5)


def gap_of(rows: Rows, way: str) -> float:
    """The gap to the printed lines; not a number where the engine has refused."""
    known = rows.having(way)
    return comparing.gap(known.column(way), known.column("printed")) if known else math.nan


def effects(rows: Rows) -> dict[str, float]:
    """change -> its largest effect; each has to move a measure of some case by far more than the tolerance."""
    return {change: max(here.column("effect")) for change, here in rows.by("change")}


def more(change: str) -> str:
    return f"{change} + 1" if change in comparing.WHOLE_NUMBERS else f"1 % more {change}"


def notes(rows: Rows) -> list[str]:
    refused = (f"case {row['number']}, {row['refused']}" for row in rows.having("refused"))
    return ["Counts are whole numbers per device, and are compared without a tolerance.", *refused]


def table(rows: Rows, cases: Sequence[Json]) -> Iterator[Row]:
    for number, here in rows.by("number"):
        gaps = {way: gap_of(here, way) if here.having(way) else None for way in comparing.ENGINES}
        changed = {more(row["change"]): row["effect"] for row in here.having("effect")}
        yield {"case": number, "run": describe(cases[number - 1]), **gaps, **changed}


def describe(case: Mapping[str, Any]) -> str:
    """Noise, dimensions, whole numbers and reading of a case."""
    world, solver = case["world"], case["solver"]
    noise = " + ".join(name for name in comparing.LEVELS if world.get(name))
    whole = {"d_x": world["d_x"], "d_y": world["d_y"], "K": case["K"], "T": case["T"]}
    whole |= {name: solver[name] for name in comparing.WHOLE_NUMBERS if name in solver}
    previous = solver.get("previous", "") if solver["momenta"] == "carry" else ""
    numbers = (f"{name} = {value}" for name, value in whole.items())
    return ", ".join([noise, *numbers, f"{solver['momenta']} {previous}".strip()])


def chart(rows: Rows) -> Chart:
    of_cases = [here for _, here in rows.having("printed").by("number")]
    gaps = {
        f"{way} against printed lines": [gap_of(here, way) for here in of_cases] for way in comparing.ENGINES
    }
    of_changes = effects(rows)
    order = ", ".join(f"{i} {LETTERS[change]}" for i, change in enumerate(of_changes, start=1))
    return Chart(
        caption="First: the solver's expectations are those of the printed lines, up to rounding. Second: what a "
        "coefficient that is off by 1 %, or a whole number that is off by 1, does in the case where it matters most.",
        panels=[
            _panel("case, in the order of the table", "relative gap", gaps),
            _panel(order, "relative effect", {"1 % more, or one more": [*of_changes.values()]}, colour=1),
        ],
    )


def _panel(x_label: str, y_label: str, points: Mapping[str, Sequence[float]], colour: int = 0) -> Panel:
    """Points over 1, 2, 3, ..., where there are any, and the gap that is allowed."""
    series = []
    for i, (label, values) in enumerate(points.items()):
        known = {k: max(v, LEAST_DRAWN) for k, v in enumerate(values, start=1) if not math.isnan(v)}
        if known:
            x, y = [*map(float, known)], [*known.values()]
            series.append(Series(label=label, x=x, y=y, kind="sampled", colour=colour + 2 * i))
    ends = [1, max(map(len, points.values()))]
    series.append(level("allowed gap", ends, TOLERANCE, kind="bound", colour=6))
    return Panel(x_label=x_label, y_label=y_label, series=series, x_scale="linear")
