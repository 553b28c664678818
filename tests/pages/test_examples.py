"""The examples in docstrings of theory, synthetic and solvers run, and public functions have one."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

from ratecert import solvers, synthetic, theory

MODULES = [
    module.name
    for package in (solvers, synthetic, theory)
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + ".")
    if module.name != "ratecert.solvers.engines.sampling.compiled"  # JAX may be missing
]
CALLED = [
    *(solvers.expect, solvers.simulate, solvers.stationary, solvers.fixed_point, solvers.reachable_radius),
    *(solvers.enumerate_outcomes, solvers.Stage, solvers.Constant, solvers.CubeRoot, solvers.Power),
    *(synthetic.Quadratic, *synthetic.CONSTRUCTORS.values()),
]


def examples(object: object, name: str) -> list[doctest.DocTest]:
    return [test for test in doctest.DocTestFinder().find(object, name) if test.examples]


def test_every_example_gives_what_it_says() -> None:
    tests = [test for name in MODULES for test in examples(importlib.import_module(name), name)]
    assert len(tests) >= len(CALLED)
    for test in tests:
        assert doctest.DocTestRunner().run(test).failed == 0, test.name


def test_an_example_that_is_wrong_is_seen() -> None:
    [test] = doctest.DocTestFinder().find(type("Wrong", (), {"__doc__": ">>> 1 + 1\n3\n"}), "wrong")
    assert doctest.DocTestRunner(verbose=False).run(test, out=lambda text: None).failed == 1


@pytest.mark.parametrize("called", CALLED, ids=lambda called: str(called.__name__))
def test_a_public_function_has_an_example_and_lists_its_arguments(called: object) -> None:
    text = inspect.getdoc(called) or ""
    assert ">>> " in text
    if inspect.isfunction(called):
        assert [name for name in inspect.signature(called).parameters if name not in text] == []
