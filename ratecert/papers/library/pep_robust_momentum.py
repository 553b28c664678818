"""Robust momentum as PEPit 0.5.1 documents it (unconstrained_convex_minimization/robust_momentum).

From any two points x_{-1}, x_0, with y = x + gamma (x - x_-) and z = (x_+ - rho^2 x)/(1 - rho^2),

    x_+ = x + beta (x - x_-) - alpha grad f(y),    v = l ||z - x*||^2 + q,
    q = (L - mu)(f(y) - f* - mu/2 ||y - x*||^2) - 1/2 ||grad f(y) - mu (y - x*)||^2.

So the code has it. The docstring has kappa = mu/L, with which rho is negative, a q whose summands differ in units, no z
at all, y_+ = y + gamma (x - x_-), and other coefficients: alpha with (1 - rho^2) for (1 - rho)^2 and gamma with rho^2
for rho^3. To its letter it is read by the linter; its coefficients are tried alone, with all else from the code.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import sqrt

import ratecert as rc
from ratecert.binding.families import QUADRATICS
from ratecert.papers.pep.page import SMOOTH, letters, paper, run, theorem

s = rc.statements
L, mu, kappa, rho, lam, v = s.letters("L mu kappa rho lam v")
alpha, beta, gamma, alpha_c, gamma_c = s.letters("alpha beta gamma alpha_c gamma_c")
kappa_d, rho_d, l_d, q_d, v_d, f_x, f_y = s.letters("kappa_d rho_d l_d q_d v_d f_x f_y")
y_far, z_far, bent = s.letters("Y Z S")
SOURCE = "unconstrained_convex_minimization/robust_momentum"

NOTATION = letters(
    "n L mu kappa rho",
    s.Symbol("lam", r"\lambda", "0: triple momentum, 1: gradient descent", units="1"),
    s.Symbol("alpha", r"\alpha", "step, in the docstring", units="x^2 f^-1"),
    s.Symbol("beta", r"\beta", "momentum", units="1"),
    s.Symbol("gamma", r"\gamma", "how far ahead the gradient is taken, in the docstring", units="1"),
    s.Symbol("alpha_c", r"\alpha_c", "step, in the code", units="x^2 f^-1"),
    s.Symbol("gamma_c", r"\gamma_c", "how far ahead the gradient is taken, in the code", units="1"),
    s.Symbol("v", "v(x_n)", "the Lyapunov function before the step", units="f^2 x^-2"),
    s.Symbol("kappa_d", r"\kappa", "what the docstring calls kappa", units="1"),
    s.Symbol("rho_d", r"\rho", "rate, in the docstring", units="1"),
    s.Symbol("l_d", "l", "weight of z, in the docstring", units="f^2 x^-4"),
    s.Symbol("q_d", "q_t", "what v has beside z, in the docstring", units="f^2 x^-2"),
    s.Symbol("v_d", "v(x_t)", "the Lyapunov function, in the docstring", units="f^2 x^-2"),
    s.Symbol("f_x", r"(f(x_t)-f_\star)", "f(x_t) - f*", units="f"),
    s.Symbol("f_y", r"(f(y_t)-f_\star)", "f(y_t) - f*", units="f", ours=True),
    s.Symbol("Y", r"\|y_t-x_\star\|^2", "squared distance of y", units="x^2"),
    s.Symbol("Z", r"\|z_t-x_\star\|^2", "squared distance of z, which is not defined", units="x^2"),
    s.Symbol(
        "S",
        r"\|\nabla f(y_t)-\mu(y_t-x_\star)\|^2",
        "squared gradient of f less mu/2 ||.||^2",
        units="f^2 x^-2",
    ),
)
KAPPA = s.Definition(id="kappa", title="Condition", source="code", left=kappa, right=L / mu)


def rate(kappa: Any) -> Any:
    return lam * (1 - 1 / kappa) + (1 - lam) * (1 - 1 / sqrt(kappa))


RHO = s.Definition(id="rho", title="Rate", source=SOURCE, left=rho, right=rate(kappa))
LETTER = tuple(
    s.Definition(id=f"docstring.{left}", title=title, source=SOURCE, left=left, right=right)
    for left, title, right in (
        (kappa_d, "Condition", mu / L),
        (rho_d, "Rate", rate(kappa_d)),
        (l_d, "Weight", mu**2 * (kappa_d - kappa_d * rho_d**2 - 1) / (2 * rho_d * (1 - rho_d))),
        (q_d, "Beside z", (L - mu) * (f_x - mu / 2 * y_far - bent / 2)),
        (v_d, "Lyapunov function", l_d * z_far + q_d),
    )
)


def coefficient(letter: Any, source: str, right: Any) -> s.Definition:
    """Of the method."""
    return s.Definition(
        id=str(letter), title=f"Coefficient {letter}", source=source, left=letter, right=right
    )


COEFFICIENTS = (
    coefficient(alpha, SOURCE, kappa * (1 - rho**2) * (1 + rho) / L),
    coefficient(beta, SOURCE, kappa * rho**3 / (kappa - 1)),
    coefficient(gamma, SOURCE, rho**2 / ((kappa - 1) * (1 - rho) ** 2 * (1 + rho))),
    coefficient(alpha_c, "code", kappa * (1 - rho) ** 2 * (1 + rho) / L),
    coefficient(gamma_c, "code", rho**3 / ((kappa - 1) * (1 - rho) ** 2 * (1 + rho))),
)
DOCSTRING, MIXED, CODE = (
    theorem(
        *(id, title, SOURCE, "v(x_{n+1})", "f^2 x^-2", bound),
        conditions={"lam": s.Condition(lam, "<=", (1,))},
        printed=printed,
    )
    for id, title, bound, printed in (
        ("robust-momentum", "Robust momentum, the docstring to its letter", rho_d**2 * v_d, True),
        (
            "robust-momentum-mixed",
            "Robust momentum, the docstring's coefficients in the code",
            rho**2 * v,
            False,
        ),
        ("robust-momentum-code", "Robust momentum, as the code has it", rho**2 * v, True),
    )
)
PRINTED = paper(
    *("pep-robust-momentum", "robust momentum", NOTATION, SMOOTH),
    *(KAPPA, RHO, *COEFFICIENTS, *LETTER, DOCSTRING, MIXED, CODE),
    steps={
        "robust-momentum": "x_{t+1} = x_t + beta (x_t - x_{t-1}) - alpha grad f(y_t), y_{t+1} = y_t + gamma (x_t - "
        "x_{t-1})",
        "robust-momentum-mixed": "x_{t+1} = x_t + beta (x_t - x_{t-1}) - alpha grad f(y_t), y_t = x_t + gamma (x_t "
        "- x_{t-1})",
        "robust-momentum-code": "x_{t+1} = x_t + beta (x_t - x_{t-1}) - alpha_c grad f(y_t), y_t = x_t + gamma_c "
        "(x_t - "
        "x_{t-1})",
    },
)
REPAIRED = PRINTED.repaired(
    (
        s.Erratum(
            place="alpha.right",
            printed=1 - rho**2,
            read=(1 - rho) ** 2,
            reason="with 1 - rho^2 the Lyapunov function may vanish before a step and not after it",
            evidence="the code has (1 - rho)^2, and attains the bound; robust-momentum-mixed, with the print, is false",
        ),
        s.Erratum(
            place="gamma.right",
            printed=rho**2,
            read=rho**3,
            reason="the same",
            evidence="the code has rho^3",
        ),
        s.Erratum(
            place="docstring.kappa_d.right",
            printed=mu / L,
            read=L / mu,
            reason="with mu/L the rate rho is negative",
            evidence="the code has L/mu; rho = -(L/mu - 1) at lambda = 1 otherwise",
        ),
        s.Erratum(
            place="docstring.q_d.right",
            printed=f_x - mu / 2 * y_far - bent / 2,
            read=f_x - mu / 2 * y_far - bent / (2 * (L - mu)),
            reason="the summands differ in units: the bracket that L - mu multiplies closes too late",
            evidence="the code closes it before the last summand",
        ),
        s.Erratum(
            place="docstring.q_d.right",
            printed=f_x,
            read=f_y,
            reason="f is taken where its gradient is",
            evidence="the code has f(y_t); with all errata this is robust-momentum-code, which attains its bound",
        ),
    )
)

WHY = (
    "alpha and gamma of the docstring are not those of the code, which attains the bound: with them v may vanish "
    "before a step and not after it; kappa, y, q and z, which the docstring has otherwise or not at all, are those of "
    "the code: the docstring to its letter, where rho is negative, cannot be run"
)


@dataclass(frozen=True, kw_only=True)
class RobustMomentum(rc.contract.Method):
    """x_+ = x + beta (x - x_-) - alpha grad f(x + gamma (x - x_-))."""

    alpha: float
    beta: float
    gamma: float

    levels = 1

    @property
    def stages(self) -> tuple[Any, ...]:
        return (rc.contract.Stage(self.step, repeats=1, averaged=("x", "last")),)

    def start(self, state: Any, oracle: Any) -> Any:
        """At rest, unless a run says where the point before was."""
        return rc.contract.State(x=state.x, last=state.x)

    def step(self, t: int, state: Any, oracle: Any) -> Any:
        """One step; the point before is kept."""
        move = state.x - state.last
        g = oracle.sample(rc.contract.Gradient(), t)(state.x + self.gamma * move)
        return rc.contract.State(x=state.x + self.beta * move - self.alpha * g, last=state.x)

    def step_size(self, t: int) -> float:
        """For messages."""
        return self.alpha


FIELDS = {  # of the method, by statement
    MIXED.id: {"alpha": alpha, "beta": beta, "gamma": gamma},
    CODE.id: {"alpha": alpha_c, "beta": beta, "gamma": gamma_c},
}


def lyapunov(id: str) -> Callable[[Mapping[str, float]], rc.measures.Measure]:
    """v on a quadratic with a diagonal Hessian: q = 1/2 sum (h_i - mu)(L - h_i) (y_i - x*_i)^2."""

    def of(values: Mapping[str, float]) -> rc.measures.Measure:
        L, mu, kappa, rho = (values[name] for name in ("L", "mu", "kappa", "rho"))
        c = {name: values[str(letter)] for name, letter in FIELDS[id].items()}
        weight = mu**2 * (kappa - kappa * rho**2 - 1) / (2 * rho * (1 - rho))

        def y(_problem: rc.worlds.SingleLevel, state: Any) -> Any:
            return state.x + c["gamma"] * (state.x - state.last)

        def z(problem: rc.worlds.SingleLevel, state: Any) -> Any:
            following = (1 - rho**2 + c["beta"]) * state.x - c["beta"] * state.last
            return (following - c["alpha"] * problem.gradient(y(problem, state))) * (1 / (1 - rho**2))

        def of_y(problem: rc.worlds.SingleLevel) -> Any:
            H = np.diag(problem.H)
            weights = (H - mu) * (L - H) / 2
            return np.diag(weights if weights.dtype == object else np.maximum(weights, 0.0))  # rounding

        return weight * rc.measures.form(z) + rc.measures.form(y, weight=of_y)

    return of


def two_points(_world: Any, numbers: Mapping[str, float]) -> dict[str, Any]:
    """x_0 and x_{-1}: in the middle direction in all proportions, some of which make v vanish; in the flattest not so.

    The minimiser is the origin. Along the flattest direction z = rho (1 + rho^2)/(1 - rho^2) x_0, never zero.
    """
    length, angle = numbers["x_off"], numbers["angle"]
    return {
        "x": length * np.array([0.0, math.cos(angle), 1.0]),
        "last": length * np.array([0.0, math.sin(angle), -1.0]),
    }


FROM_TWO = s.Family(
    name="two_points",
    levels=(*QUADRATICS.levels, s.Level(name="angle", low=1e-3, high=math.pi)),
    world=QUADRATICS.world,
    start=two_points,
    held=QUADRATICS.held,
    usual=QUADRATICS.usual,
)
RUNS = {
    id: run(
        RobustMomentum,
        dict(fields),
        lambda values, id=id: lyapunov(id)(values).last(),
        {"L": "L", "mu": "mu"},
        measured={"v": s.Measured(lyapunov(id))},
        worlds=(FROM_TWO,),
        most_iterations=1,
        because=because,
    )
    for (id, fields), because in zip(FIELDS.items(), (WHY, ""), strict=True)
}
