"""The fast engine of Monte Carlo is the numpy engine, number for number; and it is taken where it can be and pays.

Both engines draw the same signs, so that nothing here is statistical: what differs is the order of additions.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from engines.test_fast_tracing import ALL_NOISE, STEPS, Own
from methods.test_conformance import DRAWS, EXAMPLES, devices, make, suited
from oracles.paths import Given
from ratecert import solvers
from ratecert.errors import DivergedError
from ratecert.solvers import ALGORITHMS, CubeRoot, LocalSGD, Power, simulate
from ratecert.solvers.contract.counts import dimensions_of_state
from ratecert.solvers.contract.experiment import Experiment, prepare
from ratecert.solvers.contract.result import MEASURES, Result
from ratecert.solvers.engines.compiled.expression import EntryByEntry
from ratecert.solvers.engines.compiled.machine import Machine
from ratecert.solvers.engines.engine_choice import machine_for, preferred_engine
from ratecert.solvers.engines.monte_carlo import numpy_tile as tile
from ratecert.solvers.engines.monte_carlo.noise import WORD, Hashed
from ratecert.synthetic import Quadratic, heterogeneous, random_quadratic, scalar, wavy

pytestmark = pytest.mark.nightly

Array = NDArray[np.float64]

TALL = random_quadratic(d_x=2, d_y=3, seed=5, **ALL_NOISE)
SQUARE = random_quadratic(d_x=2, d_y=2, seed=3, **ALL_NOISE)
WAVE = wavy(d=2, dial=1.3, A=[1.0, 2.0], E=0.3, B=[1.0, -1.5], a=0.2, b=0.4, s_f=0.3, s_g=0.2)
DIRECTIONS = replace(
    TALL,
    E=np.stack([TALL.E[0], 0.1 * np.eye(3), np.diag([0.1, 0.0, -0.1])]),
    F=np.stack([TALL.F[0], 0.2 * np.ones((3, 2))]),
)
SILENT = replace(TALL, E=0.0, F=0.0, s_f=0.0, s_g=0.0)
WORLDS = {
    "scalar": scalar(a=1.0, b=0.5, **ALL_NOISE),
    "wide": random_quadratic(d_x=3, d_y=2, seed=5, **ALL_NOISE),
    "tall": TALL,
    "square": SQUARE,
    "large": random_quadratic(d_x=5, d_y=7, seed=2, **ALL_NOISE),
    "directions": DIRECTIONS,
    "additive noise": random_quadratic(d_x=2, d_y=2, seed=1, s_f=0.3, s_g=0.2),
    "noise of matrices": random_quadratic(d_x=4, d_y=2, seed=1, sigma_H=0.3, sigma_J=0.2),
    "silent": SILENT,
    "differ": heterogeneous(d_x=2, d_y=3, K=3, dial=0.4, **ALL_NOISE),
    "wave": WAVE,
    "flat wave": wavy(d=3, dial=0.0, E=0.2, s_f=0.3, s_g=0.2),
}
NO_SINGLE_LEVEL = ("differ", "wave", "flat wave")  # not made with B = 0
PAIRS = [
    (name, world)
    for name in ALGORITHMS
    for world in WORLDS
    if name not in DRAWS
    and not (name == "STEM" and world in NO_SINGLE_LEVEL)
    and not (devices(name) == 1 and world == "differ")
]


def start(world: Any) -> dict[str, Array]:
    return {"x0": np.linspace(1.0, 1.5, world.d_x), "y0": np.linspace(-0.5, 0.8, world.d_y)}


def run(world: Any, solver: Any, engine: str, **changes: Any) -> Result:
    settings = {"K": 3, "T": 21, "replicates": 70, "seed": 1, **start(world), **changes}
    return simulate(world, solver, engine=engine, **settings)


def values(result: Any) -> Array:
    return np.array([getattr(result, name) for name in MEASURES])


def relative(one: Array, other: Array) -> float:
    """The largest difference, in units of the quantity itself; 1e-24 is the square of rounding, as after an average."""
    if one.shape != other.shape:
        return np.inf
    return float(np.max(np.abs(one - other) / (np.abs(one) + 1e-12), initial=0.0))


def gap(one: Result, other: Result) -> float:
    """Over averages, curves and covariances. A covariance is as exact as the deviations that it is made of."""
    return max(
        float(one.curves.t.tolist() != other.curves.t.tolist()),
        relative(values(one), values(other)),
        relative(values(one.curves), values(other.curves)),
        gap_of_covariances(one, other),
    )


def gap_of_covariances(one: Result, other: Result) -> float:
    if not np.isfinite([one.covariance, other.covariance]).all():  # a single replicate has no spread
        return float((one.covariance != other.covariance).any())
    errors = np.sqrt(np.diag(one.covariance)) + 1e-3 * values(one) + 1e-18
    return float(np.max(np.abs(one.covariance - other.covariance) / np.outer(errors, errors)))


# The same numbers.


def with_longer_sums(name: str) -> Any:
    """The example with Q = 6 or N = 7: sums whose middle terms are neither the first nor the last."""
    longer = {letter: value for letter, value in (("Q", 6), ("N", 7)) if letter in EXAMPLES[name]}
    return make(name, **longer)


@pytest.mark.parametrize(("name", "world"), PAIRS)
def test_every_algorithm_on_every_world(name: str, world: str) -> None:
    """And with the signs of another seed, or, where there are none, from another start, they differ."""
    problem = WORLDS[world] if world in NO_SINGLE_LEVEL else suited(name, WORLDS[world])
    solver, K = with_longer_sums(name), 3 if devices(name) > 1 else 1
    expected = run(problem, solver, "numpy", K=K)
    assert gap(expected, run(problem, solver, "numba", K=K)) < 1e-12
    silent = world == "silent" or (name == "STEM" and world == "noise of matrices")  # it sees none of that
    other = {"x0": np.full(problem.d_x, 1.1)} if silent else {"seed": 2}
    assert gap(expected, run(problem, solver, "numba", K=K, **other)) > 1e-6


class NoiseFirst(Quadratic):
    """The same world; its Neumann factor adds the mean after the noise."""

    def neumann_factor_g(self, zeta: Any, x: Any, y: Any, r: Any, theta: float) -> Any:
        (e,) = zeta.e
        return e * ((-theta * self.E[0]) @ r) + (np.eye(self.d_y) - theta * self.A) @ r


def test_a_world_may_write_its_noise_before_its_mean() -> None:
    fields = {
        name: getattr(SQUARE, name) for name in ("A", "E", "B", "F", "c", "P", "D", "a", "b", "s_f", "s_g")
    }
    world, solver = NoiseFirst(**fields), with_longer_sums("LocalBSGM")
    assert len(world.E) == 1
    expected = run(SQUARE, solver, "numpy")
    assert gap(expected, run(world, solver, "numpy")) < 1e-12
    assert gap(expected, run(world, solver, "numba")) < 1e-12


def test_a_period_of_a_thousand_million_costs_nothing() -> None:
    """Stages are found by their place in the cycle, which is not written out."""
    solver = replace(make("LocalBSGM"), p=10**9)
    assert gap(run(SQUARE, solver, "numpy"), run(SQUARE, solver, "numba")) < 1e-12


def test_many_devices_that_do_not_fit_stay_with_numpy() -> None:
    """64 replicates of all devices have to lie in memory at once."""
    few, many = (
        prepare(SQUARE, make("LocalBSGM"), K=K, T=10**6, times=[], **start(SQUARE)) for K in (10, 10**6)
    )
    assert machine_for(few, "auto", 10**4) is not None
    assert machine_for(many, "auto", 10**4) is None


CASES: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    # name: (changes of the run, changes of the algorithm, what else is another run)
    **{f"K = {K}": ({"K": K}, {}, {"K": K + 1}) for K in (1, 2, 4, 5, 11)},
    "one replicate": ({"replicates": 1, "times": range(22)}, {}, {"replicates": 2}),
    "one word": ({"replicates": 64}, {}, {"replicates": 63}),
    "one word and one": ({"replicates": 65}, {}, {"replicates": 66}),
    "many words": ({"replicates": 64 * 9 + 3, "lanes": 10**5}, {}, {"replicates": 64 * 9 + 2}),
    "many tiles": ({"replicates": 300, "lanes": 3 * WORD}, {}, {"replicates": 299}),
    **{f"T = {T}": ({"T": T}, {}, {"T": T + 1}) for T in (1, 2)},
    **{f"p = {p}": ({"T": T}, {"p": p}, {"p": other}) for p, T, other in ((1, 21, 2), (7, 31, 8), (50, 21, 20))},
    "beyond a stretch": ({"T": 560, "times": [0, 255, 256, 257, 511, 512, 513, 560]}, {"p": 7}, {"T": 561}),
    "exactly a stretch": ({"T": 256, "times": [255, 256]}, {}, {"T": 257}),
    "a stretch and one": ({"T": 257, "times": [256, 257]}, {}, {"T": 256, "times": [255, 256]}),
    **{f"times {list(times)}": ({"times": times}, {}, {"times": other}) for times, other in (
        ([], [3]), ([0], [1]), ([21], [20]), ([5, 6], [5, 7]), (range(22), range(21)))},
    "shared noise": ({"shared_noise": True}, {}, {"shared_noise": False}),
    "fresh momenta": ({}, {"momenta": "fresh"}, {"momenta": "carry"}),
    "Q = 0": ({}, {"Q": 0}, {"Q": 1}),
    "Q = 12": ({}, {"Q": 12}, {"Q": 11}),
    "cube root": ({}, {"eta": CubeRoot(scale=0.1)}, {"eta": CubeRoot(scale=0.1, offset=3.0)}),
    "power": ({}, {"eta": Power(scale=0.1, exponent=0.5)}, {"eta": Power(scale=0.1, exponent=0.6)}),
    "at first constant": ({}, {"eta": CubeRoot(scale=0.2, floor=12.0)}, {"eta": 0.2 / 12 ** (1 / 3)}),
    "constant until 1.5": ({"T": 2}, {"eta": CubeRoot(scale=0.1, floor=3.5)}, {"eta": 0.1}),
    "constant for a stretch": (
        {"T": 300, "times": [290, 300]}, {"eta": CubeRoot(scale=0.7, floor=290.0)}, {"eta": 0.7 / 290 ** (1 / 3)}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["LocalBSGM", "LocalBSGVRM"])
def test_every_setting(name: str, case: str) -> None:
    """And the engine sees what is set: with something else it gives something else."""
    of_run, of_solver, other = CASES[case]
    expected = run(TALL, make(name, **of_solver), "numpy", **of_run)
    assert gap(expected, run(TALL, make(name, **of_solver), "numba", **of_run)) < 1e-12
    wrong_solver = of_solver | {k: v for k, v in other.items() if k in ("p", "eta", "Q", "momenta")}
    wrong_run = of_run | {k: v for k, v in other.items() if k not in wrong_solver}
    assert gap(expected, run(TALL, make(name, **wrong_solver), "numba", **wrong_run)) > 1e-8


@pytest.mark.parametrize(
    ("name", "changes", "other"),
    [
        ("LocalBSGVRM", {"previous": "averaged", "p": 5}, {"previous": "local"}),
        ("LocalBSGVRM", {"B": 4}, {"B": 3}),
        ("LocalBSGVRM", {"momenta": "fresh", "eta": CubeRoot(scale=0.1)}, {"momenta": "carry"}),
        ("LocalBSGVRM", {"momenta": "fresh", "B": 4}, {"B": 3}),
        ("STEM", {"B": 3}, {"B": 2}),
        ("FedBiOAcc", {"B": 3, "eta": CubeRoot(scale=0.2)}, {"B": 2}),
        ("FedBiOAccGlobal", {"eta": CubeRoot(scale=0.2, floor=9.0)}, {"eta": 0.2}),
        ("StocBiO", {"S": 3, "T_in": 5}, {"S": 2}),
        ("MRBO", {"eta": CubeRoot(scale=0.2)}, {"eta": 0.2}),
        ("VRBO", {"S": 5, "S_2": 3, "q": 3, "T_in": 2}, {"S_2": 2}),
    ],
    ids=str,
)
def test_readings_and_batches(name: str, changes: dict[str, Any], other: dict[str, Any]) -> None:
    world, K = suited(name, TALL), 3 if devices(name) > 1 else 1
    expected = run(world, make(name, **changes), "numpy", K=K, T=40)
    assert gap(expected, run(world, make(name, **changes), "numba", K=K, T=40)) < 1e-12
    assert gap(expected, run(world, make(name, **changes | other), "numba", K=K, T=40)) > 1e-8


@pytest.mark.parametrize("world", [SQUARE, random_quadratic(d_x=3, d_y=3, seed=3)], ids=["noisy", "silent"])
@pytest.mark.parametrize("step", STEPS)
def test_steps_that_read_what_they_write(step: str, world: Any) -> None:
    """Fields that change places, are used twice or are changed in place; for T = 4, as some of them grow."""
    how = {"T": 4, "times": range(5)}
    expected = run(world, Own(STEPS[step]), "numpy", **how)
    assert gap(expected, run(world, Own(STEPS[step]), "numba", **how)) < 1e-12
    other = "turn" if step != "turn" else "swap"
    assert gap(expected, run(world, Own(STEPS[other]), "numba", **how)) > 1e-3


def setting_of(world: Any, solver: Any, *, K: int = 3, T: int = 25) -> Experiment:
    return prepare(world, solver, K=K, T=T, **start(world), times=range(T + 1))


def machine_of(world: Any, solver: Any, **how: Any) -> Machine:
    return Machine(world, solver, dimensions_of_state(world, solver), **how)


# One chain instead of two.


@pytest.mark.parametrize("name", ["LocalBSGVRM", "FedBiOAcc", "MRBO", "VRBO"])
def test_one_chain_gives_what_two_give(name: str) -> None:
    from ratecert.solvers.engines.compiled.engine import run_tile

    solver, K = make(name, Q=9, theta=0.1), 3 if devices(name) > 1 else 1
    setting, noise = setting_of(TALL, solver, K=K, T=60), Hashed(seed=1, first=0, replicates=2 * WORD, K=K)
    one, two = (machine_of(TALL, solver, merge=merge) for merge in (True, False))
    assert one.program.flops < 0.75 * two.program.flops
    first, second = (run_tile(setting, machine, noise, 0, 100) for machine in (one, two))
    for a, b in zip(first, second, strict=True):
        assert relative(a.mean, b.mean) < 1e-12


def test_one_chain_where_h_is_not_affine_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    solver = make("LocalBSGVRM", eta=0.3)
    expected = run(WAVE, solver, "numpy")
    assert gap(expected, run(WAVE, solver, "numba")) < 1e-12
    monkeypatch.setattr(EntryByEntry, "affine", True)
    assert gap(expected, run(WAVE, solver, "numba")) > 1e-4


# Which engine.


LONG = {"K": 100, "T": 10**6, "replicates": 10**4}


def choice(world: Any, solver: Any, engine: str | None, *, K: int, T: int, replicates: int) -> bool:
    """Whether it is numba; nothing is run."""
    setting = prepare(world, solver, K=K, T=T, **start(world), times=[])
    return machine_for(setting, engine, replicates) is not None


@pytest.fixture
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the choice can be tested without it."""
    monkeypatch.setattr("ratecert.solvers.engines.engine_choice.find_spec", lambda name: object())
    monkeypatch.setattr("ratecert.solvers.engines.engine_choice.import_module", lambda name: object())


