"""The model that a search climbs: exact where parts are products of powers, and worth many worlds."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pytest

from ratecert.binding.families import Level, numbers
from ratecert.catalogue.cases import case_of
from ratecert.search import climb as subspace
from ratecert.search.blame import Showing, _taken_off
from ratecert.search.climb import search
from ratecert.search.objective import LONG, REFUSED, SHORT, Model, Plain, neighbours

N = 12
LEVELS = tuple(Level(name=f"x{i}", low=1e-3, high=1e3) for i in range(N))
RNG = np.random.default_rng(7)
POWERS = RNG.normal(size=(3, N))  # of what is measured, and of two terms


@dataclass(frozen=True)
class Powers:
    """Measured over a plateau of 1/2, that is 2 x measured, and two terms that are products of powers."""

    plateau: float  # 2: no world breaks the bound; 0: many do

    def tried(self, numbers):
        x = np.log([numbers[level.name] for level in LEVELS])
        measured, *terms = np.exp(POWERS @ x - [20.0, 0.0, 0.0])
        return [[measured], [self.plateau * measured, *terms]]

    def score(self, tried):
        (measured,), terms = tried
        return measured / math.fsum(terms)

    def parts(self, tried):
        return tried

    def of(self, parts):
        (measured,), terms = parts
        return measured / terms.sum(axis=0)


def model(known=True):
    u, land = np.full(N, 0.4), Powers(0.0)
    around = neighbours(LEVELS, u, LONG.step)
    parts, *others = (land.tried(numbers(LEVELS, v)) for v in (u, *around))
    steps = np.array([v[i] - u[i] for i, v in enumerate(around)])
    return land, u, Model(land, u, parts, steps, others if known else [None] * N)


def at(land, point):
    return land.score(land.tried(numbers(LEVELS, point)))


def test_the_model_of_products_of_powers_is_exact():
    """Its highest point in the whole cube is the highest of the score, near enough."""
    land, u, exact = model()
    steps = exact.steps_up(np.ones(N, dtype=bool), LONG.sizes)
    assert at(land, steps[0]) > 1e6 * at(land, u)
    assert at(land, steps[0]) > max(at(land, RNG.uniform(size=N).round()) for _ in range(500))
    assert at(land, steps[0]) > at(land, steps[1]) > at(land, steps[2])  # in smaller cubes


def test_without_slopes_it_leads_nowhere_and_what_is_held_stays():
    land, u, blind = model(known=False)
    assert at(land, blind.steps_up(np.ones(N, dtype=bool), LONG.sizes)[0]) <= 2 * at(land, u)
    half = np.arange(N) < 6
    assert all(np.array_equal(step[6:], u[6:]) for step in model()[2].steps_up(half, LONG.sizes))


@pytest.mark.parametrize("seed", range(5))
def test_a_search_that_knows_the_parts_needs_few_worlds(seed):
    """The plateau at 1/2 is where a search ends that no world can win."""
    few = {"budget": 40, "seed": seed, "jobs": 1, "enough": 1.0}
    land = Powers(0.0)
    assert search(land, LEVELS, [{}], **few).broken_after
    assert search(Powers(2.0), LEVELS, [{}], **few).score <= 0.5
    alone = search(lambda n: land.score(land.tried(n)), LEVELS, [{}], **few)
    assert search(land, LEVELS, [{}], **{**few, "enough": math.inf}).score > 100 * alone.score


def test_a_search_begins_at_what_it_is_given():
    land = Powers(0.0)
    _, _, exact = model()
    top = exact.steps_up(np.ones(N, dtype=bool), LONG.sizes)[0]
    given = numbers(LEVELS, top)
    few = {"budget": 40, "seed": 0, "jobs": 1, "enough": 1.0}
    assert search(land, LEVELS, [{}], seeds=[given], **few).broken_after == 1
    elsewhere = search(land, LEVELS, [{"x0": 1.2345}], seeds=[given], **few)
    assert elsewhere.broken_after != 1  # it lies in no subspace that is searched


def test_numbers_have_their_places():
    level = Level(name="A", low=1e-4, high=1e4)
    assert [level.place(level.value(u)) for u in (0.0, 0.3, 1.0)] == pytest.approx([0.0, 0.3, 1.0])
    assert (level.place(0.0), level.place(1e9)) == (0.0, 1.0)


def test_a_plain_score_is_its_own_part():
    plain = Plain(lambda n: n["a"])
    assert plain.tried({"a": REFUSED}) is None
    assert plain.parts(plain.tried({"a": 3.0})) == [[3.0]]
    assert plain.parts(plain.tried({"a": 0.0})) == []


def test_short_strides_lead_along_a_narrow_ridge(monkeypatch):
    """Where a and b differ by a third nothing is inside, and there the neighbours of long strides are."""
    ridge = [Level(name=name, low=1e-3, high=1e3) for name in "ab"]

    def score(n):
        return math.sqrt(n["a"] * n["b"]) / 900 if 1 / 1.3 < n["a"] / n["b"] < 1.3 else REFUSED

    def climbed():
        tally = subspace.Tally(Plain(score), 1, lambda _: None, 60, 1.0)
        space = subspace.Subspace(tally, ridge, {}, (0,))
        space.ascend(subspace.STARTS + 1, [{"a": 0.01, "b": 0.01}])
        space.climb_on()
        return tally.broken_after

    assert climbed()
    monkeypatch.setattr(subspace, "SHORT", LONG)
    assert not climbed()


def test_subspaces_climb_in_turn(monkeypatch):
    """None has a third way uphill before all have had their second; the highest goes on with short strides."""
    climbs = []

    def climb(self, _u, stride):
        climbs.append((self.held["side"], stride))

    monkeypatch.setattr(subspace.Subspace, "_climb", climb)
    sides = [{"side": side} for side in (1.0, 2.0, 3.0)]
    level = Level(name="a", low=0.1, high=1.0)
    search(Plain(lambda n: n["side"]), [level], sides, budget=1000, seed=0, jobs=1, enough=9.0)
    long = [side for side, stride in climbs if stride is LONG]
    assert long == [1.0, 2.0, 3.0] + [3.0, 2.0, 1.0] * (subspace.STARTS - 1)
    assert [side for side, stride in climbs if stride is SHORT] == [3.0]


@pytest.mark.parametrize(("enough", "gain"), [(2.0, 10.0), (math.inf, LONG.gain)])
def test_a_way_that_would_take_too_many_steps_is_left(enough, gain):
    """From 2e-12 to 2 in twelve steps is ten times in each; where nothing is enough, any gain is worth while."""
    tally = subspace.Tally(Plain(lambda _: 2e-12), 1, lambda _: None, 100, enough)
    space = subspace.Subspace(tally, [Level(name="a", low=0.1, high=1.0)], {}, (0,))
    u = np.array([0.5])
    space._try([u])
    assert space._worth_while(u, LONG) == pytest.approx(gain)


@pytest.mark.parametrize("others", [[1.0, 1e30], [1.0, 2.0, 1e30]])
def test_a_small_change_is_not_lost_beside_large_terms(others):
    """Term by term; where the terms are not the same ones, only their sums can be compared."""
    repaired = np.array([3.0, 1e30])
    taken = _taken_off(np.array(others), repaired)
    assert taken == pytest.approx(2e-30 if len(others) == len(repaired) else 0.0, rel=1e-12, abs=0.0)
    assert _taken_off(repaired, np.array([])) == 1.0


def test_a_mistake_counts_for_what_its_erratum_takes_off():
    """Much of the bound at some worlds with noise, next to nothing on the plateau of descent; a model says the same."""
    own = case_of("theorem-1", "printed")
    showing, rng = Showing(own, "theorem-1.term.noise_u"), np.random.default_rng(5)
    taken = {}
    for driver in ("s_f", "x_off"):
        held = next(
            held
            for held in own.subspaces
            if {driver, "T"}.isdisjoint(held) and ("of eta" in held) == (driver == "s_f")
        )
        points = [
            {**numbers(own.levels, rng.uniform(size=len(own.levels)).tolist()), **held} for _ in range(20)
        ]
        found = [one for one in map(showing.tried, points) if one is not None and 0 < one.ratio < 1]
        taken[driver] = [showing.score(one) / one.ratio for one in found]
        for one in found:
            with np.errstate(divide="ignore"):
                model = showing.of([np.array(group)[:, None] for group in showing.parts(one)])
            assert model == pytest.approx(showing.score(one), rel=1e-6)
    assert max(taken["s_f"]) > 0.1
    assert max(taken["x_off"]) < 1e-3


@pytest.mark.parametrize("budget", [0, 1, subspace.FEWEST, subspace.STARTS])
def test_a_search_with_hardly_any_worlds_ends(budget):
    few = search(Powers(2.0), LEVELS, [{}, {"x0": 1.0}], budget=budget, seed=0, jobs=1, enough=1.0)
    assert few.tried <= budget


def test_a_search_ends_when_its_time_is_over_with_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """One world takes one second of a clock that stands otherwise."""
    clock = [0.0]
    monkeypatch.setattr("ratecert.search.climb.time.monotonic", lambda: clock[0])

    def slow(numbers: Mapping[str, float]) -> float:
        clock[0] += 1.0
        return numbers["h"]

    levels = (Level(name="h", low=1e-3, high=1e3), Level(name="k", low=1e-3, high=1e3))
    found = search(slow, levels, [{}], budget=500, seed=0, jobs=1, until=40.0)
    assert 1 < found.tried < 100
    assert found.score > 1
