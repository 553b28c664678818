"""The benchmarks: C computes what the engines compute, the clock adds up, tables and targets are those of the numbers.

How fast anything is, is not tested: a record of one run is kept in docs/bench.json, and misses are shown there.
"""

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ratecert.solvers import ALGORITHMS, LocalBSGM, LocalBSGVRM, expect, simulate
from ratecert.solvers.contract.result import MEASURES
from ratecert.synthetic import random_quadratic

pytest.importorskip("benchmarks", reason="the benchmarks are not part of the installed wheel")

from benchmarks import __main__ as running
from benchmarks import c_reference, compare
from benchmarks.clock import best_rates, in_new_process, peak
from benchmarks.exact import LARGE
from benchmarks.record import PARTS, UnreadableRecordError, read, rounded, write
from benchmarks.sampling import RUNS, Run
from benchmarks.shown import ratios, targets

pytestmark = pytest.mark.nightly

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "docs" / "bench.json"

needs_cc = pytest.mark.skipif(
    c_reference.compiler() is None, reason="the C reference needs a C compiler `cc`, and there is none"
)


# C computes what the engines compute.

SILENT = 1e-30  # beyond the digits; exactly zero there would be no direction to draw a sign for


def world(*, noise: float, d_x: int = 3, d_y: int = 5) -> Any:
    levels = dict.fromkeys(("sigma_H", "sigma_J", "s_f", "s_g"), noise)
    return random_quadratic(d_x=d_x, d_y=d_y, mu=1.0, L_1=4.0, **levels, seed=3)


def solver(kind: str, **changes: Any) -> LocalBSGM | LocalBSGVRM:
    made: LocalBSGM | LocalBSGVRM = ALGORITHMS[kind](
        **{"eta": 0.1, "alpha": 5.0, "beta": 4.0, "rho_1": 0.3, "rho_2": 1.5, "p": 3, "theta": 0.2, "Q": 4}
        | changes
    )
    return made


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return c_reference.build(tmp_path_factory.mktemp("build"))


def exact(problem: Any, algorithm: Any, *, K: int, T: int) -> Any:
    start = {"x0": np.ones(problem.d_x), "y0": np.ones(problem.d_y)}
    result = expect(problem, algorithm, K=K, T=T, **start, times=[])
    return np.array([getattr(result, name) for name in MEASURES])


def in_C(problem: Any, algorithm: Any, library: Path, *, K: int, T: int, replicates: int) -> Any:
    start = {"x0": np.ones(problem.d_x), "y0": np.ones(problem.d_y)}
    return c_reference.run(
        problem, algorithm, K=K, T=T, **start, replicates=replicates, seed=1, library=library
    )


KINDS = ("LocalBSGM", "LocalBSGVRM")
DIMENSIONS = ((1, 1), (2, 2), (3, 5), (5, 3), (10, 10))  # products go by four rows, by two and by one


@needs_cc
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", DIMENSIONS)
def test_C_without_noise_is_exact(kind: str, d: tuple[int, int], library: Path) -> None:
    silent, run = world(noise=SILENT, d_x=d[0], d_y=d[1]), {"K": 2, "T": 20}
    found = in_C(silent, solver(kind), library, **run, replicates=64)
    wanted = exact(silent, solver(kind), **run)[:, None]
    np.testing.assert_allclose(found, np.broadcast_to(wanted, found.shape), rtol=1e-10, atol=1e-20)
    off = exact(silent, solver(kind, rho_1=0.3 * (1 + 1e-6)), **run)[:, None]
    assert not np.allclose(found, off, rtol=1e-10, atol=1e-20)


def deviations(found: Any, wanted: Any) -> Any:
    """In standard errors of the mean."""
    return (found.mean(axis=1) - wanted) / (found.std(axis=1, ddof=1) / np.sqrt(found.shape[1]))


