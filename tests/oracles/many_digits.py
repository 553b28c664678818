"""Algorithms 1 and 2 in expectation for numbers x and y, to 80 digits: a second way that shares no code with solvers.

On the base world with d_x = d_y = 1 a sample of the hypergradient and one of grad_y g are

    h(x, y) = P(x - a) + s_f m_x + J (D(y - b) + s_f m_y)      J = (B + e' F) N
    g(x, y) = (A + e E) y - (B + e' F) x - c + s_g n           N = theta sum_{q<=Q} prod_{j<=q} (1 - theta(A + e_j E))

E[N] and E[N^2] come from a recursion over the last term r and the sum N. The zero-mean part of a sample is
uncorrelated with everything before it, and at two points it has the covariances

    cov h = s_f^2 (1 + E[J^2]) + Var[J] D^2 (y_1 - b)(y_2 - b)
    cov g = E^2 y_1 y_2 + F^2 x_1 x_2 + s_g^2

So an iteration of one device, w = (x, y, u, v [, the previous x and y], 1), takes S = E[w_k w_k'] to M S M' + Inj(S)
and C = E[w_k w_l'] to M C M'. An average makes every entry with an averaged field S/K + (1 - 1/K) C, in S and in C.
Linear functionals of w, such as x or y - b, are rows; the algorithms are written in them.

A round is a matrix on what S and C hold after an average, and T iterations are its binary powers.
"""

from collections import namedtuple
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath

DIGITS = mpmath.MPContext()
DIGITS.dps = 80
MEASURES = ("gradient", "tracking", "drift_x", "drift_y")

Number = Any  # of DIGITS
Row = list[Number]
Matrix = Any  # of DIGITS


def number(value: Any) -> Number:
    return DIGITS.mpf(float(value))


# A world with d_x = d_y = 1 and at most one direction each of E and F.
Scalars = namedtuple("Scalars", ("A", "E", "B", "F", "c", "P", "D", "a", "b", "s_f", "s_g"))


def scalars(world: Any) -> Scalars:
    values = (getattr(world, name) for name in Scalars._fields)
    return Scalars(*(number(sum(getattr(v, "flat", [v]))) for v in values))


@dataclass(frozen=True)
class Method:
    """The hyperparameters of either algorithm."""

    algorithm: str
    eta: Number
    alpha: Number
    beta: Number
    rho_1: Number
    rho_2: Number
    theta: Number
    p: int
    Q: int
    B: int
    momenta: str
    previous: str

    @property
    def fields(self) -> tuple[str, ...]:
        remembers = self.algorithm == "LocalBSGVRM" and self.momenta == "carry"
        return ("x", "y", "u", "v", *(("x_old", "y_old") if remembers else ()), "one")

    @property
    def local(self) -> tuple[str, ...]:
        """The fields that an average leaves alone."""
        return tuple(f for f in self.fields if f.endswith("_old") and self.previous == "local")


def method(algorithm: str, **hyperparameters: Any) -> Method:
    """From the arguments of the algorithm itself."""
    defaults = {"B": 1, "momenta": "carry", "previous": "local"}
    values = {k: number(v) if isinstance(v, float) else v for k, v in hyperparameters.items()}
    return Method(algorithm=algorithm, **{**defaults, **values})


# Rows.


def combine(*terms: tuple[Number, Row]) -> Row:
    return [sum(c * row[i] for c, row in terms) for i in range(len(terms[0][1]))]


def quadratic_form(row: Row, X: Matrix) -> Number:
    """row X row'."""
    support = [i for i, r in enumerate(row) if r]
    return DIGITS.fdot((row[i] * row[j], X[i, j]) for i in support for j in support)


# One sample.


def neumann_moments(w: Scalars, theta: Number, Q: int) -> tuple[Number, Number]:
    """E[N], E[N^2]."""
    m = 1 - theta * w.A
    s = m**2 + (theta * w.E) ** 2
    r, rr, N, rN, NN = theta, theta**2, theta, theta**2, theta**2
    for _ in range(Q):
        NN = NN + 2 * m * rN + s * rr
        rN = m * rN + s * rr
        r, rr = m * r, s * rr
        N = N + r
    return N, NN


