"""The figure of the methods at rest: how far from stationary, against how much the devices differ."""

from collections.abc import Mapping, Sequence
from typing import Any

from ratecert.claim.chart import Chart, Panel, Series, Triangle
from ratecert.claim.claim import Json
from ratecert.papers.federated_bilevel.evidence.at_rest.methods import METHODS
from ratecert.papers.federated_bilevel.evidence.at_rest.places import X_LOCAL, X_OWN, Place
from ratecert.papers.federated_bilevel.evidence.at_rest.resting import world_at
from ratecert.papers.federated_bilevel.evidence.at_rest.settings import DRAWN, FEW, LARGE, LONG, SMALL, THREE
from ratecert.papers.federated_bilevel.evidence.periods.communication import drawable, norm

AXES: dict[str, Any] = {
    "x_label": "dial: how much the devices differ",
    "y_label": r"$\|\nabla\Phi\|$ where the method rests",
}


def chart_of(values: Sequence[Json]) -> Chart:
    names = [m for m, known in METHODS.items() if known.reading in ("", "as printed")]
    colours = {method: i for i, method in enumerate(names)}
    here = [v for v in values if v["method"] in colours and v["world"] == THREE]
    cut = {
        v["p"]: _series(v, colours, f", {FEW} terms") for v in here if v["method"] == "FedNest" and v["few"]
    }
    once, long = (
        [_series(v, colours) for v in here if v["p"] == p and not v["few"] and len(v["dials"]) > 1]
        for p in (1, LONG)
    )
    predicted = [_closed_form(place, len(names) - 1) for place in (X_LOCAL, X_OWN)]
    two = Triangle(x=0.02, y=once[0].y[0] / 6, slope=2, label="2", factor=3.0, colour=0)
    return Chart(
        caption="How far from stationary each method rests. Left, an average after every step: LocalBSGM, LocalBSGVRM, "
        "LocalSGD and LFedNest (reconstructed) coincide at x_local, FedBiOAcc (reconstructed) is at x_own, both of "
        f"order dial^2. FedNest has the bias of its series alone, shown with {FEW} terms: it is the same at every "
        "dial. FedBiOAccGlobal (reconstructed) rests at x_star exactly, as FedNest does with a long series, and cannot "
        f"be drawn. Right, {LONG} local steps: what they add is of order dial^2 too, and nothing for FedNest.",
        panels=[
            Panel(title=r"$p = \tau = 1$", series=[*once, cut[1], *predicted], triangles=[two], **AXES),
            Panel(title=rf"$p = \tau = {LONG}$", series=[*long, cut[LONG]], **AXES),
        ],
    )


def _series(v: Json, colours: Mapping[str, int], after: str = "") -> Series:
    drawn = [(d, g) for d, g in zip(v["dials"], v["gradients"], strict=True) if d not in SMALL]
    reading = METHODS[v["method"]].reading
    return Series(
        label=", ".join(part for part in (v["name"], reading) if part) + after,
        x=[d for d, _ in drawn],
        y=drawable([g for _, g in drawn]),
        colour=colours[v["method"]],
    )


def _closed_form(place: Place, colour: int) -> Series:
    dials = [*DRAWN, LARGE]
    worlds = [world_at(THREE, dial) for dial in dials]
    return Series(
        label=f"closed form, {place.name}",
        x=dials,
        y=drawable([norm(world.hypergradient(place.at(world))) for world in worlds]),
        kind="predicted",
        colour=colour,
    )
