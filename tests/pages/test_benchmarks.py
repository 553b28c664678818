"""The benchmarks: C computes what the engines compute, the clock adds up, tables and targets are those of the numbers.

How fast anything is, is not tested: a record of one run is stored in docs/bench.json, and misses are shown there.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import c_reference
from benchmarks.clock import best_seconds
from benchmarks.exact import LARGE, of_size
from benchmarks.record import PARTS, UnreadableRecordError, read, rounded, tables, targets
from ratecert.solvers import ALGORITHMS, LocalBSGM, LocalBSGVRM, expect
from ratecert.solvers.contract.result import MEASURES
from ratecert.synthetic import random_quadratic

pytestmark = pytest.mark.nightly

STORED = Path(__file__).parents[2] / "docs" / "bench.json"

needs_cc = pytest.mark.skipif(
    c_reference.compiler() is None, reason="the C reference needs a C compiler `cc`, and there is none"
)


# C computes what the engines compute.

SILENT = 1e-30  # beyond the digits; exactly zero there would be no direction to draw a sign for
KINDS = ("LocalBSGM", "LocalBSGVRM")
DIMENSIONS = ((1, 1), (2, 2), (3, 5), (5, 3), (10, 10))  # products go by four rows, by two and by one


def world(*, noise: float, d_x: int = 3, d_y: int = 5) -> Any:
    levels = dict.fromkeys(("sigma_H", "sigma_J", "s_f", "s_g"), noise)
    return random_quadratic(d_x=d_x, d_y=d_y, mu=1.0, L_1=4.0, **levels, seed=3)


def solver(kind: str, **changes: Any) -> LocalBSGM | LocalBSGVRM:
    steps = {"eta": 0.1, "alpha": 5.0, "beta": 4.0, "rho_1": 0.3, "rho_2": 1.5, "p": 3, "theta": 0.2, "Q": 4}
    made: LocalBSGM | LocalBSGVRM = ALGORITHMS[kind](**steps | changes)
    return made


def start(problem: Any, K: int) -> dict[str, Any]:
    return {"K": K, "T": 20, "x0": np.ones(problem.d_x), "y0": np.ones(problem.d_y)}


def exact(problem: Any, algorithm: Any, *, K: int = 3) -> Any:
    result = expect(problem, algorithm, **start(problem, K), times=[])
    return np.array([getattr(result, name) for name in MEASURES])


def in_C(problem: Any, algorithm: Any, *, K: int = 3, replicates: int = 64 * 1000) -> Any:
    return c_reference.run(problem, algorithm, **start(problem, K), replicates=replicates, seed=1)


@needs_cc
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", DIMENSIONS)
def test_C_without_noise_is_exact(kind: str, d: tuple[int, int]) -> None:
    silent = world(noise=SILENT, d_x=d[0], d_y=d[1])
    found = in_C(silent, solver(kind), K=2, replicates=64)
    wanted = exact(silent, solver(kind), K=2)[:, None]
    np.testing.assert_allclose(found, np.broadcast_to(wanted, found.shape), rtol=1e-10, atol=1e-20)
    off = exact(silent, solver(kind, rho_1=0.3 * (1 + 1e-6)), K=2)[:, None]
    assert not np.allclose(found, off, rtol=1e-10, atol=1e-20)


def stronger(name: str) -> Callable[[Any, Any], tuple[Any, Any]]:
    """One source of noise by a quarter."""
    return lambda world, solver: (replace(world, **{name: 1.25 * getattr(world, name)}), solver)


def another(**change: Any) -> Callable[[Any, Any], tuple[Any, Any]]:
    return lambda world, solver: (world, replace(solver, **change))


RIGHT = another()
WRONG = (
    another(rho_1=0.33),
    another(beta=4.4),
    another(p=4),
    another(Q=3),
    *map(stronger, ("E", "F", "s_f", "s_g")),
)


@needs_cc
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("changed", [RIGHT, *WRONG])
def test_C_agrees_with_exact_moments_and_a_wrong_coefficient_is_seen(kind: str, changed: Any) -> None:
    """Every kind of noise, the period, a term of the sum. Four measures within 5 standard errors: by chance one is not
    with probability 2.3e-6; the seed is fixed."""
    noisy = world(noise=0.3)
    found = in_C(*changed(noisy, solver(kind)))
    error = found.std(axis=1, ddof=1) / np.sqrt(found.shape[1])
    deviations = abs(found.mean(axis=1) - exact(noisy, solver(kind))) / error
    assert (deviations < 5).all() is np.bool_(changed is RIGHT)


NOISY = world(noise=0.3)
REFUSED: dict[str, tuple[Any, Any, int]] = {
    "replicates = 100": (NOISY, solver("LocalBSGM"), 100),
    "got 2 and 1": (replace(NOISY, E=np.tile(NOISY.E, (2, 1, 1))), solver("LocalBSGM"), 64),
    "momenta = 'fresh'": (NOISY, solver("LocalBSGM", momenta="fresh"), 64),
    "B = 2": (NOISY, solver("LocalBSGVRM", B=2), 64),
}


@pytest.mark.parametrize("named", REFUSED)
def test_what_C_does_not_do_is_refused(named: str) -> None:
    problem, algorithm, replicates = REFUSED[named]
    with pytest.raises(ValueError, match=re.escape(named)):
        in_C(problem, algorithm, replicates=replicates)


# The clock, and what is run.


def test_the_best_try_counts_and_contestants_take_turns() -> None:
    now, ran, takes = [0.0], [], {"a": [9.0, 2.0, 4.0], "b": [3.0, 6.0, 5.0]}

    def work(name: str) -> Callable[[], None]:
        return lambda: (ran.append(name), now.append(now[-1] + takes[name][len(ran) // 2 - (name == "b")]))[0]

    found = best_seconds({name: work(name) for name in takes}, tries=3, clock=lambda: now[-1])
    assert found == {"a": 2.0, "b": 3.0}
    assert ran == ["a", "b"] * 3


@pytest.mark.parametrize("what", LARGE)
def test_a_small_one_of_each_kind_runs(what: str) -> None:
    of_size(what, 3)()


# A record, and what is made of it.


def record() -> dict[str, Any]:
    return read(STORED)


def met(given: dict[str, Any]) -> dict[str, str]:
    return {target["what"]: target["met"] for target in targets(given)}


LARGEST = "exact moments, LocalBSGM, devices that differ, K = 1000 against 10"
JUDGED = {  # target -> part, row, column, a number that meets it and one that does not
    "seconds to the first result": ("first_result", 0, "seconds", 0.9, 1.1),
    "memory of sampling, largest over smallest": ("memory", 1, "MiB", 101.0, 111.0),
    LARGEST: ("large", 0, "large / small", 99.0, 101.0),
    "memory of exact moments, MiB": ("large", 0, "MiB", 2047.0, 2049.0),
}


@pytest.mark.parametrize("what", JUDGED)
def test_the_worst_number_decides_and_without_one_nothing_is_said(what: str) -> None:
    part, row, column, good, bad = JUDGED[what]
    given = record()
    for other in given[part]:
        if column in other:
            other[column] = 100.0 if column == "MiB" else good
    found = []
    for number in (good, bad):
        given[part][row][column] = number
        found.append(met(given)[what])
        assert f"| {what} | {number:.3g}" in tables(given)["targets"] or part == "memory"
    assert found == ["yes", "no"]
    assert met({**given, part: []}).get(what) in ("not measured", None)


REFUSALS = {
    None: "cannot be read as JSON",
    "{": "cannot be read as JSON",
    "[]": "schema = 3",
    '{"schema": 2}': "schema = 3",
    '{"schema": 3, "machine": {}}': f"lacks {', '.join(PARTS)}",
}


@pytest.mark.parametrize("text", REFUSALS)
def test_what_is_no_record_is_refused(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "bench.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UnreadableRecordError, match=re.escape(REFUSALS[text])):
        read(path)


def test_the_record_is_whole() -> None:
    """Every contestant at every point: what is stored was measured with a compiler."""
    stored = record()
    assert stored == rounded(stored)
    assert len(stored["throughput"]) == 12
    assert all({"numpy", "C"} < set(row) for row in stored["throughput"])
    assert "not measured" not in met(stored).values()
