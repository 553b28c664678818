"""Rule: corollaries follow. The scalings put into every term of the theorem give the claimed order, logarithms kept.

O(.) bounds a scaling from above only. Where a smaller value, allowed by the print, breaks the rate, Theta(.) is meant.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Corollary
from ratecert.theory.lint.derivable import derivable
from ratecert.theory.lint.finding import Finding
from ratecert.theory.orders.derivation import Derived, as_monomial, claimed, derive, keeps_logs
from ratecert.theory.orders.inside import inside
from ratecert.theory.orders.monomials import ONE, Monomial

LESS = Fraction(1, 1000)  # the power of T or 1/eps by which a quantity is made smaller, to see what breaks


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
                yield _rate_finding(corollary, piece, by_powers, moved, "error", "does not follow")
            elif over and keeps_logs(corollary):
                yield _rate_finding(corollary, piece, over, moved, "warning", "follows only up to logarithms")
            elif all(piece.cone.vanishes(m / claim) for m in piece.total.monomials):
                yield _rate_finding(
                    corollary, piece, {}, moved, "note", "is weaker than what the theorem gives"
                )


def _rate_finding(
    corollary: Corollary,
    piece: Derived,
    over: Mapping[str, Monomial],
    moved: str,
    severity: str,
    verdict: str,
) -> Finding:
    terms = ", ".join(f"{name} exceeds it by {ratio}" for name, ratio in over.items())
    return Finding(
        place=f"{corollary.id}.rate",
        kind="corollary",
        printed=str(corollary.claim),
        fits=f"O({piece.total})",
        severity=severity,
        because=(
            f"the rate {verdict} ({corollary.theorem} on {piece.cone}{', with admissible ' + moved if moved else ''})"
            f"{': ' + terms if terms else ''}"
        ),
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
        if broken:
            yield Finding(
                place=f"{corollary.id}.{name}",
                kind="consistency",
                printed=f"{name} = {scaling}",
                fits=f"{name} = {scaling.kind.replace('O', 'Theta')}({scaling.order})",
                severity="note",
                because=(
                    f"a smaller {name} satisfies the printed O and breaks the rate through {', '.join(broken)}"
                    + ("; the constant has to be large enough as well" if not order.powers else "")
                ),
            )


def _smaller(corollary: Corollary, order: Monomial) -> Monomial:
    if order.powers:
        return order * (Monomial.of(eps=LESS) if "T" in corollary.scalings else Monomial.of(T=-LESS))
    return order ** (1 - LESS)  # a logarithm
