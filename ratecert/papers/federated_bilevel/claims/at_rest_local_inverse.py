"""The methods that share y and invert a device's own Hessian: ||grad Phi|| where they rest is of order dial^2.

With all A_k equal it is zero. The table and the figure have the other federated methods beside them.
"""

from collections.abc import Iterator

import numpy as np

from ratecert.claim import Budget, Chart, Check, Claim, Piece, Row, Rows, Series, Triangle
from ratecert.claim.lines import line, panel
from ratecert.papers.federated_bilevel.evidence.at_rest.methods import METHODS, at, not_federated
from ratecert.papers.federated_bilevel.evidence.at_rest.places import PLACES, X_LOCAL, X_OWN, Place
from ratecert.papers.federated_bilevel.evidence.at_rest.planned_runs import (
    AT_P_1,
    BIAS_OF_ANY_SIZE,
    DRAWN,
    EXACT,
    FEW,
    LARGE,
    SMALL,
    alike_in,
    at_p_1,
    carries,
    distance,
    exponent_in_dial,
    only_a_cut_series,
    planned,
    those,
    with_few_terms,
)
from ratecert.papers.federated_bilevel.evidence.at_rest.resting import SAME_A, THREE, WORLDS, world_at
from ratecert.solvers import ALGORITHMS, name_of

LONG = 8  # p and tau in the figure


def pieces(budget: Budget) -> list[Piece]:
    drawn = [DRAWN[1], LARGE] if budget.quick else [DRAWN[1], DRAWN[3], LARGE]
    return [
        *at_p_1(METHODS, budget),
        *with_few_terms(at(X_LOCAL)),
        *(planned(m, THREE, [LARGE] if m == "FedNest" else drawn, 1.0, p=LONG) for m in METHODS),
        *(only_a_cut_series(p, budget) for p in (1, LONG)),
        *alike_in(SAME_A, at(X_LOCAL)),
    ]


def checks(rows: Rows) -> Iterator[Check]:
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


def notes(_: Rows) -> list[str]:
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
    worlds = {dial: world_at(WORLDS[THREE], dial) for dial in [*DRAWN, LARGE]}
    gradients = {dial: np.linalg.norm(world.hypergradient(place.at(world))) for dial, world in worlds.items()}
    rows = Rows({"dial": dial, "gradient": gradient} for dial, gradient in gradients.items())
    return line(f"closed form, {place.name}", rows, "dial", "gradient", kind="predicted", colour=colour)


CLAIMS = (
    Claim(
        id="at-rest.local-inverse",
        sentence="On devices that differ LocalBSGM, LocalBSGVRM, LocalSGD and LFedNest (reconstructed) rest where "
        "grad Phi plus the bias of the local inverses is zero, off the solution by an amount of order dial^2.",
        pieces=pieces,
        checks=checks,
        chart=chart,
        notes=notes,
        table=table,
        blind_to=BIAS_OF_ANY_SIZE,
        **AT_P_1,
    ),
)
