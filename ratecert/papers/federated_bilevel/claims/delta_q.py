"""Delta_Q = (1 - theta mu)^{Q+1} L_0 L_1/mu bounds the bias of the stochastic hypergradient, and no smaller rate does.

The bias at (x, y) is ||hat - tilde||, where hat is the mean of the stochastic hypergradient with Q + 1 terms and tilde
the formula with the inverse, both at (x, y); evidence/bias/neumann_bias.py has its closed form.

    aligned      the worst point of a world on which all worst cases of Delta_Q share one direction. hat is the
                 algorithm's own running sum, run in 50 digits: at large Q it differs from tilde in digits that doubles
                 do not have. Under the reading `block` the bias is Delta_Q, and a term shrinks it by 1 - theta mu.
    elsewhere    random points of the ball of the constants, and for every Q the point with the largest bias near
                 (a, b). The closed form equals the difference in doubles, up to their rounding. The bias is at most
                 Delta_Q. As Q grows a term shrinks it by 1 - theta lambda, lambda the least eigenvalue of the mean
                 Hessian: that is 1 - theta mu where the Hessian has no noise. With noise lambda > mu, as mu is the
                 least over samples, and Delta_Q falls more slowly than the bias.
"""

from collections.abc import Sequence
from typing import Any

from ratecert.claim.chart import Chart, Panel, Series
from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.bias.bias_of_worlds import (
    READINGS,
    TERMS,
    attained,
    elsewhere,
)

EXACT = 1e-12
EXPONENT = 1e-3
ROUNDING = 1e-14  # of constants and closed forms in doubles, relative

ALIGNED: tuple[dict[str, Any], ...] = (
    {"world": {"world": "aligned", "mu": 2.0, "L_1": 4.0}, "theta": 3 / 16, "radius": 2.0},
    {"world": {"world": "aligned", "d_x": 3, "d_y": 5}, "theta": 1 / 8, "radius": 1.0},
)
PLAIN: dict[str, Any] = {"world": "random_quadratic", "d_x": 2, "d_y": 3, "seed": 1}
ELSEWHERE: dict[str, dict[str, Any]] = {
    "scalar": {"world": "scalar"},
    "random": PLAIN,
    "noisy Hessian": {**PLAIN, "sigma_H": 0.5, "sigma_J": 0.3},
    "huberised": {"world": "huberised", "of": PLAIN, "radius": 1.0},
    "wavy": {"world": "wavy", "d": 3, "A": [1.0, 1.5, 2.0], "a": 0.3, "b": -0.2},
}
RADIUS, SHARE = 2.0, 0.9  # of the ball; theta L_1 under `joint`


def pieces(budget: Budget) -> list[Piece]:
    points = 8 if budget.quick else 32
    common = {"radius": RADIUS, "share": SHARE, "points": points, "seed": 0}
    others = [
        Piece(elsewhere, {"name": name, "world": world, **common}, 0.1) for name, world in ELSEWHERE.items()
    ]
    return [Piece(attained, setting, 0.2) for setting in ALIGNED] + others


def judge(values: Sequence[Json]) -> Judgement:
    best = [v for v in values if "factors" in v]
    others = [v for v in values if "factors" not in v]
    return Judgement(
        checks=[check for v in best for check in _checks_of_attained(v)]
        + [check for v in others for check in _checks_elsewhere(v)],
        regime=f"Q = 1 ... {TERMS}; theta < 1/L_1, the ball of the constants holds all points",
        settings={"attained": list(ALIGNED), "elsewhere": ELSEWHERE, "radius": RADIUS, "theta L_1": SHARE},
        method="the algorithm's own sum in 50 digits; elsewhere its closed form, compared with the sum in doubles",
        chart=_chart(best, others),
        notes=[
            "Under the reading block a scalar world attains Delta_Q as well: where d_y = 1 and D >= P, the worst cases "
            "share the only direction there is.",
            "With Hessian noise the bias falls by 1 - theta lambda_min(E[H]) per term, faster than Delta_Q: mu is the "
            "least curvature over samples.",
        ],
        table=[_row(v) for v in values],
    )


