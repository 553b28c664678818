"""The library's pages on PEPit's examples: verdicts, seeded mistakes, constants, and PEPit's own numbers."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

import ratecert as rc
from ratecert.catalogue import find
from ratecert.catalogue.cases import bound_case
from ratecert.catalogue.find import paper
from ratecert.papers.library import pep_optimized, pep_stochastic
from ratecert.papers.pep import table
from ratecert.report.library import read
from ratecert.theory.numbers.evaluation import evaluate

EXAMPLES = list(table.examples())
STATEMENTS = {statement for statement, *_ in EXAMPLES}
REFUTED = sorted(
    record["id"] for record in read() if record["id"] in STATEMENTS and record["verdict"] == "proved false"
)


def test_every_bound_statement_has_examples_and_a_verdict_on_record():
    """Where worlds attain a bound, test_nearest.py computes them again."""
    keys = {statement.partition(":")[0] for statement in STATEMENTS}
    assert {f"{key}:{id}" for key in keys for id in find.bindings(key)} == STATEMENTS
    assert {record["id"] for record in read() if record["variant"] == "printed"} > STATEMENTS
    assert len(REFUTED) == 6


@pytest.mark.by_night("pep-item:item")
@pytest.mark.parametrize("statement", REFUTED)
def test_the_print_is_refuted(statement):
    assert rc.falsify(statement, budget=40, jobs=1).falsified


@pytest.mark.nightly
@pytest.mark.parametrize("statement", ["pep-momentum:triple-momentum", "pep-nonconvex:lojasiewicz-short"])
def test_its_repair_is_not(statement):
    outcome = rc.falsify(statement, variant="repaired", budget=40, jobs=1)
    assert not outcome.falsified
    assert 0.9 < outcome.largest <= 1


# Constants and methods by other ways.


def test_the_terms_of_the_mirrored_sum_have_the_constants_of_the_class():
    numbers = {"L": 3.0, "spread": 6.0, "x_off": 2.0, "phi": 0.7, "v": 1.5}
    world = pep_stochastic.reflected(numbers)
    for H, a in zip(world.H, world.a, strict=True):
        assert np.linalg.eigvalsh(H) == pytest.approx([0.5, 3.0])
        assert np.linalg.norm(H @ a) == pytest.approx(1.5)
    assert world.x_star == pytest.approx([0.0, 0.0], abs=1e-15)
    assert world.constants()["sigma_star"] == pytest.approx(1.5)


def test_a_step_of_sgd_on_it_by_hand():
    numbers = {"L": 3.0, "spread": 6.0, "x_off": 2.0, "phi": 0.7, "v": 1.5}
    world, gamma = pep_stochastic.reflected(numbers), 0.3
    x = np.array([2.0, 0.0])
    by_hand = np.mean([np.sum((x - gamma * H @ (x - a)) ** 2) for H, a in zip(world.H, world.a, strict=True)])
    case = bound_case("pep-stochastic", "sgd", "printed")
    instance = {"mirrored": numbers, "run": {"K": 1, "T": 1}, "letters": {"gamma": gamma}}
    assert case.attempt(instance, paper("printed", "pep-stochastic")).measured == pytest.approx(by_hand)


def test_what_gradient_descent_gains_is_the_difference_of_two_values():
    case = bound_case("pep-nonconvex", "smallest-gradient", "printed")
    numbers = {"L": 2.0, "spread": 5.0, "depth": 1.7, "x_off": 3.0}
    instance = {"quadratics": numbers, "run": {"K": 1, "T": 4}, "letters": {"gamma": 0.2}}
    tried = case.attempt(instance, paper("printed", "pep-nonconvex"))
    h = 2 / 1.7
    last = 3 * (1 - 0.2 * h) ** 4
    assert tried.values["D"] == pytest.approx(h / 2 * (9 - last**2))
    assert tried.measured == pytest.approx((h * last) ** 2)


def test_ogm_g_with_its_numbers_by_hand():
    theta = pep_optimized.thetas(4)
    assert theta[1] ** 2 - theta[1] == pytest.approx(theta[0] ** 2)
    assert theta[4] ** 2 - theta[4] == pytest.approx(2 * theta[3] ** 2)
    t, h, x, y = theta[::-1], 0.3, 1.0, 1.0
    for i in range(4):
        y_old, y = y, x - h * x
        ahead = (2 * t[i + 1] - 1) / (2 * t[i] - 1)
        x = y + (t[i] - 1) / t[i] * ahead * (y - y_old) + ahead * (y - x)
    method = find.bindings("pep-optimized")["ogm-g"].solver(
        paper("printed", "pep-optimized"), {"L": 1.0, "n": 4.0}
    )
    measure = {"last": rc.measures.distance().last()}
    result = rc.expect(rc.worlds.SingleLevel(H=h), method, K=1, T=4, x0=1.0, measures=measure, times=[])
    assert result.last == pytest.approx(x**2)


@pytest.mark.nightly
def test_the_lyapunov_function_of_robust_momentum_by_its_definition():
    case = bound_case("pep-robust-momentum", "robust-momentum-code", "printed")
    numbers = {"L": 2.0, "spread": 8.0, "depth": 3.0, "x_off": 1.5, "angle": 0.9}
    instance = {"two_points": numbers, "run": {"K": 1, "T": 1}, "letters": {"lam": 0.4}}
    tried = case.attempt(instance, paper("printed", "pep-robust-momentum"))
    L, mu = 2.0, 0.25
    kappa = L / mu
    rho = 0.4 * (1 - 1 / kappa) + 0.6 * (1 - 1 / math.sqrt(kappa))
    alpha = kappa * (1 - rho) ** 2 * (1 + rho) / L
    beta = kappa * rho**3 / (kappa - 1)
    gamma = rho**3 / ((kappa - 1) * (1 - rho) ** 2 * (1 + rho))
    weight = mu**2 * (kappa - kappa * rho**2 - 1) / (2 * rho * (1 - rho))
    h = np.array([L, L / 3, mu])

    def value(x, last):
        y = x + gamma * (x - last)
        following = x + beta * (x - last) - alpha * h * y
        z = (following - rho**2 * x) / (1 - rho**2)
        f, g = np.sum(h * y**2) / 2, h * y
        q = (L - mu) * (f - mu / 2 * np.sum(y**2)) - np.sum((g - mu * y) ** 2) / 2
        return weight * np.sum(z**2) + q, following

    x = 1.5 * np.array([0.0, math.cos(0.9), 1.0])
    before, following = value(x, 1.5 * np.array([0.0, math.sin(0.9), -1.0]))
    assert tried.values["v"] == pytest.approx(before)
    assert tried.measured == pytest.approx(value(following, x)[0])


# What is stored of PEPit.


@pytest.fixture(scope="module")
def rows():
    return list(table.rows())


def test_what_is_stored_says_how_it_was_made():
    stored = json.loads(table.NUMBERS.read_text(encoding="utf-8"))
    assert stored["made_with"]["PEPit"].startswith("0.5.")
    assert stored["solver"].lower() in stored["made_with"]
    for statement, function, example in EXAMPLES:
        arguments = [each["arguments"] for each in stored["examples"][f"{statement} {function}"]]
        assert arguments == list(example.arguments)
    assert len(stored["examples"]) == len(EXAMPLES)


def test_the_printed_formulas_are_those_of_pepits_code():
    stored = table.stored()["examples"]
    compared = 0
    for statement, function, example in EXAMPLES:
        for arguments, each in zip(example.arguments, stored[f"{statement} {function}"], strict=True):
            if each["theory"] is not None and example.documented:
                printed, _ = table.sides(statement, example, arguments, each["worst"])
                assert printed == pytest.approx(each["theory"], rel=1e-9), statement
                compared += 1
    assert compared > 60


def test_no_quadratic_is_worse_than_pepits_worst_case(rows):
    for row in rows:
        assert row.quadratic <= row.pepit * (1 + table.SOLVED), row


VERDICTS = {
    **{statement: {table.BY_QUADRATICS} for statement in STATEMENTS},
    **{statement: {table.EXCEEDED} for statement in REFUTED},
    "pep-gradient-descent:convex": {table.BEYOND},
    "pep-momentum:heavy-ball": {table.LOOSE},
    "pep-momentum:nesterov-strongly-convex": {table.LOOSE},
    "pep-momentum:nesterov-convex": {table.LOOSE},
    "pep-optimized:ogm": {table.EXCEEDED_BEYOND},
    "pep-proximal-point:proximal-point": {table.BEYOND},
    "pep-nonconvex:smallest-gradient": {table.BEYOND, table.EXCEEDED},  # at gamma = 1/L, and below
    "pep-nonconvex:lojasiewicz-short": {table.LOOSE, table.EXCEEDED},  # by units of mu above and below 1
    "pep-nonconvex:lojasiewicz-middle": {table.BEYOND, table.LOOSE},  # the last by the expensive description
    "pep-nonconvex:lojasiewicz-long": {table.BEYOND, table.LOOSE},  # at n = 1, and 2
}


@pytest.mark.nightly
def test_who_attains_the_print_or_breaks_it(rows):
    said = {}
    for row in rows:
        said.setdefault(row.statement, set()).add(row.verdict)
    assert said == VERDICTS


@pytest.mark.nightly
@pytest.mark.parametrize("id", ["smallest-gradient", "lojasiewicz-short"])
def test_pepits_numbers_are_the_repaired_bounds(id):
    repaired = paper("repaired", "pep-nonconvex")
    for statement, function, example in EXAMPLES:
        if statement != f"pep-nonconvex:{id}" or function.endswith("expensive"):
            continue
        known = table.stored()["examples"][f"{statement} {function}"]
        for arguments, stored in zip(example.arguments, known, strict=True):
            values = {**arguments, "D": 1.0, "Delta": 1.0}
            terms = evaluate(repaired, id, values).terms
            assert sum(terms.values()) == pytest.approx(stored["pepit"], rel=1e-6)


@pytest.mark.nightly
def test_v_vanishes_before_a_step_and_not_after_it_with_the_docstrings_coefficients_alone():
    """L = 1, mu = 1/4, lam = 1: along the flattest direction v is a square of z, without q."""
    curvature, kappa, rho = Fraction(1, 4), Fraction(4), Fraction(3, 4)
    beta = kappa * rho**3 / (kappa - 1)

    def after(alpha, gamma):
        """z after a step from where it is zero."""
        here = 1 + beta - alpha * curvature * (1 + gamma)
        before = alpha * curvature * gamma - beta
        x, last = -before, here - rho**2  # z = 0
        following = here * x + before * last
        assert following == rho**2 * x != 0
        return here * following + before * x - rho**2 * following

    ahead = (kappa - 1) * (1 - rho) ** 2 * (1 + rho)
    assert after(kappa * (1 - rho**2) * (1 + rho), rho**2 / ahead) != 0
    assert after(kappa * (1 - rho) ** 2 * (1 + rho), rho**3 / ahead) == 0
