"""Printed costs on trial: iterations, samples and rounds of each device, counted in the runs along the corollary."""

from collections.abc import Iterator, Mapping
from functools import partial

from ratecert import registry
from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Piece
from ratecert.claim.rows import Rows
from ratecert.from_data.along import piece
from ratecert.from_data.exponents import bounded, longest
from ratecert.from_data.theorem import findings, sound
from ratecert.theory.language.statements import Corollary, Cost, Counts
from ratecert.theory.orders.derivation import as_monomial, free_parameters


def claim_of(key: str, statement: Counts, code: str) -> Claim:
    """The costs follow from the corollaries, and runs along these cost no more."""
    paper, runs = registry.paper("printed", key), registry.executables(key)
    bound = [c for c in statement.costs if c.corollary and paper.the(Corollary, c.corollary).theorem in runs]
    corollaries = [paper.the(Corollary, c.corollary) for c in bound if c.corollary]
    letters = {corollary.id: free_parameters(corollary) for corollary in corollaries}
    return Claim(
        id=statement.id,
        of=(statement.id,),
        sentence=f"{statement.title}: runs along the corollary cost no more than is printed.",
        pieces=partial(_pieces, key, statement.id, corollaries, code),
        checks=partial(_checks, bound, letters),
        regime="along the corollary's scalings; costs are those of one device",
        method="counted by interpreting the method's own steps; orders in exact rationals",
        evidence=("counting", "derivation"),
        settings={"corollaries": list(letters)},
        table=lambda rows: rows.having("samples"),
    )


def _pieces(key: str, statement: str, corollaries: list[Corollary], code: str, budget: Budget) -> list[Piece]:
    linted = {"paper": key, "statement": statement, "variant": "printed", "code": code}
    return [*(piece(key, each, code, budget) for each in corollaries), Piece(findings, linted)]


def _checks(bound: list[Cost], letters: Mapping[str, tuple[str, ...]], rows: Rows) -> Iterator[Check]:
    for cost in bound:
        first, second = letters[str(cost.corollary)]
        runs = rows.having("samples").where(corollary=cost.corollary, inside=True)
        for count, scaling in cost.counts.items():
            claimed = as_monomial(scaling.order)
            for name, other in ((second, first), (first, second)):
                if len(set(runs.cells(name))) > 1:
                    held, here = longest(runs, other)
                    label = (
                        f"{cost.method}: exponent of {name} in the {count} of a device, {other} = {held:.6g}"
                    )
                    yield bounded(label, here, name, count, float(claimed.exponent(name)))
    yield sound(rows)
