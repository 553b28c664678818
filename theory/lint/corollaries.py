"""Rules on corollaries: they follow from their theorem, satisfy its conditions, and their two forms are one.

The scalings put into every term of the theorem give the claimed order, logarithms kept. O(.) bounds a scaling from
above only. Where a smaller value, allowed by the print, breaks the rate, Theta(.) is meant. What a corollary sets
satisfies its theorem's conditions, in order. A corollary in eps is the one in T with T solved from rate = claim.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache, partial

from ratecert.base.errors import UnderivableError
from ratecert.theory.lint.finding import Finding
from ratecert.theory.notation import names_of
from ratecert.theory.orders.derivation import (
    Inside,
    as_monomial,
    claimed,
    cone_of,
    derive,
    forgives_logs,
    inside,
    keeps_logs,
    smallest,
)
from ratecert.theory.orders.monomials import ONE, Cone, Monomial
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Corollary, Theorem

NOT_DERIVED = "not known: no order could be derived"
LESS = Fraction(1, 1000)  # the power of T or 1/eps by which a quantity is made smaller, to see what breaks
inconsistent = partial(Finding, kind="consistency")


# A corollary can be derived at all. The other rules look only at those that can.


def lint_derivable(paper: Paper) -> list[Finding]:
    return [
        Finding(
            place=f"{corollary.id}.rate",
            kind="corollary",
            printed=str(corollary.claim),
            fits=NOT_DERIVED,
            severity="warning",
            because=str(error),
        )
        for corollary, error in _tried(paper)
        if error is not None
    ]


def derivable(paper: Paper) -> list[Corollary]:
    return [corollary for corollary, error in _tried(paper) if error is None]


@lru_cache(maxsize=8)
def _tried(paper: Paper) -> tuple[tuple[Corollary, UnderivableError | None], ...]:
    return tuple((corollary, _obstacle(paper, corollary)) for corollary in paper.of_kind(Corollary))


def _obstacle(paper: Paper, corollary: Corollary) -> UnderivableError | None:
    try:
        claimed(corollary.claim)
        derive(paper, corollary)
        inside(paper, corollary)
    except UnderivableError as error:
        return error
    return None


# The rate follows.


def lint_rates(paper: Paper) -> list[Finding]:
    return [f for c in derivable(paper) for f in (*_rate(paper, c), *_upper_only(paper, c))]


def _rate(paper: Paper, corollary: Corollary) -> Iterator[Finding]:
    """With the logarithms that the theorem's conditions ask for: outside these it says nothing."""
    claim = claimed(corollary.claim)
    for where in inside(paper, corollary):
        moved = ", ".join(f"{name} = {order}" for name, order in where.moved_by_logs.items())
        for piece in derive(paper, corollary, instead=where.moved_by_logs, cone=where.cone):
            by_powers, over = piece.over(claim, logs=False), piece.over(claim)
            if by_powers:
                over, severity, verdict = by_powers, "error", "does not follow"
            elif over and keeps_logs(corollary):
                severity, verdict = "warning", "follows only up to logarithms"
            elif all(piece.cone.vanishes(m / claim) for m in piece.total.monomials):
                over, severity, verdict = {}, "note", "is weaker than what the theorem gives"
            else:
                continue
            terms = ", ".join(f"{name} exceeds it by {ratio}" for name, ratio in over.items())
            yield Finding(
                place=f"{corollary.id}.rate",
                kind="corollary",
                printed=str(corollary.claim),
                fits=f"O({piece.total})",
                severity=severity,
                because=f"the rate {verdict} ({corollary.theorem} on {piece.cone}"
                f"{', with admissible ' + moved if moved else ''}){': ' + terms if terms else ''}",
            )


def _upper_only(paper: Paper, corollary: Corollary) -> Iterator[Finding]:
    """O(.) bounds from above; if a smaller value breaks the rate, Theta(.) is meant."""
    claim = claimed(corollary.claim)
    if any(piece.over(claim, logs=False) for piece in derive(paper, corollary)):
        return  # it is broken as it is
    for name, scaling in corollary.scalings.items():
        order = as_monomial(scaling.order)
        if scaling.kind == "Theta" or order == ONE:
            continue
        pieces = derive(paper, corollary, instead={name: _smaller(corollary, order)})
        broken = sorted({term for piece in pieces for term in piece.over(claim, logs=False)})
        large = "" if order.powers else "; the constant has to be large enough as well"
        if broken:
            yield inconsistent(
                place=f"{corollary.id}.{name}",
                printed=f"{name} = {scaling}",
                fits=f"{name} = {scaling.kind.replace('O', 'Theta')}({scaling.order})",
                severity="note",
                because=f"a smaller {name} satisfies the printed O and breaks the rate through {', '.join(broken)}"
                + large,
            )


