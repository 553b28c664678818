"""The C reference (c/reference.c), compiled for this machine when it is first needed and called through ctypes."""

import ctypes
import hashlib
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.files import atomic_write, require_writable
from ratecert.solvers import Constant, LocalBSGM, LocalBSGVRM
from ratecert.synthetic import Quadratic

Array = NDArray[np.float64]

SOURCE = Path(__file__).parent / "c" / "reference.c"
BUILD = Path(__file__).parents[1] / "build"
FLAGS = ("-std=gnu11", "-O3", "-march=native", "-fopenmp-simd", "-Wall", "-Wextra", "-shared", "-fPIC")
LANES = 64


class NoCompilerError(RuntimeError):
    """There is no C compiler, or it fails."""


class World(ctypes.Structure):
    """struct world: see there for what is passed in place of what."""

    _matrices = (
        *("A", "E", "P", "D", "factor", "factor_noise", "B", "F", "B_transposed", "F_transposed"),
        *("of_x", "of_y", "of_g"),
    )
    _truth = ("slope", "intercept", "hessian", "gradient")
    _fields_ = (
        ("d_x", ctypes.c_int64),
        ("d_y", ctypes.c_int64),
        *((name, ctypes.c_void_p) for name in _matrices),
        *((name, ctypes.c_double) for name in ("s_x", "s_y", "s_g")),
        *((name, ctypes.c_void_p) for name in _truth),
    )


class Solver(ctypes.Structure):
    """struct solver."""

    _fields_ = (
        *((name, ctypes.c_int64) for name in ("variance_reduced", "p", "Q")),
        *((name, ctypes.c_double) for name in ("eta", "alpha", "beta", "rho_1", "rho_2")),
    )


def compiler() -> str | None:
    """The path of `cc`, if there is one."""
    return shutil.which("cc")


def build(folder: Path = BUILD, *, source: Path = SOURCE) -> Path:
    """The shared library, named after its source and flags: what has not changed is not compiled again."""
    cc = compiler()
    if cc is None:
        raise NoCompilerError("there is no C compiler `cc` on the path; install one, such as gcc or clang.")
    digest = hashlib.sha256(source.read_bytes() + " ".join((cc, *FLAGS)).encode()).hexdigest()[:16]
    library = folder / f"reference-{digest}.so"
    if not library.exists():
        require_writable(folder)
        with atomic_write(library) as temporary:
            done = subprocess.run(
                [cc, *FLAGS, "-o", str(temporary), str(source)], capture_output=True, text=True, check=False
            )
            if done.returncode:
                raise NoCompilerError(f"`cc` does not compile {source.name}: {done.stderr.strip()}")
    return library


@cache
def loaded(library: Path) -> Any:
    function = ctypes.CDLL(str(library)).run
    pointer = ctypes.c_void_p
    function.argtypes = [
        *(ctypes.POINTER(World), ctypes.POINTER(Solver), ctypes.c_int64, ctypes.c_int64, pointer, pointer),
        *(ctypes.c_int64, ctypes.c_uint64, pointer),
    ]
    function.restype = ctypes.c_int
    return function


def run(
    world: Quadratic,
    solver: LocalBSGM | LocalBSGVRM,
    *,
    K: int,
    T: int,
    x0: Array,
    y0: Array,
    replicates: int,
    seed: int,
    library: Path | None = None,
) -> Array:
    """(4, replicates): gradient, tracking, drift_x, drift_y of each replicate, averaged over t < T.

    The world has one direction E and one F; the solver has a constant step size and the defaults of `momenta`,
    `previous` and B; replicates come in blocks of 64.
    """
    _require_supported(world, solver, replicates)
    arrays = arrays_of(world, solver.theta)
    passed = World(
        d_x=world.d_x,
        d_y=world.d_y,
        s_x=world.s_f,
        s_y=solver.theta * world.s_f,
        s_g=world.s_g,
        **{name: array.ctypes.data for name, array in arrays.items()},
    )
    numbers = {name: getattr(solver, name) for name in ("p", "Q", "alpha", "beta", "rho_1", "rho_2")}
    reduced = isinstance(solver, LocalBSGVRM)
    start = [np.ascontiguousarray(z, dtype=np.float64) for z in (x0, y0)]
    out = np.empty((4, replicates))
    failed = loaded(library or build())(
        ctypes.byref(passed),
        ctypes.byref(Solver(variance_reduced=reduced, eta=solver.step_size(0), **numbers)),
        *(K, T, start[0].ctypes.data, start[1].ctypes.data, replicates // LANES, seed, out.ctypes.data),
    )
    if failed:
        raise MemoryError(f"no memory for K = {K} devices of dimension {world.d_x} + {world.d_y}.")
    return out


def _require_supported(world: Quadratic, solver: LocalBSGM | LocalBSGVRM, replicates: int) -> None:
    """Only what the benchmark needs is in C."""
    if replicates < 1 or replicates % LANES:
        raise ValueError(
            f"C takes replicates in blocks: a multiple of {LANES}, got replicates = {replicates}."
        )
    if len(world.E) != 1 or len(world.F) != 1:
        raise ValueError(f"C takes one direction of E and one of F, got {len(world.E)} and {len(world.F)}.")
    defaults = {"momenta": "carry", "previous": "local", "B": 1}
    for name, only in defaults.items():
        if getattr(solver, name, only) != only:
            raise ValueError(f"C knows {name} = {only!r} only, got {name} = {getattr(solver, name)!r}.")
    if not isinstance(solver.schedule, Constant):
        raise ValueError(f"C takes a constant step size, got eta = {solver.schedule}.")


def arrays_of(world: Quadratic, theta: float) -> dict[str, Array]:
    """The arrays of struct world: products that are the same in all iterations are made here."""
    slope = np.linalg.solve(world.A, world.B)
    arrays = {
        "A": world.A,
        "E": world.E[0],
        "P": world.P,
        "D": theta * world.D,
        "factor": np.eye(world.d_y) - theta * world.A,
        "factor_noise": -theta * world.E[0],
        "B": -world.B,
        "F": -world.F[0],
        "B_transposed": world.B.T,
        "F_transposed": world.F[0].T,
        "of_x": -world.P @ world.a,
        "of_y": -theta * world.D @ world.b,
        "of_g": -world.c,
        "slope": slope,
        "intercept": world.y_star(np.zeros(world.d_x)),
        "hessian": world.P + slope.T @ world.D @ slope,
        "gradient": world.hypergradient(np.zeros(world.d_x)),
    }
    return {name: np.ascontiguousarray(array) for name, array in arrays.items()}
