"""A world on which the bias bound Delta_Q is attained, under the reading `block`.

Delta_Q = (1 - theta mu)^{Q+1} L_0 L_1 / mu multiplies four worst cases. They meet here: mu's eigenvector
is e_1; the coupling sends e_1 to a vector of norm L_1; D stretches e_1 most and by ||D|| >= ||P||; and f
has no noise. At (x, y) = (a, b + radius e_1) the Neumann sum is then off by Delta_Q itself.
"""

from dataclasses import fields

import numpy as np

from ratecert.base.arrays import require_memory
from ratecert.base.errors import UserError, UserTypeError
from ratecert.base.validation import Array, as_level, as_number, require_whole, shown
from ratecert.synthetic.worlds.quadratic import Quadratic


def aligned(*, d_x: int = 2, d_y: int = 3, mu: float = 1.0, L_1: float = 4.0, s_g: float = 0.0) -> Quadratic:
    """Make a world without noise in f, in A or in B, whose worst cases share one direction.

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
