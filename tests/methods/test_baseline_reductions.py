"""Where the baselines coincide with one another and with the paper's two algorithms, path by path on the same signs.

    LocalBSGVRM, K = 1, p = 1                       MRBO
    LocalBSGVRM, fresh, only x and u averaged       FedBiOAcc, on every device
    LocalBSGVRM, fresh, grad_xy g = 0               STEM, in x
    LocalBSGM, alpha eta = beta eta = 1             LocalSGD, on every device
    LocalBSGM, K = 1, alpha eta = b, beta eta = 1   SMB
    SUSTAIN, N = 1                                  MRBO, Q = 0: one term of the series, cut or summed
    BSA, N = 1                                      StocBiO, Q = 0
    SUSTAIN, c eta^2 = 1                            TTSA: STORM with full weights forgets
    MRBO, c eta^2 = 1                               LocalSGD, K = 1
    FedBiOAccGlobal, K = 1, c eta^2 = 1             SOBA, with v = -r
    FedNest, K = 1, tau = 1; LFedNest likewise      BSA
    FedNest, tau = 1, no matrix noise               LFedNest, tau = 1: averages commute with products
    BSA and FedNest, in the mean over k             StocBiO, Q = N - 1
    VRBO, no noise, from where y has moved          StocBiO
    FedBiOAccGlobal, x and y at rest, no noise      the sum of t terms, Q = t - 1

A twin has another parameter, another world or another set of averages, and the paths part.
"""

from dataclasses import fields
from functools import cache
from typing import Any

import numpy as np
import pytest

from oracles.paths import Array, Elsewhere, Given, Paths, device_paths, distance, stream
from ratecert.solvers import (
    BSA,
    MRBO,
    SMB,
    SOBA,
    STEM,
    SUSTAIN,
    TTSA,
    VRBO,
    CubeRoot,
    FedBiOAcc,
    FedBiOAccGlobal,
    FedNest,
    LFedNest,
    LocalBSGM,
    LocalBSGVRM,
    LocalSGD,
    StocBiO,
    neumann_hypergradient,
)
from ratecert.solvers.engines.monte_carlo.noise import BITS_OF_WHOLE, Reader, whole_of
from ratecert.synthetic import Quadratic, random_quadratic

pytestmark = pytest.mark.untraced  # long computations of lines that other tests run as well

X0, Y0 = np.array([1.0, -0.8, 0.5]), np.array([-0.7, 0.4])
T, REPLICATES, SEED = 40, 5, 11
SAME, APART = 1e-12, 1e-4

ETA = CubeRoot(scale=0.5, offset=2.0)
SUM = {"theta": 0.3, "Q": 3}
STORM = {
    "eta": ETA,
    "alpha": 3.0,
    "beta": 2.0,
    "rho_1": 0.4,
    "rho_2": 0.6,
    **SUM,
}  # in the letters of the paper
READINGS = [
    {"momenta": "carry", "previous": "local"},
    {"momenta": "carry", "previous": "averaged"},
    {"momenta": "fresh"},
]


def named(change: dict[str, Any]) -> str:
    return "-".join(f"{name}={value}" for name, value in change.items())


@cache
def noisy_world(*, matrices: float = 0.3, vectors: float = 0.4) -> Quadratic:
    noise = {"sigma_H": matrices, "sigma_J": matrices, "s_f": vectors, "s_g": vectors}
    return random_quadratic(d_x=3, d_y=2, **noise, seed=3)


def paths(solver: Any, *, world: Any = None, K: int = 1, T: int = T, noise: Any = None) -> Paths:
    noise = noise or Given(seed=SEED, K=K, replicates=REPLICATES)
    run = {"T": T, "x0": X0, "y0": Y0, "K": K, "replicates": REPLICATES}
    return device_paths(world or noisy_world(), solver, noise, **run)


# The paper's two algorithms.


def mrbo(**changes: Any) -> MRBO:
    return MRBO(**{"eta": ETA, "gamma": 0.4, "lam": 0.6, "c_u": 3.0, "c_v": 2.0, **SUM} | changes)


@pytest.mark.parametrize("reading", READINGS, ids=named)
def test_MRBO_is_LocalBSGVRM_on_one_device(reading: dict[str, Any]) -> None:
    assert distance(paths(mrbo()), paths(LocalBSGVRM(**STORM, p=1, **reading))) <= SAME


