"""Rule: consistency of the two forms. A corollary in eps is the one in T with T solved from rate = claim."""

from collections.abc import Iterator

from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Corollary
from ratecert.theory.lint.derivable import derivable
from ratecert.theory.lint.finding import Finding
from ratecert.theory.orders.derivation import as_monomial, claimed, cone_of, forgives_logs, keeps_logs
from ratecert.theory.orders.monomials import ONE, Monomial


def lint_forms(paper: Paper) -> list[Finding]:
    known = derivable(paper)
    pairs = [(c, paper.the(Corollary, c.same_as)) for c in known if c.same_as is not None]
    return [f for corollary, in_T in pairs if in_T in known for f in _other_form(paper, corollary, in_T)]


def _other_form(paper: Paper, corollary: Corollary, in_T: Corollary) -> Iterator[Finding]:
    T = solved_for_T(claimed(in_T.claim), claimed(corollary.claim))
    if T is None:
        return  # the rate does not fall with T, which is for lint_rates to say
    cone = cone_of(paper, corollary)
    expected = {"T": T} | {name: as_monomial(s.order).at(T=T) for name, s in in_T.scalings.items()}
    for name in (n for n in in_T.scalings if n not in corollary.scalings):
        yield Finding(
            place=f"{corollary.id}.{name}",
            kind="consistency",
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
            yield Finding(
                place=f"{corollary.id}.{name}",
                kind="consistency",
                printed=f"{name} = {scaling}",
                fits=f"{name} = {scaling.kind}({wanted if logs else wanted.without_log()})",
                severity="warning",
                because=f"{in_T.id} with {T} iterations gives another {name}, by the factor {ratio}",
                beside=in_T.id,
            )


def solved_for_T(rate: Monomial, target: Monomial) -> Monomial | None:
    """T from rate(K, T) = target(K, eps); none if the rate does not depend on T."""
    power = rate.exponent("T")
    return (target / (rate / Monomial.of(T=power))) ** (1 / power) if power else None
