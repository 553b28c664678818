"""Wrong calls through the face: each is refused in one sentence, before any work is done."""

import importlib
import math
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
import sympy

import ratecert as rc
from ratecert.base.gone import GONE

WORLD = rc.worlds.scalar()
SOLVER = rc.methods.LocalSGD(eta=0.1, rho_1=0.2, rho_2=0.5, p=2, theta=0.15, Q=1)
RUN: dict[str, Any] = {"K": 2, "T": 4, "x0": 1.0, "y0": 1.0}
HERE = (np.ones(1), np.ones(1))
LINE = ([1, 2, 3], [1, 2, 3])
SLOPE = rc.fit_slope(*LINE)
GRADIENT = rc.contract.LowerGradient()
PRINTED = rc.paper(key="parallel-sgd")
T = rc.statements.letter("T")


def device(k: int) -> Any:
    return rc.contract.FederatedDevice(rc.contract.prepare(WORLD, SOLVER, **RUN, times=[]), k, seed=0)


def level(**changed: Any) -> Any:
    return rc.statements.Level(**{"name": "h", "low": 0.1, "high": 10.0} | changed)


def theorem(**changed: Any) -> Any:
    return replace(PRINTED.the(rc.statements.Theorem, "sgd-descent"), **changed)


def erratum(**changed: Any) -> Any:
    given = {"place": "a", "printed": T, "read": T, "reason": "", "evidence": ""}
    return rc.statements.Erratum(**given | changed)


def admissible(**start: Any) -> Any:
    world = rc.worlds.random_quadratic(d_x=2, d_y=2, mu=1.0, L_1=4.0, s_f=0.5, s_g=0.5, seed=1)
    return rc.admissible("theorem-2", world, K=8, p=4, T=10**12, radius=10.0, **start)


def along(changed: dict[str, Any], corollary: Any = "corollary-1") -> Any:
    return rc.along(corollary, **{"K": 2, "T": 100, "theta": 0.4, "units": {}} | changed)


NUMBER = (
    "must be a real number made of letters, numbers, +, -, *, /, powers and abs, acos, asin, atan, ceiling, cos, cosh, "
    "erf, exp, factorial, floor, gamma, harmonic, log, max, min, product, sign, sin, sinh, sum, tan, tanh"
)

KEY = "the key of a paper must be a text such as 'federated-bilevel', got "

