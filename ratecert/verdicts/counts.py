"""Printed costs on trial: iterations, samples and rounds of each device, counted in the runs along the corollary.

Of a corollary with errata they are those of the repaired one: what scalings cost that do not lead to eps is of no use.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from ratecert.catalogue import find
from ratecert.claims.check import Check
from ratecert.claims.claim import Budget, Claim, Task
from ratecert.claims.rows import Rows
from ratecert.theory.language.statements import COUNTED, Corollary, Cost, Counts
from ratecert.theory.orders.derivation import UP_TO_LOGS, as_monomial, forgives_logs, free_parameters
from ratecert.verdicts.corollary import bounded, longest, over_logs, over_shown_logs, same_powers
from ratecert.verdicts.corollary_runs import FEWEST, counted
from ratecert.verdicts.statement import errata_of, findings, sound


def claim_of(key: str, statement: Counts, code: str, variant: str = "printed") -> Claim:
    """The costs follow from the corollaries, and runs along these cost no more."""
    errata, bound = errata_of(key, statement.id), bound_costs(key, statement)
    corollaries = [find.paper("repaired", key).the(Corollary, c.corollary) for c in bound if c.corollary]
    wrong = errata if variant == "printed" and keeps_logs(bound) else []  # else none is lacking
    letters = {corollary.id: free_parameters(corollary) for corollary in corollaries}
    return Claim(
        id=f"{statement.id}.{variant}" if errata else statement.id,
        of=(statement.id,),
        sentence=f"{statement.title}: runs along the corollary cost no more than "
        f"{'is printed' if variant == 'printed' else 'the repaired statement says'}.",
        tasks=partial(_tasks, key, statement.id, corollaries, code, variant),
        checks=partial(_checks, bound, letters),
        regime="along the corollary's scalings, repaired where it has errata; costs are those of one device",
        method="counted by interpreting the method's own steps; orders in exact rationals",
        evidence=("counting", "derivation"),
        settings={"corollaries": list(letters)},
        table=lambda rows: rows.having("samples"),
        runs=tuple({find.bindings(key)[each.theorem].name: None for each in corollaries}),
        because="; ".join(e.reason for e in wrong),
        may_miss=dict.fromkeys(("eps", "K", *COUNTED), "it is too large already") if wrong else {},
    )


def exponents_of(key: str, statement: Counts, code: str) -> Claim:
    """Where a print has mistakes: do runs cost as little all the same, logarithms aside?"""
    up_to_logs = [replace(cost, counts={n: replace(o, kind=UP_TO_LOGS) for n, o in cost.counts.items()})
                  for cost in statement.costs]  # fmt: skip
    claim = claim_of(key, replace(statement, costs=tuple(up_to_logs)), code)
    return replace(
        claim,
        id=f"{statement.id}.exponents",
        sentence=f"{statement.title}: the exponents of what runs along the corollary cost are no larger than is "
        "printed, logarithms ignored.",
        tasks=lambda budget: claim.tasks(budget)[:-1],
        checks=lambda rows: list(claim.checks(rows))[:-1],
        evidence=("counting",),
        method="counted by interpreting the method's own steps",
    )


def bound_costs(key: str, statement: Counts) -> list[Cost]:
    """Those of a corollary whose theorem is bound to a run."""
    paper, runs = find.paper("printed", key), find.bindings(key)
    return [c for c in statement.costs if c.corollary and paper.the(Corollary, c.corollary).theorem in runs]


def keeps_logs(costs: list[Cost]) -> bool:
    """Whether some of them are meant with all their logarithms."""
    return not all(forgives_logs(scaling) for cost in costs for scaling in cost.counts.values())


def lacks_logs(key: str, printed: Counts, repaired: Counts) -> bool:
    """Whether logarithms are all that the print lacks."""
    costs = bound_costs(key, printed), bound_costs(key, repaired)
    pairs = [(a.counts[name], b.counts[name]) for a, b in zip(*costs, strict=True) for name in a.counts]
    return keeps_logs(costs[0]) and all(same_powers(a.order, b.order) for a, b in pairs)


def _tasks(
    key: str, statement: str, corollaries: list[Corollary], code: str, variant: str, _: Budget
) -> list[Task]:
    linted = {"paper": key, "statement": statement, "variant": variant, "code": code}
    given = {"paper": key, "code": code}
    variants = {each.id: "repaired" if errata_of(key, each.id) else "printed" for each in corollaries}
    costs = [Task(counted, {**given, "corollary": id, "variant": v}) for id, v in variants.items()]
    return [*costs, Task(findings, linted)]


def _checks(bound: list[Cost], letters: Mapping[str, tuple[str, ...]], rows: Rows) -> Iterator[Check]:
    for cost in bound:
        first, second = letters[str(cost.corollary)]
        runs = rows.having("samples").where(corollary=cost.corollary)
        for count, scaling in cost.counts.items():
            claimed = as_monomial(scaling.order)
            for name, other in ((second, first), (first, second)):
                if len(set(runs.cells(name))) > 1:
                    held, here = longest(runs, other)
                    label = (
                        f"{cost.method}: exponent of {name} in the {count} of a device, {other} = {held:.6g}"
                    )
                    plain = over_logs(here, scaling.order, count)
                    if forgives_logs(scaling) and name == second and len(here) >= FEWEST:
                        plain = over_shown_logs(plain, name, count)
                    yield bounded(label, plain, name, count, float(claimed.exponent(name)))
    yield sound(rows)
