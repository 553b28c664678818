"""Costs per device, against a hand count of the pseudocode."""

from collections.abc import Sequence
from dataclasses import fields
from fractions import Fraction
from typing import Any

import pytest

from ratecert.solvers import (
    BSA,
    MRBO,
    SMB,
    SOBA,
    STEM,
    SUSTAIN,
    TTSA,
    VRBO,
    FedBiOAcc,
    FedBiOAccGlobal,
    FedNest,
    LFedNest,
    LocalBSGM,
    LocalBSGVRM,
    LocalSGD,
    StocBiO,
)
from ratecert.solvers.contract.result import Counts
from ratecert.solvers.engines.counting import count
from ratecert.solvers.engines.sampling.noise import Hashed
from ratecert.synthetic import random_quadratic

WORLD = random_quadratic(d_x=2, d_y=3, sigma_H=0.1, s_f=0.1, s_g=0.1, seed=0)
SETTING = {"eta": 0.1, "alpha": 1.0, "beta": 1.0, "rho_1": 0.1, "rho_2": 0.1, "theta": 0.1}


@pytest.mark.parametrize("B", [1, 3])
@pytest.mark.parametrize(("T", "p"), [(1, 1), (8, 4), (10, 4)])
@pytest.mark.parametrize("previous", ["local", "averaged"])
def test_local_bsgvrm(T: int, p: int, B: int, previous: str) -> None:
    """The first iteration draws and evaluates B times; each later one evaluates its one sample at two points."""
    Q, rounds = 5, T // p
    evaluations = B + 2 * (T - 1)
    expected = Counts(
        samples_f=B + T - 1,
        samples_g=(B + T - 1) * (Q + 2),
        hessian_products=evaluations * Q,
        jacobian_products=evaluations,
        rounds=rounds,
        floats_sent=rounds * (2 if previous == "local" else 3) * (2 + 3),
    )
    assert count(WORLD, LocalBSGVRM(p=p, Q=Q, B=B, previous=previous, **SETTING), T) == expected


def test_fresh_momenta_cost_one_estimate_more() -> None:
    """u_T, v_T are computed before the last average asks for them."""
    carry, fresh = (count(WORLD, LocalBSGM(p=2, Q=1, momenta=m, **SETTING), 4) for m in ("carry", "fresh"))
    assert (fresh.samples_f, fresh.samples_g) == (carry.samples_f + 1, carry.samples_g + 3)
    assert (fresh.rounds, fresh.floats_sent) == (carry.rounds, carry.floats_sent)


# The other methods, iteration by iteration. f and g: samples; H and J: products; x, y: floats of one average.


def cost(f: Any = 0, g: Any = 0, H: Any = 0, J: Any = 0, sent: Any = None) -> Counts:
    rounds = 0 if sent is None else 1
    return Counts(f, g, H, J, rounds, sent or 0)


def total(iterations: Sequence[Counts], T: int) -> Counts:
    """The first T of the iterations of a cycle that is repeated."""
    return sum((iterations[t % len(iterations)] for t in range(T)), start=Counts())


def each(n: int, last: int, **one: Any) -> list[Counts]:
    """n equal iterations, the last of them with an average of so many floats."""
    return [cost(**one)] * (n - 1) + [cost(**one, sent=last)]


def fed_nest(solver: FedNest, k: Any) -> list[Counts]:
    """A cycle in which r is multiplied k times. q, y, r have 3 floats, h and x have 2."""
    fed_inn = [cost(g=1, sent=3), *each(solver.tau, 3, g=1)]
    fed_ihgp = [cost(f=1, sent=3), cost(g=1, H=1, sent=3) * k]
    fed_out = [cost(f=1, g=1, J=1, sent=2), *each(solver.tau, 2, f=1)]
    return [*(fed_inn * solver.T_in), *fed_ihgp, *fed_out]


def l_fed_nest(solver: LFedNest, ks: Sequence[Any]) -> list[Counts]:
    """A cycle with tau draws; only y and x are sent."""
    lower = each(solver.tau, 3, g=1) * solver.T_in
    upper = [step for k in ks for step in (cost(f=1), cost(g=1, H=1) * k, cost(f=1, g=1, J=1))]
    return [*lower, *upper[:-1], cost(f=1, g=1, J=1, sent=2)]


NEST = {"alpha": 0.05, "beta": 0.1, "theta": 0.15}
LOOPS = [(1, 1, 1), (1, 2, 3), (2, 3, 4), (3, 1, 6)]
nests = pytest.mark.parametrize(("T_in", "tau", "N"), LOOPS)


