"""The federated methods, what each of them averages, and the place where that makes it rest.

One number `step` scales all step sizes of a method, so that step -> 0 means the same for all. `p` is the number of
local steps before an average; FEDNEST and LFedNest call it tau. With T terms, Q = T - 1 or N = T.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ratecert.papers.federated_bilevel.evidence.at_rest.places import X_LOCAL, X_OWN, X_STAR, Place
from ratecert.solvers import ALGORITHMS, name_of


@dataclass(frozen=True)
class Federated:
    algorithm: str
    place: Place
    averaged: str  # what devices share, in words
    arguments: Mapping[str, Any]
    scaled: Mapping[str, float] = field(default_factory=lambda: {"eta": 1.0})  # steps, in units of `step`
    period: str = "p"
    terms: tuple[str, int] | None = ("Q", -1)  # name of the number of terms, and what is to be added to it
    reading: str = ""


_MOMENTA: dict[str, Any] = {"alpha": 8.0, "beta": 4.0, "rho_1": 0.1, "rho_2": 0.3}
_STORM: dict[str, Any] = {"c_nu": 8.0, "c_w": 4.0}
_NEST: dict[str, Any] = {
    "arguments": {"T_in": 1}, "scaled": {"alpha": 0.2, "beta": 2.0}, "period": "tau", "terms": ("N", 0)
}  # fmt: skip


def _variance_reduced(reading: str, averaged: str = "x, y, momenta", **chosen: str) -> Federated:
    return Federated("LocalBSGVRM", X_LOCAL, averaged, {**_MOMENTA, **chosen}, reading=reading)


METHODS: dict[str, Federated] = {
    "LocalBSGM": Federated("LocalBSGM", X_LOCAL, "x, y, momenta", _MOMENTA),
    "LocalBSGVRM": _variance_reduced("as printed"),
    "LocalBSGVRM, averaged": _variance_reduced(
        "previous points averaged", "x, y, momenta, previous points", previous="averaged"
    ),
    "LocalBSGVRM, fresh": _variance_reduced("fresh momenta", momenta="fresh"),
    "LocalSGD": Federated("LocalSGD", X_LOCAL, "x, y", {"rho_1": 0.1, "rho_2": 0.3}),
    "LFedNest": Federated("LFedNest", X_LOCAL, "x, y", **_NEST),
    "FedNest": Federated("FedNest", X_STAR, "x, y, grad_y g, every product of the series, h", **_NEST),
    "FedBiOAcc": Federated("FedBiOAcc", X_OWN, "x, its momentum", {**_STORM, "lam": 0.1, "gamma": 0.3}),
    "FedBiOAccGlobal": Federated(
        "FedBiOAccGlobal",
        X_STAR,
        "x, y, r, momenta",
        {**_STORM, "c_q": 3.0, "lam": 0.05, "gamma": 0.5, "tau": 0.5},
        terms=None,
    ),
}


def at(place: Place) -> list[str]:
    """The methods that are predicted to rest there."""
    return [method for method, known in METHODS.items() if known.place == place]


def shown(method: str) -> str:
    """What a reader sees for one of METHODS: reconstructed ones are marked."""
    algorithm = METHODS[method].algorithm
    return method.replace(algorithm, name_of(ALGORITHMS[algorithm]))


def solver_of(method: str, *, p: int, step: float, theta: float, terms: int) -> Any:
    """The method with these settings; one without a series ignores theta and terms."""
    known = METHODS[method]
    arguments = dict(known.arguments) | {name: unit * step for name, unit in known.scaled.items()}
    if known.terms is not None:
        name, more = known.terms
        arguments |= {"theta": theta, name: terms + more}
    return ALGORITHMS[known.algorithm](**arguments, **{known.period: p})


def not_federated() -> dict[str, str]:
    """The algorithms of the package that are not in METHODS, and why."""
    federated = {known.algorithm for known in METHODS.values()}
    return {name: _why(name) for name in ALGORITHMS if name not in federated}


def _why(name: str) -> str:
    if getattr(ALGORITHMS[name], "one_machine", False):
        return "one machine: it sees no devices"
    return {"STEM": "no lower level"}.get(name, "no place has been derived for it")
