"""Algorithm 2: the solver LocalBSGVRM does what the printed lines say, to the last coefficient.

    u_0 = mean of B samples h_0(x_0, y_0)        v_0 = mean of B samples g_0(x_0, y_0)
    u_t = (1 - alpha eta_{t-1}^2) (u_{t-1} - h_t(x_{t-1}, y_{t-1})) + h_t(x_t, y_t)
    v_t = (1 - beta eta_{t-1}^2) (v_{t-1} - g_t(x_{t-1}, y_{t-1})) + g_t(x_t, y_t)
    x_{t+1} = x_t - rho_1 eta_t u_t              y_{t+1} = y_t - rho_2 eta_t v_t
    if p divides t + 1: u, v, x and y are replaced by their means over the K devices

One sample h_t serves both points, and so does one g_t. The claim is checked as that on Algorithm 1 is, with a step size
that stands still at first and then decays, and with three readings of what a synchronisation averages.
"""

from typing import Any

from ratecert.papers.federated_bilevel.evidence.pseudocode.claim import claim
from ratecert.papers.federated_bilevel.evidence.pseudocode.comparing import case, world

ID = "algorithm-2"
# eta_0 is held up by the floor, eta_1 > eta_2 > ... are not
DECAYING = {"scale": 0.9, "offset": 2.0, "floor": 2.5}
STEPS: dict[str, Any] = {"alpha": 1.5, "beta": 1.2, "rho_1": 0.7, "rho_2": 0.9, "theta": 0.45}
LOCAL = {**STEPS, "eta": DECAYING, "momenta": "carry", "previous": "local"}
AVERAGED = {**LOCAL, "previous": "averaged"}
FRESH = {**LOCAL, "momenta": "fresh"}
CONSTANT = {**LOCAL, "eta": 0.6}
ALL = ("sigma_H", "sigma_J", "s_f", "s_g")

QUICK = (
    case(ID, world(1, 2, "sigma_H"), K=2, T=3, p=2, Q=1, B=1, **LOCAL),
    case(ID, world(1, 2, "sigma_H"), K=1, T=3, p=3, Q=2, B=2, **CONSTANT),
    case(ID, world(1, 2, "sigma_J"), K=2, T=3, p=2, Q=1, B=1, **AVERAGED),
    case(ID, world(2, 1, "s_f"), K=1, T=3, p=1, Q=1, B=2, **LOCAL),
    case(ID, world(2, 1, "s_g"), K=3, T=4, p=3, Q=2, B=1, **FRESH),
    case(ID, world(2, 1, "sigma_H"), K=2, T=3, p=2, Q=1, B=1, **FRESH),
)
MORE = (
    case(ID, world(1, 2, "sigma_H"), K=2, T=3, p=2, Q=2, B=1, **AVERAGED),
    case(ID, world(1, 2, "sigma_H"), K=3, T=3, p=2, Q=1, B=1, **LOCAL),
    case(ID, world(1, 2, "sigma_H"), K=2, T=3, p=1, Q=1, B=2, **LOCAL),
    case(ID, world(1, 2, "sigma_J"), K=2, T=4, p=3, Q=2, B=1, **LOCAL),
    case(ID, world(2, 1, "sigma_J"), K=2, T=3, p=2, Q=1, B=2, **FRESH),
    case(ID, world(2, 1, "s_g"), K=3, T=4, p=3, Q=1, B=2, **CONSTANT),
    case(ID, world(2, 1, "s_f"), K=2, T=2, p=1, Q=1, B=2, **AVERAGED),
    case(ID, world(2, 1, *ALL), K=1, T=2, p=1, Q=1, B=1, **LOCAL),
)
LONG = tuple(
    case(ID, world(2, 3), K=1, T=T, p=p, Q=Q, B=B, **solver)
    for T, p, Q, B in ((1, 1, 1, 3), (10, 4, 5, 1), (12, 4, 2, 7), (10**6, 7, 3, 100))
    for solver in (LOCAL, AVERAGED, FRESH)
)


CLAIMS = (
    claim(
        ID,
        "LocalBSGVRM has the expectations and the costs of the printed Algorithm 2, in all readings of it.",
        quick=QUICK,
        more=MORE,
        long=LONG,
    ),
)
