"""SVRG (Johnson and Zhang 2013): sampled gradients, corrected by a full one at a snapshot.

F is the mean of f_1, ..., f_n, each convex and L-smooth, and mu-strongly convex. An epoch keeps a snapshot w and takes
m steps x <- x - eta (grad f_i(x) - grad f_i(w) + grad F(w)); one of x_0, ..., x_{m-1}, drawn at random, is the next w.
An epoch from any w gives the theorem for all s, so that one is run, and s = 1: its inner steps are the iterations.
"""

import ratecert as rc

PAPER = rc.about(
    "Accelerating Stochastic Gradient Descent using Predictive Variance Reduction", certainty="note"
)
m = rc.letter("m", means="inner steps of an epoch", units="1", least=1, of="iterations")
S = rc.letter("s", means="number of epochs", units="1", least=1, of=lambda _: 1.0)
eta = rc.letter("eta")
L = rc.letter("L", means="Lipschitz constant of every term's gradient")
mu = rc.letter("mu")
rho = rc.define(
    "rho",
    1 / (mu * eta * (1 - 2 * L * eta) * m) + 2 * L * eta / (1 - 2 * L * eta),
    means="what an epoch leaves of the gap",
    units="1",
    source="Theorem 1",
)
Delta = rc.letter("Delta", latex=r"(F(\tilde{x}_0)-F^*)")

SMOOTH = rc.statements.Assumption(
    id="smooth",
    title="Smooth terms, strongly convex sum",
    source="Theorem 1",
    sentence="Every f_i is convex and L-smooth, and F is mu-strongly convex.",
    constants={"L": 0.0, "mu": 0.0},
    strict=True,
)


def epoch(x, w="x", G=lambda w, grad: grad.full(w), *, grad, eta):
    """One epoch of SVRG: the snapshot w stays at the start, and an iteration is an inner step."""
    return x - eta * (grad(x, sample="i") - grad(w, sample="i") + G), w, G


SHORT_STEPS = (
    "With short steps the theorem is that of gradient descent, and a quadratic falls twice as fast as it asks: the "
    "ratio is 1/2 at most. A function that falls half as fast is no quadratic."
)
theorem_1 = rc.theorem(
    epoch,
    steps="x <- x - eta (grad f_i(x) - grad f_i(w) + grad F(w)), m times from the snapshot w; one of x_0, ..., "
    "x_{m-1}, drawn, is the next w",
    measure=rc.measures.gap(),
    measure_latex=r"\mathbb{E}F(\tilde{x}_s)-F^*",
    bound={"start": rho**S * Delta},
    where=[eta < 1 / (2 * L), rho < 1],
    assuming=[SMOOTH],
    worlds=("finite_sum", "convex_outcomes"),
    title="SVRG",
    source="Theorem 1",
    blind=SHORT_STEPS,
)
