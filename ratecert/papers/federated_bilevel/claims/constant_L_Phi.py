"""L_Phi: grad Phi is L_Phi-Lipschitz.

    printed    L_1 + (2 L_1^2 + L_21 L_0^2)/mu + (L_22 L_1 L_0 + L_1^3 + L_12 L_0 L_1)/mu^2 + L_22 L_1^2 L_0/mu^3
    repaired   L_0 for L_0^2 and L_21 for L_12, which is L_tilde (1 + L_1/mu)

Both bound ||grad Phi(x) - grad Phi(x')|| / ||x - x'||. They differ where L_21 > 0 and L_0 is not 1, so worlds with L_0
far below 1, where the print is smaller, are among those tried: wavy ones on small balls, and a cubic.
On a scalar world in which under `block` all of L_1 is used, the measured part tends to 1 with kappa = L_1/mu: the order
kappa^2 is attained.

On the cubic lower level every summand of L_Phi but the first two counts; x and y are numbers:

    f(x, y) = slope y        g(x, y) = y^2/2 - xy - M ((x + y)^3 - x^3)/6

grad_y g = 0 means w - 2x = M w^2/2 for w = x + y*(x), so Phi'(x) = slope (2/sqrt(1 - 4 M x) - 1). Near 0 g_yy = -g_xy =
1 and g_xxy = g_xyy = g_yyy = -M, hence Phi'' = 4 slope M there. For |x|, |y| <= r second derivatives of g change by at
most 2 M r. `joint`: Lipschitz in (x, y), as Assumption 2 prints it. `per variable`: Lipschitz in x alone and in y
alone, for all constants; then the repaired L_Phi is 4 + 4 slope M as r -> 0, the printed one 4 + (3 + slope) slope M.
"""

import math
from itertools import chain

from ratecert.claims import Budget, Chart, Claim, Json, Panel, Piece, Row, Rows, Triangle
from ratecert.claims.lines import line
from ratecert.papers.federated_bilevel.evidence.constants import ratios
from ratecert.papers.federated_bilevel.evidence.constants.worlds import BY_CONDITION, Spec

SLOPES = (1e-3, 1e-2, 0.1, 0.3, 1.0, 3.0, 10.0)  # L_0 of the cubic
CUBIC = {"M": 1e4, "r": 1e-8}
SMALL = 1e-3  # L_0 = D radius of the wavy worlds
WAVES = (  # B, D, dial and omega radius
    (461.0, 1000.0, 1.17, 0.01),  # all of the print in the limit, by kappa^2
    (0.491, 2.59, 0.585, 9.04),  # the most negative Phi''
    (0.15, 1.0, 3.5, 1.9),  # the print is smallest against the repaired one
)
WAVY: dict[str, Spec] = {
    f"wavy {i}, L_0 = {SMALL:g}": {"world": "wavy", "B": B, "D": D, "dial": dial, "omega": D * turns / SMALL}
    for i, (B, D, dial, turns) in enumerate(WAVES, start=1)
}


# The cubic


def gradient(x: float, *, M: float, slope: float) -> float:
    """Phi'(x)."""
    return slope * (2 / math.sqrt(1 - 4 * M * x) - 1)


def rise(*, M: float, slope: float, r: float) -> float:
    """The quotient of Phi' between -r/2 and r/2, where also |y*(x)| < r."""
    return (gradient(r / 2, M=M, slope=slope) - gradient(-r / 2, M=M, slope=slope)) / r


def constants(*, M: float, slope: float, r: float) -> dict[str, dict[str, float]]:
    """Those of the assumptions on |x|, |y| <= r."""
    common = {"mu": 1 - 2 * M * r, "L_0": slope}
    joint = {"L_1": (1 + math.sqrt(5)) / 2 + 4 * M * r, "L_21": math.sqrt(2) * M, "L_22": math.sqrt(2) * M}
    return {
        "joint": {**common, **joint},
        "per variable": {**common, "L_1": 1 + 2 * M * r, "L_21": M, "L_22": M},
    }


def measure_cubic(*, M: float, slope: float, r: float) -> list[Json]:
    """Rows as those of ratios.py, one per reading of all constants."""
    world = {"world": f"cubic, slope = {slope:g}", "measured": rise(M=M, slope=slope, r=r)}
    readings = constants(M=M, slope=slope, r=r)
    return [
        {**world, "reading": name, **ratios.claimed("L_Phi", values)} for name, values in readings.items()
    ]


