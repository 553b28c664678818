"""SOBA: both levels and the linear system move together (Dagreou, Ablin, Vaiter and Moreau, NeurIPS 2022).

min h(x) = F(z*(x), x), z* = argmin G(., x), v*(x) = -[grad_11 G]^{-1} grad_1 F(z*, x). With steps rho, rho and gamma

    z <- z - rho D_z,   v <- v - rho D_v,   x <- x - gamma D_x,   all without bias, V their second moments,

and d_z = E||z - z*||^2, d_v = E||v - v*||^2. The lemmas are about one step; what is before it is measured, and h is
counted from its minimum. L_* is the larger Lipschitz constant of z* and v*. The 1 in Assumption 3.6 has the units of
||D||^2; no statement with constants uses it. Theorem 1 gives an order without constants, so that it is a sentence here,
and its order is measured by the claim at the end; the linter reads its conditions on rho.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

import ratecert as rc
from ratecert.claims import Budget, Check, Claim, Json, Rows, Task, at_most, not_seen
from ratecert.claims.slope import slope as slope_of

# The worlds, and what is read of them.


def world(numbers: Any) -> rc.worlds.Quadratic:
    """One z and one x: G = mu/2 z^2 - J z x, F = P/2 x^2 + D/2 (z - 1)^2, noise in all gradients."""
    n = numbers
    return rc.worlds.Quadratic(A=n["mu"], B=n["J"], P=n["P"], D=n["D"], b=1.0, s_f=n["s_f"], s_g=n["s_g"])


def v_star(problem: rc.worlds.Quadratic, x: Any) -> Any:
    return -1.0 * (problem.D[0, 0] / problem.A[0, 0]) * (problem.y_star(x) - problem.b[:, None])


def start(made: Any, numbers: Any) -> dict[str, Any]:
    x = made.x_star + numbers["x_off"]
    v = v_star(made, x[:, None])[:, 0] + numbers["v_off"]
    return {"x": x, "y": made.y_star(x) + numbers["y_off"], "v": v}


NAMES = ("mu", "J", "P", "D", "s_f", "s_g", "x_off", "y_off", "v_off")
QUIET, REST = {"s_f": 0.0, "s_g": 0.0}, {"x_off": 0.0, "y_off": 0.0, "v_off": 0.0}
FAMILY = rc.statements.Family(
    name="scalar",
    levels=tuple(rc.statements.Level(name=name, low=1e-3, high=1e3) for name in NAMES),
    world=world,
    start=start,
    held=(REST, QUIET, {**QUIET, "v_off": 0.0}, {**QUIET, "y_off": 0.0, "v_off": 0.0}, {}),
    devices=1,
)


def direction(of: str) -> rc.measures.Measure:
    """The second moment of D_z, D_v or D_x: the mean, and below it the noise."""

    def vector(problem: rc.worlds.Quadratic, t: Any) -> Any:
        mean = {
            "z": lambda: problem.A @ t.y - problem.B @ t.x,
            "v": lambda: problem.A @ t.v + problem.D @ (t.y - problem.b[:, None]),
            "x": lambda: problem.P @ t.x - problem.B.T @ t.v,
        }[of]()
        return np.concatenate([mean, 0 * mean + (problem.s_g if of == "z" else problem.s_f)])

    return rc.measures.form(vector)


READ = {
    "d_z": rc.measures.tracking(),
    "d_v": rc.measures.form(lambda problem, t: t.v - v_star(problem, t.x)),
    **{f"V_{of}": direction(of) for of in "zvx"},
    "h": rc.measures.gap(),
    "g": rc.measures.gradient(),
}


def slope(w: rc.worlds.Quadratic) -> float:
    """Of z*; that of v* is D/mu times as large."""
    return float(w.B[0, 0] / w.A[0, 0])


# The letters: steps, constants of the world, and what is measured before a step.


def letter(name: str, latex: str, means: str, units: str, of: Any = None) -> Any:
    return rc.letter(
        name, means=means, units=units, latex=latex, of=of and (lambda setting: float(of(setting.world)))
    )


def before(name: str, latex: str, means: str, units: str) -> Any:
    of = rc.statements.Measured(READ[name].last(), before=1)
    return rc.letter(name, means=means, units=units, latex=latex, of=of)


PAPER = rc.about(
    "A framework for bilevel optimization that enables stochastic and global variance reduction algorithms",
    certainty="text",
    edition="the submission",
)
T = rc.letter("T")
rho = letter("rho", r"\rho", "step size of z and v", "x^2 f^-1")
gamma = letter("gamma", r"\gamma", "step size of x", "x^2 f^-1")
mu = letter("mu", r"\mu_G", "strong convexity of G", "f x^-2", lambda w: w.A[0, 0])
L_star = letter(
    *("L_star", "L_*", "Lipschitz constant of z* and v*", "1"),
    lambda w: slope(w) * max(1.0, w.D[0, 0] / w.A[0, 0]),
)
L_F = letter(
    "L_F", "L^F", "Lipschitz constant of the gradients of F", "f x^-2", lambda w: max(w.P[0, 0], w.D[0, 0])
)
L_11 = letter("L_11", "L^G_{11}", "Lipschitz constant of grad_11 G", "f x^-3", lambda _: 0.0)
C_F = rc.letter("C_F", means="bound on grad_1 F", units="f x^-1", latex="C^F", of=lambda _: 0.0, ours=True)
L_x = letter("L_x", "L_x", "Lipschitz constant of D_x in (z, v)", "f x^-2", lambda w: w.B[0, 0])
L_h = letter(
    *("L_h", "L^h", "Lipschitz constant of grad h", "f x^-2"), lambda w: w.P[0, 0] + slope(w) ** 2 * w.D[0, 0]
)
d_z = before("d_z", r"\delta_z", "E||z - z*||^2", "x^2")
d_v = before("d_v", r"\delta_v", "E||v - v*||^2", "x^2")
V_z, V_v, V_x = (before(f"V_{of}", f"V_{of}", f"second moment of D_{of}", "f^2 x^-2") for of in "zvx")
h = before("h", "h", "E h(x) - h*", "f")
g = before("g", "g", "E||grad h(x)||^2", "f^2 x^-2")
beta = rc.define(
    *("beta", (L_F * mu + L_11) ** 2 / mu**3),
    means="what z costs v",
    latex=r"\beta_{vz}",
    id="beta",
    source="Lemma 3.8",
)

# The statements.

SMOOTH = rc.statements.Assumption(
    id="smooth",
    title="Smoothness and strong convexity",
    source="asked by Lemma 3.8",
    sentence="G is mu_G-strongly convex in z, with Lipschitz second derivatives; F has Lipschitz gradients.",
    constants={"mu": 0.0},
    strict=True,
)
GROWTH = rc.statements.Assumption(
    id="assumption-3-6",
    title="Growth of the second moments",
    source="Assumption 3.6",
    sentence="V_z <= B_z^2 (1 + ||D_z||^2) and V_v <= B_v^2 (1 + ||D_v||^2).",
    constants={},
)


def lemma(left: str, source: str, latex: str, units: str, **said: Any) -> Any:
    return rc.theorem(
        rc.methods.SOBA,
        steps="z <- z - rho D_z, v <- v - rho D_v, x <- x - gamma D_x",
        measure=READ[left].last(),
        measure_latex=latex,
        measure_units=units,
        assuming=[SMOOTH],
        worlds=(FAMILY,),
        source=source,
        most_iterations=4,
        blind="second derivatives of quadratics are constant, so that L^G_11 is zero",
        **said,
    )


MOVED = L_star**2 / mu * gamma**2 / rho * V_x
lemma_3_8_z = lemma(
    *("d_z", "Lemma 3.8", r"\delta_z^{t+1}", "x^2"),
    title="One step of z",
    bound={"distance": (1 - rho * mu / 2) * d_z, "noise": 2 * rho**2 * V_z, "moved": 4 * MOVED},
    where=[rho <= 2 / mu],
)
lemma_3_8_v = lemma(
    *("d_v", "Lemma 3.8", r"\delta_v^{t+1}", "x^2"),
    title="One step of v",
    bound={
        "distance": (1 - rho * mu / 4) * d_v,
        "lower": rho * beta * d_z,
        "noise": 2 * rho**2 * V_v,
        "moved": 8 * MOVED,
    },
    where=[rho <= 2 / mu],
)
lemma_3_9 = lemma(
    *("h", "Lemma 3.9", "h^{t+1}", "f"),
    title="One step of x",
    bound={
        "value": h,
        "descent": -gamma / 2 * g,
        "bias": gamma / 2 * L_x**2 * (d_z + d_v),
        "noise": L_h / 2 * gamma**2 * V_x,
    },
)
L_z, L_v = (letter(n, f"L_{n[-1]}", f"Lipschitz constant of D_{n[-1]}", "f x^-2") for n in ("L_z", "L_v"))
B_z, B_v = (letter(n, f"B_{n[-1]}", f"growth of the noise of D_{n[-1]}", "1") for n in ("B_z", "B_v"))
ORDER = rc.statements.Text(
    id="theorem-1",
    title="SOBA after T iterations",
    source="Theorem 1",
    sentence="With rho = T^{-2/5} <= min(mu_G/(8 L_z^2 B_z^2), mu_G/(16 L_v^2 B_v^2), 2/mu_G) and gamma = "
    "T^{-3/5}, the mean of E||grad h(x_t)||^2 is O(T^{-2/5}).",
    conditions={
        "rho": rc.statements.Condition(
            rho, "<=", (mu / (8 * L_z**2 * B_z**2), mu / (16 * L_v**2 * B_v**2), 2 / mu)
        )
    },
)
UNITS = rc.statements.Erratum(
    place="beta.right",
    printed=L_F * mu + L_11,
    read=L_F * mu + L_11 * C_F,
    reason="the summands differ in units; what L^G_11 multiplies is v*, of which ||grad_1 F||/mu_G is a bound",
    evidence="D_v(z, v*) - D_v(z*, v*) = (grad_11 G(z) - grad_11 G(z*)) v* + grad_1 F(z) - grad_1 F(z*), whose "
    "norm is at most (L^G_11 C^F/mu_G + L^F) ||z - z*||; quadratics have L^G_11 = 0 and cannot show it",
)

# Theorem 1: the order in T, on an ordinary world, with the constants that its steps leave open.


def along(powers: tuple[int, ...]) -> list[Json]:
    """The mean of E||grad h(x_t)||^2 over t < T, with rho = T^{-2/5} and gamma = T^{-3/5}."""
    made = world(ORDINARY)
    begin, read = start(made, dict.fromkeys(REST, 1.0)), {"g": READ["g"]}
    rows = []
    for T in (2**power for power in powers):
        solver = rc.methods.SOBA(rho=T**-0.4, gamma=T**-0.6)
        found = rc.expect(made, solver, K=1, T=T, start=begin, times=[], measures=read)
        rows.append({"T": T, "g": found.g, "precision": found.precision})
    return rows


def tasks(_: Budget) -> list[Task]:
    return [Task(along, {"powers": (50, 55, 60)})]


def checks(rows: Rows) -> Iterator[Check]:
    """A faster fall would be no contradiction."""
    found, error = slope_of(rows, "g", "T")
    yield at_most("exponent of T", found, -0.4, error, 1e-3)


ORDINARY = {"mu": 1.0, "J": 0.5, "P": 1.0, "D": 1.0, "s_f": 0.5, "s_g": 0.5}
CLAIMS = (
    Claim(
        id="theorem-1",
        of=("theorem-1",),
        sentence="With steps of orders T^(-2/5) and T^(-3/5) the mean squared gradient of SOBA is O(T^(-2/5)).",
        tasks=tasks,
        checks=checks,
        regime="one quadratic world with additive noise; T from 2^50 to 2^60",
        method="exact moments",
        evidence=("exact moments",),
        settings={"mu": 1.0, "J": 0.5, "P": 1.0, "D": 1.0, "noise": 0.5},
        notes=[
            not_seen(
                "an order leaves its constant open, and one world has only one: a slower world would refute the order, "
                "faster ones prove nothing"
            )
        ],
        table=("T", "g"),
    ),
)
