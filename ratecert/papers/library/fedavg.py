"""FedAvg on devices that differ (Li, Huang, Yang, Wang and Zhang, ICLR 2020).

N devices with weights p_k, sum 1, take E steps w_k <- w_k - eta_t grad F_k(w_k, xi) with eta_t = 2/(mu (gamma + t)),
then w <- sum_k p_k w_k. Each F_k is L-smooth and mu-strongly convex; Gamma = F* - sum_k p_k F_k*. In Theorems 2 and 3
the mean is over K devices, drawn for every round: with replacement by p_k, or K different ones of equal weights.

The start is w_1, its step eta_1, and rounds of E steps are counted from there. E||grad F_k(w_k, xi)||^2 <= G^2 is
asked at the iterates. That K is at most N is written as a condition of Theorem 3. Theorem 4 bounds from below, and is
a sentence; the claim at the end is on two devices for which it is true.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

import ratecert as rc
from ratecert.claims import Budget, Check, Claim, Json, Rows, Task
from ratecert.claims.slope import exponent


def mean_noise(setting: rc.statements.Setting) -> float:
    """The root of sum_k p_k^2 sigma_k^2; devices that are alike have equal weights."""
    known = setting.constants
    return known["sigma_mean"] if "sigma_mean" in known else known["sigma"] / np.sqrt(setting.K)


def heterogeneity(setting: rc.statements.Setting) -> float:
    """F* - sum_k p_k F_k*."""
    return setting.constants.get("Gamma", 0.0)


PAPER = rc.about("On the Convergence of FedAvg on Non-IID Data", certainty="text")
N = rc.letter("N", means="number of devices")
K = rc.letter("K", means="number of devices that are drawn", units="1", least=1)
T = rc.letter("T", means="index of the last iterate", units="1", least=1, of="iterations")
E = rc.letter("E", means="local steps of a round", units="1", least=1)
L = rc.letter("L", means="Lipschitz constant of every gradient", units="f x^-2", of="L")
mu = rc.letter("mu", means="strong convexity of every device", units="f x^-2", of="mu")
S = rc.letter(
    "S",
    means="deviation of the mean sample",
    units="f x^-1",
    of=mean_noise,
    latex=r"\sqrt{\sum_k p_k^2\sigma_k^2}",
)
G = rc.letter("G")
Gamma = rc.letter("Gamma", means="F* - sum_k p_k F_k*", units="f", of=heterogeneity)
R = rc.letter("R", latex=r"\|w_1-w^*\|")
kappa = rc.define("kappa", L / mu, means="condition number", units="1", id="kappa", source="Theorem 1")
gamma = rc.letter("gamma", means="how late the steps begin to fall", units="1")
B = rc.define(
    "B",
    S**2 + 6 * L * Gamma + 8 * (E - 1) ** 2 * G**2,
    means="noise, heterogeneity and drift",
    units="f^2 x^-2",
    id="B",
    source="Theorem 1",
)

CONVEX = rc.statements.Assumption(
    id="convex",
    title="Smoothness and strong convexity",
    source="asked by Theorem 1",
    sentence="Every F_k is L-smooth and mu-strongly convex.",
    constants={"L": 0.0, "mu": 0.0},
    strict=True,
)
BOUNDED = rc.statements.Assumption(
    id="bounded",
    title="Bounded variance and second moment",
    source="asked by Theorem 1",
    sentence="Samples of device k have a variance of at most sigma_k^2 and a second moment of at most G^2.",
    constants={"S": 0.0, "G": 0.0},
)
FEDAVG = rc.statements.Algorithm(
    id="fedavg",
    title="FedAvg",
    source="run by Theorem 1",
    requires="w_k <- w_k - eta_t grad F_k(w_k, xi), eta_t = 2/(mu (gamma + t)); after every E steps all restart "
    "from the mean",
)


def devices(numbers: Any) -> rc.worlds.Federated:
    """Minimisers on either side in turn, every second device curved less; the first one has a weight of its own."""
    n, apart, line = int(numbers["N"]), numbers["apart"], rc.worlds.SingleLevel
    H = np.diag([numbers["L"], numbers["L"] / numbers["spread"]])
    own = [(H, apart), (H / numbers["uneven"], -apart)]
    weights = np.array([numbers["heavy"], *[1.0] * (n - 1)])
    chosen = [line(H=h, a=np.full(2, a), s=numbers["s"]) for h, a in (own[k % 2] for k in range(n))]
    return rc.worlds.Federated(devices=chosen, weights=weights / weights.sum())


RANGES = dict.fromkeys(("L", "apart", "x_off", "s"), (1e-3, 1e3)) | {"heavy": (1e-2, 1e2)}
RANGES |= dict.fromkeys(("spread", "uneven"), (1.0, 1e3))
QUIET, REST = {"s": 0.0}, {"x_off": 0.0}
WEIGHTED = rc.statements.Family(  # from two to six devices
    name="devices",
    levels=(
        rc.statements.Level(name="N", low=2.0, high=6.0, whole=True),
        *(rc.statements.Level(name=name, low=low, high=high) for name, (low, high) in RANGES.items()),
    ),
    world=devices,
    held=(
        {**REST, "apart": 0.0, "spread": 1.0},
        {**QUIET, "apart": 0.0},
        {**QUIET, **REST},
        REST,
        QUIET,
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
ALIKE = rc.statements.Family(  # at least two, as Theorem 3 divides by N - 1
    name="alike",
    levels=(
        *(rc.statements.Level(name=name, low=1e-3, high=1e3) for name in ("L", "x_off", "s")),
        rc.statements.Level(name="spread", low=1.0, high=1e3),
        rc.statements.Level(name="N", low=2.0, high=1e6, whole=True),
    ),
    world=lambda n: rc.worlds.SingleLevel(H=np.diag([n["L"], n["L"] / n["spread"]]), s=n["s"]),
    held=({"x_off": 0.0, "spread": 1.0}, {"s": 0.0, "spread": 1.0}, {}),
    usual={"L": 2.0, "spread": 4.0, "x_off": 1.0, "s": 0.5, "N": 64},
    devices="N",
)

# The statements.


def late(values: Any) -> rc.contract.Schedule:
    """eta_t = 2/(mu (gamma + t)); the start is w_1."""
    return rc.contract.Power(scale=2 / values["mu"], offset=values["gamma"] + 1, exponent=1.0)


def theorem(number: int, title: str, method: Any, **said: Any) -> Any:
    """kappa/(gamma + T - 1) (2 (B + C)/mu + mu gamma/2 R^2), C what drawing devices costs."""
    factor, cost = kappa / (gamma + T - 1), 4 * E**2 * G**2 / K
    drawn = {2: cost, 3: (N - K) / (N - 1) * cost}
    terms = {"spread": factor * 2 * B / mu, "start": factor * mu * gamma / 2 * R**2}
    return rc.theorem(
        method,
        hyperparameters={"p": E, "alpha": late, **said.pop("fields", {})},
        measure=rc.measures.gap().last(),
        bound={**terms, "drawn": factor * 2 * drawn[number] / mu} if number in drawn else terms,
        assuming=[CONVEX, BOUNDED],
        algorithm=FEDAVG,
        devices=N,
        title=title,
        source=f"Theorem {number}",
        counts_from=1,
        most_iterations=2**6,
        blind="G bounds gradients along a whole run and is largest where it starts, so that terms with G are never "
        "needed in full",
        **said,
    )


LATE = rc.equal(gamma, rc.Max(8 * kappa, E))
theorem_1 = theorem(
    1, "FedAvg with all devices", rc.methods.SGD, where=[LATE], worlds=("single_level", WEIGHTED)
)
theorem_2 = theorem(
    2,
    "FedAvg, devices drawn with replacement",
    rc.methods.FedAvg,
    fields={"m": K, "replacement": True},
    where=[LATE],
    worlds=("single_level", WEIGHTED),
)
theorem_3 = theorem(
    3,
    "FedAvg, different devices drawn",
    rc.methods.FedAvg,
    fields={"m": K},
    where=[LATE, K <= N],
    worlds=(ALIKE, "noisy_devices"),
)
corollary_1, corollary_2, corollary_3 = (
    rc.corollary(
        each,
        along=dict.fromkeys(orders, ("O", 1)),
        rate=1 / T,
        title=f"FedAvg falls as 1/T (Theorem {number})",
        source="orders of the theorem's terms",
        printed=False,
    )
    for number, each, orders in ((1, theorem_1, [E]), (2, theorem_2, [E, K]), (3, theorem_3, [E, K]))
)
FIXED_STEP = rc.statements.Text(
    id="theorem-4",
    title="A fixed step keeps FedAvg away from the minimiser",
    source="Theorem 4",
    sentence="With a constant step eta, full gradients and E > 1 there are devices for which the limit of FedAvg is at "
    "a distance of Omega((E - 1) eta) ||w*|| from w*.",
)


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
    ),
)
