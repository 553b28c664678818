"""What local steps (p, tau > 1) add: they move where a method rests by an amount of order dial^2.

It tends to zero with the steps, with the power IN_STEP (evidence/at_rest/laws.py). FedNest's corrections put
it exactly where tau = 1 does.
"""

import math
from collections.abc import Iterator

from ratecert.claim import Budget, Check, Claim, Json, Piece, Row, Rows
from ratecert.claim.checks import equal, exponent
from ratecert.papers.federated_bilevel.claims.at_rest import AT_REST, EXACT, EXPONENT, LARGE, OUTSIDE, where
from ratecert.papers.federated_bilevel.evidence.at_rest.laws import law
from ratecert.papers.federated_bilevel.evidence.at_rest.methods import METHODS, solver_of
from ratecert.papers.federated_bilevel.evidence.at_rest.resting import THREE, TWO, WORLDS, world_at
from ratecert.solvers import fixed_point, name_of

SHORT, TINY, TINY_DIALS = 3, 1e-6, [1e-5, 2e-5]  # p, step and dials of the laws
LAW = 1e-3  # relative; the laws are those of vanishing steps, here 1e-6
DIGITS = 1e-40  # what is left of 50 digits where nothing moves

IN_STEP = {
    "LocalBSGM": 2,
    "LocalBSGVRM": 3,
    "LocalBSGVRM, averaged": 1,
    "LocalBSGVRM, fresh": 1,
    "LocalSGD": 1,
    "LFedNest": 1,
    "FedBiOAcc": 1,
    "FedBiOAccGlobal": 1,
}
"""The power of the step in what local steps add; FedNest is not here because they add nothing."""


def moved(method: str, world: str, dials: list[float], p: int) -> list[Json]:
    """How far rounds of p steps move x at rest, in the direction of the law, per dial; the last dial at two steps."""
    spec, rows = WORLDS[world], []
    for dial, step in [*((dial, TINY) for dial in dials), (dials[-1], 2 * TINY)]:
        solver = solver_of(method, p=p, step=step, theta=spec["theta"], terms=spec["terms"])
        problem = world_at(spec, dial)
        (found,), (predicted,) = fixed_point(problem, solver).excess_x, law(problem, solver)
        along = float(found) * math.copysign(1.0, predicted)
        row = {"name": name_of(solver), "K": spec["K"], "dial": dial, "step": step}
        rows.append({**row, "moved": along, "law": abs(float(predicted))})
    return rows


def pieces(budget: Budget) -> list[Piece]:
    dials, worlds = [*TINY_DIALS, LARGE], [THREE] if budget.quick else [THREE, TWO]
    common = {"dials": dials, "p": SHORT}
    found = [Piece(moved, {"method": m, "world": w, **common}, 1.0) for w in worlds for m in IN_STEP]
    return [*found, Piece(moved, {"method": "FedNest", "world": THREE, **common, "dials": [LARGE]}, 2.0)]


def checks(rows: Rows) -> Iterator[Check]:
    for (method, _), here in rows.by("method", "world"):
        name = where(here)
        if method not in IN_STEP:
            farthest = max(map(abs, here.column("moved")))
            yield equal(f"what local steps add, {name}", farthest, 0.0, DIGITS)
            continue
        in_dial, in_step = (
            f"exponent in the dial of what local steps add, {name}",
            f"exponent in the steps, {name}",
        )
        yield exponent(in_dial, here[:2], "moved", "dial", 2, EXPONENT, error=EXACT)
        yield exponent(in_step, here.last(2), "moved", "step", IN_STEP[method], EXPONENT, error=EXACT)
        gap = abs(here[-2]["moved"] / here[-2]["law"] - 1)
        yield equal(f"gap to the law, relative to it, {name}", gap, 0.0, LAW, EXACT)


def table(rows: Rows) -> Iterator[Row]:
    for row in rows.where(step=TINY):
        reading = METHODS[row["method"]].reading
        yield {
            "method": row["name"],
            "reading": reading,
            **{name: row[name] for name in ("K", "dial", "moved")},
        }


CLAIMS = (
    Claim(
        id="at-rest.rounds",
        sentence="Local steps move where every federated method rests, except FedNest, by an amount of order dial^2 "
        "that vanishes with the steps.",
        pieces=pieces,
        checks=checks,
        regime=f"{OUTSIDE}; p = tau = {SHORT}, steps of order {TINY:g}",
        settings={
            "worlds": [WORLDS[THREE], WORLDS[TWO]],
            "dials": [*TINY_DIALS, LARGE],
            "p": SHORT,
            "step": TINY,
        },
        notes=[
            "FedNest's local steps follow its mean gradient with a correction, and at rest both are zero on every "
            "device: tau does not move it, at any dial or step.",
            "The x of LFedNest (reconstructed) needs no correction on these worlds, as all devices share P; what moves "
            "it are its local steps on y.",
        ],
        table=table,
        **AT_REST,
    ),
)
