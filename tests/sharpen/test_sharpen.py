"""Sharpening: constants that are known come back, what is tight is called so, and every lower bound is a world."""

import json
import re
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

import ratecert as rc
from ratecert.base.asked import asked
from ratecert.catalogue.cases import case_of, conjectured, read_conjecture, replayed
from ratecert.catalogue.find import paper
from ratecert.cli.main import main
from ratecert.errors import UserError, WitnessError
from ratecert.search import witness
from ratecert.search.case import Case
from ratecert.search.factors import factor_places, with_factors
from ratecert.search.finding import confirm
from ratecert.sharpening import powers, shown
from ratecert.sharpening import sharpen as whole
from ratecert.sharpening.beyond import FURTHEST, Beyond, Room, _confirmed, room_of
from ratecert.sharpening.explore import Book, Seen, explore, simple_instance
from ratecert.sharpening.least import (
    Least,
    LeastFactor,
    Smallest,
    factor_at,
    factor_of,
    least_of,
    rounded_down,
    rounded_up,
    smallest,
)
from ratecert.sharpening.powers import Exponent, Point, exponents_of, power_in, varies
from ratecert.sharpening.sharpen import Ratio
from ratecert.sharpening.shown import curves
from ratecert.theory.statements import Theorem

ONE_STEP = f"{Path(__file__).parent / 'one_step.py'}:one-step"
SGD = "parallel-sgd:sgd-descent"
CONTRACTION = Path(__file__).parents[2] / "docs" / "theorems" / "gradient_descent.py:contraction"
ONCE = 1  # job
EMPTY = Book((), ())


@cache
def book_of(case: Case, budget: int) -> Book:
    book = Book(tuple(case.theorem.terms), ())
    for i, term in enumerate(book.names):
        book = book.with_more(explore(case, LeastFactor(term), budget=budget, seed=i))
    return book


@pytest.fixture(scope="module")
def one_step() -> tuple[Case, Book]:
    case = case_of(asked(ONE_STEP), "printed")
    return case, book_of(case, 100)


def result_of(case: Case, book: Book = EMPTY, **more: Any) -> whole.Sharpened:
    """Nothing is sharpened, unless it is said."""
    ones = Smallest(dict.fromkeys(book.names, 1.0), 1.0, 1.0)
    given = {"least": (), "bound": ones, "room": (), "exponents": (), "trials": (1,), "survived": True} | more
    return whole.Sharpened(case=case, book=book, budget=40, seed=0, **given)


TIGHT = {"contraction": 1 / 2, "curvature": 1 / 3, "noise": 1 / 10}


def test_known_constants_come_back(one_step: tuple[Case, Book]) -> None:
    """Terms that are attained where the others vanish, multiplied by 2, 3 and 10."""
    case, book = one_step
    found = smallest(book, np.random.default_rng(0))
    for term, tight in TIGHT.items():
        least = least_of(case, book, term)
        assert 0.99 * tight <= least.factor <= tight
        assert tight <= found.factors[term] <= 1.01 * tight
        assert least.witness is not None
        assert least.witness.confirmed
    assert found.largest <= 1 + 1e-6


def test_a_larger_factor_is_not_confirmed(one_step: tuple[Case, Book]) -> None:
    """The world that needs 1/3 does not need more; a conjecture below the least factor is exceeded there."""
    case, book = one_step
    least = least_of(case, book, "curvature")
    assert least.witness is not None
    instance = least.witness.witness.instance
    assert confirm(replace(case, factors={"term.curvature": 0.33}), instance, "").confirmed
    assert not confirm(replace(case, factors={"term.curvature": 0.34}), instance, "").confirmed


