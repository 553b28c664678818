"""LocalBSGM and LocalBSGVRM as printed on devices that differ, in expectation, for numbers x and y, to 60 digits.

It shares no code with solvers. With additive noise alone a sample of device k is

    h_k(x, y) = P(x - a) + B_k N D(y - b) + noise of variance s_f^2 (1 + (B_k N)^2)
    g_k(x, y) = A_k y - B_k x - c_k + noise of variance s_g^2                  N = theta sum_{q<=Q} (1 - theta A_k)^q

so that w = (x, y, u, v and the previous x and y of every device, 1) moves by w <- M w + noise. These are plain
coordinates: what cancels in them costs digits, of which there are enough. Any number of iterations is, for S = E[w w'],

    S <- M S M' + Sigma,    with the measures summed over them tr(W_i S) + c_i

and two such maps in a row make one.
"""

from dataclasses import dataclass
from typing import Any

import mpmath

DIGITS = mpmath.MPContext()
DIGITS.dps = 60
FIELDS = ("x", "y", "u", "v", "x_old", "y_old")

Number = Any  # of DIGITS
Row = dict[str, Number]
Matrix = Any  # of DIGITS


def number(value: Any) -> Number:
    return DIGITS.mpf(float(getattr(value, "item", lambda: value)()))


@dataclass(frozen=True)
class Map:
    M: Matrix
    Sigma: Matrix
    W: tuple[Matrix, ...]
    c: tuple[Number, ...]

    def then(self, later: "Map") -> "Map":
        return Map(
            later.M * self.M,
            later.M * self.Sigma * later.M.T + later.Sigma,
            tuple(a + self.M.T * b * self.M for a, b in zip(self.W, later.W, strict=True)),
            tuple(c + d + trace(W * self.Sigma) for c, d, W in zip(self.c, later.c, later.W, strict=True)),
        )

    def times(self, n: int) -> "Map":
        """n >= 1 of them in a row."""
        if n == 1:
            return self
        half = self.times(n // 2)
        both = half.then(half)
        return both.then(self) if n % 2 else both


def trace(X: Matrix) -> Number:
    return DIGITS.fsum(X[i, i] for i in range(X.rows))


def combine(*terms: tuple[Number, Row]) -> Row:
    total: Row = {}
    for c, row in terms:
        for name, value in row.items():
            total[name] = total.get(name, DIGITS.mpf(0)) + c * value
    return total


@dataclass(frozen=True)
class Joint:
    """All devices of a world and an algorithm: `power` 1 for LocalBSGM, 2 for LocalBSGVRM as printed."""

    world: Any
    solver: Any
    power: int

    @property
    def names(self) -> list[str]:
        return [f"{f}{k}" for k in range(len(self.world.devices)) for f in FIELDS] + ["one"]

    def h(self, k: int, x: str, y: str) -> tuple[Row, Number]:
        """The mean and the variance of a sample."""
        w = self.world.devices[k]
        theta = number(self.solver.theta)
        N = theta * DIGITS.fsum((1 - theta * number(w.A)) ** q for q in range(self.solver.Q + 1))
        J, P, D = number(w.B) * N, number(w.P), number(w.D)
        mean = combine((P, {x: 1, "one": -number(w.a)}), (J * D, {y: 1, "one": -number(w.b)}))
        return mean, number(w.s_f) ** 2 * (1 + J**2)

    def g(self, k: int, x: str, y: str) -> tuple[Row, Number]:
        w = self.world.devices[k]
        return {y: number(w.A), x: -number(w.B), "one": -number(w.c)}, number(w.s_g) ** 2

    def iteration(self, *, first: bool) -> Map:
        s = self.solver
        eta = number(s.step_size(0))
        rows, noises = {"one": {"one": DIGITS.mpf(1)}}, []
        for k in range(len(self.world.devices)):
            for z, m, estimate, weight, rho in (
                ("x", "u", self.h, s.alpha, s.rho_1),
                ("y", "v", self.g, s.beta, s.rho_2),
            ):
                here, variance = estimate(k, f"x{k}", f"y{k}")
                before, _ = estimate(k, f"x_old{k}", f"y_old{k}")
                a = number(weight) * eta**self.power
                if first:
                    momentum, gain = here, 1 / DIGITS.sqrt(getattr(s, "B", 1))
                elif self.power == 1:
                    momentum, gain = combine((1 - a, {f"{m}{k}": 1}), (a, here)), a
                else:
                    momentum = combine((1 - a, {f"{m}{k}": 1}), (a - 1, before), (1, here))
                    gain = a
                step = number(rho) * eta
                rows[f"{m}{k}"] = momentum
                rows[f"{z}{k}"] = combine((1, {f"{z}{k}": 1}), (-step, momentum))
                rows[f"{z}_old{k}"] = {f"{z}{k}": DIGITS.mpf(1)}
                noises.append((gain**2 * variance, {f"{m}{k}": 1, f"{z}{k}": -step}))
        Sigma = DIGITS.zeros(len(self.names))
        for variance, into in noises:
            column = self.matrix({"": into}, [""]).T
            Sigma += variance * column * column.T
        return Map(self.matrix(rows, self.names), Sigma, self.measures(), (DIGITS.mpf(0),) * 2)

    def average(self) -> Map:
        K = len(self.world.devices)
        rows = {}
        for name in self.names:
            field = name.rstrip("0123456789")
            averaged = field in ("x", "y", "u", "v")
            rows[name] = {f"{field}{k}": DIGITS.mpf(1) / K for k in range(K)} if averaged else {name: 1}
        n = len(self.names)
        return Map(
            self.matrix(rows, self.names), DIGITS.zeros(n), (DIGITS.zeros(n),) * 2, (DIGITS.mpf(0),) * 2
        )

    def measures(self) -> tuple[Matrix, ...]:
        """||grad Phi(xbar)||^2 and ||ybar - y*(xbar)||^2, with the mean problem's exact solution."""
        w, K = self.world, len(self.world.devices)
        x, y = ({f"{f}{k}": DIGITS.mpf(1) / K for k in range(K)} for f in ("x", "y"))
        A, B = number(w.A), number(w.B)
        y_star = combine((B / A, x), (number(w.c) / A, {"one": 1}))
        gradient = combine(
            (number(w.P), combine((1, x), (-number(w.a), {"one": 1}))),
            (B / A * number(w.D), combine((1, y_star), (-number(w.b), {"one": 1}))),
        )
        tracking = combine((1, y), (-1, y_star))
        rows = [self.matrix({"": row}, [""]) for row in (gradient, tracking)]
        return tuple(row.T * row for row in rows)

    def matrix(self, rows: dict[str, Row], order: list[str]) -> Matrix:
        columns = self.names
        return DIGITS.matrix([[rows[r].get(c, 0) for c in columns] for r in order])

    def averages(self, T: int, x0: float, y0: float) -> tuple[Number, ...]:
        """Of the gradient and the tracking error over t < T."""
        p, step, mean = self.solver.p, self.iteration(first=False), self.average()
        rounds, tail = divmod(T, p)
        head = self.iteration(first=True)
        head = (head.then(step.times(p - 1)) if p > 1 else head).then(mean)
        if rounds > 1:
            head = head.then(step.times(p).then(mean).times(rounds - 1))
        if tail:
            head = head.then(step.times(tail))
        start = {"x": x0, "y": y0, "one": 1.0}
        w = DIGITS.matrix([number(start.get(name.rstrip("0123456789"), 0.0)) for name in self.names])
        S = w * w.T
        return tuple((trace(W * S) + c) / T for W, c in zip(head.W, head.c, strict=True))
