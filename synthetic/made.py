"""Ways to make a quadratic world that attains what is asked for: mu, L_1, the noise levels and the dimensions.

`scalar` is the smallest: x and y are numbers, and everything can be checked by hand. `random_quadratic` has
prescribed spectra in random bases. On `aligned` the bias bound Delta_Q is attained.
"""

from dataclasses import fields

import numpy as np
import scipy

from ratecert.base.arrays import require_memory
from ratecert.base.errors import UserError, UserTypeError
from ratecert.base.validation import Array, as_level, as_number, require_whole, shown
from ratecert.synthetic.algebra import combinations, rectangular, symmetric, unit_of
from ratecert.synthetic.constants import Reading, norm_of_g, require_reading
from ratecert.synthetic.quadratic import Quadratic


def scalar(
    *, mu: float = 1.0, L_1: float = 4.0, sigma_H: float = 0.0, sigma_J: float = 0.0, s_f: float = 0.0,
    s_g: float = 0.0, P: float = 1.0, D: float = 1.0, a: float = 0.0, b: float = 0.0, c: float = 0.0,
    reading: Reading = "joint",
) -> Quadratic:  # fmt: skip
    """Make a scalar world with exactly this mu, this L_1 and these noise levels.

    With A = mu + sigma_H, E = sigma_H the curvature A + e E runs from mu to h = mu + 2 sigma_H. The joint
    Hessian [[0, -N], [-N, M]] has the norm (M + sqrt(M^2 + 4 N^2))/2, which equals L_1 at M = h for the
    coupling N = sqrt(L_1 (L_1 - h)); under `block` N = L_1. B = N - sigma_J, F = sigma_J.

    mu, L_1           strong convexity and smoothness of g, mu + 2 sigma_H < L_1
    sigma_H, sigma_J  noise of the Hessian and of the coupling
    s_f, s_g          additive noise of grad f and of grad_y g
    P, D              curvature of f in x and in y, in [0, L_1]
    a, b, c           centre of f, and the target of the lower level
    reading           of L_1: `joint` or `block` (synthetic/constants.py)

    >>> import ratecert as rc
    >>> print(f"{rc.worlds.scalar(mu=1.0, L_1=4.0).constants()['L_1']:.6f}")
    4.000000
    """
    require_reading(reading)
    mu, L_1, P, D = as_number("mu", mu), as_number("L_1", L_1), as_number("P", P), as_number("D", D)
    sigma_H, sigma_J = as_level("sigma_H", sigma_H), as_level("sigma_J", sigma_J)
    h = mu + 2 * sigma_H
    if not (mu > 0 and h < L_1):
        raise UserError(
            f"mu and L_1 must satisfy mu > 0 and mu + 2 sigma_H = {h:.6g} < L_1, got mu = {mu}, L_1 = {L_1}."
        )
    if not (0 <= P <= L_1 and 0 <= D <= L_1):
        raise UserError(f"P and D must lie in [0, L_1] = [0, {L_1}], got P = {P}, D = {D}.")
    unit = unit_of(L_1)
    N = unit * float(np.sqrt(L_1 / unit * ((L_1 - h) / unit))) if reading == "joint" else L_1
    if sigma_J > N:
        raise UserError(f"sigma_J must lie in [0, {N:.6g}], the coupling that attains L_1, got {sigma_J}.")
    return Quadratic(
        A=mu + sigma_H, E=sigma_H, B=N - sigma_J, F=sigma_J, c=c, P=P, D=D, a=a, b=b, s_f=s_f, s_g=s_g
    )  # fmt: skip


def random_quadratic(
    *, d_x: int, d_y: int, mu: float = 1.0, L_1: float = 4.0, sigma_H: float = 0.0, sigma_J: float = 0.0,
    s_f: float = 0.0, s_g: float = 0.0, seed: int, reading: Reading = "joint",
) -> Quadratic:  # fmt: skip
    """Make a random world with one direction of Hessian noise (norm sigma_H) and one of the coupling (sigma_J).

    Two numbers are solved for instead of being hoped for: the shift of A that makes mu = min lambda_min(A + e E)
    exact, and the scale of B that makes L_1 exact.

    d_x, d_y          dimensions of x and y
    mu, L_1           strong convexity and smoothness of g, mu + 2 sigma_H < L_1
    sigma_H, sigma_J  noise of the Hessian and of the coupling
    s_f, s_g          additive noise of grad f and of grad_y g, per coordinate
    seed              of the random bases; the same seed makes the same world
    reading           of L_1: `joint` or `block` (synthetic/constants.py)

    >>> import ratecert as rc
    >>> world = rc.worlds.random_quadratic(d_x=2, d_y=3, mu=1.0, L_1=4.0, seed=1)
    >>> print(f"{world.constants()['mu']:.6f} {world.constants()['L_1']:.6f}")
    1.000000 4.000000
    """
    require_reading(reading)
    d_x, d_y = require_whole("d_x", d_x, least=1), require_whole("d_y", d_y, least=1)
    require_memory("random_quadratic", d=d_x + d_y, names={"d": "d_x + d_y"})
    mu, L_1 = as_number("mu", mu), as_number("L_1", L_1)
    sigma_H, sigma_J = as_level("sigma_H", sigma_H), as_level("sigma_J", sigma_J)
    if not (mu > 0 and mu + 2 * sigma_H < L_1):
        raise UserError(
            f"random_quadratic needs mu > 0 and mu + 2 sigma_H < L_1, got mu = {mu}, sigma_H = {sigma_H}, "
            f"L_1 = {L_1}."
        )
    rng = np.random.default_rng(require_whole("seed", seed, least=0))
    middle = 0.5 * (mu + 2 * sigma_H + L_1)
    E = symmetric(rng, np.linspace(-1.0, 1.0, d_y) * sigma_H if d_y > 1 else np.array([sigma_H]))[None]
    A = symmetric(rng, np.linspace(mu + sigma_H, middle - sigma_H, d_y))
    A += (mu - np.linalg.eigvalsh(combinations(A, E)).min()) * np.eye(d_y)
    singular = np.linspace(1.0, 0.5, min(d_x, d_y))
    F = rectangular(rng, d_y, d_x, singular)[None] * sigma_J
    B = _coupling(A, E, rectangular(rng, d_y, d_x, singular), F, L_1=L_1, reading=reading)
    return Quadratic(
        A=A,
        E=E,
        B=B,
        F=F,
        c=rng.uniform(-1.0, 1.0, d_y),
        P=symmetric(rng, np.linspace(mu, L_1, d_x)),
        D=symmetric(rng, np.linspace(mu, L_1, d_y)),
        a=rng.uniform(-1.0, 1.0, d_x),
        b=rng.uniform(-1.0, 1.0, d_y),
        s_f=s_f,
        s_g=s_g,
    )


