"""Samples against rounds to reach eps: the front over p, for each p with the best constant step.

For every p the step eta is the one with which LocalBSGM needs the fewest iterations until the measure is eps: as a
function of log eta, log T has one minimum, which is that of the parabola through three steps around a first guess. T,
and with it samples and rounds, then depend on p alone. To leading order

    measure = a/(eta T) + b eta/K + c (p eta)^4

start, noise and displacement (communication_excess.py), with c = 0 where devices are alike. So

    devices alike     T does not depend on p: rounds can be as few as one, at no cost in samples
    devices differ    at first rounds fall as 1/p at no cost; then p eta can grow no more, so that eta ~ 1/p: T ~ p, and
                      the number of rounds stays where it is. With the noise gone it is a/((p eta)(eps - c (p eta)^4)),
                      smallest at c (p eta)^4 = eps/5: the fewest rounds are of order eps^{-5/4}

Corollary 2's eps^{-3/2} rounds are more than that: it is too careful even on these worlds, of which it does not
speak.
"""

import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from ratecert.claims import Budget, Chart, Check, Claim, Json, Piece, Row, Rows
from ratecert.claims.checks import at_least, at_most, equal, exponent, largest_error
from ratecert.claims.lines import figure, level, line
from ratecert.papers.federated_bilevel.evidence.periods import communication as shared
from ratecert.papers.federated_bilevel.evidence.periods.two_group_world import MEAN, two_group_world
from ratecert.papers.federated_bilevel.reach import reach
from ratecert.solvers.contract.counts import count
from ratecert.synthetic import scalar

K = 2
DIAL = 0.3
NOISE = 0.05
STEPS: dict[str, Any] = {"alpha": 1.0, "beta": 1.0, "rho_1": 0.03, "rho_2": 0.1, "theta": 0.4, "Q": 60}
EPS = 1e-3
ETAS = {1: 0.066, 4: 0.066, 16: 0.065, 64: 0.045, 256: 0.0155, 1024: 4.05e-3, 4096: 1.03e-3, 16384: 2.59e-4}
"""Periods, and the steps around which to look."""
SHORT, BENT, LONG = 16, 200, 10_000  # up to here p is free; from here it costs; from here noise is not seen
ALIKE = 0.103
FEWEST = {1e-12: 2.4e-4, 1e-14: 7.5e-5}  # eps and step, without noise and from nearby
ONE = 64  # the period there: without noise only p eta matters
NEAR = 0.01
APART = 0.2  # of the three steps, in log eta
GOOD_GUESS = 0.5  # how far the best step may be from the guess, in APARTs: beyond, the parabola is a poor one
CLOSE = 1e-6  # relative, of the measure to eps, and so of T
FALL = -0.8  # d log measure / d log T that the search begins with: a fifth of eps is left as T grows
IN_P = 1e-2
IN_EPS = 1e-3
SAME = 1e-12


def best_step(
    measure: Callable[[float, int], float], eps: float, *, near: float, eta_T: float
) -> tuple[float, int, float]:
    """Find the step with the smallest T, that T, and how far the step is from the guess in units of APART.

    measure(eta, T) is that after T iterations; `near` is a first guess of eta, `eta_T` one of eta T.
    """

    def log_T(log_eta: float, guess: float) -> float:
        eta, first = math.exp(log_eta), math.exp(guess)
        found = reach(eps, lambda T: (measure(eta, round(T)), T), first=first, slope=FALL, close=CLOSE)
        return math.log(found.corrected)

    middle = math.log(near)
    low = log_T(middle - APART, math.log(eta_T) - (middle - APART))
    mid = log_T(middle, low)
    high = log_T(middle + APART, mid)
    bend = low - 2 * mid + high
    shift, bottom = (low - high) / (2 * bend), mid - (low - high) ** 2 / (8 * bend)
    log_eta = middle + shift * APART
    return math.exp(log_eta), math.ceil(math.exp(log_T(log_eta, bottom))), shift


def best(dial: float, noise: float, start_offset: float, p: int, eps: float, eta: float) -> list[Json]:
    """Find the step near `eta` with which T is smallest, and count what that run costs a device."""
    world = world_with(dial, noise)

    def measure(eta: float, T: int) -> float:
        solver = shared.method_of("LocalBSGM", STEPS, eta=eta, p=p)
        return float(shared.run_near(world, solver, K=K, T=T, start_offset=start_offset)["measure"])

    eta, T, shift = best_step(measure, eps, near=eta, eta_T=50 * start_offset**2 / eps)
    counts = count(world, shared.method_of("LocalBSGM", STEPS, eta=eta, p=p), T)
    samples = counts.samples_f + counts.samples_g
    return [{"eta": eta, "T": T, "shift": shift, "rounds": counts.rounds, "samples": samples}]


def one_round(noise: float, start_offset: float, T: int, eta: float) -> list[Json]:
    """Run with an average at every step and with none before the end, on devices that are alike."""
    world = world_with(0.0, noise)
    solvers = (shared.method_of("LocalBSGM", STEPS, eta=eta, p=p) for p in (1, T))
    return [shared.run_near(world, solver, K=K, T=T, start_offset=start_offset) for solver in solvers]


def world_with(dial: float, noise: float) -> Any:
    levels: dict[str, Any] = {"s_f": noise, "s_g": noise}
    return two_group_world(K=K, dial=dial, **levels) if dial else scalar(**MEAN, **levels)