@pytest.mark.usefixtures("_installed")
def test_long_work_goes_to_numba_and_short_work_to_numpy() -> None:
    solver = make("LocalBSGM")
    assert choice(TALL, solver, "auto", **LONG)
    assert not choice(TALL, solver, "auto", **LONG | {"K": 2, "T": 100})
    assert not choice(TALL, solver, "auto", **LONG | {"T": 100, "replicates": 100})
    assert not choice(TALL, solver, "auto", **LONG | {"K": 1000, "replicates": 1})  # 1 lane of 64 would work
    assert choice(TALL, solver, "auto", **LONG | {"K": 1, "replicates": 1})  # and yet: numpy calls too often
    assert not choice(TALL, solver, "numpy", **LONG)
    assert choice(TALL, solver, "numba", K=1, T=1, replicates=1)


@pytest.mark.usefixtures("_installed")
def test_the_preferred_engine_is_taken_where_none_is_named() -> None:
    solver, short = make("LocalBSGM"), {"K": 1, "T": 1, "replicates": 1}
    with preferred_engine("numba"):
        assert choice(TALL, solver, None, **short)
        assert not choice(TALL, solver, "auto", **short)
        assert not choice(TALL, solver, "numpy", **short)
        with preferred_engine("numpy"):
            assert not choice(TALL, solver, None, **LONG)
        assert choice(TALL, solver, None, **short)
    assert choice(TALL, solver, None, **LONG)
    assert not choice(TALL, solver, None, **short)
    with pytest.raises(KeyError), preferred_engine("numpy"):
        raise KeyError
    assert choice(TALL, solver, None, **LONG)