@needs_cc
@pytest.mark.parametrize("kind", KINDS)
def test_C_with_noise_agrees_with_exact_moments(kind: str, library: Path) -> None:
    """Four measures within 5 standard errors: by chance one is not with probability 2.3e-6; the seed is fixed."""
    noisy, run = world(noise=0.3), {"K": 3, "T": 20}
    found = in_C(noisy, solver(kind), library, **run, replicates=64 * 1000)
    assert (abs(deviations(found, exact(noisy, solver(kind), **run))) < 5).all()


WRONG: dict[str, Callable[[Any, Any], tuple[Any, Any]]] = {
    "rho_1": lambda world, solver: (world, replace(solver, rho_1=0.33)),
    "beta": lambda world, solver: (world, replace(solver, beta=4.4)),
    "p": lambda world, solver: (world, replace(solver, p=4)),
    "Q": lambda world, solver: (world, replace(solver, Q=3)),
    **{
        noise: (lambda world, solver, noise=noise: (changed(world, noise), solver))  # type: ignore[misc]
        for noise in ("E", "F", "s_f", "s_g")
    },
}


def changed(world: Any, name: str) -> Any:
    """One source of noise a quarter stronger."""
    fields = {field: getattr(world, field) for field in world.__dataclass_fields__}
    return type(world)(**fields | {name: 1.25 * fields[name]})


@needs_cc
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_coefficient_in_C_is_seen(kind: str, wrong: str, library: Path) -> None:
    """Every kind of noise, the period, a term of the sum."""
    noisy, run = world(noise=0.3), {"K": 3, "T": 20}
    found = in_C(*WRONG[wrong](noisy, solver(kind)), library, **run, replicates=64 * 1000)
    assert (abs(deviations(found, exact(noisy, solver(kind), **run))) > 5).any()


@needs_cc
def test_a_library_is_compiled_once(tmp_path: Path) -> None:
    source = tmp_path / "reference.c"
    source.write_bytes(c_reference.SOURCE.read_bytes())
    first = c_reference.build(tmp_path, source=source)
    made = first.stat().st_mtime_ns
    assert c_reference.build(tmp_path, source=source) == first
    assert first.stat().st_mtime_ns == made
    source.write_text("not C")
    with pytest.raises(c_reference.NoCompilerError, match=re.escape("`cc` does not compile reference.c")):
        c_reference.build(tmp_path, source=source)
    assert list(tmp_path.glob("*.so")) == [first]


def test_without_a_compiler_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(c_reference, "compiler", lambda: None)
    with pytest.raises(c_reference.NoCompilerError, match="there is no C compiler `cc` on the path"):
        c_reference.build(tmp_path)


