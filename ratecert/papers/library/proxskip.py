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
from sympy import Ge, Max, Min, Rational, log, sqrt

import ratecert as rc
from ratecert.claims import Budget, Check, Claim, Json, Rows, Task, not_seen
from ratecert.claims.check import at_most, equal
from ratecert.claims.slope import slope

s = rc.statements
K, T, eps, p, gamma, L, mu, A, sigma, R, D, Psi_0 = s.letters("K T eps p gamma L mu A sigma R D Psi_0")

NOTATION = s.table(
    s.Symbol("K", "n", "number of devices", units="1", least=1),
    s.Symbol("T", "T", "number of iterations", units="1", least=1),
    s.Symbol("eps", r"\varepsilon", "accuracy to be reached", units="x^2"),
    s.Symbol("gamma", r"\gamma", "step size", units="x^2 f^-1"),
    s.Symbol("p", "p", "probability of an average", units="1"),
    s.Symbol("L", "L", "Lipschitz constant of every gradient", units="f x^-2"),
    s.Symbol("mu", r"\mu", "strong convexity on every device", units="f x^-2"),
    s.Symbol("A", "A", "expected smoothness of every device", units="f x^-2"),
    s.Symbol("sigma", r"\sigma", "root of Var g(x*; xi)", units="f x^-1"),
    s.Symbol("R", r"\|x_0-x^*\|", "distance of the start from the minimiser", units="x"),
    s.Symbol("D", r"\|h_0-h^*\|", "distance of the control variates from h* = grad f(x*)", units="f x^-1"),
    s.Symbol("Psi_0", r"\Psi_0", "the Lyapunov function at the start", units="x^2"),
)

CONVEX = s.Assumption(
    id="convex",
    title="Smoothness and strong convexity",
    source="asked by Theorems 6 and 8 of ProxSkip-VR",
    sentence="Every f_i is L-smooth and mu-strongly convex.",
    constants={"L": 0.0, "mu": 0.0},
    strict=True,
)
EXPECTED = s.Assumption(
    id="expected-smoothness",
    title="Expected smoothness",
    source="asked by Theorem 8 of ProxSkip-VR",
    sentence="E||g(x; xi) - g(x*; xi)||^2 <= 2 A D_f(x, x*).",
    constants={"A": 0.0, "sigma": 0.0},
)

LYAPUNOV = s.Definition(
    id="lyapunov",
    title="Lyapunov function",
    source="Theorem 6 of ProxSkip-VR",
    left=Psi_0,
    right=R**2 + gamma**2 / p**2 * D**2,
)

PROXSKIP = s.Algorithm(
    id="proxskip",
    title="ProxSkip",
    source="run by Theorems 6 and 8 of ProxSkip-VR",
    hyperparameters=("gamma", "p"),
    starts_from=(),
    lines=(),
    updates={},
    requires="xhat = x - gamma (g - h); with probability p x is the mean of xhat - (gamma/p) h over devices, else "
    "xhat; h <- h + (p/gamma)(x - xhat)",
)

PROBABILITY = s.Condition(p, "<=", (1,))
START = Max((1 - gamma * mu) ** T, (1 - p**2) ** T) * Psi_0
MEASURE = r"\mathbb{E}\|x_T-x^*\|^2+\frac{\gamma^2}{p^2}\mathbb{E}\|h_T-h^*\|^2"

FULL = s.Theorem(
    id="theorem-6",
    title="ProxSkip with full gradients",
    source="Theorem 6 of ProxSkip-VR",
    algorithm="proxskip",
    assumptions=("convex",),
    measure=MEASURE,
    measure_units="x^2",
    conditions={"gamma": s.Condition(gamma, "<=", (1 / L,)), "p": PROBABILITY},
    terms={"start": START},
)

STOCHASTIC = s.Theorem(
    id="theorem-8",
    title="ProxSkip with sampled gradients",
    source="Theorem 8 of ProxSkip-VR",
    algorithm="proxskip",
    assumptions=("convex", "expected-smoothness"),
    measure=MEASURE,
    measure_units="x^2",
    conditions={"gamma": s.Condition(gamma, "<=", (1 / mu, 1 / A)), "p": PROBABILITY},
    terms={"start": START, "floor": gamma**2 * sigma**2 / Min(gamma * mu, p**2)},
)

LINEAR = s.Corollary(
    id="corollary-1",
    title="Linear convergence of ProxSkip",
    source="with Theorem 6 of ProxSkip-VR, where rounds are O(sqrt(L/mu) log(1/eps))",
    printed=False,
    theorem="theorem-6",
    scalings={"gamma": s.Scaling(1), "p": s.Scaling(1), "T": s.Scaling(log(1 / eps), "Theta")},
    claim=s.Scaling(eps),
    note="log(1/eps) times a constant that is large enough: L/mu, with gamma = 1/L and p = sqrt(gamma mu)",
)
ROUNDS = s.Text(
    id="rounds",
    title="Rounds of ProxSkip",
    source="with Theorem 8 of ProxSkip-VR",
    sentence="With gamma = 1/L and p = sqrt(gamma mu) ProxSkip needs O(sqrt(L/mu) log(1/eps)) rounds.",
)
FLOOR = s.Corollary(
    id="corollary-2",
    title="The floor of ProxSkip falls with its step, and rounds with its root",
    source="orders of the theorem's terms",
    printed=False,
    theorem="theorem-8",
    scalings={"gamma": s.Scaling(1 / sqrt(T), "Theta"), "p": s.Scaling(T ** Rational(-1, 4), "Theta")},
    claim=s.Scaling(1 / sqrt(T)),
    window=(Ge(T, K),),
)

