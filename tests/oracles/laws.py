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

If y is a number, E2 and E3 have the same law but for the samples of f, of which E2 has one and E3 one in each step:
var E2 - var E3 = (B^2 + F^2) s_f^2 theta^2 sum_{i<j<n} 2 q^i m^{j-i}, q = m^2 + theta^2 E^2. Where A and E do not
commute the order of the factors matters: E2 shares the first factors between its terms, E3 the last ones. E2 is the
mean of E1 over k with all samples given, so cov E1 - cov E2 is the mean of a covariance: never negative.

Without noise, A = sum_i lambda_i v_i v_i', m_i = 1 - theta lambda_i and u_i = B'v_i v_i'w, E2 and E3 have no variance
and the cut at random has

    cov h = sum_ij u_i u_j' [N theta^2 (1 - (m_i m_j)^N)/(1 - m_i m_j) - (1 - m_i^N)(1 - m_j^N)/(lambda_i lambda_j)],

whose trace is below N b and tends to N b - ||B' A^{-1} w||^2, b = theta^2 sum_ij u_i'u_j/(1 - m_i m_j): it grows with
N. For one lambda, b = u^2 theta/(lambda (2 - theta lambda)).
"""

import numpy as np
from numpy.typing import NDArray

from ratecert.synthetic.worlds.quadratic import Quadratic

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

    def covariance_of_the_cut(self, N: int) -> Array:
        """E1 without noise, in closed form."""
        eigenvalues, m, u = self._modes
        gone, pairs = (1 - m**N) / eigenvalues, np.outer(m, m)
        weights = N * self.theta**2 * (1 - pairs**N) / (1 - pairs) - np.outer(gone, gone)
        return np.asarray(u @ weights @ u.T)

    @property
    def growth_of_the_cut(self) -> float:
        """b, the variance that every further term adds in the end."""
        _, m, u = self._modes
        return float(self.theta**2 * np.sum((u.T @ u) / (1 - np.outer(m, m))))

    def saved_by_fresh_samples(self, n: int) -> float:
        """Variance of E2 minus that of E3 where y is a number: E2 has one sample of f in all terms."""
        (m,), (E, F, B) = self.M[0], (self.world.E[:, 0, 0], self.world.F[:, 0], self.world.B[0])
        q = m**2 + self.theta**2 * np.sum(E**2)
        pairs = sum(2 * q**i * m ** (j - i) for j in range(n) for i in range(j))
        return float((B @ B + np.sum(F**2)) * self.world.s_f**2 * self.theta**2 * pairs)

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

    @property
    def _modes(self) -> tuple[Array, Array, Array]:
        """lambda_i, m_i and the u_i as columns."""
        eigenvalues, v = np.linalg.eigh(self.world.A)
        return eigenvalues, 1 - self.theta * eigenvalues, self.world.B.T @ v * (v.T @ self.w)
