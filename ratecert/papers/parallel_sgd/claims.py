"""A second paper, and a sound control: parallel SGD on an L-smooth function (ratecert/papers/parallel_sgd/paper.py).

The worlds are quadratic without a lower level, Phi(x) = 1/2 x'Px with additive noise; LocalSGD that averages after
every step is parallel SGD on them. Both sides of the theorem are exact. In a direction of curvature l, measured/bound
is

    1/(2 - eta l)   of the start alone, as T -> infinity
    1/(2 - eta l)   of the noise alone, as T -> infinity, where l = L

so the bound is tight at eta = 1/L, and off by 2 at small steps. It must come out clean of everything that the toolkit
has: the linter, the measurement, and the search for a counterexample, for which this file has the case.
"""

import math
from collections.abc import Sequence

from ratecert.claim.chart import Chart, Panel, Series
from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.counterexamples.finding import falsify
from ratecert.papers.parallel_sgd.paper import PRINTED
from ratecert.papers.parallel_sgd.search import THEOREM, DescentCase, Run
from ratecert.theory.lint import lint
from ratecert.theory.numbers.evaluation import evaluate

EXACT, EXPONENT = 1e-9, 1e-3
LONGEST = 2**62


def ratios(fractions: Sequence[float]) -> list[Json]:
    """measured/bound over a grid of curvatures, K and T at these eta L, of noise and start alone and together."""
    rows = []
    for fraction in fractions:
        for P in ([2.0], [0.5, 0.05, 0.005]):
            for K, T in ((1, 1), (1, 1000), (64, 10), (10**6, 2**40)):
                for s_f, x_off in ((0.5, 0.0), (0.0, 1.0), (0.5, 1.0)):
                    run = Run(P, s_f, x_off, K, T, fraction / max(P))
                    left, precision = run.measured()
                    bound = evaluate(PRINTED, THEOREM, run.values()).total
                    again = max(abs(a - b) / bound for a, b in zip(run.again(), (left, bound), strict=True))
                    rows.append({"eta L": fraction, "P": P, "K": K, "T": T, "s_f": s_f, "x_off": x_off,
                                 "ratio": left / bound, "precision": precision, "again": again})  # fmt: skip
    return rows


def measures(T: Sequence[int], K: Sequence[int]) -> list[Json]:
    """Along the corollary: eta = sqrt(K/T)."""
    runs = [(t, k, Run([2.0], 0.5, 1.0, k, t, math.sqrt(k / t)).measured()) for t in T for k in K]
    return [{"T": t, "K": k, "measure": value, "precision": error} for t, k, (value, error) in runs]


def measures_in_eps(epsilons: Sequence[float], K: Sequence[int]) -> list[Json]:
    """Along the corollary in eps: eta = K eps, T = 1/(K eps^2); samples are those of a device."""
    rows = []
    for eps in epsilons:
        for k in K:
            T = round(1 / (k * eps**2))
            value, error = Run([2.0], 0.5, 1.0, k, T, k * eps).measured()
            rows.append({"eps": eps, "K": k, "measure": value, "samples": T, "precision": error})
    return rows


def searched(budget: int, seed: int) -> Json:
    outcome = falsify(
        DescentCase(THEOREM, "printed"), budget=budget, seed=seed, jobs=1, advance=lambda _: None
    )
    return {"largest": outcome.largest, "tried": outcome.tried, "falsified": outcome.falsified}


def findings() -> Json:
    return [f"{f.place}: {f.kind}" for f in lint(PRINTED)]


FRACTIONS = (1e-6, 1e-3, 0.1, 0.5, 1.0)


def judge_bound(values: Sequence[Json]) -> Judgement:
    *grids, search, found = values
    rows = [row for grid in grids for row in grid]
    worst = max(rows, key=lambda row: row["ratio"])
    tight = [
        Check(
            name=f"measured/bound - 1/(2 - eta L), {what} alone, eta L = {row['eta L']:g}",
            measured=row["ratio"] - 1 / (2 - row["eta L"]),
            predicted=0.0,
            tolerance=1e-6,
            uncertainty=row["precision"],
        )
        for row in rows
        for what, driver in (("noise", "s_f"), ("start", "x_off"))
        if len(row["P"]) == 1 and row["T"] == 2**40 and row[driver] and not row[_other(driver)]
        and row["eta L"] > 1e-6
    ]  # fmt: skip
    largest = f"largest measured/bound of {len(rows)} runs"
    in_search = f"largest measured/bound of a search over {search['tried']} worlds"
    again = max(row["again"] for row in rows)
    return Judgement(
        checks=[
            _at_most_one(largest, worst["ratio"], worst["precision"]),
            *tight,
            Check(name="closed form against both sides", measured=again, predicted=0.0, tolerance=EXACT),
            _at_most_one(in_search, search["largest"], 0.0),
            Check(name="findings of the linter in the whole paper", measured=len(found), predicted=0.0),
        ],
        regime="quadratic Phi, additive noise, eta from 1e-6/L to 1/L: inside the theorem's conditions, everywhere",
        settings={"grid": {"eta L": FRACTIONS}, "search": DescentCase.niches},
        method="exact moments; closed form in 50 digits",
        chart=_chart(rows),
        notes=[
            "The bound is attained at eta = 1/L in a direction of curvature L, and was not falsified. That is no "
            "proof; the proof is in ratecert/papers/parallel_sgd/paper.py."
        ],
        table=[{name: value for name, value in row.items() if name != "again"} for row in rows],
    )


