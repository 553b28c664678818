"""Momentum on both levels, and a bound that forgets how far y is from y*(x): false."""

import ratecert as rc

T, eta, Delta = rc.letters("T eta Delta")
L = rc.letter("L", means="Lipschitz constant of the gradient", of=rc.statements.Within("L_1"))
beta = rc.letter("beta", means="weight of the newest sample", units="1")


def momentum(x, y, u=0, v=0, *, grad, eta, beta):
    h = grad.by(rc.contract.StochasticNeumann(theta=1 / 8, Q=4), x, y)
    u = (1 - beta) * u + beta * h
    v = (1 - beta) * v + beta * grad.by(rc.contract.LowerGradient(), x, y)
    return x - eta * u, y - eta * v, u, v


forgetful = rc.theorem(
    momentum,
    measure=rc.measures.gradient(),
    bound=2 * Delta / (eta * T),
    where=[eta <= 1 / L, beta <= 1],
)
