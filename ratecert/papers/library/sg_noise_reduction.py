"""Less and less noise (Bottou, Curtis and Nocedal, Section 5): a variance that fades, and quotes of SVRG and SAGA.

The letters are those of Section 4 (sg.py), and the start is w_1; after an early version of the text. Theorem 5.1 asks
that Var g_k <= M zeta^(k-1). In 5.3 F is the mean of n convex terms, each L-smooth, and is c-strongly convex; for SAGA
each term is. Of SVRG an epoch is run from any w_k, with its m steps as the iterations (svrg.py); that 2 alpha L < 1, by
which rho divides, is written as a condition.
"""

from typing import Any

import numpy as np
from sympy import Gt, sqrt

import ratecert as rc
from ratecert.papers.library.saga import LEVELS, LINE, strong_convexity
from ratecert.papers.library.svrg import SHORT_STEPS, epoch


def _noise_at_start(setting: rc.statements.Setting) -> float:
    """The variance of a sample at x_0, of a world in which it vanishes at the minimiser 0."""
    return float(np.square(setting.world.E[0] @ setting.x0).sum())


PAPER = rc.about(
    "Optimization Methods for Large-Scale Machine Learning, Section 5",
    certainty="text",
    edition="an early version",
)
LIPSCHITZ: dict[str, Any] = {"means": "Lipschitz constant of the gradient, of every term", "units": "f x^-2"}
CONVEXITY: dict[str, Any] = {"means": "strong convexity", "units": "f x^-2"}
T = rc.letter("T", means="number of the iterate", units="1", least=1, of="iterations", latex="k")
m = rc.letter("m", means="steps of an epoch", units="1", least=1, of="iterations")
n = rc.letter("n", means="number of terms", of=lambda setting: float(setting.world.n))
alpha = rc.letter("alpha")
abar = rc.letter("abar", means="constant step", units="x^2 f^-1", latex=r"\bar{\alpha}")
zeta = rc.letter("zeta", means="what a step leaves of the variance", units="1")
mu = rc.letter("mu", means="how far a direction follows the gradient", units="1", of=lambda _: 1.0)
mu_G = rc.letter("mu_G", means="how long a direction may be, over the gradient", units="1", of=lambda _: 1.0)
M = rc.letter("M", means="variance of the first direction", units="f^2 x^-2", of=_noise_at_start)
L, L_i = rc.letter("L", **LIPSCHITZ, of="L"), rc.letter("L", **LIPSCHITZ, of="L_max")
c, c_i = rc.letter("c", **CONVEXITY, of="mu"), rc.letter("c", **CONVEXITY, of=strong_convexity)
Delta = rc.letter(
    "Delta", means="gap at the start, or before an epoch", units="f", of="gap", latex="(F(w_1)-F^*)"
)
D = rc.letter("D", means="F(w_1) - grad F(w*)'(w_1 - w*) - F(w*)", units="f", of="gap")
R = rc.letter("R")
omega = rc.define(
    "omega", rc.Max(abar * L * M / (c * mu), Delta), means="constant of Theorem 5.1", source="Theorem 5.1"
)
rho = rc.define(
    "rho", rc.Max(1 - abar * c * mu / 2, zeta), means="what a step leaves", units="1", source="Theorem 5.1"
)

FADES = rc.statements.Assumption(
    id="fades",
    title="A variance that fades",
    source="Theorem 5.1",
    sentence="F is L-smooth and c-strongly convex; directions follow the gradient by mu, at most mu_G times as long "
    "in the mean, and the k-th has a variance of at most M zeta^(k-1).",
    constants={"L": 0.0, "c": 0.0},
    strict=True,
)
SUM = rc.statements.Assumption(
    id="sum",
    title="A finite sum",
    source="Section 5.3",
    sentence="F is the mean of n convex terms, each L-smooth, and is c-strongly convex.",
    constants={"L": 0.0, "c": 0.0},
    strict=True,
)


def fading(x, v="x", *, grad, alpha, root):
    """SG with noise that fades: that of the gradient at a point v, which shrinks by sqrt(zeta) from where x starts."""
    return x - alpha * (grad.full(x) + grad(v) - grad.full(v)), root * v


