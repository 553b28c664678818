"""Samples against rounds to reach eps: the front over p, for each p with the best constant step.

For every p the step eta is the one with which LocalBSGM needs the fewest iterations until the measure is eps, by
scalar minimisation on exact moments. T, and with it samples and rounds, then depend on p alone. To leading order

    measure = a/(eta T) + b eta/K + c (p eta)^4

start, noise and displacement (communication_excess.py), with c = 0 where devices are alike. So

    devices alike     T does not depend on p: rounds can be as few as one, at no cost in samples
    devices differ    at first rounds fall as 1/p at no cost; then p eta can grow no more, so that eta ~ 1/p: T ~ p, and
                      the number of rounds stays where it is. With the noise gone it is a/((p eta)(eps - c (p eta)^4)),
                      smallest at c (p eta)^4 = eps/5: the fewest rounds are of order eps^{-5/4}

Corollary 2's eps^{-3/2} rounds are more than that: it is too careful even on these worlds, of which it does not
speak.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ratecert.claim.chart import Chart, Panel, Series
from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.periods.best_step import CLOSE, best_step
from ratecert.papers.federated_bilevel.evidence.periods.communication import (
    drawable,
    exact,
    exponent,
    method_of,
    world_of,
)
from ratecert.papers.federated_bilevel.evidence.periods.two_kinds import MEAN
from ratecert.solvers.contract.counts import count

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
GOOD_GUESS = 0.5  # how far the best step may be from the guess, in units of the distance of the three tried
IN_P = 1e-2
IN_EPS = 1e-3
SAME = 1e-12


def best(dial: float, noise: float, away: float, p: int, eps: float, eta: float) -> Json:
    """The step near `eta` with which T is smallest, and what that run costs a device."""
    world = _world(dial, noise)

    def measure(eta: float, T: int) -> float:
        return exact(world, method_of("LocalBSGM", STEPS, eta=eta, p=p), K=K, T=T, away=away).measure

    found = best_step(measure, eps, near=eta, eta_T=50 * away**2 / eps)
    counts = count(world, method_of("LocalBSGM", STEPS, eta=found.eta, p=p), found.T)
    what = {
        "dial": dial,
        "noise": noise,
        "p": p,
        "eps": eps,
        "eta": found.eta,
        "T": found.T,
        "shift": found.shift,
    }
    return {**what, "rounds": counts.rounds, "samples": counts.samples_f + counts.samples_g}


def one_round(noise: float, away: float, T: int, eta: float) -> Json:
    """The measure with an average at every step and with none before the end, on devices that are alike."""
    world = _world(0.0, noise)
    runs = [exact(world, method_of("LocalBSGM", STEPS, eta=eta, p=p), K=K, T=T, away=away) for p in (1, T)]
    return {
        "T": T,
        "measures": [run.measure for run in runs],
        "precision": max(run.precision for run in runs),
    }


def _world(dial: float, noise: float) -> Any:
    levels = {"s_f": noise, "s_g": noise}
    different = {"two_kinds": {"K": K, "dial": dial, **levels}}
    return world_of(different if dial else {"world": "scalar", **MEAN, **levels})


def pieces(budget: Budget) -> list[Piece]:
    periods = [1, 256] if budget.quick else list(ETAS)
    here = {"noise": NOISE, "away": 1.0}
    front = [
        Piece(best, {**here, "dial": DIAL, "p": p, "eps": EPS, "eta": ETAS[p]}, 1.2 if p < 1e4 else 3.0)
        for p in periods
    ]
    alike = [
        Piece(best, {**here, "dial": 0.0, "p": 1, "eps": EPS, "eta": ALIKE}, 0.6),
        Piece(one_round, {**here, "T": 6_400_000, "eta": ALIKE}, 0.2),
    ]
    quiet = {"dial": DIAL, "noise": 0.0, "away": NEAR, "p": ONE}
    fewest = (
        [] if budget.quick else [Piece(best, {**quiet, "eps": e, "eta": eta}) for e, eta in FEWEST.items()]
    )
    return front + alike + fewest


def judge(values: Sequence[Json]) -> Judgement:
    (once,) = (v for v in values if "measures" in v)
    found = [v for v in values if "rounds" in v]
    front = sorted((v for v in found if v["dial"] and v["noise"]), key=lambda v: v["p"])
    (alike,) = (v for v in found if not v["dial"])
    fewest = [v for v in found if not v["noise"]]
    rounds = [v["rounds"] for v in front]
    checks = [
        Check(
            name="largest ratio of the rounds of a longer period to those of the one before",
            measured=max(b / a for a, b in pairwise(rounds)),
            predicted=1.0,
            relation="<=",
            uncertainty=CLOSE**2,
        ),
        *(_free(v, front[0]) for v in front[1:] if v["p"] <= SHORT),
        *(_dear(v, front[0]) for v in front if v["p"] > BENT),
        Check(
            name=f"relative change of the measure in one round, T = {once['T']:.0e}, devices alike",
            measured=once["measures"][1] / once["measures"][0] - 1,
            predicted=0.0,
            tolerance=SAME,
            uncertainty=2 * once["precision"],
        ),
        Check(
            name="largest distance of a best step from the middle of the three tried, in their distance",
            measured=max(abs(v["shift"]) for v in found),
            predicted=GOOD_GUESS,
            relation="<=",
        ),
    ]
    if front[-1]["p"] >= LONG:
        checks.append(_exponent("rounds", "p", front[-2:], 0.0, IN_P, "devices differ, long rounds"))
        checks.append(_exponent("samples", "p", front[-2:], 1.0, IN_P, "devices differ, long rounds"))
    if fewest:
        checks.append(_exponent("rounds", "eps", fewest, -1.25, IN_EPS, "the fewest, devices differ"))
    return Judgement(
        checks=checks,
        regime=f"K = {K}, from x_star + 1; devices alike, and devices of two kinds, outside the paper's "
        "homogeneity; eta is the best constant one for each p, not a corollary's",
        settings={
            "mean problem": {"world": "scalar", **MEAN},
            "two kinds": {"K": K, "dial": DIAL},
            "noise": NOISE,
            "steps": STEPS,
            "eps": EPS,
        },
        method="exact moments; T by the secant method, eta by a parabola in log eta",
        chart=_chart(front, alike),
        notes=[
            f"Devices alike: {alike['samples']} samples per device reach eps = {EPS:g} in any number of rounds.",
            f"Devices differ: from about p = {_bend(front)} on a longer period no longer saves rounds; about "
            f"{rounds[-1]:.0f} of them are needed however many samples are spent.",
        ],
        table=[
            {name: v[name] for name in ("dial", "noise", "eps", "p", "eta", "T", "rounds", "samples")}
            for v in found
        ],
    )


def _free(v: Json, base: Json) -> Check:
    return Check(
        name=f"samples at p = {v['p']} over samples at p = 1, devices differ",
        measured=v["samples"] / base["samples"],
        predicted=1.0,
        tolerance=IN_P,
        uncertainty=CLOSE**2,
    )


def _dear(v: Json, base: Json) -> Check:
    return Check(
        name=f"samples at p = {v['p']} over samples at p = 1, devices differ",
        measured=v["samples"] / base["samples"],
        predicted=2.0,
        relation=">=",
        uncertainty=CLOSE**2,
    )


def _exponent(y: str, x: str, points: Sequence[Json], value: float, tolerance: float, where: str) -> Check:
    found = exponent([v[x] for v in points], [v[y] for v in points], CLOSE**2)
    return Check(
        name=f"exponent of the {y} in {x}, {where}",
        measured=found.value,
        predicted=value,
        tolerance=tolerance,
        uncertainty=found.uncertainty,
    )


def _bend(front: Sequence[Json]) -> int:
    """The first p whose samples are twice those of p = 1."""
    return min(
        (int(v["p"]) for v in front if v["samples"] >= 2 * front[0]["samples"]), default=front[-1]["p"]
    )


def _chart(front: Sequence[Json], alike: Json) -> Chart:
    rounds = drawable([v["rounds"] for v in front])
    return Chart(
        caption=f"Samples per device against rounds to reach eps = {EPS:g}, LocalBSGM with the best step for each "
        "p. Where devices are alike samples do not depend on the number of rounds. Where they differ the front "
        "bends: below a number of rounds no amount of samples helps.",
        panels=[
            Panel(
                x_label="rounds $T/p$",
                y_label="samples per device",
                series=[
                    Series(
                        label=f"devices differ, $p = {front[0]['p']}$ (right) to ${front[-1]['p']}$",
                        x=rounds,
                        y=[v["samples"] for v in front],
                    ),
                    Series(
                        label="devices alike, any $p$",
                        x=[rounds[-1] / 10, max(alike["rounds"], 1)],
                        y=[alike["samples"]] * 2,
                        kind="predicted",
                        colour=2,
                    ),
                    Series(
                        label="the fewest rounds found",
                        x=[rounds[-1]] * 2,
                        y=[alike["samples"], front[-1]["samples"]],
                        kind="predicted",
                        colour=1,
                    ),
                ],
            )
        ],
    )


CLAIMS = (
    Claim(
        id="communication-period.front",
        of=("corollary-2",),
        sentence="Where devices are alike LocalBSGM reaches eps in one round at no cost in samples; where they "
        "differ rounds fall as 1/p at no cost until p eta is large, and then no further.",
        pieces=pieces,
        judge=judge,
    ),
)
