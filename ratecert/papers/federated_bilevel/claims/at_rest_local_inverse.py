"""The methods that share y and invert a device's own Hessian: ||grad Phi|| where they rest is of order dial^2.

With all A_k equal it is zero. The table and the figure have the other federated methods beside them.
"""

from collections.abc import Sequence

from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.at_rest.asked import (
    alike_in,
    at_p_1,
    only_a_cut_series,
    those,
    with_few_terms,
)
from ratecert.papers.federated_bilevel.evidence.at_rest.charts import chart_of
from ratecert.papers.federated_bilevel.evidence.at_rest.checks import (
    EXACT,
    carries,
    distance,
    exponent_in_dial,
)
from ratecert.papers.federated_bilevel.evidence.at_rest.methods import METHODS, at, not_federated
from ratecert.papers.federated_bilevel.evidence.at_rest.places import PLACES, X_LOCAL
from ratecert.papers.federated_bilevel.evidence.at_rest.resting import resting
from ratecert.papers.federated_bilevel.evidence.at_rest.settings import (
    AT_P_1,
    DRAWN,
    FEW,
    LARGE,
    LONG,
    SAME_A,
    THREE,
)
from ratecert.solvers import ALGORITHMS, name_of


def pieces(budget: Budget) -> list[Piece]:
    return [
        *at_p_1(METHODS, budget),
        *with_few_terms(at(X_LOCAL)),
        *_long(budget),
        *(only_a_cut_series(p, budget) for p in (1, LONG)),
        *alike_in(SAME_A, at(X_LOCAL)),
    ]


def _long(budget: Budget) -> list[Piece]:
    common = {"world": THREE, "p": LONG}
    drawn = [DRAWN[1], LARGE] if budget.quick else [DRAWN[1], DRAWN[3], LARGE]
    dials = {m: [LARGE] if m == "FedNest" else drawn for m in METHODS}
    return [Piece(resting, {"method": m, "dials": some, **common}, 1.0) for m, some in dials.items()]


def judge(values: Sequence[Json]) -> Judgement:
    mine = [v for v in values if v["method"] in at(X_LOCAL)]
    checks = []
    for v in those(mine):
        checks += [distance(v, "x_local"), exponent_in_dial(v), carries(v)]
    checks += [distance(v, "x_star", ", all A_k equal") for v in those(mine, world=SAME_A)]
    checks += [distance(v, "closed form", f", {FEW} terms") for v in those(mine, few=FEW)]
    others = {name_of(ALGORITHMS[name]): why for name, why in not_federated().items()}
    return Judgement(
        checks=checks,
        **AT_P_1,
        chart=chart_of(values),
        notes=[
            f"The bias of a cut series is another one: with {FEW} terms each method rests where its own series, not "
            "the inverse, makes the mean of the estimates zero.",
            "With all A_k equal the mean of the local inverses is the inverse of the mean, and these methods rest at "
            "x_star, however much B_k and c_k differ.",
            *(
                f"Not here ({reason}): {', '.join(name for name, why in others.items() if why == reason)}."
                for reason in dict.fromkeys(others.values())
            ),
            "A name with (reconstructed) is that of a method whose exact statement could not be had.",
        ],
        table=_table(values, others),
    )


def _table(values: Sequence[Json], others: dict[str, str]) -> list[dict[str, Json]]:
    """At the largest dial, on three devices."""
    long = {v["method"]: v for v in values if v["p"] == LONG and not v["few"]}
    rows = [_row(v, long[v["method"]]) for v in those(values, world=THREE)]
    empty = dict.fromkeys(rows[0]) if rows else {}
    return [*rows, *({**empty, "method": name, "rests at": why} for name, why in others.items())]


def _row(v: Json, long: Json) -> dict[str, Json]:
    known = METHODS[v["method"]]
    found = next((place for place in PLACES if v["distances"][place.name][-1] <= EXACT), None)
    name, inverse, lower = (found.name, found.inverse, found.lower) if found else ("another place", "", "")
    return {
        "method": v["name"],
        "reading": known.reading,
        "averages": known.averaged,
        "rests at": name,
        "inverse": inverse,
        "lower level": lower,
        "||grad Phi||": v["gradients"][-1],
        f"||grad Phi||, p = {LONG}": long["gradients"][-1],
        "carries the local-inverse bias": {"own": "yes", "mean": "no", "": ""}[inverse],
    }


CLAIMS = (
    Claim(
        id="at-rest.local-inverse",
        of=("lemma-1",),
        sentence="On devices that differ LocalBSGM, LocalBSGVRM, LocalSGD and LFedNest (reconstructed) rest where "
        "grad Phi plus the bias of the local inverses is zero, off the solution by an amount of order dial^2.",
        pieces=pieces,
        judge=judge,
    ),
)
