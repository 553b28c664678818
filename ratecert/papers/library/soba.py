"""SOBA: both levels and the linear system move together (Dagreou, Ablin, Vaiter and Moreau, NeurIPS 2022).

min h(x) = F(z*(x), x), z* = argmin G(., x), v*(x) = -[grad_11 G]^{-1} grad_1 F(z*, x). With steps rho, rho and gamma

    z <- z - rho D_z,   v <- v - rho D_v,   x <- x - gamma D_x,   all without bias, V their second moments,

and d_z = E||z - z*||^2, d_v = E||v - v*||^2. The lemmas are about one step; what is before it is measured, and h is
counted from its minimum. L_* is the larger Lipschitz constant of z* and v*. The 1 in Assumption 3.6 has the units of
||D||^2; no statement with constants uses it. Theorem 1 gives an order without constants, so that it is a sentence here,
and its order is measured by the claim at the end. Its conditions on rho stay in that sentence, since a theorem with
conditions has terms, of which an order names none; with L_z in the units of L^F and B_z a number their units fit.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

import ratecert as rc
from ratecert.claims import Budget, Check, Claim, Json, Rows, Task, at_most, not_seen
from ratecert.claims.slope import slope as slope_of

s = rc.statements
T, rho, gamma, mu, L_star, L_F, L_11, C_F, L_x, L_h = s.letters("T rho gamma mu L_star L_F L_11 C_F L_x L_h")
beta, d_z, d_v, V_z, V_v, V_x, h, g = s.letters("beta d_z d_v V_z V_v V_x h g")

SQUARED = {"V_z": "D_z", "V_v": "D_v", "V_x": "D_x"}
NOTATION = s.table(
    s.Symbol("T", "T", "number of iterations", units="1", least=1),
    s.Symbol("rho", r"\rho", "step size of z and v", units="x^2 f^-1"),
    s.Symbol("gamma", r"\gamma", "step size of x", units="x^2 f^-1"),
    s.Symbol("mu", r"\mu_G", "strong convexity of G", units="f x^-2"),
    s.Symbol("L_star", "L_*", "Lipschitz constant of z* and v*", units="1"),
    s.Symbol("L_F", "L^F", "Lipschitz constant of the gradients of F", units="f x^-2"),
    s.Symbol("L_11", "L^G_{11}", "Lipschitz constant of grad_11 G", units="f x^-3"),
    s.Symbol("C_F", "C^F", "bound on grad_1 F", units="f x^-1", ours=True),
    s.Symbol("L_x", "L_x", "Lipschitz constant of D_x in (z, v)", units="f x^-2"),
    s.Symbol("L_h", "L^h", "Lipschitz constant of grad h", units="f x^-2"),
    s.Symbol("beta", r"\beta_{vz}", "what z costs v"),
    s.Symbol("d_z", r"\delta_z", "E||z - z*||^2", units="x^2"),
    s.Symbol("d_v", r"\delta_v", "E||v - v*||^2", units="x^2"),
    *(s.Symbol(n, n, f"second moment of {of}", units="f^2 x^-2") for n, of in SQUARED.items()),
    s.Symbol("h", "h", "E h(x) - h*", units="f"),
    s.Symbol("g", "g", "E||grad h(x)||^2", units="f^2 x^-2"),
)

SMOOTH = s.Assumption(
    id="smooth",
    title="Smoothness and strong convexity",
    source="asked by Lemma 3.8",
    sentence="G is mu_G-strongly convex in z, with Lipschitz second derivatives; F has Lipschitz gradients.",
    constants={"mu": 0.0},
    strict=True,
)
GROWTH = s.Assumption(
    id="assumption-3-6",
    title="Growth of the second moments",
    source="Assumption 3.6",
    sentence="V_z <= B_z^2 (1 + ||D_z||^2) and V_v <= B_v^2 (1 + ||D_v||^2).",
    constants={},
)
SOBA = s.Algorithm(
    id="soba",
    title="SOBA",
    source="run by Theorem 1",
    hyperparameters=("rho", "gamma"),
    starts_from=(),
    lines=(),
    updates={},
    requires="z <- z - rho D_z, v <- v - rho D_v, x <- x - gamma D_x",
)
PRINTED_SUM = L_F * mu + L_11
BETA = s.Definition(
    id="beta", title="What z costs v", source="Lemma 3.8", left=beta, right=PRINTED_SUM**2 / mu**3
)


def lemma(id: str, title: str, measure: str, units: str, conditions: Any, terms: Any) -> s.Theorem:
    return s.Theorem(
        id=id,
        title=title,
        source=f"Lemma {id[6:9].replace('-', '.')}",
        algorithm="soba",
        assumptions=("smooth",),
        measure=measure,
        measure_units=units,
        conditions=conditions,
        terms=terms,
    )


STEP = {"rho": s.Condition(rho, "<=", (2 / mu,))}
MOVED = L_star**2 / mu * gamma**2 / rho * V_x
LOWER = lemma(
    "lemma-3-8-z",
    "One step of z",
    r"\delta_z^{t+1}",
    "x^2",
    STEP,
    {"distance": (1 - rho * mu / 2) * d_z, "noise": 2 * rho**2 * V_z, "moved": 4 * MOVED},
)
SYSTEM = lemma(
    "lemma-3-8-v",
    "One step of v",
    r"\delta_v^{t+1}",
    "x^2",
    STEP,
    {
        "distance": (1 - rho * mu / 4) * d_v,
        "lower": rho * beta * d_z,
        "noise": 2 * rho**2 * V_v,
        "moved": 8 * MOVED,
    },
)
UPPER = lemma(
    "lemma-3-9",
    "One step of x",
    "h^{t+1}",
    "f",
    {},
    {
        "value": h,
        "descent": -gamma / 2 * g,
        "bias": gamma / 2 * L_x**2 * (d_z + d_v),
        "noise": L_h / 2 * gamma**2 * V_x,
    },
)
ORDER = s.Text(
    id="theorem-1",
    title="SOBA after T iterations",
    source="Theorem 1",
    sentence="With rho = T^{-2/5} <= min(mu_G/(8 L_z^2 B_z^2), mu_G/(16 L_v^2 B_v^2), 2/mu_G) and gamma = "
    "T^{-3/5}, the mean of E||grad h(x_t)||^2 is O(T^{-2/5}).",
)

PRINTED = s.Paper(
    key="soba",
    title="A framework for bilevel optimization that enables stochastic and global variance reduction algorithms",
    certainty="text",
    edition="the submission",
    notation=NOTATION,
    statements=s.by_id(SMOOTH, GROWTH, SOBA, BETA, LOWER, SYSTEM, UPPER, ORDER),
    bindings={},
)
REPAIRED = PRINTED.repaired(
    (
        s.Erratum(
            place="beta.right",
            printed=PRINTED_SUM,
            read=L_F * mu + L_11 * C_F,
            reason="the summands differ in units; what L^G_11 multiplies is v*, of which ||grad_1 F||/mu_G is a bound",
            evidence="D_v(z, v*) - D_v(z*, v*) = (grad_11 G(z) - grad_11 G(z*)) v* + grad_1 F(z) - grad_1 F(z*), whose "
            "norm is at most (L^G_11 C^F/mu_G + L^F) ||z - z*||; quadratics have L^G_11 = 0 and cannot show it",
        ),
    )
)


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
FAMILY = s.Family(
    name="scalar",
    levels=tuple(s.Level(name=name, low=1e-3, high=1e3) for name in NAMES),
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


OFF = {
    "d_z": rc.measures.tracking(),
    "d_v": rc.measures.form(lambda problem, t: t.v - v_star(problem, t.x)),
}
READ = {
    **OFF,
    **{f"V_{of}": direction(of) for of in "zvx"},
    "h": rc.measures.gap(),
    "g": rc.measures.gradient(),
}


def slope(setting: s.Setting) -> float:
    """Of z*; that of v* is D/mu times as large."""
    return float(setting.world.B[0, 0] / setting.world.A[0, 0])


SOURCES = {
    "mu": lambda setting: setting.world.A[0, 0],
    "L_star": lambda setting: slope(setting) * max(1.0, setting.world.D[0, 0] / setting.world.A[0, 0]),
    "L_F": lambda setting: max(setting.world.P[0, 0], setting.world.D[0, 0]),
    "L_11": lambda _: 0.0,
    "C_F": lambda _: 0.0,
    "L_x": lambda setting: setting.world.B[0, 0],
    "L_h": lambda setting: setting.world.P[0, 0] + slope(setting) ** 2 * setting.world.D[0, 0],
}


def run(left: str, constants: str, measured: str) -> s.Binding:
    return s.Binding(
        method=rc.methods.SOBA,
        hyperparameters={"rho": rho, "gamma": gamma},
        measure=READ[left].last(),
        constants={name: SOURCES[name] for name in constants.split()},
        measured={name: s.Measured(READ[name].last(), before=1) for name in measured.split()},
        worlds=(FAMILY,),
        devices="",
        most_iterations=4,
        blind="second derivatives of quadratics are constant, so that L^G_11 is zero",
    )


RUNS = {
    "lemma-3-8-z": run("d_z", "mu L_star", "d_z V_z V_x"),
    "lemma-3-8-v": run("d_v", "mu L_star L_F L_11 C_F", "d_z d_v V_v V_x"),
    "lemma-3-9": run("h", "L_x L_h", "h g d_z d_v V_x"),
}

# Theorem 1: the order in T, on an ordinary world, with the constants that its steps leave open.


def along(powers: tuple[int, ...]) -> list[Json]:
    """The mean of E||grad h(x_t)||^2 over t < T, with rho = T^{-2/5} and gamma = T^{-3/5}."""
    made = world({"mu": 1.0, "J": 0.5, "P": 1.0, "D": 1.0, "s_f": 0.5, "s_g": 0.5})
    begin = start(made, {"x_off": 1.0, "y_off": 1.0, "v_off": 1.0})
    rows = []
    for T in (2**power for power in powers):
        solver = rc.methods.SOBA(rho=T**-0.4, gamma=T**-0.6)
        found = rc.expect(
            made, solver, K=1, T=T, start=begin, times=[], measures={"g": rc.measures.gradient()}
        )
        rows.append({"T": T, "g": found.g, "precision": found.precision})
    return rows


def tasks(_: Budget) -> list[Task]:
    return [Task(along, {"powers": (50, 55, 60)})]


def checks(rows: Rows) -> Iterator[Check]:
    """A faster fall would be no contradiction."""
    found, error = slope_of(rows, "g", "T")
    yield at_most("exponent of T", found, -0.4, error, 1e-3)


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
        runs=("SOBA",),
    ),
)
