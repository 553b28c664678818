"""Corollary 1 where Phi is not convex: LocalBSGM on the world `wavy`, sampled.

    p ~ T^{1/4}/K^{3/4},  eta ~ K^{1/2}/T^{1/2},  Q ~ log(KT)/2,  others fixed         measure = O((KT)^{-1/2})

With dial = 2 the world has L_21 > 0, and along each entry of x Phi has maxima, and minima that are not least. Runs
start where Phi is concave along both entries; one goes down to x_star, the other to a minimum with Phi > 0. Second
moments do not close, so exponents are sampled (evidence/sampled.py). T = K^3 n^4 makes p = n a whole
number, so that nothing is rounded but Q.

In the measure L_tilde^2 is so large that the tracking error is nearly all of it. Therefore the exponents of the
gradient are checked as well. In K the corollary is an upper bound, and so is the check: at small K the measure falls
faster, since a part of it, the noise of the first momenta, is of order 1/(K eta T) ~ K^{-3/2}. Contrast: eta ~ T^{-1/4}
leaves noise of that order.
"""

from collections.abc import Iterator
from dataclasses import replace

from ratecert.claims import Budget, Chart, Check, Piece, Rows
from ratecert.papers.federated_bilevel.evidence import sampled

COROLLARY = "corollary-1"
TOLERANCE = 0.05
K = 2
N, N_QUICK = (2, 3, 4, 5), (2, 3, 4)  # p; T = K^3 n^4
DEVICES = [sampled.Point(K=k, T=648) for k in (1, 2, 4, 8)]  # K^3 <= T
DEVICES_QUICK = [sampled.Point(K=k, T=128) for k in (1, 4)]
EXPERIMENT = sampled.SampledExperiment(
    world={"world": "wavy", "d": 2, "dial": 2.0, "E": 0.1, "s_f": 0.5, "s_g": 0.5},
    corollary=COROLLARY,
    units={"rho_1": 0.03, "rho_2": 1.0},
    theta=0.9,
    x0=[1.5, 2.8],
    y0=None,
    radius=9.0,
)


def too_large_steps(point: sampled.Point) -> sampled.SampledExperiment:
    return replace(EXPERIMENT, instead={"eta": point.K**0.5 * point.T**-0.25})


def pieces(budget: Budget) -> list[Piece]:
    points = [sampled.Point(K=K, T=K**3 * n**4) for n in (N_QUICK if budget.quick else N)]
    devices, seed = DEVICES_QUICK if budget.quick else DEVICES, budget.seed
    in_T, in_K = sampled.planned(points, TOLERANCE / 3), sampled.planned(devices, TOLERANCE / 2)
    return [
        *sampled.pieces_along(lambda _: EXPERIMENT, points, role="printed", seed=seed, plan=in_T),
        *sampled.pieces_along(lambda _: EXPERIMENT, devices, role="devices", seed=seed, plan=in_K),
        *sampled.pieces_along(
            too_large_steps, points[:2], role="contrast", seed=seed, plan={"replicates": 512}
        ),
    ]


def checks(rows: Rows) -> Iterator[Check]:
    yield from sampled.exponents(rows.where(role="printed"), COROLLARY, TOLERANCE)
    yield sampled.told_apart(rows.where(role="contrast"), COROLLARY, "eta ~ T^(-1/4)", TOLERANCE)
    yield from sampled.exponents(rows.where(role="devices"), COROLLARY, TOLERANCE, "K", upper_bound=True)


def chart(rows: Rows) -> Chart:
    printed, contrast, devices = (rows.where(role=role) for role in ("printed", "contrast", "devices"))
    return Chart(
        caption="LocalBSGM on a nonconvex problem along the scalings of Corollary 1: the measure and its gradient "
        "part fall as T^(-1/2), and at least as K^(-1/2) in the number of devices. With steps of order T^(-1/4) "
        "the measure falls more slowly.",
        panels=[
            sampled.panel(printed, COROLLARY, "measure", contrast=contrast, what=r"$\eta \sim T^{-1/4}$"),
            sampled.panel(printed, COROLLARY, "gradient"),
            sampled.panel(devices, COROLLARY, "measure", x="K"),
        ],
    )


def notes(rows: Rows) -> list[str]:
    gradient = sampled.slope_of(rows.where(role="contrast"), "gradient").value
    return [
        "The units of the steps were chosen after trials: with rho_1 = 0.1 in the place of 0.03 x moves too fast "
        "for y and the momenta to follow, and the measure does not fall.",
        "With eta ~ T^(-1/4) it is the tracking error that falls too slowly; the gradient part falls faster, its "
        f"exponent being {gradient:.2f}.",
        f"L_tilde = {rows[0]['L_tilde']:.4g} is that of the ball of radius {EXPERIMENT.radius:g} around (a, b).",
    ]


CLAIMS = (
    sampled.claim(
        EXPERIMENT,
        "eta = K^(1/2) T^(-1/4)",
        id=f"{COROLLARY}.nonconvex",
        sentence="On a nonconvex Phi, along the scalings of Corollary 1, the measure of LocalBSGM falls as T^(-1/2), "
        "and at least as fast as K^(-1/2), exponents within 0.05.",
        pieces=pieces,
        checks=checks,
        chart=chart,
        notes=notes,
        runs=("LocalBSGM",),
        blind_to=dict.fromkeys(("measure", "gradient", "T", "K"), sampled.TOO_SMALL),
    ),
)
