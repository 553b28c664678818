"""Rule: consistency of noise. A term that one momentum's weight multiplies charges the noise of what it averages.

In u <- (1 - alpha eta) u + alpha eta (sample) the fresh noise of u's samples enters with alpha; a bound's term in alpha
alone has to carry the constant that bounds that noise, and a term in beta alone the one of v. Where the weights have
been put in as numbers the name of the term says whose noise it is: noise_u, start_v.
"""

from collections.abc import Iterator
from typing import Any

from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Algorithm, Estimate, Theorem
from ratecert.theory.lint.finding import Finding


def lint_noise(paper: Paper) -> list[Finding]:
    return [finding for theorem in paper.of_kind(Theorem) for finding in _theorem(paper, theorem)]


def _theorem(paper: Paper, theorem: Theorem) -> Iterator[Finding]:
    estimates = paper.the(Algorithm, theorem.algorithm).estimates
    for name, term in theorem.terms.items():
        weighed = [e for e in estimates if e.weight in term.free_symbols] or _by_name(name, estimates)
        charged = [e for e in estimates if e.noise in term.free_symbols]
        if len(weighed) == len(charged) == 1 and weighed != charged:
            yield _finding(f"{theorem.id}.term.{name}", term, weighed[0], charged[0])


def _by_name(term: str, estimates: tuple[Estimate, ...]) -> list[Estimate]:
    return [e for e in estimates if term.endswith(f"_{e.momentum}")]


def _sign(term: Any, weighed: Estimate) -> str:
    """By what the term is known to be this momentum's."""
    return f"a term in {weighed.weight}" if weighed.weight in term.free_symbols else "a term of this name"


def _finding(place: str, term: Any, weighed: Estimate, charged: Estimate) -> Finding:
    return Finding(
        place=place,
        kind="consistency",
        printed=str(term),
        fits=str(term.xreplace({charged.noise: weighed.noise})),
        severity="error",
        because=(
            f"{_sign(term, weighed)} charges the samples of {weighed.momentum}, whose noise {weighed.noise} bounds; "
            f"{charged.noise} bounds that of {charged.momentum}, and where it is zero the term is too"
        ),
    )
