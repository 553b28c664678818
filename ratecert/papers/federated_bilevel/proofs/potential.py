"""The measure of a long run on one device, by a potential.

With z = x_t and e = u_t - P z a step is affine as long as |z| <= R, where f is quadratic:

    z' = a z + b e,    e' = c z + d e + k m

So second moments close, and there is one quadratic form W for which, on average over the sign m,

    W(z', e') = W(z, e) - P^2 z^2 + gain

Summed over t < T:  P^2 sum E z_t^2 = gain T + W_0 - W_T. Two boxes keep that in hand. |z| <= R and |e| <= P R hold for
every outcome, if |a| + P |b| <= 1 and g P R + |k| <= P R with g = |c|/P + |d|; E e^2 <= V and E z^2 <= V/P^2 hold on
average, if g^2 V + k^2 <= V, by the triangle inequality for root mean squares. W_T is bounded by the second.
"""

from dataclasses import dataclass
from fractions import Fraction

from ratecert.base.errors import NotExactError
from ratecert.papers.federated_bilevel.proofs.world import World
from ratecert.proofs.exact_numbers import rounded_up
from ratecert.proofs.outcomes import GivenSign
from ratecert.solvers.contract.stage import Algorithm, State, first_step

ROOMIER = [Fraction(n, 100) for n in (100, 101, 110, 150, 200, 400)]  # R in units of s/P
DIGITS = 3  # of V
ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class Affine:
    """A step inside the box, and how it stretches it."""

    a: Fraction
    b: Fraction
    c: Fraction
    d: Fraction
    k: Fraction
    P: Fraction

    @property
    def along_z(self) -> Fraction:
        return abs(self.a) + self.P * abs(self.b)

    @property
    def along_e(self) -> Fraction:
        return abs(self.c) / self.P + abs(self.d)


@dataclass(frozen=True)
class Potential:
    """W = zz z^2 + ze z e + ee e^2; the sum of P^2 E z_t^2 over t < T is within `most` of `middle`."""

    affine: Affine
    zz: Fraction
    ze: Fraction
    ee: Fraction
    V: Fraction
    middle: Fraction
    most: Fraction


def numbers(found: Potential, world: World, batch: Fraction) -> dict[str, Fraction]:
    """What a file says of it, by the names of its pages."""
    affine = found.affine
    return {
        "along_z": affine.along_z,
        "begin": world.s / (world.P * world.R),
        "along_e": affine.along_e + abs(affine.k) / (world.P * world.R),
        "V": found.V,
        "start": world.s**2 / batch / found.V,
        "kept": affine.along_e**2 + affine.k**2 / found.V,
        "zz": found.zz,
        "ze": found.ze,
        "ee": found.ee,
    }


def step(
    solver: Algorithm, world: World, move: Fraction, z: Fraction, e: Fraction, m: Fraction
) -> tuple[Fraction, Fraction]:
    """From (z, e) of one iteration to that of the next, by the algorithm's own step; x moves by -move u."""
    u = e + world.P * z
    x = z - move * u
    before = State(x=x, y=ZERO, u=u, v=ZERO, x_previous=z, y_previous=ZERO)
    after = first_step(solver)(1, before, GivenSign(world.estimate, m))
    return x, after.u - world.P * x


def affine(solver: Algorithm, world: World, move: Fraction) -> Affine:
    R, E = world.R, world.P * world.R
    (a, c), (b, d) = step(solver, world, move, R, ZERO, ZERO), step(solver, world, move, ZERO, E, ZERO)
    return Affine(a / R, b / E, c / R, d / E, step(solver, world, move, ZERO, ZERO, ONE)[1], world.P)


def roomy_enough(solver: Algorithm, A: Fraction, P: Fraction, s: Fraction, move: Fraction) -> World:
    """The world with the least radius of ROOMIER whose box no outcome leaves."""
    for room in ROOMIER if s else ():
        world = World(A, P, s, room * s / P)
        found = affine(solver, world, move)
        if found.along_z <= 1 and found.along_e * P * world.R + abs(found.k) <= P * world.R:
            return world
    raise NotExactError("the iterates may leave the part of f that is quadratic")


def potential(solver: Algorithm, world: World, move: Fraction, T: int, batch: int) -> Potential:
    """W solves three linear equations, those of z^2, of z e and of e^2."""
    found = affine(solver, world, move)
    a, b, c, d, k = found.a, found.b, found.c, found.d, found.k
    if not found.along_e < 1:
        raise NotExactError("the second moments of the run may grow")
    zz, ze, ee = _solved(
        [
            [a**2 - 1, a * c, c**2, -(world.P**2)],
            [2 * a * b, a * d + b * c - 1, 2 * c * d, ZERO],
            [b**2, b * d, d**2 - 1, ZERO],
        ]
    )
    V = rounded_up(max(world.s**2 / batch, k**2 / (1 - found.along_e**2)), DIGITS)
    most = (abs(zz) / world.P**2 + abs(ze) / world.P + abs(ee)) * V
    return Potential(found, zz, ze, ee, V, ee * k**2 * T + ee * world.s**2 / batch, most)


def _solved(rows: list[list[Fraction]]) -> list[Fraction]:
    """Gauss and Jordan: the last column is the right side."""
    n = len(rows)
    for i in range(n):
        pivot = next((row for row in rows[i:] if row[i]), None)
        if pivot is None:
            raise NotExactError("the second moments have no limit")
        rows.remove(pivot)
        rows.insert(i, [value / pivot[i] for value in pivot])
        for j in range(n):
            if j != i:
                rows[j] = [p - rows[j][i] * q for p, q in zip(rows[j], rows[i], strict=True)]
    return [row[-1] for row in rows]
