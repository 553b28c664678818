"""Two levels: y follows y*(x) where x rests. Let x move, by a hypergradient, and say what that costs."""

import ratecert as rc

T, mu, sigma = rc.letters("T mu sigma")
beta = rc.letter("beta", means="step size")
L = rc.letter("L", means="Lipschitz constant of the gradient", of="L_1")
r = rc.letter("r", means="distance of the lower level's start")


def lower_level(x, y, grad, *, beta):
    return x, y - beta * grad.by(rc.contract.LowerGradient(), x, y)


theorem_1 = rc.theorem(
    lower_level,
    measure=rc.measures.tracking().last(),
    bound={"start": (1 - beta * mu) ** T * r**2, "floor": beta * sigma**2 / mu},
    where=[beta <= 1 / L],
)
