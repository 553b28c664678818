"""Assumptions 1-3 on the worlds of this project: where they hold, and whether the constants are the true ones.

Every world computes mu, L_0, L_1, L_21, L_22 and sigma from its own matrices, for the ball ||(x - a, y - b)|| <= radius
or for the whole space, and theory/numbers/assumptions.py reads from them whether an assumption holds everywhere, on the
ball only, or not at all. The same six are measured through the oracles, by what knows none of those formulas.
Compared are

    never exceeded     on balls of several radii no measured quotient exceeds its constant (mu: falls below it)
    attained           for every constant there is a world that comes within 1 %, so that a constant which is too small
                       by more is seen
    where it holds     an assumption holds on the ball only if and only if one of its measured quotients grows without
                       bound with the radius

A world whose devices differ satisfies Assumptions 1-3 on each device, and is outside the paper all the same: the
problem that the paper states has homogeneous devices. The check says so.

What is measured, at a point z = (x, y) of ||(x - a, y - b)|| <= radius, over all outcomes of a sample,

    mu       the least eigenvalue of grad_yy g(z; zeta)
    L_0      the largest ||grad f(z; xi)||
    L_1      the largest ||grad h(z + s) - grad h(z - s)|| / ||2s|| for h = f(.; xi) and h = g(.; zeta), with s along
             the direction in which the measured differences grow most
    L_21     the largest ||grad_xy g(z + s; zeta) - grad_xy g(z - s; zeta)|| / ||2s||, with s along the direction in
             which one entry changes fastest; L_22 the same for grad_yy g
    sigma    the root of E||grad g(z; zeta) - grad g(z)||^2

Random points, and then a climb from the best of them. What is found is attained, so a true constant is never exceeded
(mu: never undercut), whatever the points were; how near it comes says how much the comparison can see.

There is no oracle for grad_x g. In every world here g(x, 0) does not depend on x, so grad_x g(x, y) is the integral of
grad_xy g(x, ty) y over t in [0, 1]: two points of Gauss are exact for g of degree four or less in y.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ratecert.claims import Budget, Chart, Check, Claim, Json, Panel, Piece, Row, Rows
from ratecert.claims.checks import at_least, at_most, equal
from ratecert.claims.claim import build
from ratecert.claims.lines import line
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.solvers.engines.enumeration import Outcomes
from ratecert.theory.language.statements import Assumption
from ratecert.theory.numbers.assumptions import check_assumptions

Array = NDArray[np.float64]
STEP = 1e-4  # of difference quotients, and of the radius where that is smaller than 1
GAUSS = (0.5 - math.sqrt(1 / 12), 0.5 + math.sqrt(1 / 12))  # each of weight 1/2
EFFORT = 50  # evaluations of a climb, per dimension
ROUNDING = 1e-6  # relative; of difference quotients
NEAR = 0.01  # what of a constant may remain unattained
GROWS = 10.0  # times, from the smallest radius to the largest: no bounded quotient does here
RADII = (1.0, 10.0, 100.0, 1000.0)
POINTS, SEED = 16, 0
EFFORT_QUICK = 15  # evaluations of a climb, per dimension
LEAST = ("mu",)  # constants that bound from below

FEATURES = [[i % 5 - 2, i * i % 7 - 3] for i in range(12)]  # rows of small whole numbers
TARGETS = [5 * i % 7 - 3 for i in range(12)]
RANDOM: dict[str, Any] = {"world": "random_quadratic", "d_x": 2, "s_f": 0.3, "s_g": 0.2}
WORLDS: dict[str, dict[str, Any]] = {
    "scalar": {"world": "scalar", "a": 0.7, "b": -1.1, "P": 1.7, "D": 1.7, "sigma_H": 0.4, "sigma_J": 0.9,
               "s_f": 0.5, "s_g": 0.2},
    "random": {**RANDOM, "d_y": 3, "seed": 1, "sigma_H": 0.3, "sigma_J": 0.2},
    "aligned": {"world": "aligned", "s_g": 0.3},
    "huberised": {"world": "huberised", "of": {**RANDOM, "d_y": 2, "seed": 2}, "radius": 2.0},
    "wavy": {"world": "wavy", "d": 2, "A": [1.0, 1.5], "E": 0.2, "b": 0.3, "s_f": 0.1, "s_g": 0.1},
    "ridge": {"world": "ridge", "features": FEATURES, "targets": TARGETS},
}  # fmt: skip
DIFFERENT: dict[str, Any] = {"world": "heterogeneous"}


def confront(
    *, world: str, spec: Json, radius: float, points: int, seed: int, effort: int = EFFORT
) -> list[Json]:
    """Constants on the ball, and the worst quotients that were found there."""
    problem = build(spec)
    constants = problem.constants(radius=radius, reading="joint")
    found = Confronted(problem, radius, effort).found(points=points, seed=seed)
    return [
        {"world": world, "constant": name, "value": constants[name], "found": found[name]}
        for name in sorted(found)
    ]


def standings(*, world: str, spec: Json, radius: float) -> list[Json]:
    """Where the theory says that the assumptions hold."""
    found = check_assumptions(paper(), build(spec), radius=radius)
    return [{"world": world, "assumption": s.assumption, "holds": s.holds} for s in found]


def every_outcome(draw: Callable[[Any], Any]) -> tuple[Any, int]:
    """draw(bits) with one column per outcome of the signs that it uses, and their number."""
    numbers: dict[Any, int] = {}
    draw(Outcomes(0, 1, 1, numbers).reader(0, "", 0, 0))
    n = 2 ** len(numbers)
    return draw(Outcomes(0, n, 1, numbers).reader(0, "", 0, 0)), n


class Confronted:
    """A world and all outcomes of its samples."""

    def __init__(self, world: Any, radius: float, effort: int = EFFORT) -> None:
        self.world, self.radius, self.step = world, radius, STEP * min(1.0, radius)
        self.effort = effort
        self.centre = np.concatenate([world.a, world.b])
        self.xi, self.n_f = every_outcome(world.sample_f)
        self.zeta, self.n_g = every_outcome(world.sample_g)
        self.zeta_yy = every_outcome(world.sample_hessian)
        self.zeta_xy = every_outcome(world.sample_jacobian)

    def found(self, *, points: int, seed: int) -> dict[str, float]:
        """The worst of each quotient, over random points and a climb from the worst of them."""
        random = np.random.default_rng(seed)
        u = random.standard_normal((points, len(self.centre)))
        u /= np.linalg.norm(u, axis=1, keepdims=True)
        u[::2] *= random.uniform(size=(len(u[::2]), 1))  # half of them inside
        starts = list(u)
        searched: dict[str, Callable[[Array], float]] = {
            "L_0": self.slope_of_f,
            "L_1": self.steepness,
            "L_21": lambda z: self.bend(self.jacobians, z),
            "L_22": lambda z: self.bend(self.hessians, z),
            "sigma": self.noise,
        }
        least = -self._climb(lambda z: -float(np.linalg.eigvalsh(self.hessians(z)).min()), starts)
        return {"mu": least, **{name: self._climb(value, starts) for name, value in searched.items()}}

    def _climb(self, value: Callable[[Array], float], starts: Sequence[Array]) -> float:
        """The largest value found on the ball; steps of difference quotients stay inside it."""

        def at(u: Array) -> float:
            return value(self.centre + (self.radius - self.step) * u / max(1.0, float(np.linalg.norm(u))))

        best = max(starts, key=at)
        top = minimize(
            lambda u: -at(u), best, method="Nelder-Mead", options={"maxfev": self.effort * len(best)}
        )
        return max(at(best), -float(top.fun))

    # At one point z.

    def slope_of_f(self, z: Array) -> float:
        return float(np.linalg.norm(self.gradients_of_f(z), axis=0).max())

    def noise(self, z: Array) -> float:
        gradients = self.gradients_of_g(z)
        away = gradients - gradients.mean(axis=1, keepdims=True)
        return math.sqrt(float((away**2).sum(axis=0).mean()))

    def steepness(self, z: Array) -> float:
        return max(self._steepest(self.gradients_of_f, z), self._steepest(self.gradients_of_g, z))

    def _steepest(self, gradients: Callable[[Array], Array], z: Array) -> float:
        """For every outcome along the top right singular vector of the measured differences."""
        differences = np.stack([self._difference(gradients, z, e) for e in np.eye(len(z))], axis=2)
        matrices = np.moveaxis(differences, 1, 0)
        worst = int(np.argmax(np.linalg.norm(matrices, 2, axis=(1, 2))))
        v = np.linalg.svd(matrices[worst])[2][0]
        return float(np.linalg.norm(self._difference(gradients, z, v)[:, worst]))

    def bend(self, matrices: Callable[[Array], Array], z: Array) -> float:
        """Along the direction in which one entry of the matrices changes fastest."""
        changes = np.stack([self._difference(matrices, z, e) for e in np.eye(len(z))], axis=-1)
        fastest = changes.reshape(-1, len(z))[int(np.argmax(np.linalg.norm(changes, axis=-1)))]
        if not fastest.any():
            return 0.0
        change = self._difference(matrices, z, fastest / np.linalg.norm(fastest))
        return float(np.linalg.norm(change, 2, axis=(1, 2)).max())

    def _difference(self, function: Callable[[Array], Array], z: Array, v: Array) -> Array:
        """The difference quotient along the unit vector v."""
        return (function(z + self.step * v) - function(z - self.step * v)) / (2 * self.step)

    # Oracles at one point, one column or one matrix per outcome.

    def gradients_of_f(self, z: Array) -> Array:
        x, y = self._columns(z, self.n_f)
        return np.concatenate([self.world.grad_x_f(self.xi, x, y), self.world.grad_y_f(self.xi, x, y)])

    def gradients_of_g(self, z: Array) -> Array:
        x, y = self._columns(z, self.n_g)
        in_x = sum(0.5 * self.world.jacobian_g(self.zeta, x, t * y, y) for t in GAUSS)
        return np.concatenate([in_x, self.world.grad_y_g(self.zeta, x, y)])

    def hessians(self, z: Array) -> Array:
        return self._matrices(self.world.hessian_g, *self.zeta_yy, z)

    def jacobians(self, z: Array) -> Array:
        return self._matrices(self.world.jacobian_g, *self.zeta_xy, z)

    def _matrices(self, product: Callable[..., Array], zeta: Any, n: int, z: Array) -> Array:
        x, y = self._columns(z, n)
        units = [np.repeat(e[:, None], n, axis=1) for e in np.eye(len(y))]
        return np.stack([product(zeta, x, y, e).T for e in units], axis=2)

    def _columns(self, z: Array, n: int) -> tuple[Array, Array]:
        columns = np.repeat(z[:, None], n, axis=1)
        return columns[: self.world.d_x], columns[self.world.d_x :]


def pieces(budget: Budget) -> list[Piece]:
    radii = (RADII[0], RADII[-1]) if budget.quick else RADII
    points, effort = (POINTS // 2, EFFORT_QUICK) if budget.quick else (POINTS, EFFORT)
    search = {"points": points, "seed": SEED, "effort": effort}
    return [
        *(
            Piece(confront, {"world": name, "spec": spec, "radius": radius, **search}, seconds=0.3)
            for name, spec in WORLDS.items()
            for radius in radii
        ),
        *(
            Piece(standings, {"world": name, "spec": spec, "radius": RADII[-1]}, seconds=0.1)
            for name, spec in (*WORLDS.items(), ("heterogeneous", DIFFERENT))
        ),
    ]


def checks(rows: Rows) -> Iterator[Check]:
    for (world, constant), here in rows.by("world", "constant"):
        worst = here.largest(part)
        found, value = worst["found"], worst["value"]
        relation = at_least if constant in LEAST else at_most
        yield relation(
            f"{constant}, {world}", found, value, 0.1 * ROUNDING * found, ROUNDING * value or ROUNDING**2
        )
    for constant, here in rows.by("constant"):
        yield equal(f"{constant}: part that is attained", max(map(part, here)), 1.0, NEAR, 0.1 * ROUNDING)
    wrong = sum(
        rows.where(world=world, assumption=assumption.id).only()["holds"]
        != ("on the ball" if grows(here, assumption) else "everywhere")
        for world, here in rows.having("found").by("world")
        for assumption in paper().of_kind(Assumption)
    )
    outside = rows.where(world="heterogeneous", assumption="problem", holds="no")
    yield equal("assumptions that hold elsewhere than said", wrong, 0.0, 0.5)
    yield equal("devices that differ are outside the problem", len(outside), 1.0, 0.5)


def part(row: Row) -> float:
    """What was found over the constant, or the inverse for mu; 0 where both are 0."""
    found, value = row["found"], row["value"]
    if row["constant"] in LEAST:
        return float(value / found)
    return float(found / value) if value else math.inf * found if found else 0.0


def grows(rows: Rows, assumption: Assumption) -> bool:
    """Whether a measured quotient of the assumption grows with the radius; mu would have to vanish."""
    for constant in assumption.constants:
        found = rows.where(constant=constant).column("found")
        before, after = (found[-1], found[0]) if constant in LEAST else (found[0], found[-1])
        if after > GROWS * before:
            return True
    return False


def chart(rows: Rows) -> Chart:
    shown = {
        ("L_0", "$L_0$"): ("scalar", "huberised"),
        ("L_1", "$L_1$"): ("scalar", "wavy"),
        ("sigma", r"$\sigma$"): ("random", "aligned"),
    }
    panels = []
    for (constant, letter), worlds in shown.items():
        series = []
        for i, world in enumerate(worlds):
            here = rows.where(world=world, constant=constant)
            series += [
                line(f"constant, {world}", here, "radius", "value", kind="bound", colour=i),
                line(f"largest found, {world}", here, "radius", "found", colour=i),
            ]
        panels.append(Panel(x_label="radius of the ball", y_label=letter, series=series))
    return Chart(
        caption="Constants on balls and the largest quotients found there. Those that level off exist on the whole "
        "space, those that grow with the radius on balls only: L_0 of a quadratic f, L_1 of a wavy g, sigma with noise "
        "in the Hessian. Nothing that was found is above its constant.",
        panels=panels,
    )


def notes(rows: Rows) -> list[str]:
    told = [
        "heterogeneous is not covered: homogeneous devices are part of the problem that the paper states."
    ]
    for world, said in rows.having("assumption").sorted("assumption").by("world"):
        told.append(f"{world}: " + ", ".join(f"{row['assumption']} {row['holds']}" for row in said))
    return told


def settings(rows: Rows) -> dict[str, Json]:
    search = {name: rows[0][name] for name in ("points", "seed", "effort")}
    return {"worlds": WORLDS, "different": DIFFERENT, **search}


CLAIMS = (
    Claim(
        id="assumptions",
        of=("assumption-1", "assumption-2", "assumption-3"),
        sentence="On every world with homogeneous devices Assumptions 1-3 hold with the constants that the world "
        "computes, on the whole space or on the ball as it says.",
        pieces=pieces,
        checks=checks,
        regime="balls of radius 1 to 1000; the reading joint, which is the letter of Assumption 2; devices alike",
        method="all outcomes of every sample, at random points and along a climb from the worst of them",
        evidence=("enumeration", "search"),
        settings=settings,
        chart=chart,
        notes=notes,
        table=("world", "radius", "constant", "value", "found"),
    ),
)