PRINTED = s.Paper(
    key="proxskip",
    title="ProxSkip: Yes! Local Gradient Steps Provably Lead to Communication Acceleration! Finally!",
    certainty="text",
    notation=NOTATION,
    statements=s.by_id(CONVEX, EXPECTED, LYAPUNOV, PROXSKIP, FULL, STOCHASTIC, LINEAR, ROUNDS, FLOOR),
    bindings={},
    fractions={1 - gamma * mu: "gamma mu <= 1", 1 - p**2: "p is a probability"},
)

CROSSED = (
    "the more a sample curves, the further it may push x: E||g(x; xi) - h*||^2 is at most 4 A D_f + "
    "2 Var g(x*; xi), by Young's inequality"
)
REPAIRED = PRINTED.repaired(
    (
        s.Erratum(
            place="theorem-8.condition.gamma",
            printed=1 / A,
            read=1 / (2 * A),
            reason=CROSSED,
            evidence="falsify proxskip:theorem-8 refutes the print and not the repair",
        ),
        s.Erratum(
            place="theorem-8.term.floor",
            printed=sigma**2,
            read=2 * sigma**2,
            reason="the same",
            evidence="the same",
        ),
    )
)


def psi(values: Any) -> rc.measures.Measure:
    """||x - x*||^2 + (gamma/p)^2 ||h - h*||^2 at the last iterate, the mean over devices."""
    away = rc.measures.form(lambda problem, state: state.x - problem.x_star[:, None], of="devices", reads="x")
    factor = float(values["gamma"] / values["p"]) ** 2
    return (away + factor * rc.measures.control("h")).last()


def each(setting: s.Setting) -> Any:
    """The devices; a world of one kind is every device's."""
    return getattr(setting.world, "devices", (setting.world,))


def control_error(setting: s.Setting) -> float:
    """||h_0 - h*||, the root of the mean square over devices."""
    h_0 = setting.start.get("h", 0.0)
    return float(
        np.sqrt(np.mean([np.sum((h_0 - d.gradient(setting.world.x_star)) ** 2) for d in each(setting)]))
    )


def noise(setting: s.Setting) -> float:
    """The root of the mean over devices of their variances at x*."""
    known = setting.constants
    sigmas = [value for name, value in known.items() if name.removeprefix("sigma_star_").isdigit()]
    return float(np.sqrt(np.mean(np.square(sigmas)))) if sigmas else known["sigma_star"]


def device(numbers: Any, centre: float, share: float) -> rc.worlds.SingleLevel:
    """Two curvatures, noise in the Hessian and in the gradient, where the numbers have it."""
    H = share * np.diag([numbers["L"], numbers["L"] / numbers["spread"]])
    E = [numbers["noise_H"] * H] if "noise_H" in numbers else None
    return rc.worlds.SingleLevel(H=H, a=np.full(2, centre), E=E, s=numbers.get("s", 0.0))


def pair(numbers: Any) -> rc.worlds.Federated:
    """Two devices whose minimisers lie on either side, of which one is curved less."""
    first, apart = device(numbers, numbers["apart"], 1.0), numbers["apart"]
    return rc.worlds.Federated(devices=[first, device(numbers, -apart, 1 / numbers["uneven"])])


def start(world: Any, numbers: Any) -> dict[str, Any]:
    return {"x": world.x_star + np.full(2, numbers["x_off"]), "h": np.full(2, numbers.get("h_off", 0.0))}


def numbers(names: str, low: float = 1e-3) -> tuple[s.Level, ...]:
    return tuple(s.Level(name=name, low=low, high=1e3) for name in names.split())


AT_REST = {"x_off": 0.0, "h_off": 0.0}
QUIET = s.Family(  # gamma mu stays below 1/2, so that the bound is never zero
    name="two_devices",
    levels=(*numbers("L apart x_off h_off"), *numbers("spread", 2.0), *numbers("uneven", 1.0)),
    world=pair,
    start=start,
    held=({**AT_REST, "uneven": 1.0}, {"apart": 0.0, "h_off": 0.0}, {"h_off": 0.0}, {}),
    devices=2,
)
NOISE = (*numbers("s"), s.Level(name="noise_H", low=1e-3, high=1.0))
ALIKE = s.Family(
    name="alike",
    levels=(*numbers("L x_off"), *numbers("spread", 1.0), *NOISE),
    world=lambda numbers: device(numbers, 0.0, 1.0),
    start=start,
    held=({"x_off": 0.0, "spread": 1.0, "noise_H": 0.0}, {"spread": 1.0}, {}),
    usual={"L": 2.0, "spread": 4.0, "x_off": 1.0, "s": 0.5, "noise_H": 0.25},
)
NOISY = s.Family(
    name="two_noisy_devices",
    levels=(*QUIET.levels, *NOISE),
    world=pair,
    start=start,
    held=(AT_REST, {"apart": 0.0, "h_off": 0.0}, {}),
    devices=2,
)


def run(constants: dict[str, Any], worlds: tuple[str | s.Family, ...], devices: str, most: int) -> s.Binding:
    return s.Binding(
        method=rc.methods.ProxSkip,
        hyperparameters={"gamma": gamma, "p": p},
        measure=psi,
        constants={"mu": "mu", "R": "distance", "D": control_error, **constants},
        worlds=worlds,
        devices=devices,
        most_iterations=most,
    )


def smoothness(setting: s.Setting) -> float:
    return max(float(device.constants()["calL"]) for device in each(setting))


RUNS = {
    "theorem-6": run({"L": "L"}, (QUIET,), "", 32),
    "theorem-8": run(
        {"A": smoothness, "sigma": noise}, (ALIKE, NOISY, "outcomes", "random_devices"), "K", 2**10
    ),
}


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
        runs=("ProxSkip",),
    ),
)