def _checks_of_attained(v: Json) -> list[Check]:
    factor, where = 1 - _theta_mu(v), f"aligned, theta mu = {_theta_mu(v):g}"
    off = max(abs(measured - factor) for measured in v["factors"])
    block, joint = (_ratios(v, reading) for reading in READINGS)
    away = max(block, key=lambda ratio: abs(ratio - 1))
    zero: dict[str, Any] = {"predicted": 0.0, "tolerance": EXACT}
    return [
        Check(name=f"factor per term - (1 - theta mu), {where}", measured=off, uncertainty=ROUNDING, **zero),
        Check(
            name=f"bias/Delta_Q, block, {where}",
            measured=away,
            predicted=1.0,
            tolerance=EXACT,
            uncertainty=ROUNDING,
        ),
        Check(
            name=f"bias/Delta_Q, joint, {where}",
            measured=max(joint),
            predicted=1.0,
            relation="<=",
            tolerance=EXACT,
        ),
        Check(name=f"own sum against closed form, {where}", measured=v["gap"], uncertainty=ROUNDING, **zero),
    ]


def _checks_elsewhere(v: Json) -> list[Check]:
    return [
        *(
            Check(
                name=f"bias/Delta_Q, {reading}, {v['name']}",
                measured=max(_ratios(v, reading)),
                predicted=1.0,
                relation="<=",
                tolerance=EXACT,
                uncertainty=ROUNDING,
            )
            for reading in READINGS
        ),
        Check(
            name=f"decay exponent at Q = {TERMS}, {v['name']}",
            measured=v["exponent"],
            predicted=1.0,
            tolerance=EXPONENT,
            uncertainty=ROUNDING,
        ),
        Check(
            name=f"doubles against closed form, {v['name']}",
            measured=v["gap"],
            predicted=0.0,
            tolerance=EXACT,
            uncertainty=ROUNDING,
        ),
    ]


def _ratios(v: Json, reading: str) -> list[float]:
    return [bias / bound for bias, bound in zip(v["bias"], v["Delta_Q"][reading], strict=True)]


def _row(v: Json) -> dict[str, Json]:
    return {
        "world": v["name"],
        "theta": v["theta"],
        "mu": v["mu"],
        "lambda_min of the mean Hessian": v.get("lambda", v["mu"]),
        "largest bias/Delta_Q, block": max(_ratios(v, "block")),
        "largest bias/Delta_Q, joint": max(_ratios(v, "joint")),
        "bias/Delta_Q at the last Q, joint": _ratios(v, "joint")[-1],
    }


def _chart(best: Sequence[Json], others: Sequence[Json]) -> Chart:
    Q = [float(q) for q in range(1, TERMS + 1)]
    edge = Series(label=r"$\Delta_Q$ itself", x=[Q[0], Q[-1]], y=[1.0, 1.0], kind="bound", colour=6)
    thin = slice(2, None, 3)
    lines = [
        line
        for i, v in enumerate(best)
        for line in (
            Series(label=rf"$\Delta_Q$, $\theta\mu = {_theta_mu(v):g}$", x=Q, y=v["Delta_Q"]["block"], kind="bound",
                   colour=i + 1),
            Series(label="bias", x=Q[thin], y=v["bias"][thin], colour=2 * i),
        )
    ]  # fmt: skip
    ratios = [
        Series(label=v["name"], x=Q[thin], y=_ratios(v, "joint")[thin], colour=i)
        for i, v in enumerate(others)
    ]
    return Chart(
        caption="On aligned worlds the bias of the truncated sum is Delta_Q (reading block) at every Q, down twelve "
        "powers of ten. On other worlds it stays below Delta_Q (reading joint); the ratio is level where both fall by "
        "the same factor per term and sinks where the Hessian has noise.",
        panels=[
            Panel(
                title="aligned worlds, worst point",
                x_label="$Q$",
                y_label="norm of the bias",
                series=lines,
                x_scale="linear",
            ),
            Panel(
                title="other worlds, worst point",
                x_label="$Q$",
                y_label=r"bias / $\Delta_Q$ (reading joint)",
                series=[edge, *ratios],
                x_scale="linear",
            ),
        ],
    )


def _theta_mu(v: Json) -> float:
    return float(v["theta"] * v["mu"])


CLAIMS = (
    Claim(
        id="delta-q",
        of=("constant.Delta_Q",),
        sentence="The bias of the stochastic hypergradient is at most Delta_Q; on an aligned world it is Delta_Q, and "
        "every term shrinks it by 1 - theta mu.",
        pieces=pieces,
        judge=judge,
    ),
)
