"""The notation: one symbol, one name, everywhere.

Tables are scoped, because papers reuse letters: B is a batch in ALGORITHM and a coupling in WORLD.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Symbol:
    name: str  # as it is written in code
    latex: str  # as it is printed
    meaning: str


def _table(*rows: tuple[str, str, str]) -> dict[str, Symbol]:
    return {row[0]: Symbol(*row) for row in rows}


ALGORITHM = _table(
    ("K", "K", "number of devices"),
    ("T", "T", "number of iterations"),
    ("p", "p", "communication period"),
    ("eta", r"\eta", "step size"),
    ("alpha", r"\alpha", "momentum parameter of the upper level"),
    ("beta", r"\beta", "momentum parameter of the lower level"),
    ("rho_1", r"\rho_1", "step of x in units of eta"),
    ("rho_2", r"\rho_2", "step of y in units of eta"),
    ("theta", r"\theta", "step of the Neumann sum"),
    ("Q", "Q", "Hessian samples in the Neumann sum"),
    ("B", "B", "batch of the first iteration"),
)

CONSTANTS = _table(
    ("mu", r"\mu", "strong convexity of the lower level"),
    ("L_0", "L_0", "Lipschitz constant of f"),
    ("L_1", "L_1", "Lipschitz constant of the gradients of f and g"),
    ("L_21", "L_{21}", "Lipschitz constant of the mixed second derivative of g"),
    ("L_22", "L_{22}", "Lipschitz constant of the second derivative of g in y"),
    ("sigma", r"\sigma", "standard deviation of the gradient of g"),
    ("sigma_f", r"\sigma_f", "standard deviation of the gradient of f; not in the paper"),
    ("sigma_H", r"\sigma_H", "standard deviation of the Hessian of g in y; not in the paper"),
    ("L_Phi", r"L_{\Phi}", "smoothness of Phi"),
    ("L_hat", r"\hat{L}", "mean-square smoothness of the stochastic hypergradient"),
    ("L_tilde", r"\tilde{L}", "sensitivity of the hypergradient to y"),
    ("G", "G", "second moment of the stochastic hypergradient"),
    ("Delta_Q", r"\Delta_Q", "bias of the truncated Neumann sum"),
)

WORLD = _table(
    ("A", "A", "mean Hessian of g in y"),
    ("E", "E", "noise directions of the Hessian"),
    ("B", "B", "mean coupling of the levels"),
    ("F", "F", "noise directions of the coupling"),
    ("c", "c", "lower target"),
    ("P", "P", "curvature of f in x"),
    ("D", "D", "curvature of f in y"),
    ("a", "a", "centre of f in x"),
    ("b", "b", "centre of f in y"),
    ("s_f", "s_f", "additive noise of the gradient of f, per coordinate"),
    ("s_g", "s_g", "additive noise of the gradient of g in y, per coordinate"),
)