@dataclass(frozen=True)
class Point:
    """Where an estimate is taken, as rows; a combination of points is a point, with another `one`."""

    x: Row
    y: Row
    one: Row

    def minus(self, c: Number, other: "Point") -> "Point":
        return Point(*(combine((1, getattr(self, n)), (-c, getattr(other, n))) for n in ("x", "y", "one")))


@dataclass(frozen=True)
class Estimates:
    """Means and covariances of h and g."""

    w: Scalars
    N: Number
    NN: Number

    @classmethod
    def of(cls, world: Any, q: Method) -> "Estimates":
        w = scalars(world)
        return cls(w, *neumann_moments(w, q.theta, q.Q))

    def mean_h(self, at: Point) -> Row:
        w = self.w
        x, y = combine((1, at.x), (-w.a, at.one)), combine((1, at.y), (-w.b, at.one))
        return combine((w.P, x), (w.B * self.N * w.D, y))

    def mean_g(self, at: Point) -> Row:
        return combine((self.w.A, at.y), (-self.w.B, at.x), (-self.w.c, at.one))

    def squares_h(self, at: Point) -> list[tuple[Number, Row]]:
        """(weight, row): the variance is the sum of weight * E[row^2]."""
        w = self.w
        JJ = (w.B**2 + w.F**2) * self.NN
        variance = JJ - (w.B * self.N) ** 2
        y = combine((w.D, at.y), (-w.D * w.b, at.one))
        return [(w.s_f**2 * (1 + JJ), at.one), (variance, y)]

    def squares_g(self, at: Point) -> list[tuple[Number, Row]]:
        w = self.w
        return [(w.E**2, at.y), (w.F**2, at.x), (w.s_g**2, at.one)]


def truth(w: Scalars, at: Point) -> tuple[Row, Row]:
    """grad Phi(x) and y - y*(x)."""
    y_star = combine((w.B / w.A, at.x), (w.c / w.A, at.one))
    gap = combine((1, y_star), (-w.b, at.one))
    gradient = combine((w.P, at.x), (-w.P * w.a, at.one), (w.B / w.A * w.D, gap))
    return gradient, combine((1, at.y), (-1, y_star))


# One iteration.


@dataclass(frozen=True)
class Noise:
    """A sample's zero-mean part enters along the column `into`, with the variance of these squares."""

    into: Row
    squares: list[tuple[Number, Row]]


@dataclass(frozen=True)
class Iteration:
    M: Matrix
    noises: tuple[Noise, Noise]

    def injected(self, S: Matrix) -> Matrix:
        n = len(self.noises[0].into)
        total = DIGITS.zeros(n)
        for noise in self.noises:
            variance = DIGITS.fdot((weight, quadratic_form(row, S)) for weight, row in noise.squares)
            column = DIGITS.matrix(noise.into)
            total += column * column.T * variance
        return total


def unit_rows(names: Sequence[str]) -> dict[str, Row]:
    return {name: [DIGITS.mpf(int(name == other)) for other in names] for name in names}


def point(rows: dict[str, Row], x: str = "x", y: str = "y") -> Point:
    return Point(rows[x], rows[y], rows["one"])


