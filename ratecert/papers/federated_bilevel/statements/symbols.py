"""The notation of the paper. x and y share the unit x, f and g share the unit f, because they share L_1."""

from ratecert.theory.language.symbols import Symbol, table

ALGORITHM = table(
    Symbol("K", "K", "number of devices", units="1", least=1),
    Symbol("T", "T", "number of iterations", units="1", least=1),
    Symbol("p", "p", "communication period", units="1", least=1),
    Symbol("eta", r"\eta", "step size"),
    Symbol("alpha", r"\alpha", "momentum parameter of the upper level"),
    Symbol("beta", r"\beta", "momentum parameter of the lower level"),
    Symbol("rho_1", r"\rho_1", "step of x in units of eta"),
    Symbol("rho_2", r"\rho_2", "step of y in units of eta"),
    Symbol("theta", r"\theta", "step of the Neumann sum"),
    Symbol("Q", "Q", "Hessian samples in the Neumann sum", units="1", least=0),
    Symbol("B", "B", "batch of the first iteration", units="1", least=1),
)

CONSTANTS = table(
    Symbol("mu", r"\mu", "strong convexity of the lower level", units="f x^-2"),
    Symbol("L_0", "L_0", "Lipschitz constant of f", units="f x^-1"),
    Symbol("L_1", "L_1", "Lipschitz constant of the gradients of f and g", units="f x^-2"),
    Symbol("L_21", "L_{21}", "Lipschitz constant of the mixed second derivative of g", units="f x^-3"),
    Symbol("L_22", "L_{22}", "Lipschitz constant of the second derivative of g in y", units="f x^-3"),
    Symbol("sigma", r"\sigma", "standard deviation of the gradient of g", units="f x^-1"),
    Symbol("sigma_f", r"\sigma_f", "standard deviation of the gradient of f", units="f x^-1", ours=True),
    Symbol("sigma_H", r"\sigma_H", "standard deviation of the Hessian of g in y", units="f x^-2", ours=True),
    Symbol("L_Phi", r"L_{\Phi}", "smoothness of Phi"),
    Symbol("L_hat", r"\hat{L}", "mean-square smoothness of the stochastic hypergradient", text="Lhat"),
    Symbol("L_tilde", r"\tilde{L}", "sensitivity of the hypergradient to y", text="Ltilde"),
    Symbol("G", "G", "bounds the size of the stochastic hypergradient"),
    Symbol("Delta_Q", r"\Delta_Q", "bias of the truncated Neumann sum"),
)

START = table(
    Symbol(
        "Phi_gap",
        r"(\Phi(x_0)-\Phi(x_*))",
        "how far Phi can fall from the start",
        units="f",
        text="(Φ(x₀) - Φ(x*))",
    ),
    Symbol(
        "y_gap", r"\|\bar{y}_0-y^*(\bar{x}_0)\|", "error of y at the start", units="x", text="‖y₀ - y*(x₀)‖"
    ),
)

TIME = table(
    Symbol("t", "t", "iteration", units="1", least=0),
    Symbol("w", "w_t", "offset of the decaying step", units="1", text="w_t"),
    Symbol("eps", r"\epsilon", "accuracy to be reached", units="f^2 x^-2", text="epsilon"),
)

STATE = table(
    Symbol("x", "x_t", "upper variable", units="x"),
    Symbol("y", "y_t", "lower variable", units="x"),
    Symbol("u", "u_t", "momentum of the upper level", units="f x^-1"),
    Symbol("v", "v_t", "momentum of the lower level", units="f x^-1"),
    Symbol(
        "h",
        r"\hat{\nabla}\Phi(x_t,y_t;\hat{\xi}_t)",
        "stochastic hypergradient",
        units="f x^-1",
        text="h(x_t, y_t; ξ_t)",
    ),
    Symbol(
        "g_y",
        r"\nabla_y g(x_t,y_t;\zeta_t)",
        "stochastic gradient of g in y",
        units="f x^-1",
        text="∇_y g(x_t, y_t; ζ_t)",
    ),
    Symbol(
        "h_old",
        r"\hat{\nabla}\Phi(x_{t-1},y_{t-1};\hat{\xi}_t)",
        "the same sample at the previous point",
        units="f x^-1",
        text="h(x_{t-1}, y_{t-1}; ξ_t)",
    ),
    Symbol(
        "g_y_old",
        r"\nabla_y g(x_{t-1},y_{t-1};\zeta_t)",
        "the same sample at the previous point",
        units="f x^-1",
        text="∇_y g(x_{t-1}, y_{t-1}; ζ_t)",
    ),
)

DERIVATIVES = table(
    Symbol("grad_Phi", r"\nabla\Phi", "hypergradient", units="f x^-1", text="∇Φ"),
    Symbol("grad_x_f", r"\nabla_x f", "gradient of f in x", units="f x^-1", text="∇_x f"),
    Symbol("grad_y_f", r"\nabla_y f", "gradient of f in y", units="f x^-1", text="∇_y f"),
    Symbol("jacobian_g", r"\nabla^2_{xy} g", "mixed second derivative of g", units="f x^-2", text="∇²_xy g"),
    Symbol("H", "H", "inverse of the second derivative of g in y, or its estimate"),
    Symbol("hessian_g", r"\nabla^2_{yy} g", "second derivative of g in y", units="f x^-2", text="∇²_yy g"),
)

NOTATION = ALGORITHM | CONSTANTS | START | TIME | STATE | DERIVATIVES
