"""Periodic averaging SGD where all devices have the same data (Wang and Joshi 2018, "Cooperative SGD").

m devices take steps w_j <- w_j - eta g_j(w_j), g_j the mean of b samples, and average every tau steps. F is L-smooth
and bounded below, a sample has a variance of at most sigma^2. What is measured is the mean over devices, after t
steps.

Orders are in K and T, so that these are the names of m and t here. The corollary has no constants: with the step of
order sqrt(m/t), the last term is no larger than the others as long as tau is at most of order t^{1/2} m^{-3/2}.
"""

from dataclasses import dataclass
from typing import Any

from sympy import Ge, sqrt

import ratecert as rc

s = rc.statements
K, T, tau, b, eta, L, sigma, Delta = s.letters("K T tau b eta L sigma Delta")

NOTATION = s.table(
    s.Symbol("K", "m", "number of devices", units="1", least=1),
    s.Symbol("T", "t", "number of iterations", units="1", least=1),
    s.Symbol("tau", r"\tau", "local steps between two averages", units="1", least=1),
    s.Symbol("b", "b", "samples in a batch", units="1", least=1),
    s.Symbol("eta", r"\eta", "step size", units="x^2 f^-1"),
    s.Symbol("L", "L", "Lipschitz constant of the gradient", units="f x^-2"),
    s.Symbol("sigma", r"\sigma", "standard deviation of a sample", units="f x^-1"),
    s.Symbol("Delta", r"(F(w_0)-F_{\inf})", "how far F can fall from the start", units="f"),
)

SMOOTH = s.Assumption(
    id="smooth",
    title="Smoothness and noise",
    source="asked by the theorem",
    sentence="F is L-smooth and bounded below; a batch has no bias and a variance of at most sigma^2/b.",
    constants={"L": 0.0, "sigma": 0.0},
)

PASGD = s.Algorithm(
    id="pasgd",
    title="Periodic averaging SGD",
    source="as lecture notes quote it",
    hyperparameters=("eta", "tau", "b"),
    starts_from=(),
    lines=(),
    updates={},
    requires="w_j <- w_j - eta g_j(w_j), g_j the mean of b samples; after every tau steps all restart from the mean",
)

THEOREM = s.Theorem(
    id="theorem-1",
    title="Periodic averaging SGD, identical data",
    source="as lecture notes quote it",
    algorithm="pasgd",
    assumptions=("smooth",),
    measure=r"\frac{1}{t}\sum_{k<t}\mathbb{E}\|\nabla F(\bar{w}_k)\|^2",
    measure_units="f^2 x^-2",
    conditions={"eta": s.Condition(eta * L + eta**2 * L**2 * tau * (tau - 1), "<=", (1,))},
    terms={
        "start": 2 * Delta / (eta * T),
        "noise": eta * L * sigma**2 / (K * b),
        "drift": eta**2 * L**2 * sigma**2 * (tau - 1) / b,
    },
)

SPEEDUP = s.Corollary(
    id="corollary-1",
    title="Linear speedup of periodic averaging SGD",
    source="orders of the theorem's terms",
    printed=False,
    theorem="theorem-1",
    scalings={
        "eta": s.Scaling(sqrt(K) / sqrt(T), "Theta"),
        "tau": s.Scaling(sqrt(T / K**3)),
        "b": s.Scaling(1),
    },
    claim=s.Scaling(1 / sqrt(K * T)),
    window=(Ge(T, K**3),),
)

PRINTED = s.Paper(
    key="pasgd",
    title="Cooperative SGD: A Unified Framework for the Design and Analysis of Communication-Efficient SGD",
    certainty="note",
    notation=NOTATION,
    statements=s.by_id(SMOOTH, PASGD, THEOREM, SPEEDUP),
    bindings={},
)


@dataclass(frozen=True, kw_only=True)
class BatchSGD(rc.methods.SGD):
    """Local SGD along the mean of b samples."""

    b: int = 1

    def step(self, t: int, state: Any, oracle: Any) -> Any:
        """One step along a batch."""
        g = oracle.sample(rc.contract.Gradient(), t, batch=self.b)
        return rc.contract.State(x=state.x - self.step_size(t) * g(state.x))


RUNS = {
    "theorem-1": s.Binding(
        method=BatchSGD,
        hyperparameters={"alpha": eta, "p": tau, "b": b},
        measure=rc.measures.gradient(),
        constants={"L": "L", "sigma": "sigma", "Delta": "gap"},
        blind="where the gradient is affine and the devices are alike, the mean gradient is the gradient at the mean: "
        "devices that drift apart cost nothing, so that the term with tau is never needed here",
    )
}
