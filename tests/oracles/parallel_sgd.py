"""A sound statement, written as a paper: parallel SGD on an L-smooth function (Ghadimi and Lan, 2013).

K devices average their stochastic gradients, x <- x - eta g, so the variance of g is sigma^2/K. Where eta <= 1/L,
the descent lemma E Phi(x_{t+1}) <= E Phi(x_t) - eta/2 E||grad Phi(x_t)||^2 + L eta^2 sigma^2/(2K) sums up to

    1/T sum_{t<T} E||grad Phi(x_t)||^2 <= 2 (Phi(x_0) - inf Phi)/(eta T) + L eta sigma^2/K.

eta = sqrt(K/T) makes both terms (KT)^-1/2, and respects eta <= 1/L, in order, where T >= K. In eps: T = 1/(K eps^2),
eta = K eps, where K eps <= 1. Phi = f + lambda/2 ||x||^2 has L = L_f + lambda; the noise of the data and that of a
quantised message are independent, so their variances add. There is nothing here for a linter to find.
"""

from dataclasses import replace

from sympy import Ge, sqrt

from ratecert.theory.language.letters import letters
from ratecert.theory.language.paper import Paper, by_id
from ratecert.theory.language.statements import (
    Algorithm,
    Assumption,
    Condition,
    Corollary,
    Cost,
    Counts,
    Definition,
    Line,
    Scaling,
    Theorem,
)
from ratecert.theory.language.symbols import Symbol, table

K, T, eta, L, L_f, lam, sigma, sigma_f, sigma_q, Phi_gap, eps, x, g = letters(
    "K T eta L L_f lam sigma sigma_f sigma_q Phi_gap eps x g"
)

NOTATION = table(
    Symbol("K", "K", "number of devices", units="1", least=1),
    Symbol("T", "T", "number of iterations", units="1", least=1),
    Symbol("eta", r"\eta", "step size"),
    Symbol("L", "L", "smoothness of Phi", units="f x^-2"),
    Symbol("L_f", "L_f", "smoothness of f", units="f x^-2"),
    Symbol("lam", r"\lambda", "weight of the regulariser", units="f x^-2"),
    Symbol("sigma", r"\sigma", "standard deviation of a message", units="f x^-1"),
    Symbol("sigma_f", r"\sigma_f", "standard deviation of the gradient of f", units="f x^-1"),
    Symbol("sigma_q", r"\sigma_q", "standard deviation of the quantiser", units="f x^-1"),
    Symbol("Phi_gap", r"(\Phi(x_0)-\inf\Phi)", "how far Phi can fall from the start", units="f"),
    Symbol("eps", r"\epsilon", "accuracy to be reached", units="f^2 x^-2"),
    Symbol("x", "x_t", "variable", units="x"),
    Symbol("g", "g_t", "mean of the devices' stochastic gradients at x_t", units="f x^-1"),
)

ASSUMPTIONS = (
    Assumption(
        id="smooth",
        title="Smoothness",
        source="Ghadimi and Lan (2013), (1.2)",
        sentence="The gradient of f is L_f-Lipschitz.",
        constants={"L_f": 0.0},
    ),
    Assumption(
        id="noise",
        title="Bounded variance",
        source="Ghadimi and Lan (2013), A1",
        sentence="A device's stochastic gradient has no bias and a variance of at most sigma_f^2.",
        constants={"sigma_f": 0.0},
    ),
)

DEFINITIONS = (
    Definition(id="L", title="Phi is L-smooth", source="above", left=L, right=L_f + lam),
    Definition(
        id="sigma",
        title="variance of a message",
        source="above",
        left=sigma**2,
        right=sigma_f**2 + sigma_q**2,
    ),
)

SGD = Algorithm(
    id="sgd",
    title="Parallel SGD",
    source="Ghadimi and Lan (2013), RSG with a mean of K samples",
    hyperparameters=("eta",),
    starts_from=(("x", 0),),
    lines=(
        Line("g_t = mean over devices of gradient samples at x_t", (("x", 0),), (("g", 0),)),
        Line("x_{t+1} = x_t - eta g_t", (("x", 0), ("g", 0)), (("x", 1),)),
    ),
    updates={"x": (x, x - eta * g)},
)

DESCENT = Theorem(
    id="descent",
    title="Convergence of parallel SGD",
    source="Ghadimi and Lan (2013), Theorem 2.1",
    algorithm="sgd",
    assumptions=("smooth", "noise"),
    measure=r"\frac{1}{T}\sum_{t=0}^{T-1}\mathbb{E}[\|\nabla\Phi(x_t)\|^2]",
    measure_units="f^2 x^-2",
    conditions={"eta": Condition(eta, "<=", (1 / L,))},
    terms={"start": 2 * Phi_gap / (eta * T), "noise": L * eta * sigma**2 / K},
)

IN_T = Corollary(
    id="rate-in-T",
    title="Parallel SGD after T iterations",
    source="Ghadimi and Lan (2013), Corollary 2.2",
    theorem="descent",
    scalings={"eta": Scaling(sqrt(K) / sqrt(T), "Theta")},
    claim=Scaling(1 / sqrt(K * T)),
    window=(Ge(T, K),),
)

IN_EPS = Corollary(
    id="rate-in-eps",
    title="Parallel SGD to accuracy eps",
    source="Ghadimi and Lan (2013), (2.17)",
    theorem="descent",
    scalings={"T": Scaling(1 / (K * eps**2), "Theta"), "eta": Scaling(K * eps, "Theta")},
    claim=Scaling(eps),
    window=(Ge(1 / K, eps),),
    same_as="rate-in-T",
)

COSTS = Counts(
    id="costs",
    title="Complexities of parallel SGD",
    source="Ghadimi and Lan (2013), below (2.17)",
    costs=(
        Cost(
            "parallel SGD",
            "rate-in-eps",
            {"iterations": Scaling(1 / (K * eps**2)), "samples": Scaling(1 / (K * eps**2))},
            linear_speedup=True,
        ),
    ),
)

PARALLEL_SGD = Paper(
    key="parallel-sgd",
    title="Parallel SGD",
    notation=NOTATION,
    statements=by_id(*ASSUMPTIONS, *DEFINITIONS, SGD, DESCENT, IN_T, IN_EPS),
    bindings={},
)

COUNTED = replace(PARALLEL_SGD, statements={**PARALLEL_SGD.statements, COSTS.id: COSTS})
