"""What local steps (p, tau > 1) add: they move where a method rests by an amount of order dial^2.

It tends to zero with the steps, with the power IN_STEP (evidence/at_rest/laws.py). FedNest's corrections put
it exactly where tau = 1 does.
"""

from collections.abc import Sequence

from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.at_rest.checks import EXACT, EXPONENT, where
from ratecert.papers.federated_bilevel.evidence.at_rest.methods import METHODS
from ratecert.papers.federated_bilevel.evidence.at_rest.resting import moved
from ratecert.papers.federated_bilevel.evidence.at_rest.settings import LARGE, OUTSIDE, THREE, TWO, TWO_WAYS
from ratecert.papers.federated_bilevel.evidence.periods.communication import exponent

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


def pieces(budget: Budget) -> list[Piece]:
    laws = {"dials": [*TINY_DIALS, LARGE], "p": SHORT, "step": TINY}
    worlds = [THREE] if budget.quick else [THREE, TWO]
    found = [Piece(moved, {"method": m, "world": w, **laws}, 1.0) for w in worlds for m in IN_STEP]
    return [*found, Piece(moved, {"method": "FedNest", "world": THREE, **laws, "dials": [LARGE]}, 2.0)]


def judge(values: Sequence[Json]) -> Judgement:
    return Judgement(
        checks=[check for v in values for check in (_laws(v) if v["method"] in IN_STEP else [_stays(v)])],
        regime=f"{OUTSIDE}; p = tau = {SHORT}, steps of order {TINY:g}",
        settings={"worlds": [THREE, TWO], "dials": [*TINY_DIALS, LARGE], "p": SHORT, "step": TINY},
        method=TWO_WAYS,
        notes=[
            "FedNest's local steps follow its mean gradient with a correction, and at rest both are zero on every "
            "device: tau does not move it, at any dial or step.",
            "The x of LFedNest (reconstructed) needs no correction on these worlds, as all devices share P; what moves "
            "it are its local steps on y.",
        ],
        table=[
            {
                "method": v["name"],
                "reading": METHODS[v["method"]].reading,
                "K": v["world"]["K"],
                "dial": dial,
                "moved": m,
            }
            for v in values
            for dial, m in zip(v["dials"], v["moved"], strict=True)
        ],
    )


def _stays(v: Json) -> Check:
    return Check(
        name=f"what local steps add, {where(v)}", measured=max(v["moved"]), predicted=0.0, tolerance=DIGITS
    )


def _laws(v: Json) -> list[Check]:
    in_dial = exponent(v["dials"][:2], v["moved"][:2]).value
    in_step = exponent([1.0, 2.0], [v["moved"][-1], v["twice"]]).value
    found = {
        "exponent in the dial of what local steps add": (in_dial, 2, EXPONENT),
        "exponent in the steps": (in_step, IN_STEP[v["method"]], EXPONENT),
        "gap to the law, relative to it": (v["gap"] / v["law"], 0.0, LAW),
    }
    return [
        Check(
            name=f"{name}, {where(v)}",
            measured=measured,
            predicted=predicted,
            tolerance=tolerance,
            uncertainty=EXACT,
        )
        for name, (measured, predicted, tolerance) in found.items()
    ]


CLAIMS = (
    Claim(
        id="at-rest.rounds",
        of=("lemma-1",),
        sentence="Local steps move where every federated method rests, except FedNest, by an amount of order dial^2 "
        "that vanishes with the steps.",
        pieces=pieces,
        judge=judge,
    ),
)
