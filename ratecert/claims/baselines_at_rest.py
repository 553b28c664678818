"""Where federated methods rest on devices that differ, against stationarity: which carry the bias of local inverses.

Lemma 1 asks for the inverse of the mean Hessian; a device has its own only. With an average after every step
(p = tau = 1) where a method rests depends on what it averages alone (ratecert/evidence/at_rest/places.py):

    x_local     LocalBSGM, LocalBSGVRM in all readings, LocalSGD, LFedNest    y is shared, the inverse is a device's own
    x_own       FedBiOAcc                                                     y and the inverse are a device's own
    x_star      FedNest, FedBiOAccGlobal                                      r, or each product of a series, is shared

||grad Phi|| is of order dial^2 at the first two and zero at the third, but for the terms that FedNest's series leaves
out: these are a bias too, and no dial changes it. Local steps (p, tau > 1) move every one of them by an amount of order
dial^2 that tends to zero with the steps (ratecert/evidence/at_rest/laws.py), except FedNest: its corrections put it
exactly where tau = 1 does.

STEM has no lower level, and the methods for one machine see no devices: none of this concerns them.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ratecert.evidence.at_rest.methods import METHODS, not_federated
from ratecert.evidence.at_rest.places import X_LOCAL, X_OWN, X_STAR, Place
from ratecert.evidence.at_rest.resting import STEP, moved, resting, world_at
from ratecert.evidence.periods.communication import drawable, exponent, norm
from ratecert.verify.chart import Chart, Panel, Series, Triangle
from ratecert.verify.check import Check
from ratecert.verify.claim import Budget, Claim, Json, Judgement, Piece

THREE: dict[str, Any] = {"d_x": 1, "d_y": 1, "K": 3, "seed": 3, "theta": 0.95, "terms": 26}
TWO: dict[str, Any] = {"d_x": 1, "d_y": 2, "K": 2, "seed": 3, "theta": 0.6, "terms": 48}
SAME_A, SAME_A_B = ({**THREE, "alike": letters} for letters in (["A"], ["A", "B"]))

SMALL = [1e-4, 2e-4]  # dials of the exponents
LARGE = 0.2
DRAWN = [0.01, 0.02, 0.05, 0.1]
FEW = 2  # terms of a series whose bias is to be seen
LONG = 8  # p and tau in the figure
SHORT, TINY, TINY_DIALS = 3, 1e-6, [1e-5, 2e-5]  # p, step and dials of the laws

EXACT = 1e-12
ROUNDING = 1e-14  # of x at rest: means and closed forms are in doubles
EXPONENT = 1e-3
CARRIES = 1e-6  # a gradient above it is a bias and no rounding
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


def at(place: Place) -> list[str]:
    """The methods that are predicted to rest there."""
    return [method for method, known in METHODS.items() if known.place == place]


def _at_p_1(methods: Iterable[str], budget: Budget) -> list[Piece]:
    found = []
    for method in methods:
        exact = METHODS[method].place == X_STAR  # nothing to draw there, and no exponent
        drawn = DRAWN[1:2] if budget.quick else DRAWN
        dials = [LARGE] if exact else [*SMALL, *drawn, LARGE]
        found.append(Piece(resting, {"method": method, "world": THREE, "dials": dials}, 1.0))
        if not budget.quick:
            dials = [LARGE] if exact else [*SMALL, LARGE]
            found.append(Piece(resting, {"method": method, "world": TWO, "dials": dials}, 2.0))
    return found


def _few(methods: Iterable[str]) -> list[Piece]:
    """Too few terms."""
    return [Piece(resting, {"method": m, "world": THREE, "dials": [LARGE], "few": FEW}, 0.2) for m in methods]


def _flat(p: int, budget: Budget) -> Piece:
    """FedNest with too few terms, which is its only bias: at several dials."""
    dials = [DRAWN[0], DRAWN[2], LARGE] if p == 1 and not budget.quick else [DRAWN[1], LARGE]
    return Piece(resting, {"method": "FedNest", "world": THREE, "dials": dials, "p": p, "few": FEW}, 2.0)


def _long(budget: Budget) -> list[Piece]:
    common = {"world": THREE, "p": LONG}
    drawn = [DRAWN[1], LARGE] if budget.quick else [DRAWN[1], DRAWN[3], LARGE]
    dials = {m: [LARGE] if m == "FedNest" else drawn for m in METHODS}
    return [Piece(resting, {"method": m, "dials": some, **common}, 1.0) for m, some in dials.items()]


def _alike(methods: Iterable[str], world: Json) -> list[Piece]:
    return [Piece(resting, {"method": m, "world": world, "dials": [*SMALL, LARGE]}, 0.3) for m in methods]


def pieces_of_local_inverse(budget: Budget) -> list[Piece]:
    return [
        *_at_p_1(METHODS, budget),
        *_few(at(X_LOCAL)),
        *_long(budget),
        *(_flat(p, budget) for p in (1, LONG)),
        *_alike(at(X_LOCAL), SAME_A),
    ]


def judge_local_inverse(values: Sequence[Json]) -> Judgement:
    mine = [v for v in values if v["method"] in at(X_LOCAL)]
    checks = []
    for v in _those(mine):
        checks += [_distance(v, "x_local"), _exponent_in_dial(v), _carries(v)]
    checks += [_distance(v, "x_star", ", all A_k equal") for v in _those(mine, world=SAME_A)]
    checks += [_distance(v, "closed form", f", {FEW} terms") for v in _those(mine, few=FEW)]
    return Judgement(
        checks=checks,
        **_setting(),
        chart=_chart(values),
        notes=[
            f"The bias of a cut series is another one: with {FEW} terms each method rests where its own series, not "
            "the inverse, makes the mean of the estimates zero.",
            "With all A_k equal the mean of the local inverses is the inverse of the mean, and these methods rest at "
            "x_star, however much B_k and c_k differ.",
            f"Not here: {_listed(not_federated())}.",
            "A name with (reconstructed) is that of a method whose exact statement could not be had.",
        ],
        table=_table(values),
    )


def pieces_of_global_inverse(budget: Budget) -> list[Piece]:
    return [*_at_p_1(at(X_STAR), budget), _flat(1, budget)]


def judge_global_inverse(values: Sequence[Json]) -> Judgement:
    mine = [v for v in values if v["method"] in at(X_STAR)]
    cut = [v for v in values if v["few"]]
    return Judgement(
        checks=[
            *(_distance(v, "x_star") for v in _those(mine)),
            *(_distance(v, "closed form", f", {FEW} terms") for v in cut),
        ],
        **_setting(),
        notes=[
            "FedNest averages r after every product, so that the product is with the mean Hessian.",
            f"What its series leaves out is a bias, ||grad Phi|| = {cut[0]['gradients'][-1]:.2g} with {FEW} terms: the "
            "same at every dial, as the mean Hessian is.",
            "FedBiOAccGlobal cuts no series: its r goes to the solution of the mean equation.",
        ],
    )


def pieces_of_local_lower_level(budget: Budget) -> list[Piece]:
    methods = at(X_OWN)
    return [
        *_at_p_1(methods, budget), *_few(methods), *_alike(methods, SAME_A), *_alike(methods, SAME_A_B)
    ]  # fmt: skip


def judge_local_lower_level(values: Sequence[Json]) -> Judgement:
    checks = []
    for v in [*_those(values), *_those(values, world=SAME_A)]:
        after = ", all A_k equal" if v["world"] == SAME_A else ""
        checks += [_distance(v, "x_own", after), _exponent_in_dial(v, after), _carries(v, after)]
    checks += [_distance(v, "x_star", ", all A_k and B_k equal") for v in _those(values, world=SAME_A_B)]
    checks += [_distance(v, "closed form", f", {FEW} terms") for v in _those(values, few=FEW)]
    return Judgement(
        checks=checks,
        **_setting(),
        notes=[
            "Equal A_k are not enough: y_k and S_k = A_k^{-1}B_k still vary together, through B_k, and the mean of "
            "S_k'D(y_k - b) is not that of the means. The local-inverse bias is zero there: this is another one.",
        ],
    )


def pieces_of_rounds(budget: Budget) -> list[Piece]:
    laws = {"dials": [*TINY_DIALS, LARGE], "p": SHORT, "step": TINY}
    worlds = [THREE] if budget.quick else [THREE, TWO]
    found = [Piece(moved, {"method": m, "world": w, **laws}, 1.0) for w in worlds for m in IN_STEP]
    return [*found, Piece(moved, {"method": "FedNest", "world": THREE, **laws, "dials": [LARGE]}, 2.0)]


def judge_rounds(values: Sequence[Json]) -> Judgement:
    checks = []
    for v in values:
        where = f"{v['method']}, K = {v['world']['K']}"
        if v["method"] not in IN_STEP:
            still = Check(
                name=f"what local steps add, {where}",
                measured=max(v["moved"]),
                predicted=0.0,
                tolerance=DIGITS,
            )
            checks.append(still)
            continue
        found = {
            f"exponent in the dial of what local steps add, {where}": (
                exponent(v["dials"][:2], v["moved"][:2]),
                2,
            ),
            f"exponent in the steps, {where}": (
                exponent([1.0, 2.0], [v["moved"][-1], v["twice"]]),
                IN_STEP[v["method"]],
            ),
        }
        checks += [
            Check(name=name, measured=e.value, predicted=power, tolerance=EXPONENT, uncertainty=EXACT)
            for name, (e, power) in found.items()
        ]
        checks.append(
            Check(
                name=f"gap to the law, relative to it, {where}",
                measured=v["gap"] / v["law"],
                predicted=0.0,
                tolerance=LAW,
                uncertainty=EXACT,
            )
        )
    return Judgement(
        checks=checks,
        regime=f"devices that differ, outside the paper's homogeneity; no noise, at rest; p = tau = {SHORT}, steps of "
        f"order {TINY:g}",
        settings={"worlds": [THREE, TWO], "dials": [*TINY_DIALS, LARGE], "p": SHORT, "step": TINY},
        method="fixed points of noise-free rounds in 50 digits, against closed forms",
        notes=[
            "FedNest's local steps follow its mean gradient with a correction, and at rest both are zero on every "
            "device: tau does not move it, at any dial or step.",
            "LFedNest's x needs no correction on these worlds, as all devices share P; what moves it are its local "
            "steps on y.",
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


def _those(values: Iterable[Json], world: Json = None, few: int | None = None) -> list[Json]:
    """Those at p = 1 on this world, or on the two of the claims, and with so many terms."""
    worlds = [THREE, TWO] if world is None else [world]
    return [v for v in values if v["world"] in worlds and v["few"] == few and v["p"] == 1]


def _where(v: Json, after: str = "") -> str:
    return f"{v['method']}, K = {v['world']['K']}{after}"


def _distance(v: Json, place: str, after: str = "") -> Check:
    return Check(
        name=f"distance from {place}, {_where(v, after)}",
        measured=max(v["distances"][place]),
        predicted=0.0,
        tolerance=EXACT,
        uncertainty=ROUNDING,
    )


def _exponent_in_dial(v: Json, after: str = "") -> Check:
    sizes = v["distances"]["x_star"][:2]
    found = exponent(v["dials"][:2], sizes, ROUNDING / max(min(sizes), ROUNDING))
    return Check(
        name=f"exponent of the distance from x_star in the dial, {_where(v, after)}",
        measured=found.value,
        predicted=2.0,
        tolerance=EXPONENT,
        uncertainty=found.uncertainty,
    )


def _carries(v: Json, after: str = "") -> Check:
    return Check(
        name=f"||grad Phi|| at rest, dial {LARGE:g}, {_where(v, after)}",
        measured=v["gradients"][-1],
        predicted=CARRIES,
        relation=">=",
        uncertainty=ROUNDING,
    )


def _setting() -> dict[str, Any]:
    return {
        "regime": "devices that differ, outside the paper's homogeneity; no noise, at rest; p = tau = 1, and so many "
        "terms that the series leaves out less than 1e-13, unless a check says otherwise",
        "settings": {
            "worlds": [THREE, TWO],
            "dials": [*SMALL, *DRAWN, LARGE],
            "step": STEP,
            "few terms": FEW,
        },
        "method": "fixed points of noise-free rounds in 50 digits, against closed forms",
    }


def _table(values: Sequence[Json]) -> list[dict[str, Json]]:
    """At the largest dial, on three devices."""
    rows: list[dict[str, Json]] = []
    for v in (v for v in _those(values) if v["world"] == THREE):
        known = METHODS[v["method"]]
        long = next(w for w in values if w["method"] == v["method"] and w["p"] == LONG and not w["few"])
        found = next((p for p in (X_STAR, X_LOCAL, X_OWN) if v["distances"][p.name][-1] <= EXACT), None)
        rows.append(
            {
                "method": v["name"],
                "reading": known.reading,
                "averages": known.averaged,
                "rests at": found.name if found else "another place",
                "inverse": found.inverse if found else "",
                "lower level": found.lower if found else "",
                "||grad Phi||": v["gradients"][-1],
                f"||grad Phi||, p = {LONG}": long["gradients"][-1],
                "carries the local-inverse bias": "yes"
                if found and found.inverse == "own"
                else "no"
                if found
                else "",
            }
        )
    empty = dict.fromkeys(rows[0]) if rows else {}
    return [*rows, *({**empty, "method": name, "rests at": why} for name, why in not_federated().items())]


def _listed(reasons: Mapping[str, str]) -> str:
    return "; ".join(
        f"{', '.join(name for name, why in reasons.items() if why == reason)} ({reason})"
        for reason in dict.fromkeys(reasons.values())
    )


def _chart(values: Sequence[Json]) -> Chart:
    names = [m for m, known in METHODS.items() if known.reading in ("", "as printed")]
    colours = {method: i for i, method in enumerate(names)}
    here = [v for v in values if v["method"] in colours and v["world"] == THREE]
    cut = {
        v["p"]: _series(v, colours, f", {FEW} terms") for v in here if v["method"] == "FedNest" and v["few"]
    }
    once = [_series(v, colours) for v in here if v["p"] == 1 and not v["few"] and len(v["dials"]) > 1]
    long = [_series(v, colours) for v in here if v["p"] == LONG and len(v["dials"]) > 1]
    dials = [*DRAWN, LARGE]
    worlds = [world_at(THREE, dial) for dial in dials]
    predicted = [
        Series(
            label=f"closed form, {place.name}",
            x=dials,
            y=drawable([norm(world.hypergradient(place.at(world))) for world in worlds]),
            kind="predicted",
            colour=len(names) - 1,
        )
        for place in (X_LOCAL, X_OWN)
    ]
    axes: dict[str, Any] = {
        "x_label": "dial: how much the devices differ",
        "y_label": r"$\|\nabla\Phi\|$ where the method rests",
    }
    height = once[0].y[0] / 6
    two = Triangle(x=0.02, y=height, slope=2, label="2", factor=3.0, colour=0)
    return Chart(
        caption="How far from stationary each method rests. Left, an average after every step: LocalBSGM, LocalBSGVRM, "
        "LocalSGD and LFedNest coincide at x_local, FedBiOAcc is at x_own, both of order dial^2. FedNest has the bias "
        f"of its series alone, shown with {FEW} terms: it is the same at every dial. FedBiOAccGlobal rests at x_star "
        f"exactly, as FedNest does with a long series, and cannot be drawn. Right, {LONG} local steps: what they add "
        "is of order dial^2 too, and nothing for FedNest.",
        panels=[
            Panel(title=r"$p = \tau = 1$", series=[*once, cut[1], *predicted], triangles=[two], **axes),
            Panel(title=rf"$p = \tau = {LONG}$", series=[*long, cut[LONG]], **axes),
        ],
    )


def _series(v: Json, colours: Mapping[str, int], after: str = "") -> Series:
    drawn = [(d, g) for d, g in zip(v["dials"], v["gradients"], strict=True) if d not in SMALL]
    reading = METHODS[v["method"]].reading
    label = ", ".join(part for part in (v["name"], reading) if part) + after
    return Series(
        label=label,
        x=[d for d, _ in drawn],
        y=drawable([g for _, g in drawn]),
        colour=colours[v["method"]],
    )


CLAIMS = (
    Claim(
        id="at-rest.local-inverse",
        of=("lemma-1",),
        sentence="On devices that differ LocalBSGM, LocalBSGVRM, LocalSGD and LFedNest rest where grad Phi plus the "
        "bias of the local inverses is zero, off the solution by an amount of order dial^2.",
        pieces=pieces_of_local_inverse,
        judge=judge_local_inverse,
    ),
    Claim(
        id="at-rest.global-inverse",
        of=("lemma-1",),
        sentence="On devices that differ FedNest, but for the terms its series leaves out, and FedBiOAccGlobal rest at "
        "the solution: they share what they invert.",
        pieces=pieces_of_global_inverse,
        judge=judge_global_inverse,
    ),
    Claim(
        id="at-rest.local-lower-level",
        of=("lemma-1",),
        sentence="On devices that differ FedBiOAcc rests where the mean of the gradients of the devices' own Phi_k is "
        "zero, off the solution by an amount of order dial^2 even if all A_k are equal.",
        pieces=pieces_of_local_lower_level,
        judge=judge_local_lower_level,
    ),
    Claim(
        id="at-rest.rounds",
        of=("lemma-1",),
        sentence="Local steps move where every federated method rests, except FedNest, by an amount of order dial^2 "
        "that vanishes with the steps.",
        pieces=pieces_of_rounds,
        judge=judge_rounds,
    ),
)
