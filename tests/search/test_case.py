"""A theorem on trial: a second look before anything counts, both ends that confirm it, and what a search tries."""

import math
import re
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sympy

import ratecert as rc
from oracles.small_papers import LINE, Given, descent, small_paper
from ratecert.binding.binding import MOST_DEVICES
from ratecert.binding.steps import SCALE, SMALLEST
from ratecert.catalogue import load
from ratecert.catalogue.cases import bound_case, case_of
from ratecert.catalogue.find import paper
from ratecert.cli.main import main
from ratecert.errors import NothingTriedError, OutsideConditionsError, UndecidedError, UserError, WitnessError
from ratecert.search import finding
from ratecert.search.case import LONGEST, Again, Case, Trial
from ratecert.search.finding import Confirmed, Outcome, confirm, falsify
from ratecert.search.rendering import as_lines
from ratecert.theory.paper import Erratum

s = rc.statements
T, alpha, beta, h, p, R_2 = s.letters("T alpha beta h p R_2")
NUMBERS = {"family": 1.0, "h": 1.0, "far": 1.0, "T": 1.0, "of alpha": 1.0}  # with these the bound is R_2 = 1
STEP = {"alpha": s.Condition(alpha, "<=", (1 / h,))}


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "_REGISTERED", {})


def given(**ends: Any) -> Case:
    """At most R_2, of a run that gives these ends, in doubles and in balls."""
    key = rc.register(
        small_paper("ends-by-hand", terms={"all": R_2}, conditions=STEP, letters="T alpha h R_2"),
        {"theorem-1": Given(**descent(**ends))},
    )
    return bound_case(key, "theorem-1", "printed")


@pytest.mark.parametrize(("term", "square"), [(sympy.sqrt(R_2), 2), (R_2**2 / sympy.sqrt(R_2), 8)])
def test_the_bound_counts_by_its_upper_end(term: Any, square: int) -> None:
    """The double below the root of 2 would refute what attains it."""
    key = rc.register(small_paper("root-by-hand", terms={"all": term}, letters="T alpha h R_2"), {})
    case = SimpleNamespace(statement="theorem-1")
    top = Case._top(case, paper("printed", key), {"R_2": 2.0})  # type: ignore[arg-type]
    assert Fraction(top) ** 2 > square > Fraction(math.nextafter(top, 0)) ** 2


def drawn(case: Case) -> float:
    return case.draw(NUMBERS, paper("printed", case.key)).measured


# The second look.


def test_a_run_that_breaks_the_bound_in_doubles_is_computed_again_in_balls() -> None:
    """A rounding that looks like a counterexample is dropped, and a counterexample is kept."""
    assert drawn(given(rough=(1.5, 1.5), balls=(0.5, 0.5))) == pytest.approx(0.5, rel=1e-8)
    assert drawn(given(rough=(1.5, 1.5), balls=(1.25, 1.25))) == pytest.approx(1.25, rel=1e-8)


def test_a_run_that_respects_the_bound_in_doubles_is_not_computed_again() -> None:
    assert drawn(given(rough=(0.75, 0.75), balls=(0.5, 0.5))) == pytest.approx(0.75, rel=1e-8)


def test_a_run_that_vanishes_beside_its_bound_counts_for_nothing() -> None:
    """A measure of 0 keeps a bound that is 0 or ordinary; beside what doubles hardly know it may be anything."""
    case = given(rough=(0.0, 0.0))
    source = paper("printed", case.key)
    assert [case.draw({**NUMBERS, "far": far}, source).ratio for far in (1.0, 0.0)] == [0.0, 0.0]
    with pytest.raises(UndecidedError, match="measure and bound are below 1e-280"):
        case.draw({**NUMBERS, "far": 1e-145}, source)


