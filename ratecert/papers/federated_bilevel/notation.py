"""The paper's letters: as symbols, as a table with units, and what Section 3 assumes of them and defines.

x and y share the unit x, f and g share the unit f, because they share L_1. L_12 occurs in the print and is defined
nowhere: it is a letter, and in no table.
"""

from typing import Any

from ratecert.theory.notation import Symbol, letters, table
from ratecert.theory.statements import Assumption, Definition

theta, Q, mu, L_0, L_1, L_12, L_21, L_22, sigma = letters("theta Q mu L_0 L_1 L_12 L_21 L_22 sigma")
L_Phi, L_hat, L_tilde, G, Delta_Q = letters("L_Phi L_hat L_tilde G Delta_Q")

ALGORITHM = table(
    Symbol("K", "K", "number of devices", "1", least=1),
    Symbol("T", "T", "number of iterations", "1", least=1),
    Symbol("p", "p", "communication period", "1", least=1),
    Symbol("eta", r"\eta", "step size"),
    Symbol("alpha", r"\alpha", "momentum parameter of the upper level"),
    Symbol("beta", r"\beta", "momentum parameter of the lower level"),
    Symbol("rho_1", r"\rho_1", "step of x in units of eta"),
    Symbol("rho_2", r"\rho_2", "step of y in units of eta"),
    Symbol("theta", r"\theta", "step of the Neumann sum"),
    Symbol("Q", "Q", "Hessian samples in the Neumann sum", "1", least=0),
    Symbol("B", "B", "batch of the first iteration", "1", least=1),
)

_GAP = r"(\Phi(x_0)-\Phi(x_*))"
CONSTANTS = table(
    Symbol("mu", r"\mu", "strong convexity of the lower level", "f x^-2"),
    Symbol("L_0", "L_0", "Lipschitz constant of f", "f x^-1"),
    Symbol("L_1", "L_1", "Lipschitz constant of the gradients of f and g", "f x^-2"),
    Symbol("L_21", "L_{21}", "Lipschitz constant of the mixed second derivative of g", "f x^-3"),
    Symbol("L_22", "L_{22}", "Lipschitz constant of the second derivative of g in y", "f x^-3"),
    Symbol("sigma", r"\sigma", "standard deviation of the gradient of g", "f x^-1"),
    Symbol("sigma_f", r"\sigma_f", "standard deviation of the gradient of f", "f x^-1", ours=True),
    Symbol("sigma_H", r"\sigma_H", "standard deviation of the Hessian of g in y", "f x^-2", ours=True),
    Symbol("L_Phi", r"L_{\Phi}", "smoothness of Phi"),
    Symbol("L_hat", r"\hat{L}", "mean-square smoothness of the stochastic hypergradient", text="Lhat"),
    Symbol("L_tilde", r"\tilde{L}", "sensitivity of the hypergradient to y", text="Ltilde"),
    Symbol("G", "G", "bounds the size of the stochastic hypergradient"),
    Symbol("Delta_Q", r"\Delta_Q", "bias of the truncated Neumann sum"),
    Symbol("Phi_gap", _GAP, "how far Phi can fall from the start", "f", text="(Φ(x₀) - Φ(x*))"),
    Symbol("y_gap", r"\|\bar{y}_0-y^*(\bar{x}_0)\|", "error of y at the start", "x", text="‖y₀ - y*(x₀)‖"),
)


def _slope(name: str, latex: str, meaning: str, text: str | None = None) -> Symbol:
    """A gradient, or a mean of gradients."""
    return Symbol(name, latex, meaning, "f x^-1", text=text)


_OLD = "the same sample at the previous point"
STATE = table(
    Symbol("t", "t", "iteration", "1", least=0),
    Symbol("w", "w_t", "offset of the decaying step", "1", text="w_t"),
    Symbol("eps", r"\epsilon", "accuracy to be reached", "f^2 x^-2", text="epsilon"),
    Symbol("x", "x_t", "upper variable", "x"),
    Symbol("y", "y_t", "lower variable", "x"),
    _slope("u", "u_t", "momentum of the upper level"),
    _slope("v", "v_t", "momentum of the lower level"),
    _slope("h", r"\hat{\nabla}\Phi(x_t,y_t;\hat{\xi}_t)", "stochastic hypergradient", "h(x_t, y_t; ξ_t)"),
    _slope("g_y", r"\nabla_y g(x_t,y_t;\zeta_t)", "stochastic gradient of g in y", "∇_y g(x_t, y_t; ζ_t)"),
    _slope("h_old", r"\hat{\nabla}\Phi(x_{t-1},y_{t-1};\hat{\xi}_t)", _OLD, "h(x_{t-1}, y_{t-1}; ξ_t)"),
    _slope("g_y_old", r"\nabla_y g(x_{t-1},y_{t-1};\zeta_t)", _OLD, "∇_y g(x_{t-1}, y_{t-1}; ζ_t)"),
)