def _coupling(A: Array, E: Array, B: Array, F: Array, *, L_1: float, reading: Reading) -> Array:
    """B times the scale at which the Hessian of g has the norm L_1; sigma_J = ||F||."""
    g_norm, unit = norm_of_g(reading), unit_of(L_1)

    def excess(scale: float) -> float:
        """In the unit of L_1, like the scale: brentq stops at a step of 1e-300, which may not be small."""
        return g_norm(A / unit, E / unit, scale * B, F / unit) - L_1 / unit

    sigma_J = float(np.linalg.norm(F[0], 2))
    if excess(0.0) > 0:
        raise UserError(
            f"sigma_J must leave room for L_1 = {L_1}, got sigma_J = {sigma_J:.6g}, with which the Hessian "
            f"of g has the norm {unit * excess(0.0) + L_1:.6g} without any mean coupling; make sigma_J smaller."
        )
    most = 2 * (L_1 / unit) + sigma_J / unit
    return (
        unit * float(scipy.optimize.brentq(excess, 0.0, most, xtol=1e-300, rtol=4 * np.finfo(float).eps)) * B
    )


def aligned(*, d_x: int = 2, d_y: int = 3, mu: float = 1.0, L_1: float = 4.0, s_g: float = 0.0) -> Quadratic:
    """Make a world without noise in f, in A or in B, on which Delta_Q is attained under the reading `block`.

    Delta_Q = (1 - theta mu)^{Q+1} L_0 L_1 / mu multiplies four worst cases. They meet here: mu's eigenvector
    is e_1; the coupling sends e_1 to a vector of norm L_1; D stretches e_1 most and by ||D|| >= ||P||; and f
    has no noise. At (x, y) = (a, b + radius e_1) the Neumann sum is then off by Delta_Q itself.

    d_x, d_y  dimensions of x and y
    mu, L_1   strong convexity and smoothness of g, mu < L_1
    s_g       additive noise of grad_y g, per coordinate

    >>> import ratecert as rc
    >>> rc.worlds.aligned(d_x=2, d_y=3).curvature
    (1.0, 4.0)
    """
    d_x, d_y = require_whole("d_x", d_x, least=1), require_whole("d_y", d_y, least=1)
    require_memory("aligned", d=d_x + d_y, names={"d": "d_x + d_y"})
    mu, L_1 = as_number("mu", mu), as_number("L_1", L_1)
    if not 0 < mu < L_1:
        raise UserError(f"aligned needs 0 < mu < L_1, got mu = {mu}, L_1 = {L_1}.")
    B = np.zeros((d_y, d_x))
    np.fill_diagonal(B, np.linspace(L_1, mu, min(d_x, d_y)))
    return Quadratic(
        A=np.diag(np.linspace(mu, L_1, d_y) if d_y > 1 else [mu]),
        B=B,
        P=mu * np.eye(d_x),
        D=np.diag(np.linspace(L_1, mu, d_y)),
        s_g=s_g,
    )


def worst_point(world: Quadratic, radius: float) -> tuple[Array, Array]:
    """Return the point (x, y) at which the error bound Delta_Q of the Neumann sum is attained within `radius`.

    world    what `aligned` returns, moved or not; on another world no such point is known
    radius   of the ball around (a, b)

    >>> import ratecert as rc
    >>> rc.worlds.worst_point(rc.worlds.aligned(d_x=1, d_y=2), 3.0)
    (array([0.]), array([3., 0.]))
    """
    radius = as_level("radius", radius)
    if not _is_aligned(world):
        raise UserTypeError(f"world must be one that rc.worlds.aligned returns, got {shown(world)}.")
    y = world.b.copy()
    y[0] += radius
    return world.a.copy(), y


def _is_aligned(world: object) -> bool:
    """Whether a world is the one that `aligned` makes of its own numbers, here or moved: with other a, b and c."""
    if not isinstance(world, Quadratic) or not 0 < world.A[0, 0] < world.D[0, 0]:
        return False
    mu, L_1 = world.A[0, 0], world.D[0, 0]
    same = aligned(d_x=world.d_x, d_y=world.d_y, mu=mu, L_1=L_1, s_g=world.s_g)
    matrices = {f.name for f in fields(Quadratic)} - {"a", "b", "c"}
    return all(np.array_equal(getattr(world, name), getattr(same, name)) for name in matrices)
