"""Mean and covariance of three estimators of the hypergradient: from matrices, without any estimator's code.

    E1   the Neumann series cut at random, N terms          E2   the full sum with fresh samples, Q + 1 terms
    E3   an auxiliary variable r that takes n steps with (x, y) fixed, tau = theta

At (x, y), with A and B the means of the Hessian and of the coupling, w the mean of grad_y f and M = I - theta A,
h = grad_x f + (B + e'F)'r with r independent of e'. All three r have the same mean, rho = (I - M^n) A^{-1} w: every
factor has a sample of its own, so the mean of a product is the product of the means, whatever the noise. Hence

    E[h] - [grad_x f + B' A^{-1} w] = -B' M^n A^{-1} w        and, from r_0 instead of 0,  -B' M^n (A^{-1} w - r_0)
    cov h = s_f^2 I + B'SB + F'SF - B'rho rho'B,              S = E[r r']

They differ in S. Let S_0 = ww' + s_f^2 I be the second moment of a sample of grad_y f and S_{k+1} = M S_k M +
theta^2 E S_k E that of k + 1 factors times it; E S E is summed over the directions of the noise, as is F'SF.

    E1    S = N theta^2 sum_{k<N} S_k                                  every k has probability 1/N, and N^2/N = N
    E2    S = theta^2 sum_{i<n} [S_i + C_i S_i + S_i C_i],   C_i = M + ... + M^{n-1-i}        two terms share i factors
    E3    V_{i+1} = M V_i M + theta^2 E V_i E + theta (M rho_i w' + w rho_i'M) + theta^2 S_0,   S = V_n

Where A and E do not commute the order of the factors matters: E2 shares the first factors between its terms, E3 the
last ones.
"""

import numpy as np
from numpy.typing import NDArray

from ratecert.synthetic.quadratic import Quadratic

Array = NDArray[np.float64]


class Laws:
    """The laws at one point of a world."""

    def __init__(self, world: Quadratic, x: Array, y: Array, theta: float) -> None:
        self.world, self.theta = world, theta
        self.w: Array = world.D @ (y - world.b)
        self.M: Array = np.eye(world.d_y) - theta * world.A
        self.grad_x_f: Array = world.P @ (x - world.a)
        self._solved = np.linalg.solve(world.A, self.w)
        through: Array = world.B.T @ self._solved
        self.tilde = self.grad_x_f + through  # the formula with the inverse
        # what its rounding is relative to
        self.size = float(np.linalg.norm(self.grad_x_f) + np.linalg.norm(through))

    def bias(self, n: int, r_0: float = 0.0) -> Array:
        """E[h] - tilde; all components of the r from which E3 starts are r_0."""
        return np.asarray(-self.world.B.T @ self._power(n) @ (self._solved - r_0))

    def rho(self, n: int) -> Array:
        return np.asarray(self._solved - self._power(n) @ self._solved)

    def covariance(self, name: str, n: int) -> Array:
        B, F, rho = self.world.B, self.world.F, self.rho(n)
        S = {"E1": self._cut, "E2": self._sum, "E3": self._steps}[name](n)
        noise = self.world.s_f**2 * np.eye(self.world.d_x) + sum(F_i.T @ S @ F_i for F_i in F)
        return np.asarray(noise + B.T @ (S - np.outer(rho, rho)) @ B)

    def _cut(self, N: int) -> Array:
        return np.asarray(N * self.theta**2 * np.sum(self._terms(N), axis=0))

    def _sum(self, n: int) -> Array:
        total, C = np.zeros_like(self.M), np.zeros_like(self.M)
        for i, S_i in reversed(list(enumerate(self._terms(n)))):
            total += S_i + C @ S_i + S_i @ C
            C = C + self._power(n - i)
        return self.theta**2 * total

    def _steps(self, n: int) -> Array:
        V = np.zeros_like(self.M)
        for i in range(n):
            mixed = np.outer(self.M @ self.rho(i), self.w)
            V = self._one_factor(V) + self.theta * (mixed + mixed.T) + self.theta**2 * self._first
        return V

    def _terms(self, n: int) -> list[Array]:
        """S_0, ..., S_{n-1}."""
        terms = [self._first]
        for _ in range(1, n):
            terms.append(self._one_factor(terms[-1]))
        return terms

    def _one_factor(self, S: Array) -> Array:
        return np.asarray(self.M @ S @ self.M + self.theta**2 * sum(E_i @ S @ E_i for E_i in self.world.E))

    def _power(self, n: int) -> Array:
        return np.linalg.matrix_power(self.M, n)

    @property
    def _first(self) -> Array:
        return np.asarray(np.outer(self.w, self.w) + self.world.s_f**2 * np.eye(self.world.d_y))
