"""What a device spends over T iterations, counted by hand from the printed lines.

An estimate of (u, v) draws one xi for f and, of g, one zeta for grad_xy g, Q for the factors of the Neumann sum and one
for v; at one point it takes Q Hessian- and one Jacobian-vector product. There is a round after every p-th iteration, in
which a device sends x, y, u and v.

    Algorithm 1   T estimates, each at one point
    Algorithm 2   B estimates at one point at t = 0, then T - 1, each at two points

With momenta="fresh" an iteration ends with the next u and v, so that there is one estimate more: u_T and v_T. The
printed upload asks for them where p divides T. With previous="averaged" the previous x and y are sent as well.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ratecert.claim.claim import Json
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.evidence.pseudocode.comparing import solver_of
from ratecert.solvers.contract.counts import count


def counted(*, case: Json) -> list[Json]:
    """The solver's own counts and the counts by hand, kind by kind; all are whole numbers."""
    own = asdict(count(build(case["world"]), solver_of(case), case["T"]))
    hand = by_hand(**case["solver"], d=case["world"]["d_x"] + case["world"]["d_y"], T=case["T"])
    return [{"kind": kind, "counted": own[kind], "by hand": hand[kind]} for kind in sorted(hand)]


def by_hand(
    *, T: int, d: int, p: int, Q: int, B: int = 0, momenta: str, previous: str = "local", **_steps: Any
) -> Mapping[str, int]:
    """B = 0 is Algorithm 1; d = d_x + d_y."""
    later = T if momenta == "fresh" else T - 1  # estimates after the first iteration's
    first = B or 1
    points = first + (2 * later if B else later)
    vectors = 3 if B and momenta == "carry" and previous == "averaged" else 2
    return {
        "samples_f": first + later,
        "samples_g": (Q + 2) * (first + later),
        "hessian_products": Q * points,
        "jacobian_products": points,
        "rounds": T // p,
        "floats_sent": vectors * d * (T // p),
    }
