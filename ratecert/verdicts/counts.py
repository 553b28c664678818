"""Printed costs on trial: iterations, samples and rounds of each device, counted in the runs along the corollary.

Of a corollary with errata they are those of the repaired one: what scalings cost that do not lead to eps is of no use.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from ratecert.catalogue import find
from ratecert.claims.check import Check
from ratecert.claims.claim import Claim
from ratecert.claims.rows import Rows
from ratecert.theory.orders.derivation import UP_TO_LOGS, forgives_logs, free_parameters
from ratecert.theory.statements import Corollary, Cost, Counts
from ratecert.verdicts.corollary_runs import counted
from ratecert.verdicts.exponents import FEWEST, bounded, by_letter, over_logs, over_shown_logs, same_powers
from ratecert.verdicts.statement import Variant, errata_of, findings, sound


def claim_of(variant: Variant, statement: Counts) -> Claim:
    """The costs follow from the corollaries, and runs along these cost no more."""
    key, bound = variant.key, bound_costs(variant.key, statement)
    repaired = replace(variant, name="repaired")
    corollaries = [repaired.paper.the(Corollary, c.corollary) for c in bound if c.corollary]
    along = {each.id: "repaired" if errata_of(key, each.id) else "printed" for each in corollaries}
    claim = variant.claim(
        statement,
        ": runs along the corollary cost no more than "
        f"{'is printed' if variant.name == 'printed' else 'the repaired statement says'}.",
        tasks=lambda _: [
            *(replace(variant, name=name).task(counted, corollary=id) for id, name in along.items()),
            variant.task(findings, statement=statement.id),
        ],
        checks=partial(_checks, bound, {each.id: free_parameters(each) for each in corollaries}),
        regime="along the corollary's scalings, repaired where it has errata; costs are those of one device",
        method="counted by interpreting the method's own steps; orders in exact rationals",
        evidence=("counting", "derivation"),
        settings={"corollaries": list(along)},
        table=lambda rows: rows.having("samples"),
    )
    return claim if keeps_logs(bound) else replace(claim, because="")  # none is lacking


def exponents_of(printed: Variant, statement: Counts) -> Claim:
    """Where a print has mistakes: do runs cost as little all the same, logarithms aside?"""
    up_to_logs = [replace(cost, counts={n: replace(o, kind=UP_TO_LOGS) for n, o in cost.counts.items()})
                  for cost in statement.costs]  # fmt: skip
    claim = claim_of(printed, replace(statement, costs=tuple(up_to_logs)))
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


def _checks(bound: list[Cost], letters: Mapping[str, tuple[str, ...]], rows: Rows) -> Iterator[Check]:
    for cost in bound:
        runs, own = rows.having("samples").where(corollary=cost.corollary), letters[str(cost.corollary)]
        for count, scaling in cost.counts.items():
            for name, where, here, claimed in by_letter(runs, own, scaling.order):
                plain = over_logs(here, scaling.order, count)
                if forgives_logs(scaling) and name == own[1] and len(here) >= FEWEST:
                    plain = over_shown_logs(plain, name, count)
                label = f"{cost.method}: exponent of {name} in the {count} of a device, {where}"
                yield bounded(label, plain, name, count, claimed)
    yield sound(rows)