def _at_most_one(name: str, ratio: float, uncertainty: float) -> Check:
    return Check(
        name=name, measured=ratio, predicted=1.0, relation="<=", tolerance=EXACT, uncertainty=uncertainty
    )


def _other(driver: str) -> str:
    return {"s_f": "x_off", "x_off": "s_f"}[driver]


def _chart(rows: Sequence[Json]) -> Chart:
    def line(driver: str) -> list[Json]:
        return [
            r for r in rows if len(r["P"]) == 1 and r["T"] == 2**40 and r[driver] and not r[_other(driver)]
        ]

    series = [
        Series(
            label=f"{what} alone", x=[r["eta L"] for r in line(d)], y=[r["ratio"] for r in line(d)], colour=i
        )
        for i, (what, d) in enumerate((("noise", "s_f"), ("start", "x_off")))
    ]
    law = Series(
        label=r"$1/(2 - \eta L)$", x=FRACTIONS, y=[1 / (2 - x) for x in FRACTIONS], kind="predicted", colour=3
    )
    edge = Series(label="the bound", x=[FRACTIONS[0], 1.0], y=[1.0, 1.0], kind="bound", colour=6)
    panel = Panel(
        x_label=r"$\eta L$",
        y_label="measured/bound, $T = 2^{40}$",
        series=[edge, *series, law],
        y_scale="linear",
    )
    return Chart(
        caption="The classical bound for parallel SGD is off by 2 at small steps and attained at eta = 1/L.",
        panels=[panel],
    )


def judge_rate(values: Sequence[Json]) -> Judgement:
    in_T, in_eps = values
    return Judgement(
        checks=[
            _exponent("measure", "T", "K", in_T, -1 / 2),
            _exponent("measure", "K", "T", in_T, -1 / 2),
            _exponent("measure", "eps", "K", in_eps, 1.0),
            _exponent("measure", "K", "eps", in_eps, 0.0),
            _exponent("samples", "eps", "K", in_eps, -2.0),
            _exponent("samples", "K", "eps", in_eps, -1.0),
        ],
        regime="eta = sqrt(K/T) and eta = K eps, at most 1/L",
        settings={"curvature": 2.0, "s_f": 0.5, "x_off": 1.0},
        method="exact moments",
        table=[{"T": None, "eps": None, "samples": None, **row} for row in (*in_T, *in_eps)],
    )


def _exponent(what: str, name: str, other: str, rows: Sequence[Json], predicted: float) -> Check:
    """At the last value of the other letter, between the last two; what it moved by is its uncertainty."""
    here = sorted(
        (r for r in rows if r[other] == rows[-1][other]), key=lambda r: r[name], reverse=name == "eps"
    )
    slope, before = (
        math.log(b[what] / a[what]) / math.log(b[name] / a[name])
        for a, b in ((here[-2], here[-1]), (here[-3], here[-2]))
    )
    return Check(
        name=f"exponent of {name} in the {what}, {other} fixed",
        measured=slope,
        predicted=predicted,
        tolerance=EXPONENT,
        uncertainty=abs(slope - before) + here[-1]["precision"],
    )


def pieces_of_bound(budget: Budget) -> list[Piece]:
    trials = 96 if budget.quick else 1024
    return [
        *(Piece(ratios, {"fractions": [fraction]}, 1.0) for fraction in FRACTIONS),
        Piece(searched, {"budget": trials, "seed": budget.seed}, 0.03 * trials),
        Piece(findings),
    ]


def pieces_of_rate(_budget: Budget) -> list[Piece]:
    return [
        Piece(measures, {"T": [2**28, 2**32, 2**36, 2**40], "K": [1, 64, 4096]}, 0.5),
        Piece(measures_in_eps, {"epsilons": [2.0**-26, 2.0**-28, 2.0**-30], "K": [1, 64, 4096]}, 0.5),
    ]


CLAIMS = (
    Claim(
        id="sgd-descent",
        of=("sgd", "sgd-descent"),
        sentence="The classical bound for parallel SGD holds wherever it was tried, is attained at eta = 1/L, and its "
        "statement is sound.",
        pieces=pieces_of_bound,
        judge=judge_bound,
    ),
    Claim(
        id="sgd-rate",
        of=("sgd-rate", "sgd-accuracy", "sgd-costs"),
        sentence="Along its corollaries parallel SGD has the rate (KT)^(-1/2), and takes 1/(K eps^2) samples of each "
        "device to reach eps.",
        pieces=pieces_of_rate,
        judge=judge_rate,
    ),
)
