"""STORM (Cutkosky and Orabona 2019): recursive momentum with steps that look at the gradients seen so far.

eta_t = k/(w + sum_{i<=t} G_i^2)^{1/3}, G_t = ||grad f(x_t, xi_t)||, a_{t+1} = c eta_t^2, and
d_{t+1} = grad f(x_{t+1}, xi) + (1 - a_{t+1})(d_t - grad f(x_t, xi)), x_{t+1} = x_t - eta_t d_t. Each f(., xi) is
L-smooth and G-Lipschitz. The steps are random and the left side is a mean of norms: the theorem is read by the linter
alone. The abstract's O(1/sqrt(T) + sigma^{1/3}/T^{1/3}) has no logarithm where M has one: it follows from the printed
theorem for a fixed sigma, and no longer where sigma is small, or once the noise term has the factor that its units ask
for.
With eta_t = k/(w + sigma^2 t)^{1/3} the method is affine on quadratics; a claim measures how fast that one falls.
"""

from collections.abc import Iterator

from sympy import Rational, log, sqrt

import ratecert as rc
from ratecert.claims import Budget, Check, Claim, Json, Rows, Task, not_seen
from ratecert.claims.check import at_most
from ratecert.claims.slope import slope

PAPER = rc.about("Momentum-Based Variance Reduction in Non-Convex SGD", certainty="text")
T = rc.letter("T")
b = rc.letter("b", means="any number > 0", units="1")
L = rc.letter("L", means="Lipschitz constant of the gradient of every sample", units="f x^-2")
G = rc.letter("G", means="Lipschitz constant of every sample", units="f x^-1")
sigma = rc.letter("sigma")
Delta = rc.letter("Delta", latex="(F(x_1)-F^*)")
k = rc.define("k", b * G ** Rational(2, 3) / L, means="scale of the steps", source="Theorem 1")
c = rc.define(
    "c",
    28 * L**2 + G**2 / (7 * L * k**3),
    means="weight of the momentum over the squared step",
    source="Theorem 1",
)
w = rc.define(
    "w",
    rc.Max((4 * L * k) ** 3, 2 * G**2, (c * k / (4 * L)) ** 3),
    means="offset of the steps",
    source="Theorem 1",
)
M = rc.define(
    "M",
    8 / k * Delta
    + w ** Rational(1, 3) * sigma**2 / (4 * L**2 * k**2)
    + k**2 * c**2 / (2 * L**2) * log(T + 2),
    means="constant of Theorem 1",
    source="Theorem 1",
)

SMOOTH = rc.statements.Assumption(
    id="smooth",
    title="Smooth, Lipschitz samples",
    source="Theorem 1",
    sentence="Every f(., xi) is L-smooth and G-Lipschitz; sampled gradients have a variance of at most sigma^2.",
    constants={"L": 0.0, "G": 0.0, "sigma": 0.0},
)