def iteration(w: Estimates, q: Method) -> Iteration:
    """The iteration t >= 1 as printed, in the order in which the reading takes its parts."""
    old = unit_rows(q.fields)
    eta, new, moves = q.eta, dict(old), {"u": ("x", q.rho_1), "v": ("y", q.rho_2)}
    if q.momenta == "fresh":
        for momentum, (name, rho) in moves.items():
            new[name] = combine((1, old[name]), (-rho * eta, old[momentum]))
    if q.algorithm == "LocalBSGM":
        keep = {"u": 1 - q.alpha * eta, "v": 1 - q.beta * eta}
        before, scale = None, {m: 1 - k for m, k in keep.items()}
    else:
        keep = {"u": 1 - q.alpha * eta**2, "v": 1 - q.beta * eta**2}
        before = point(old) if q.momenta == "fresh" else point(old, "x_old", "y_old")
        scale = {"u": DIGITS.mpf(1), "v": DIGITS.mpf(1)}
    noises = []
    for momentum, mean, squares in (("u", w.mean_h, w.squares_h), ("v", w.mean_g, w.squares_g)):
        at = point(new) if before is None else point(new).minus(keep[momentum], before)
        new[momentum] = combine((keep[momentum], old[momentum]), (scale[momentum], mean(at)))
        into = {momentum: scale[momentum]}
        name, rho = moves[momentum]
        if q.momenta == "carry":
            into[name] = -rho * eta * scale[momentum]
        noises.append(Noise([into.get(f, DIGITS.mpf(0)) for f in q.fields], squares(at)))
    if q.momenta == "carry":
        for momentum, (name, rho) in moves.items():
            new[name] = combine((1, old[name]), (-rho * eta, new[momentum]))
    if "x_old" in q.fields:
        new["x_old"], new["y_old"] = old["x"], old["y"]
    return Iteration(DIGITS.matrix([new[f] for f in q.fields]), (noises[0], noises[1]))


def beginning(w: Estimates, q: Method, x0: Number, y0: Number) -> tuple[int, Matrix, Matrix]:
    """(t, S, C): under `fresh` before iteration 0 with u_0, v_0 in hand, under `carry` after it, not yet averaged."""
    at = {"x": [x0], "y": [y0], "one": [DIGITS.mpf(1)]}
    u, v = w.mean_h(point(at))[0], w.mean_g(point(at))[0]
    moved = q.momenta == "carry"
    steps = {"x": q.rho_1 * q.eta * moved, "y": q.rho_2 * q.eta * moved}
    value = {
        "x": x0 - steps["x"] * u,
        "y": y0 - steps["y"] * v,
        "u": u,
        "v": v,
        "x_old": x0,
        "y_old": y0,
        "one": 1,
    }
    mean = DIGITS.matrix([value[f] for f in q.fields])
    C = mean * mean.T
    S = C.copy()
    for momentum, name, squares in (("u", "x", w.squares_h), ("v", "y", w.squares_g)):
        variance = sum(weight * row[0] ** 2 for weight, row in squares(point(at))) / q.B
        along = {momentum: DIGITS.mpf(1), name: -steps[name]}
        into = DIGITS.matrix([along.get(f, DIGITS.mpf(0)) for f in q.fields])
        S += variance * (into * into.T)
    return int(moved), S, C


# Devices and rounds.


