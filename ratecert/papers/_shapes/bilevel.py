"""Two levels: x moves by a hypergradient h, and y follows y*(x); this is how far behind it stays.

One step of y contracts by 1 - beta mu, and y*(x) moves by at most (L/mu) eta ||h||, of which (L/mu) (1 + L/mu) times a
gradient of f is a bound.
"""

import ratecert as rc

T, mu, sigma = rc.letters("T mu sigma")
eta, beta = (rc.letter(name, means="step size") for name in ("eta", "beta"))
L = rc.letter("L", means="Lipschitz constant of the gradient", of="L_1")
M = rc.letter("M", means="Lipschitz constant of f", units="f x^-1", of=rc.statements.Within("L_0"))
s = rc.letter("s", means="standard deviation of a sample of f", units="f x^-1", of="sigma_f")
r = rc.letter("r", means="distance of the lower level's start")


def two_levels(x, y, grad, *, eta, beta):
    h = grad.by(rc.contract.StochasticNeumann(theta=beta, Q=4), x, y)
    return x - eta * h, y - beta * grad.by(rc.contract.LowerGradient(), x, y)


moved = (L / mu * (1 + L / mu) * eta) ** 2 * (M**2 + s**2)
theorem_1 = rc.theorem(
    two_levels,
    measure=rc.measures.tracking().last(),
    bound=(1 - beta * mu) ** T * r**2 + 2 * beta * sigma**2 / mu + 2 * moved / (beta * mu) ** 2,
    where=[beta <= 1 / L, eta <= 1 / (L * (1 + L / mu) ** 2)],
)