theorem_1 = rc.theorem(
    None,  # its steps are random: nothing is affine
    steps="x_{t+1} = x_t - eta_t d_t, eta_t = k/(w + sum of G_i^2, i <= t)^(1/3), G_t = ||grad f(x_t, xi_t)||, "
    "a_{t+1} = c eta_t^2, d_{t+1} = grad f(x_{t+1}, xi) + (1 - a_{t+1})(d_t - grad f(x_t, xi))",
    measure=None,
    measure_latex=r"\mathbb{E}\|\nabla F(\hat{x})\|",
    measure_units="f x^-1",
    bound={
        "fast": (w ** Rational(1, 6) * sqrt(2 * M) + 2 * M ** Rational(3, 4)) / sqrt(T),
        "noise": 2 * sigma ** Rational(1, 3) / T ** Rational(1, 3),
    },
    where=[b > 0],
    assuming=[SMOOTH],
    title="STORM",
    source="Theorem 1",
)
CLAIMED = "The abstract of STORM: O(1/sqrt(T) + sigma^(1/3)/T^(1/3))"
abstract = rc.corollary(  # where the second term leads
    theorem_1,
    along={b: ("O", 1)},
    rate=T ** Rational(-1, 3),
    title=f"{CLAIMED}, with a fixed sigma",
    source="the abstract",
    note="From the repaired theorem it follows only up to log^(1/2), by `ratecert lint storm --variant repaired`.",
)
abstract_small_noise = rc.corollary(  # where both terms are equal
    theorem_1,
    along={b: ("O", 1), sigma: ("O", T ** Rational(-1, 2))},
    rate=T ** Rational(-1, 2),
    title=f"{CLAIMED}, with sigma of order 1/sqrt(T)",
    source="the abstract",
)
AFFINE = rc.statements.Text(
    id="affine",
    title="The affine method beside STORM",
    source="steps k/(w + sigma^2 t)^(1/3) in the place of random ones",
    sentence="With steps k/(w + sigma^2 t)^(1/3) the mean of E||grad F||^2 falls at least as fast as T^(-2/3).",
    printed=False,
)
NO_ROOT = rc.statements.Erratum(
    place="theorem-1.term.noise",
    printed=sigma ** Rational(1, 3),
    read=sigma ** Rational(1, 3) * sqrt(M),
    reason="sigma^(1/3) has not the units of a gradient; a factor sqrt(M) is missing, which w^(1/6) has",
    evidence="ratecert lint storm, units alone: of the three factors that it proposes this is the one of the "
    "other term, as (w + sigma^2 T)^(1/6) sqrt(2 M) would give both; no run decides",
)
NO_LOGARITHM = rc.statements.Erratum(
    place="abstract-small-noise.rate",
    printed=T ** Rational(-1, 2),
    read=T ** Rational(-1, 2) * log(T) ** Rational(3, 4),
    reason="M has a logarithm of T, which the abstract leaves out",
    evidence="orders of the theorem's terms: M^(3/4)/sqrt(T) is log^(3/4)/sqrt(T)",
)


# The affine method beside it: on a line of curvature L with additive noise, where Var g = sigma^2.

CURVATURE, NOISE, SCALE = 1.0, 0.5, 0.1


def affine(T: int) -> list[Json]:
    """The mean over t < T of E||grad F||^2, with eta_t = k/(w + sigma^2 t)^{1/3}; of c the part 28 L^2."""
    steps = rc.contract.CubeRoot(scale=SCALE / NOISE ** (2 / 3), offset=1.0 / NOISE**2)
    solver = rc.methods.STORM(eta=steps, c=28 * CURVATURE**2)
    world = rc.worlds.SingleLevel(H=CURVATURE, s=NOISE)
    found = rc.expect(world, solver, K=1, T=T, x0=1.0, times=[])
    return [{"measure": found.gradient, "precision": found.precision}]


def tasks(_: Budget) -> list[Task]:
    return [Task(affine, {"T": 2**n}, 20.0) for n in (28, 32, 36, 40)]


def checks(rows: Rows) -> Iterator[Check]:
    (value, error), (before, _) = (slope(some, "measure", "T") for some in (rows.last(2), rows[-3:-1]))
    yield at_most("exponent of T in E||grad F||^2", value, -2 / 3, abs(value - before) + error, 1e-3)


CLAIMS = (
    Claim(
        id="affine",
        of=("affine",),
        sentence=AFFINE.sentence,
        tasks=tasks,
        checks=checks,
        regime="a quadratic on a line, additive noise; outside the assumptions, since no quadratic is Lipschitz",
        method="exact moments of the affine method; the theorem's own steps are random",
        evidence=("exact moments",),
        settings={"L": CURVATURE, "sigma": NOISE, "k": SCALE, "w": 1.0},
        notes=[
            not_seen(
                "the theorem's own steps are random, and no quadratic is Lipschitz: this is the method beside it, with "
                "fixed steps of the same order, and of the theorem nothing follows"
            )
        ],
        table=("T", "measure", "precision"),
    ),
)
