"""Algorithm 1: the solver LocalBSGM does what the printed lines say, to the last coefficient.

    u_0 = h_0(x_0, y_0)                                         v_0 = g_0(x_0, y_0)
    u_t = (1 - alpha eta) u_{t-1} + alpha eta h_t(x_t, y_t)     v_t = (1 - beta eta) v_{t-1} + beta eta g_t(x_t, y_t)
    x_{t+1} = x_t - rho_1 eta u_t                               y_{t+1} = y_t - rho_2 eta v_t
    if p divides t + 1: u, v, x and y are replaced by their means over the K devices

h_t is the stochastic hypergradient with Q Hessian samples, g_t a sample of grad_y g. On small worlds every outcome of
the noise can be sent through the printed lines, so that the expectations are known to rounding; those of the solver
have to be the same (comparing.py). So have the costs of longer runs, which are counted by hand (claim.py).

One source of noise per case allows several devices and iterations; all sources at once fit a single device.
"""

from typing import Any

from ratecert.papers.federated_bilevel.evidence.pseudocode.claim import claim
from ratecert.papers.federated_bilevel.evidence.pseudocode.comparing import case, world

ID = "algorithm-1"
STEPS: dict[str, Any] = {"eta": 0.5, "alpha": 1.5, "beta": 1.2, "rho_1": 0.7, "rho_2": 0.9, "theta": 0.45}
CARRY, FRESH = {**STEPS, "momenta": "carry"}, {**STEPS, "momenta": "fresh"}
ALL = ("sigma_H", "sigma_J", "s_f", "s_g")

QUICK = (
    case(ID, world(1, 2, "sigma_H"), K=2, T=3, p=2, Q=1, **CARRY),
    case(ID, world(1, 2, "sigma_H"), K=1, T=4, p=3, Q=2, **CARRY),
    case(ID, world(1, 2, "sigma_J"), K=2, T=3, p=2, Q=1, **FRESH),
    case(ID, world(2, 1, "s_f"), K=2, T=2, p=1, Q=1, **CARRY),
    case(ID, world(2, 1, "s_g"), K=3, T=4, p=3, Q=2, **FRESH),
    case(ID, world(2, 1, *ALL), K=1, T=2, p=1, Q=1, **CARRY),
)
MORE = (
    case(ID, world(1, 2, "sigma_H"), K=2, T=3, p=2, Q=2, **CARRY),
    case(ID, world(1, 2, "sigma_H"), K=3, T=3, p=2, Q=1, **CARRY),
    case(ID, world(1, 2, "sigma_H"), K=2, T=3, p=2, Q=1, **FRESH),
    case(ID, world(2, 1, "sigma_H", "sigma_J"), K=1, T=3, p=2, Q=1, **FRESH),
    case(ID, world(1, 2, "sigma_J"), K=2, T=4, p=3, Q=2, **CARRY),
    case(ID, world(2, 1, "s_f"), K=2, T=3, p=2, Q=1, **CARRY),
    case(ID, world(1, 2, "s_g"), K=3, T=3, p=1, Q=1, **CARRY),
    case(ID, world(1, 2, "s_f", "s_g"), K=1, T=3, p=2, Q=2, **FRESH),
)
LONG = tuple(
    case(ID, world(2, 3), K=1, T=T, p=p, Q=Q, **solver)
    for T, p, Q in ((1, 1, 1), (10, 4, 5), (12, 4, 2), (10**6, 7, 3))
    for solver in (CARRY, FRESH)
)


CLAIMS = (
    claim(
        ID,
        "LocalBSGM has the expectations and the costs of the printed Algorithm 1, in both readings of it.",
        quick=QUICK,
        more=MORE,
        long=LONG,
    ),
)