def pieces(budget: Budget) -> list[Piece]:
    periods = [1, 256] if budget.quick else list(ETAS)
    here = {"noise": NOISE, "start_offset": 1.0}
    front = [
        Piece(best, {**here, "dial": DIAL, "p": p, "eps": EPS, "eta": ETAS[p]}, 1.2 if p < 1e4 else 3.0)
        for p in periods
    ]
    alike = [
        Piece(best, {**here, "dial": 0.0, "p": 1, "eps": EPS, "eta": ALIKE}, 0.6),
        Piece(one_round, {**here, "T": 6_400_000, "eta": ALIKE}, 0.2),
    ]
    quiet = {"dial": DIAL, "noise": 0.0, "start_offset": NEAR, "p": ONE}
    fewest = [Piece(best, {**quiet, "eps": e, "eta": eta}) for e, eta in FEWEST.items()]
    return front + alike + ([] if budget.quick else fewest)


def checks(rows: Rows) -> Iterator[Check]:
    front, found, once = front_of(rows), rows.having("samples"), rows.having("measure")
    steps = [b / a for a, b in pairwise(front.column("rounds"))]
    name = "largest ratio of the rounds of a longer period to those of the one before"
    yield at_most(name, max(steps), 1.0, CLOSE)
    for row in front[1:]:
        name = f"samples at p = {row.get('p')} over samples at p = 1, devices differ"
        ratio = row["samples"] / front[0]["samples"]
        if row.get("p", 0) <= SHORT:
            yield equal(name, ratio, 1.0, IN_P, CLOSE)
        elif row.get("p", 0) > BENT:
            yield at_least(name, ratio, 2.0, CLOSE)
    where, error = f"T = {once[0].get('T'):.0e}, devices alike", 2 * largest_error(once)
    change = once[1]["measure"] / once[0]["measure"] - 1
    yield equal(f"relative change of the measure in one round, {where}", change, 0.0, SAME, error)
    yield equal(f"measure after one round over eps, {where}", once[1]["measure"] / EPS, 1.0, IN_P, error)
    name = "largest distance of a best step from the middle of the three tried, in their distance"
    yield at_most(name, max(map(abs, found.column("shift"))), GOOD_GUESS)
    yield equal("rounds miscounted, all runs", shared.miscounted(rows), 0.0, 0.0)
    if front[-1].get("p", 0) >= LONG:
        for y, power in (("rounds", 0.0), ("samples", 1.0)):
            name = f"exponent of the {y} in p, devices differ, long rounds"
            yield exponent(name, front.last(2), y, "p", power, IN_P, error=CLOSE)
    fewest = rows.where(noise=0.0)
    if fewest:
        name = "exponent of the rounds in eps, the fewest, devices differ"
        yield exponent(name, fewest, "rounds", "eps", -1.25, IN_EPS, error=CLOSE)


def front_of(rows: Rows) -> Rows:
    return rows.where(dial=DIAL, noise=NOISE).sorted("p")


def alike_of(rows: Rows) -> Row:
    return rows.where(dial=0.0).only()


def notes(rows: Rows) -> list[str]:
    front = front_of(rows)
    bend = next((row["p"] for row in front if row["samples"] >= 2 * front[0]["samples"]), front[-1]["p"])
    return [
        f"Devices alike: {alike_of(rows)['samples']} samples per device reach eps = {EPS:g} in any number of rounds.",
        f"Devices differ: from about p = {bend} on a longer period no longer saves rounds; about "
        f"{front[-1]['rounds']:.0f} of them are needed however many samples are spent.",
    ]


def chart(rows: Rows) -> Chart:
    front, alike = front_of(rows), alike_of(rows)
    first, last = front[0], front[-1]
    fewest = Rows([{**last, "samples": alike["samples"]}, last])
    return figure(
        f"Samples per device against rounds to reach eps = {EPS:g}, LocalBSGM with the best step for each "
        "p. Where devices are alike samples do not depend on the number of rounds. Where they differ the front "
        "bends: below a number of rounds no amount of samples helps.",
        "rounds $T/p$",
        "samples per device",
        [
            line(f"devices differ, $p = {first['p']}$ (right) to ${last['p']}$", front, "rounds", "samples"),
            level(
                "devices alike, any $p$",
                [last["rounds"] / 10, alike["rounds"]],
                alike["samples"],
                kind="predicted",
                colour=2,
            ),
            line("the fewest rounds found", fewest, "rounds", "samples", kind="predicted", colour=1),
        ],
    )


CLAIMS = (
    Claim(
        id="communication-period.front",
        of=("corollary-2",),
        sentence="Where devices are alike LocalBSGM reaches eps in one round at no cost in samples; where they "
        "differ rounds fall as 1/p at no cost until p eta is large, and then no further.",
        pieces=pieces,
        checks=checks,
        regime=f"K = {K}, from x_star + 1; devices alike, and devices of two kinds, outside the paper's "
        "homogeneity; eta is the best constant one for each p, not a corollary's",
        method="exact moments; T by the secant method, eta by a parabola in log eta",
        evidence=("exact moments",),
        settings={
            "mean problem": {"world": "scalar", **MEAN},
            "two kinds": {"K": K, "dial": DIAL},
            "noise": NOISE,
            "steps": STEPS,
            "eps": EPS,
        },
        chart=chart,
        notes=notes,
        table=("dial", "noise", "eps", "p", "eta", "T", "rounds", "samples"),
        runs=("LocalBSGM",),
        blind_to={
            "samples": "only their ratios to those at p = 1 decide, which are 3 or more where 2 is asked for",
            "shift": "best steps are well inside the three tried: a quarter of the largest distance allowed",
        },
    ),
)