DERIVATIVES = table(
    _slope("grad_Phi", r"\nabla\Phi", "hypergradient", "∇Φ"),
    _slope("grad_x_f", r"\nabla_x f", "gradient of f in x", "∇_x f"),
    _slope("grad_y_f", r"\nabla_y f", "gradient of f in y", "∇_y f"),
    Symbol("jacobian_g", r"\nabla^2_{xy} g", "mixed second derivative of g", "f x^-2", text="∇²_xy g"),
    Symbol("H", "H", "inverse of the second derivative of g in y, or its estimate"),
    Symbol("hessian_g", r"\nabla^2_{yy} g", "second derivative of g in y", "f x^-2", text="∇²_yy g"),
)

NOTATION = ALGORITHM | CONSTANTS | STATE | DERIVATIVES

# Assumptions 1-3, as requirements on the constants that a world computes for itself
ASSUMPTIONS = (
    Assumption(
        id="assumption-1",
        title="Strong convexity",
        source="Section 3, Assumption 1",
        sentence="Every sample g(x, .; zeta) is mu-strongly convex, for any x.",
        constants={"mu": 0.0},
        strict=True,
    ),
    Assumption(
        id="assumption-2",
        title="Smoothness",
        source="Section 3, Assumption 2",
        sentence="Every sample of f is L_0-Lipschitz; the gradients of f and g are L_1-Lipschitz; the mixed second "
        "derivative of g is L_21-Lipschitz and its second derivative in y is L_22-Lipschitz.",
        constants={"L_0": 0.0, "L_1": 0.0, "L_21": 0.0, "L_22": 0.0},
    ),
    Assumption(
        id="assumption-3",
        title="Bounded variance",
        source="Section 3, Assumption 3",
        sentence="E||grad g(x, y) - grad g(x, y; zeta)||^2 <= sigma^2.",
        constants={"sigma": 0.0},
    ),
)


def _constant(left: Any, title: str, right: Any) -> Definition:
    """What is printed below Assumption 3, a constant or its square."""
    id = f"constant.{left.as_base_exp()[0]}"
    return Definition(id=id, title=title, source="Section 3, below Assumption 3", left=left, right=right)


# Smoothness of Phi and of its estimators, second moment, bias
DEFINITIONS = (
    _constant(
        L_Phi,
        "Phi is L_Phi-smooth",
        L_1
        + (2 * L_1**2 + L_21 * L_0**2) / mu
        + (L_22 * L_1 * L_0 + L_1**3 + L_12 * L_0 * L_1) / mu**2
        + L_22 * L_1**2 * L_0 / mu**3,
    ),
    _constant(
        L_hat**2,
        "mean-square Lipschitz constant of the stochastic hypergradient",
        2 * L_1**2
        + 4 * theta**2 * L_0**2 * L_21**2 * (Q + 1) ** 2
        + 8 * theta**2 * L_1**4 * (Q + 1) ** 2
        + 2 * theta**4 * L_0**2 * L_1**2 * L_22**2 * Q**2 * (Q + 1) ** 2,
    ),
    _constant(
        L_tilde,
        "how far the hypergradient at y is from the one at y*(x), per unit of y - y*(x)",
        L_1 + L_1**2 / mu + L_0 * L_21 / mu + L_0 * L_1 * L_22 / mu**2,
    ),
    _constant(
        G,
        "second moment of the stochastic hypergradient",
        2 * L_0**2
        + 12 * theta**2 * L_0**2 * L_1**2 * (Q + 1) ** 2
        + 4 * theta**4 * L_0**2 * L_1**2 * (Q + 2) * (Q + 1) ** 2 * sigma**2,
    ),
    _constant(Delta_Q, "bias of the Neumann sum after Q terms", (1 - theta * mu) ** (Q + 1) * L_0 * L_1 / mu),
)
