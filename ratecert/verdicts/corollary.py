"""A corollary on trial: it follows in the algebra of orders, and its exponents are measured along its own scalings."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial

from ratecert.base.chart import Chart
from ratecert.base.words import not_seen
from ratecert.catalogue import find
from ratecert.claims.check import Check
from ratecert.claims.claim import Budget, Claim, Task
from ratecert.claims.rows import Row, Rows, line, panel, power_law
from ratecert.theory.notation import names_of
from ratecert.theory.numbers.evaluation import number
from ratecert.theory.orders.derivation import as_monomial, free_parameters
from ratecert.theory.statements import Corollary
from ratecert.verdicts.corollary_runs import measured
from ratecert.verdicts.exponents import bounded, by_letter, over_logs
from ratecert.verdicts.orders import (
    checks_of_all_edges,
    checks_of_conditions,
    checks_of_logs,
    checks_of_powers,
    derived,
)
from ratecert.verdicts.statement import Variant, errata_of, findings, left_open, sound

FROM_PRINT = "The theorem has errata itself: its print gives these exponents, whether it is true or not."


def claim_of(variant: Variant, corollary: Corollary) -> Claim:
    """The corollary follows from its theorem, and the measure falls at least as fast as it says."""
    claimed = as_monomial(corollary.claim.order)
    exponents = {name: float(claimed.exponent(name)) for name in free_parameters(corollary)}
    run = find.bindings(variant.key)[corollary.theorem]
    return variant.claim(
        corollary,
        ": the rate follows from the theorem, and what is measured falls at least as fast.",
        tasks=partial(_tasks, variant, corollary),
        checks=partial(_checks, corollary),
        regime="along the corollary's scalings, with a part of the largest steps that the theorem's conditions allow",
        method="exact moments; orders in exact rationals",
        evidence=("exact moments", "derivation"),
        settings={"world": run.families[0].ordinary()},
        chart=partial(_chart, corollary, exponents),
        notes=partial(_notes, corollary, [not_seen(run.blind)] if run.blind else []),
        table=("K", *(n for n in exponents if n != "K"), "measure", "precision", "inside"),
        insensitive_to={name: "the rate does not depend on it" for name, e in exponents.items() if e == 0},
    )


def exponents_of(printed: Variant, corollary: Corollary) -> Claim:
    """Where a print has mistakes: do its powers follow all the same, logarithms aside?"""
    known = printed.paper.notation
    letters = " and ".join(name for name in reversed(free_parameters(corollary)) if name in known)
    return printed.claim(
        corollary,
        f": the claimed exponents of {letters} follow from the theorem as printed, logarithms ignored.",
        id=f"{corollary.id}.exponents",
        tasks=lambda _: [printed.task(derived, corollary=corollary.id)],
        checks=lambda rows: [
            *checks_of_all_edges(rows),
            *checks_of_powers(rows, _large(corollary)),
            *checks_of_conditions(rows),
        ],
        regime="the corollary's scalings, moved inside the theorem's conditions where they miss them by a logarithm",
        method="orders in exact rationals",
        evidence=("derivation",),
        notes=[FROM_PRINT] if errata_of(printed.key, corollary.theorem) else [],
        settings={"corollary": corollary.id},
        table=("part", "kappa", "leads", "power", "claimed power", "log", "claimed log"),
        because="",
    )


def _large(corollary: Corollary) -> str:
    """What goes to infinity."""
    return "1/eps" if "T" in corollary.scalings else "T"


def _tasks(variant: Variant, corollary: Corollary, budget: Budget) -> list[Task]:
    """A quick run tries one number of devices where nothing depends on it."""
    orders = [corollary.claim, *corollary.scalings.values()]
    one = budget.quick and all(as_monomial(each.order).exponent("K") == 0 for each in orders)
    return [
        variant.task(measured, 2.0, corollary=corollary.id, one=one),
        variant.task(derived, corollary=corollary.id),
        variant.task(findings, statement=corollary.id),
    ]


def _checks(corollary: Corollary, rows: Rows) -> Iterator[Check]:
    runs, order = rows.having("measure").where(inside=True), corollary.claim.order
    for name, where, here, claimed in by_letter(runs, free_parameters(corollary), order):
        label = f"exponent of {name} in the measure, from {len(here)} runs with {where}"
        plain = over_logs(here, order, "measure", "bound")
        yield bounded(label, plain, name, "measure", claimed, "bound")
    yield from checks_of_powers(rows, _large(corollary))
    yield from checks_of_logs(rows)
    yield sound(rows)


def _notes(corollary: Corollary, unseen: list[str], rows: Rows) -> list[str]:
    """What happens just outside the window, and what of its theorem quadratics cannot show."""
    return [*left_open(rows), *_outside(corollary, rows), *unseen]


def _outside(corollary: Corollary, rows: Rows) -> Iterator[str]:
    *_, last = (None, *rows.where(inside=False))
    refused = rows.where(inside=False).having("refused")
    if refused:
        yield f"Just outside the window, at K = {refused[0]['K']}: {refused[0]['refused']}"
    elif last:
        inside = rows.having("measure").where(inside=True)
        yield (
            f"Just outside the window, at K = {last['K']}, the measure is "
            f"{_over_claim(corollary, 'measure', last):.4g} times the claimed order; inside it is at most "
            f"{max(_over_claim(corollary, 'measure', row) for row in inside):.4g} times."
        )


def _chart(corollary: Corollary, exponents: Mapping[str, float], rows: Rows) -> Chart:
    """Draw the bound over the claim, which rises where it is of a larger order, and what is measured."""
    (_, free) = exponents
    over_claim = partial(_over_claim, corollary, "bound")
    power = Fraction(exponents[free]).limit_denominator(100)
    measured, over = [], []
    for i, (K, here) in enumerate(rows.having("measure", free).where(inside=True).by("K")):
        measured.append(line(f"$K = {K}$", here, free, "measure", colour=i))
        if i == 0:
            label, look = f"the power {power}, as claimed", {"kind": "predicted", "colour": 6}
            measured.append(power_law(label, here, free, "measure", exponents[free], **look))
        if len(here) > 1:
            over.append(line(f"$K = {K}$", here, free, over_claim, kind="bound", colour=i))
    label = r"accuracy $\epsilon$" if free == "eps" else f"iterations ${free}$"
    return Chart(
        caption=f"{corollary.title}: along the scalings the bound over the claimed {corollary.claim}, which goes on "
        "rising where the bound is of a larger order, and what is measured.",
        panels=[panel(label, "bound / claimed order", over), panel(label, "measured", measured)],
    )


def _over_claim(corollary: Corollary, column: str, run: Row) -> float:
    order = corollary.claim.order
    return float(run[column] / number(order, {name: run[name] for name in names_of(order)}))
