"""With Hessian noise the period matters to devices that are alike too, by little, and in ways that can be derived.

Let E be not zero and F = 0: the noise of a sample then grows with y. LocalBSGM samples at the devices' own y_k, so
the noise of the mean gains what the y_k scatter, a multiple of the drift of y. At rest the measure is linear in the
noise:

    LocalBSGM                       rise of the measure with p = kappa (drift of y at p),  kappa the same for all p

LocalBSGVRM takes differences h_t(z_t) - h_t(z_{t-1}) whose noise cancels where z moves little. As printed, z_{t-1}
right after an average is the device's own point and z_t is the mean, so once in p steps the difference is the
device's deviation, of variance proportional to p^3 (communication_drift.py). Per step that is

    LocalBSGVRM as printed          rise of the measure / measure ~ p^2 eta^2,  the order of Theorem 2's drift term
    previous averaged, or fresh     no such jump: the rise is smaller by orders of magnitude

(Theorem 2: drift term p^2 eta^4 over noise term eta^2.)
"""

from collections.abc import Sequence
from typing import Any

from ratecert.claim.chart import Chart, Panel, Series, Triangle
from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.periods.communication import (
    drawable,
    exponent,
    method_of,
    world_of,
)
from ratecert.solvers import stationary

WORLD: dict[str, Any] = {
    "world": "scalar", "mu": 1.0, "L_1": 2.0, "a": 0.5, "b": -0.2, "c": 0.3, "sigma_H": 0.2, "s_f": 0.5, "s_g": 0.5
}  # fmt: skip
K = 8
LARGE: dict[str, Any] = {
    "eta": 0.05,
    "alpha": 1.0,
    "beta": 1.0,
    "rho_1": 0.1,
    "rho_2": 0.3,
    "theta": 0.4,
    "Q": 40,
}
SMALL = {**LARGE, "eta": 1e-5, "alpha": 0.04, "beta": 0.04, "rho_1": 0.02, "rho_2": 0.05}
PERIODS = [1024, 2048]  # between which the exponent is read
LINEAR = 1e-6  # how constant rise/drift has to be; p = 8 raises the measure by 1e-7 of it, known to 1e-14
IN_P = 1e-3  # where p >= 1000 and p alpha eta <= 1e-3
JUMP = "LocalBSGVRM"
NO_JUMP = "LocalBSGVRM, fresh"


def at_rest(method: str, steps: Json, periods: list[int]) -> Json:
    """The relative rises over p = 1 of E||grad Phi||^2 in the limit T -> infinity, and the drifts of y."""
    problem = world_of(WORLD)
    base, *limits = (stationary(problem, method_of(method, steps, p=p), K=K) for p in [1, *periods])
    return {
        "method": method,
        "steps": steps,
        "periods": periods,
        "rises": [limit.gradient / base.gradient - 1 for limit in limits],
        "drifts": [limit.drift_y for limit in limits],
        "precision": max(limit.precision for limit in (base, *limits)),
    }


def pieces(budget: Budget) -> list[Piece]:
    some, many = [8, 128, 1024], [8, 16, 32, 64, 128, 256, 512, 1024]
    asked: list[tuple[str, dict[str, Any], list[int]]] = [
        ("LocalBSGM", LARGE, some if budget.quick else many),
        (JUMP, SMALL, PERIODS if budget.quick else [256, 512, *PERIODS]),
        (NO_JUMP, SMALL, PERIODS),
    ]
    return [Piece(at_rest, {"method": m, "steps": s, "periods": p}, 0.3) for m, s, p in asked]


