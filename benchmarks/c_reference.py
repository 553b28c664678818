"""The C reference (c/reference.c), compiled for this machine when it is first needed and called through ctypes."""

import ctypes
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.solvers import Constant, LocalBSGM, LocalBSGVRM
from ratecert.synthetic import Quadratic

Array = NDArray[np.float64]

SOURCE = Path(__file__).parent / "c" / "reference.c"
FLAGS = ("-std=gnu11", "-O3", "-march=native", "-fopenmp-simd", "-Wall", "-Wextra", "-shared", "-fPIC")
LANES = 64
ONLY = {"momenta": "carry", "previous": "local", "B": 1}  # what C knows of these


class NoCompilerError(RuntimeError):
    """There is no C compiler, or it fails."""


class World(ctypes.Structure):
    """struct world: see there for what is passed in place of what."""

    _matrices = ("A", "E", "P", "D", "factor", "factor_noise", "B", "F", "B_transposed", "F_transposed")
    _vectors = ("of_x", "of_y", "of_g")
    _truth = ("slope", "intercept", "hessian", "gradient")
    _fields_ = (
        *((name, ctypes.c_int64) for name in ("d_x", "d_y")),
        *((name, ctypes.c_void_p) for name in (*_matrices, *_vectors)),
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


@cache
def built(source: Path = SOURCE) -> Any:
    """The function `run` of the source."""
    cc = compiler()
    if cc is None:
        raise NoCompilerError("there is no C compiler `cc` on the path; install one, such as gcc or clang.")
    with TemporaryDirectory() as folder:
        command = [cc, *FLAGS, "-o", f"{folder}/reference.so", str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NoCompilerError(f"`cc` does not compile {source.name}: {done.stderr.strip()}")
        function = ctypes.CDLL(f"{folder}/reference.so").run
    pointer = ctypes.c_void_p
    structures = (ctypes.POINTER(World), ctypes.POINTER(Solver))
    numbers = (ctypes.c_int64, ctypes.c_int64, pointer, pointer, ctypes.c_int64, ctypes.c_uint64, pointer)
    function.argtypes, function.restype = [*structures, *numbers], ctypes.c_int
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
) -> Array:
    """(4, replicates): gradient, tracking, drift_x, drift_y of each replicate, averaged over t < T.

    The world has one direction E and one F; the solver has a constant step size and the defaults of `momenta`,
    `previous` and B; replicates come in blocks of 64.
    """
    _require_supported(world, solver, replicates)
    arrays = arrays_of(world, solver.theta)
    noise = {"s_x": world.s_f, "s_y": solver.theta * world.s_f, "s_g": world.s_g}
    pointers = {name: array.ctypes.data for name, array in arrays.items()}
    passed = World(d_x=world.d_x, d_y=world.d_y, **noise, **pointers)
    numbers = {name: getattr(solver, name) for name in ("p", "Q", "alpha", "beta", "rho_1", "rho_2")}
    reduced = isinstance(solver, LocalBSGVRM)
    method = Solver(variance_reduced=reduced, eta=solver.step_size(0), **numbers)
    x, y = (np.ascontiguousarray(z, dtype=np.float64) for z in (x0, y0))
    out = np.empty((4, replicates))
    given = (K, T, x.ctypes.data, y.ctypes.data, replicates // LANES, seed, out.ctypes.data)
    if built()(ctypes.byref(passed), ctypes.byref(method), *given):
        raise MemoryError(f"no memory for K = {K} devices of dimension {world.d_x} + {world.d_y}.")
    return out


def _require_supported(world: Quadratic, solver: LocalBSGM | LocalBSGVRM, replicates: int) -> None:
    """Only what the benchmark needs is in C."""
    if replicates < 1 or replicates % LANES:
        raise ValueError(f"C takes replicates in blocks of {LANES}, got replicates = {replicates}.")
    if len(world.E) != 1 or len(world.F) != 1:
        raise ValueError(f"C takes one direction of E and one of F, got {len(world.E)} and {len(world.F)}.")
    for name, only in ONLY.items():
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
