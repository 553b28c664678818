"""Heavy ball, Nesterov's two methods and triple momentum as PEPit 0.5.1 documents them.

The sources are heavy_ball_momentum, accelerated_gradient_strongly_convex, accelerated_gradient_convex and
triple_momentum of unconstrained_convex_minimization. Of triple momentum the docstring has rho^(2(n+1)) where the code
has rho^(2n); x_n is read as the point after n gradients, as in the code. By the letter of the docstring xi_1 = x_0, so
that x_n is the point after n - 1 of them, and the docstring is off by rho^4 instead of rho^2.
"""

import math
from fractions import Fraction

from sympy import sqrt

import ratecert as rc
from ratecert.papers.pep import SMOOTH, Delta, L, R, alpha, mu, n
from ratecert.papers.pep.table import pepit
from ratecert.solvers.contract.schedule import accelerated

PAPER = rc.about("PEPit 0.5.1: momentum", certainty="note", edition="here that of PEPit 0.5.1")
FOLDER = "unconstrained_convex_minimization"
GAP = rc.measures.gap().last()
BETAS = tuple(map(math.sqrt, (0.95 * 0.5, 0.991 * (1 - 0.9), 0.7 * 0.4)))  # of alpha below
HEAVY = {"L": (1.0, 1.0, 2.0), "mu": (0.1, 0.01, 1.0), "alpha": (0.5, 0.9, 0.3), "n": (2, 4, 6)}
CONVEX = {"mu": (0.0, 0.0, 0.0), "L": (1.0, 3.0, 1.0), "n": (1, 4, 7)}
ENDS = {"L": (1.0, 1.0, 2.0), "mu": (0.1, 0.01, 0.5), "n": (2, 5, 4)}


def polyak(x, last="x", *, grad, alpha, beta):
    return x + beta * (x - last) - alpha * grad(x), x


def beta_of(values):
    """In fractions: near alpha = 1/L doubles would lose both factors, and another method would be run."""
    alpha, mu, L = (Fraction(float(values[name])) for name in ("alpha", "mu", "L"))
    return math.sqrt((1 - alpha * mu) * max(Fraction(0), 1 - alpha * L))


heavy_ball = rc.theorem(
    polyak,
    hyperparameters={"beta": beta_of},
    measure=GAP,
    bound=(1 - alpha * mu) ** n * Delta,
    where=[alpha <= 1 / L],
    assuming=[SMOOTH],
    title="Heavy ball, beta = sqrt((1 - alpha mu)(1 - L alpha))",
    steps="x_{t+1} = x_t - alpha grad f(x_t) + beta (x_t - x_{t-1}), x_{-1} = x_0",
    blind="The heavy ball is worse beyond quadratics: PEPit's numbers stand in the table.",
    **pepit(f"{FOLDER}/heavy_ball_momentum", unit=Delta, beta=BETAS, **HEAVY),
)
nesterov_strongly_convex = rc.theorem(
    rc.methods.Nesterov,
    hyperparameters={"alpha": 1 / L, "beta": (sqrt(L) - sqrt(mu)) / (sqrt(L) + sqrt(mu))},
    measure=GAP,
    bound=(1 - sqrt(mu / L)) ** n * (Delta + mu / 2 * R**2),
    assuming=[SMOOTH],
    worlds=["quadratics"],
    title="Accelerated gradients, strongly convex",
    steps="y_t = x_t + beta (x_t - x_{t-1}), x_{t+1} = y_t - grad f(y_t)/L, x_{-1} = x_0",
    blind="Other functions come nearer, as PEPit's numbers show.",
    **pepit(f"{FOLDER}/accelerated_gradient_strongly_convex", unit=Delta + mu / 2 * R**2, **ENDS),
)


def lambda_of(setting):
    """lambda_1 = 1."""
    found = 1.0
    for _ in range(setting.T - 1):
        found = accelerated(found)
    return found


lambda_n = rc.letter(
    "lambda_n", means="the n-th of FISTA's numbers", units="1", of=lambda_of, latex=r"\lambda_n"
)
nesterov_convex = rc.theorem(
    rc.methods.FISTA,
    hyperparameters={"alpha": 1 / L},
    measure=GAP,
    bound=L / 2 * R**2 / lambda_n**2,
    assuming=[SMOOTH],
    worlds=["quadratics"],
    title="Accelerated gradients, convex",
    steps="x_t = y_t - grad f(y_t)/L, y_{t+1} = x_t + (lambda_t - 1)/lambda_{t+1} (x_t - x_{t-1}); y_1 = x_0, "
    "lambda_1 = 1, lambda_{t+1} = (1 + sqrt(4 lambda_t^2 + 1))/2",
    blind="PEPit's worst functions stay below it where it was asked, and quadratics are easier still.",
    **pepit(f"{FOLDER}/accelerated_gradient_convex", unit=R**2, **CONVEX),
)

DEFINED = {"units": "1", "source": "Algorithm"}
kappa = rc.define("kappa", L / mu, id="kappa", title="Condition", **DEFINED)
rho = rc.define("rho", 1 - 1 / sqrt(kappa), means="rate", id="rho", title="Rate", **DEFINED)
triple_momentum = rc.theorem(
    rc.methods.TripleMomentum,
    hyperparameters={
        "alpha": (1 + rho) / L,
        "beta": rho**2 / (2 - rho),
        "gamma": rho**2 / ((1 + rho) * (2 - rho)),
        "delta": rho**2 / (1 - rho**2),
    },
    measure=rc.measures.gap("z").last(),  # the method's z is the docstring's x
    measure_latex=r"f(x_n)-f_\star",
    bound=rho ** (2 * (n + 1)) * L * kappa / 2 * R**2,
    assuming=[SMOOTH],
    worlds=["quadratics"],
    title="Triple momentum, as the docstring has it",
    steps="xi_{t+1} = (1 + beta) xi_t - beta xi_{t-1} - alpha grad f(y_t), y_t = (1 + gamma) xi_t - gamma xi_{t-1}, "
    "x_t = (1 + delta) xi_t - delta xi_{t-1}, xi_0 = xi_1 = x_0",
    **pepit(f"{FOLDER}/triple_momentum", unit=R**2, documented=False, **ENDS),
)
triple_momentum_code = triple_momentum.restated(
    bound=rho ** (2 * n) * L * kappa / 2 * R**2,
    title="Triple momentum, as the code has it",
    **pepit(f"{FOLDER}/triple_momentum", unit=R**2, **ENDS),
)
ONE_POWER_TOO_MANY = rc.statements.Erratum(
    place="triple-momentum.term.start",
    printed=rho ** (2 * (n + 1)),
    read=rho ** (2 * n),
    reason="the code beside the docstring has rho^(2n), which the quadratic of curvature L attains at n = 1; x_n is "
    "read as the point after n gradients, as in the code, where the docstring's letter has n - 1",
    evidence="falsify pep-momentum:triple-momentum refutes the print with 1/rho^2 and not the repair; PEPit's own "
    "number is the repaired bound",
)