def test_the_preferred_engine_is_the_one_that_simulates() -> None:
    from ratecert.solvers.engines.compiled import engine

    solver, tiles, run_tile = make("LocalBSGM"), [], engine.run_tile

    def noticed(*arguments: Any) -> Any:
        tiles.append(arguments)
        return run_tile(*arguments)

    with pytest.MonkeyPatch.context() as patched, preferred_engine("numba"):
        patched.setattr(engine, "run_tile", noticed)
        simulate(TALL, solver, K=2, T=3, replicates=64, seed=0, **start(TALL))
        assert len(tiles) == 1
        simulate(TALL, solver, K=2, T=3, replicates=64, seed=0, **start(TALL), engine="numpy")
        assert len(tiles) == 1


@pytest.mark.parametrize("engine", ["fortran", "Numba", "", 1])
def test_an_unknown_engine_is_refused(engine: Any) -> None:
    with pytest.raises(ValueError, match=r"engine must be .*'auto'.*'numpy'.*'numba'.*got"):
        run(TALL, make("LocalBSGM"), engine)
    with (
        pytest.raises(ValueError, match=r"engine must be .*'auto'.*'numpy'.*'numba'.*got"),
        preferred_engine(engine),
    ):
        pass


@pytest.mark.parametrize(
    ("installed", "why"),
    [(False, r"not installed.*install ratecert\[fast\]"), (True, "cannot be used.*NumPy 1.0")],
)
def test_numba_that_cannot_be_imported_is_refused_by_name(
    installed: bool, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not there, or it is made for another numpy."""

    def refuse(name: str) -> None:
        raise ImportError(f"{name} needs NumPy 1.0 or less")

    monkeypatch.setattr("ratecert.solvers.engines.engine_choice.find_spec", lambda _: installed or None)
    monkeypatch.setattr("ratecert.solvers.engines.engine_choice.import_module", refuse)
    with pytest.raises(ValueError, match=f"engine must be 'auto' or 'numpy'.*{why}"):
        run(TALL, make("LocalBSGM"), "numba")
    with pytest.raises(ValueError, match=why), preferred_engine("numba"):
        pass
    assert not choice(TALL, make("LocalBSGM"), "auto", **LONG)
    assert gap(run(TALL, make("LocalBSGM"), "auto"), run(TALL, make("LocalBSGM"), "numpy")) == 0.0


# Processes without numba, and with it unused.

SMALL = """
import numpy as np
from ratecert import simulate
from ratecert.methods import LocalBSGM
from ratecert.worlds import scalar
solver = LocalBSGM(eta=0.1, alpha=2.0, beta=2.0, rho_1=0.2, rho_2=0.5, p=2, theta=0.15, Q=1)
def small(**how):
    return simulate(scalar(s_f=0.1), solver, K=2, T=5, x0=1.0, y0=1.0, replicates=3, seed=0, **how).gradient
"""
WITHOUT = (
    "import sys\nsys.modules['numba'] = None\nsys.modules['llvmlite'] = None\n"
    + SMALL
    + """
import ratecert.cli.main
assert small() == small(engine="numpy")
import ratecert.solvers.engines.engine_choice
ratecert.solvers.engines.engine_choice._pays = lambda *_: True
assert simulate(scalar(), solver, K=2, T=5, x0=1.0, y0=1.0, replicates=64, seed=0).gradient > 0
try:
    small(engine="numba")
except ValueError as error:
    print(error)
"""
)
UNUSED = (
    "import sys\n"
    + SMALL
    + """
import ratecert.cli.main
small(), small(engine="numpy")
print("numba" in sys.modules, "llvmlite" in sys.modules)
"""
)


def printed_by(program: str, folder: Path) -> str:
    """What a process of its own prints, far from the repository."""
    packages = Path(solvers.__file__).resolve().parents[1]
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(packages)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout.strip()


def test_everything_works_where_numba_cannot_be_imported(tmp_path: Path) -> None:
    """Its twin is the sentence, which only comes from a process that looked for numba and found none."""
    assert printed_by(WITHOUT, tmp_path).endswith("install ratecert[fast].")


def test_numba_is_not_imported_before_it_is_used(tmp_path: Path) -> None:
    assert printed_by(UNUSED, tmp_path) == "False False"
    used = UNUSED.replace("small(), small", 'small(engine="numba"), small')
    assert printed_by(used, tmp_path) == "True True"


# Divergence.

WILD = make("LocalBSGM", eta=0.1, alpha=5.0, beta=5.0, rho_1=1e4)


def sentence(run: Callable[[], Any]) -> str:
    with pytest.raises(
        DivergedError, match=r"iteration \d+, replicate \d+, step size \w+ = [\d.e+]+; "
    ) as error:
        run()
    return str(error.value)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("K", [1, 3])
def test_divergence_is_the_same_sentence(K: int, seed: int) -> None:
    """The same iteration, replicate and step size; a smaller step converges in both."""
    how = {"K": K, "seed": seed, "replicates": 1}
    said = [sentence(lambda e=engine: run(TALL, WILD, e, T=2000, **how)) for engine in ("numpy", "numba")]
    assert said[0] == said[1]
    assert "replicate 0, step size eta = 0.1; make the step size smaller" in said[1]
    calm = make("LocalBSGM")
    assert gap(run(TALL, calm, "numpy", **how), run(TALL, calm, "numba", **how)) < 1e-12


def test_divergence_is_seen_where_something_is_measured() -> None:
    """At t < T for the averages, and at T if a curve is read there."""
    last = int(sentence(lambda: run(TALL, WILD, "numba", T=2000)).split("iteration ")[1].split(",")[0])
    assert np.isfinite(values(run(TALL, WILD, "numba", T=last, times=[]))).all()
    for measured in ({"T": last + 1, "times": []}, {"T": last, "times": [last]}):
        assert f"iteration {last}," in sentence(lambda m=measured: run(TALL, WILD, "numba", **m))


def test_a_start_that_is_too_far_out_is_named() -> None:
    said = sentence(lambda: run(TALL, make("LocalBSGM"), "numba", x0=np.full(2, 1e100)))
    assert "iteration 0, replicate 0" in said
    assert said.endswith("start nearer to the solution.")


# y diverges where the sign of E is +, as |1 - 1.5 (1 + 0.9)| > 1, and not where it is -.
ONE_SIDED = scalar(sigma_H=0.9)
ONE_SIDED_SOLVER = LocalSGD(eta=1.5, rho_1=1e-6, rho_2=1.0, p=1, theta=0.1, Q=0)


class Fixed(Given):
    """Every sign of a replicate is the same, at all times and on all devices."""

    def __init__(self, sign_of_replicate: list[float], *, K: int) -> None:
        super().__init__(seed=0, K=K, replicates=len(sign_of_replicate))
        self.sign_of_replicate = np.array(sign_of_replicate)

    def _signs(self, t: int, label: str, member: int) -> Array:
        return np.tile(self.sign_of_replicate, (len(super()._signs(0, "", 0)), self.K))


def with_signs(signs: list[float], replicates: int, machine: Machine | None, *, first: int = 0) -> Any:
    """With numpy, or with numba where there is a machine."""
    from ratecert.solvers.engines.compiled.engine import run_tile

    setting = prepare(ONE_SIDED, ONE_SIDED_SOLVER, K=2, T=400, x0=1.0, y0=3.0, times=[400])
    if machine is None:
        return tile.run_tile(setting, Fixed(signs[:replicates], K=2), first, replicates)
    return run_tile(setting, machine, Fixed(signs, K=2), first, replicates)


def test_the_replicate_that_diverges_is_named_in_any_word() -> None:
    """Here number 70 of a tile that begins with number 640; and without it nothing diverges."""
    signs, machine = [-1.0] * (3 * WORD), machine_of(ONE_SIDED, ONE_SIDED_SOLVER)
    with_signs(signs, 3 * WORD, machine, first=640)
    signs[70] = 1.0
    said = [sentence(lambda m=m: with_signs(signs, 3 * WORD, m, first=640)) for m in (machine, None)]
    assert said[0] == said[1]
    assert "replicate 710," in said[0]


def test_lanes_that_fill_up_a_word_do_not_matter() -> None:
    """They diverge and nobody minds; as a replicate, the first of them is named."""
    signs = [-1.0] * 5 + [1.0] * (WORD - 5)
    machine = machine_of(ONE_SIDED, ONE_SIDED_SOLVER)
    calm, alone = (with_signs(chosen, 5, machine) for chosen in ([-1.0] * WORD, signs))
    for one, other in zip(calm, alone, strict=True):
        np.testing.assert_array_equal(one.mean, other.mean)
    assert "replicate 5," in sentence(lambda: with_signs(signs, 6, machine))


@pytest.mark.parametrize("seed", range(4))
def test_numbers_that_are_not_numbers_are_seen_in_any_lane(seed: int) -> None:
    """x stays where it is or becomes (inf, -inf), by the sign of F: one lane is nan and the next one may be 0."""
    eye = np.eye(2)
    world = Quadratic(A=eye, B=eye, F=eye[None], P=[[2.0, 1.0], [1.0, 2.0]], D=eye, b=[400.0, -400.0])
    solver = LocalSGD(eta=1e306, rho_1=1.0, rho_2=1e-306, p=1, theta=0.9, Q=0)
    how = {"K": 1, "T": 3, "x0": np.zeros(2), "y0": np.zeros(2), "replicates": 64, "seed": seed}
    said = [sentence(lambda e=engine: run(world, solver, e, **how)) for engine in ("numpy", "numba")]
    assert said[0] == said[1]
    assert "iteration 1," in said[0]


# Workers and progress.


@pytest.mark.parametrize("name", ["LocalBSGM", "LocalBSGVRM"])
def test_the_result_does_not_depend_on_the_workers(name: str) -> None:
    """To the last bit; progress is reported once for each of the tiles."""
    how = {"replicates": 64 * 7 + 5, "lanes": 64 * 3, "T": 50}
    seen: list[tuple[int, int]] = []
    one = run(TALL, make(name), "numba", **how)
    two = run(TALL, make(name), "numba", workers=2, progress=lambda *p: seen.append(p), **how)
    assert gap(one, two) == 0.0
    assert seen == [(i, 8) for i in range(1, 9)]
    assert gap(one, run(TALL, make(name), "numba", workers=2, **how | {"replicates": 64 * 7 + 4})) > 1e-9


@pytest.fixture
def blas_threads() -> Iterator[Callable[[], list[int]]]:
    """How many threads linear algebra has; here it is allowed two."""
    blas = ThreadpoolController().select(user_api="blas")

    def threads() -> list[int]:
        return [library["num_threads"] for library in blas.info()]

    def allow(n: int) -> None:
        """By a thread that ends: as long as the thread that was first lives, others cannot change it."""
        once = threading.Thread(target=blas.limit, kwargs={"limits": n})
        once.start()
        once.join()

    own = threads()
    allow(2)
    yield threads
    allow(own[0])


def test_linear_algebra_has_its_threads_back(blas_threads: Callable[[], list[int]]) -> None:
    before = blas_threads()
    run(TALL, make("LocalBSGM"), "numba", workers=2, replicates=8 * WORD, lanes=1)
    assert blas_threads() == before == [2] * len(before)