# The claims


def pieces(budget: Budget) -> list[Piece]:
    small = (
        ratios.on({name: spec}, "L_Phi", starts=64, radius=SMALL / spec["D"]) for name, spec in WAVY.items()
    )
    cubic = [Piece(measure_cubic, {**CUBIC, "slope": slope}, 0.1) for slope in SLOPES]
    return [*ratios.on(BY_CONDITION, "L_Phi"), *chain(*small), *ratios.on_all("L_Phi", budget), *cubic]


def selected(rows: Rows, variant: str) -> Rows:
    """All rows; of the print, not those in which L_21 and L_22, too, are read per variable."""
    return rows if variant == "repaired" else rows.but(reading="per variable")


def chart(rows: Rows, variant: str) -> Chart:
    label, over = rf"$L_\Phi$ {variant}", "contrast" if variant == "printed" else "bound"
    growth = Panel(
        title="a scalar world, stiff below",
        x_label=r"$\kappa = L_1/\mu$",
        y_label=r"$\|\nabla\Phi(x) - \nabla\Phi(x')\| \,/\, \|x - x'\|$",
        series=ratios.against(ratios.tight(rows, BY_CONDITION), "kappa", variant, label),
        triangles=[Triangle(x=20.0, y=100.0, slope=2.0, label="2")],
    )
    joint, per_variable = (rows.having("slope").where(reading=name) for name in ("joint", "per variable"))

    def inverse(row: Row) -> float:
        return 1 / ratios.ratio(row, variant)

    cubic = Panel(
        title="a cubic lower level",
        x_label=r"$L_0$",
        y_label=r"$L_\Phi\,/\,\Phi''$",
        series=[
            line("measured (= 1)", joint, "slope", lambda _: 1.0),
            line(f"{label}, joint", joint, "slope", inverse, kind="bound", colour=3),
            line(f"{label}, per variable", per_variable, "slope", inverse, kind=over, colour=1),
        ],
    )
    end = {
        "printed": "but where L_0 < 1 not if they are so per variable",
        "repaired": "and also if per variable",
    }
    return Chart(
        caption=f"The largest slope of grad Phi against L_Phi, {variant}. Left: both grow like kappa^2, kappa = "
        "L_1/mu, and the constant is attained in the limit. Right: on a cubic lower level the constant exceeds "
        f"what is measured if it is made of constants that are Lipschitz in (x, y) together, {end[variant]}.",
        panels=[growth, cubic],
    )


def notes(rows: Rows, variant: str) -> list[str]:
    beyond = max(ratios.ratio(row, variant) for row in rows.where(reading="per variable"))
    return [
        f"{ratios.largest_part(selected(rows, variant), 'L_Phi', variant)}.",
        "Not refuted, not proved by these numbers: a search finds values that are attained, on the worlds that "
        "were tried.",
        f"If L_21 and L_22, too, are read per variable, Phi'' on the cubic is up to {beyond:.4f} L_Phi.",
    ]


def settings(rows: Rows) -> dict[str, Json]:
    cubic = {row["world"]: {"slope": row["slope"], **CUBIC} for row in rows.having("slope")}
    return {**ratios.settings(rows.having("starts"), {**BY_CONDITION, **WAVY}), **cubic}


def _claim(variant: str, sentence: str, regime: str) -> Claim:
    return Claim(
        id=f"L_Phi.{variant}",
        of=("constant.L_Phi",),
        sentence=sentence,
        pieces=pieces,
        checks=lambda rows: ratios.checks(selected(rows, variant), "L_Phi", variant),
        regime="pairs of x, near and far, with (x, y*(x)) in the set on which the constants hold; L_1 read as joint "
        f"and as block, L_21 and L_22 joint{regime}",
        method="closed form of grad Phi; exact on quadratic worlds and on the cubic, elsewhere a search",
        evidence=("closed forms", "search"),
        settings=settings,
        chart=lambda rows: chart(rows, variant),
        notes=lambda rows: notes(rows, variant),
        table=lambda rows: ratios.table(selected(rows, variant), variant),
    )


CLAIMS = (
    _claim("printed", "grad Phi is Lipschitz with the printed L_Phi, its undefined L_12 read as L_21.", ""),
    _claim(
        "repaired",
        "grad Phi is Lipschitz with L_Phi = L_tilde (1 + L_1/mu).",
        "; the cubic also with all of them per variable",
    ),
)