@pytest.mark.parametrize(
    "change",
    [{"gamma": 0.39}, {"lam": 0.59}, {"c_u": 2.9}, {"c_v": 1.9}, {"Q": 2}, {"B": 2}],
    ids=named,
)
def test_another_MRBO_is_not(change: dict[str, Any]) -> None:
    assert distance(paths(mrbo(**change)), paths(LocalBSGVRM(**STORM, p=1))) > APART


def averaging(*names: str) -> LocalBSGVRM:
    """LocalBSGVRM with fresh momenta that averages these fields and no others."""

    class Partly(LocalBSGVRM):
        averaged = names

    return Partly(**STORM, p=4, momenta="fresh")


def fed_bio_acc(**changes: Any) -> FedBiOAcc:
    letters = {"eta": ETA, "p": 4, "lam": 0.4, "gamma": 0.6, "c_nu": 3.0, "c_w": 2.0, **SUM}
    return FedBiOAcc(**letters | changes)


def test_FedBiOAcc_is_LocalBSGVRM_that_averages_x_and_u_alone() -> None:
    assert distance(paths(fed_bio_acc(), K=3), paths(averaging("x", "u"), K=3)) <= SAME


@pytest.mark.parametrize("names", [("x",), ("u",), ("x", "u", "y"), ("x", "u", "v"), ("x", "y", "u", "v")])
def test_with_other_averages_it_is_not(names: tuple[str, ...]) -> None:
    assert distance(paths(fed_bio_acc(), K=3), paths(averaging(*names), K=3)) > APART


@pytest.mark.parametrize("change", [{"c_nu": 2.9}, {"c_w": 1.9}, {"p": 3}], ids=named)
def test_another_FedBiOAcc_is_not(change: dict[str, Any]) -> None:
    assert distance(paths(fed_bio_acc(**change), K=3), paths(averaging("x", "u"), K=3)) > APART


@cache
def single_level(*, coupling_noise: float = 0.0) -> Quadratic:
    """B = 0: the upper level does not feel the lower one in the mean, and without F not at all."""
    world = noisy_world(matrices=0.3)
    changed = {"B": 0 * world.B, "F": coupling_noise * world.F if coupling_noise else 0.0}
    return Quadratic(**{f.name: getattr(world, f.name) for f in fields(Quadratic)} | changed)


def x_of_STEM(world: Quadratic, **changes: Any) -> Paths:
    solver = STEM(**{"eta": ETA, "p": 4, "rho": 0.4, "c_u": 3.0} | changes)
    return paths(solver, world=world, K=3)[:1]


def x_of_LocalBSGVRM(world: Quadratic) -> Paths:
    return paths(LocalBSGVRM(**STORM, p=4, momenta="fresh"), world=world, K=3)[:1]


def test_STEM_is_LocalBSGVRM_on_one_level() -> None:
    assert distance(x_of_STEM(single_level()), x_of_LocalBSGVRM(single_level())) <= SAME


@pytest.mark.parametrize("change", [{"rho": 0.39}, {"c_u": 2.9}, {"p": 3}], ids=named)
def test_another_STEM_is_not(change: dict[str, Any]) -> None:
    assert distance(x_of_STEM(single_level(), **change), x_of_LocalBSGVRM(single_level())) > APART


def test_STEM_does_not_see_the_noise_of_a_coupling() -> None:
    world = single_level(coupling_noise=1.0)
    assert distance(x_of_STEM(world), x_of_LocalBSGVRM(world)) > APART


def local_bsgm(*, alpha: float, beta: float, p: int) -> LocalBSGM:
    return LocalBSGM(eta=0.25, alpha=alpha, beta=beta, rho_1=0.4, rho_2=0.6, p=p, **SUM)


def local_sgd(**changes: Any) -> LocalSGD:
    return LocalSGD(**{"eta": 0.25, "rho_1": 0.4, "rho_2": 0.6, "p": 4, **SUM} | changes)


def test_LocalSGD_is_LocalBSGM_with_full_weights() -> None:
    assert distance(paths(local_sgd(), K=3), paths(local_bsgm(alpha=4.0, beta=4.0, p=4), K=3)) <= SAME


@pytest.mark.parametrize("weights", [{"alpha": 3.9, "beta": 4.0}, {"alpha": 4.0, "beta": 3.9}], ids=named)
def test_with_less_it_is_not(weights: dict[str, float]) -> None:
    assert distance(paths(local_sgd(), K=3), paths(local_bsgm(**weights, p=4), K=3)) > APART


def smb(**changes: Any) -> SMB:
    """x moves by eta = rho_1 eta of LocalBSGM, y by tau eta = rho_2 eta."""
    return SMB(**{"eta": 0.4 * 0.25, "tau": 0.6 / 0.4, "b": 0.5, **SUM} | changes)


