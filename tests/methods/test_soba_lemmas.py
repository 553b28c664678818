"""Lemmas 3.8 and 3.9 of SOBA's paper (Dagreou, Ablin, Vaiter and Moreau, 2022), one step at a time, exactly.

    3.8  d_z+ <= (1 - rho mu_G/2) d_z                     + 2 rho^2 V_z + 4 (L_*^2/mu_G) (gamma^2/rho) V_x
         d_v+ <= (1 - rho mu_G/4) d_v + rho beta_vz d_z + 2 rho^2 V_v + 8 (L_*^2/mu_G) (gamma^2/rho) V_x
         for rho <= 2/mu_G, with beta_vz = (L^F mu_G + L_11^G)^2/mu_G^3
    3.9  h+ <= h - (gamma/2) g + (gamma/2) L_x^2 (d_z + d_v) + (L^h/2) gamma^2 V_x

with d_z = E||z - z*(x)||^2, d_v = E||v - v*(x)||^2, g = E||grad h||^2 and V = E||D||^2 of the samples. On quadratics

    z* = A^{-1}(Bx + c),   v* = -A^{-1}D(z* - b),   D_x = P(x - a) - B'v,   L^F = max(||P||, ||D||),   L_11^G = 0,
    L_* = max(||A^{-1}B||, ||A^{-1}DA^{-1}B||),   L_x = ||B||,   L^h = ||P + B'A^{-1}DA^{-1}B||

`needed` is the share of a printed term with which a step would just satisfy its recursion, all others as printed: at
most 1 where the print holds, and where it is above 1/2 somewhere, a print with half of the term is false.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.base.arrays import like, solve
from ratecert.solvers.contract.stage import Oracle, State

pytestmark = pytest.mark.untraced  # long computations of lines that other tests run as well


@dataclass(frozen=True, kw_only=True)
class Watched(rc.methods.SOBA):
    """SOBA that remembers the point before, and begins at a v_0 of its own: a multiple of y_0."""

    kappa: tuple[float]

    def start(self, s: State, oracle: Oracle) -> State:
        s = s.but(v=self.kappa[0] * s.y)
        return s.but(x_old=s.x, y_old=s.y, v_old=s.v)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        return super().step(t, s, oracle).but(x_old=s.x, y_old=s.y, v_old=s.v)


def off_v(problem: Any, x: Any, v: Any) -> Any:
    """v - v*(x)."""
    A, D, b = like(problem.A, x), like(problem.D, x), like(problem.b, x)
    return v + solve(A, D @ (problem.y_star(x) - b[:, None]))


form = rc.measures.form
MEASURES = {
    name: measure.last()
    for name, measure in {
        "d_z": form(lambda w, s: s.y_old - w.y_star(s.x_old)),
        "d_v": form(lambda w, s: off_v(w, s.x_old, s.v_old)),
        "h": rc.measures.gap("x_old"),
        "g": rc.measures.gradient("x_old"),
        "d_z_next": form(lambda w, s: s.y - w.y_star(s.x)),
        "d_v_next": form(lambda w, s: off_v(w, s.x, s.v)),
        "h_next": rc.measures.gap("x"),
        "moved_x": form(lambda _, s: s.x - s.x_old),
        "moved_z": form(lambda _, s: s.y - s.y_old),
        "moved_v": form(lambda _, s: s.v - s.v_old),
    }.items()
}


@dataclass(frozen=True)
class Step:
    """A recursion: what is on the left, and the terms on the right by name."""

    left: float
    right: dict[str, float]

    @property
    def ratio(self) -> float:
        return self.left / sum(self.right.values())

    def needed(self, term: str) -> float:
        others = sum(value for name, value in self.right.items() if name != term)
        return (self.left - others) / self.right[term]


def norm(matrix: Any) -> float:
    return float(np.linalg.norm(matrix, 2))


def recursions(
    w: Any, *, rho: float, gamma: float, T: int, x0: Any, y0: Any, kappa: float = 0.0
) -> dict[str, Step]:
    """The step from T - 1 to T, in expectation."""
    solver = Watched(rho=rho, gamma=gamma, kappa=(kappa,))
    m = rc.expect(w, solver, K=1, T=T, x0=x0, y0=y0, measures=MEASURES, times=[]).values
    V_x, V_z, V_v = m["moved_x"] / gamma**2, m["moved_z"] / rho**2, m["moved_v"] / rho**2
    S = np.linalg.solve(w.A, w.B)
    mu = float(np.linalg.eigvalsh(w.A)[0])
    L_star = max(norm(S), norm(np.linalg.solve(w.A, w.D @ S)))
    L_F, L_x, L_h = max(norm(w.P), norm(w.D)), norm(w.B), norm(w.P + S.T @ w.D @ S)
    motion = L_star**2 / mu * gamma**2 / rho * V_x
    assert rho <= 2 / mu
    return {
        "z": Step(
            m["d_z_next"], {"d_z": (1 - rho * mu / 2) * m["d_z"], "V_z": 2 * rho**2 * V_z, "V_x": 4 * motion}
        ),
        "v": Step(
            m["d_v_next"],
            {
                "d_v": (1 - rho * mu / 4) * m["d_v"],
                "d_z": rho * (L_F * mu) ** 2 / mu**3 * m["d_z"],
                "V_v": 2 * rho**2 * V_v,
                "V_x": 8 * motion,
            },
        ),
        "h": Step(  # on both sides above its minimum, and with the gradient's term on the left
            m["h_next"] + gamma / 2 * m["g"],
            {
                "h": m["h"],
                "d": gamma / 2 * L_x**2 * (m["d_z"] + m["d_v"]),
                "V_x": L_h / 2 * gamma**2 * V_x,
            },
        ),
    }


def random_world(rng: np.random.Generator, d: int) -> Any:
    def symmetric(low: float) -> Any:
        Q = np.linalg.qr(rng.standard_normal((d, d)))[0]
        H = Q @ np.diag(low + rng.exponential(size=d)) @ Q.T
        return (H + H.T) / 2

    loud = np.exp(rng.uniform(-4, 1, size=3))
    A = symmetric(0.5)
    return rc.worlds.Quadratic(
        A=A, E=rng.uniform(0, 0.9) * A, B=rng.standard_normal((d, d)), F=loud[0] * rng.standard_normal((d, d)),
        c=rng.standard_normal(d), P=symmetric(0.0), D=symmetric(0.0), a=rng.standard_normal(d),
        b=rng.standard_normal(d), s_f=float(loud[1]), s_g=float(loud[2]),
    )  # fmt: skip


@cache
def random_steps(d: int) -> list[dict[str, Step]]:
    """Steps up to the largest rho, from points near and far, the first and later ones."""
    found = []
    for seed in range(60):
        rng = np.random.default_rng([11, d, seed])
        w = random_world(rng, d)
        rho = float(np.exp(rng.uniform(-4, 0))) * 2 / float(np.linalg.eigvalsh(w.A)[0])
        gamma = rho * float(np.exp(rng.uniform(-4, 1)))
        x0 = w.x_star + rng.standard_normal(d) * np.exp(rng.uniform(-3, 2))
        y0 = w.y_star(x0) + rng.standard_normal(d) * np.exp(rng.uniform(-3, 2)) * rng.integers(2)
        run: dict[str, Any] = {"T": int(rng.integers(1, 4)), "x0": x0, "y0": y0}
        found.append(recursions(w, rho=rho, gamma=gamma, kappa=float(rng.standard_normal()), **run))
    return found


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("recursion", ["z", "v", "h"])
def test_the_printed_recursions_hold(recursion: str, d: int) -> None:
    """And not by far: some step comes near."""
    ratios = [step[recursion].ratio for step in random_steps(d)]
    assert 0.85 < max(ratios) <= 1


@dataclass(frozen=True)
class Tight:
    """A step on the scalar world A = B = P = D = 1, c = 0 on which a term of a recursion is needed the most."""

    recursion: str
    term: str
    share: float  # of the printed term that is needed
    rho: float
    gamma: float
    y0: float
    world: dict[str, float]


# The step begins at x = 0 and v = 0, so that z - z* = y_0, v - v* = -b and E D_x = -a.
TIGHT = [
    Tight("z", "V_x", 4 / 7, rho=2.0, gamma=0.125, y0=-1 / 7, world={"a": -8.0}),
    Tight("z", "V_z", 1 / 2, rho=1.0, gamma=0.125, y0=0.0, world={"s_g": 1.0}),
    Tight("v", "V_x", 7 / 12, rho=2.0, gamma=0.125, y0=-1.0, world={"a": 8.0, "b": -2 / 3}),
    Tight("v", "V_v", 1 / 2, rho=1.0, gamma=1e-6, y0=0.0, world={"s_f": 1.0}),
    Tight("v", "d_z", 4 / 7, rho=1e-6, gamma=1e-6, y0=1.0, world={"b": 4 / 7}),
    Tight("h", "d", 1.0, rho=1.0, gamma=0.125, y0=0.0, world={"b": 1.0}),
    Tight("h", "V_x", 1.0, rho=1.0, gamma=0.125, y0=0.0, world={"s_f": 1.0}),
]


@pytest.mark.parametrize("case", TIGHT, ids=[f"{case.recursion}-{case.term}" for case in TIGHT])
def test_how_much_of_a_term_is_needed(case: Tight) -> None:
    """With half of any of these terms, or a little less where the share is 1/2, the recursion is false there."""
    world = rc.worlds.Quadratic(A=1.0, B=1.0, P=1.0, D=1.0, **case.world)
    step = recursions(world, rho=case.rho, gamma=case.gamma, T=1, x0=0.0, y0=case.y0)[case.recursion]
    assert step.ratio <= 1 + 1e-15
    assert step.needed(case.term) == pytest.approx(case.share, rel=1e-4)
    less = 0.5 if case.share > 0.5 else 0.49
    assert step.left > sum(step.right.values()) - (1 - less) * step.right[case.term]


def test_no_random_step_needs_more() -> None:
    """No step on the random worlds needs a larger share of a term."""
    most = {(case.recursion, case.term): case.share for case in TIGHT}
    for d in (1, 2):
        for steps in random_steps(d):
            for (recursion, term), share in most.items():
                if steps[recursion].right[term] > 0:
                    assert steps[recursion].needed(term) <= share + 1e-9


def test_the_directions_are_measured_as_they_are() -> None:
    """V_x, V_z and V_v of the first step by hand, on a scalar world with every noise."""
    w = rc.worlds.Quadratic(A=1.5, E=0.5, B=0.7, F=0.2, c=0.3, P=1.2, D=0.8, a=1.0, b=0.5, s_f=0.3, s_g=0.4)
    x, y, v, signs = 1.4, 0.8, 0.25 * 0.8, (-1, 1)
    V_z = [
        ((1.5 + 0.5 * e) * y - (0.7 + 0.2 * k) * x - 0.3 + 0.4 * n) ** 2
        for e in signs
        for k in signs
        for n in signs
    ]
    V_v = [((1.5 + 0.5 * e) * v + 0.8 * (y - 0.5) + 0.3 * n) ** 2 for e in signs for n in signs]
    V_x = [(-(0.7 + 0.2 * k) * v + 1.2 * (x - 1.0) + 0.3 * n) ** 2 for k in signs for n in signs]
    solver = Watched(rho=0.1, gamma=0.05, kappa=(0.25,))
    m = rc.expect(w, solver, K=1, T=1, x0=x, y0=y, measures=MEASURES, times=[]).values
    assert m["moved_z"] == pytest.approx(0.1**2 * np.mean(V_z), rel=1e-12)
    assert m["moved_v"] == pytest.approx(0.1**2 * np.mean(V_v), rel=1e-12)
    assert m["moved_x"] == pytest.approx(0.05**2 * np.mean(V_x), rel=1e-12)
    assert m["d_v"] == pytest.approx((v + 0.8 * ((0.7 * x + 0.3) / 1.5 - 0.5) / 1.5) ** 2, rel=1e-12)
