"""Where the explorer begins for a claim: the run to look at, in the names and numbers of its sliders.

A claim is named by its id, or with all others on its statement: `theorem-1` stands for every claim on Theorem 1. Claims
that are named nowhere here are about no run: algebra, estimators at one point, scans over all worlds.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ratecert.papers.federated_bilevel.evidence.speedup.settings import SCALAR, THETA, UNITS, WORLDS
from ratecert.papers.federated_bilevel.evidence.theorems.grid import NEARLY, TheoremSetting
from ratecert.papers.federated_bilevel.evidence.theorems.tightness import steps_of
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.scalings import along
from ratecert.solvers import LocalBSGVRM
from ratecert.theory.language.statements import Corollary

STEPS = ("alpha", "beta", "rho_1", "rho_2", "theta")
LONG = 2**40
ACCURACY = 2.0**-8  # eps of Corollaries 2, 4 and 6
DEVICES = 16
PERIOD = 16
FEW = 4  # terms of a series whose bias is to be seen
MANY = 200  # terms that leave nothing to be seen
QUIET = {"s_f": 0.0, "s_g": 0.0}
FIRM = {"alpha": 40.0, "beta": 40.0}  # momenta that follow fast enough for short steps
AT_REST = {"world": "devices", "dial": 0.6, **QUIET, "T": LONG, "view": "now"}


@dataclass(frozen=True)
class Beginning:
    title: str
    given: Mapping[str, Any]
    claims: tuple[str, ...]


def beginnings() -> Iterator[Beginning]:
    """Theorems at their largest steps, corollaries along their scalings, then what the claims beside them are about."""
    first, second, third = (_largest(f"theorem-{number}") for number in (1, 2, 3))
    yield Beginning("Theorem 1 at its largest steps", first, ("theorem-1",))
    yield Beginning("Theorem 2 at its largest steps", second, ("theorem-2",))
    yield Beginning("Theorem 3 while its step is constant", third, ("theorem-3",))
    for number, others in enumerate(BESIDE, 1):
        title = f"Along Corollary {number}, K = {DEVICES}"
        decays = ", while its step is constant" if number > 4 else ""
        yield Beginning(title + decays, _along(f"corollary-{number}"), (f"corollary-{number}", *others))
    yield from BY_HAND


BESIDE = (
    ("linear-speedup.corollary-1", "delta-q.terms", "delta-q.unit-1"),
    ("remark-1", "table-1", "communication-period.rounds-to-eps"),
    ("linear-speedup.corollary-3",),
    ("remark-2",),
    ("linear-speedup.corollary-5",),
    ("remark-4",),
)
"""Claims that are about the same runs as those on Corollary 1, 2, ..."""

BY_HAND = (
    Beginning(
        f"A floor: {FEW} terms of the Neumann sum, no noise",
        {
            "show": "LocalBSGM",
            "bound": "none",
            "Q": FEW,
            "centre": 1.0,
            "world": "quadratic",
            **QUIET,
            "T": LONG,
        },
        ("delta-q", "delta-q.floor"),
    ),
    Beginning(
        f"Rounds of {PERIOD} steps, devices that are alike",
        {"show": "LocalBSGM", "bound": "none", "p": PERIOD, "T": LONG},
        ("communication-period.invariance", "communication-period.drift"),
    ),
    Beginning(
        f"Rounds of {PERIOD} steps, devices that differ",
        {"show": "LocalBSGM", "bound": "none", "Q": MANY, "p": PERIOD, "eta": 0.005, **FIRM, **AT_REST},
        ("communication-period.excess", "communication-period.largest-p"),
    ),
)


def _largest(id: str) -> dict[str, Any]:
    """T of Theorem 3 is where its step begins to decay."""
    setting = TheoremSetting(world={"world": "scalar", "L_1": 1.5, "s_f": 0.5, "s_g": 0.5}, K=4, p=4, T=LONG)
    fractions = {} if id == "theorem-3" else {"eta": NEARLY}
    inside = steps_of(id, paper("repaired"), replace(setting, fractions=fractions), setting.problem())
    values = {name: inside.values[name] for name in STEPS}
    eta = inside.values.get("eta", inside.largest_eta)
    method = "LocalBSGM" if id == "theorem-1" else "LocalBSGVRM"
    given = {"show": method, "bound": f"{id}.repaired", "L_1": 1.5, "K": 4, "p": 4, "x_off": 0.0, "eta": eta}
    return {**given, **values, "Q": round(inside.values["Q"]), "T": _constant(inside.schedule) or LONG}


def _along(id: str) -> dict[str, Any]:
    """T of Corollaries 5 and 6 is where their step begins to decay."""
    corollary = paper().the(Corollary, id)
    asked: dict[str, Any] = {"eps": ACCURACY} if "T" in corollary.scalings else {"T": LONG}
    run = along(id, K=DEVICES, **asked, theta=THETA, units=UNITS[id])
    names = (*STEPS, "p", "Q", "B") if isinstance(run.solver, LocalBSGVRM) else (*STEPS, "p", "Q")
    given = {"show": type(run.solver).__name__, "K": run.K, "eta": float(run.solver.step_size(0))}
    given |= {"bound": f"{corollary.theorem}.printed"} | {name: getattr(run.solver, name) for name in names}
    step = run.solver.schedule
    return {**given, "T": _constant(vars(step)) or run.T, "L_1": WORLDS[SCALAR]["L_1"]}


def _constant(step: Mapping[str, float]) -> int:
    """The iterations for which scale/max(offset + t, floor)^(1/3) is constant; 0 of a step without a floor."""
    return math.floor(step["floor"] - step["offset"]) if "floor" in step else 0
