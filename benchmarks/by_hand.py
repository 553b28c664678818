"""The most that was got out of numpy: the array operations of the sampling engine for this one problem, by hand.

The same iterations as in reference.c on arrays (d, lanes) with lanes = devices x replicates: every array is made once
and written in place, (M + e N) r is the one product (M N)(r; e r), constants are folded in beforehand, and signs come
from the quickest generator that numpy has. What the algorithm evaluates is evaluated: LocalBSGVRM's sample at both of
its points, where C makes one Neumann sum of the two because this problem is affine.

C does less still: here every operation goes through memory, and signs are doubles.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.c_reference import arrays_of
from ratecert.solvers import LocalBSGM, LocalBSGVRM
from ratecert.solvers.engines.monte_carlo.noise import SIGNS_OF_OCTET
from ratecert.synthetic import Quadratic

Array = NDArray[np.float64]
Solver = LocalBSGM | LocalBSGVRM


class ByHand:
    """One tile: all replicates at once, whose lanes are a multiple of 64."""

    def __init__(self, world: Quadratic, solver: Solver, *, K: int, replicates: int, seed: int) -> None:
        self.w, self.solver, self.K, self.replicates = world, solver, K, replicates
        self.lanes = K * replicates
        m = self.m = arrays_of(world, solver.theta)
        self.factor = np.hstack([m["factor"], m["factor_noise"]])
        self.transposed = np.hstack([m["B_transposed"], m["F_transposed"]])
        self.lower = np.hstack([m["A"], m["E"], m["B"], m["F"]])
        self.bits = np.random.default_rng(seed).bit_generator
        d_x, d_y = world.d_x, world.d_y
        self.n = d_x + 2 * d_y + solver.Q + 3
        self.signs = np.empty((self.n * self.lanes // 8, 8))
        self.r, self.following, self.total = (np.empty((2 * d_y, self.lanes)) for _ in range(3))
        self.points = np.empty((2 * (d_x + d_y), self.lanes))
        self.h, self.h_old = np.empty((d_x, self.lanes)), np.empty((d_x, self.lanes))
        self.g, self.g_old = np.empty((d_y, self.lanes)), np.empty((d_y, self.lanes))

    def run(self, T: int, x0: Array, y0: Array) -> Array:
        """(4, replicates): gradient, tracking, drift_x, drift_y of each replicate, averaged over t < T."""
        x, y = (np.repeat(z[:, None], self.lanes, axis=1) for z in (x0, y0))
        u, v, x_old, y_old = (np.zeros_like(z) for z in (x, y, x, y))
        measured = np.zeros((4, self.replicates))
        for t in range(T):
            self._measure(x, y, measured)
            self._step(t, x, y, u, v, x_old, y_old)
            if (t + 1) % self.solver.p == 0 and self.K > 1:
                for z in (x, y, u, v):
                    self._of_devices(z)[:] = self._mean(z)[:, None]
        return measured / T

    def _step(self, t: int, x: Array, y: Array, u: Array, v: Array, x_old: Array, y_old: Array) -> None:
        self._draw()
        solver: Any = self.solver
        eta = solver.step_size(t)
        reduced = isinstance(solver, LocalBSGVRM)
        weights = [w * (eta**2 if reduced else eta) for w in (solver.alpha, solver.beta)]
        self._estimate(x, y, self.h, self.g)
        if reduced and t:
            self._estimate(x_old, y_old, self.h_old, self.g_old)
        if reduced:
            x_old[:], y_old[:] = x, y
        moves = ((x, u, self.h, self.h_old, solver.rho_1), (y, v, self.g, self.g_old, solver.rho_2))
        for (z, momentum, new, old, rho), weight in zip(moves, weights, strict=True):
            if t == 0:
                momentum[:] = new
            else:
                if reduced:
                    momentum -= old
                else:
                    new *= weight
                momentum *= 1 - weight
                momentum += new
            z -= np.multiply(momentum, rho * eta, out=old)

    def _draw(self) -> None:
        """All signs of an iteration; the noise of gradients is scaled in place."""
        words = self.bits.random_raw(self.n * self.lanes // 64)
        SIGNS_OF_OCTET.take(words.view(np.uint8), axis=0, out=self.signs, mode="clip")
        signs, d_x, d_y = self.signs.reshape(self.n, self.lanes), self.w.d_x, self.w.d_y
        self.m_x, self.m_y, self.noise_g, self.e = np.split(signs, [d_x, d_x + d_y, d_x + 2 * d_y])
        self.m_x *= self.w.s_f
        self.m_y *= self.solver.theta * self.w.s_f
        self.noise_g *= self.w.s_g

    def _estimate(self, x: Array, y: Array, h: Array, g: Array) -> None:
        """The sampled hypergradient into h, the sampled grad_y g into g."""
        m, e, d_x, d_y = self.m, self.e, self.w.d_x, self.w.d_y
        r, following, total = self.r, self.following, self.total
        np.matmul(m["D"], y, out=r[:d_y])
        r[:d_y] += m["of_y"][:, None]
        r[:d_y] += self.m_y
        total[:d_y] = r[:d_y]
        for sign in e[3:]:
            np.multiply(r[:d_y], sign, out=r[d_y:])
            np.matmul(self.factor, r, out=following[:d_y])
            r, following = following, r
            total[:d_y] += r[:d_y]
        np.multiply(total[:d_y], e[0], out=total[d_y:])
        np.matmul(self.transposed, total, out=h)
        h += m["P"] @ x
        h += m["of_x"][:, None]
        h += self.m_x
        z = self.points
        z[:d_y], z[2 * d_y : 2 * d_y + d_x] = y, x
        np.multiply(y, e[1], out=z[d_y : 2 * d_y])
        np.multiply(x, e[2], out=z[2 * d_y + d_x :])
        np.matmul(self.lower, z, out=g)
        g += m["of_g"][:, None]
        g += self.noise_g

    def _measure(self, x: Array, y: Array, measured: Array) -> None:
        m, x_mean, y_mean = self.m, self._mean(x), self._mean(y)
        vectors = (
            m["hessian"] @ x_mean + m["gradient"][:, None],
            m["slope"] @ x_mean + m["intercept"][:, None] - y_mean,
        )
        for total, vector in zip(measured, vectors, strict=False):
            total += np.einsum("dr,dr->r", vector, vector)
        for total, z, mean in ((measured[2], x, x_mean), (measured[3], y, y_mean)):
            apart = self._of_devices(z) - mean[:, None]
            total += np.einsum("dkr,dkr->r", apart, apart) / self.K

    def _of_devices(self, z: Array) -> Array:
        return z.reshape(len(z), self.K, self.replicates)

    def _mean(self, z: Array) -> Array:
        mean: Array = self._of_devices(z).sum(axis=1)
        mean /= self.K
        return mean
