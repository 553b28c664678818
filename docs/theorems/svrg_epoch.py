"""One epoch of SVRG: sampled gradients, corrected by a full one at the snapshot w, which stays at the start."""

import ratecert as rc

eta, mu, Delta = rc.letters("eta mu Delta")
m = rc.letter("m", means="number of iterations")
L = rc.letter("L", means="Lipschitz constant of every term's gradient")


def svrg(x, w="x", G=lambda w, grad: grad.full(w), *, grad, eta):
    return x - eta * (grad(x, sample="i") - grad(w, sample="i") + G), w, G


rho = rc.define("rho", 1 / (mu * eta * (1 - 2 * L * eta) * m) + 2 * L * eta / (1 - 2 * L * eta), units="1")
epoch = rc.theorem(
    svrg,
    measure=rc.measures.gap(),
    bound=rho * Delta,
    where=[eta < 1 / (2 * L), rho < 1],
    source="Johnson and Zhang (2013), Theorem 1, with the mean of the iterates' gaps",
)