REFUSED: dict[str, tuple[Any, Any, int, str]] = {
    "replicates": (world(noise=0.3), solver("LocalBSGM"), 100, "replicates = 100"),
    "momenta": (world(noise=0.3), solver("LocalBSGM", momenta="fresh"), 64, "momenta = 'fresh'"),
    "B": (world(noise=0.3), solver("LocalBSGVRM", B=2), 64, "B = 2"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_C_does_not_do_is_refused(name: str) -> None:
    problem, algorithm, replicates, message = REFUSED[name]
    with pytest.raises(ValueError, match=re.escape(message)):
        in_C(problem, algorithm, Path("not needed"), K=2, T=2, replicates=replicates)


# The clock.


class Told:
    """A clock that stands still but for what the works take."""

    def __init__(self) -> None:
        self.now = 0.0
        self.ran: list[str] = []

    def __call__(self) -> float:
        return self.now

    def work(self, name: str, done: int, takes: list[float]) -> Callable[[], int]:
        def work() -> int:
            self.ran.append(name)
            self.now += takes.pop(0)
            return done

        return work


def test_the_best_try_counts_and_contestants_take_turns() -> None:
    told = Told()
    works = {"a": told.work("a", 10, [99.0, 2.0, 1.0, 4.0]), "b": told.work("b", 30, [99.0, 3.0, 6.0, 5.0])}
    assert best_rates(works, tries=3, clock=told) == {"a": 10.0, "b": 10.0}
    assert told.ran == ["a", "b"] * 4  # the first of each is not counted


# A record, and what is made of it. Numbers by hand.


def record() -> dict[str, Any]:
    rates = {"numpy": 3.2e6, "numba": 6e6, "C": 1e7, "numpy / C": 0.32, "numba / C": 0.6}
    points = [(d, Q) for d in (2, 10, 50) for Q in (5, 20)]
    auto = {
        "algorithm": "SGD",
        "d": 2,
        "T": 9,
        "replicates": 64,
        "numpy": 0.5,
        "numba": 0.7,
        "taken": "numba",
    }
    fedavg = {
        "what": "FedAvg",
        "size": "K = 1000 against 10",
        "small": 0.1,
        "large": 12.0,
        "large / small": 120.0,
    }
    return {
        "schema": 2, "accuracy": [], "certified": [], "one_level": [],
        "machine": {"processor": "abacus", "numba": None},
        "throughput": [{"algorithm": name, "d": d, "Q": Q, **rates} for d, Q in points for name in KINDS],
        "auto": [{**auto, "taken / better": 1.0}],
        "scaling": [
            {"workers": "numba, threads", "d": 10, "Q": 20, "one": 3.8, "two": 2.0, "one / two": 1.9}
        ],
        "first_result": [
            {"engine": "numpy", "seconds": 0.9},
            {"engine": "numba, empty cache", "seconds": 20.0},
            {"engine": "numba, warm cache", "seconds": 1.5},
        ],
        "memory": [
            {"engine": "numpy", "replicates": 1024, "T": 20, "MiB": 100.0},
            {"engine": "numpy", "replicates": 8192, "T": 20, "MiB": 105.0},
        ],
        "growth": [{"way": "numba", "changed": "K = 32", "seconds": 2.0, "changed / base": 4.0}],
        "large": [{**fedavg, "MiB": 300.0, "at most": 100}],
    }  # fmt: skip


def test_ratios_by_hand() -> None:
    found = ratios(record())
    assert found["throughput: numba / C, LocalBSGVRM, d = 50, Q = 5"] == 0.6
    assert found["scaling: one / two, numba, threads, d = 10, Q = 20"] == 1.9
    assert found["growth: changed / base, numba, K = 32"] == 4
    assert found["first_result: seconds, numpy"] == 0.9
    assert found["memory: MiB, numpy, replicates = 8192, T = 20"] == 105
    assert found["large: large / small, FedAvg, K = 1000 against 10"] == 120
    assert not any("seconds" in name for name in found if not name.startswith("first_result"))
    assert len(found) == 24 + 1 + 1 + 3 + 2 + 1 + 2


def by_name(given: dict[str, Any]) -> dict[str, Any]:
    return {target.what: target for target in targets(given)}


def test_targets_by_hand() -> None:
    found = by_name(record())
    growth = "exact moments, FedAvg, K = 1000 against 10"
    assert {name for name, target in found.items() if target.met is False} == {growth}  # 120, not 100
    assert found["memory of numba, largest over smallest"].met is None
    assert found["two threads of numba against one"].met
    assert found["memory of exact moments, MiB"].met
    assert len(found) == 6 + 1 + 1 + 2 + 2 + 1 + 1


SLOW: dict[str, tuple[str, int, dict[str, float]]] = {
    "numba / C at d = 2, Q = 20, the slower algorithm": ("throughput", 3, {"numba / C": 0.49}),
    "seconds with the engine that `auto` takes over those with the better": (
        "auto",
        0,
        {"taken / better": 1.7},
    ),
    "two threads of numba against one": ("scaling", 0, {"one / two": 1.7}),
    "seconds to the first result, numba, warm cache": ("first_result", 2, {"seconds": 2.1}),
    "memory of numpy, largest over smallest": ("memory", 1, {"MiB": 111.0}),
    "memory of exact moments, MiB": ("large", 0, {"MiB": 2049.0}),
}


@pytest.mark.parametrize("what", SLOW)
def test_the_worst_number_decides(what: str) -> None:
    slow, (part, row, cells) = record(), SLOW[what]
    slow[part][row].update(cells)
    assert by_name(record())[what].met
    assert by_name(slow)[what].met is False


@pytest.mark.parametrize("run", RUNS)
def test_runs_of_the_choice_can_be_sampled(run: Run) -> None:
    """What is read from the program's text is the run, and numpy and numba can both make it, if shorter."""
    assert eval(repr(run), {"Run": Run}) == run
    given = {**run.given(), "T": 2}
    numpy, numba = (simulate(**given, replicates=2, seed=0, engine=engine) for engine in ("numpy", "numba"))
    assert numba.gradient == pytest.approx(numpy.gradient, rel=1e-10)


@pytest.mark.parametrize("what", LARGE)
def test_a_small_one_of_each_kind_runs(what: str) -> None:
    LARGE[what][3](3)()


def test_a_program_of_its_own_has_a_peak_of_its_own() -> None:
    (few,) = in_new_process("from benchmarks.clock import peak; print(peak())")
    (many,) = in_new_process("from benchmarks.clock import peak; a = bytearray(2**28); print(peak())")
    assert 5 < float(few) < float(many) - 200
    assert 20 < peak() < 10**5


def test_a_part_is_measured_alone_and_joins_a_record_of_its_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "bench.json"
    monkeypatch.setattr(sys, "argv", ["bench", "--out", str(out), "--part", "large"])
    monkeypatch.setitem(PARTS, "large", lambda: iter([]))
    monkeypatch.setattr(running, "compiler", lambda: None)
    assert running.main() == 2  # there is no record that it could join
    monkeypatch.setattr(running, "machine", lambda: record()["machine"])
    write(record(), out)
    assert running.main() == 0
    joined = read(out)
    assert joined["large"] == []
    assert joined["growth"] == record()["growth"]
    monkeypatch.setattr(running, "machine", lambda: {"processor": "another"})
    assert running.main() == 2
    assert "another machine" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "is not there"),
        ("{", "cannot be read as JSON"),
        ("[]", "is no record of benchmarks with schema = 2"),
        ('{"schema": 1}', "is no record of benchmarks with schema = 2"),
        ('{"schema": 2, "machine": {}}', f"lacks {', '.join(PARTS)}"),
    ],
)
def test_what_is_no_record_is_refused(tmp_path: Path, text: str | None, message: str) -> None:
    path = tmp_path / "bench.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UnreadableRecordError, match=re.escape(message)):
        read(path)


