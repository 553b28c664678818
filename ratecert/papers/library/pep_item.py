"""The information-theoretic exact method, ITEM, as PEPit 0.5.1 documents it.

The source is information_theoretic_exact_method of unconstrained_convex_minimization. The docstring gives beta_{t+1}
and delta_{t+1} of A_t and A_{t+1}, and uses beta_t and delta_t in iteration t; the code has no such shift. To the
letter delta_0 is missing: it is read as delta_1, the best that there is for one step.
"""

from dataclasses import dataclass
from typing import Any

import ratecert as rc
from ratecert.base.errors import UserError
from ratecert.base.exact import root
from ratecert.papers.pep import SMOOTH, L, R, mu, n  # noqa: F401  n counts the iterations
from ratecert.papers.pep.table import pepit

PAPER = rc.about(
    "PEPit 0.5.1: the information-theoretic exact method",
    certainty="note",
    edition="here that of PEPit 0.5.1",
)


def A_of(setting):
    """A_n by its recursion."""
    constants, A = setting.constants, 0.0
    q = constants["mu"] / constants["L"]
    if q >= 1:
        raise UserError("ITEM needs mu < L.")
    for _ in range(setting.T):
        A = ((1 + q) * A + 2 * (1 + root((1 + A) * (1 + q * A)))) / (1 - q) ** 2
    return A


q = rc.define("q", mu / L, units="1", id="q", title="Inverse condition", source="Algorithm")
A_n = rc.letter("A_n", means="the n-th of ITEM's numbers", units="1", of=A_of, latex="A_n")


@dataclass(frozen=True)
class Late:
    """A coefficient of ITEM one iteration late."""

    own: Any

    only_whole, constant_until = True, 0.0

    def __call__(self, t: float) -> float:
        late: float = self.own(max(t - 1, 0))
        return late

    @property
    def largest(self) -> float:
        """A bound on all of them."""
        return float(self.own.largest)


@dataclass(frozen=True, kw_only=True)
class LateITEM(rc.methods.ITEM):
    """ITEM with beta_t and delta_t of the iteration before."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("beta", "delta"):
            object.__setattr__(self, name, Late(getattr(self, name)))


STEPS = (
    "y_t = (1 - beta_t) z_t + beta_t x_t, x_{{t+1}} = y_t - grad f(y_t)/L, z_{{t+1}} = (1 - q delta_t) z_t + "
    "q delta_t y_t - delta_t grad f(y_t)/L, x_0 = z_0; A_0 = 0, A_{{t+1}} = ((1 + q) A_t + 2 (1 + sqrt((1 + A_t)(1 + q "
    "A_t))))/(1 - q)^2, beta_{0} = A_t/((1 - q) A_{{t+1}}), delta_{0} = ((1 - q)^2 A_{{t+1}} - (1 + q) A_t)/(2 (1 "
    "+ q + q A_t))"
)
FILE = "unconstrained_convex_minimization/information_theoretic_exact_method"
CODE = "unconstrained_convex_minimization.wc_information_theoretic"
ENDS = {"L": (1.0, 1.0, 2.0), "mu": (0.1, 0.01, 0.5), "n": (2, 5, 4)}
item = rc.theorem(
    LateITEM,
    hyperparameters={"alpha": 1 / L, "q": q},
    measure=rc.measures.distance("z").last(),
    bound=1 / (1 + q * A_n) * R**2,
    assuming=[SMOOTH],
    worlds=["quadratics"],
    title="ITEM with the docstring's indices",
    steps=STEPS.format("{t+1}"),
    because="beta and delta of the docstring are those of the next step, by its own recursion and by the code; "
    "delta_0, which the docstring leaves open, is read as delta_1",
    **pepit(FILE, "late_item", unit=R**2, **ENDS),
)
item_code = item.restated(
    step=rc.methods.ITEM,
    title="ITEM, as the code has it",
    steps=STEPS.format("t"),
    **pepit(FILE, CODE, unit=R**2, **ENDS),
)
