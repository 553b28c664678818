"""ProxSkip, in its federated form Scaffnew (Mishchenko, Malinovsky, Stich and Richtarik 2022; numbers of ProxSkip-VR).

    xhat = x - gamma (g - h),   with probability p: x <- mean of xhat - (gamma/p) h over devices, else x <- xhat,
    h   <- h + (p/gamma)(x - xhat)

x and h stand for those of all devices, and so do norms; here they are means over devices instead of sums, in Psi as in
the variance, which divides both sides by the number of devices. f is mu-strongly convex and L-smooth on each of them.
That p is a probability is written as a condition. With p = sqrt(gamma mu) the two rates are one; a letter for L/mu has
no order here, so that the corollary counts iterations, log(1/eps) of them, of which a part p communicates; how rounds
grow with L/mu is measured.
"""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from sympy import Rational, log, sqrt

import ratecert as rc
from ratecert.claims import Budget, Check, Claim, Json, Rows, Task, not_seen
from ratecert.claims.check import at_most, equal
from ratecert.claims.slope import slope


def psi(values: Any) -> rc.measures.Measure:
    """||x - x*||^2 + (gamma/p)^2 ||h - h*||^2 at the last iterate, the mean over devices."""
    away = rc.measures.distance() + rc.measures.drift("x")  # of their mean, and of the devices from it
    factor = float(values["gamma"] / values["p"]) ** 2
    return (away + factor * rc.measures.control("h")).last()


def each(setting: rc.statements.Setting) -> Any:
    """The devices; a world of one kind is every device's."""
    return getattr(setting.world, "devices", (setting.world,))


def control_error(setting: rc.statements.Setting) -> float:
    """||h_0 - h*||, the root of the mean square over devices."""
    h_0, x_star = setting.start.get("h", 0.0), setting.world.x_star
    return float(np.sqrt(np.mean([np.sum((h_0 - d.gradient(x_star)) ** 2) for d in each(setting)])))


def noise(setting: rc.statements.Setting) -> float:
    """The root of the mean over devices of their variances at x*."""
    known = setting.constants
    sigmas = [value for name, value in known.items() if name.removeprefix("sigma_star_").isdigit()]
    return float(np.sqrt(np.mean(np.square(sigmas)))) if sigmas else known["sigma_star"]


def smoothness(setting: rc.statements.Setting) -> float:
    return max(float(device.constants()["calL"]) for device in each(setting))


K, T = rc.letter("K", latex="n"), rc.letter("T")
eps = rc.letter("eps", units="x^2", latex=r"\varepsilon")
gamma = rc.letter("gamma")
p = rc.letter("p", means="probability of an average", units="1")
L = rc.letter("L", means="Lipschitz constant of every gradient", units="f x^-2", of="L")
mu = rc.letter("mu", means="strong convexity on every device", units="f x^-2", of="mu")
A = rc.letter("A", means="expected smoothness of every device", units="f x^-2", of=smoothness)
sigma = rc.letter("sigma", means="root of Var g(x*; xi)", units="f x^-1", of=noise)
R = rc.letter("R")
D = rc.letter(
    "D",
    means="distance of the control variates from h* = grad f(x*)",
    units="f x^-1",
    of=control_error,
    latex=r"\|h_0-h^*\|",
)
Psi_0 = rc.define(
    "Psi_0",
    R**2 + gamma**2 / p**2 * D**2,
    means="the Lyapunov function at the start",
    units="x^2",
    id="lyapunov",
    source="Theorem 6 of ProxSkip-VR",
)
PAPER = rc.about(
    "ProxSkip: Yes! Local Gradient Steps Provably Lead to Communication Acceleration! Finally!",
    certainty="text",
    fractions={1 - gamma * mu: "gamma mu <= 1", 1 - p**2: "p is a probability"},
)