def _smaller(corollary: Corollary, order: Monomial) -> Monomial:
    if order.powers:
        return order * (Monomial.of(eps=LESS) if "T" in corollary.scalings else Monomial.of(T=-LESS))
    return order ** (1 - LESS)  # a logarithm


# The scalings satisfy the theorem's conditions.


def lint_scalings(paper: Paper) -> list[Finding]:
    findings: list[Finding] = []
    for corollary in derivable(paper):
        for piece in inside(paper, corollary):
            findings += [_moved(corollary, name, piece) for name in piece.moved]
            findings += on_expressions(paper, corollary, piece)
    return findings


def _moved(corollary: Corollary, name: str, piece: Inside) -> Finding:
    scaling, off = corollary.scalings[name], piece.off[name]
    return inconsistent(
        place=f"{corollary.id}.{name}",
        printed=f"{name} = {scaling}",
        fits=f"{name} = {scaling.kind}({piece.moved[name]})",
        severity="warning" if piece.only_logs(off) else "error",
        because=f"{corollary.theorem}.condition.{name} asks for a value that is {_factor(piece.cone, off)}",
    )


def on_expressions(paper: Paper, corollary: Corollary, piece: Inside) -> Iterator[Finding]:
    """Conditions on an expression, such as eta L p^3 <= 1/8: no single symbol can be moved."""
    for key, condition in paper.the(Theorem, corollary.theorem).conditions.items():
        if condition.left.is_Symbol or condition.relation not in ("<=", "<"):
            continue
        limit = smallest(condition, piece.scaled)
        for off in piece.scaled.growth(condition.left).excess(limit):
            scaled_names = sorted(names_of(condition.left) & set(corollary.scalings))
            yield inconsistent(
                place=f"{corollary.id}.{scaled_names[0] if scaled_names else 'rate'}",
                printed=", ".join(f"{name} = {corollary.scalings[name]}" for name in scaled_names),
                fits=f"{condition.left} = O({limit})",
                severity="warning" if piece.only_logs(off) else "error",
                because=f"{corollary.theorem}.condition.{key} asks for a value that is {_factor(piece.cone, off)}",
            )


def _factor(cone: Cone, off: Monomial) -> str:
    return f"smaller by {off}" if not cone.bounded(off) else f"larger by {off**-1}"


# The form in T and the form in eps are one.


def lint_forms(paper: Paper) -> list[Finding]:
    known = derivable(paper)
    pairs = [(c, paper.the(Corollary, c.same_as)) for c in known if c.same_as is not None]
    return [f for corollary, in_T in pairs if in_T in known for f in _other_form(paper, corollary, in_T)]


def _other_form(paper: Paper, corollary: Corollary, in_T: Corollary) -> Iterator[Finding]:
    T = _solved_for_T(claimed(in_T.claim), claimed(corollary.claim))
    if T is None:
        return  # the rate does not fall with T, which is for lint_rates to say
    cone = cone_of(paper, corollary)
    expected = {"T": T} | {name: as_monomial(s.order).at(T=T) for name, s in in_T.scalings.items()}
    for name in (n for n in in_T.scalings if n not in corollary.scalings):
        yield inconsistent(
            place=f"{corollary.id}.{name}",
            printed=f"nothing about {name}",
            fits=f"{name} = {in_T.scalings[name].kind}({expected[name]})",
            severity="note",
            because=f"{in_T.id} scales {name}, {corollary.id} does not",
        )
    for name, scaling in corollary.scalings.items():
        order, wanted = as_monomial(scaling.order), expected.get(name, as_monomial(scaling.order))
        logs = not forgives_logs(scaling) and keeps_logs(corollary)
        ratio = order / wanted if logs else (order / wanted).without_log()
        if not cone.equal(ratio, ONE):
            yield inconsistent(
                place=f"{corollary.id}.{name}",
                printed=f"{name} = {scaling}",
                fits=f"{name} = {scaling.kind}({wanted if logs else wanted.without_log()})",
                severity="warning",
                because=f"{in_T.id} with {T} iterations gives another {name}, by the factor {ratio}",
                beside=in_T.id,
            )


def _solved_for_T(rate: Monomial, target: Monomial) -> Monomial | None:
    """T from rate(K, T) = target(K, eps); none if the rate does not depend on T."""
    power = rate.exponent("T")
    return (target / (rate / Monomial.of(T=power))) ** (1 / power) if power else None
