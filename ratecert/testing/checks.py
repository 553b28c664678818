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
    checks: Mapping[str, Check] = OF_ALGORITHMS if isinstance(_case_of(subject), AlgorithmCase) else OF_WORLDS
    return {name: partial(_run, check) for name, check in checks.items()}


def check_algorithm(algorithm: Any, **expected: Any) -> None:
    """Run all checks on an algorithm; AssertionError, with a sentence, at the first that fails.

    algorithm   an instance, with hyperparameters for which it converges on curvatures between 1 and 2.5
    expected    the fields of AlgorithmCase: K, one_level, sees, step

    >>> import ratecert as rc
    >>> rc.testing.check_algorithm(rc.methods.LocalSGD(eta=0.1, rho_1=0.2, rho_2=0.5, p=2, theta=0.15, Q=1))
    """
    _run_all(AlgorithmCase(algorithm, **expected) if expected else AlgorithmCase.of(algorithm))


def check_world(world: Any) -> None:
    """Run all checks on a world, or on a WorldCase; AssertionError, with a sentence, at the first that fails.

    >>> import ratecert as rc
    >>> rc.testing.check_world(rc.worlds.wavy(dial=2.0))
    """
    _run_all(world)


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
        pytest.param(subject, check, id=f"{getattr(subject, 'name', type(subject).__name__)}-{name}")
        for subject in subjects
        for name, check in checks_of(subject).items()
    ]
    return pytest.mark.parametrize(("subject", "check"), rows)


def _case_of(subject: Any) -> AlgorithmCase | WorldCase:
    if isinstance(subject, AlgorithmCase | WorldCase):
        return subject
    if not isinstance(subject, type) and hasattr(subject, "stages"):
        return AlgorithmCase(subject)
    if not isinstance(subject, type) and hasattr(subject, "d_x"):
        return WorldCase.of(subject)
    raise UserTypeError(
        f"a subject is an algorithm, a world, an AlgorithmCase or a WorldCase, got {subject!r:.60}; of a "
        f"constructor make a WorldCase."
    )


def _run(check: Check, subject: Any) -> None:
    """Run one check; a refusal of what the subject does is a failure, with the same sentence."""
    case = _case_of(subject)
    try:
        check(case)
    except RatecertError as error:
        raise AssertionError(str(error)) from error


def _run_all(subject: Any) -> None:
    for check in checks_of(subject).values():
        check(subject)
