"""The floor of the measure as a function of Q: it follows Delta_Q^2, and the theorems' 4 Delta_Q^2 is above it.

evidence/bias/bias_floor.py has the closed form of the floor; against it stand exact moments.

    floor      the limit T -> infinity of the theorems' measure, gradient + L_tilde^2 tracking, without noise. It is the
               closed form at every Q, and falls by (1 - theta mu)^2 per term as Q grows.
    steps      the same floor for LocalBSGVRM, for steps inside Theorem 1's conditions, and for an average over 2^60
               iterations from the solution
    noise      with noise everywhere, also in A and B, the measure of LocalBSGM is the floor plus a part of order eta:
               as eta -> 0 the floor remains
"""

import math
from collections.abc import Sequence
from typing import Any

from ratecert.claim.chart import Chart, Panel, Series, Triangle
from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.bias.bias_floor import (
    ETA,
    STEPS,
    THETA,
    K,
    floors,
    other_runs,
    with_noise,
)

EXPONENT = 1e-3
KNOWN = 1e-14  # grad Phi at the point of rest, in doubles: absolute, as it is a difference there
EQUAL = 1e-7  # at Q = 60 grad Phi is 5e-7
ETAS = tuple(10.0**-i for i in range(1, 9))
LAST, FROM = 60, 40  # the exponent is measured between these Q

RANDOM: dict[str, Any] = {"world": "random_quadratic", "d_x": 2, "d_y": 3, "seed": 1}
WORLDS: dict[str, dict[str, Any]] = {"scalar": {"world": "scalar", "b": 1.0}, "random": RANDOM}
NOISY: dict[str, Any] = {**RANDOM, "sigma_H": 0.3, "sigma_J": 0.2, "s_f": 0.1, "s_g": 0.1}
TERMS_WITH_NOISE = (2, 8, 16)


def pieces(budget: Budget) -> list[Piece]:
    terms = [1, 5, 10, 20, 30, FROM, 50, LAST] if budget.quick else list(range(1, LAST + 1))
    noisy = TERMS_WITH_NOISE[-1:] if budget.quick else TERMS_WITH_NOISE
    return [
        *(
            Piece(floors, {"name": n, "world": w, "terms": terms}, seconds=0.03 * len(terms))
            for n, w in WORLDS.items()
        ),
        Piece(other_runs, {"world": RANDOM, "Q": 10}, 0.2),
        *(Piece(with_noise, {"world": NOISY, "Q": Q, "etas": list(ETAS)}, 0.5) for Q in noisy),
    ]


def judge(values: Sequence[Json]) -> Judgement:
    quiet = [v for v in values if "bound" in v]
    noisy = [v for v in values if "noisy Q" in v]
    (others,) = (v["measure over floor"] for v in values if "measure over floor" in v)
    same = [
        Check(
            name=f"measure/floor, {name}",
            measured=ratio,
            predicted=1.0,
            tolerance=EQUAL,
            uncertainty=precision,
        )
        for name, (ratio, precision) in others.items()
    ]
    return Judgement(
        checks=[c for v in quiet for c in _checks(v)]
        + same
        + [c for v in noisy for c in _checks_with_noise(v)],
        regime="T -> infinity; theta < 1/L_1; the floor depends on no step size, and steps inside Theorem 1's "
        "conditions give the same one; the bound takes the ball that holds every point of rest",
        settings={"worlds": WORLDS, "noisy": NOISY, "K": K, "eta": ETA, "etas": list(ETAS), **STEPS},
        method="exact moments against the closed form of the fixed point",
        chart=_chart(quiet, noisy),
        notes=[
            "The theorem's 4 Delta_Q^2 and the floor fall at the same rate; their ratio is in the table.",
            "Where the Hessian has noise, as in the runs against eta, the floor falls faster, by (1 - theta lambda)^2: "
            "lambda, the least eigenvalue of the mean Hessian, is larger than mu.",
        ],
        table=[
            {"world": v["name"], "Q": Q, "floor": floor, "4 Delta_Q^2": bound, "floor/bound": floor / bound}
            for v in quiet
            for Q, floor, bound in zip(v["Q"], v["measured"], v["bound"], strict=True)
        ],
    )


