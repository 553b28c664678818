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

from collections.abc import Iterator
from typing import Any

from ratecert.claims import Budget, Chart, Check, Claim, Json, Panel, Piece, Rows
from ratecert.claims.checks import at_most, equal, exponent, largest_error
from ratecert.claims.claim import build
from ratecert.claims.lines import corner, line, power_law
from ratecert.papers.federated_bilevel.evidence.periods import communication as shared
from ratecert.solvers import stationary

K = 8
LARGE: dict[str, Any] = {
    "eta": 0.05, "alpha": 1.0, "beta": 1.0, "rho_1": 0.1, "rho_2": 0.3, "theta": 0.4, "Q": 40
}  # fmt: skip
SMALL = {**LARGE, "eta": 1e-5, "alpha": 0.04, "beta": 0.04, "rho_1": 0.02, "rho_2": 0.05}
PERIODS = [1024, 2048]  # between which the exponent is read
LINEAR = 1e-6  # how constant rise/drift has to be; p = 8 raises the measure by 1e-7 of it, known to 1e-14
IN_P = 1e-3  # where p >= 1000 and p alpha eta <= 1e-3
JUMP = "LocalBSGVRM"
NO_JUMP = "LocalBSGVRM, fresh"
STEPS = {"LocalBSGM": LARGE, JUMP: SMALL, NO_JUMP: SMALL}


def at_rest(method: str, periods: list[int]) -> list[Json]:
    """Compute how E||grad Phi||^2 rises over p = 1 in the limit T -> infinity, relative, and the drift of y."""
    world, steps = build(shared.HESSIAN_NOISE), STEPS[method]
    base, *limits = (stationary(world, shared.method_of(method, steps, p=p), K=K) for p in [1, *periods])
    error = 2 * max(limit.precision for limit in (base, *limits))
    rows = []
    for p, limit in zip(periods, limits, strict=True):
        rise = limit.gradient / base.gradient - 1
        found = {"relative rise": rise, "error": error, "precision": shared.relative(error, rise)}
        rows.append({"eta": steps["eta"], "p": p, "drift_y": limit.drift_y, **found})
    return rows


def pieces(budget: Budget) -> list[Piece]:
    asked = {
        "LocalBSGM": [8, 128, 1024] if budget.quick else [8, 16, 32, 64, 128, 256, 512, 1024],
        JUMP: PERIODS if budget.quick else [256, 512, *PERIODS],
        NO_JUMP: PERIODS,
    }
    return [Piece(at_rest, {"method": m, "periods": periods}, 0.3) for m, periods in asked.items()]


def checks(rows: Rows) -> Iterator[Check]:
    linear, jump, no_jump = (rows.where(method=method) for method in STEPS)
    name = f"rise/drift over p = {linear[0].get('p')} to {linear[-1].get('p')}, spread, LocalBSGM"
    per_drift = (row["relative rise"] / row["drift_y"] for row in linear)
    yield equal(name, shared.spread(per_drift), 0.0, LINEAR, largest_error(linear))
    name = "exponent of the rise in p, LocalBSGVRM as printed"
    yield exponent(name, jump.last(2), "relative rise", "p", 2.0, IN_P)
    small, rise = abs(no_jump[-1]["relative rise"]), jump[-1]["relative rise"]
    name = "rise with fresh momenta over rise as printed, p = 2048"
    yield at_most(name, small / rise, 1e-2, no_jump[-1].get("error", 0.0) / abs(rise))


def chart(rows: Rows) -> Chart:
    linear, jump = (rows.where(method=method) for method in ("LocalBSGM", JUMP))
    law: dict[str, Any] = {"kind": "predicted", "colour": 1}
    left = Panel(
        title=r"LocalBSGM, $\eta = 0.05$",
        x_label=r"drift $\frac{1}{K}\sum_k E\|y^{(k)} - \bar y\|^2$",
        y_label=r"relative rise of $E\|\nabla\Phi(\bar x)\|^2$",
        series=[
            line("measured, $p$ grows to the right", linear, "drift_y", "relative rise"),
            power_law("proportional to the drift", linear, "drift_y", "relative rise", 1, **law),
        ],
        triangles=[corner(linear[0], "drift_y", "relative rise", 1, above=1.2, right=3, colour=1)],
    )
    right = Panel(
        title=r"LocalBSGVRM as printed, $\eta = 10^{-5}$",
        x_label="communication period $p$",
        y_label=r"relative rise of $E\|\nabla\Phi(\bar x)\|^2$",
        series=[
            line("measured", jump, "p", "relative rise"),
            power_law("slope 2 through the first", jump, "p", "relative rise", 2, **law),
        ],
        triangles=[corner(jump[0], "p", "relative rise", 2, above=1.1, right=1.3, factor=2, colour=1)],
    )
    return Chart(
        caption="With Hessian noise the measure of LocalBSGM rises in proportion to the drift, that of LocalBSGVRM as "
        "printed with the square of p.",
        panels=[left, right],
    )


def notes(rows: Rows) -> list[str]:
    longest = rows.where(method="LocalBSGM")[-1]
    return [
        f"At eta = 0.05 the period p = {longest['p']} raises LocalBSGM's squared gradient by a factor of "
        f"1 + {longest['relative rise']:.1e}.",
        "The jump of LocalBSGVRM is a matter of reading: who averages the previous points too does not have it.",
    ]


CLAIMS = (
    Claim(
        id="communication-period.hessian-noise",
        of=("theorem-1", "theorem-2"),
        sentence="With Hessian noise p raises the measure of LocalBSGM in proportion to the drift and that of "
        "LocalBSGVRM as printed by the order p^2 of Theorem 2's drift term.",
        pieces=pieces,
        checks=checks,
        regime=f"devices that are alike, K = {K}, Hessian noise, at rest (T -> infinity); LocalBSGM with steps "
        "larger than Theorem 1 admits, so that the effect can be seen; LocalBSGVRM at p alpha eta <= "
        f"{PERIODS[-1] * SMALL['alpha'] * SMALL['eta']:.0e}",
        method="exact moments at rest",
        evidence=("exact moments",),
        settings={"world": shared.HESSIAN_NOISE, "K": K, "LocalBSGM": LARGE, "LocalBSGVRM": SMALL},
        chart=chart,
        notes=notes,
        table=("method", "eta", "p", "relative rise", "drift_y"),
        runs=("LocalBSGM", "LocalBSGVRM"),
    ),
)
