"""Check convergence-rate claims by machine, on problems whose truth is known in closed form.

    import ratecert as rc

    rc.expect, rc.simulate, rc.enumerate_outcomes   run an algorithm on a world: exact, sampled, all outcomes
    rc.expect_many, rc.many                         the same for arrays of worlds, step sizes, K and T at once
    rc.contraction                                  what a cycle leaves of a Lyapunov form, in the worst state
    rc.stationary, rc.fixed_point                   where it ends, with noise and without
    rc.leading                                      how that depends on the step size, in exact fractions
    rc.reachable_radius                             how far bounded noise can take it
    rc.verify_rate, rc.fit_slope                    measure the exponent of a rate
    rc.assert_slope, rc.assert_bound                the same as assertions, for a test suite
    rc.letters, rc.letter, rc.define                letters with their usual meaning, one of your own, and kappa = L/mu
    rc.theorem, rc.local, rc.equal, rc.Min, rc.Max  a theorem in a dozen lines, of a step that is a function
    rc.corollary, rc.cost, rc.about                 what follows from it, what it costs, and what the paper is called
    rc.smooth, rc.strongly_convex, rc.bounded_variance   assumptions that no letter makes
    rc.paper, rc.lint                               a paper as data: read it, check it
    rc.register                                     a paper of your own, known by its key in this process
    rc.verify                                       the verdicts on a paper, a statement or a claim
    rc.constants, rc.evaluate, rc.admissible        put the numbers of a world into it
    rc.along                                        an algorithm along the scalings of a corollary
    rc.falsify, rc.witnesses, rc.check_witness      search for a counterexample, and compute a stored one again
    rc.sharpen                                      how much better a theorem could be

    rc.worlds        problems with known truth            rc.methods     algorithms
    rc.measures      what is measured of a run
    rc.contract      for algorithms and worlds of your own   rc.statements  for theorems of your own
    rc.claims        for claims of your own
    rc.testing       checks for algorithms and worlds     rc.errors      every exception raised on purpose
    rc.results       the classes of what is returned      rc.style       the look of the figures

`__all__` of this module and of these namespaces is what users may rely on. Names are looked up when they are first
used, so that `import ratecert` loads nothing else. No module of the package itself imports from here.
"""

from importlib import import_module as _import_module
from pathlib import Path as _Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ratecert import claims as claims
    from ratecert import contract as contract
    from ratecert import errors as errors
    from ratecert import measures as measures
    from ratecert import methods as methods
    from ratecert import results as results
    from ratecert import statements as statements
    from ratecert import style as style
    from ratecert import testing as testing
    from ratecert import worlds as worlds
    from ratecert.api.papers import admissible as admissible
    from ratecert.api.papers import along as along
    from ratecert.api.papers import constants as constants
    from ratecert.api.papers import evaluate as evaluate
    from ratecert.api.papers import lint as lint
    from ratecert.api.papers import paper as paper
    from ratecert.api.papers import register as register
    from ratecert.api.searches import check_witness as check_witness
    from ratecert.api.searches import falsify as falsify
    from ratecert.api.searches import sharpen as sharpen
    from ratecert.api.searches import witnesses as witnesses
    from ratecert.api.theorem import theorem as theorem
    from ratecert.api.verdicts import verify as verify
    from ratecert.claims.slope import fit_slope as fit_slope
    from ratecert.short.defaults import bounded_variance as bounded_variance
    from ratecert.short.defaults import smooth as smooth
    from ratecert.short.defaults import strongly_convex as strongly_convex
    from ratecert.short.formulas import Max as Max
    from ratecert.short.formulas import Min as Min
    from ratecert.short.formulas import equal as equal
    from ratecert.short.letters import define as define
    from ratecert.short.letters import letter as letter
    from ratecert.short.letters import letters as letters
    from ratecert.short.methods import local as local
    from ratecert.short.paper import about as about
    from ratecert.short.paper import corollary as corollary
    from ratecert.short.paper import cost as cost
    from ratecert.solvers import enumerate_outcomes as enumerate_outcomes
    from ratecert.solvers import expect as expect
    from ratecert.solvers import fixed_point as fixed_point
    from ratecert.solvers import reachable_radius as reachable_radius
    from ratecert.solvers import simulate as simulate
    from ratecert.solvers import stationary as stationary
    from ratecert.solvers.engines.batch.expect_many import expect_many as expect_many
    from ratecert.solvers.engines.batch.many import many as many
    from ratecert.solvers.engines.contraction import contraction as contraction
    from ratecert.solvers.engines.leading import leading as leading
    from ratecert.testing.asserting import assert_bound as assert_bound
    from ratecert.testing.asserting import assert_slope as assert_slope
    from ratecert.testing.verify_rate import verify_rate as verify_rate

__version__ = "0.1.0"

_NAMESPACES = (
    "claims",
    "contract",
    "errors",
    "measures",
    "methods",
    "results",
    "statements",
    "style",
    "testing",
    "worlds",
)
_HOMES = {  # where each function is; the same as above, which type checkers read
    "ratecert.api.papers": ("admissible", "along", "constants", "evaluate", "lint", "paper", "register"),
    "ratecert.api.searches": ("check_witness", "falsify", "sharpen", "witnesses"),
    "ratecert.api.theorem": ("theorem",),
    "ratecert.api.verdicts": ("verify",),
    "ratecert.claims.slope": ("fit_slope",),
    "ratecert.short.formulas": ("Max", "Min", "equal"),
    "ratecert.short.letters": ("define", "letter", "letters"),
    "ratecert.short.methods": ("local",),
    "ratecert.short.paper": ("about", "corollary", "cost"),
    "ratecert.short.defaults": ("bounded_variance", "smooth", "strongly_convex"),
    "ratecert.solvers.engines.batch.expect_many": ("expect_many",),
    "ratecert.solvers.engines.batch.many": ("many",),
    "ratecert.testing.asserting": ("assert_bound", "assert_slope"),
    "ratecert.testing.verify_rate": ("verify_rate",),
    "ratecert.solvers": (
        "enumerate_outcomes",
        "expect",
        "fixed_point",
        "reachable_radius",
        "simulate",
        "stationary",
    ),
    "ratecert.solvers.engines.contraction": ("contraction",),
    "ratecert.solvers.engines.leading": ("leading",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted((*_NAMESPACES, *_HOME_OF))


if not TYPE_CHECKING:  # or every name would be one to a type checker

    def __getattr__(name: str) -> Any:
        if name in _NAMESPACES:
            return _import_module(f"{__name__}.{name}")
        if name in _HOME_OF:
            value = getattr(_import_module(_HOME_OF[name]), name)
            globals()[name] = value
            return value
        return _import_module("ratecert.base.gone").face(__name__, __all__)(name)


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


def _require_links() -> None:
    """Refuse a checkout in which git has written its symbolic links as plain files."""
    parts = ("theory", "synthetic", "solvers")
    broken = [link for link in map(_Path(__file__).with_name, parts) if link.is_file()]
    if broken:
        raise ImportError(
            f"{broken[0]} is a plain file and not the symbolic link that it should be: git wrote the checkout "
            f"without links; run there `git config core.symlinks true` and `git checkout HEAD -- "
            f"{' '.join(f'ratecert/{part}' for part in parts)}` (on Windows with Developer Mode on), and "
            f"build a wheel or install only after that."
        )


_require_links()