def compared(tmp_path: Path, a: dict[str, Any], b: dict[str, Any]) -> int:
    for name, one in (("a", a), ("b", b)):
        write(one, tmp_path / f"{name}.json")
    return compare.main([str(tmp_path / "a.json"), str(tmp_path / "b.json")])


def test_changes_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ratios that moved by more than a tenth, and targets; one that is met now is no failure."""
    assert compared(tmp_path, record(), record()) == 0
    assert capsys.readouterr().out == "Nothing changed by more than 10%.\n"
    other = record()
    other["throughput"][0]["numba / C"] = 0.4
    other["throughput"][1]["numba / C"] = 0.65  # within a tenth
    other["first_result"] = other["first_result"][:2]
    assert compared(tmp_path, record(), other) == 1
    assert capsys.readouterr().out.splitlines() == [
        "target missed: numba / C at d = 2, Q = 5, the slower algorithm, 0.6 -> 0.4",
        "target missed: seconds to the first result, numba, warm cache, 1.5 -> not measured",
        "throughput: numba / C, LocalBSGM, d = 2, Q = 5: 0.6 -> 0.4",
        "first_result: seconds, numba, warm cache: 1.5 -> not measured",
    ]
    assert compared(tmp_path, other, record()) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first == "target met: numba / C at d = 2, Q = 5, the slower algorithm, 0.4 -> 0.6"


def test_the_record_is_whole() -> None:
    """Every contestant at every point: what is kept was measured with numba and a compiler."""
    kept = read(KEPT)
    assert kept == rounded(kept)
    assert len(kept["throughput"]) == 12
    assert all({"numpy", "numba", "C"} < set(row) for row in kept["throughput"])
    assert all(target.met is not None for target in targets(kept))