def test_SMB_is_LocalBSGM_with_momentum_on_x_alone() -> None:
    assert distance(paths(smb()), paths(local_bsgm(alpha=2.0, beta=4.0, p=1))) <= SAME


@pytest.mark.parametrize("change", [{"b": 0.49}, {"tau": 1.49}, {"eta": 0.099}], ids=named)
def test_another_SMB_is_not(change: dict[str, float]) -> None:
    assert distance(paths(smb(**change)), paths(local_bsgm(alpha=2.0, beta=4.0, p=1))) > APART


def test_with_momentum_on_y_LocalBSGM_is_not_SMB() -> None:
    assert distance(paths(smb()), paths(local_bsgm(alpha=2.0, beta=3.9, p=1))) > APART


# The baselines among themselves.


def sustain(N: int, **changes: Any) -> SUSTAIN:
    letters = {"eta": ETA, "gamma": 0.4, "lam": 0.6, "c_u": 3.0, "c_v": 2.0, "theta": 0.3}
    return SUSTAIN(N=N, **letters | changes)


def test_with_one_term_SUSTAIN_is_MRBO() -> None:
    assert distance(paths(sustain(N=1)), paths(mrbo(Q=0))) <= SAME


def test_with_two_it_is_not() -> None:
    """Their means would agree; a cut sum and a full one do not."""
    assert distance(paths(sustain(N=2)), paths(mrbo(Q=1))) > APART
    assert distance(paths(sustain(N=1)), paths(mrbo(Q=1))) > APART


LOOP = {"alpha": 0.1, "beta": 0.2, "T_in": 3, "theta": 0.3}


@pytest.mark.parametrize("S", [1, 3])
def test_with_one_term_BSA_is_StocBiO(S: int) -> None:
    assert distance(paths(BSA(**LOOP, N=1, S=S)), paths(StocBiO(**LOOP, Q=0, S=S))) <= SAME


@pytest.mark.parametrize("other", [{"Q": 0, "S": 2}, {"Q": 1, "S": 1}], ids=named)
def test_with_another_batch_or_sum_it_is_not(other: dict[str, int]) -> None:
    assert distance(paths(BSA(**LOOP, N=1)), paths(StocBiO(**LOOP, **other))) > APART


FULL = 1 / 0.25**2  # c with which c eta^2 = 1 at eta = 1/4


def test_SUSTAIN_with_full_weights_is_TTSA() -> None:
    full = sustain(N=4, eta=0.25, c_u=FULL, c_v=FULL)
    assert distance(paths(full), paths(TTSA(alpha=0.4 * 0.25, beta=0.6 * 0.25, theta=0.3, N=4))) <= SAME


@pytest.mark.parametrize("weight", ["c_u", "c_v"])
def test_SUSTAIN_with_less_is_not(weight: str) -> None:
    less = sustain(N=4, **{"eta": 0.25, "c_u": FULL, "c_v": FULL, weight: 0.99 * FULL})
    assert distance(paths(less), paths(TTSA(alpha=0.4 * 0.25, beta=0.6 * 0.25, theta=0.3, N=4))) > APART


def test_MRBO_with_full_weights_is_LocalSGD() -> None:
    assert distance(paths(mrbo(eta=0.25, c_u=FULL, c_v=FULL)), paths(local_sgd())) <= SAME


@pytest.mark.parametrize("weight", ["c_u", "c_v"])
def test_MRBO_with_less_is_not(weight: str) -> None:
    less = mrbo(**{"eta": 0.25, "c_u": FULL, "c_v": FULL, weight: 0.99 * FULL})
    assert distance(paths(less), paths(local_sgd())) > APART


SOBA_STEPS = SOBA(rho=0.6 * 0.25, gamma=0.4 * 0.25)


def one_device(**changes: float) -> FedBiOAccGlobal:
    letters = {"lam": 0.4, "gamma": 0.6, "tau": 0.6, "c_nu": FULL, "c_w": FULL, "c_q": FULL}
    return FedBiOAccGlobal(eta=0.25, p=1, **letters | changes)


def test_FedBiOAccGlobal_on_one_device_with_full_weights_is_SOBA() -> None:
    assert distance(paths(one_device()), paths(SOBA_STEPS)) <= SAME


@pytest.mark.parametrize("weight", ["c_nu", "c_w", "c_q"])
def test_FedBiOAccGlobal_with_less_is_not(weight: str) -> None:
    assert distance(paths(one_device(**{weight: 0.9 * FULL})), paths(SOBA_STEPS)) > APART