CONVEX = rc.statements.Assumption(
    id="convex",
    title="Smoothness and strong convexity",
    source="asked by Theorems 6 and 8 of ProxSkip-VR",
    sentence="Every f_i is L-smooth and mu-strongly convex.",
    constants={"L": 0.0, "mu": 0.0},
    strict=True,
)
EXPECTED = rc.statements.Assumption(
    id="expected-smoothness",
    title="Expected smoothness",
    source="asked by Theorem 8 of ProxSkip-VR",
    sentence="E||g(x; xi) - g(x*; xi)||^2 <= 2 A D_f(x, x*).",
    constants={"A": 0.0, "sigma": 0.0},
)


def pair(numbers: Any) -> rc.worlds.Federated:
    """Two devices whose minimisers lie on either side, of which one is curved less."""
    line, apart = rc.worlds.SingleLevel, np.full(2, numbers["apart"])
    H = np.diag([numbers["L"], numbers["L"] / numbers["spread"]])
    return rc.worlds.Federated(devices=[line(H=H, a=apart), line(H=H / numbers["uneven"], a=-apart)])


def start(world: Any, numbers: Any) -> dict[str, Any]:
    return {"x": world.x_star + np.full(2, numbers["x_off"]), "h": np.full(2, numbers.get("h_off", 0.0))}


QUIET = rc.statements.Family(  # gamma mu stays below 1/2, so that the bound is never zero
    name="two_devices",
    levels=(
        *(rc.statements.Level(name=name, low=1e-3, high=1e3) for name in ("L", "apart", "x_off", "h_off")),
        rc.statements.Level(name="spread", low=2.0, high=1e3),
        rc.statements.Level(name="uneven", low=1.0, high=1e3),
    ),
    world=pair,
    start=start,
    held=(
        {"x_off": 0.0, "h_off": 0.0, "uneven": 1.0},
        {"apart": 0.0, "h_off": 0.0},
        {"h_off": 0.0},
        {},
    ),
    devices=2,
)


# The statements.


def theorem(number: int, title: str, **said: Any) -> Any:
    return rc.theorem(
        rc.methods.ProxSkip,
        steps="xhat = x - gamma (g - h); with probability p x is the mean of xhat - (gamma/p) h over devices, else "
        "xhat; h <- h + (p/gamma)(x - xhat)",
        measure=psi,
        measure_latex=r"\mathbb{E}\|x_T-x^*\|^2+\frac{\gamma^2}{p^2}\mathbb{E}\|h_T-h^*\|^2",
        measure_units="x^2",
        title=title,
        source=f"Theorem {number} of ProxSkip-VR",
        **said,
    )


START = rc.Max((1 - gamma * mu) ** T, (1 - p**2) ** T) * Psi_0
theorem_6 = theorem(
    6,
    "ProxSkip with full gradients",
    bound={"start": START},
    where=[gamma <= 1 / L, p <= 1],
    assuming=[CONVEX],
    worlds=(QUIET,),
    most_iterations=32,
)
theorem_8 = theorem(
    8,
    "ProxSkip with sampled gradients",
    bound={"start": START, "floor": gamma**2 * sigma**2 / rc.Min(gamma * mu, p**2)},
    where=[gamma <= rc.Min(1 / mu, 1 / A), p <= 1],
    assuming=[CONVEX, EXPECTED],
    worlds=("noisy_hessians", "outcomes", "random_devices"),
    devices=K,
    most_iterations=2**10,
)
corollary_1 = rc.corollary(
    theorem_6,
    along={gamma: ("O", 1), p: ("O", 1), T: log(1 / eps)},
    rate=eps,
    title="Linear convergence of ProxSkip",
    source="with Theorem 6 of ProxSkip-VR, where rounds are O(sqrt(L/mu) log(1/eps))",
    note="log(1/eps) times a constant that is large enough: L/mu, with gamma = 1/L and p = sqrt(gamma mu)",
    printed=False,
)
ROUNDS = rc.statements.Text(
    id="rounds",
    title="Rounds of ProxSkip",
    source="with Theorem 8 of ProxSkip-VR",
    sentence="With gamma = 1/L and p = sqrt(gamma mu) ProxSkip needs O(sqrt(L/mu) log(1/eps)) rounds.",
)
corollary_2 = rc.corollary(
    theorem_8,
    along={gamma: 1 / sqrt(T), p: T ** Rational(-1, 4)},
    rate=1 / sqrt(T),
    window=[T >= K],
    title="The floor of ProxSkip falls with its step, and rounds with its root",
    source="orders of the theorem's terms",
    printed=False,
)
STEP = rc.statements.Erratum(
    place="theorem-8.condition.gamma",
    printed=1 / A,
    read=1 / (2 * A),
    reason="the more a sample curves, the further it may push x: E||g(x; xi) - h*||^2 is at most 4 A D_f + "
    "2 Var g(x*; xi), by Young's inequality",
    evidence="falsify proxskip:theorem-8 refutes the print and not the repair",
)
VARIANCE = rc.statements.Erratum(
    place="theorem-8.term.floor",
    printed=sigma**2,
    read=2 * sigma**2,
    reason="the same",
    evidence="the same",
)