@nests
def test_rounds_of_fed_nest(T_in: int, tau: int, N: int) -> None:
    """At most 2 T_in + N + 2 in a cycle, on average 2 T_in + (N + 5)/2; never the published 2 T_in + N + 3."""
    solver = FedNest(T_in=T_in, tau=tau, N=N, **NEST)
    cycle = T_in * (1 + tau) + 3 + tau
    paths = [count(WORLD, solver, cycle, draws=[k]) for k in range(N)]
    assert [path.rounds for path in paths] == [2 * T_in + 3 + k for k in range(N)]
    assert max(path.rounds for path in paths) == 2 * T_in + N + 2 < 2 * T_in + N + 3
    assert count(WORLD, solver, cycle).rounds == 2 * T_in + Fraction(N + 5, 2)
    assert count(WORLD, solver, 10**12 * cycle).rounds == 10**12 * (2 * T_in + Fraction(N + 5, 2))


@pytest.mark.parametrize("draws", [(0, 0), (2, 1), (1, 2), (0, 2)])
def test_fed_nest_along_a_path(draws: tuple[int, int]) -> None:
    """The first k belongs to the first cycle: where the second one is not reached, its k is not asked for."""
    solver = FedNest(T_in=2, tau=2, N=3, **NEST)
    first, second = (fed_nest(solver, k) for k in draws)
    assert count(WORLD, solver, 22, draws=draws) == total(first, 11) + total(second, 11)
    assert count(WORLD, solver, 13, draws=draws[:1]) == total(first, 11) + total(second, 2)


@nests
def test_rounds_of_l_fed_nest(T_in: int, tau: int, N: int) -> None:
    """T_in + 1 in a cycle, whatever its tau draws are."""
    solver = LFedNest(T_in=T_in, tau=tau, N=N, **NEST)
    draws = [min(i, N - 1) for i in range(tau)]
    path = l_fed_nest(solver, draws)
    assert count(WORLD, solver, len(path), draws=draws) == total(path, len(path))
    assert count(WORLD, solver, len(path), draws=draws).rounds == T_in + 1


SIX = [1 / 6] * 6


def test_the_mean_of_sampled_draws_is_that_of_the_count() -> None:
    """4096 draws below 6, of standard deviation 1.71: within 5 standard errors of 5/2, and not within them of 3."""
    ks = Hashed(seed=1, first=0, replicates=4096, K=1).common(7, "switch", SIX)
    error = (35 / 12 / 4096) ** 0.5
    assert set(ks.tolist()) == set(range(6))
    assert abs(ks.mean() - 2.5) < 5 * error < abs(ks.mean() - 3)


@pytest.mark.parametrize("draws", [[], [0], [0, 1, 2], 5, [0, 3], [-1, 0], [0.5, 1], ["a", 1]], ids=str)
def test_draws_that_do_not_fit(draws: Any) -> None:
    solver = FedNest(T_in=1, tau=1, N=3, **NEST)
    number = "every number in draws must be a whole number from 0 to 2"
    with pytest.raises(ValueError, match=f"draws must be a list of 2 whole numbers|{number}"):
        count(WORLD, solver, 12, draws=draws)
    assert count(WORLD, solver, 12, draws=[0, 2]).rounds == 2 * 5 + 2


def test_draws_of_a_method_without_random_rounds() -> None:
    """TTSA's draws are those of its estimates, not rounds: a path of it has no draws to give."""
    solver = TTSA(alpha=0.05, beta=0.1, theta=0.1, N=3)
    with pytest.raises(ValueError, match=r"draws must be a list of 0 whole numbers, .* got \[1\]"):
        count(WORLD, solver, 5, draws=[1])
    assert count(WORLD, solver, 5, draws=[]) == count(WORLD, solver, 5)