@dataclass(frozen=True)
class Run:
    w: Estimates
    q: Method
    K: int

    def step(self, it: Iteration, S: Matrix, C: Matrix) -> tuple[Matrix, Matrix]:
        return it.M * S * it.M.T + it.injected(S), it.M * C * it.M.T

    def average(self, S: Matrix, C: Matrix) -> tuple[Matrix, Matrix]:
        mean = self.of_mean(S, C)
        S, C, local = S.copy(), C.copy(), self._local()
        n = range(len(self.q.fields))
        for i in n:
            for j in n:
                if not (i in local and j in local):
                    S[i, j] = C[i, j] = mean[i, j]
        return S, C

    def of_mean(self, S: Matrix, C: Matrix) -> Matrix:
        """E[wbar wbar']."""
        return S / self.K + C * (1 - DIGITS.mpf(1) / self.K)

    def measures(self, S: Matrix, C: Matrix) -> Matrix:
        rows, mean = unit_rows(self.q.fields), self.of_mean(S, C)
        gradient, tracking = truth(self.w.w, point(rows))
        return DIGITS.matrix(
            [
                quadratic_form(gradient, mean),
                quadratic_form(tracking, mean),
                quadratic_form(rows["x"], S - mean),
                quadratic_form(rows["y"], S - mean),
            ]
        )

    def _local(self) -> set[int]:
        return {i for i, f in enumerate(self.q.fields) if f in self.q.local}

    # After an average C is S but for the entries of two local fields.

    def places(self) -> list[tuple[int, int, int]]:
        """(matrix, i, j): the entries of S (0) and C (1) that determine both, right after an average."""
        n, local = len(self.q.fields), sorted(self._local())
        upper = [(0, i, j) for i in range(n) for j in range(i, n)]
        return upper + [(1, i, j) for i in local for j in local if i <= j]

    def pack(self, S: Matrix, C: Matrix) -> Matrix:
        return DIGITS.matrix([(S, C)[which][i, j] for which, i, j in self.places()])

    def unpack(self, z: Matrix) -> tuple[Matrix, Matrix]:
        n = len(self.q.fields)
        S, C = DIGITS.zeros(n), DIGITS.zeros(n)
        for value, (which, i, j) in zip(z, self.places(), strict=True):
            for matrix in (S, C)[which:]:
                matrix[i, j] = matrix[j, i] = value
        return S, C

    def walk(self, it: Iteration, S: Matrix, C: Matrix, t: int, n: int) -> tuple[Matrix, Matrix, Matrix]:
        """The summed measures of n iterations from t, and S and C after them."""
        sums = DIGITS.zeros(4, 1)
        for u in range(t, t + n):
            sums += self.measures(S, C)
            S, C = self.step(it, S, C)
            if (u + 1) % self.q.p == 0:
                S, C = self.average(S, C)
        return sums, S, C

    def round_matrix(self, it: Iteration) -> tuple[Matrix, Matrix]:
        """(sums, state): p iterations and their average, as matrices on packed states."""
        size = len(self.places())
        sums, states = DIGITS.zeros(4, size), DIGITS.zeros(size)
        for i in range(size):
            unit = DIGITS.zeros(size, 1)
            unit[i] = 1
            gained, S, C = self.walk(it, *self.unpack(unit), 0, self.q.p)
            sums[:, i], states[:, i] = gained, self.pack(S, C)
        return sums, states


def moments(
    world: Any, q: Method, *, K: int, lengths: Sequence[int], x0: float, y0: float
) -> Iterator[tuple[dict[str, Number], dict[str, Number]]]:
    """For each T of the lengths: the measures averaged over t < T, and at t = T."""
    run = Run(Estimates.of(world, q), q, K)
    it = iteration(run.w, q)
    t, S, C = beginning(run.w, q, number(x0), number(y0))
    sums = DIGITS.zeros(4, 1)
    if t == 1:
        at_0 = DIGITS.matrix([number({"x": x0, "y": y0}.get(f, 1.0)) for f in q.fields])
        sums = run.measures(at_0 * at_0.T, at_0 * at_0.T)
        S, C = run.average(S, C) if q.p == 1 else (S, C)
    head = q.p if t == 0 else -t % q.p
    assert min(lengths) >= t + head
    gained, S, C = run.walk(it, S, C, t, head)
    rounds = [divmod(T - t - head, q.p) for T in lengths]
    ends = _powers(run.round_matrix(it), (sums + gained, run.pack(S, C)), [n for n, _ in rounds])
    for T, (_, tail), (total, z) in zip(lengths, rounds, ends, strict=True):
        gained, S, C = run.walk(it, *run.unpack(z), 0, tail)
        yield named((total + gained) / T), named(run.measures(S, C))


def named(values: Matrix) -> dict[str, Number]:
    return dict(zip(MEASURES, values, strict=True))


def _powers(
    one: tuple[Matrix, Matrix], start: tuple[Matrix, Matrix], counts: list[int]
) -> list[tuple[Matrix, Matrix]]:
    """(sums, state) after n rounds, for each n."""
    sums, state = one
    ends = [start for _ in counts]
    while any(counts):
        ends = [
            (total + sums * z, state * z) if n & 1 else (total, z)
            for n, (total, z) in zip(counts, ends, strict=True)
        ]
        counts = [n >> 1 for n in counts]
        if any(counts):
            sums, state = sums + sums * state, state * state
    return ends
