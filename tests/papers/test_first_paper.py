"""The first paper as a whole: its errata, its theorems and their witnesses."""

import math
from typing import Any

import pytest

from oracles import many_digits, the_print
from ratecert.catalogue import cases
from ratecert.catalogue.find import FIRST, paper
from ratecert.catalogue.load import version_of
from ratecert.search.case import Case, Trial
from ratecert.search.witness import Instance
from ratecert.theory.lint import Finding, lint
from ratecert.theory.numbers.evaluation import complete
from ratecert.theory.statements import Theorem
from ratecert.verdicts.collect import of_package
from ratecert.verdicts.theorem import searched

PRINTED, REPAIRED = paper("printed"), paper("repaired")
THEOREMS = {"theorem-1": ("G", "noise_u"), "theorem-2": ("G",), "theorem-3": ("G", "noise_u")}


# Errata and the linter.


@pytest.fixture(scope="module")
def found() -> list[Finding]:
    return lint(PRINTED)


FOLLOWS = {"remark-2", "remark-3", "remark-4"}  # of corollaries in which the linter finds what is wrong


def within(place: str, other: str) -> bool:
    return f"{place}.".startswith(f"{other}.") or f"{other}.".startswith(f"{place}.")


def test_every_erratum_that_names_the_linter_is_found_by_it(found: list[Finding]) -> None:
    for erratum in REPAIRED.errata:
        named, _, kinds = erratum.evidence.partition("ratecert lint: ")
        assert not named
        said = {each.kind for each in found if within(each.place, erratum.place)}
        assert said & set(kinds.partition(";")[0].split(", ")) or erratum.place in FOLLOWS, erratum.place


def test_everything_that_the_linter_finds_is_cured_by_an_erratum(found: list[Finding]) -> None:
    places = {erratum.place for erratum in REPAIRED.errata}
    for each in found:
        assert each.severity == "note" or any(within(each.place, place) for place in places), each.place
    assert not lint(REPAIRED)


@pytest.mark.parametrize("place", ["constant.G.left", "theorem-1.term.noise_u", "theorem-3.condition.rho_2"])
def test_what_is_wrong_is_found_again_without_its_erratum(place: str) -> None:
    rest = tuple(erratum for erratum in REPAIRED.errata if erratum.place != place)
    errors = [each for each in lint(PRINTED.repaired(rest)) if each.severity == "error"]
    assert any(within(each.place, place) for each in errors)


# The repaired theorems on trial.


@pytest.mark.parametrize("theorem", THEOREMS)
def test_a_short_search_breaks_no_repaired_theorem(theorem: str) -> None:
    row = searched(FIRST, theorem, "repaired", 5, 0, code=version_of(FIRST))[0]
    assert row["inside"] >= 1
    assert 0 < row["largest"] <= 1


# The witnesses by a second way: 80 digits, and the print transcribed once more.

WITNESSES = {path.stem.removeprefix(f"{FIRST}."): cases.read(path) for path in cases.stored(FIRST)}
STEPS = ("alpha", "beta", "rho_1", "rho_2", "theta")
FOREVER = 2**200  # an average over so many t differs from its limit by less than a double shows
SHORT = ("theorem-1.printed-G.simple", "theorem-1.printed-noise_u.simple")


def transcribed(tried: Trial, theorem: str) -> float:
    """The bound; what Theorem 3 prescribes is a letter there."""
    full = complete(PRINTED, PRINTED.the(Theorem, theorem), tried.values)
    letters = {name: value for name, value in full.items() if name not in PRINTED.constants}
    return math.fsum(the_print.TERMS[theorem]({**letters, "L_12": letters["L_21"]}))


def digits(case: Case, instance: Instance, tried: Trial) -> float:
    """The measured side, while steps are constant."""
    setting, _ = case.setting_and_letters(instance)
    values = complete(case.source, case.theorem, tried.values)
    algorithm = case.theorem.algorithm
    counts = {name: int(values.get(name, 1)) for name in ("p", "Q", "B")}
    own = many_digits.method(
        {"algorithm-1": "LocalBSGM", "algorithm-2": "LocalBSGVRM"}[str(algorithm)],
        eta=constant_step(values),
        **{name: float(values[name]) for name in STEPS},
        **counts,
    )
    T = FOREVER if math.isinf(setting.T) else int(setting.T)
    start = {"x0": float(setting.x0[0]), "y0": float(setting.start["y"][0])}
    ((averages, _),) = many_digits.moments(setting.world, own, K=setting.K, lengths=[T], **start)
    return float(averages["gradient"] + float(values["L_tilde"]) ** 2 * averages["tracking"])


def constant_step(values: Any) -> float:
    """Theorem 3's is K^(2/3)/L_hat over the third root of the larger of two numbers, until it decays."""
    if "eta" in values:
        return float(values["eta"])
    K, L_hat = values["K"], values["L_hat"]
    floor = K**2 * max(200.0**3 * values["p"] ** 3, 8 * (values["L_Phi"] * values["rho_1"] / L_hat) ** 3)
    return float(K ** (2 / 3) / L_hat / floor ** (1 / 3))


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in SHORT else pytest.mark.nightly) for name in WITNESSES]
)
def test_a_witness_is_one_by_80_digits_and_by_the_print(name: str) -> None:
    found = WITNESSES[name]
    case = cases.case_for(found)
    tried = case.attempt(found.instance, PRINTED)
    measured, bound = digits(case, found.instance, tried), transcribed(tried, case.statement)
    assert measured == pytest.approx(tried.measured, rel=2e-9, abs=0)  # rounding is taken off
    assert bound == pytest.approx(tried.bound, rel=1e-12, abs=0)
    assert measured > bound


def test_another_step_is_another_measure_and_another_bound() -> None:
    found = WITNESSES["theorem-1.printed-G.simple"]
    case = cases.case_for(found)
    tried = case.attempt(found.instance, PRINTED)
    moved = {**found.instance, "letters": {**found.instance["letters"], "eta": 0.101}}
    other = case.attempt(moved, PRINTED)
    assert digits(case, moved, other) != pytest.approx(tried.measured, rel=1e-4, abs=0)
    assert transcribed(other, "theorem-1") != pytest.approx(tried.bound, rel=1e-4, abs=0)


def test_the_searched_range_says_where_runs_of_theorem_3_end() -> None:
    """Its step decays from some iteration on, and a search goes no further."""
    ends = {
        id: "no longer than the steps are constant" in of_package(FIRST)[f"{id}.repaired"].regime
        for id in THEOREMS
    }
    assert ends == {"theorem-1": False, "theorem-2": False, "theorem-3": True}
