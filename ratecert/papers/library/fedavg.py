"""FedAvg on devices that differ (Li, Huang, Yang, Wang and Zhang, ICLR 2020).

N devices with weights p_k, sum 1, take E steps w_k <- w_k - eta_t grad F_k(w_k, xi) with eta_t = 2/(mu (gamma + t)),
then w <- sum_k p_k w_k. Each F_k is L-smooth and mu-strongly convex; Gamma = F* - sum_k p_k F_k*. In Theorems 2 and 3
the mean is over K devices, drawn for every round: with replacement by p_k, or K different ones of equal weights.

The start is w_1, its step eta_1, and rounds of E steps are counted from there. E||grad F_k(w_k, xi)||^2 <= G^2 is
asked at the iterates. That K is at most N is written as a condition of Theorem 3. Theorem 4 bounds from below, and is
a sentence; the claim at the end is on two devices for which it is true.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from sympy import Max

import ratecert as rc
from ratecert.claims import Budget, Check, Claim, Json, Rows, Task
from ratecert.claims.slope import exponent

s = rc.statements
N, T, E, K, L, mu, S, G, Gamma, R = s.letters("N T E K L mu S G Gamma R")
kappa, gamma, B = s.letters("kappa gamma B")

NOTATION = s.table(
    s.Symbol("N", "N", "number of devices", units="1", least=1),
    s.Symbol("K", "K", "number of devices that are drawn", units="1", least=1),
    s.Symbol("T", "T", "index of the last iterate", units="1", least=1),
    s.Symbol("E", "E", "local steps of a round", units="1", least=1),
    s.Symbol("L", "L", "Lipschitz constant of every gradient", units="f x^-2"),
    s.Symbol("mu", r"\mu", "strong convexity of every device", units="f x^-2"),
    s.Symbol("S", r"\sqrt{\sum_k p_k^2\sigma_k^2}", "deviation of the mean sample", units="f x^-1"),
    s.Symbol("G", "G", "root of the largest second moment of a sample", units="f x^-1"),
    s.Symbol("Gamma", r"\Gamma", "F* - sum_k p_k F_k*", units="f"),
    s.Symbol("R", r"\|w_1-w^*\|", "distance of the start from the minimiser", units="x"),
    s.Symbol("kappa", r"\kappa", "condition number", units="1"),
    s.Symbol("gamma", r"\gamma", "how late the steps begin to fall", units="1"),
    s.Symbol("B", "B", "noise, heterogeneity and drift", units="f^2 x^-2"),
)

CONVEX = s.Assumption(
    id="convex",
    title="Smoothness and strong convexity",
    source="asked by Theorem 1",
    sentence="Every F_k is L-smooth and mu-strongly convex.",
    constants={"L": 0.0, "mu": 0.0},
    strict=True,
)
BOUNDED = s.Assumption(
    id="bounded",
    title="Bounded variance and second moment",
    source="asked by Theorem 1",
    sentence="Samples of device k have a variance of at most sigma_k^2 and a second moment of at most G^2.",
    constants={"S": 0.0, "G": 0.0},
)
KAPPA = s.Definition(id="kappa", title="Condition number", source="Theorem 1", left=kappa, right=L / mu)
ERROR = s.Definition(
    id="B",
    title="Noise, heterogeneity and drift",
    source="Theorem 1",
    left=B,
    right=S**2 + 6 * L * Gamma + 8 * (E - 1) ** 2 * G**2,
)
FEDAVG = s.Algorithm(
    id="fedavg",
    title="FedAvg",
    source="run by Theorem 1",
    hyperparameters=("E", "K"),
    starts_from=(),
    lines=(),
    updates={},
    requires="w_k <- w_k - eta_t grad F_k(w_k, xi), eta_t = 2/(mu (gamma + t)); after every E steps all restart "
    "from the mean",
)
LATE = {"gamma": s.Condition(gamma, "=", (8 * kappa, E), of=Max)}
WITH = 4 * E**2 * G**2 / K
DRAWN = {2: WITH, 3: (N - K) / (N - 1) * WITH}


def theorem(number: int, title: str, conditions: Mapping[str, s.Condition]) -> s.Theorem:
    """kappa/(gamma + T - 1) (2 (B + C)/mu + mu gamma/2 R^2), C what drawing devices costs."""
    late = kappa / (gamma + T - 1)
    terms = {"spread": late * 2 * B / mu, "start": late * mu * gamma / 2 * R**2}
    return s.Theorem(
        id=f"theorem-{number}",
        title=title,
        source=f"Theorem {number}",
        algorithm="fedavg",
        assumptions=("convex", "bounded"),
        measure=r"\mathbb{E}F(w_T)-F^*",
        measure_units="f",
        conditions={**LATE, **conditions},
        terms={**terms, "drawn": late * 2 * DRAWN[number] / mu} if number in DRAWN else terms,
    )


def corollary(number: int) -> s.Corollary:
    return s.Corollary(
        id=f"corollary-{number}",
        title=f"FedAvg falls as 1/T (Theorem {number})",
        source="orders of the theorem's terms",
        printed=False,
        theorem=f"theorem-{number}",
        scalings={"E": s.Scaling(1)} | ({} if number == 1 else {"K": s.Scaling(1)}),
        claim=s.Scaling(1 / T),
    )


FIXED_STEP = s.Text(
    id="theorem-4",
    title="A fixed step keeps FedAvg away from the minimiser",
    source="Theorem 4",
    sentence="With a constant step eta, full gradients and E > 1 there are devices for which the limit of FedAvg is at "
    "a distance of Omega((E - 1) eta) ||w*|| from w*.",
)

PRINTED = s.Paper(
    key="fedavg",
    title="On the Convergence of FedAvg on Non-IID Data",
    certainty="text",
    notation=NOTATION,
    statements=s.by_id(
        CONVEX,
        BOUNDED,
        KAPPA,
        ERROR,
        FEDAVG,
        theorem(1, "FedAvg with all devices", {}),
        theorem(2, "FedAvg, devices drawn with replacement", {}),
        theorem(3, "FedAvg, different devices drawn", {"K": s.Condition(K, "<=", (N,))}),
        *(corollary(number) for number in (1, 2, 3)),
        FIXED_STEP,
    ),
    bindings={},
)


def devices(numbers: Any) -> rc.worlds.Federated:
    """Minimisers on either side in turn, every second device curved less; the first one has a weight of its own."""
    n, apart, line = int(numbers["N"]), numbers["apart"], rc.worlds.SingleLevel
    H = np.diag([numbers["L"], numbers["L"] / numbers["spread"]])
    own = [(H, apart), (H / numbers["uneven"], -apart)]
    weights = np.array([numbers.get("heavy", 1.0), *[1.0] * (n - 1)])
    chosen = [line(H=h, a=np.full(2, a), s=numbers["s"]) for h, a in (own[k % 2] for k in range(n))]
    return rc.worlds.Federated(devices=chosen, weights=weights / weights.sum())


def family(*more: s.Level) -> s.Family:
    """From two to six devices."""
    ranges = dict.fromkeys(("L", "apart", "x_off", "s"), (0.001, 1000.0))
    ranges |= dict.fromkeys(("spread", "uneven"), (1.0, 1000.0))
    quiet, rest = {"s": 0.0}, {"x_off": 0.0}
    return s.Family(
        name="devices",
        levels=(
            *(s.Level(name=name, low=low, high=high) for name, (low, high) in ranges.items()),
            s.Level(name="N", low=2.0, high=6.0, whole=True),
            *more,
        ),
        world=devices,
        held=(
            {**rest, "apart": 0.0, "spread": 1.0},
            {**quiet, "apart": 0.0},
            {**quiet, **rest},
            rest,
            quiet,
            {},
        ),
        usual={
            "L": 2.0,
            "spread": 4.0,
            "x_off": 1.0,
            "s": 0.5,
            "uneven": 2.0,
            "apart": 0.5,
            "N": 4,
            "heavy": 2.0,
        },
        devices="N",
    )


ALIKE = s.Family(  # at least two, as Theorem 3 divides by N - 1
    name="alike",
    levels=(
        *(s.Level(name=name, low=1e-3, high=1e3) for name in ("L", "x_off", "s")),
        s.Level(name="spread", low=1.0, high=1e3),
        s.Level(name="N", low=2.0, high=1e6, whole=True),
    ),
    world=lambda n: rc.worlds.SingleLevel(H=np.diag([n["L"], n["L"] / n["spread"]]), s=n["s"]),
    held=({"x_off": 0.0, "spread": 1.0}, {"s": 0.0, "spread": 1.0}, {}),
    usual={"L": 2.0, "spread": 4.0, "x_off": 1.0, "s": 0.5, "N": 64},
    devices="N",
)
WEIGHTED = family(s.Level(name="heavy", low=1e-2, high=1e2))
STEPS = {"p": E, "alpha": lambda v: rc.contract.Power(scale=2 / v["mu"], offset=v["gamma"] + 1, exponent=1.0)}


def mean_noise(setting: s.Setting) -> float:
    """The root of sum_k p_k^2 sigma_k^2; devices that are alike have equal weights."""
    known = setting.constants
    return known["sigma_mean"] if "sigma_mean" in known else known["sigma"] / np.sqrt(setting.K)


def run(method: Any, alike: str | s.Family, own: s.Family, **fields: Any) -> s.Binding:
    """On devices that are alike, of any number, and on some that differ."""
    sources = {"S": mean_noise, "Gamma": lambda setting: setting.constants.get("Gamma", 0.0)}
    names = {"L": "L", "mu": "mu", "G": "largest_gradient", "R": "distance"}
    return s.Binding(
        method=method,
        hyperparameters={**STEPS, **fields},
        measure=rc.measures.gap().last(),
        constants={**names, **sources},
        worlds=(alike, own),
        devices="N",
        counts_from=1,
        most_iterations=2**6,
        blind="G bounds gradients along a whole run and is largest where it starts, so that terms with G are never "
        "needed in full",
    )


RUNS = {
    "theorem-1": run(rc.methods.SGD, "single_level", WEIGHTED),
    "theorem-2": run(rc.methods.FedAvg, "single_level", WEIGHTED, m=K, replacement=True),
    "theorem-3": run(rc.methods.FedAvg, ALIKE, family(), m=K),
}


# Theorem 4: two devices, curvatures 1 and 2, minimisers 1 and 0.


def off(E: int, steps: tuple[float, ...]) -> list[Json]:
    """How far the limit is from w* = 1/3, in units of w*, and of the step times E - 1."""
    line = rc.worlds.SingleLevel
    world: Any = rc.worlds.Federated(devices=[line(H=1.0, a=1.0), line(H=2.0, a=0.0)])
    limits = {eta: rc.fixed_point(world, rc.methods.LocalGD(alpha=eta, p=E)).x[0] for eta in steps}
    return [{"eta": eta, "E - 1": E - 1, "off": float(abs(3 * limit - 1))} for eta, limit in limits.items()]


def tasks(_: Budget) -> list[Task]:
    return [Task(off, {"E": E, "steps": (2.0**-13, 2.0**-14, 2.0**-15)}) for E in (2, 3, 5, 9)]


def checks(rows: Rows) -> Iterator[Check]:
    """Both exponents are 1 in the limit of small steps; the next order is eta E."""
    for along, other in (("eta", "E - 1"), ("E - 1", "eta")):
        held, here = min(rows.by(other), key=lambda pair: float(pair[0]))
        yield exponent(f"distance from w* in {along}, {other} = {held:g}", here, "off", along, 1.0, 1e-3)


CLAIMS = (
    Claim(
        id="theorem-4",
        of=("theorem-4",),
        sentence="With a constant step and E > 1 the limit of FedAvg is off w* by the order of (E - 1) eta.",
        tasks=tasks,
        checks=checks,
        regime="two devices, small steps",
        method="the limit, exactly",
        evidence=("exact moments",),
        settings={"curvatures": [1.0, 2.0], "minimisers": [1.0, 0.0]},
        notes=[
            "The theorem says that some problem has this; so these two devices would do, and they are not the source's."
        ],
        table=("eta", "E - 1", "off"),
        runs=("LocalGD",),
    ),
)