HALF = Fraction(3, 2)  # factors of 4 terms cut at random
LOOP: dict[str, Any] = {"alpha": 0.05, "beta": 0.1, "T_in": 2, "theta": 0.1, "S": 3}
CYCLES: dict[str, tuple[Any, list[Counts]]] = {
    # xi, zeta for grad_xy, Q for the factors, one for grad_y g; x, y, u, v or x, y sent every p
    **{
        f"LocalBSGM, p = {p}, Q = {Q}": (LocalBSGM(p=p, Q=Q, **SETTING), each(p, 10, f=1, g=Q + 2, H=Q, J=1))
        for p, Q in ((1, 0), (4, 1), (7, 5))
    },
    **{
        f"LocalSGD, p = {p}": (
            LocalSGD(eta=0.1, rho_1=0.1, rho_2=0.1, p=p, theta=0.1, Q=5), each(p, 5, f=1, g=7, H=5, J=1)
        )
        for p in (1, 4)
    },
    # means over the draws: k counts with (N - 1)/2
    **{
        f"{method.__name__}, {loops}": (solver, costs(solver, drawn(Fraction(loops[2] - 1, 2), loops[1])))
        for loops in LOOPS
        for method, costs, drawn in ((FedNest, fed_nest, lambda k, _: k), (LFedNest, l_fed_nest, lambda k, n: [k] * n))
        for solver in [method(**dict(zip(("T_in", "tau", "N"), loops, strict=True)), **NEST)]
    },
    # T_in = 2 steps of S = 3 samples of g, then S estimates
    "BSA": (BSA(N=4, **LOOP), [cost(g=3), cost(g=3), cost(f=1, g=1 + HALF, H=HALF, J=1) * 3]),
    "StocBiO": (StocBiO(Q=5, **LOOP), [cost(g=3), cost(g=3), cost(f=1, g=6, H=5, J=1) * 3]),
    "TTSA": (TTSA(alpha=0.05, beta=0.1, theta=0.1, N=4), [cost(f=1, g=2 + HALF, H=HALF, J=1)]),
    "SMB": (SMB(eta=0.1, tau=0.5, b=0.3, theta=0.1, Q=5), [cost(f=1, g=7, H=5, J=1)]),
    # zeta for grad_1 G; zeta and xi for D_v, with a Hessian product; zeta and xi for D_x, with a Jacobian product
    "SOBA": (SOBA(rho=0.1, gamma=0.02), [cost(f=2, g=3, H=1, J=1)]),
    # a restart of S = 10, then q = 2 times a move of x and T_in = 3 of y, each with S_2 = 4 samples at two points
    "VRBO": (
        VRBO(alpha=0.05, beta=0.1, q=2, T_in=3, S=10, S_2=4, theta=0.1, Q=5),
        [cost(f=10, g=70, H=50, J=10), *[cost(f=4, g=28, H=40, J=8)] * 8],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CYCLES)
def test_costs_of_a_cycle_by_hand(name: str) -> None:
    """At every T of two cycles and more; another cycle costs otherwise."""
    solver, iterations = CYCLES[name]
    for T in range(1, 2 * max(12, len(iterations)) + 1):
        assert count(WORLD, solver, T) == total(iterations, T)
    assert count(WORLD, solver, 24) != total([*iterations, cost(f=1)], 24)


def storm(one: dict[str, Any], *, p: int, B: int, sent: int | None, T: int) -> Counts:
    """B samples at the start, each evaluated once; then a sample an iteration, at two points."""
    start, twice = cost(**one) * B, cost(**one | {product: 2 * one.get(product, 0) for product in ("H", "J")})
    rounds = 0 if sent is None else T // p
    return start + twice * T + Counts(rounds=rounds, floats_sent=rounds * (sent or 0))


STORMS = [
    (FedBiOAcc, {"lam": 0.2, "gamma": 0.5, "c_nu": 2.0, "c_w": 2.0, "theta": 0.1, "Q": 5},
     {"f": 1, "g": 7, "H": 5, "J": 1}, 2 + 2),  # x, nu
    (FedBiOAccGlobal, {"lam": 0.2, "gamma": 0.5, "tau": 0.3, "c_nu": 2.0, "c_w": 2.0, "c_q": 2.0},
     {"f": 2, "g": 3, "H": 1, "J": 1}, 2 * (2 + 3 + 3)),  # x, y, r and their momenta
    (STEM, {"rho": 0.3, "c_u": 2.0}, {"f": 1}, 2 + 2),  # x, u
    (SUSTAIN, {"gamma": 0.2, "lam": 0.5, "c_u": 2.0, "c_v": 2.0, "theta": 0.1, "N": 4},
     {"f": 1, "g": 2 + HALF, "H": HALF, "J": 1}, None),
    (MRBO, {"gamma": 0.2, "lam": 0.5, "c_u": 2.0, "c_v": 2.0, "theta": 0.1, "Q": 5},
     {"f": 1, "g": 7, "H": 5, "J": 1}, None),
]  # fmt: skip


@pytest.mark.parametrize("B", [1, 3])
@pytest.mark.parametrize(("algorithm", "numbers", "one", "sent"), STORMS, ids=[s[0].__name__ for s in STORMS])
def test_storm(algorithm: Any, numbers: Any, one: dict[str, Any], sent: int | None, B: int) -> None:
    """With p = 4; on one machine nothing is sent."""
    period: dict[str, Any] = {} if algorithm.one_machine else {"p": 4}
    solver = algorithm(eta=0.2, B=B, **period, **numbers)
    for T in (1, 2, 7, 12):
        assert count(WORLD, solver, T) == storm(one, p=4, B=B, sent=sent, T=T)


def test_whole_counts_are_ints_and_halves_are_fractions() -> None:
    """(N - 1)/2 is a whole number where N is odd."""
    for N in (3, 4):
        counts = count(WORLD, TTSA(alpha=0.05, beta=0.1, theta=0.1, N=N), 5)
        kinds = {f.name: type(getattr(counts, f.name)) for f in fields(Counts)}
        drawn = int if N == 3 else Fraction
        assert kinds.pop("samples_g") is kinds.pop("hessian_products") is drawn
        assert set(kinds.values()) == {int}
