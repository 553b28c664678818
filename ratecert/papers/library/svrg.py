"""SVRG (Johnson and Zhang 2013): sampled gradients, corrected by a full one at a snapshot.

F is the mean of f_1, ..., f_n, each convex and L-smooth, and mu-strongly convex. An epoch keeps a snapshot w and takes
m steps x <- x - eta (grad f_i(x) - grad f_i(w) + grad F(w)); one of x_0, ..., x_{m-1}, drawn at random, is the next w.
An epoch from any w gives the theorem for all s, so that one is run, and s = 1: its inner steps are the iterations.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

import ratecert as rc

s = rc.statements
m, S, eta, L, mu, rho, Delta = s.letters("m s eta L mu rho Delta")

NOTATION = s.table(
    s.Symbol("m", "m", "inner steps of an epoch", units="1", least=1),
    s.Symbol("s", "s", "number of epochs", units="1", least=1),
    s.Symbol("eta", r"\eta", "step size", units="x^2 f^-1"),
    s.Symbol("L", "L", "Lipschitz constant of the gradient of every f_i", units="f x^-2"),
    s.Symbol("mu", r"\mu", "strong convexity of F", units="f x^-2"),
    s.Symbol("rho", r"\rho", "what an epoch leaves of the gap", units="1"),
    s.Symbol("Delta", r"(F(\tilde{x}_0)-F^*)", "gap at the first snapshot", units="f"),
)

SMOOTH = s.Assumption(
    id="smooth",
    title="Smooth terms, strongly convex sum",
    source="Theorem 1",
    sentence="Every f_i is convex and L-smooth, and F is mu-strongly convex.",
    constants={"L": 0.0, "mu": 0.0},
    strict=True,
)

SVRG = s.Algorithm(
    id="svrg",
    title="SVRG, with a random iterate",
    source="Theorem 1",
    hyperparameters=("eta", "m"),
    starts_from=(),
    lines=(),
    updates={},
    requires="x <- x - eta (grad f_i(x) - grad f_i(w) + grad F(w)), m times from the snapshot w; one of x_0, ..., "
    "x_{m-1}, drawn, is the next w",
)

RATE = s.Definition(
    id="constant.rho",
    title="What an epoch leaves",
    source="Theorem 1",
    left=rho,
    right=1 / (mu * eta * (1 - 2 * L * eta) * m) + 2 * L * eta / (1 - 2 * L * eta),
)

THEOREM = s.Theorem(
    id="theorem-1",
    title="SVRG",
    source="Theorem 1",
    algorithm="svrg",
    assumptions=("smooth",),
    measure=r"\mathbb{E}F(\tilde{x}_s)-F^*",
    measure_units="f",
    conditions={"eta": s.Condition(eta, "<", (1 / (2 * L),)), "rho": s.Condition(rho, "<", (1,))},
    terms={"start": rho**S * Delta},
)

PRINTED = s.Paper(
    key="svrg",
    title="Accelerating Stochastic Gradient Descent using Predictive Variance Reduction",
    certainty="note",
    notation=NOTATION,
    statements=s.by_id(SMOOTH, SVRG, RATE, THEOREM),
    bindings={},
)


@dataclass(frozen=True, kw_only=True)
class Epoch(rc.methods.SVRG):
    """One epoch of SVRG: the snapshot stays at the start, and an iteration is an inner step."""

    m: int = 1  # not read

    @property
    def stages(self) -> tuple[Any, ...]:
        return (rc.contract.Stage(self.step, repeats=1, averaged=self.averaged),)


def _two_terms(numbers: Any) -> Any:
    """Two terms that share the curvature unevenly."""
    H, uneven = np.diag([numbers["L"], numbers["L"] / numbers["spread"]]), numbers["uneven"]
    return rc.worlds.FiniteSum(H=[(1 + uneven) * H, (1 - uneven) * H], a=np.zeros((2, 2)))


def _one_hot(numbers: Any) -> Any:
    """Three terms, each curved in a direction of its own: the samples differ as much as they can."""
    curvatures = numbers["L"] / np.array([1.0, numbers["spread"], numbers["spread"]])
    return rc.worlds.FiniteSum(H=[np.diag(curvatures * row) for row in np.eye(3)], a=np.zeros((3, 3)))


LEVELS = (
    s.Level(name="L", low=1e-3, high=1e3),
    s.Level(name="spread", low=1.0, high=1e3),
    s.Level(name="x_off", low=1e-3, high=1e3),
)
TWO_TERMS = s.Family(  # minimisers of terms cancel where differences of gradients are taken: all are 0
    name="two_terms",
    levels=(*LEVELS, s.Level(name="uneven", low=1e-3, high=1.0)),
    world=_two_terms,
    held=({"spread": 1.0}, {"uneven": 1.0}, {"uneven": 0.0}, {}),
)
ONE_HOT = s.Family(name="one_hot", levels=LEVELS, world=_one_hot, held=({"spread": 1.0}, {}))

SHORT_STEPS = (
    "With short steps the theorem is that of gradient descent, and a quadratic falls twice as fast as it asks: the "
    "ratio is 1/2 at most. A function that falls half as fast is no quadratic."
)
RUNS = {
    "theorem-1": s.Binding(
        method=Epoch,
        hyperparameters={"alpha": eta},
        measure=rc.measures.gap(),
        constants={"L": "L_max", "mu": "mu", "Delta": "gap", "s": lambda _: 1.0},
        worlds=(TWO_TERMS, ONE_HOT),
        devices="",
        iterations="m",
        blind=SHORT_STEPS,
    )
}