def test_doubles_and_balls_count_by_their_lower_ends() -> None:
    assert drawn(given(rough=(1.5, 2.5), balls=(0.5, 3.5))) == pytest.approx(0.5, rel=1e-8)
    assert drawn(given(rough=(0.5, 2.5))) == pytest.approx(0.5, rel=1e-8)


# The second way.


def again(case: Case) -> Any:
    source = paper("printed", case.key)
    instance = case.instance(NUMBERS, source)
    return case.again(instance, case.attempt(instance, source))


def test_the_second_way_has_the_lower_end_of_the_measure_and_the_upper_end_of_the_bound() -> None:
    found = again(given(rough=(1.5, 1.5), again=(1.25, 1.75)))
    assert found.measured == pytest.approx(1.25, rel=1e-8)
    assert 1.0 <= found.bound <= 1.0 + 1e-15
    assert (found.how, found.bound_how) == ("enclosed in balls, lower end", "in intervals, upper end")


def test_a_bound_that_is_attained_is_not_broken() -> None:
    """Constants of worlds are rounded to the side on which they hold, so that equal sides are equal."""
    case = given(rough=(1.0, 1.0), again=(1.0, 1.0))
    found, source = again(case), paper("printed", case.key)
    assert found.measured <= found.bound
    assert case.attempt(case.instance(NUMBERS, source), source).ratio <= 1.0
    assert found.measured > 1.0 - 1e-8


def test_where_nothing_can_be_enclosed_the_second_way_says_why_and_measures_nothing() -> None:
    found = again(given(rough=(1.5, 1.5), again=WitnessError("too many states.")))
    assert found.measured is None
    assert found.how == "no enclosure: too many states."
    assert found.bound == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("second", "falsified"), [((0.5, 0.5), False), ((1.5, 1.5), True), ((1.4, 1.4), False)]
)
def test_a_search_finds_what_both_ways_confirm_and_nothing_else(
    second: tuple[float, float], falsified: bool
) -> None:
    """The third differs from the first way by 7 %, though both exceed the bound."""
    case = given(rough=(1.5, 1.5), balls=(1.5, 1.5), again=second)
    outcome = falsify(case, budget=4, seed=0, jobs=1, advance=lambda _: None)
    assert outcome.largest >= 1.4
    assert (outcome.falsified, outcome.unconfirmed) == (falsified, not falsified)


@pytest.mark.parametrize(("missing", "falsified"), [({1}, True), ({2}, True), ({1, 2}, False)])
def test_a_world_counts_where_it_or_its_simple_form_is_confirmed(
    monkeypatch: pytest.MonkeyPatch, missing: set[int], falsified: bool
) -> None:
    case, calls = given(rough=(1.5, 1.5), balls=(1.5, 1.5), again=(1.5, 1.5)), list[Confirmed]()

    def one_or_the_other(*given: Any) -> Confirmed:
        calls.append(confirm(*given))
        lacking = replace(calls[-1], again=Again(measured=None, bound=None, how="no enclosure"))
        return lacking if len(calls) in missing else calls[-1]

    monkeypatch.setattr(finding, "confirm", one_or_the_other)
    outcome = falsify(case, budget=4, seed=0, jobs=1, advance=lambda _: None)
    assert (outcome.falsified, outcome.unconfirmed) == (falsified, not falsified)
    assert all(each.found.confirmed and each.simple.confirmed for each in outcome.findings)


