"""A corollary on trial: it follows in the algebra of orders, and its exponents are measured along its own scalings."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial

from ratecert.base.chart import Chart
from ratecert.base.words import not_seen
from ratecert.catalogue import find
from ratecert.claims.check import Check
from ratecert.claims.claim import Budget, Claim, Piece
from ratecert.claims.lines import line, panel, power_law
from ratecert.claims.rows import Row, Rows
from ratecert.theory.language.letters import names_of
from ratecert.theory.language.statements import Corollary
from ratecert.theory.numbers.evaluation import number
from ratecert.theory.orders.derivation import as_monomial, free_parameters
from ratecert.verdicts.along import piece
from ratecert.verdicts.derived import (
    checks_of_all_edges,
    checks_of_conditions,
    checks_of_logs,
    checks_of_powers,
    derived,
)
from ratecert.verdicts.exponents import bounded, longest, over_logs
from ratecert.verdicts.linted import disagreements, errata_of, findings, sound, underived

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
        pieces=partial(_pieces, key, corollary, code, variant),
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
        blind_to={name: "the rate does not depend on it" for name, e in exponents.items() if e == 0},
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
        pieces=lambda _: [Piece(derived, source)],
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


def _pieces(key: str, corollary: Corollary, code: str, variant: str, budget: Budget) -> list[Piece]:
    same = {"paper": key, "variant": variant, "code": code}
    return [
        piece(key, corollary, code, budget, variant),
        Piece(derived, {**same, "corollary": corollary.id}),
        Piece(findings, {**same, "statement": corollary.id}),
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