ON_A_BALL: dict[str, Any] = {"world": WORLD, "radius": 1.0}
WRONG: list[tuple[Callable[[], object], str]] = [
    # Devices.
    (lambda: rc.contract.in_lockstep([]), "devices must be all devices of an experiment, got 0 of them."),
    (lambda: rc.contract.in_lockstep([device(0)]), "devices must be the K = 2 devices of an experiment, got 1"),
    (lambda: rc.contract.in_lockstep([3]), "devices must be a list of FederatedDevice, got [3]."),
    (lambda: rc.contract.FederatedDevice(None, 0, seed=0), "experiment must be what rc.contract.prepare returns"),
    # Keys of papers.
    (lambda: rc.lint(None), f"{KEY}None."),
    (lambda: rc.lint(rc.paper), f"{KEY}<function paper"),
    (lambda: rc.paper(key=3), f"{KEY}3."),
    (lambda: rc.paper([]), "variant must be one of printed, repaired, got []."),
    (lambda: rc.register(replace(PRINTED, key=None)), "the key of a paper must be a text"),
    (lambda: replace(PRINTED, key=""), "must be a text such as 'my-paper', got ''."),
    # Rates.
    (lambda: rc.assert_bound(1.0, "2"), "bound must be numbers in rows of one length, got '2'"),
    (lambda: rc.assert_bound(1.0, 2.0, uncertainty="a"), "uncertainty must be numbers"),
    (lambda: rc.assert_bound(1j, 2.0), "measured must be numbers in rows of one length"),
    (lambda: rc.assert_bound(None, None), "measured must be numbers in rows of one length"),
    (lambda: rc.assert_bound([1.0, math.nan], 2.0), "measured must be numbers, got [1.0, nan], in which"),
    (lambda: rc.assert_slope(LINE, "1", 0.1), "expected must be a number, got '1'."),
    (lambda: SLOPE.check(math.nan, 0.1), "expected must be a number, got nan."),
    (lambda: SLOPE.check(1, "a"), "tolerance of the check 'slope' must be a number >= 0, got 'a'."),
    (lambda: rc.fit_slope(["1", "2"], [1, 2]), "x must be numbers in rows of one length"),
    (lambda: rc.fit_slope([1, 2], np.ones((16, 2)), confidence=None), "confidence must lie in (0, 1)"),
    (lambda: rc.fit_slope(*LINE, straight="a"), "straight must be one of False, True, got 'a'."),
    # Runs, estimates and figures.
    (lambda: rc.expect(WORLD, SOLVER, **RUN, interpreter=3), "interpreter must be an Interpreter or None, got 3."),
    (lambda: rc.stationary(WORLD, SOLVER, K=2, interpreter=3), "interpreter must be an Interpreter or None, got 3."),
    (lambda: admissible(x0="a"), "x0 must be 2 finite numbers, got 'a'."),
    (lambda: admissible(y0=[1.0]), "y0 must be 2 finite numbers, got [1.0]."),
    (lambda: SLOPE.plot(3), "ax must be the axes of a figure of matplotlib, or None"),
    (lambda: rc.contract.count(None, SOLVER, 3), "NoneType cannot be used as a problem"),
    (lambda: rc.contract.count(WORLD, None, 3), "NoneType cannot be used as an algorithm"),
    (lambda: rc.contract.estimate_moments(WORLD, GRADIENT, "a"), "point must be a tuple of vectors of numpy"),
    (lambda: rc.contract.estimate_products(WORLD, 3, 3), "estimator must have a label, sample and evaluate, got 3."),
    (lambda: rc.contract.estimate_products(WORLD, rc.contract.LowerGradient, HERE), "LowerGradient is a class"),
    (lambda: rc.measures.gap({"L": 1}), "the field of a measure must be a text, as in rc.measures.gap('x'), got {"),
    (lambda: rc.measures.Measure(3), "forms of a measure must be a tuple of pairs"),
    (lambda: rc.measures.Measure((), at="x"), "at must be one of 'average', 'last'"),
    # Worlds.
    (lambda: rc.worlds.worst_point(WORLD, 3), "world must be one that rc.worlds.aligned returns"),
    (lambda: rc.worlds.worst_point(rc.worlds.aligned(), "a"), "radius must be real numbers"),
    # Statements.
    (lambda: rc.statements.letter(3), "the name of a letter must be a text such as 'eta', got 3."),
    (lambda: rc.statements.letters(None), "names must be a text such as 'K T eta', got None."),
    (lambda: rc.statements.table(3), "every argument of table must be a Symbol, got 3."),
    (lambda: rc.statements.by_id(3), "every argument of by_id must be a statement, got 3."),
    (lambda: rc.statements.claimed(3), "scaling must be a Scaling of an order, got 3."),
    (lambda: rc.statements.derive(3, 3), "paper must be a Paper of rc.statements, got 3."),
    (lambda: rc.statements.derive(PRINTED, 3), "corollary must be a Corollary of the paper, got 3."),
    (lambda: level(low="x"), "low of the level h must be a finite number > 0, got 'x'."),
    (lambda: level(name=3), "the name of a level must be a text such as 'h', got 3."),
    (lambda: level(low=20.0), "must have 0 < low <= high < inf, got low = 20.0"),
    (lambda: theorem(id=3), "the id of a statement must be a text such as 'theorem-1', got 3."),
    (lambda: theorem(terms=3), "sgd-descent: terms must be a mapping by name, got 3."),
    (lambda: theorem(terms={}), "sgd-descent: terms must name one term of the bound or more, got none."),
    (lambda: theorem(terms={"a": [1, 2]}), f"the term a {NUMBER}, got [1, 2]."),
    (lambda: theorem(terms={"a": (T,)}), f"the term a {NUMBER}, got (T,)."),
    (lambda: theorem(terms={"a": None}), f"the term a {NUMBER}, got None."),
    (lambda: theorem(terms={"a": np.ones(2) * T}), f"the term a {NUMBER}, got [1.0*T 1.0*T]."),
    (lambda: theorem(terms={"a": T <= 2}), f"the term a {NUMBER}, got T <= 2."),
    (lambda: theorem(terms={"a": True}), f"the term a {NUMBER}, got True."),
    (lambda: theorem(terms={"a": math.inf / T}), f"the term a {NUMBER}, got oo."),
    (lambda: theorem(terms={"a": math.nan * T}), f"the term a {NUMBER}, got nan."),
    (lambda: theorem(terms={"a": 1j * T}), f"the term a {NUMBER}, got I."),
    (lambda: theorem(terms={"a": 1 / T + sympy.binomial(T, 2)}), f"the term a {NUMBER}, got binomial(T, 2)."),
    (lambda: theorem(terms={"a": sympy.Mod(T, 2)}), f"the term a {NUMBER}, got Mod(T, 2)."),
    (lambda: theorem(terms={"a": sympy.Integral(T, T)}), f"the term a {NUMBER}, got Integral(T, T)."),
    (lambda: theorem(terms={"a": sympy.Piecewise((T, T > 1), (1, True))}), f"the term a {NUMBER}, got "),
    (lambda: theorem(conditions={"a": T <= 2}), "the condition a must be a Condition of rc.statements, got T <= 2."),
    (lambda: rc.statements.Condition(T, "=>", (2,)), "must be one of '<=', '<', '=', '>', '>=', got '=>'."),
    (lambda: rc.statements.Condition(T, "<=", ()), "clauses of a condition must be a tuple such as (1/L,), got ()."),
    (lambda: rc.statements.Condition(T, "<=", (1, 2), "min"), "`of` of a condition must be Min or Max of sympy"),
    (lambda: rc.statements.Condition(T, "<=", (math.inf,)), f"a side of a condition {NUMBER}, got oo."),
    (lambda: rc.statements.Condition(T, "<=", ([1],)), f"a side of a condition {NUMBER}, got [1]."),
    (lambda: rc.expect(WORLD, SOLVER, **{**RUN, "x0": 1e-300}), "x0 must be 0 or at least 1e-150 in size, got 1e-300"),
    (lambda: rc.statements.Scaling(None), "the order of a Scaling must be an expression"),
    (lambda: erratum(place=3), "the place of an erratum must be a text"),
    (lambda: rc.check_witness(""), "the name of a counterexample is missing; `ratecert check` lists"),
    # What was silently taken.
    (lambda: rc.verify("theorem-1", quick="a"), "quick must be one of False, True, got 'a'."),
    (lambda: rc.testing.AlgorithmCase(None), "NoneType cannot be used as an algorithm"),
    (lambda: rc.testing.AlgorithmCase(SOLVER, K="a"), "K must be a whole number >= 0, got 'a'."),
    (lambda: rc.testing.WorldCase("a", b=3), "constructor must be a function or a class that makes a world, got 'a'"),
    (lambda: rc.methods.name_of(lambda x, grad: x), "a function is a method for rc.theorem alone: write it as a class"),
    (lambda: rc.methods.name_of(None), "solver must be an algorithm or its class, got None."),
    # Wrong kinds.
    (lambda: rc.falsify(None), "an id must be a text such as 'theorem-1', got None."),
    (lambda: rc.admissible("theorem-1", None, 8, 4, 100), "world must be a world or a mapping of its constants"),
    (lambda: rc.constants(None), "world must be a world or a mapping of its constants, got None."),
    (lambda: rc.constants(rc.worlds.Quadratic), "a mapping of its constants, got <class "),
    (lambda: rc.evaluate("printed", "theorem-1", None), "values must be a mapping from the symbols of theorem-1"),
    (lambda: rc.check_witness(None), "name must be one of rc.witnesses() or the path of a file, got None."),
    (lambda: rc.testing.parametrize_with_checks(3), "subjects must be a list of algorithms and worlds, got 3."),
    (lambda: along({}, None), "an id must be a text such as 'theorem-1', got None."),
    (lambda: along({"units": None}), "units must be a mapping from p, eta, Q, alpha, beta, rho_1, rho_2, floor to"),
    # Names and numbers that cannot be meant.
    (lambda: rc.constants(**ON_A_BALL, tehta=0.1), "tehta is no symbol of the paper; did you mean theta?"),
    (lambda: rc.constants({"mu": 1.0, "L_7": 2.0}), "L_7 is no symbol of the paper; did you mean L_"),
    (lambda: rc.constants({"mu": math.nan}), "mu must be a finite number >= 0, got nan."),
    (lambda: along({"units": {"etaa": 1.0}}),
     "units gives p, eta, Q, alpha, beta, rho_1, rho_2, floor of corollary-1; etaa"),
    (lambda: along({"units": {"eta": "x"}}), "the unit of eta must be a finite number >= 0, got 'x'."),
    (lambda: along({"K": None}), "K must be a whole number >= 1, got None."),
    (lambda: along({"T": "x"}), "T must be a whole number >= 1, got 'x'."),
    (lambda: along({"eps": 0.1}), "one of T and eps must be given, that with which corollary-1 scales, got T = 100"),
    (lambda: along({"eps": 0.1}, "corollary-2"), "one of T and eps must be given"),
    (lambda: admissible(colour=3), "colour is no option of admissible; those are variant, Q, B, x0, y0, radius,"),
    (lambda: admissible(fractoins={}), "fractoins is no option of admissible; did you mean fractions?"),
    (lambda: along({"T": None, "eps": 0}, "corollary-2"), "eps must be a number > 0, got 0."),
    (lambda: along({}, "parallel-sgd:sgd-rate"),
     "paper must be one with scalings, such as federated-bilevel, got 'parallel-sgd'."),
]  # fmt: skip


