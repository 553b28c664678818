"""The controls of a method: its devices and its hyperparameters, with where they begin and how far they reach."""

from typing import Any

from ratecert.explore.controls import Control
from ratecert.explore.worlds import MOST_DEVICES, MOST_UNLIKE

NEST = {"tau": 2, "T_in": 1}  # shorter iterations, quicker answers
FURTHER: dict[str, dict[str, Any]] = {
    "FedNest": NEST,
    "LFedNest": NEST,
    "LocalBSGVRM": {"B": 1},
    "TTSA": {"alpha": 0.02, "beta": 0.1},
    "FedAvg": {"m": 1},
    "FedProx": {"m": 1},
}
MOST = {"B": 10**15, "p": 10**6, "Q": 256, "N": 32}  # of counts
STEPPED = 16  # of other counts at most, because their steps are gone through one by one
SAYS = {
    "p": "steps between averages",
    "Q": "terms of the Neumann sum",
    "N": "largest number of terms of the Neumann sum",
    "theta": "step of the Neumann sum",
    "eta": "step size",
    "alpha": "step or weight α",
    "beta": "step or weight β",
    "rho_1": "how far x moves along its momentum",
    "rho_2": "how far y moves along its momentum",
    "B": "batch of the first step",
}


def devices(differ: bool) -> Control:
    most, least = (MOST_UNLIKE, 2) if differ else (MOST_DEVICES, 1)
    return Control(
        name="K", value=3 if differ else 4, low=least, high=most, whole=True, says="devices", group="run"
    )


def hyperparameter(name: str, value: Any) -> Control:
    says = SAYS.get(name, "")
    if isinstance(value, int):
        return Control(name=name, value=value, low=1, high=MOST.get(name, STEPPED), whole=True, says=says)
    if name == "p":  # ProxSkip and PAGE draw their rounds
        return Control(name=name, value=value, low=0.01, high=1.0, linear=True, says="chance of a round")
    return Control(name=name, value=value, low=1e-18, high=1e8, says=says)
