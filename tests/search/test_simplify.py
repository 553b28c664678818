"""Simple witnesses: the simplest numbers with which a synthetic test passes, which is known."""

import math

import pytest

from ratecert.search.simplify import complexity, counts, length, shorter, simplified


def one(value: float) -> dict[str, dict[str, float]]:
    return {"world": {"A": value}}


@pytest.mark.parametrize(
    ("value", "least", "most", "simplest"),
    [
        (0.37, 0.0, 1.0, 0.0),
        (0.37, 1e-9, 1.0, 1.0),
        (0.37, 1e-9, 0.9, 0.5),
        (0.9999990463256835, 0.7, 0.99999999, 0.9),  # far from 1, where that will do
        (0.9999990463256835, 0.99998, 0.99999999, 0.99999),
        (0.9999990463256835, 0.999999, 0.99999999, 0.999999),
        (3.4567e-11, 3.1e-11, 3.46e-11, 3.4e-11),
        (3.4567e-11, 1e-12, 3.46e-11, 3e-11),
        (7.3e14, 1.0, 1e15, 1.0),
    ],
)
def test_a_number_becomes_the_shortest_that_passes(value, least, most, simplest):
    assert simplified(one(value), lambda i: least <= i["world"]["A"] <= most) == one(simplest)
    assert simplified(one(value), lambda i: i["world"]["A"] == value) == one(value)  # nothing else passes


@pytest.mark.parametrize(
    ("value", "least", "smallest"),
    [(math.inf, 23, 23), (2**62, 23, 23), (2**62, 123_456, 130_000), (40, 41, 40), (7, 0, 0), (5, 1, 1)],
)
def test_a_count_becomes_the_smallest_that_passes(value, least, smallest):
    """Exactly so below 100, in two digits above; a limit becomes finite."""
    run = {"run": {"T": value}}
    assert simplified(run, lambda i: i["run"]["T"] >= min(least, value)) == {"run": {"T": smallest}}


def test_two_numbers_change_together_where_one_cannot():
    """Only their product counts: neither can become 1 alone."""
    instance = {"world": {"A": 40.0, "B": 0.075}}

    def passes(i):
        return math.isclose(i["world"]["A"] * i["world"]["B"], 3.0)

    assert simplified(instance, passes) in ({"world": {"A": 1.0, "B": 3.0}}, {"world": {"A": 3.0, "B": 1.0}})
    apart = simplified(instance, lambda i: i["world"] == instance["world"])
    assert apart == instance


@pytest.mark.parametrize(("most", "step", "T"), [(0.5, 0.4, 26), (0.01, 0.004, 2600)])
def test_a_run_becomes_shorter_with_a_longer_step(most, step, T):
    """Only their product counts, as long as the step is not too long."""
    instance = {"run": {"T": 260_000_000, "gamma": 4e-8}}

    def passes(i):
        return i["run"]["gamma"] <= most and math.isclose(i["run"]["gamma"] * i["run"]["T"], 10.4)

    assert simplified(instance, passes) == {"run": {"T": T, "gamma": step}}


def test_lengths():
    assert [length(n) for n in (0.0, 1, 2.0, 0.25, 1e-6, 1024, 0.9999990463256835)] == [0, 0, 1, 2, 2, 4, 16]
    assert complexity({"world": {"A": 0.25, "M": [[1.5]]}, "run": {"T": math.inf}}) == 22
    assert all(length(n) < length(0.123) for n in shorter(0.123))
    assert counts(130)[-3:] == [100, 110, 120]
    assert max(counts(math.inf)) <= 2**62


def test_simplified_keeps_what_the_test_needs_and_nothing_else():
    instance = {"world": {"A": 3.7, "B": 0.27, "M": [[1.5]]}, "run": {"K": 37, "T": math.inf}}

    def passes(i):
        return i["world"]["B"] > 0.21 and i["run"]["T"] >= 1000 and i["run"]["K"] >= 5

    simple = simplified(instance, passes)
    assert simple == {"world": {"A": 0.0, "B": 1.0, "M": [[1.5]]}, "run": {"K": 5, "T": 1000}}
    assert simplified(instance, lambda _: False) == instance
