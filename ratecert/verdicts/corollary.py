"""A corollary on trial: it follows in the algebra of orders, and its exponents are measured along its own scalings.

An exponent is read at the end of a long range, between its last two values. A rate is a bound: an exponent may be too
large (that of eps: too small). So it is uncertain by what is left of its way to that side. Where its steps shrink, that
is the rest of a geometric series; else as much as the last step. Logarithms of the claim are divided out before:
T^-1/2 log(T)^4 has no exponent of -1/2 at any T that can be run.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise

import numpy as np
import sympy

from ratecert.base.chart import Chart
from ratecert.base.errors import UndecidedError
from ratecert.base.words import not_seen
from ratecert.catalogue import find
from ratecert.claims.check import Check, at_least, at_most
from ratecert.claims.claim import Budget, Claim, Task
from ratecert.claims.lines import line, panel, power_law
from ratecert.claims.rows import Row, Rows
from ratecert.theory.language.letters import letter, names_of
from ratecert.theory.language.statements import Corollary
from ratecert.theory.numbers.evaluation import number
from ratecert.theory.orders.derivation import as_monomial, free_parameters
from ratecert.verdicts.corollary_runs import FEWEST, task
from ratecert.verdicts.orders import (
    checks_of_all_edges,
    checks_of_conditions,
    checks_of_logs,
    checks_of_powers,
    derived,
)
from ratecert.verdicts.statement import disagreements, errata_of, findings, sound, underived

FROM_PRINT = "The theorem has errata itself: its print gives these exponents, whether it is true or not."


def claim_of(key: str, corollary: Corollary, code: str, variant: str = "printed") -> Claim:
    """The corollary follows from its theorem, and the measure falls at least as fast as it says."""
    errata = errata_of(key, corollary.id)
    claimed = as_monomial(corollary.claim.order)
    exponents = {name: float(claimed.exponent(name)) for name in free_parameters(corollary)}
    run = find.bindings(key)[corollary.theorem]
    return Claim(
        id=f"{corollary.id}.{variant}" if errata else corollary.id,
        of=(corollary.id,),
        sentence=f"{corollary.title}: the rate follows from the theorem, and what is measured falls at least as fast.",
        tasks=partial(_tasks, key, corollary, code, variant),
        checks=partial(_checks, corollary, exponents),
        regime="along the corollary's scalings, with a part of the largest steps that the theorem's conditions allow",
        method="exact moments; orders in exact rationals",
        evidence=("exact moments", "derivation"),
        settings={"world": run.families[0].ordinary()},
        chart=partial(_chart, corollary, exponents),
        notes=partial(_notes, corollary, run.blind),
        table=("K", *(n for n in exponents if n != "K"), "measure", "precision", "inside"),
        runs=(run.name,),
        because="; ".join(e.reason for e in errata) if variant == "printed" else "",
        insensitive_to={name: "the rate does not depend on it" for name, e in exponents.items() if e == 0},
        may_miss={
            **dict.fromkeys(
                (*exponents, "measure", "bound"), "what is measured may lie below a bound that decides"
            ),
            **dict.fromkeys(("log", "claimed log"), "it is 0, or beyond what is claimed, by any factor"),
        },
    )


def exponents_of(key: str, corollary: Corollary, code: str) -> Claim:
    """Where a print has mistakes: do its powers follow all the same, logarithms aside?"""
    source = {"paper": key, "corollary": corollary.id, "variant": "printed", "code": code}
    known = find.paper("printed", key).notation
    letters = " and ".join(name for name in reversed(free_parameters(corollary)) if name in known)
    return Claim(
        id=f"{corollary.id}.exponents",
        of=(corollary.id,),
        sentence=f"{corollary.title}: the claimed exponents of {letters} follow from the theorem as printed, "
        "logarithms ignored.",
        tasks=lambda _: [Task(derived, source)],
        checks=partial(_checks_of_exponents, corollary),
        regime="the corollary's scalings, moved inside the theorem's conditions where they miss them by a logarithm",
        method="orders in exact rationals",
        evidence=("derivation",),
        notes=[FROM_PRINT] if errata_of(key, corollary.theorem) else [],
        settings={"corollary": corollary.id},
        table=("part", "kappa", "leads", "power", "claimed power", "log", "claimed log"),
    )


def _checks_of_exponents(corollary: Corollary, rows: Rows) -> Iterator[Check]:
    yield from checks_of_all_edges(rows)
    yield from checks_of_powers(rows, _large(corollary))
    yield from checks_of_conditions(rows)


def _large(corollary: Corollary) -> str:
    """What goes to infinity."""
    return "1/eps" if "T" in corollary.scalings else "T"


def _tasks(key: str, corollary: Corollary, code: str, variant: str, budget: Budget) -> list[Task]:
    same = {"paper": key, "variant": variant, "code": code}
    return [
        task(key, corollary, code, budget, variant),
        Task(derived, {**same, "corollary": corollary.id}),
        Task(findings, {**same, "statement": corollary.id}),
    ]


def _checks(corollary: Corollary, exponents: Mapping[str, float], rows: Rows) -> Iterator[Check]:
    runs = rows.having("measure").where(inside=True)
    (first, second) = exponents
    for name, other in ((second, first), (first, second)):
        if len(set(runs.cells(name))) > 1:
            held, here = longest(runs, other)
            label = f"exponent of {name} in the measure, from {len(here)} runs with {other} = {held:.6g}"
            plain = over_logs(here, corollary.claim.order, "measure", "bound")
            yield bounded(label, plain, name, "measure", exponents[name], "bound")
    yield from checks_of_powers(rows, _large(corollary))
    yield from checks_of_logs(rows)
    yield sound(rows)


def _notes(corollary: Corollary, blind: str, rows: Rows) -> list[str]:
    """What happens just outside the window, and what of its theorem quadratics cannot show."""
    within, outside = rows.having("measure").where(inside=True), rows.where(inside=False)
    said = [*underived(rows), *disagreements(rows), *_outside(corollary, within, outside)]
    return [*said, *([not_seen(blind)] if blind else [])]


def _outside(corollary: Corollary, within: Rows, rows: Rows) -> list[str]:
    refused = rows.having("refused")
    if refused:
        return [f"Just outside the window, at K = {refused[0]['K']}: {refused[0]['refused']}"]
    if not rows:
        return []
    last = rows[len(rows) - 1]
    times = last["measure"] / _claimed(corollary, last)
    inside = max(row["measure"] / _claimed(corollary, row) for row in within)
    return [
        f"Just outside the window, at K = {last['K']}, the measure is {times:.4g} times the claimed order; "
        f"inside it is at most {inside:.4g} times."
    ]


def _chart(corollary: Corollary, exponents: Mapping[str, float], rows: Rows) -> Chart:
    """Draw what is measured, and the bound over the claim: it rises where it is of a larger order."""
    (_, free) = exponents
    runs = rows.having("measure", free).where(inside=True)
    measured, over = [], []
    for i, (K, here) in enumerate(runs.by("K")):
        measured.append(line(f"$K = {K}$", here, free, "measure", colour=i))
        if i == 0:
            claimed = f"the power {Fraction(exponents[free]).limit_denominator(100)}, as claimed"
            measured.append(
                power_law(claimed, here, free, "measure", exponents[free], kind="predicted", colour=6)
            )
        if len(here) > 1:
            over.append(
                line(f"$K = {K}$", here, free, partial(_over_claim, corollary), kind="bound", colour=i)
            )
    label = r"accuracy $\epsilon$" if free == "eps" else f"iterations ${free}$"
    return Chart(
        caption=f"{corollary.title}: measured along the scalings, and the bound over the claimed "
        f"{corollary.claim}, which goes on rising where the bound is of a larger order.",
        panels=[panel(label, "measured", measured), panel(label, "bound / claimed order", over)],
    )


def _over_claim(corollary: Corollary, run: Row) -> float:
    return float(run["bound"] / _claimed(corollary, run))


def _claimed(corollary: Corollary, run: Row) -> float:
    order = corollary.claim.order
    return float(number(order, {name: run[name] for name in names_of(order)}))


# Exponents at the end of a long range.

TOLERANCE = 1e-3
SETTLED = 0.1  # of what is missing: an exponent that moves by less stays what it is
SHRINKS = 0.5  # the ratio of two steps from which on they are not taken to become small


def longest(runs: Rows, other: str) -> tuple[float, list[Row]]:
    """The runs with the most extreme value of a letter among those with the most runs; a window may cut some off."""
    by_value = {value: list(rows) for value, rows in runs.by(other)}
    most = max(map(len, by_value.values()))
    held = (min if other == "eps" else max)(value for value, rows in by_value.items() if len(rows) == most)
    return held, by_value[held]


def over_logs(rows: Sequence[Row], order: sympy.Expr, *columns: str) -> list[Row]:
    """The rows with these columns over the logarithms in an order of growth."""
    powers = [letter(name) ** sympy.Rational(power) for name, power in as_monomial(order).powers]
    logs = order / sympy.Mul(*powers)
    names = names_of(logs)
    if not names:
        return list(rows)
    sizes = [number(logs, {name: row[name] for name in names}) for row in rows]
    return [
        {**row, **{name: row[name] / size for name in columns}} for row, size in zip(rows, sizes, strict=True)
    ]


def over_shown_logs(rows: Sequence[Row], x: str, y: str) -> list[Row]:
    """The rows with y over the power of log x that the last three show, for orders that are meant up to logarithms.

    For counts, which are products of powers and logarithms: what still moves otherwise would be taken for one.
    """
    last = sorted(rows, key=lambda row: abs(math.log(row[x])))[-3:]
    logs = [abs(math.log(row[x])) for row in last]
    powers = np.array([[math.log(row[x]), math.log(log), 1.0] for row, log in zip(last, logs, strict=True)])
    _, power, _ = np.linalg.solve(powers, [math.log(row[y]) for row in last])
    return [{**row, y: row[y] / abs(math.log(row[x])) ** power} for row in rows]


def bounded(label: str, rows: Sequence[Row], x: str, y: str, claimed: float, bound: str = "") -> Check:
    """The exponent of x in y is at most what is claimed; that of eps, which becomes small, at least.

    What has not come to it, and is on its way, may lie below a `bound` that has: then the bound is what falls as
    claimed. Where neither has, or y moves away from it, these rows are too short to fail by, unless y has settled.
    """
    compared = at_least if x == "eps" else at_most
    value, moved = at_the_end(rows, x, y)
    rest = -moved if x == "eps" else moved
    check = compared(label, value, claimed, max(0.0, rest), TOLERANCE)
    if not bound or check.verdict == "passes":
        return check
    own = at_the_end(rows, x, bound)[0]
    of_bound = compared(f"{label}: that of the bound, which it is below", own, claimed, 0.0, TOLERANCE)
    if of_bound.verdict != "passes":
        too_early = f"{label}, where the bound itself has not come to it"
        return compared(too_early, value, claimed, math.inf, TOLERANCE)
    if any(row[y] > row[bound] for row in rows):
        return check
    there = compared(label, value, claimed, 0.0, TOLERANCE).verdict == "passes"
    if not there and abs(rest) < SETTLED * abs(value - claimed):
        return check
    away = compared(f"{label}, which moves away from it", value, claimed, math.inf, TOLERANCE)
    return of_bound if there or rest < 0 else away


def at_the_end(rows: Sequence[Row], x: str, y: str) -> tuple[float, float]:
    """The exponent of x in y, and how far it may still move."""
    points = sorted(((float(row[x]), float(row[y])) for row in rows), reverse=x == "eps")
    if any(y <= 0 for _, y in points):
        raise UndecidedError(f"a {y} of zero has no exponent.")
    if len(points) < FEWEST:
        raise UndecidedError(f"{len(points)} values of {x} do not say by how much an exponent still moves.")
    slopes = [math.log(y_2 / y_1) / math.log(x_2 / x_1) for (x_1, y_1), (x_2, y_2) in pairwise(points)]
    return slopes[-1], _rest(slopes)


def _rest(slopes: Sequence[float]) -> float:
    """The way that is left, with its sign."""
    *before, last = [b - a for a, b in pairwise(slopes)]
    ratio = abs(last / before[-1]) if before and before[-1] else 1.0
    return last * ratio / (1 - ratio) if ratio < SHRINKS else last


def same_powers(printed: sympy.Expr, repaired: sympy.Expr) -> bool:
    """Whether two orders differ by logarithms at most."""
    return as_monomial(printed).without_log() == as_monomial(repaired).without_log()
