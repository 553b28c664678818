"""What sampling costs, in seconds: a model with few constants, good to a factor of two, for the choice of an engine.

An iteration of a device takes n samples and makes h products with Hessians and j with Jacobians, in dimension d:

    numpy   C + c (n + h + j)  for every iteration of a tile, however few its lanes are,
            (h + 5 j + 2) (e d + f d^2)  for every lane, devices x replicates
    numba   a start: loading what is compiled, or compiling it, and tracing the step of every device that differs,
            n (e' d + f' d^2)  for every lane, where replicates are filled up to whole words of 64

with C, c: Python's calls; e, e': operations on the numbers of a vector; f, f': multiplications and additions of a
product. A product with a Jacobian comes with the gradients of its hypergradient, which nobody counts, and the measures
with those of one level. numba makes one product of those that a sample has at several points.

The constants are fitted to LocalBSGM and LocalBSGVRM at d = 2, 10, 50 and Q = 5, 20, and to SGD, with 1 to 1024
replicates, on an ARM Neoverse-N1. On an x86 processor with AVX-512 numpy takes about half of these seconds and numba a
third to a quarter; the choice has not been measured there.
"""

from ratecert.solvers.contract.counts import count
from ratecert.solvers.contract.experiment import Experiment
from ratecert.solvers.contract.problem import has_devices, spaces_of
from ratecert.solvers.engines.compiled.kept import is_kept
from ratecert.solvers.engines.monte_carlo.noise import WORD
from ratecert.solvers.engines.monte_carlo.numpy_tile import LANES

PER_ITERATION, PER_CALL = 3e-4, 1e-5
OF_NUMPY, OF_NUMBA = (4.4e-9, 2.1e-10), (2.5e-9, 2.9e-10)  # e, f and e', f'
GRADIENTS, MEASURES = 5, 2
# Loading takes 0.7 seconds, once in every process; compiling takes 10, once on every machine. A part is counted: a
# process that samples once loses the rest at most, and one that samples often gains.
LOADING, COMPILING = 0.5, 5.0
TRACING = 5e-3  # of one device


def seconds_of_numpy(experiment: Experiment, replicates: int) -> float:
    samples, hessians, jacobians = _per_iteration(experiment)
    runs = experiment.K * replicates
    calls = PER_CALL * (samples + hessians + jacobians) * _devices_that_differ(experiment)
    work = (hessians + GRADIENTS * jacobians + MEASURES) * _per_vector(experiment, *OF_NUMPY)
    return experiment.T * (max(1.0, runs / LANES) * (PER_ITERATION + calls) + runs * work)


def seconds_of_numba(experiment: Experiment, replicates: int) -> float:
    """Of the start, a part."""
    samples, _, _ = _per_iteration(experiment)
    start = (LOADING if is_kept() else COMPILING) + TRACING * _devices_that_differ(experiment)
    runs = experiment.K * -(-replicates // WORD) * WORD
    return start + experiment.T * runs * samples * _per_vector(experiment, *OF_NUMBA)


def _per_iteration(experiment: Experiment) -> tuple[float, float, float]:
    """Samples, and products with Hessians and Jacobians, of a device, on average."""
    made = count(experiment.problem, experiment.solver, experiment.T)
    counted = (made.samples_f + made.samples_g, made.hessian_products, made.jacobian_products)
    samples, hessians, jacobians = (float(number / experiment.T) for number in counted)
    return samples, hessians, jacobians


def _per_vector(experiment: Experiment, per_number: float, per_entry: float) -> float:
    d = max(spaces_of(experiment.problem).values())
    return per_number * d + per_entry * d**2


def _devices_that_differ(experiment: Experiment) -> int:
    return experiment.K if has_devices(experiment.problem) else 1
