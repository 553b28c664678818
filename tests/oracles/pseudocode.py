"""Algorithms 1 and 2 as they are printed: a slow witness that shares no code with the solvers.

Loops over iterations t and devices k, arrays [outcomes, ...] over the outcomes of the noise. Each sampled
matrix is formed, and so is the sum of products of the preliminaries,

    H_hat = theta * sum_{q=-1}^{Q-1} prod_{j=Q-q}^{Q} (I - theta A_j),        A_j = A + e_j E.

A product is read from left to right with j ascending: q = -1 is the empty product I, q = 0 is I - theta A_Q
and q = 1 is (I - theta A_{Q-1})(I - theta A_Q), so that each term is the one before it with one more factor
on its *left*. The Q samples are exchangeable: which of them is called A_Q changes no expectation. With the
factors reversed the sum is Horner's, for symmetric A_j the transpose: the same mean, another variance.

xi, the zeta of grad_xy g, the zeta_j of the factors and the zeta of v are independent. Each sign that is
drawn has its own bit of the outcome number; a source that is switched off draws none. What the printed lines
leave open:

    momenta   "carry": a synchronisation at t+1 averages x_{t+1}, y_{t+1} and the momenta u_t, v_t in hand
              "fresh": u_{t+1}, v_{t+1} are computed first, at the local x_{t+1}, y_{t+1}, then averaged
    previous  after a synchronisation Algorithm 2 takes its difference to the device's own x_t, y_t ("local")
              or to their means over the devices ("averaged"); moot under "fresh"
    B         the batch at t = 0 of Algorithm 2 is the mean of B complete, independent estimates
    eta       in Algorithm 1 a number; a function of t is read as eta_t wherever iteration t prints eta

The last arguments of both functions are switches that misprint one thing each, for tests that have to see a
difference: `weight(t)` in place of the eta or eta_{t-1}^2 that alpha and beta multiply, the order of the
`product`, and a sample that is not `common` to the two points of Algorithm 2's difference.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Momenta = Literal["carry", "fresh"]
Previous = Literal["local", "averaged"]
Product = Literal["printed", "reversed"]

MEASURES = ("gradient", "tracking", "drift_x", "drift_y")
BLOCK = 2**14  # outcomes at a time: bounds the memory


class Signs:
    """Signs of some outcomes: the j-th sign that a run asks for is (-1)^(bit j of the outcome's number)."""

    def __init__(self, outcomes: NDArray[np.int64]) -> None:
        self.outcomes = outcomes
        self.used = 0

    def take(self, n: int) -> Array:
        """[outcomes, n]: the next n signs."""
        bits = (self.outcomes[:, None] >> (self.used + np.arange(n))) & 1
        self.used += n
        return np.where(bits == 1, -1.0, 1.0)


@dataclass
class Device:
    """The variables of one device, [outcomes, d] each; x_old and y_old are those of the iteration before."""

    x: Array
    y: Array
    u: Any = None
    v: Any = None
    x_old: Any = None
    y_old: Any = None


@dataclass(frozen=True)
class Hypersample:
    """xi_hat: one sample of f, one of grad_xy g and Q of grad_yy g, as what they do."""

    noise_x: Array  # s_f m_x
    noise_y: Array  # s_f m_y
    coupling: Array  # B + e' F
    H_hat: Array


@dataclass(frozen=True)
class Lowersample:
    """zeta: one sample of grad_y g."""

    hessian: Array  # A + e E
    coupling: Array  # B + e' F
    noise: Array  # s_g n


# Sampled matrices and vectors.


def times(matrices: Array, vectors: Array) -> Array:
    """One product per outcome."""
    product: Array = (matrices @ vectors[..., None])[..., 0]
    return product


def mean(vectors: Sequence[Array]) -> Array:
    """1/n sum of n vectors."""
    total: Array = sum(vectors[1:], start=vectors[0])
    return total / len(vectors)


def signed(matrix: Array, directions: Array, signs: Signs) -> Array:
    """matrix + sum_i e_i directions_i, with new signs e."""
    noise: Array = np.einsum("oi,ijk->ojk", signs.take(len(directions)), directions)
    return matrix + noise


def additive(level: float, d: int, signs: Signs) -> Array:
    """level * m with d new signs m; zero, and no signs, at level 0."""
    return level * signs.take(d) if level > 0 else np.zeros((1, d))


def neumann(hessians: list[Array], theta: float, d: int, product: Product) -> Array:
    """H_hat for the samples A_1, ..., A_Q, term by term and factor by factor as printed."""
    Q, identity = len(hessians), np.eye(d)[None]
    total = np.zeros((1, d, d))
    for q in range(-1, Q):
        term = identity
        for j in range(Q - q, Q + 1):
            factor = identity - theta * hessians[j - 1]
            term = term @ factor if product == "printed" else factor @ term
        total = total + term
    return theta * total


def draw_upper(world: Any, theta: float, Q: int, product: Product, signs: Signs) -> Hypersample:
    return Hypersample(
        noise_x=additive(world.s_f, len(world.P), signs),
        noise_y=additive(world.s_f, len(world.A), signs),
        coupling=signed(world.B, world.F, signs),
        H_hat=neumann([signed(world.A, world.E, signs) for _ in range(Q)], theta, len(world.A), product),
    )


def draw_lower(world: Any, signs: Signs) -> Lowersample:
    return Lowersample(
        hessian=signed(world.A, world.E, signs),
        coupling=signed(world.B, world.F, signs),
        noise=additive(world.s_g, len(world.A), signs),
    )


def hypergradient(world: Any, xi: Hypersample, x: Array, y: Array) -> Array:
    """grad_x f(x, y; xi) - grad_xy g(x, y; zeta) H_hat grad_y f(x, y; xi), where grad_xy g = -(B + e' F)'."""
    grad_x_f = times(world.P, x - world.a) + xi.noise_x
    grad_y_f = times(world.D, y - world.b) + xi.noise_y
    grad_xy_g = -np.swapaxes(xi.coupling, 1, 2)
    return grad_x_f - times(grad_xy_g, times(xi.H_hat, grad_y_f))


def lower_gradient(world: Any, zeta: Lowersample, x: Array, y: Array) -> Array:
    """grad_y g(x, y; zeta) = (A + e E) y - (B + e' F) x - c + s_g n."""
    c: Array = world.c
    return times(zeta.hessian, y) - times(zeta.coupling, x) - c + zeta.noise


# What is measured, and its expectation.


def squared(a: Array) -> Array:
    norms: Array = (a * a).sum(axis=-1)
    return norms


def measure(world: Any, devices: list[Device]) -> list[float]:
    """Means over these outcomes of MEASURES, at the current iterate."""
    x_bar, y_bar = mean([d.x for d in devices]), mean([d.y for d in devices])
    inverse = np.linalg.inv(world.A)
    y_star = times(inverse, times(world.B, x_bar) + world.c)
    grad_Phi = times(world.P, x_bar - world.a) + times(world.B.T @ inverse @ world.D, y_star - world.b)
    values = (
        squared(grad_Phi),
        squared(y_bar - y_star),
        mean([squared(d.x - x_bar) for d in devices]),
        mean([squared(d.y - y_bar) for d in devices]),
    )
    return [float(np.mean(value)) for value in values]


def expectation(run: Callable[[Signs], list[list[float]]]) -> dict[str, dict[str, Any]]:
    """The mean of run over all outcomes: `curves` at t = 0..T, and `averages` over t < T.

    One outcome is run first, to count the signs.
    """
    counted = Signs(np.zeros(1, dtype=np.int64))
    run(counted)
    outcomes = 2**counted.used
    blocks = []
    for first in range(0, outcomes, BLOCK):
        signs = Signs(np.arange(first, min(first + BLOCK, outcomes)))
        blocks.append(run(signs))
        assert signs.used == counted.used
    curves = dict(zip(MEASURES, np.mean(blocks, axis=0).T, strict=True))
    return {"curves": curves, "averages": {name: float(curve[:-1].mean()) for name, curve in curves.items()}}


def average(devices: list[Device], fields: Iterable[str]) -> None:
    """Upload to the server and reset: a^(k) = 1/K sum_k' a^(k')."""
    for field in fields:
        reset = mean([getattr(d, field) for d in devices])
        for d in devices:
            setattr(d, field, reset)


def start(K: int, x0: Any, y0: Any) -> list[Device]:
    return [Device(x=np.array([x0], dtype=float), y=np.array([y0], dtype=float)) for _ in range(K)]


# The algorithms.


def local_bsgm(
    world: Any,
    *,
    K: int,
    T: int,
    x0: Any,
    y0: Any,
    eta: Callable[[int], float],
    alpha: float,
    beta: float,
    rho_1: float,
    rho_2: float,
    p: int,
    theta: float,
    Q: int,
    momenta: Momenta = "carry",
    weight: Callable[[int], float] | None = None,
    product: Product = "printed",
) -> dict[str, dict[str, Any]]:
    """Algorithm 1: the expectations of MEASURES, see `expectation`."""
    weigh = weight or eta

    def run(signs: Signs) -> list[list[float]]:
        def momentum(t: int, d: Device) -> tuple[Array, Array]:
            h = hypergradient(world, draw_upper(world, theta, Q, product, signs), d.x, d.y)
            g = lower_gradient(world, draw_lower(world, signs), d.x, d.y)
            if t == 0:
                return h, g
            w_u, w_v = alpha * weigh(t), beta * weigh(t)
            return (1 - w_u) * d.u + w_u * h, (1 - w_v) * d.v + w_v * g

        devices = start(K, x0, y0)
        seen = [measure(world, devices)]
        for t in range(T):
            already = momenta == "fresh" and t > 0 and t % p == 0  # computed before the synchronisation
            for d in devices:
                if not already:
                    d.u, d.v = momentum(t, d)
                d.x = d.x - rho_1 * eta(t) * d.u
                d.y = d.y - rho_2 * eta(t) * d.v
            if (t + 1) % p == 0:
                if momenta == "fresh" and t + 1 < T:  # nothing that is measured depends on u_T, v_T
                    for d in devices:
                        d.u, d.v = momentum(t + 1, d)
                average(devices, ("u", "v", "x", "y"))
            seen.append(measure(world, devices))
        return seen

    return expectation(run)


def local_bsgvrm(
    world: Any,
    *,
    K: int,
    T: int,
    x0: Any,
    y0: Any,
    eta: Callable[[int], float],
    alpha: float,
    beta: float,
    rho_1: float,
    rho_2: float,
    p: int,
    theta: float,
    Q: int,
    B: int = 1,
    momenta: Momenta = "carry",
    previous: Previous = "local",
    weight: Callable[[int], float] | None = None,
    product: Product = "printed",
    common: bool = True,
) -> dict[str, dict[str, Any]]:
    """Algorithm 2: the expectations of MEASURES, see `expectation`."""
    weigh = weight or (lambda t: eta(t - 1) ** 2)

    def run(signs: Signs) -> list[list[float]]:
        def draw() -> tuple[Hypersample, Lowersample]:
            return draw_upper(world, theta, Q, product, signs), draw_lower(world, signs)

        def momentum(t: int, d: Device) -> tuple[Array, Array]:
            if t == 0:
                batch = [draw() for _ in range(B)]
                u = mean([hypergradient(world, xi, d.x, d.y) for xi, _ in batch])
                v = mean([lower_gradient(world, zeta, d.x, d.y) for _, zeta in batch])
                return u, v
            xi, zeta = draw()
            xi_old, zeta_old = (xi, zeta) if common else draw()
            h = hypergradient(world, xi, d.x, d.y)
            g = lower_gradient(world, zeta, d.x, d.y)
            h_old = hypergradient(world, xi_old, d.x_old, d.y_old)
            g_old = lower_gradient(world, zeta_old, d.x_old, d.y_old)
            w_u, w_v = alpha * weigh(t), beta * weigh(t)
            return (1 - w_u) * (d.u - h_old) + h, (1 - w_v) * (d.v - g_old) + g

        devices = start(K, x0, y0)
        seen = [measure(world, devices)]
        for t in range(T):
            already = momenta == "fresh" and t > 0 and t % p == 0  # computed before the synchronisation
            for d in devices:
                if not already:
                    d.u, d.v = momentum(t, d)
                d.x_old, d.y_old = d.x, d.y
                d.x = d.x - rho_1 * eta(t) * d.u
                d.y = d.y - rho_2 * eta(t) * d.v
            if (t + 1) % p == 0:
                if momenta == "fresh" and t + 1 < T:  # nothing that is measured depends on u_T, v_T
                    for d in devices:
                        d.u, d.v = momentum(t + 1, d)
                average(devices, ("u", "v", "x", "y"))
                if previous == "averaged":
                    average(devices, ("x_old", "y_old"))
            seen.append(measure(world, devices))
        return seen

    return expectation(run)
