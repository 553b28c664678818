"""L_Phi: grad Phi is L_Phi-Lipschitz.

    printed    L_1 + (2 L_1^2 + L_21 L_0^2)/mu + (L_22 L_1 L_0 + L_1^3 + L_12 L_0 L_1)/mu^2 + L_22 L_1^2 L_0/mu^3
    repaired   L_0 for L_0^2 and L_21 for L_12, which is L_tilde (1 + L_1/mu)

Both bound ||grad Phi(x) - grad Phi(x')|| / ||x - x'||. They differ where L_21 > 0 and L_0 is not 1, so worlds with L_0
far below 1, where the print is smaller, are among those tried: wavy ones on small balls, and a cubic
(evidence/constants/cubic.py). On a scalar world in which under `block` all of L_1 is used, the measured part
tends to 1 with kappa = L_1/mu: the order kappa^2 is attained.
"""

from collections.abc import Callable, Sequence
from functools import partial

from ratecert.claim.chart import Chart, Panel, Series, Triangle
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.constants.cases import (
    Case,
    cases,
    checks,
    measure,
    on_worlds,
    settings,
    table,
)
from ratecert.papers.federated_bilevel.evidence.constants.cubic import measure_cubic
from ratecert.papers.federated_bilevel.evidence.constants.worlds import with_condition

CONDITIONS = (2.0, 5.0, 20.0, 100.0, 1000.0)  # kappa
SLOPES = (1e-3, 1e-2, 0.1, 0.3, 1.0, 3.0, 10.0)  # L_0 of the cubic
CUBIC = {"M": 1e4, "slopes": list(SLOPES), "r": 1e-8}
SMALL = 1e-3  # L_0 = D radius of the wavy worlds
WAVES = (  # B, D, dial and omega radius
    (461.0, 1000.0, 1.17, 0.01),  # all of the print in the limit, by kappa^2
    (0.491, 2.59, 0.585, 9.04),  # the most negative Phi''
    (0.15, 1.0, 3.5, 1.9),  # the print is smallest against the repaired one
)


def pieces(budget: Budget) -> list[Piece]:
    stiff = [
        Piece(measure, {"quantity": "L_Phi", "name": f"kappa = {kappa:g}", "world": with_condition(kappa)})
        for kappa in CONDITIONS
    ]
    small = [_small(i, *wave) for i, wave in enumerate(WAVES, start=1)]
    return [Piece(measure_cubic, CUBIC), *stiff, *small, *on_worlds("L_Phi", budget)]


def _small(number: int, B: float, D: float, dial: float, turns: float) -> Piece:
    """A wavy world on the ball on which L_0 is small."""
    radius = SMALL / D
    world = {"world": "wavy", "B": B, "D": D, "dial": dial, "omega": turns / radius}
    name = f"wavy {number}, L_0 = {SMALL:g}"
    return Piece(measure, {"quantity": "L_Phi", "name": name, "world": world, "radius": radius, "starts": 64})


def judge(values: Sequence[Json], *, variant: str) -> Judgement:
    cubic, others = values[0], values[1:]
    bent, rest = (cases(some, "L_Phi", variant) for some in (cubic, others))
    printed = variant == "printed"
    found = rest + [case for case in bent if case.reading == "joint" or not printed]
    largest = max(found, key=lambda case: case.ratio)
    beyond = max(case.ratio for case in bent if case.reading == "per variable")
    return Judgement(
        checks=checks(found, "L_Phi"),
        regime="pairs of x, near and far, with (x, y*(x)) in the set on which the constants hold; L_1 read as joint "
        "and as block, L_21 and L_22 joint"
        + ("" if printed else "; the cubic also with all of them per variable"),
        settings=settings([*cubic, *others]),
        method="closed form of grad Phi; exact on quadratic worlds and on the cubic, elsewhere a search",
        chart=Chart(
            caption=f"The largest slope of grad Phi against L_Phi, {variant}. Left: both grow like kappa^2, kappa = "
            "L_1/mu, and the constant is attained in the limit. Right: on a cubic lower level the constant exceeds "
            "what is measured if it is made of constants that are Lipschitz in (x, y) together"
            + (
                ", but where L_0 < 1 not if they are so per variable."
                if printed
                else ", and also if per variable."
            ),
            panels=[_over_condition(rest, variant), _over_L_0(bent, variant)],
        ),
        notes=[
            f"The largest part of L_Phi that was measured is {largest.ratio:.4f}, on {largest.where}.",
            "Not falsified, not proved by these numbers: a search finds values that are attained, on the worlds that "
            "were tried.",
            f"If L_21 and L_22, too, are read per variable, Phi'' on the cubic is up to {beyond:.4f} L_Phi.",
        ],
        table=table(found),
    )


def _over_condition(found: Sequence[Case], variant: str) -> Panel:
    stiff = [case for case in found if case.world.startswith("kappa") and case.reading == "block"]
    return Panel(
        title="a scalar world, stiff below",
        x_label=r"$\kappa = L_1/\mu$",
        y_label=r"$\|\nabla\Phi(x) - \nabla\Phi(x')\| \,/\, \|x - x'\|$",
        series=[
            Series(label="measured", x=CONDITIONS, y=[case.measured for case in stiff]),
            Series(
                label=rf"$L_\Phi$ {variant}",
                x=CONDITIONS,
                y=[case.claimed for case in stiff],
                kind="bound",
                colour=3,
            ),
        ],
        triangles=[Triangle(x=20.0, y=100.0, slope=2.0, label="2")],
    )


def _over_L_0(bent: Sequence[Case], variant: str) -> Panel:
    joint, per_variable = (
        [1 / c.ratio for c in bent if c.reading == reading] for reading in ("joint", "per variable")
    )
    return Panel(
        title="a cubic lower level",
        x_label=r"$L_0$",
        y_label=r"$L_\Phi\,/\,\Phi''$",
        series=[
            Series(label="measured (= 1)", x=SLOPES, y=[1.0] * len(SLOPES)),
            Series(label=rf"$L_\Phi$ {variant}, joint", x=SLOPES, y=joint, kind="bound", colour=3),
            Series(
                label=rf"$L_\Phi$ {variant}, per variable",
                x=SLOPES,
                y=per_variable,
                kind="contrast" if variant == "printed" else "bound",
                colour=1,
            ),
        ],
    )


def _claim(variant: str, sentence: str) -> Claim:
    judged: Callable[[Sequence[Json]], Judgement] = partial(judge, variant=variant)
    return Claim(
        id=f"L_Phi.{variant}", of=("constant.L_Phi",), sentence=sentence, pieces=pieces, judge=judged
    )


CLAIMS = (
    _claim("printed", "grad Phi is Lipschitz with the printed L_Phi, its undefined L_12 read as L_21."),
    _claim("repaired", "grad Phi is Lipschitz with L_Phi = L_tilde (1 + L_1/mu)."),
)
