"""Robust momentum as PEPit 0.5.1 documents it (unconstrained_convex_minimization/robust_momentum).

From any two points x_{-1}, x_0, with y = x + gamma (x - x_-) and z = (x_+ - rho^2 x)/(1 - rho^2),

    x_+ = x + beta (x - x_-) - alpha grad f(y),    v = l ||z - x*||^2 + q,
    q = (L - mu)(f(y) - f* - mu/2 ||y - x*||^2) - 1/2 ||grad f(y) - mu (y - x*)||^2.

So the code has it. The docstring has kappa = mu/L, with which rho is negative, a q whose summands differ in units, no z
at all, y_+ = y + gamma (x - x_-), and other coefficients: alpha with (1 - rho^2) for (1 - rho)^2 and gamma with rho^2
for rho^3. To its letter it is read by the linter; its coefficients are tried alone, with all else from the code.
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from sympy import sqrt

import ratecert as rc
from ratecert.binding.families import QUADRATICS
from ratecert.papers.pep import SMOOTH, L, mu, n  # noqa: F401  n counts the iterations
from ratecert.papers.pep.table import pepit

s = rc.statements
PAPER = rc.about("PEPit 0.5.1: robust momentum", certainty="note", edition="here that of PEPit 0.5.1")
SOURCE = "unconstrained_convex_minimization/robust_momentum"


def rate(kappa):
    return lam * (1 - 1 / kappa) + (1 - lam) * (1 - 1 / sqrt(kappa))


def defined(name, value, title, means, units="1", source=SOURCE, **more):
    """With the id that the letter is."""
    return rc.define(name, value, title=title, means=means, units=units, source=source, **{"id": name} | more)


lam = rc.letter("lam", means="0: triple momentum, 1: gradient descent", units="1", latex=r"\lambda")
kappa = defined("kappa", L / mu, "Condition", "L/mu", source="code")
rho = defined("rho", rate(kappa), "Rate", "rate")
STEP, AHEAD = kappa * (1 + rho) / L, (kappa - 1) * (1 - rho) ** 2 * (1 + rho)
TAKEN = "how far ahead the gradient is taken"
alpha = defined("alpha", STEP * (1 - rho**2), "Coefficient alpha", "step, in the docstring", "x^2 f^-1")
beta = defined("beta", kappa * rho**3 / (kappa - 1), "Coefficient beta", "momentum")
gamma = defined("gamma", rho**2 / AHEAD, "Coefficient gamma", f"{TAKEN}, in the docstring")
alpha_c = defined(
    "alpha_c", STEP * (1 - rho) ** 2, "Coefficient alpha_c", "step, in the code", "x^2 f^-1", "code"
)
gamma_c = defined("gamma_c", rho**3 / AHEAD, "Coefficient gamma_c", f"{TAKEN}, in the code", source="code")


def robust(x, last="x", *, grad, alpha, beta, gamma):
    move = x - last
    return x + beta * move - alpha * grad(x + gamma * move), x


def lyapunov(alpha, gamma):
    """v on a quadratic with a diagonal Hessian: q = 1/2 sum (h_i - mu)(L - h_i) (y_i - x*_i)^2."""

    def of(values):
        L, mu, kappa, rho, b = (values[name] for name in ("L", "mu", "kappa", "rho", "beta"))
        a, c = values[alpha], values[gamma]
        weight = mu**2 * (kappa - kappa * rho**2 - 1) / (2 * rho * (1 - rho))

        def y(_problem, state):
            return state.x + c * (state.x - state.last)

        def z(problem, state):
            following = (1 - rho**2 + b) * state.x - b * state.last
            return (following - a * problem.gradient(y(problem, state))) * (1 / (1 - rho**2))

        def of_y(problem):
            H = np.diag(problem.H)
            weights = (H - mu) * (L - H) / 2
            return np.diag(weights if weights.dtype == object else np.maximum(weights, 0.0))  # rounding

        return weight * rc.measures.form(z) + rc.measures.form(y, weight=of_y)

    return of


def two_points(_world, numbers):
    """x_0 and x_{-1}: in the middle direction in all proportions, some of which make v vanish; in the flattest not so.

    The minimiser is the origin. Along the flattest direction z = rho (1 + rho^2)/(1 - rho^2) x_0, never zero.
    """
    length, angle = numbers["x_off"], numbers["angle"]
    return {
        "x": length * np.array([0.0, math.cos(angle), 1.0]),
        "last": length * np.array([0.0, math.sin(angle), -1.0]),
    }


FROM_TWO = replace(
    QUADRATICS,
    name="two_points",
    levels=(*QUADRATICS.levels, s.Level(name="angle", low=1e-3, high=math.pi)),
    start=two_points,
)
by_docstring, by_code = lyapunov("alpha", "gamma"), lyapunov("alpha_c", "gamma_c")
BEFORE: dict[str, Any] = {
    "means": "the Lyapunov function before the step",
    "units": "f^2 x^-2",
    "latex": "v(x_n)",
}
SETTINGS = {"most_iterations": 1, "L": (1.0, 1.0, 2.0), "mu": (0.1, 0.05, 1.0), "lam": (0.2, 0.5, 0.8)}
v = rc.letter("v", of=s.Measured(by_docstring), **BEFORE)
robust_momentum_mixed = rc.theorem(
    robust,
    measure=lambda values: by_docstring(values).last(),
    measure_units="f^2 x^-2",
    measure_latex="v(x_{n+1})",
    bound={"start": rho**2 * v},
    where=[lam <= 1],
    assuming=[SMOOTH],
    worlds=[FROM_TWO],
    title="Robust momentum, the docstring's coefficients in the code",
    steps="x_{t+1} = x_t + beta (x_t - x_{t-1}) - alpha grad f(y_t), y_t = x_t + gamma (x_t - x_{t-1})",
    printed=False,
    because="alpha and gamma of the docstring are not those of the code, which attains the bound: with them v may "
    "vanish before a step and not after it; kappa, y, q and z, which the docstring has otherwise or not at all, are "
    "those of the code: the docstring to its letter, where rho is negative, cannot be run",
    **pepit(SOURCE, "robust_by_docstring", unit=v, **SETTINGS),
)
v = rc.letter("v", of=s.Measured(by_code), **BEFORE)
robust_momentum_code = robust_momentum_mixed.restated(
    hyperparameters={"alpha": alpha_c, "gamma": gamma_c},
    measure=lambda values: by_code(values).last(),
    bound={"start": rho**2 * v},
    title="Robust momentum, as the code has it",
    steps="x_{t+1} = x_t + beta (x_t - x_{t-1}) - alpha_c grad f(y_t), y_t = x_t + gamma_c (x_t - x_{t-1})",
    printed=True,
    **pepit(SOURCE, unit=v, **SETTINGS),
)

# The docstring to its letter, for the linter.


f_x, f_y = (
    rc.letter(f"f_{at}", means=f"f({at}_t) - f*", units="f", latex=rf"(f({at}_t)-f_\star)", ours=at == "y")
    for at in "xy"
)
y_far = rc.letter("Y", means="squared distance of y", units="x^2", latex=r"\|y_t-x_\star\|^2")
UNDEFINED = "squared distance of z, which is not defined"
z_far = rc.letter("Z", means=UNDEFINED, units="x^2", latex=r"\|z_t-x_\star\|^2")
BENT, GRADIENT = "squared gradient of f less mu/2 ||.||^2", r"\|\nabla f(y_t)-\mu(y_t-x_\star)\|^2"
bent = rc.letter("S", means=BENT, units="f^2 x^-2", latex=GRADIENT)


def docstring(name, value, title, means, units="1"):
    """What it defines."""
    look = {"kappa_d": r"\kappa", "rho_d": r"\rho", "q_d": "q_t", "v_d": "v(x_t)"}.get(name, name[0])
    return defined(name, value, title, means, units, id=f"docstring.{name}", latex=look)


kappa_d = docstring("kappa_d", mu / L, "Condition", "what the docstring calls kappa")
rho_d = docstring("rho_d", rate(kappa_d), "Rate", "rate, in the docstring")
WEIGHT = mu**2 * (kappa_d - kappa_d * rho_d**2 - 1) / (2 * rho_d * (1 - rho_d))
BRACKET = f_x - mu / 2 * y_far - bent / 2
l_d = docstring("l_d", WEIGHT, "Weight", "weight of z, in the docstring", "f^2 x^-4")
q_d = docstring("q_d", (L - mu) * BRACKET, "Beside z", "what v has beside z, in the docstring", "f^2 x^-2")
LYAPUNOV = "the Lyapunov function, in the docstring"
v_d = docstring("v_d", l_d * z_far + q_d, "Lyapunov function", LYAPUNOV, "f^2 x^-2")
robust_momentum = rc.theorem(
    None,
    measure=None,
    measure_units="f^2 x^-2",
    measure_latex="v(x_{n+1})",
    bound={"start": rho_d**2 * v_d},
    where=[lam <= 1],
    assuming=[SMOOTH],
    title="Robust momentum, the docstring to its letter",
    source=SOURCE,
    steps="x_{t+1} = x_t + beta (x_t - x_{t-1}) - alpha grad f(y_t), y_{t+1} = y_t + gamma (x_t - x_{t-1})",
)
ALPHA = s.Erratum(
    place="alpha.right",
    printed=1 - rho**2,
    read=(1 - rho) ** 2,
    reason="with 1 - rho^2 the Lyapunov function may vanish before a step and not after it",
    evidence="the code has (1 - rho)^2, and attains the bound; robust-momentum-mixed, with the print, is false",
)
GAMMA = s.Erratum(
    place="gamma.right", printed=rho**2, read=rho**3, reason="the same", evidence="the code has rho^3"
)
KAPPA = s.Erratum(
    place="docstring.kappa_d.right",
    printed=mu / L,
    read=L / mu,
    reason="with mu/L the rate rho is negative",
    evidence="the code has L/mu; rho = -(L/mu - 1) at lambda = 1 otherwise",
)
CLOSED_TOO_LATE = s.Erratum(
    place="docstring.q_d.right",
    printed=BRACKET,
    read=f_x - mu / 2 * y_far - bent / (2 * (L - mu)),
    reason="the summands differ in units: the bracket that L - mu multiplies closes too late",
    evidence="the code closes it before the last summand",
)
WHERE_F_IS_TAKEN = s.Erratum(
    place="docstring.q_d.right",
    printed=f_x,
    read=f_y,
    reason="f is taken where its gradient is",
    evidence="the code has f(y_t); with all errata this is robust-momentum-code, which attains its bound",
)