def judge(values: Sequence[Json]) -> Judgement:
    linear, jump, no_jump = values
    ratios = [rise / drift for rise, drift in zip(linear["rises"], linear["drifts"], strict=True)]
    error = 2 * linear["precision"] / min(map(abs, linear["rises"]))
    found = exponent(jump["periods"][-2:], jump["rises"][-2:], 2 * jump["precision"] / jump["rises"][-2])
    checks = [
        Check(
            name=f"rise/drift over p = {linear['periods'][0]} to {linear['periods'][-1]}, spread, LocalBSGM",
            measured=max(ratios) / min(ratios) - 1,
            predicted=0.0,
            tolerance=LINEAR,
            uncertainty=error,
        ),
        Check(
            name="exponent of the rise in p, LocalBSGVRM as printed",
            measured=found.value,
            predicted=2.0,
            tolerance=IN_P,
            uncertainty=found.uncertainty,
        ),
        Check(
            name="rise with fresh momenta over rise as printed, p = 2048",
            measured=abs(no_jump["rises"][-1]) / jump["rises"][-1],
            predicted=1e-2,
            relation="<=",
            uncertainty=2 * no_jump["precision"] / jump["rises"][-1],
        ),
    ]
    return Judgement(
        checks=checks,
        regime=f"devices that are alike, K = {K}, Hessian noise, at rest (T -> infinity); LocalBSGM with steps "
        "larger than Theorem 1 admits, so that the effect can be seen; LocalBSGVRM at p alpha eta <= "
        f"{PERIODS[-1] * SMALL['alpha'] * SMALL['eta']:.0e}",
        settings={"world": WORLD, "K": K, "LocalBSGM": LARGE, "LocalBSGVRM": SMALL},
        method="exact moments at rest",
        chart=_chart(linear, jump, ratios),
        notes=[
            f"At eta = 0.05 the period p = {linear['periods'][-1]} raises LocalBSGM's squared gradient by a factor of "
            f"1 + {linear['rises'][-1]:.1e}.",
            "The jump of LocalBSGVRM is a matter of reading: who averages the previous points too does not have it.",
        ],
        table=[
            {"method": v["method"], "eta": v["steps"]["eta"], "p": p, "relative rise": rise, "drift_y": drift}
            for v in values
            for p, rise, drift in zip(v["periods"], v["rises"], v["drifts"], strict=True)
        ],
    )


def _chart(linear: Json, jump: Json, ratios: Sequence[float]) -> Chart:
    drifts = linear["drifts"]
    law = drawable([ratios[-1] * drift for drift in drifts])
    left = Panel(
        title=r"LocalBSGM, $\eta = 0.05$",
        x_label=r"drift $\frac{1}{K}\sum_k E\|y^{(k)} - \bar y\|^2$",
        y_label=r"relative rise of $E\|\nabla\Phi(\bar x)\|^2$",
        series=[
            Series(label="measured, $p$ grows to the right", x=drifts, y=drawable(linear["rises"])),
            Series(label="proportional to the drift", x=drifts, y=law, kind="predicted", colour=1),
        ],
        triangles=[
            Triangle(x=drifts[0] * 3, y=drawable(linear["rises"])[0] * 1.2, slope=1.0, label="1", colour=1)
        ],
    )
    p, rises = jump["periods"], drawable(jump["rises"])
    right = Panel(
        title=r"LocalBSGVRM as printed, $\eta = 10^{-5}$",
        x_label="communication period $p$",
        y_label=r"relative rise of $E\|\nabla\Phi(\bar x)\|^2$",
        series=[
            Series(label="measured", x=p, y=rises),
            Series(
                label="slope 2 through the first",
                x=p,
                y=[rises[0] * (q / p[0]) ** 2 for q in p],
                kind="predicted",
                colour=1,
            ),
        ],
        triangles=[Triangle(x=p[0] * 1.3, y=rises[0] * 1.1, slope=2.0, label="2", factor=2.0, colour=1)],
    )
    return Chart(
        caption="With Hessian noise the measure of LocalBSGM rises in proportion to the drift, that of LocalBSGVRM as "
        "printed with the square of p.",
        panels=[left, right],
    )


CLAIMS = (
    Claim(
        id="communication-period.hessian-noise",
        of=("theorem-1", "theorem-2"),
        sentence="With Hessian noise p raises the measure of LocalBSGM in proportion to the drift and that of "
        "LocalBSGVRM as printed by the order p^2 of Theorem 2's drift term.",
        pieces=pieces,
        judge=judge,
    ),
)
