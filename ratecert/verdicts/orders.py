"""A corollary's order as its theorem gives it, in exact rationals, beside the one that it claims.

The scalings are put into every term of the theorem. Where they lie outside its conditions by logarithms they are moved
inside first (theory/orders/derivation.py): outside, a theorem says nothing. The parameters go to their limits inside a
cone, K >= 1, T >= K^3 and so on. N being T or 1/eps, the bound is of the claimed order if it is so on every edge of the
cone, which is a line K = N^kappa.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

from ratecert.base.asked import VARIANTS
from ratecert.base.errors import UnderivableError
from ratecert.catalogue import find
from ratecert.claims.check import Check, at_most, equal
from ratecert.claims.claim import Claim, Json
from ratecert.claims.rows import Row, Rows
from ratecert.theory.lint.corollaries import on_expressions
from ratecert.theory.orders.derivation import (
    Inside,
    as_monomial,
    claimed,
    cone_of,
    derive,
    inside,
    keeps_logs,
)
from ratecert.theory.orders.monomials import Monomial
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Corollary, Factor, Theorem
from ratecert.verdicts.statement import Variant, errata_of, findings, of_paper, reasons, sound

EXACT = 1e-9  # of rationals as floats
ALONE = "K alone"  # the edge where N does not grow


@of_paper
def derived(paper: str, corollary: str, variant: str) -> list[Json]:
    """The powers of N and of the logarithm on every edge, and the scalings outside the theorem's conditions.

    Where no order can be derived there is none; the linter says why.
    """
    source = find.paper(variant, paper)
    try:
        return derivation(source, source.the(Corollary, corollary))
    except UnderivableError:
        return []


def derivation(paper: Paper, corollary: Corollary) -> list[Json]:
    """The same, of a paper at hand."""
    everywhere = inside(paper, corollary)
    return [*_on_edges(paper, corollary, everywhere), *_outside(paper, corollary, everywhere)]


def _on_edges(paper: Paper, corollary: Corollary, everywhere: Sequence[Inside]) -> Iterator[Json]:
    """What follows and what is claimed; logarithms of N are constants where K grows alone."""
    cone, claim = cone_of(paper, corollary), claimed(corollary.claim)
    pieces = [p for w in everywhere for p in derive(paper, corollary, instead=w.moved_by_logs, cone=w.cone)]
    for ray in cone.rays:
        kappa = _kappa(dict(zip(cone.names, ray, strict=True)))
        terms = [term for p in pieces if ray in p.cone.rays for term in p.terms.items()]
        ranks = [((power_along(m, kappa), m.log), name) for name, g in terms for m in g.monomials]
        if not ranks:  # every term is smaller than all powers
            continue
        power, log = max(rank for rank, _ in ranks)
        leads = dict.fromkeys(name for rank, name in ranks if rank == (power, log))
        yield {
            "part": "derived",
            "power": float(power),
            "log": float(log),
            "leads": ", ".join(leads),
            "kappa": ALONE if kappa is None else str(kappa),
            "claimed power": float(power_along(claim, kappa)),
            "claimed log": float(claim.log),
            "keeps_logs": keeps_logs(corollary) and kappa is not None,
        }


def _outside(paper: Paper, corollary: Corollary, everywhere: Sequence[Inside]) -> Iterator[Json]:
    """The scalings outside the theorem's conditions."""
    equations = paper.the(Theorem, corollary.theorem).prescribed  # missed on both sides
    for where in everywhere:
        for name, off in where.off.items():
            by_log = where.only_logs(off) if name in equations else where.cone.bounded(off.without_log())
            yield {"part": "condition", "scaling": name, "ratio": str(off), "by a power": not by_log}
        for finding in on_expressions(paper, corollary, where):
            found = {"scaling": finding.place, "ratio": finding.because}
            yield {"part": "condition", **found, "by a power": finding.severity == "error"}


def _kappa(ray: Mapping[str, Fraction]) -> Fraction | None:
    """Of the line K = N^kappa in this direction; None where K grows alone."""
    N = abs(ray.get("T", ray.get("eps", Fraction(0))))
    return ray.get("K", Fraction(0)) / N if N else None


def power_along(m: Monomial, kappa: Fraction | None) -> Fraction:
    """The power of N where K = N^kappa; eps itself has the power -1 of N = 1/eps. That of K where it grows alone."""
    if kappa is None:
        return m.exponent("K")
    return m.exponent("T") - m.exponent("eps") + kappa * m.exponent("K")


