"""rc.theorem: a theorem in a dozen lines, which answers by itself in a notebook, and is a paper in a file."""

import sys
from dataclasses import fields
from typing import Any

from ratecert.api import papers, searches, verdicts
from ratecert.base.asked import asked
from ratecert.catalogue import find, load
from ratecert.report import cells
from ratecert.search.finding import Outcome
from ratecert.sharpening.sharpen import Sharpened
from ratecert.short.paper import paper_of
from ratecert.short.theorem import Stated
from ratecert.theory.lint.finding import Finding

SAID = {f.name for f in fields(Stated)} - {"step", "options", "place", "scope"}
NOTEBOOK = "notebook"  # the key of a paper that is in no file


class StatedTheorem(Stated):
    """A theorem that was stated with rc.theorem; its methods are the functions of the same names."""

    def _named(self) -> tuple[str, str]:
        """Its id, and the version that it is.

        A theorem of a module is known by its file, which workers load; one of a notebook in this process alone.
        """
        first, variant = (self.repairs, "repaired") if self.repairs else (self, "printed")
        module = sys.modules.get(self.place.module)
        own = {name: each for name, each in vars(module).items() if each is first} if module else {}
        if own and module and module.__name__ != "__main__" and getattr(module, "__file__", None):
            return asked(f"{module.__file__}:{first.id or next(iter(own)).replace('_', '-')}"), variant
        mine = {**(own or {first.theorem.id: first}), **({"repaired": self} if self is not first else {})}
        printed, repaired, runs = paper_of(mine, NOTEBOOK)
        load.register(NOTEBOOK, PRINTED=printed, REPAIRED=repaired, RUNS=runs)
        return asked(f"{NOTEBOOK}:{next(iter(runs), first.theorem.id)}"), variant

    def falsify(self, *, budget: int = 2000, seed: int = 0, jobs: int = 1) -> Outcome:
        """`rc.falsify` of it."""
        return searches.falsify(*self._named(), budget=budget, seed=seed, jobs=jobs)

    def sharpen(self, *, budget: int = 400, seed: int = 0, jobs: int = 1) -> Sharpened:
        """`rc.sharpen` of it."""
        return searches.sharpen(*self._named(), budget=budget, seed=seed, jobs=jobs)

    def verify(self, *, quick: bool = False, seed: int = 0, jobs: int = 1) -> list[verdicts.Verdict]:
        """`rc.verify` of it."""
        return verdicts.verify(self._named()[0], quick=quick, seed=seed, jobs=jobs)

    def _repr_html_(self) -> str:
        """The statement, typeset, in a notebook."""
        id, variant = self._named()
        key, _, inside = id.rpartition(":")
        return str(cells.statement(find.paper(variant, key), inside))

    def lint(self) -> list[Finding]:
        """`rc.lint` of it."""
        id, variant = self._named()
        found = papers.lint(id.rpartition(":")[0], variant)
        return [each for each in found if each.place.startswith(id.rpartition(":")[2])]


def theorem(method: Any, *, measure: Any, bound: Any, where: Any = (), **more: Any) -> StatedTheorem:
    """State a theorem: a step, what is measured, the bound, the conditions; all else has a default.

    method            a function such as step(x, grad, *, gamma), `rc.local` of one, a class of methods, or None where
                      nothing of it can be run, as of an adaptive method: the linter alone reads the theorem
    measure           of rc.measures; factors may be formulas of letters, as of a Lyapunov function
    bound             a formula of `rc.letters`, whose summands are its terms, or a mapping of terms by name
    where             conditions: comparisons of letters, and `rc.equal`
    hyperparameters   keyword -> a formula, a number, or a function of all letters' values, such as one that makes a
                      schedule; without an entry the letter of the same name
    assuming          its assumptions, such as rc.smooth; without them those that the letters make
    worlds            the families that it is tried on, by name or of one's own
    devices           the letter that counts them, where it is in no formula
    id, title, source, sentence, latex   what is shown: the last two as they are printed
    printed           or entered beside the print
    steps, algorithm                     the method in words, or as a record of rc.statements
    measure_units, measure_latex         of a measure of one's own
    repairs, because, evidence           the printed theorem that this one corrects, and why
    others            of `rc.statements.Binding`: blind, rests, most_iterations, counts_from, at_least, ...

    A file with theorems is a paper: every command takes it, and the variable is the id. In a notebook the theorem
    answers itself: `.falsify()`, `.verify()`, `.lint()`, `.sharpen()`. `.restated(bound=...)` is the same theorem with
    other parts.

    >>> import ratecert as rc
    >>> T, gamma, L, mu, R = rc.letters("T gamma L mu R")
    >>> def gradient_descent(x, grad, *, gamma):
    ...     return x - gamma * grad(x)
    >>> contraction = rc.theorem(
    ...     gradient_descent, measure=rc.measures.distance().last(), bound=(1 - gamma * mu) ** (2 * T) * R**2,
    ...     where=[gamma <= 1 / L])
    >>> contraction.falsify(budget=60).falsified
    False
    """
    said = {name: more.pop(name) for name in SAID & {*more}}
    return StatedTheorem(step=method, measure=measure, bound=bound, where=where, options=more, **said)
