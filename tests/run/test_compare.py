"""`ratecert compare`: what counts as a change, what another machine rounds, and files that are no results."""

import json
import random
from pathlib import Path

import pytest

from oracles.toy_claims import results_of, toy
from ratecert.cli.main import main

STORED = Path(__file__).parents[2] / "docs" / "results.json"
SAME = "Verdicts: all 3 as before.\n"


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    """Results of three claims, without their digest."""
    toys = (toy(id, [1, 2]) for id in ("theorem-1.plain", "b", "c"))
    return json.dumps(results_of(tmp_path_factory.mktemp("three"), *toys))


@pytest.fixture
def compared(three, tmp_path, capsys):
    """Exit code and output for these results and those in which the first claim has other entries."""

    def of(before=None, **entries):
        paths = []
        for name, changes in (("before", before or {}), ("after", entries)):
            results = json.loads(three)
            first = results["claims"][0]
            first["checks"][0] |= changes.pop("check", {})
            first |= changes
            (tmp_path / name).mkdir(exist_ok=True)
            paths.append(tmp_path / name / "results.json")
            paths[-1].write_text(json.dumps(results), encoding="utf-8")
        code = main(["compare", *map(str, paths)])
        return code, capsys.readouterr().out

    return of


@pytest.mark.parametrize(
    ("entries", "code", "lines"),
    [
        ({}, 0, []),
        ({"verdict": "refuted", "reason": "5 <= 1"}, 1, ["not refuted -> refuted (5 <= 1)"]),
        ({"expected": "refuted"}, 1, ["expected not refuted -> refuted"]),
        ({"of": ["theorem-2"]}, 1, ["of theorem-1 -> theorem-2"]),
        ({"check": {"verdict": "fails"}}, 1, ["the check 'square of 1': passes -> fails"]),
        ({"check": {"name": "another"}}, 1, ["the check 'square of 1' is gone"]),
        ({"check": {"tolerance": 99.0}}, 1, ["square of 1: tolerance 0.2 -> 99.0"]),
        ({"check": {"tolerance": None}}, 1, ["square of 1: tolerance 0.2 -> none"]),
        ({"check": {"tolerance": 0.2 * (1 + 1e-8)}}, 1, ["square of 1: tolerance 0.2 -> 0.200000002"]),
        ({"check": {"predicted": 1.05}}, 1, ["square of 1: predicted 1 -> 1.05"]),
        ({"check": {"relation": "<="}}, 1, ["square of 1: relation = -> <="]),
        ({"check": {"tolerance": 0.2 * (1 + 1e-12), "measured": 1.1 + 1e-7}}, 0, []),  # another machine's
    ],
)
def test_a_verdict_a_check_or_a_demand_that_changes_ends_with_1(entries, code, lines, compared):
    found, out = compared(**entries)
    assert found == code
    assert (out == SAME) is not bool(code)
    assert all(f"theorem-1.plain: {line}" in out.splitlines() for line in lines)


def test_a_claim_that_is_gone_ends_with_1_and_a_new_one_does_not(compared):
    code, out = compared(id="other")
    assert code == 1
    assert out.splitlines() == [
        "Verdicts: all 2 as before, 1 gone, 1 new.",
        "theorem-1.plain: gone; it was not refuted",
        "other: new, not refuted",
    ]


@pytest.mark.parametrize(
    ("number", "width", "moves"),
    [
        (1.1, 0.0, False),
        (1.1 + 1e-14, 0.0, False),
        (1.29, 0.0, False),  # the check tolerates 0.2
        (1.4, 0.0, True),
        (1.4, 0.2, False),
        (None, 0.0, True),
    ],
)
def test_a_number_moves_when_the_intervals_are_farther_apart_than_is_tolerated(
    number, width, moves, compared
):
    code, out = compared(check={"measured": number, "uncertainty": width})
    assert (code, "theorem-1.plain: square of 1 moved, 1.1 -> " in out) == (0, moves)


@pytest.mark.parametrize(("measured", "moves"), [(0.50004, False), (0.5002, True)])
def test_a_number_inside_an_inequality_may_differ_where_that_decides_nothing(measured, moves, compared):
    """Half way to the edge at 1."""
    inside = {"measured": 0.5, "predicted": 1.0, "relation": "<=", "tolerance": 0.0, "uncertainty": 0.0}
    code, out = compared(before={"check": inside}, check={**inside, "measured": measured})
    assert (code, "moved" in out) == (0, moves)


def test_two_numbers_that_are_not_finite_are_the_same(compared):
    nothing = {"measured": None, "uncertainty": None}
    assert compared(before={"check": nothing}, check=nothing) == (0, SAME)


def pair(three, tmp_path, **other):
    paths = tmp_path / "a.json", tmp_path / "b.json"
    for path, more in zip(paths, ({}, other), strict=True):
        path.write_text(json.dumps(json.loads(three) | more), encoding="utf-8")
    return [str(path) for path in paths]


def test_another_paper_is_no_comparison(three, tmp_path, capsys):
    assert main(["compare", *pair(three, tmp_path, paper="another")]) == 2
    assert "no claim in common" in capsys.readouterr().err


@pytest.mark.parametrize(("step", "code", "what"), [(1, 0, "new"), (-1, 1, "gone")])
def test_a_run_of_some_papers_is_compared_with_one_of_more(step, code, what, three, tmp_path, capsys):
    """What both have is compared; what the later one lacks is gone, which is a failure."""
    claims = json.loads(three)["claims"]
    more = {"claims": [*claims, {**claims[0], "id": "parallel-sgd:one"}]}
    paths = pair(three, tmp_path, paper="federated-bilevel, parallel-sgd", **more)
    assert main(["compare", *paths[::step]]) == code
    out = capsys.readouterr().out
    both = ["federated-bilevel", "federated-bilevel, parallel-sgd"][::step]
    assert out.startswith(f"Verdicts: all 3 as before, 1 {what}.\n")
    assert f"paper: {both[0]} -> {both[1]}\n" in out
    assert f"parallel-sgd:one: {what}" in out


# The stored results against those of another machine.


def test_other_rounding_is_one_line(tmp_path, capsys):
    rng, stored = random.Random(0), json.loads(STORED.read_text(encoding="utf-8"))
    for check in (check for claim in stored["claims"] for check in claim["checks"]):
        for name in ("measured", "predicted", "tolerance", "uncertainty"):
            if isinstance(check[name], float):
                check[name] *= 1 + rng.uniform(-1e-11, 1e-11)
    path = tmp_path / "results.json"
    path.write_text(json.dumps({**stored, "digest": ""}), encoding="utf-8")
    assert main(["compare", str(STORED), str(path)]) == 0
    assert capsys.readouterr().out == f"Verdicts: all {len(stored['claims'])} as before.\n"