def checks_of_powers(rows: Rows, N: str) -> Iterator[Check]:
    """The power of N that follows on each edge is at most the one that is claimed."""
    for row in rows.where(part="derived"):
        alone = row["kappa"] == ALONE
        where = f"{N} fixed" if alone else f"K = {_edge(row, N)}"
        name = f"exponent of {'K' if alone else N} that follows, {where} ({row['leads']})"
        yield at_most(name, row["power"], row["claimed power"], tolerance=EXACT)


def checks_of_logs(rows: Rows) -> Iterator[Check]:
    """So is the power of the logarithm, where that power is attained, unless it is meant up to logarithms."""
    attained = [
        r for r in rows.where(part="derived", keeps_logs=True) if r["power"] >= r["claimed power"] - EXACT
    ]
    if attained:
        row = max(attained, key=lambda row: row["log"] - row["claimed log"])
        name = f"power of the logarithm that follows ({row['leads']})"
        yield at_most(name, row["log"], row["claimed log"], tolerance=EXACT)


def checks_of_all_edges(rows: Rows) -> Iterator[Check]:
    """Where no order can be derived, nothing is known."""
    if not rows.where(part="derived"):
        yield equal("edges on which an order can be derived", 0.0, 1.0, 0.0, math.inf)


def checks_of_conditions(rows: Rows) -> Iterator[Check]:
    """No scaling is outside the theorem's conditions by a power."""
    names = dict.fromkeys(row["scaling"] for row in rows.where(part="condition", **{"by a power": True}))
    which = f" ({', '.join(names)})" if names else ""
    yield equal(f"scalings outside the conditions by a power{which}", len(names), 0.0, 0.0)


def _edge(row: Row, N: str) -> str:
    return "1" if row["kappa"] == "0" else f"({N})^({row['kappa']})" if "/" in N else f"{N}^({row['kappa']})"


# Remarks that compare the rates of two corollaries: the first is the second times a factor.


def claims_of(printed: Variant, remark: Factor) -> Iterator[Claim]:
    """The rates as they are claimed differ by the factor; and so do the bounds that the theorems give."""
    first, second = (printed.paper.the(Corollary, id) for id in (remark.first, remark.second))
    wrong, times = reasons(errata_of(printed.key, remark.id)), f"{second.title} times {remark.factor.order}"
    orders = [
        replace(printed, name=name).task(derived, corollary=id)
        for name in VARIANTS
        for id in (first.id, second.id)
    ]
    stated = printed.claim(
        remark,
        f": the rate of {first.title} is that of {times}.",
        id=remark.id,
        tasks=lambda _: [*orders[:2], printed.task(findings, statement=remark.id)],
        checks=lambda rows: [*_differences(remark, "claimed ", rows), sound(rows)],
        regime="along the corollaries' scalings, on every edge of their windows",
        method="orders in exact rationals; the linter",
        evidence=("derivation", "linter"),
        settings={"first": first.id, "second": second.id},
        because="",
    )
    yield stated
    yield replace(
        stated,
        id=f"{remark.id}.derived",
        of=(remark.id, *dict.fromkeys((second.theorem, first.theorem))),
        sentence=f"{remark.title}: the bound that the theorem of {first.title} gives is that of {times}, as printed "
        "and as repaired.",
        tasks=lambda _: orders,
        checks=partial(_differences, remark, ""),
        method="orders in exact rationals",
        evidence=("derivation",),
        because=wrong,
        insensitive_to=dict.fromkeys(
            ("power", "log") if wrong else (), "another power of the logarithm by far"
        ),
    )


def _differences(remark: Factor, which: str, rows: Rows) -> Iterator[Check]:
    """In powers of N and of the logarithm, on every edge."""
    factor = as_monomial(remark.factor.order)
    for variant, own in rows.where(part="derived").by("variant"):
        first, second = (
            {row["kappa"]: row for row in own.where(corollary=id)} for id in (remark.first, remark.second)
        )
        for kappa, row in first.items():
            power = power_along(factor, None if kappa == ALONE else Fraction(kappa))
            for name, of, wanted in (("power", "N", power), ("log", "the logarithm", factor.log)):
                found = row[f"{which}{name}"] - second[kappa][f"{which}{name}"]
                label = f"{which}power of {of}, {variant}, K = {_edge(row, 'N')}"
                yield equal(label, found, float(wanted), EXACT)
    for id in (remark.first, remark.second):
        yield from checks_of_all_edges(rows.where(corollary=id))
