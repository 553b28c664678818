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
from ratecert.papers.pep.page import SMOOTH, letters, paper, run, theorem

s = rc.statements
L, mu, R, q, A_n = s.letters("L mu R q A_n")

NOTATION = letters(
    "n L mu R",
    s.Symbol("q", "q", "mu/L", units="1"),
    s.Symbol("A_n", "A_n", "the n-th of ITEM's numbers", units="1"),
)
Q = s.Definition(id="q", title="Inverse condition", source="Algorithm", left=q, right=mu / L)
ITEM, ITEM_CODE = (
    theorem(
        *(
            id,
            title,
            "unconstrained_convex_minimization/information_theoretic_exact_method",
            r"\|z_n-x_\star\|^2",
            "x^2",
        ),
        1 / (1 + q * A_n) * R**2,
    )
    for id, title in (
        ("item", "ITEM with the docstring's indices"),
        ("item-code", "ITEM, as the code has it"),
    )
)

STEPS = (
    "y_t = (1 - beta_t) z_t + beta_t x_t, x_{{t+1}} = y_t - grad f(y_t)/L, z_{{t+1}} = (1 - q delta_t) z_t + "
    "q delta_t y_t - delta_t grad f(y_t)/L, x_0 = z_0; A_0 = 0, A_{{t+1}} = ((1 + q) A_t + 2 (1 + sqrt((1 + A_t)(1 + q "
    "A_t))))/(1 - q)^2, beta_{0} = A_t/((1 - q) A_{{t+1}}), delta_{0} = ((1 - q)^2 A_{{t+1}} - (1 + q) A_t)/(2 (1 "
    "+ q + q "
    "A_t))"
)
PRINTED = paper(
    "pep-item",
    "the information-theoretic exact method",
    NOTATION,
    SMOOTH,
    Q,
    ITEM,
    ITEM_CODE,
    steps={id: STEPS.format(index) for id, index in (("item", "{t+1}"), ("item-code", "t"))},
)


def A_of(setting: s.Setting) -> float:
    """A_n by its recursion."""
    constants, A = setting.constants, 0.0
    q = constants["mu"] / constants["L"]
    if q >= 1:
        raise UserError("ITEM needs mu < L.")
    for _ in range(setting.T):
        A = ((1 + q) * A + 2 * (1 + root((1 + A) * (1 + q * A)))) / (1 - q) ** 2
    return A


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


EXACT: dict[str, Any] = {"L": "L", "mu": "mu", "R": "distance", "A_n": A_of}
AT_Z = rc.measures.distance("z").last()
RUNS = {
    "item": run(
        *(LateITEM, {"alpha": 1 / L, "q": q}, AT_Z, EXACT),
        because="beta and delta of the docstring are those of the next step, by its own recursion and by the code; "
        "delta_0, which the docstring leaves open, is read as delta_1",
    ),
    "item-code": run(rc.methods.ITEM, {"alpha": 1 / L, "q": q}, AT_Z, EXACT),
}
