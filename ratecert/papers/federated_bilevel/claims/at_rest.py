"""Where federated methods rest on devices that differ, with an average after every step (p = tau = 1).

    local inverse        the methods that share y and invert a device's own Hessian: ||grad Phi|| where they rest is of
                         order dial^2. With all A_k equal it is zero. The table and the figure have the other federated
                         methods beside them.
    global inverse       the methods that share what they invert rest at the solution, but for the terms that FedNest's
                         series leaves out. These are a bias too, and no dial changes it.
    own lower level      a method whose devices keep their own y: ||grad Phi|| where it rests is of order dial^2, even
                         if all A_k are equal. The local-inverse bias is zero there; what is left is a covariance
                         (evidence/at_rest/places.py).

Local steps, p and tau > 1, are in at_rest_rounds.py.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ratecert.claims import Budget, Chart, Check, Claim, Piece, Row, Rows, Series, Triangle
from ratecert.claims.checks import at_least, difference, exponent
from ratecert.claims.lines import line, panel
from ratecert.papers.federated_bilevel.evidence.at_rest import resting as rest
from ratecert.papers.federated_bilevel.evidence.at_rest.methods import METHODS, at, not_federated, shown
from ratecert.papers.federated_bilevel.evidence.at_rest.places import PLACES, X_LOCAL, X_OWN, X_STAR, Place
from ratecert.papers.federated_bilevel.evidence.at_rest.resting import SAME_A, SAME_A_B, THREE, TWO, WORLDS
from ratecert.solvers import ALGORITHMS, name_of

LONG = 8  # p and tau in the figure
SMALL = [1e-4, 2e-4]  # dials of the exponents
LARGE = 0.2
DRAWN = [0.01, 0.02, 0.05, 0.1]
FEW = 2  # terms of a series whose bias is to be seen

EXACT = 1e-12
ROUNDING = 1e-14  # of x at rest: means and closed forms are in doubles
EXPONENT = 1e-3
CARRIES = 1e-6  # a gradient above it is a bias and no rounding

OUTSIDE = "devices that differ, outside the paper's homogeneity; no noise, at rest"
AT_REST: dict[str, Any] = {
    "of": ("lemma-1",),
    "method": "fixed points of noise-free rounds in 50 digits, against closed forms",
    "evidence": ("fixed points", "closed forms"),
    "runs": ("LocalBSGM", "LocalBSGVRM"),
}
"""What all claims on methods at rest have in common."""
AT_P_1: dict[str, Any] = {
    "regime": f"{OUTSIDE}; p = tau = 1, and so many terms that the series leaves out less than 1e-13, unless a check "
    "says otherwise",
    "settings": {
        "worlds": [WORLDS[THREE], WORLDS[TWO]],
        "dials": [*SMALL, *DRAWN, LARGE],
        "step": rest.STEP,
        "few terms": FEW,
    },
    **AT_REST,
}
"""What those with an average after every step have in common."""
BIAS_OF_ANY_SIZE = {"||grad Phi||": "any size above rounding is a bias"}


def planned(
    method: str, world: str, dials: list[float], seconds: float, *, p: int = 1, few: int | None = None
) -> Piece:
    return Piece(
        rest.resting, {"method": method, "world": world, "dials": dials, "p": p, "few": few}, seconds
    )


def at_p_1(methods: Iterable[str], budget: Budget) -> Iterator[Piece]:
    """Plan an average after every step and all terms; where a method rests at x_star there is nothing to draw."""
    drawn = DRAWN[1:2] if budget.quick else DRAWN
    for method in methods:
        small = [] if METHODS[method].place == X_STAR else SMALL
        yield planned(method, THREE, [*small, *(drawn if small else []), LARGE], 1.0)
        if not budget.quick:
            yield planned(method, TWO, [*small, LARGE], 2.0)


def with_few_terms(methods: Iterable[str]) -> list[Piece]:
    return [planned(method, THREE, [LARGE], 0.2, few=FEW) for method in methods]


def only_a_cut_series(p: int, budget: Budget) -> Piece:
    """Plan FedNest with too few terms, which is its only bias, at several dials."""
    dials = [DRAWN[0], DRAWN[2], LARGE] if p == 1 and not budget.quick else [DRAWN[1], LARGE]
    return planned("FedNest", THREE, dials, 2.0, p=p, few=FEW)


def alike_in(world: str, methods: Iterable[str]) -> list[Piece]:
    return [planned(method, world, [*SMALL, LARGE], 0.3) for method in methods]


def those(rows: Rows, *worlds: str, few: int | None = None) -> Iterator[Rows]:
    """The runs at p = 1 on these worlds, or on the two of all claims, and with so many terms."""
    for (_, world), here in rows.where(p=1, few=few).by("method", "world"):
        if world in (worlds or (THREE, TWO)):
            yield here


def where(rows: Rows, after: str = "") -> str:
    return f"{shown(rows[0]['method'])}, K = {rows[0].get('K')}{after}"


def distance(rows: Rows, place: str, after: str = "") -> Check:
    return difference(f"distance from {place}, {where(rows, after)}", rows, "x", place, EXACT, error=ROUNDING)


def exponent_in_dial(rows: Rows, after: str = "") -> Check:
    sizes = Rows({"dial": row["dial"], "distance": abs(row["x"] - row["x_star"])} for row in rows[:2])
    error = ROUNDING / max(min(sizes.column("distance")), ROUNDING)
    name = f"exponent of the distance from x_star in the dial, {where(rows, after)}"
    return exponent(name, sizes, "distance", "dial", 2.0, EXPONENT, error=error)


def carries(rows: Rows, after: str = "") -> Check:
    name = f"||grad Phi|| at rest, dial {LARGE:g}, {where(rows, after)}"
    return at_least(name, rows[-1]["||grad Phi||"], CARRIES, ROUNDING)


def local_inverse_pieces(budget: Budget) -> list[Piece]:
    drawn = [DRAWN[1], LARGE] if budget.quick else [DRAWN[1], DRAWN[3], LARGE]
    return [
        *at_p_1(METHODS, budget),
        *with_few_terms(at(X_LOCAL)),
        *(planned(m, THREE, [LARGE] if m == "FedNest" else drawn, 1.0, p=LONG) for m in METHODS),
        *(only_a_cut_series(p, budget) for p in (1, LONG)),
        *alike_in(SAME_A, at(X_LOCAL)),
    ]


def local_inverse_checks(rows: Rows) -> Iterator[Check]:
    mine = Rows(row for row in rows if row["method"] in at(X_LOCAL))
    for here in those(mine):
        yield from (distance(here, "x_local"), exponent_in_dial(here), carries(here))
    for here in those(mine, SAME_A):
        yield distance(here, "x_star", f", {SAME_A}")
    for here in those(mine, few=FEW):
        yield distance(here, "closed form", f", {FEW} terms")


def others() -> dict[str, str]:
    """The algorithms that rest at no place on devices that differ, as a reader sees them, and why."""
    return {name_of(ALGORITHMS[name]): why for name, why in not_federated().items()}


def local_inverse_notes(_: Rows) -> list[str]:
    reasons: dict[str, list[str]] = {}
    for name, why in others().items():
        reasons.setdefault(why, []).append(name)
    return [
        f"The bias of a cut series is another one: with {FEW} terms each method rests where its own series, not "
        "the inverse, makes the mean of the estimates zero.",
        "With all A_k equal the mean of the local inverses is the inverse of the mean, and these methods rest at "
        "x_star, however much B_k and c_k differ.",
        *(f"Not here ({why}): {', '.join(names)}." for why, names in reasons.items()),
        "A name with (reconstructed) is that of a method whose exact statement could not be had.",
    ]


def table(rows: Rows) -> Iterator[Row]:
    """At the largest dial, on three devices; and the methods that are not here."""
    for here in those(rows, THREE):
        last, known = here[-1], METHODS[here[-1]["method"]]
        long = rows.where(method=last["method"], p=LONG, few=None)[-1]
        found = next((place for place in PLACES if abs(last["x"] - last[place.name]) <= EXACT), None)
        name, inverse, lower = (
            (found.name, found.inverse, found.lower) if found else ("another place", "", "")
        )
        row = {
            "method": last["name"],
            "reading": known.reading,
            "averages": known.averaged,
            "rests at": name,
            "inverse": inverse,
            "lower level": lower,
            "||grad Phi||": last["||grad Phi||"],
            f"||grad Phi||, p = {LONG}": long["||grad Phi||"],
            "carries the local-inverse bias": {"own": "yes", "mean": "no", "": ""}[inverse],
        }
        yield row
    for name, why in others().items():
        yield {**dict.fromkeys(row), "method": name, "rests at": why}


def chart(rows: Rows) -> Chart:
    names = [m for m, known in METHODS.items() if known.reading in ("", "as printed")]
    once: list[Series] = []
    long: list[Series] = []
    for (method, p, few), here in rows.where(world=THREE).by("method", "p", "few"):
        drawn = Rows(row for row in here if row["dial"] not in SMALL)
        if method in names and len(drawn) > 1 and (not few or method == "FedNest"):
            label = ", ".join(part for part in (drawn[0]["name"], METHODS[method].reading) if part)
            label += f", {FEW} terms" if few else ""
            found = line(label, drawn, "dial", "||grad Phi||", colour=names.index(method))
            (once if p == 1 else long).append(found)
    closed = [_closed_form(place, len(names) - 1) for place in (X_LOCAL, X_OWN)]
    two = Triangle(x=0.02, y=once[0].y[0] / 6, slope=2, label="2", factor=3.0, colour=0)
    axes = "dial: how much the devices differ", r"$\|\nabla\Phi\|$ where the method rests"
    return Chart(
        caption="How far from stationary each method rests. Left, an average after every step: LocalBSGM, LocalBSGVRM, "
        "LocalSGD and LFedNest (reconstructed) coincide at x_local, FedBiOAcc (reconstructed) is at x_own, both of "
        f"order dial^2. FedNest has the bias of its series alone, shown with {FEW} terms: it is the same at every "
        "dial. FedBiOAccGlobal (reconstructed) rests at x_star exactly, as FedNest does with a long series, and cannot "
        f"be drawn. Right, {LONG} local steps: what they add is of order dial^2 too, and nothing for FedNest.",
        panels=[
            panel(*axes, [*once, *closed], [two], title=r"$p = \tau = 1$"),
            panel(*axes, long, title=rf"$p = \tau = {LONG}$"),
        ],
    )


def _closed_form(place: Place, colour: int) -> Series:
    worlds = {dial: rest.world_at(WORLDS[THREE], dial) for dial in [*DRAWN, LARGE]}
    gradients = {dial: np.linalg.norm(world.hypergradient(place.at(world))) for dial, world in worlds.items()}
    rows = Rows({"dial": dial, "gradient": gradient} for dial, gradient in gradients.items())
    return line(f"closed form, {place.name}", rows, "dial", "gradient", kind="predicted", colour=colour)


def global_inverse_pieces(budget: Budget) -> list[Piece]:
    return [*at_p_1(at(X_STAR), budget), only_a_cut_series(1, budget)]


def global_inverse_checks(rows: Rows) -> Iterator[Check]:
    for here in those(rows):
        yield distance(here, "x_star")
    for here in those(rows, few=FEW):
        yield distance(here, "closed form", f", {FEW} terms")


def global_inverse_notes(rows: Rows) -> list[str]:
    cut = rows.where(few=FEW)[-1]
    return [
        "FedNest averages r after every product, so that the product is with the mean Hessian.",
        f"What its series leaves out is a bias, ||grad Phi|| = {cut['||grad Phi||']:.2g} with {FEW} terms: the "
        "same at every dial, as the mean Hessian is.",
        "FedBiOAccGlobal (reconstructed) cuts no series: its r goes to the solution of the mean equation.",
    ]


def own_lower_level_pieces(budget: Budget) -> list[Piece]:
    methods = at(X_OWN)
    alike = [piece for world in (SAME_A, SAME_A_B) for piece in alike_in(world, methods)]
    return [*at_p_1(methods, budget), *with_few_terms(methods), *alike]


def own_lower_level_checks(rows: Rows) -> Iterator[Check]:
    for after, runs in (("", those(rows)), (f", {SAME_A}", those(rows, SAME_A))):
        for here in runs:
            yield from (distance(here, "x_own", after), exponent_in_dial(here, after), carries(here, after))
    for here in those(rows, SAME_A_B):
        yield distance(here, "x_star", f", {SAME_A_B}")
    for here in those(rows, few=FEW):
        yield distance(here, "closed form", f", {FEW} terms")


CLAIMS = (
    Claim(
        id="at-rest.local-inverse",
        sentence="On devices that differ LocalBSGM, LocalBSGVRM, LocalSGD and LFedNest (reconstructed) rest where "
        "grad Phi plus the bias of the local inverses is zero, off the solution by an amount of order dial^2.",
        pieces=local_inverse_pieces,
        checks=local_inverse_checks,
        chart=chart,
        notes=local_inverse_notes,
        table=table,
        blind_to=BIAS_OF_ANY_SIZE,
        **AT_P_1,
    ),
    Claim(
        id="at-rest.global-inverse",
        sentence="On devices that differ, with an average after every step, FedNest, but for the terms its series "
        "leaves out, and FedBiOAccGlobal (reconstructed) rest at the solution: they share what they invert.",
        pieces=global_inverse_pieces,
        checks=global_inverse_checks,
        notes=global_inverse_notes,
        **AT_P_1,
    ),
    Claim(
        id="at-rest.local-lower-level",
        sentence="On devices that differ FedBiOAcc (reconstructed) rests where the mean of the gradients of the "
        "devices' own Phi_k is zero, off the solution by an amount of order dial^2 even if all A_k are equal.",
        pieces=own_lower_level_pieces,
        checks=own_lower_level_checks,
        notes=[
            "Equal A_k are not enough: y_k and S_k = A_k^{-1}B_k still vary together, through B_k, and the mean of "
            "S_k'D(y_k - b) is not that of the means. The local-inverse bias is zero there: this is another one.",
        ],
        blind_to=BIAS_OF_ANY_SIZE,
        **AT_P_1,
    ),
)
