"""What sampling costs, in seconds: a model with few constants, good to a factor of two, for the choice of an engine.

An iteration of a device takes n samples and makes m products with Hessians and Jacobians, in dimension d:

    numpy   C + c (n + m)  for every iteration of a tile, however few its lanes are,
            (n + m + 2) (e d + f d^2)  for every lane, devices x replicates: the measures count as two
    numba   a start: loading what is compiled, or compiling it, and tracing the step of every device that differs,
            n (e d + 2 f d^2)  for every lane, where replicates are filled up to whole words of 64

with C, c: Python's calls; e: operations on a number, each of which goes through memory with numpy; f: a multiplication
and an addition in a product. numba makes one product of those that a sample has at several points.

The constants are of LocalBSGM and LocalBSGVRM at d = 2, 10, 50 and Q = 5, 20 with 1 to 1024 replicates on an ARM
Neoverse-N1. An x86 processor with AVX-512 takes half of numpy's seconds and a third of numba's, which moves the choice
by tenths of a second.
"""

from ratecert.solvers.contract.counts import count
from ratecert.solvers.contract.experiment import Experiment
from ratecert.solvers.contract.problem import has_devices, spaces_of
from ratecert.solvers.engines.compiled.kept import is_kept
from ratecert.solvers.engines.monte_carlo.noise import WORD
from ratecert.solvers.engines.monte_carlo.numpy_tile import LANES

PER_ITERATION, PER_CALL = 3e-4, 1e-5
PER_NUMBER, PER_PRODUCT = 3e-9, 1.6e-10
MEASURES = 2
# Loading takes 0.7 seconds, once in every process; compiling takes 10, once on every machine. About half is counted: a
# process that samples once loses the rest at most, and one that samples often gains.
LOADING, COMPILING = 0.4, 5.0
TRACING = 5e-3  # of one device


def seconds_of_numpy(experiment: Experiment, replicates: int) -> float:
    d, (samples, products) = _dimension(experiment), _per_iteration(experiment)
    n, runs = samples + products, experiment.K * replicates
    calls = PER_ITERATION + PER_CALL * n * _devices_that_differ(experiment)
    work = runs * (n + MEASURES) * (PER_NUMBER * d + PER_PRODUCT * d**2)
    return experiment.T * (max(1.0, runs / LANES) * calls + work)


def seconds_of_numba(experiment: Experiment, replicates: int) -> float:
    """Of the start, half."""
    d, (samples, _) = _dimension(experiment), _per_iteration(experiment)
    start = (LOADING if is_kept() else COMPILING) + TRACING * _devices_that_differ(experiment)
    runs = experiment.K * -(-replicates // WORD) * WORD
    return start + experiment.T * runs * samples * (PER_NUMBER * d + 2 * PER_PRODUCT * d**2)


def _per_iteration(experiment: Experiment) -> tuple[float, float]:
    """Samples and products of a device, on average."""
    counts = count(experiment.problem, experiment.solver, experiment.T)
    samples, products = (
        counts.samples_f + counts.samples_g,
        counts.hessian_products + counts.jacobian_products,
    )
    return float(samples / experiment.T), float(products / experiment.T)


def _dimension(experiment: Experiment) -> int:
    return max(spaces_of(experiment.problem).values())


def _devices_that_differ(experiment: Experiment) -> int:
    return experiment.K if has_devices(experiment.problem) else 1