def test_a_lower_bound_is_replayed_from_its_file(one_step: tuple[Case, Book], tmp_path: Path) -> None:
    case, book = one_step
    least = least_of(case, book, "noise")
    assert least.witness is not None
    file = tmp_path / "noise.toml"
    witness.write(least.witness.witness, file)
    assert replayed(witness.read(file)).confirmed
    assert main(["check", str(file)]) == 0
    file.write_text(file.read_text().replace(f'"term.noise" = {least.factor}', '"term.noise" = 0.2'))
    assert not replayed(witness.read(file)).confirmed
    file.write_text(file.read_text().replace('"term.noise"', '"term.nose"'))
    with pytest.raises(UserError, match=r"term\.nose"):
        replayed(witness.read(file))


@pytest.mark.nightly
def test_a_conjecture_that_was_not_tried_does_not_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    """From a book of one world the first conjecture is too small: it falls, and only a later one stands."""
    case = case_of(asked(ONE_STEP), "printed")
    terms = case.theorem.terms
    everywhere = partial(whole._in_every_subspace, case, ONCE, budget=200)
    seen = everywhere(Ratio((1.0,) * len(terms)), Book(tuple(terms), ()), seed=0)
    poor = Book(tuple(terms), (min(seen, key=lambda each: each.score),))
    *_, trials, survived = whole._tried_until_it_stands(everywhere, poor, 0, lambda _: None)
    assert survived
    assert len(trials) > 1
    monkeypatch.setattr(whole, "ROUNDS", 1)
    *_, trials, survived = whole._tried_until_it_stands(everywhere, poor, 0, lambda _: None)
    assert not survived
    assert len(trials) == 1


def explored(begun: list[Any], scores: tuple[float, ...] = ()) -> Any:
    """A search that finds these scores, one a call, and writes down where it began."""

    def explore(*_: object, subspaces: list[tuple[Any, Any]], **__: object) -> list[Seen]:
        begun.append(subspaces[0][1])
        return [Seen({"a": s}, 1.0, (1.0,), s) for s in scores[len(begun) - 1 : len(begun)]]

    return explore