def _checks(v: Json) -> list[Check]:
    gaps = [abs(measured / closed - 1) for measured, closed in zip(v["measured"], v["closed"], strict=True)]
    first, last = v["Q"].index(FROM), v["Q"].index(LAST)
    unit = (LAST - FROM) * math.log1p(-THETA * v["mu"])
    exponent = math.log(v["measured"][last] / v["measured"][first]) / unit
    above = max(measured / bound for measured, bound in zip(v["measured"], v["bound"], strict=True))
    return [
        Check(
            name=f"exponent of 1 - theta mu, per term, {v['name']}",
            measured=exponent,
            predicted=2.0,
            tolerance=EXPONENT,
            uncertainty=sum(2 * KNOWN / math.sqrt(v["measured"][i]) + v["precision"] for i in (first, last))
            / abs(unit),
        ),
        Check(
            name=f"largest gap between the measure and the closed form, {v['name']}",
            measured=max(gaps),
            predicted=0.0,
            tolerance=EQUAL,
            uncertainty=v["precision"],
        ),
        Check(
            name=f"floor over 4 Delta_Q^2, {v['name']}",
            measured=above,
            predicted=1.0,
            relation="<=",
            tolerance=EQUAL,
            uncertainty=v["precision"] * above,
        ),
    ]


def _checks_with_noise(v: Json) -> list[Check]:
    """Between the two smallest eta at which the noise part is not lost to rounding."""
    parts = [measured - v["floor"] for measured in v["measured"]]
    errors = [(v["precision"] + 1e-13) * measured for measured in v["measured"]]
    known = [i for i, (part, error) in enumerate(zip(parts, errors, strict=True)) if error < 1e-5 * part]
    before, last = known[-2:]
    unit = math.log(v["eta"][last] / v["eta"][before])
    spread = sum(errors[i] / parts[i] for i in (before, last)) / abs(unit)
    measured = math.log(parts[last] / parts[before]) / unit
    return [
        Check(
            name=f"exponent in eta of measure - floor, Q = {v['noisy Q']}",
            measured=measured,
            predicted=1.0,
            tolerance=EXPONENT,
            uncertainty=spread,
        )
    ]


def _chart(quiet: Sequence[Json], noisy: Sequence[Json]) -> Chart:
    against_Q = [
        series
        for i, v in enumerate(quiet)
        for series in (
            Series(label=rf"$4\Delta_Q^2$, {v['name']}", x=v["Q"], y=v["bound"], kind="bound", colour=i),
            Series(label=f"floor, {v['name']}", x=v["Q"], y=v["measured"], colour=i),
            Series(label=f"closed form, {v['name']}", x=v["Q"], y=v["closed"], kind="predicted", colour=6),
        )
    ]
    against_eta = [
        series
        for i, v in enumerate(noisy)
        for series in (
            Series(label=f"with noise, Q = {v['noisy Q']}", x=v["eta"], y=v["measured"], colour=i),
            Series(
                label="its floor",
                x=[v["eta"][0], v["eta"][-1]],
                y=[v["floor"]] * 2,
                kind="predicted",
                colour=i,
            ),
        )
    ]
    deepest = noisy[-1]
    triangle = Triangle(x=1e-2, y=0.25 * deepest["measured"][1], slope=1.0, label="1", colour=len(noisy) - 1)
    return Chart(
        caption="The measure that is left when T grows and nothing is random, against the number of terms: the "
        "closed form at every Q, parallel to the theorem's 4 Delta_Q^2 and below it. With noise the measure "
        "falls with eta until it meets that floor; only more terms lower the floor.",
        panels=[
            Panel(
                title=r"no noise, $T \to \infty$",
                x_label="$Q$",
                y_label=r"measure as $T \to \infty$",
                series=against_Q,
                x_scale="linear",
            ),
            Panel(
                title="with noise",
                x_label=r"$\eta$",
                y_label=r"measure as $T \to \infty$",
                series=against_eta,
                triangles=[triangle],
            ),
        ],
    )


CLAIMS = (
    Claim(
        id="delta-q.floor",
        of=("constant.Delta_Q", "theorem-1", "theorem-2"),
        sentence="The measure has a floor that no T, K, p or step size lowers; it falls by (1 - theta mu)^2 per term, "
        "as Delta_Q^2 does, and lies below 4 Delta_Q^2.",
        pieces=pieces,
        judge=judge,
    ),
)
