"""The charts of derived corollaries: the bound along the scalings, and what is left of it without the claimed powers.

Against log N a power of the logarithm is a straight line, so the second panel shows what the print hides.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from ratecert.claim.chart import Chart, Panel, Series, Triangle
from ratecert.claim.claim import Json

DEVICES = 1000.0  # of the second curve
NEAR = tuple(math.log(10) * e for e in range(4, 101, 8))  # log N
DISTANT = tuple(10.0**e for e in range(2, 16))  # log N of the second panel


def large_parameter(derived: Json) -> tuple[str, str]:
    """In mathtext and in plain text."""
    return (r"$1/\epsilon$", "1/eps") if derived["large"] == "eps" else ("$T$", "T")


def derivation_chart(derived: Json, one: Json, many: Json, distant: Json) -> Chart:
    claim, found = derived["claim"], derived["leading"]
    N = large_parameter(derived)[1]
    forgiven = "" if derived["keeps_logs"] else " up to logarithms"
    return Chart(
        caption=f"The bound of {derived['theorem']} ({derived['variant']}) along {derived['corollary']}, with the "
        f"claimed order through its last point; and what is left of it without the claimed powers of {N} and K, "
        f"which grows as the power {found['log']:g} of the logarithm, claimed is {claim['log']:g}{forgiven}.",
        panels=[_near_panel(derived, one, many), _far_panel(derived, distant)],
    )


def _near_panel(derived: Json, one: Json, many: Json) -> Panel:
    series = []
    for colour, (curve, K) in enumerate(((one, "1"), (many, "1000"))):
        N = [math.exp(s) for s in curve["log_N"]]
        claimed = [s * derived["claim"]["N"] + derived["claim"]["log"] * math.log(s) for s in curve["log_N"]]
        shift = curve["bound"][-1] - claimed[-1]
        order = _exp([c + shift for c in claimed])
        series += [
            Series(label=f"bound, K = {K}", x=N, y=_exp(curve["bound"]), kind="bound", colour=colour),
            Series(label=f"claimed, K = {K}", x=N, y=order, kind="predicted", colour=colour),
        ]
    start = DEVICES ** (1 / float(Fraction(derived["edges"][-1])))
    middle = len(NEAR) // 2
    slope = derived["claim"]["N"]
    return Panel(
        title="bound",
        x_label=large_parameter(derived)[0],
        y_label="bound",
        series=series,
        triangles=[
            Triangle(x=math.exp(NEAR[middle]), y=math.exp(one["bound"][middle] + 12), slope=slope,
                     label=str(Fraction(slope).limit_denominator(12)), factor=1e20)
        ],
        window=(start, math.exp(NEAR[-1])),
        window_label="K = 1000: $p \\geq 1$",
    )  # fmt: skip


def _far_panel(derived: Json, distant: Json) -> Panel:
    found, claim = derived["leading"]["log"], derived["claim"]["log"]
    s, rest = distant["log_N"], distant["rest"]
    anchor = -1 if found == claim else 0  # through the last point if the bound should come to follow it
    claimed = [rest[anchor] + claim * math.log(each / s[anchor]) for each in s]
    middle = len(s) // 2
    triangle = Triangle(
        x=s[middle], y=math.exp(rest[middle - 2]), slope=found, label=f"{found:g}", factor=100.0
    )
    return Panel(
        title="without the claimed powers",
        x_label=rf"$\log$ {large_parameter(derived)[0]}",
        y_label="bound / claimed powers",
        series=[
            Series(label="bound, K = 1", x=s, y=_exp(rest), kind="bound"),
            Series(label="claimed", x=s, y=_exp(claimed), kind="predicted", colour=1),
        ],
        triangles=[triangle] if found else [],
    )


def _exp(values: Sequence[float]) -> list[float]:
    return [math.exp(value) for value in values]