@pytest.mark.parametrize(("call", "sentence"), WRONG, ids=[sentence[:60] for _, sentence in WRONG])
def test_a_wrong_call_is_told_in_a_sentence(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(rc.errors.UserError, match=re.escape(sentence)) as refusal:
        call()
    assert "\n" not in str(refusal.value)


def test_what_is_right_beside_it_is_taken() -> None:
    """What is right beside some of them."""
    assert len(rc.contract.in_lockstep([device(0), device(1)])) == 2
    assert rc.methods.name_of(rc.methods.SGD) == "SGD"
    assert rc.contract.estimate_products(WORLD, rc.contract.RandomTruncation(theta=0.2, N=4), HERE) == 1.5
    x, y = rc.worlds.worst_point(rc.worlds.aligned(d_x=1, d_y=2, mu=0.5, L_1=3.0, s_g=0.1), 2)
    assert (x.tolist(), y.tolist()) == ([0.0], [2.0, 0.0])
    assert admissible(x0=[0.0, 0.0]).values == admissible().values
    figure, ax = plt.subplots()
    assert SLOPE.plot(ax) is ax
    plt.close(figure)


@pytest.mark.parametrize(
    ("module", "name", "said"),
    [
        (rc, "expcet", "module 'ratecert' has no attribute 'expcet'; did you mean expect?"),
        (rc, "nothing_like_it_at_all", "module 'ratecert' has no attribute 'nothing_like_it_at_all'"),
        (rc.worlds, "huberized", "did you mean huberised"),
        (rc.methods, "SDG", "did you mean SGD"),
        (rc.methods, "localsgd", "did you mean LocalSGD"),
        (rc.measures, "dist", "did you mean distance or drift"),
        (rc.measures, "loss", "it has Measure, control, distance, drift, "),
        (rc.statements, "theorem", "did you mean Theorem"),
        (rc.contract, "Gradiant", "did you mean Gradient"),
        (rc.claims, "atmost", "did you mean at_most"),
        (rc.results, "Slopes", "did you mean Slope"),
        (rc.style, "COLORS", "did you mean COLOURS"),
        (rc.testing, "check_algoritm", "did you mean check_algorithm"),
        (rc.errors, "UsrError", "did you mean UserError"),
    ],
)
def test_a_misspelt_name_is_told_the_nearest(module: Any, name: str, said: str) -> None:
    with pytest.raises(AttributeError, match=re.escape(said)):
        getattr(module, name)


@pytest.mark.parametrize("name", GONE)
def test_a_name_that_has_gone_is_told_with_what_stands_for_it(name: str) -> None:
    """As an attribute and in an import; nothing that is offered is on the list."""
    module, _, last = name.rpartition(".")
    home = importlib.import_module(module)
    assert last not in home.__all__
    with pytest.raises(ImportError, match=re.escape(f"{name} has gone: {GONE[name]}.")):
        getattr(home, last)
    with pytest.raises(ImportError, match="has gone"):
        exec(f"from {module} import {last}")
