"""Heavy ball, Nesterov's two methods and triple momentum as PEPit 0.5.1 documents them.

The sources are heavy_ball_momentum, accelerated_gradient_strongly_convex, accelerated_gradient_convex and
triple_momentum of unconstrained_convex_minimization. Of triple momentum the docstring has rho^(2(n+1)) where the code
has rho^(2n); x_n is read as the point after n gradients, as in the code. By the letter of the docstring xi_1 = x_0, so
that x_n is the point after n - 1 of them, and the docstring is off by rho^4 instead of rho^2.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from sympy import sqrt

import ratecert as rc
from ratecert.papers.pep.page import SMOOTH, letters, paper, run, theorem
from ratecert.solvers.contract.recursion import accelerated

s = rc.statements
n, alpha, L, mu, kappa, rho, R, Delta, lambda_n = s.letters("n alpha L mu kappa rho R Delta lambda_n")
UNCONSTRAINED = "unconstrained_convex_minimization"

NOTATION = letters(
    "n alpha L mu kappa rho R Delta",
    s.Symbol("lambda_n", r"\lambda_n", "the n-th of FISTA's numbers", units="1"),
)

HEAVY_BALL = theorem(
    "heavy-ball",
    "Heavy ball, beta = sqrt((1 - alpha mu)(1 - L alpha))",
    f"{UNCONSTRAINED}/heavy_ball_momentum",
    r"f(x_n)-f_\star",
    "f",
    (1 - alpha * mu) ** n * Delta,
    conditions={"alpha": s.Condition(alpha, "<=", (1 / L,))},
)
STRONGLY_CONVEX = theorem(
    "nesterov-strongly-convex",
    "Accelerated gradients, strongly convex",
    f"{UNCONSTRAINED}/accelerated_gradient_strongly_convex",
    r"f(x_n)-f_\star",
    "f",
    (1 - sqrt(mu / L)) ** n * (Delta + mu / 2 * R**2),
)
CONVEX = theorem(
    "nesterov-convex",
    "Accelerated gradients, convex",
    f"{UNCONSTRAINED}/accelerated_gradient_convex",
    r"f(x_n)-f_\star",
    "f",
    L / 2 * R**2 / lambda_n**2,
)
KAPPA = s.Definition(id="kappa", title="Condition", source="Algorithm", left=kappa, right=L / mu)
RHO = s.Definition(id="rho", title="Rate", source="Algorithm", left=rho, right=1 - 1 / sqrt(kappa))
TRIPLE, TRIPLE_CODE = (
    theorem(
        *(id, title, f"{UNCONSTRAINED}/triple_momentum", r"f(x_n)-f_\star", "f"),
        rho ** (2 * power) * L * kappa / 2 * R**2,
    )
    for id, title, power in (
        ("triple-momentum", "Triple momentum, as the docstring has it", n + 1),
        ("triple-momentum-code", "Triple momentum, as the code has it", n),
    )
)

PRINTED = paper(
    "pep-momentum",
    "momentum",
    NOTATION,
    *(SMOOTH, HEAVY_BALL, STRONGLY_CONVEX, CONVEX, KAPPA, RHO, TRIPLE, TRIPLE_CODE),
    steps={
        "heavy-ball": "x_{t+1} = x_t - alpha grad f(x_t) + beta (x_t - x_{t-1}), x_{-1} = x_0",
        "nesterov-strongly-convex": "y_t = x_t + beta (x_t - x_{t-1}), x_{t+1} = y_t - grad f(y_t)/L, x_{-1} = x_0",
        "nesterov-convex": "x_t = y_t - grad f(y_t)/L, y_{t+1} = x_t + (lambda_t - 1)/lambda_{t+1} (x_t - "
        "x_{t-1}); y_1 = "
        "x_0, lambda_1 = 1, lambda_{t+1} = (1 + sqrt(4 lambda_t^2 + 1))/2",
        **dict.fromkeys(
            ("triple-momentum", "triple-momentum-code"),
            "xi_{t+1} = (1 + beta) xi_t - beta xi_{t-1} - alpha grad f(y_t), y_t = (1 + gamma) xi_t - gamma "
            "xi_{t-1}, x_t = "
            "(1 + delta) xi_t - delta xi_{t-1}, xi_0 = xi_1 = x_0",
        ),
    },
)
REPAIRED = PRINTED.repaired(
    (
        s.Erratum(
            place="triple-momentum.term.start",
            printed=rho ** (2 * (n + 1)),
            read=rho ** (2 * n),
            reason="the code beside the docstring has rho^(2n), which the quadratic of curvature L attains at n = 1; "
            "x_n is read as the point after n gradients, as in the code, where the docstring's letter has n - 1",
            evidence="falsify pep-momentum:triple-momentum refutes the print with 1/rho^2 and not the repair; PEPit's "
            "own number is the repaired bound",
        ),
    )
)


def heavy_ball(alpha: float, beta: float) -> Any:
    """Without momentum at alpha = 1/L, where beta is zero."""
    return rc.methods.HeavyBall(alpha=alpha, beta=beta) if beta > 0 else rc.methods.SGD(alpha=alpha)


def beta_of(values: Mapping[str, float]) -> float:
    """In fractions: near alpha = 1/L doubles would lose both factors, and another method would be run."""
    alpha, mu, L = (Fraction(float(values[name])) for name in ("alpha", "mu", "L"))
    return math.sqrt((1 - alpha * mu) * max(Fraction(0), 1 - alpha * L))


def lambda_of(setting: s.Setting) -> float:
    """lambda_1 = 1."""
    found = 1.0
    for _ in range(setting.T - 1):
        found = accelerated(found)
    return found


GAP, ENDS = rc.measures.gap().last(), {"L": "L", "mu": "mu"}
TUNED = {
    "alpha": (1 + rho) / L,
    "beta": rho**2 / (2 - rho),
    "gamma": rho**2 / ((1 + rho) * (2 - rho)),
    "delta": rho**2 / (1 - rho**2),
}
TRIPLE_RUN = run(rc.methods.TripleMomentum, TUNED, rc.measures.gap("z").last(), {**ENDS, "R": "distance"})
RUNS = {
    "heavy-ball": run(
        *(heavy_ball, {"alpha": alpha, "beta": beta_of}, GAP, {**ENDS, "Delta": "gap"}),
        blind="The heavy ball is worse beyond quadratics: PEPit's numbers stand in the table.",
    ),
    "nesterov-strongly-convex": run(
        rc.methods.Nesterov,
        {"alpha": 1 / L, "beta": (sqrt(L) - sqrt(mu)) / (sqrt(L) + sqrt(mu))},
        *(GAP, {**ENDS, "Delta": "gap", "R": "distance"}),
        blind="Other functions come nearer, as PEPit's numbers show.",
    ),
    "nesterov-convex": run(
        *(rc.methods.FISTA, {"alpha": 1 / L}, GAP),
        {"L": "L", "R": "distance", "lambda_n": lambda_of},
        blind="PEPit's worst functions stay below it where it was asked, and quadratics are easier still.",
    ),
    "triple-momentum": TRIPLE_RUN,
    "triple-momentum-code": TRIPLE_RUN,
}
