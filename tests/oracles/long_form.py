"""A paper in one file: a theorem, a corollary, an algorithm of its own, and what binds them.

    ratecert lint FILE                     units, symbols, whether the corollary follows
    ratecert explain FILE:theorem-1        the theorem, typeset
    ratecert falsify FILE:theorem-1        a search for a world that breaks it, inside its own conditions

K devices hold the same x, each takes a sample of grad F(x), and all move along the mean of the samples. If grad F is
L-Lipschitz and alpha <= 1/L, then for all T >= 1

    1/T sum_{t<T} E||grad F(x_t)||^2  <=  2 (F(x_0) - F*)/(alpha T) + alpha L sigma^2/K.
"""

from dataclasses import dataclass
from typing import Any

from sympy import Ge, sqrt

import ratecert as rc

s = rc.statements


# The algorithm: a step on one device, and how often devices average.


@dataclass(frozen=True, kw_only=True)
class ParallelSGD(rc.contract.Method):
    """x <- x - alpha g(x), averaged over devices after every step."""

    alpha: float

    levels = 1  # F alone, without a lower level

    @property
    def stages(self) -> tuple[Any, ...]:
        return (rc.contract.Stage(self.step, repeats=1, averaged=("x",)),)

    def step(self, t: int, state: Any, oracle: Any) -> Any:
        """One step along a sampled gradient."""
        g = oracle.sample(rc.contract.Gradient(), t)  # a second one would be Gradient("second")
        return rc.contract.State(x=state.x - self.alpha * g(state.x))

    def step_size(self, t: int) -> float:
        """For messages."""
        return self.alpha


# The paper: its letters with units, its statements as they are printed.

K, T, alpha, L, sigma, Delta = s.letters("K T alpha L sigma Delta")

NOTATION = s.table(
    s.Symbol("K", "K", "number of devices", units="1", least=1),
    s.Symbol("T", "T", "number of iterations", units="1", least=1),
    s.Symbol("alpha", r"\alpha", "step size", units="x^2 f^-1"),
    s.Symbol("L", "L", "Lipschitz constant of the gradient", units="f x^-2"),
    s.Symbol("sigma", r"\sigma", "standard deviation of a sample", units="f x^-1"),
    s.Symbol("Delta", r"\Delta", "F(x_0) - F*", units="f"),
)

SMOOTH = s.Assumption(
    id="smooth",
    title="Smoothness and noise",
    source="Section 1",
    sentence="The gradient of F is L-Lipschitz; samples have no bias and a variance of at most sigma^2.",
    constants={"L": 0.0, "sigma": 0.0},
)

ALGORITHM = s.Algorithm(
    id="algorithm-1",
    title="Parallel SGD",
    source="Section 2",
    hyperparameters=("alpha",),
    starts_from=(),
    lines=(),
    updates={},
)

THEOREM = s.Theorem(
    id="theorem-1",
    title="Convergence of parallel SGD",
    source="Section 3",
    algorithm="algorithm-1",
    assumptions=("smooth",),
    measure=r"\frac{1}{T}\sum_{t<T}\mathbb{E}\|\nabla F(x_t)\|^2",
    measure_units="f^2 x^-2",
    conditions={"alpha": s.Condition(alpha, "<=", (1 / L,))},
    terms={"start": 2 * Delta / (alpha * T), "noise": alpha * L * sigma**2 / K},
)

COROLLARY = s.Corollary(
    id="corollary-1",
    title="After T iterations",
    source="Section 3",
    theorem="theorem-1",
    scalings={"alpha": s.Scaling(sqrt(K) / sqrt(T), "Theta")},
    claim=s.Scaling(1 / sqrt(K * T)),
    window=(Ge(T, K),),
)

PRINTED = s.Paper(
    key="example-paper",
    title="An example: parallel SGD",
    notation=NOTATION,
    statements=s.by_id(SMOOTH, ALGORITHM, THEOREM, COROLLARY),
    bindings={},
)

# What binds the theorem: the method and its letters, the measure, the worlds, and where each constant comes from.

RUNS = {
    "theorem-1": s.Binding(
        method=ParallelSGD,
        hyperparameters={"alpha": alpha},
        measure=rc.measures.gradient(),
        constants={"L": "L", "sigma": "sigma", "Delta": "gap"},
        worlds=("single_level",),
    )
}
