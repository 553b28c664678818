"""Certify an algorithm or a world of your own: one decorated test runs every check on it.

    parametrize_with_checks   a pytest decorator: one test for each check of each subject
    check_algorithm           all checks of an algorithm, one after the other
    check_world               all checks of a world, or of a constructor of worlds
    checks_of                 the checks of a subject by name, for a runner of your own
    AlgorithmCase             an algorithm, and what is expected of it where that cannot be guessed
    WorldCase                 a constructor of worlds, and the arguments to call it with

    import ratecert as rc

    @rc.testing.parametrize_with_checks([MyMethod(eta=0.05, p=2), rc.testing.WorldCase(my_world, mu=1.0)])
    def test_mine(subject, check):
        check(subject)

A check raises AssertionError with a sentence. An algorithm is run by sampling, by enumeration of all outcomes, by exact
moments and by counting; all have to agree.
"""

from typing import TYPE_CHECKING

from ratecert.base.gone import face as _face
from ratecert.testing.algorithms import AlgorithmCase
from ratecert.testing.checks import check_algorithm, check_world, checks_of, parametrize_with_checks
from ratecert.testing.worlds import WorldCase

__all__ = [
    "AlgorithmCase",
    "WorldCase",
    "check_algorithm",
    "check_world",
    "checks_of",
    "parametrize_with_checks",
]

if not TYPE_CHECKING:  # or every name would be one to a type checker
    __getattr__ = _face(__name__, __all__)