def test_a_search_ends_with_its_time_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a clock by which a world takes a second."""
    case, clock = given(rough=(1e-12, 1e-12)), [0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])

    def search(seconds: float) -> Outcome:
        return falsify(
            case, budget=100, seed=0, jobs=1, advance=lambda n: clock.append(clock.pop() + n), seconds=seconds
        )

    early, whole = search(30), search(1000)
    assert 30 <= early.tried < 60 < whole.tried
    assert (early.late, whole.late) == (True, False)
    assert ["when the time ended" in as_lines(each, {}) for each in (early, whole)] == [True, False]
    with pytest.raises(NothingTriedError, match="the time ended before any world was tried"):
        search(-1)


def test_a_search_blames_the_erratum_that_cures_the_print() -> None:
    """The measure is R_2, and the first term 3/4 of it as printed; the second term is too small to matter."""
    tiny = R_2 / 10**9
    printed = small_paper(
        "blamed-by-hand",
        terms={"first": 3 * R_2 / 4, "second": tiny},
        conditions=STEP,
        letters="T alpha h R_2",
    )
    errata = (
        Erratum(
            place="theorem-1.term.second", printed=tiny, read=2 * tiny, reason="twice", evidence="by hand"
        ),
        Erratum(
            place="theorem-1.term.first", printed=3 * R_2 / 4, read=4 * R_2, reason="lost", evidence="by hand"
        ),
    )
    run = {"theorem-1": Given(**descent(rough=(1.0, 1.0)))}
    key = rc.register(printed, run, repaired=printed.repaired(errata))
    case = bound_case(key, "theorem-1", "printed")
    outcome = falsify(case, budget=48, seed=0, jobs=1, advance=lambda _: None)
    assert [found.simple.witness.place for found in outcome.findings] == ["theorem-1.term.first"]
    (found,) = outcome.findings
    assert found.simple.ratios.alone < 1 < found.simple.ratios.others
    nearest = case.attempt(outcome.nearest, paper("printed", key))
    assert outcome.largest >= max(found.ratio, nearest.ratio) == pytest.approx(outcome.largest)
    assert "to blame: theorem-1.term.first;" in repr(outcome)


def test_without_a_counterexample_the_nearest_world_is_told() -> None:
    """R_2 is least, and the ratio largest, where far is; K is none of a method on one machine."""
    case = given(rough=(0.2, 0.2))
    outcome = falsify(case, budget=32, seed=0, jobs=1, advance=lambda _: None)
    nearest = case.attempt(outcome.nearest, paper("printed", case.key))
    assert 0.2 < nearest.ratio == pytest.approx(outcome.largest)
    assert "not refuted, largest measured/bound" in repr(outcome)
    assert "K" not in {level.name for level in case.levels}


# What a search tries.


def open_case(**more: Any) -> Case:
    """alpha is bounded; beta is a step, and p a count, that nothing bounds."""
    method: dict[str, Any] = {
        "method": rc.methods.SCAFFOLD,
        "hyperparameters": {"eta_l": alpha, "eta_g": beta, "p": p},
    }
    terms, letters = {"all": R_2 + beta * p}, "T K alpha beta h p R_2"
    key = rc.register(
        small_paper("open-by-hand", terms=terms, conditions=STEP, letters=letters),
        {"theorem-1": s.Binding(**descent(**method, **more))},
    )
    return bound_case(key, "theorem-1", "printed")


def test_a_letter_goes_up_to_the_most_that_it_may_be_and_an_open_step_up_to_its_scale() -> None:
    case = open_case()
    assert case.letters == {"alpha": 1.0, "beta": SCALE, "p": 1.0}
    ranges = {level.name: (level.low, level.high) for level in case.levels}
    assert ranges["of beta"] == (SMALLEST * SCALE, SCALE)
    assert ranges["of alpha"] == ranges["of p"] == (SMALLEST, 1.0)


def test_an_open_step_stands_for_itself_and_a_bounded_one_for_a_part() -> None:
    case = open_case()
    source, numbers = paper("printed", case.key), {**NUMBERS, "h": 2.0, "of beta": 8.0, "of p": 1.0}
    letters = case.instance({**numbers, "of alpha": 0.5}, source)["letters"]
    assert letters == {"alpha": 0.25, "beta": pytest.approx(8.0), "p": 1.0}


def test_counts_that_nothing_bounds_are_tried_large_and_steps_that_nothing_bounds_are_not_tried_tiny() -> (
    None
):
    simple = open_case().simple
    assert any(numbers["of p"] == SMALLEST for numbers in simple)
    assert not any(numbers["of beta"] == SMALLEST for numbers in simple)


@pytest.mark.parametrize("counts_from", [0, 1])
def test_the_start_is_tried_where_it_is_the_first_iterate(counts_from: int) -> None:
    """With all letters at their most, for which it plays no part."""
    starts = [held for held in open_case(counts_from=counts_from).subspaces if held.get("T") == 0.0]
    assert len(starts) == counts_from
    assert all(held["of alpha"] == 1.0 and held["of beta"] == SCALE for held in starts)


@pytest.mark.parametrize(("counts_from", "T_"), [(0, 0), (1, -1), (0, 2**62 + 1), (0, 1.5)])
def test_a_run_of_no_allowed_length_is_refused(counts_from: int, T_: Any) -> None:
    case = open_case(counts_from=counts_from)
    letters = {"alpha": 0.5, "beta": 1.0, "p": 1.0}
    instance = {"line": {"h": 1.0, "far": 1.0}, "run": {"K": 1, "T": T_}, "letters": letters}
    with pytest.raises(
        ValueError, match=rf"run.T must be a whole number from {1 - counts_from} to 2\^62, or inf"
    ):
        case.attempt(instance, paper("printed", case.key))


def test_a_family_is_named_by_its_number() -> None:
    case = open_case()
    assert case.family({"family": 1.0}).name == "line"
    for number in (0.0, 2.0):
        with pytest.raises(UserError, match=f"family must be from 1 to 1, got {number:g}"):
            case.family({"family": number})


def test_numbers_beyond_their_range_are_for_a_subspace_that_holds_them() -> None:
    """T = 0 is tried where the start counts, and alpha beyond its most nowhere."""
    numbers = {**NUMBERS, "K": 1.0, "of beta": SCALE, "of p": 1.0}
    assert [open_case(counts_from=n).in_range({**numbers, "T": 0.0}) for n in (0, 1)] == [False, True]
    assert not open_case().in_range({**numbers, "of alpha": 1.5})
    assert open_case().in_range(numbers)


def test_devices_are_searched_where_the_theorem_has_a_letter_for_them() -> None:
    levels = {level.name: level for level in open_case(devices="K").levels}
    assert (levels["K"].low, levels["K"].high, levels["K"].whole) == (1.0, MOST_DEVICES, True)
    assert {level.high for level in open_case().levels if level.name == "K"} == {3.0}  # it has local steps
    assert "K" not in {level.name for level in given().levels}


@pytest.mark.parametrize(("rough", "limits"), [((0.5, 0.5), 1), ((0.0, 0.0), 0)])
def test_the_limit_of_long_runs_is_searched_where_something_is_left_of_both_sides(
    rough: tuple[float, float], limits: int
) -> None:
    case = given(rough=rough, most_iterations=2**62)
    assert sum(held.get("T") == math.inf for held in case.subspaces) == limits
    assert not [held for held in given(rough=rough).subspaces if held.get("T") == math.inf]


def test_parts_of_the_largest_steps_are_tried_over_long_runs() -> None:
    """A tenth of them, and halves of all or of all but the first over a few iterations."""
    tried = {(numbers["of alpha"], numbers["of beta"], numbers["T"]) for numbers in open_case().simple}
    assert {(0.1, 0.1, 4.0), (0.5, 0.5, 4.0), (1.0, 0.5, 4.0), (1.0, 1.0, 1.0)} <= tried


def test_an_instance_is_of_the_family_whose_table_it_has() -> None:
    other = replace(LINE, name="other")
    case = open_case(worlds=(LINE, other))
    numbers = {"h": 1.0, "far": 1.0}
    assert [case.family_of({name: numbers}).name for name in ("line", "other", "none")] == [
        "line",
        "other",
        "line",
    ]
    assert [case.family({"family": float(i)}).name for i in (1, 2)] == ["line", "other"]


def test_the_case_of_a_statement_is_that_of_its_theorem() -> None:
    case = open_case()
    found = case_of(f"{case.key}:theorem-1", "printed")
    assert (found.id, found.printed, found.binding) == (case.id, case.printed, case.binding)
    assert math.isclose(case.draw({**NUMBERS, "of beta": 1.0, "of p": 1.0}, paper(key=case.key)).bound, 2.0)


# measured/bound at an instance, and under another version of the paper.


def trial(measured: float = 3.0, bound: float = 2.0) -> Trial:
    return Trial(measured=measured, bound=bound, precision=0.0, values={"L": 2.0})


@pytest.mark.parametrize(
    ("measured", "bound", "ratio"),
    [
        (3.0, 2.0, 1.5),
        (1.0, 2.0, 0.5),
        (0.0, 2.0, 0.0),
        (-1.0, 2.0, 0.0),
        (0.0, 0.0, 0.0),
        (1e-300, 0.0, math.inf),
    ],
)
def test_the_ratio_is_measured_over_bound(measured: float, bound: float, ratio: float) -> None:
    """A measure of zero breaks no bound; a bound of zero is broken by any other measure."""
    assert trial(measured, bound).ratio == ratio


@pytest.mark.parametrize("sides", [(math.nan, 2.0), (3.0, math.nan), (math.nan, -1.0), (math.nan, 0.0)])
def test_nan_neither_breaks_a_bound_nor_keeps_it(sides: tuple[float, float]) -> None:
    """A world that has it counts as none, and is not the one that came nearest."""
    with pytest.raises(UndecidedError, match="no numbers"):
        assert not trial(*sides).ratio


def version(bound: float | None) -> Any:
    """A statement with this bound, or one that says nothing at these values."""

    def right_side(values: Any, source: Any) -> float:
        if bound is None:
            raise OutsideConditionsError("outside")
        return bound * values["L"]

    return SimpleNamespace(right_side=right_side)


@pytest.mark.parametrize(("bound", "ratio"), [(1.0, 1.5), (6.0, 0.25), (0.0, math.inf), (None, 0.0)])
def test_another_version_has_its_own_bound_and_outside_its_conditions_the_ratio_0(
    bound: float | None, ratio: float
) -> None:
    assert Case.ratio_in(version(bound), trial(), source=None) == ratio  # type: ignore[arg-type]


def test_a_measure_of_zero_breaks_no_version() -> None:
    assert Case.ratio_in(version(1.0), trial(measured=0.0), source=None) == 0.0  # type: ignore[arg-type]


# Runs are searched up to T = 2^62, and in the limit T = infinity where a bound has one above zero.

AVERAGED = {  # theorems with a constant step: its fractions of the most that is allowed
    "parallel-sgd:sgd-descent": ({"eta": 1.0}, {"eta": 1e-3}),
    "ghadimi-lan:constant-steps": ({"gamma": 0.5}, {"gamma": 1e-3}),
    "sg:theorem-4-6": ({"abar": 1.0}, {"abar": 1e-3}),
    "sg:theorem-4-8": ({"abar": 1.0}, {"abar": 1e-3}),
    "pasgd:theorem-1": ({"eta": 0.5, "tau": 1.0}, {"eta": 1e-3, "tau": 1.0}),
}
WORLDS = ({"L": 1.0, "spread": 1.0, "s": 1.0}, {"L": 7.0, "spread": 100.0, "s": 0.01})


def tried(id: str, fractions: dict[str, float], world: dict[str, float], T: float) -> Trial:
    """After T iterations from the solution, on four devices where there are several."""
    key, _, statement = id.partition(":")
    case, source = bound_case(key, statement, "printed"), paper("printed", key)
    assert set(fractions) <= set(case.letters)
    numbers = {
        **{level.name: 1.0 for level in case.levels},
        **world,
        "x_off": 0.0,
        "T": T,
        "K": 4.0,
        "family": 1.0,
        **{f"of {name}": value for name, value in fractions.items()},
    }
    return case.attempt(case.instance(numbers, source), source)


@pytest.mark.parametrize("id", AVERAGED)
@pytest.mark.parametrize("world", WORLDS, ids=["one curvature", "two"])
def test_from_the_solution_the_longest_run_is_the_limit(id: str, world: dict[str, float]) -> None:
    for fractions in AVERAGED[id]:
        longest, limit = (tried(id, fractions, world, T).ratio for T in (float(LONGEST), math.inf))
        assert longest == pytest.approx(limit, rel=1e-8)


@pytest.mark.parametrize("id", sorted(set(AVERAGED) - {"sg:theorem-4-6"}))  # whose bound begins at zero there
def test_a_short_run_is_not(id: str) -> None:
    _, small = AVERAGED[id]
    short, limit = (tried(id, small, WORLDS[1], T).ratio for T in (2.0, math.inf))
    assert short < 0.9 * limit


def test_the_limit_of_sgd_is_the_closed_form() -> None:
    """x+ = x - a (L x + n) has E(Lx)^2 = a L s^2/(2 - a L) in each of two coordinates, over K devices."""
    for fraction in (0.25, 0.5, 0.9):
        found = tried("parallel-sgd:sgd-descent", {"eta": fraction}, WORLDS[0], math.inf)
        a = found.values["eta"]
        assert found.measured == pytest.approx(2 * a / (2 - a) / 4, rel=1e-8)


@pytest.mark.parametrize(
    ("id", "limits"),
    [
        ("parallel-sgd:sgd-descent", 2),
        ("sg:theorem-4-8", 3),
        ("pep-gradient-descent:convex", 0),  # falls to zero
        ("pep-stochastic:sgd", 0),  # speaks of one step
        ("ghadimi-lan:diminishing-steps", 0),  # steps that depend on T
        ("stich-local-sgd:theorem-2-2", 0),  # weights that grow
    ],
)
def test_where_there_is_a_limit_it_is_searched(id: str, limits: int) -> None:
    key, _, statement = id.partition(":")
    case = bound_case(key, statement, "printed")
    assert sum(held.get("T") == math.inf for held in case.subspaces) == limits


def test_a_floor_that_is_too_low_is_found_in_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing else is searched here, and what is found is kept, and computed again from the file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Case, "subspaces", property(lambda self: self._limits))
    assert main(["new", "my_paper"]) == 0
    path = tmp_path / "my_paper.py"
    text = path.read_text("utf-8")
    sound = rc.falsify(f"{path}:theorem-1", budget=30)
    assert not sound.falsified
    assert sound.nearest["run"]["T"] == math.inf
    path.write_text(
        text.replace("alpha * L * sigma**2 / K", "alpha * L * sigma**2 / (4 * K)"), encoding="utf-8"
    )
    assert main(["falsify", "my_paper.py:theorem-1", "--budget", "30", "--jobs", "1", "--out", "found"]) == 0
    assert "refuted" in capsys.readouterr().out
    witness = Path("found/my_paper.theorem-1.printed.toml")
    assert re.search(r"^T = inf$", witness.read_text("utf-8"), re.MULTILINE)
    assert main(["check", str(witness)]) == 0
    assert "enclosed in balls" in capsys.readouterr().out


def test_a_count_of_devices_has_no_limit() -> None:
    case, source = bound_case("parallel-sgd", "sgd-descent", "printed"), paper("printed", "parallel-sgd")
    numbers = {level.name: 1.0 for level in case.levels} | {"family": 1.0}
    instance = case.instance(numbers, source)
    run = {**instance["run"], "K": math.inf}
    with pytest.raises(
        OutsideConditionsError, match=r"run\.K must be a whole number from 1 to 2\^62, got inf"
    ):
        case.attempt({**instance, "run": run}, source)
