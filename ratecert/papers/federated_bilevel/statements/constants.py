"""The constants of Section 3: smoothness of Phi and of its estimators, second moment, bias."""

from ratecert.theory.language.letters import letters
from ratecert.theory.language.statements import Definition

theta, Q = letters("theta Q")
mu, L_0, L_1, L_21, L_22, sigma = letters("mu L_0 L_1 L_21 L_22 sigma")
L_Phi, L_hat, L_tilde, G, Delta_Q, L_12 = letters("L_Phi L_hat L_tilde G Delta_Q L_12")

SOURCE = "Section 3, below Assumption 3"

DEFINITIONS = (
    Definition(
        id="constant.L_Phi",
        title="Phi is L_Phi-smooth",
        source=SOURCE,
        left=L_Phi,
        right=(
            L_1
            + (2 * L_1**2 + L_21 * L_0**2) / mu
            + (L_22 * L_1 * L_0 + L_1**3 + L_12 * L_0 * L_1) / mu**2
            + L_22 * L_1**2 * L_0 / mu**3
        ),
    ),
    Definition(
        id="constant.L_hat",
        title="mean-square Lipschitz constant of the stochastic hypergradient",
        source=SOURCE,
        left=L_hat**2,
        right=(
            2 * L_1**2
            + 4 * theta**2 * L_0**2 * L_21**2 * (Q + 1) ** 2
            + 8 * theta**2 * L_1**4 * (Q + 1) ** 2
            + 2 * theta**4 * L_0**2 * L_1**2 * L_22**2 * Q**2 * (Q + 1) ** 2
        ),
    ),
    Definition(
        id="constant.L_tilde",
        title="how far the hypergradient at y is from the one at y*(x), per unit of y - y*(x)",
        source=SOURCE,
        left=L_tilde,
        right=L_1 + L_1**2 / mu + L_0 * L_21 / mu + L_0 * L_1 * L_22 / mu**2,
    ),
    Definition(
        id="constant.G",
        title="second moment of the stochastic hypergradient",
        source=SOURCE,
        left=G,
        right=(
            2 * L_0**2
            + 12 * theta**2 * L_0**2 * L_1**2 * (Q + 1) ** 2
            + 4 * theta**4 * L_0**2 * L_1**2 * (Q + 2) * (Q + 1) ** 2 * sigma**2
        ),
    ),
    Definition(
        id="constant.Delta_Q",
        title="bias of the Neumann sum after Q terms",
        source=SOURCE,
        left=Delta_Q,
        right=(1 - theta * mu) ** (Q + 1) * L_0 * L_1 / mu,
    ),
)
