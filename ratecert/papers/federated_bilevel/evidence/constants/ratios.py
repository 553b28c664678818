"""Measured over claimed: a constant against what it has to bound, on many worlds.

A row is a world, a norm reading of L_1 (synthetic/constants/norm_readings.py) and, where the constant depends on them,
theta and Q: what was `measured`, and the constant, `printed` and `repaired`, from the constants of the assumptions
under that reading. theta is a `part` of the smaller 1/L_1 of the two readings.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from ratecert.claims import Budget, Check, Json, Panel, Piece, Row, Rows, Series
from ratecert.claims.checks import above
from ratecert.claims.claim import build
from ratecert.claims.lines import Quantity, line
from ratecert.papers.federated_bilevel.evidence.constants import measures
from ratecert.papers.federated_bilevel.evidence.constants.worlds import MORE, WORLDS, Spec, drawn
from ratecert.papers.federated_bilevel.paper import VARIANTS, paper
from ratecert.theory.numbers.evaluation import with_constants

Sample = Mapping[str, Json]  # part and Q, or nothing
READINGS = ("block", "joint")
PARTS = (0.1, 0.3, 0.95)
TERMS = (0, 1, 2, 3)
ALL_WORLDS = {**WORLDS, **MORE, **drawn(24)}

MEASURES: dict[str, Callable[..., float]] = {
    "L_Phi": measures.measured_L_Phi,
    "L_tilde": measures.measured_L_tilde,
    "L_hat": measures.measured_L_hat,
    "G": measures.measured_G,
    "spread": measures.measured_spread,
}
ONLY_ATTAINED = (
    "A search finds values that are attained: the constant is not exceeded there, which proves nothing about worlds "
    "that were not tried."
)
BOUND_BY = {"spread": "G"}  # the constant, where it has another name than the quantity
SYMBOLS = {"L_Phi": r"L_\Phi", "L_tilde": r"\tilde{L}", "L_hat": r"\hat{L}", "G": "G"}


def measure(
    *,
    quantity: str,
    world: str,
    spec: Spec,
    starts: int,
    radius: float | None = None,
    part: float | None = None,
    Q: int | None = None,
) -> list[Json]:
    """Measure a quantity on one world, and evaluate its constant under both norm readings."""
    problem = build(spec)
    radius = measures.radius_of(problem) if radius is None else radius
    assumed = {reading: problem.constants(radius=radius, reading=reading) for reading in READINGS}
    L_1 = max(constants["L_1"] for constants in assumed.values())
    sample = {} if part is None else {"theta": part / L_1, "Q": Q}
    found = MEASURES[quantity](problem, radius, **sample, starts=starts)
    return [
        {
            "world": world,
            "reading": reading,
            "radius": radius,
            "kappa": constants["L_1"] / constants["mu"],
            **sample,
            "measured": found,
            **claimed(BOUND_BY.get(quantity, quantity), {**constants, **sample}),
        }
        for reading, constants in assumed.items()
    ]


def claimed(constant: str, known: Mapping[str, float]) -> dict[str, float]:
    """The constant, printed and repaired."""
    return {variant: with_constants(paper(variant), known)[constant] for variant in VARIANTS}


def on(
    worlds: Mapping[str, Spec],
    quantity: str,
    *,
    starts: int = measures.STARTS,
    samples: Sequence[Sample] = ({},),
    **more: Json,
) -> list[Piece]:
    """The quantity on each of the worlds, for each part and Q of the samples."""
    return [
        Piece(measure, {"quantity": quantity, "starts": starts, **more, "world": w, "spec": spec, **s}, 0.1)
        for w, spec in worlds.items()
        for s in samples
    ]


def on_all(quantity: str, budget: Budget, *, sampled: bool = False) -> list[Piece]:
    """The quantity on all worlds; a quick look takes fewer of them, fewer starts, and the ends of both ranges."""
    parts, terms = ((some[0], some[-1]) if budget.quick else some for some in (PARTS, TERMS))
    samples = [{"part": part, "Q": Q} for part in parts for Q in terms] if sampled else [{}]
    if budget.quick:
        return on(WORLDS, quantity, samples=samples)
    return on(ALL_WORLDS, quantity, starts=2 * measures.STARTS, samples=samples)


def ratio(row: Row, variant: str) -> float:
    return float(row["measured"] / row[variant])


def largest(rows: Rows, variant: str) -> Row:
    return rows.largest(lambda row: ratio(row, variant))


def where(row: Row) -> str:
    sample = "" if row.get("theta") is None else f", theta = {row.get('theta'):.4g}, Q = {row.get('Q')}"
    return f"{row.get('world')}, {row.get('reading')}{sample}"


def checks(rows: Rows, constant: str, variant: str) -> Iterator[Check]:
    """One per world, where its ratio is largest."""
    for world, here in rows.by("world"):
        yield above(f"measured/{constant}, {world}", here, "measured", variant, error=measures.ROUNDING)


def largest_part(rows: Rows, constant: str, variant: str) -> str:
    row = largest(rows, variant)
    part = ratio(row, variant)
    return f"The largest part of {constant} that was measured is {part:.4f}, on {where(row)}"


def table(rows: Rows, variant: str) -> Iterator[Row]:
    """One row per world and reading, where the ratio is largest."""
    for _, of_reading in rows.by("reading"):
        for _, here in of_reading.by("world"):
            row = largest(here, variant)
            named = {name: row.get(name) for name in ("world", "reading", "theta", "Q", "measured")}
            yield {**named, "constant": row[variant], "ratio": ratio(row, variant)}


def settings(rows: Rows, more: Mapping[str, Spec]) -> dict[str, Json]:
    """The worlds, those of the claim itself among them, and where on them is measured."""
    specs, found = {**ALL_WORLDS, **more}, {}
    for world, here in rows.by("world"):
        found[world] = {"world": specs[world], "radius": here[0]["radius"], "starts": here[0]["starts"]}
        if here.having("theta"):
            found[world] |= {"theta times the larger L_1": here.cells("part"), "Q": here.cells("Q")}
    return found


def tight(rows: Rows, worlds: Mapping[str, Spec]) -> Rows:
    """The rows of these worlds under `block`, where all of L_1 is used."""
    return Rows(row for row in rows.where(reading="block") if row.get("world") in worlds)


def against(rows: Rows, x: Quantity, variant: str, label: str) -> list[Series]:
    """Lines of what was measured and of the constant."""
    bound = line(label, rows, x, variant, kind="bound", colour=3)
    return [line("measured", rows, x, "measured"), bound]


def scatter(rows: Rows, constant: str, variant: str) -> Panel:
    """Measured against claimed: nothing may lie above the diagonal."""
    ends = [min(rows.column(variant)), max(rows.column(variant))]
    readings = {reading: rows.where(reading=reading) for reading in ("joint", "block")}
    points = [
        line(rf"$L_1$ read as {reading}", here, variant, "measured", kind="sampled", colour=i)
        for i, (reading, here) in enumerate(readings.items())
    ]
    return Panel(
        title="all worlds and settings",
        x_label=rf"${SYMBOLS[constant]}$",
        y_label="measured",
        series=[*points, Series(label="measured = constant", x=ends, y=ends, kind="bound", colour=3)],
    )
