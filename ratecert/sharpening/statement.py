"""The sharpened statement as a theorem: each term with its factor in front, and dropped terms left out."""

from dataclasses import replace

import sympy

from ratecert.catalogue.find import paper
from ratecert.sharpening.whole import Sharpened
from ratecert.theory.language.outline import AT_MOST
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Theorem
from ratecert.theory.language.typeset import as_formulas


def sharpened_theorem(result: Sharpened) -> tuple[Paper, Theorem]:
    """With the paper whose letters it is written in. A conjecture, and its title says so."""
    source = paper(result.case.variant, result.case.key)
    printed = source.the(Theorem, result.case.statement)
    terms = {
        name: _with_factor(factor, printed.terms[name])
        for name, factor in result.bound.factors.items()
        if factor
    }
    return source, replace(printed, title=f"{printed.title}, sharpened (a conjecture)", terms=terms)


def as_inequality(result: Sharpened) -> str:
    """The measure and its sharpened bound, in LaTeX."""
    source, theorem = sharpened_theorem(result)
    terms = (latex for _, latex in dict(as_formulas(source, theorem))[AT_MOST])
    return rf"{theorem.measure} \;\le\; {' + '.join(terms)}"


def _with_factor(factor: float, term: sympy.Expr) -> sympy.Expr:
    """0.334 (c t), so that the printed constant is still to be seen."""
    return term if factor == 1 else sympy.Mul(sympy.Float(f"{factor:.3g}", 3), term, evaluate=False)
