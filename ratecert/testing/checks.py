"""Which checks a subject has, and how they are run: all at once, or each as a test of its own."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from ratecert.base.errors import RatecertError, UserTypeError
from ratecert.testing.algorithms import CHECKS as OF_ALGORITHMS
from ratecert.testing.algorithms import AlgorithmCase
from ratecert.testing.worlds import CHECKS as OF_WORLDS
from ratecert.testing.worlds import WorldCase

Check = Callable[[Any], None]


def checks_of(subject: Any) -> dict[str, Check]:
    """List the checks of an algorithm, a world, or a case of either, by name; each takes the subject.

    >>> import ratecert as rc
    >>> solver = rc.methods.LocalSGD(eta=0.1, rho_1=0.2, rho_2=0.5, p=2, theta=0.15, Q=1)
    >>> "steps_are_pure" in rc.testing.checks_of(solver)
    True
    """
    if isinstance(subject, AlgorithmCase) or _is_algorithm(subject):
        return _taking(AlgorithmCase.of, OF_ALGORITHMS)
    if not isinstance(subject, WorldCase) and (isinstance(subject, type) or not hasattr(subject, "d_x")):
        raise UserTypeError(
            f"a subject is an algorithm, a world, an AlgorithmCase or a WorldCase, got {subject!r:.60}; of a "
            f"constructor make a WorldCase."
        )
    return _taking(WorldCase.of, OF_WORLDS)


def check_algorithm(algorithm: Any, **expected: Any) -> None:
    """Run all checks on an algorithm; AssertionError, with a sentence, at the first that fails.

    algorithm   an instance, with hyperparameters for which it converges on curvatures between 1 and 2.5
    expected    the fields of AlgorithmCase: K, one_level, sees, step

    >>> import ratecert as rc
    >>> rc.testing.check_algorithm(rc.methods.LocalSGD(eta=0.1, rho_1=0.2, rho_2=0.5, p=2, theta=0.15, Q=1))
    """
    case = AlgorithmCase.of(algorithm) if not expected else AlgorithmCase(algorithm, **expected)
    for check in checks_of(case).values():
        check(case)


def check_world(world: Any) -> None:
    """Run all checks on a world, or on a WorldCase; AssertionError, with a sentence, at the first that fails.

    >>> import ratecert as rc
    >>> rc.testing.check_world(rc.worlds.wavy(dial=2.0))
    """
    for check in checks_of(world).values():
        check(world)


def parametrize_with_checks(subjects: Iterable[Any]) -> Any:
    """Make one test of every check of every subject: a decorator for a test with the arguments `subject` and `check`.

    subjects   algorithms, worlds, and cases of them

    >>> import ratecert as rc
    >>> @rc.testing.parametrize_with_checks([rc.worlds.scalar()])
    ... def test_mine(subject, check):
    ...     check(subject)
    """
    import pytest

    if not isinstance(subjects, Iterable):
        raise UserTypeError(f"subjects must be a list of algorithms and worlds, got {subjects!r:.60}.")
    rows = [
        pytest.param(subject, check, id=f"{_name(subject)}-{name}")
        for subject in subjects
        for name, check in checks_of(subject).items()
    ]
    return pytest.mark.parametrize(("subject", "check"), rows)


def _taking(case_of: Callable[[Any], Any], checks: Mapping[str, Check]) -> dict[str, Check]:
    return {name: partial(_checked, case_of, check) for name, check in checks.items()}


def _checked(case_of: Callable[[Any], Any], check: Check, subject: Any) -> None:
    """Run one check; a refusal of what the subject does is a failure, with the same sentence."""
    case = case_of(subject)
    try:
        check(case)
    except RatecertError as error:
        raise AssertionError(str(error)) from error


def _is_algorithm(subject: Any) -> bool:
    return hasattr(subject, "stages") and not isinstance(subject, type)


def _name(subject: Any) -> str:
    return str(getattr(subject, "name", type(subject).__name__))