# Rounds to eps along L/mu, on two devices that differ.

LINE: dict[str, Any] = {"L": 1.0, "uneven": 2.0, "apart": 0.5, "x_off": 1.0}
WITHIN = (2, 4, 8)  # of L/mu: iterations between which the fall of the measure is read


def fall(condition: int, within: tuple[int, ...]) -> list[Json]:
    """The rounds in which E Psi falls by a factor e, from one of these times to the next."""
    world = pair({**LINE, "spread": condition})
    L, mu = (float(world.constants()[name]) for name in ("L", "mu"))
    steps = {"gamma": 1 / L, "p": (mu / L) ** 0.5}
    logs = []
    for n in within:
        T = n * condition
        solver, measures = rc.methods.ProxSkip(**steps), {"psi": psi(steps)}
        found = rc.expect(
            world, solver, K=2, T=T, start=start(world, LINE), times=[], measures=measures, certified=False
        )
        logs.append((T, math.log(found.psi), found.precision))
    return [
        {"L/mu": L / mu, "from": T, "rounds": steps["p"] * (U - T) / (a - b), "error": (e + f) / (a - b)}
        for (T, a, e), (U, b, f) in pairwise(logs)
    ]


def tasks(_: Budget) -> list[Task]:
    return [Task(fall, {"condition": 2**n, "within": WITHIN}, 2.0) for n in (16, 20, 24, 28)]


def checks(rows: Rows) -> Iterator[Check]:
    """At most the root of L/mu; and as many for each factor e, so that log(1/eps) is all that eps asks for."""
    late = Rows(row for row in rows if row["from"] == WITHIN[-2] * row["condition"])
    (value, error), (before, _) = (slope(some, "rounds", "L/mu") for some in (late.last(2), late[-3:-1]))
    yield at_most("exponent of L/mu in the rounds", value, 0.5, abs(value - before) + error, 1e-3)
    for condition, here in rows.by("condition"):
        first, second = (row["rounds"] for row in here)
        yield equal(
            f"rounds of a later factor e over those of an earlier one, {condition}", second / first, 1.0, 1e-3
        )


CLAIMS = (
    Claim(
        id="rounds",
        of=("rounds",),
        sentence="With gamma = 1/L and p = sqrt(gamma mu) rounds grow at most as sqrt(L/mu), and as log(1/eps).",
        tasks=tasks,
        checks=checks,
        regime="two quadratics that differ, full gradients, from a start away from the solution",
        method="exact moments, between two times",
        evidence=("exact moments",),
        settings={"world": LINE, "L/mu": "2^17 to 2^29"},
        notes=[
            not_seen(
                "other devices, other functions: an order is claimed for all, and two quadratics are one case"
            )
        ],
        table=("condition", "from", "rounds", "error"),
    ),
)