# FEDNEST. Its iterations are other ones, so the paths are compared where a cycle begins, and it reads the signs of the
# method that it is held against: a sample at the time and under the name that it has there.

T_IN, N, CYCLES = 2, 4, 8
CYCLE = {FedNest: 2 * T_IN + 4, LFedNest: T_IN + 3, BSA: T_IN + 1}  # iterations, where tau = 1
NEST = {"alpha": 0.1, "beta": 0.2, "T_in": T_IN, "theta": 0.25}


def nest(algorithm: Any, *, tau: int = 1, **changes: Any) -> Any:
    return algorithm(**{**NEST, "tau": tau, "N": N} | changes)


def at_cycles(solver: Any, **run: Any) -> Paths:
    """x and y where cycles begin, and at the end."""
    every = sum(stage.repeats for stage in solver.stages)
    return tuple(path[::every] for path in paths(solver, T=CYCLES * every, **run))


def place(algorithm: Any, t: int) -> tuple[int, int]:
    """The cycle of iteration t, and how many steps on y came before it within."""
    cycle, step = divmod(t, CYCLE[algorithm])
    return cycle, min(step // 2 if algorithm is FedNest else step, T_IN)


def as_BSA(algorithm: Any) -> Elsewhere:
    """The signs of BSA's sample xi_hat, m_x, m_y, e', k, e_1, e_2, ..., cut into the samples of FEDNEST."""
    noise, world = Given(seed=SEED, K=1, replicates=REPLICATES), noisy_world()
    before_k = world.d_x + world.d_y + len(world.F)

    def where(t: int, label: str, member: int) -> tuple[int, str, int, int]:
        cycle, step = place(algorithm, t)
        if label == "zeta":
            return cycle * CYCLE[BSA] + step, "zeta", 0, 0
        product = member // 2**32
        skipped = before_k + BITS_OF_WHOLE + (product - 1) * len(world.E) if label == "factor" else 0
        return cycle * CYCLE[BSA] + T_IN, "xi_hat", 0, skipped

    def rounds(t: int, n: int) -> Any:
        cycle, _ = place(algorithm, t)
        signs = noise.signs(cycle * CYCLE[BSA] + T_IN, "xi_hat", 0)
        return whole_of(signs[before_k : before_k + BITS_OF_WHOLE], n)

    return Elsewhere(noise, where, rounds)


@pytest.mark.parametrize("algorithm", [FedNest, LFedNest])
def test_FEDNEST_on_one_device_is_BSA(algorithm: Any) -> None:
    followed = at_cycles(nest(algorithm), noise=as_BSA(algorithm))
    assert distance(followed, at_cycles(BSA(**NEST, N=N))) <= SAME


@pytest.mark.parametrize("change", [{"N": 3}, {"alpha": 0.099}, {"beta": 0.199}, {"theta": 0.24}], ids=named)
@pytest.mark.parametrize("algorithm", [FedNest, LFedNest])
def test_another_FEDNEST_is_not(algorithm: Any, change: dict[str, float]) -> None:
    followed = at_cycles(nest(algorithm, **change), noise=as_BSA(algorithm))
    assert distance(followed, at_cycles(BSA(**NEST, N=N))) > APART


def as_LFedNest(noise: Given) -> Elsewhere:
    """FEDNEST's iterations 2j (means of grad_y g) are those of step j of its light variant, and so on in order."""
    order = {2 * j: j for j in range(T_IN)} | {2 * T_IN + j: T_IN + j for j in range(3)}

    def moved(t: int) -> int:
        cycle, step = divmod(t, CYCLE[FedNest])
        return cycle * CYCLE[LFedNest] + order.get(step, 0)  # the other samples cancel

    return Elsewhere(
        noise,
        lambda t, label, member: (moved(t), label, member, 0),
        lambda t, n: noise.rounds(moved(t), n),
    )


def effect_of_local_products(world: Quadratic, **changes: Any) -> float:
    noise = Given(seed=SEED, K=3, replicates=REPLICATES)
    federated = at_cycles(nest(FedNest), world=world, K=3, noise=as_LFedNest(noise))
    return distance(federated, at_cycles(nest(LFedNest, **changes), world=world, K=3, noise=noise))


def test_without_matrix_noise_and_local_steps_LFedNest_is_FEDNEST() -> None:
    assert effect_of_local_products(noisy_world(matrices=0.0)) <= SAME


def test_with_matrix_noise_it_is_not() -> None:
    assert effect_of_local_products(noisy_world()) > APART


def test_with_local_steps_it_is_not() -> None:
    assert effect_of_local_products(noisy_world(matrices=0.0), tau=2) > APART


# Without noise.


class EveryK:
    """Replicate k cuts the series after k factors; nothing else is drawn in a world without noise."""

    weights, every_case = None, False

    def __init__(self, n: int) -> None:
        digits = np.floor((np.arange(n) + 0.5) / n * 2.0 ** np.arange(1, BITS_OF_WHOLE + 1)[:, None]) % 2
        self.signs = 1 - 2 * digits

    def reader(self, t: int, label: str, member: int, ahead: int) -> Reader:
        return stream(self.signs, ahead)

    def common(self, t: int, label: str, probabilities: Any) -> Any:
        return np.arange(len(probabilities))


def mean_over_k(solver: Any, T: int, cuts: int) -> Array:
    """The mean over k of x after the first cycle."""
    run = {"T": T, "x0": X0, "y0": Y0, "replicates": cuts}
    x, _ = device_paths(noisy_world(matrices=0.0, vectors=0.0), solver, EveryK(cuts), **run)
    return x[T].mean(axis=(1, 2))


def full_sum(Q: int) -> Array:
    x, _ = paths(StocBiO(**NEST, Q=Q), world=noisy_world(matrices=0.0, vectors=0.0), T=CYCLE[BSA])
    return x[-1, :, 0, 0]


@pytest.mark.parametrize(
    "solver", [BSA(**NEST, N=N), nest(FedNest), nest(LFedNest)], ids=["BSA", "FedNest", "LFedNest"]
)
def test_the_mean_over_k_is_the_full_sum(solver: Any) -> None:
    cut = mean_over_k(solver, CYCLE[type(solver)], N)
    np.testing.assert_allclose(cut, full_sum(Q=N - 1), rtol=0, atol=SAME)
    assert np.abs(cut - full_sum(Q=N)).max() > APART


def without_noise(solver: Any, *, T: int, x0: Array, y0: Array, names: tuple[str, ...] = ("x", "y")) -> Paths:
    world, noise = noisy_world(matrices=0.0, vectors=0.0), Given(seed=SEED, K=1, replicates=1)
    return device_paths(world, solver, noise, T=T, x0=x0, y0=y0, fields=names)


def vrbo_against_stocbio(*, q: int, change: float = 0.0) -> float:
    """VRBO begins with x: it starts where StocBiO has done its first steps on y. Restarts move nothing."""
    T_in, cycles = 2, 3
    x, y = without_noise(StocBiO(**NEST, Q=3), T=T_in + cycles * q * (1 + T_in), x0=X0, y0=Y0)
    solver = VRBO(**NEST | {"beta": 0.2 + change}, q=q, S=2, S_2=1, Q=3)
    T = cycles * (1 + q * (1 + T_in))
    followed = without_noise(solver, T=T, x0=X0, y0=y[T_in, :, 0, 0])
    moves = [t for t in range(T + 1) if t % (1 + q * (1 + T_in)) != 1]
    return distance(tuple(path[moves] for path in followed), (x[T_in:], y[T_in:]))


@pytest.mark.parametrize("q", [1, 2, 3])
def test_without_noise_VRBO_is_StocBiO(q: int) -> None:
    assert vrbo_against_stocbio(q=q) <= SAME


def test_with_another_step_it_is_not() -> None:
    assert vrbo_against_stocbio(q=2, change=0.01) > APART


def resting(tau: float) -> Paths:
    """nu_0, nu_1, ... of a FedBiOAccGlobal whose steps of x and y are lost to rounding."""
    steps = {"lam": 1e-300, "gamma": 1e-300, "tau": tau, "c_nu": 2.0, "c_w": 2.0, "c_q": 3.0}
    return without_noise(FedBiOAccGlobal(eta=0.5, **steps), T=12, x0=X0, y0=Y0, names=("nu",))


def full_sums(theta: float) -> Array:
    """The sums of 1, ..., 12 terms at (x_0, y_0)."""
    world = noisy_world(matrices=0.0, vectors=0.0)
    return np.array([neumann_hypergradient(world, X0, Y0, theta=theta, Q=t - 1) for t in range(1, 13)])


def test_at_rest_FedBiOAccGlobal_adds_up_the_full_sum() -> None:
    (nu,) = resting(tau=0.6)
    np.testing.assert_allclose(nu[1:, :, 0, 0], full_sums(theta=0.3), rtol=0, atol=SAME)


def test_with_another_tau_another_one() -> None:
    (nu,) = resting(tau=0.59)
    assert np.abs(nu[1:, :, 0, 0] - full_sums(theta=0.3)).max() > APART