FADING_NOISE = rc.statements.Family(
    name="fading",
    levels=(*LEVELS, rc.statements.Level(name="noise_H", low=1e-3, high=1e3)),
    world=lambda numbers: rc.worlds.single_level(
        [numbers["L"], numbers["L"] / numbers["spread"]], noise_H=numbers["noise_H"]
    ),
    held=({"spread": 1.0}, {}),
)
ONE_TERM = rc.statements.Family(
    name="one_term",
    levels=tuple(rc.statements.Level(name=name, low=1e-3, high=1e3) for name in ("L", "x_off")),
    world=lambda numbers: rc.worlds.FiniteSum(H=[numbers["L"]], a=[0.0]),
)

theorem_5_1 = rc.theorem(
    fading,
    hyperparameters={"alpha": abar, "root": sqrt(zeta)},
    steps="w_{k+1} = w_k - abar g(w_k, xi_k)",
    measure=rc.measures.gap().last(),
    bound={"rate": omega * rho ** (T - 1)},
    where=[abar <= rc.Min(mu / (L * mu_G**2), 1 / (c * mu)), zeta < 1],
    assuming=[FADES],
    worlds=(FADING_NOISE,),
    counts_from=1,
    title="SG, strongly convex, variance M zeta^(k-1)",
    source="Theorem 5.1",
)
EPOCH = 1 / (1 - 2 * alpha * L_i) * (1 / (m * alpha) + 2 * L_i * alpha)  # rho of Section 5.3.1
svrg_rate = rc.theorem(
    epoch,
    hyperparameters={"eta": alpha},
    steps="w <- w - alpha (grad f_i(w) - grad f_i(w_k) + grad F(w_k)), m times from w_k; w_{k+1} is one of the m "
    "points from which a step was taken, drawn",
    measure=rc.measures.gap(),
    measure_latex=r"\mathbb{E}F(w_{k+1})-F^*",
    bound={"start": EPOCH * Delta},
    where={"alpha": alpha < 1 / (2 * L_i), "rho": Gt(1, EPOCH)},
    assuming=[SUM],
    worlds=("finite_sum", "convex_outcomes"),
    title="SVRG, as quoted",
    source="Section 5.3.1",
    blind=SHORT_STEPS,
)
SHRINKS = 1 - c_i / (2 * (c_i * n + L_i))
saga_rate = rc.theorem(
    rc.methods.SAGA,
    steps="w moves by -alpha (grad f_j(w) - grad f_j(w_[j]) + the mean of grad f_i(w_[i])), j drawn; then w_[j] is the "
    "w before",
    measure=rc.measures.distance().last(),
    measure_latex=r"\mathbb{E}\|w_k-w^*\|^2",
    bound={"start": SHRINKS**T * (R**2 + n * D / (c_i * n + L_i))},
    where=[rc.equal(alpha, 1 / (2 * (c_i * n + L_i)))],
    assuming=[SUM],
    worlds=(LINE, ONE_TERM),
    counts_from=1,
    title="SAGA, as quoted",
    source="Section 5.3.2",
)

NO_CURVATURE_IN_CONDITION, NO_CURVATURE = (
    rc.statements.Erratum(
        place=f"svrg-rate.{part}",
        printed=1 / (m * alpha),
        read=1 / (m * c * alpha),
        reason="the strong convexity c is missing: 1/(m alpha) has the units of a curvature; whichever iterate an "
        "epoch returns, at L = c = 1/50, alpha = 1, m = 60 it is above the bound: the last, their mean, a random one",
        evidence="ratecert lint sg-noise-reduction; ratecert falsify sg-noise-reduction:svrg-rate",
    )
    for part in ("condition.rho", "term.start")
)
ONE_STEP_TOO_MANY = rc.statements.Erratum(
    place="saga-rate.term.start",
    printed=SHRINKS**T,
    read=SHRINKS ** (T - 1),
    reason="the exponent k counts a step too many where the start is w_1; seen at k = 1, before any step",
    evidence="ratecert falsify sg-noise-reduction:saga-rate: one term, and k = 1",
)
