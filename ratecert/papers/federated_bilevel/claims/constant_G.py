"""G: the second moment of the stochastic hypergradient h(z; s) is at most G^2.

    printed    G   = 2 L_0^2 + 12 theta^2 L_0^2 L_1^2 (Q+1)^2 + 4 theta^4 L_0^2 L_1^2 (Q+2) (Q+1)^2 sigma^2
    repaired   G^2 = the same with sigma_H for sigma

The theorems use G^2 where a bound on E||h||^2, or at least on the noise E||h - E h||^2, is needed. The printed right
side is of the order L_0^2 already, so its square is of the order L_0^4: in units in which f is s times as large, h is s
times as large, the repaired G too, and the printed G is s^2 times as large. For small s even the noise alone exceeds
it. So the check of the print is made along s; for the repaired constant it is made on all worlds.
"""

from ratecert.claims import Budget, Chart, Claim, Piece, Rows, Series, Triangle
from ratecert.claims.lines import figure
from ratecert.papers.federated_bilevel.evidence.constants import ratios
from ratecert.papers.federated_bilevel.evidence.theorems.claims import MISTAKES
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.proofs.proof_files import note

QUANTITIES = {"G": "second moment", "spread": "variance"}
SIZES = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8)  # of f
SMALLER = {
    quantity: {
        f"f of size {s:g}, {what}": {"world": "scalar", "mu": 1.0, "L_1": 1.25, "P": s, "D": s, "s_f": s}
        for s in SIZES
    }
    for quantity, what in QUANTITIES.items()
}
METHOD = "enumeration of all outcomes; exact moments at every point, the largest by a search over the ball"
MOMENT, SPREAD = r"measured $(E\|h\|^2)^{1/2}$", r"measured $(E\|h - Eh\|^2)^{1/2}$"
SIZE_OF_H = "root of the largest moment of $h$"


def printed_pieces(_: Budget) -> list[Piece]:
    sample = [{"part": 0.95, "Q": 12}]
    return [
        piece for quantity, worlds in SMALLER.items() for piece in ratios.on(worlds, quantity, samples=sample)
    ]


def printed_chart(rows: Rows) -> Chart:
    moment, variance = (rows.where(reading="joint", quantity=quantity) for quantity in QUANTITIES)
    return figure(
        "The size of the stochastic hypergradient in smaller and smaller units of f. It falls like the size s of f, "
        "and so does the repaired G; the printed G falls like s^2 and is soon too small, even for the noise alone.",
        "$s$, the size of $f$",
        SIZE_OF_H,
        [
            Series(label=MOMENT, x=SIZES, y=moment.column("measured")),
            Series(label=SPREAD, x=SIZES, y=variance.column("measured"), colour=2),
            Series(label="$G$ printed", x=SIZES, y=moment.column("printed"), kind="bound", colour=3),
            Series(label="$G$ repaired", x=SIZES, y=moment.column("repaired"), kind="bound", colour=1),
        ],
        [
            Triangle(x=3e-7, y=1e-11, slope=2.0, label="2", factor=100.0, colour=3),
            Triangle(x=1e-3, y=3e-6, slope=1.0, label="1", factor=100.0),
        ],
    )


def printed_notes(rows: Rows) -> list[str]:
    moment, variance = (
        ratios.ratio(rows.where(reading="joint", quantity=quantity)[-1], "printed") for quantity in QUANTITIES
    )
    return [
        f"At f of size {SIZES[-1]:g} the root of the second moment is {moment:.4g} times the printed G, "
        f"the root of the variance {variance:.4g} times.",
        "The root of the printed right side is never exceeded.",
        note(paper().key, "constant.G", "G"),
    ]


CLAIMS = (
    Claim(
        id="G.printed",
        of=("constant.G",),
        sentence="The second moment of the stochastic hypergradient is at most G^2 with G as it is printed.",
        pieces=printed_pieces,
        checks=lambda rows: ratios.checks(rows.where(reading="joint"), "G", "printed"),
        regime="a scalar world without noise in g, inside all assumptions on a ball of radius 1, L_1 read to the "
        "letter (joint), in smaller and smaller units of f",
        method=METHOD,
        evidence=("exact moments", "enumeration", "search", "proof in fractions"),
        settings=lambda rows: ratios.settings(rows, {**SMALLER["G"], **SMALLER["spread"]}),
        chart=printed_chart,
        notes=printed_notes,
        table=lambda rows: ratios.table(rows.where(reading="joint"), "printed"),
        runs=("LocalBSGM", "LocalBSGVRM"),
        because=MISTAKES["G"].because,
    ),
)