@pytest.mark.parametrize(("scores", "climbs"), [((0.9, 5.0), 1), ((2.0, 4.0, 4.1, 9.0), 3), ((), 1)])
def test_a_trial_goes_on_while_it_rises(
    scores: tuple[float, ...], climbs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the top of the last climb; one that does not exceed the bound, or hardly rises, is the last."""
    begun: list[Any] = []
    monkeypatch.setattr(whole, "explore", explored(begun, scores))
    seen = whole._to_the_top(case_of(SGD, "printed"), Ratio((1.0,)), ({}, None), budget=9, seed=0)
    assert [each.score for each in seen] == list(scores[:climbs])
    assert begun == [None, *({"a": s} for s in scores[: climbs - 1])]


def test_no_subspace_is_left_out() -> None:
    """Of a small budget, too, every subspace has its part."""
    case = case_of(SGD, "printed")
    nothing = Book(("start", "noise"), ())
    seen = whole._in_every_subspace(case, ONCE, Ratio((1.0, 1.0)), nothing, budget=200, seed=0)
    for held in case.subspaces:
        assert any(held.items() <= each.numbers.items() for each in seen), held


def test_a_term_that_nobody_needs_is_dropped() -> None:
    """Worlds of two terms of which the first suffices; where it does not, the second stays."""
    worlds = [Seen({}, 1.0, (2.0, float(t))) for t in (1, 5, 10)]
    book = Book(("first", "second"), tuple(worlds))
    found = smallest(book, np.random.default_rng(0))
    assert found.factors == {"first": 0.5, "second": 0.0}
    assert all(factor_of(each.measured, each.terms[1], each.terms[0]) < 1e-100 for each in worlds)
    needed = Book(book.names, (*worlds, Seen({}, 1.0, (0.1, 4.0))))
    both = smallest(needed, np.random.default_rng(0))
    assert both.factors["second"] > 0.2
    assert both.largest <= 1 + 1e-6


@pytest.mark.nightly
def test_the_command_writes_what_it_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ["--out", str(tmp_path), "--budget", "40", "--jobs", "1"]
    assert main(["sharpen", ONE_STEP, *out, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert not found["tight"]
    assert found["survived"]
    for each in found["terms"]:
        assert main(["check", found["files"][f"term.{each['term']}"]]) == 0
    capsys.readouterr()
    assert main(["falsify", found["files"]["conjecture"], "--budget", "40", *out[:2]]) == 0
    assert re.search(r"with factors.*not refuted", capsys.readouterr().out)
    weak = tmp_path / "weak.toml"
    text = Path(found["files"]["conjecture"]).read_text()
    weak.write_text(re.sub(r'("term.noise" = )[\d.]+', r"\g<1>0.05", text))
    assert main(["falsify", str(weak), "--budget", "40", *out[:2]]) == 0
    first = next(tmp_path.glob("*.simple.toml"))
    capsys.readouterr()
    assert main(["check", str(first)]) == 0
    assert "term.noise times 0.05" in capsys.readouterr().out


@pytest.mark.nightly
def test_what_is_tight_is_called_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ["--out", str(tmp_path), "--budget", "40", "--jobs", "1"]
    assert main(["sharpen", SGD, *out, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["tight"]
    assert [each["sharpened"] for each in found["terms"]] == [1.0, 1.0]
    (eta,) = found["conditions"]
    assert 1 < eta["breaks_at"] < 1.2  # alpha <= 1/L is needed
    for place in ("term.start", "term.noise", "condition.eta"):
        assert main(["check", found["files"][place]]) == 0
    assert Path(found["files"]["along T"]).read_text().startswith("<?xml")


@pytest.mark.nightly
@pytest.mark.parametrize(("factor", "covers"), [(1.0, True), (0.5, False)])
def test_the_figure_is_a_worst_case_at_every_value(factor: float, covers: bool) -> None:
    """A tight bound is attained at every K and T; half of it is exceeded, and the print is the same beside it."""
    case = case_of(SGD, "printed")
    bound = Smallest(dict.fromkeys(case.theorem.terms, factor), 1.0, 1.0)
    found = curves(result_of(case, book_of(case, 60), bound=bound))
    assert {"T", "K"} <= set(found)
    for rows in found.values():
        assert len(rows) > 5
        assert all(1 - 1e-9 <= row.printed < 1.01 for row in rows)
        assert all((row.sharpened >= 1 - 1e-9) is covers for row in rows)


def test_a_rounded_step_may_be_a_rounding_beyond_the_rounded_clause() -> None:
    """gamma = 1.1 as a double is more than 11/10 in exact numbers: the clause is relaxed a little further."""
    case = case_of(asked(str(CONTRACTION)), "printed")
    beyond = Beyond(case, "gamma", 0)
    relaxed = replace(case, factors={"condition.gamma": FURTHEST})
    numbers = {**case.simple[0], **case.subspaces[0], "spread": 1.25, "T": 1.0, "of gamma": 1.12 / FURTHEST}
    found = _confirmed(relaxed, beyond, "condition.gamma", numbers, 1.12)
    assert found is not None
    assert 1.1 < found[0] < 1.13
    assert found[1].confirmed


@pytest.mark.nightly
def test_a_condition_with_room_has_it() -> None:
    """With eta <= 1/(2 L) in the print a step may be twice as large, and no larger; an identity never breaks."""
    sgd = case_of(SGD, "printed")
    narrow = replace(sgd, printed=with_factors(sgd.printed, sgd.statement, {"condition.eta": 0.5}))
    (room,) = room_of(narrow, book_of(sgd, 40), ONCE, budget=40, seed=0)
    assert room.breaks_at is not None
    assert 2 < room.breaks_at < 2.4
    case = case_of(asked(ONE_STEP), "printed")
    (room,) = room_of(case, book_of(case, 40), ONCE, budget=40, seed=0)
    assert room.breaks_at is None


@pytest.mark.nightly
def test_powers_that_are_not_needed_are_found() -> None:
    """2 gap/(eta sqrt(T)) in the place of 2 gap/(eta T): the least factor falls as T^(-1/2)."""
    case = case_of(SGD, "printed")
    book = book_of(case, 40)
    found = exponents_of(case, book, ONCE, budget=20, seed=0)
    (along_T,) = [each for each in found if each.along == "T"]
    assert along_T.change is not None
    assert abs(along_T.change) < 1e-3
    assert along_T.printed == -1
    assert along_T.needed == pytest.approx(-1, abs=1e-3)
    first, last = along_T.pair
    both = [found.witness.instance["run"]["T"] for found in (first, last)]
    assert both == [point.value for point in along_T.points[-2:]]
    assert first.confirmed
    assert last.confirmed
    points = [Point(p.value, p.factor * p.value**-0.5) for p in along_T.points]
    half = Exponent("start", "T", -0.5, tuple(points))
    assert half.change == pytest.approx(-0.5, abs=1e-3)
    assert half.needed == pytest.approx(-1, abs=1e-3)
    ragged = [Point(v, f) for v, f in ((1, 1.0), (10, 0.5), (100, 0.01))]
    assert Exponent("start", "T", -1.0, tuple(ragged)).change is None


@pytest.mark.parametrize(("power", "said"), [(-1.0, None), (0.0, 0.0)])
def test_nothing_is_said_where_runs_are_cut_short(power: float, said: float | None) -> None:
    """Factors that fall may do so because no run is long enough; those that stay show what they show."""
    cut = tuple(Point(v, v**power, cut_short=v > 100) for v in (1.0, 10.0, 100.0, 1000.0))
    assert Exponent("start", "a", 3.0, cut).change == said
    whole = tuple(Point(p.value, p.factor) for p in cut)
    assert Exponent("start", "a", 3.0, whole).change == pytest.approx(power)


def test_a_point_begins_at_the_best_of_its_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two worlds the one that needs more of the term with the number moved; a search goes on from it."""
    case, begun = case_of(SGD, "printed"), list[Any]()
    book = book_of(case, 40)
    ranked = sorted(book.seen, key=lambda each: factor_at(book, each, "start"))
    monkeypatch.setattr(powers, "explore", explored(begun))
    held = {"T": 2.0**30}
    powers._at(case, book, "start", [ranked[0], ranked[-1]], held, 40, 0)
    powers._at(case, book, "start", [ranked[-1], ranked[0]], held, 40, 0)
    assert begun == [{**ranked[-1].numbers, **held}] * 2


@pytest.mark.parametrize(("measured", "holds"), [(3.0, False), (2.0, True)])
def test_a_statement_that_does_not_hold_is_not_called_tight(measured: float, holds: bool) -> None:
    """Terms 1 + 1 at a world that measures 3; every term alone needs more than it has."""
    book = Book(("start", "noise"), (Seen({}, measured, (1.0, 1.0)),))
    least = tuple(Least(name, 2.0 if measured > 2 else 1.0) for name in book.names)
    result = result_of(case_of(SGD, "printed"), book, least=least)
    assert (result.tight, result.exceeded) == (holds, not holds)
    assert ("DOES NOT HOLD" in shown.headline(result)) is not holds
    assert ("nothing to sharpen" in shown.headline(result)) is holds


def test_steps_beyond_their_conditions_are_not_tried_where_a_constant_ends_there() -> None:
    """G of restarted SGD is that of runs that contract: beyond 2/L it is none."""
    case = case_of("restarted-sgd:theorem-1", "printed")
    rooms = room_of(case, Book((), ()), ONCE, budget=40, seed=0)
    assert rooms
    assert all((room.worlds, room.breaks_at) == (0, None) for room in rooms)
    assert all("inside the conditions alone" in shown.fate_of(room)[1] for room in rooms)


@pytest.mark.parametrize(
    ("id", "words"), [("pasgd:theorem-1", "L**2*eta**2*tau*(tau - 1) + L*eta <= 1"), (SGD, "1/L")]
)
def test_a_clause_is_shown_with_what_it_bounds(id: str, words: str) -> None:
    """Unless that is the step alone."""
    case = case_of(id, "printed")
    condition = case.theorem.conditions["eta"]
    room = Room("condition.eta", condition.clauses[0], 0)
    result = result_of(case, room=(room,))
    assert shown.clause_of(result, room).startswith(words)
    assert shown.clause_of(result, room).endswith(str(room.clause))


def test_a_family_is_no_quantity() -> None:
    """A simpler world is of a family that there is, whatever number that has."""
    case = case_of(SGD, "printed")
    assert len(case.families) == 2
    numbers = explore(case, LeastFactor("noise"), budget=40, seed=0)[0].numbers
    simple = simple_instance(case, {**numbers, "family": 1.0}, lambda instance: True)
    assert next(iter(simple)) == case.families[0].name
    for other in (0.0, 3.0, 10.0):
        with pytest.raises(UserError, match="family must be from 1 to 2, got"):
            case.instance({**numbers, "family": other}, case.source)


def test_no_factor_of_a_sound_print_is_above_one() -> None:
    """Not even by rounding up what a program has found to nine digits."""
    tight = Book(("start", "noise"), tuple(Seen({}, 1.0 - 1e-9 * i, (1.0 - i / 9, i / 9)) for i in range(10)))
    found = smallest(tight, np.random.default_rng(0))
    assert max(found.factors.values()) == 1.0
    broken = Book(tight.names, (*tight.seen, Seen({}, 1.5, (1.0, 0.0))))
    assert max(smallest(broken, np.random.default_rng(0)).factors.values()) >= 1.5


def along_K(power: float, **more: Any) -> Exponent:
    """The least factor goes as this power of K."""
    return Exponent("start", "K", -1.0, tuple(Point(v, v**power) for v in (1.0, 10.0, 100.0)), **more)


@pytest.mark.parametrize(("power", "said"), [(-0.04, True), (-0.07, False), (-0.15, False), (-0.3, True)])
def test_a_change_that_scatter_could_be_is_not_told(power: float, said: bool) -> None:
    """Slopes agree to a tenth: less than half of that is the same power, more than all of it another one."""
    assert (along_K(power).change is not None) is said


PAIR: Any = ("from", "to")  # worlds that are confirmed
SHOWN: list[tuple[Any, Any]] = [
    *((rounded_down(factor), told) for factor, told in ((0.33339, 0.3333), (1.0, 1.0), (0.0, 0.0))),  # what holds
    *((rounded_up(factor), told) for factor, told in ((0.3331, 0.334), (0.5, 0.5), (0.0, 0.0))),  # what suffices
    *((shown.about(gain), f"about {told}") for gain, told in ((1.88, "1.9"), (263.7, "260"), (4.04e6, "4e+06"))),
    *((shown.times(by), told) for by, told in ((1.504, "1.51"), (1.0012, "1 + 0.002"), (1.0000006, "1 + 6e-07"))),
    *((shown.short(value), told)  # what is just over an edge is not shown as the edge
      for value, told in ((1.0, "1"), (1.00002, "1.00002"), (0.12344999, "0.1234"), (1e6, "1e+06"))),
    *((shown.power_of(along_K(power)), f"{told} (not confirmed)") for power, told in ((0, "the same"), (-1, "-2.0"))),
    *((shown.power_of(along_K(power, pair=PAIR)), told) for power, told in ((0, "the same"), (-1, "-2.0"))),
]  # fmt: skip


@pytest.mark.parametrize(("said", "expected"), SHOWN)
def test_numbers_are_short_and_on_the_safe_side(said: Any, expected: Any) -> None:
    assert said == expected


def test_the_power_of_a_letter_is_read_off_its_term() -> None:
    p, eta, mu = sympy.symbols("p eta mu", positive=True)
    assert power_in(3 * p**4 * eta**2 / mu, "p") == 4
    assert power_in(3 * p**4 * eta**2 / mu, "1/mu") == 1
    assert power_in(sympy.sqrt(p) * eta, "p") == 0.5
    assert power_in((1 - eta) ** 3 * p, "eta") is None
    assert power_in(eta, "p") == 0


@pytest.mark.nightly
def test_a_lost_number_of_devices_is_seen() -> None:
    """Noise without its 1/K could have it; the start, and the print as it is, lack nothing."""
    sound = case_of(SGD, "printed")
    (K,) = [letter for letter in sound.theorem.terms["noise"].free_symbols if str(letter) == "K"]
    terms = {**sound.theorem.terms, "noise": sound.theorem.terms["noise"] * K}
    theorem = replace(sound.theorem, terms=terms)
    statements = {**sound.printed.statements, theorem.id: theorem}
    wrong = replace(sound, printed=replace(sound.printed, statements=statements))
    for case, lost in ((wrong, [("noise", "K", -1.0)]), (sound, [])):
        seen = explore(case, LeastFactor("noise"), budget=80, seed=0)
        found = exponents_of(case, Book(("start", "noise"), tuple(seen)), ONCE, budget=16, seed=0)
        assert [(each.term, each.along, round(each.needed or 0, 2)) for each in found if each.falls] == lost
        assert all(each.printed for each in found if not each.falls)


@pytest.mark.parametrize(
    ("id", "follows"), [("stich-local-sgd:theorem-2-2", True), ("sg:theorem-4-8", False)]
)
def test_curvatures_are_varied_where_mu_follows_them(id: str, follows: bool) -> None:
    """Strong convexity is the smallest curvature; in SG's theorem mu is something else."""
    case = case_of(id, "printed")
    (level,) = [each for each in case.levels if each.name == "spread"]
    first = explore(case, LeastFactor("start"), budget=40, seed=0)[0]
    assert varies(case, case.theorem.terms["start"], first, level) is follows


@pytest.mark.parametrize("statement", ["constant.G", "corollary-1", "lemma-1"])
def test_what_is_no_theorem_is_refused(statement: str, capsys: pytest.CaptureFixture[str]) -> None:
    """And what is one is named."""
    with pytest.raises(
        UserError, match=f"{statement} is no theorem, .*: theorem-1, theorem-2, theorem-3\\.$"
    ):
        rc.sharpen(statement, budget=40)
    assert main(["sharpen", statement]) == 2
    assert "lemma-1," not in capsys.readouterr().err


def test_a_conjecture_says_itself_what_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All terms have factors, the variant is that of the file, and there is no world to check."""
    file = tmp_path / "c.toml"
    witness.write_conjecture(witness.Conjecture(SGD, "printed", {"term.start": 1.0}), file)
    with pytest.raises(WitnessError, match=r"term\.noise has no factor"):
        conjectured(read_conjecture(file))
    witness.write_conjecture(witness.Conjecture(SGD, "printed", {"term.start": 1.0, "term.noise": 1.0}), file)
    assert conjectured(read_conjecture(file)).levels
    assert main(["check", str(file)]) == 2
    assert "ratecert falsify" in capsys.readouterr().err
    assert main(["falsify", str(file), "--variant", "repaired", "--out", str(tmp_path)]) == 2
    assert "about the printed statement" in capsys.readouterr().err


def test_factors_have_places() -> None:
    case = case_of(SGD, "printed")
    assert factor_places(case.theorem) == ["term.start", "term.noise", "condition.eta"]
    source = paper("printed", case.key)
    half = with_factors(source, case.statement, {"term.start": 0.5, "condition.eta": 2.0})
    theorem, other = case.theorem, half.the(Theorem, case.statement)
    assert other.terms["start"] == theorem.terms["start"] / 2
    assert other.conditions["eta"].clauses[0] == 2 * theorem.conditions["eta"].clauses[0]
    for wrong in ({"term.end": 1.0}, {"term.start": -1.0}, {"term.start": float("inf")}):
        with pytest.raises(UserError, match="factor"):
            with_factors(source, case.statement, wrong)
