"""Hyper-ridge regression on real data: the penalties are learned on validation rows, the weights on training rows.

    g(x, y; i) = 1/2 (u_i'y - t_i)^2 + 1/2 sum_j phi(x_j) y_j^2      (u_i, t_i) a training row of the device
    f(x, y; i) = 1/2 (v_i'y - s_i)^2                                 (v_i, s_i) a validation row of the device

x has one entry per feature, so that d_x = d_y and each feature's relevance is learned; its penalty phi(x_j) =
exp(m sin(x_j/m)) stays in [exp(-m), exp(m)]. With M, c the means of u u' and u t, N, e those of v v' and v s, and
Lambda(x) = diag phi(x_j),

    y*(x)       = (M + Lambda(x))^{-1} c
    grad Phi(x) = -phi'(x) y*(x) [(M + Lambda(x))^{-1} (N y*(x) - e)]    entry by entry                   (Lemma 1)

The curvature of the lower level depends on x, y* is not affine, L_21 and L_22 are positive, and Phi is not convex.

Why a sine: on the diabetes data the best penalties of most features are at an end of the interval. A monotone map such
as m tanh(x_j/m) reaches an end only at infinity, and then Phi has no minimiser. The sine reaches it at |x_j| = m pi/2,
with gradient zero, and folds back: a path of x is a path of the log-penalties m sin(x_j/m) that is reflected at the
walls of [-m, m]^d. Phi is continuous and periodic, so a minimiser exists.

The noise is the choice of rows, see synthetic/ridge_rows.py. All rows for everyone is the setting of the paper.
With rows dealt to `devices`, each device is a problem of its own, and the world is the mean of them: its y*(x) is that
of the mean lower level. Constants: synthetic/ridge_constants.py.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ratecert.base.errors import UndecidedError, UserError, UserTypeError
from ratecert.base.validation import Array, ReadOnlyCopies, as_number, as_point, frozen, require_whole
from ratecert.synthetic.constants import OfDevices, Reading
from ratecert.synthetic.ridge_constants import penalty, penalty_slope, ridge_constants, spectrum
from ratecert.synthetic.ridge_rows import Rows, SampledBlock, as_table, deal, diabetes

LEAST_M, LARGEST_M = 0.01, 10.0
EQUAL, SCATTERED = 5, 16  # starts of the search for x*, with equal log-penalties and with unequal ones
STATIONARY = 1e-10  # the norm of grad Phi that counts as zero


@dataclass(frozen=True, kw_only=True, eq=False)
class Ridge(ReadOnlyCopies):
    """The ridge problem of one set of training and validation rows."""

    training: Rows
    validation: Rows
    m: float  # log-penalties stay in [-m, m]
    b: Array  # (d_y,): with a = 0 the centre of the balls on which constants hold
    names: tuple[str, ...]  # of the features
    left_out: tuple[int, ...]  # numbers of the rows that nobody sees

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", _as_bound(self.m))

    @property
    def d_x(self) -> int:
        return len(self.names)

    d_y = d_x

    @cached_property
    def a(self) -> Array:
        return frozen(np.zeros(self.d_x))

    # The truth, at a point (d_x,) or at n columns (d_x, n).

    def y_star(self, x: ArrayLike) -> Array:
        """y*(x) = (M + Lambda(x))^{-1} c."""
        x = as_point(x, self.d_x)
        return self._solve(self.penalties(x), self.training.pull)

    def objective(self, x: ArrayLike) -> Any:
        """Phi(x) = f(x, y*(x)), the mean loss on the validation rows."""
        y = self.y_star(x)
        loss = self.validation.loss(y.reshape(self.d_y, -1))
        return float(loss[0]) if y.ndim == 1 else loss

    def hypergradient(self, x: ArrayLike) -> Array:
        """grad Phi(x) by Lemma 1."""
        x = as_point(x, self.d_x)
        return np.cos(x / self.m) * self._gradient_in_logs(self.penalties(x))

    def penalties(self, x: ArrayLike) -> Array:
        """phi(x_j), the penalty of every feature."""
        return penalty(as_point(x, self.d_x), self.m)

    @cached_property
    def x_star(self) -> Array:
        """The best stationary point found from 21 starts. Phi is not convex: that it is least is not proved.

        L-BFGS-B searches the box [-m, m]^d of log-penalties, from 5 points with all of them equal and 16 scattered
        ones; Newton steps (Powell's hybrid method) on grad Phi(x) = 0 then take the norm of the gradient below 1e-10.
        """
        box = [(-self.m, self.m)] * self.d_x
        runs = [
            scipy.optimize.minimize(self._of_log_penalties, self.m * start, jac=True, method="L-BFGS-B", bounds=box,
                     options={"ftol": 0.0, "gtol": 1e-9, "maxiter": 10_000, "maxfun": 20_000})
            for start in _starts(self.d_x)
        ]  # fmt: skip
        best = min(runs, key=lambda run: float(run.fun)).x
        x = scipy.optimize.root(self.hypergradient, self.m * np.arcsin(best / self.m), tol=1e-15).x
        size = float(np.linalg.norm(self.hypergradient(x)))
        if not size < STATIONARY:
            raise UndecidedError(
                f"||grad Phi|| at the best point found must be < {STATIONARY}, got {size:.3g}."
            )
        return frozen(x)

    def _of_log_penalties(self, log_penalties: Array) -> tuple[float, Array]:
        """Phi and its gradient as a function of the log-penalties."""
        penalties = np.exp(log_penalties)
        y = self._solve(penalties, self.training.pull)
        return float(self.validation.loss(y[:, None])[0]), self._gradient_in_logs(penalties)

    def _gradient_in_logs(self, penalties: Array) -> Array:
        """The gradient of Phi in the log-penalties: -phi y* (M + Lambda)^{-1} (N y* - e)."""
        y = self._solve(penalties, self.training.pull)
        e = self.validation.pull if y.ndim == 1 else self.validation.pull[:, None]
        return -penalties * y * self._solve(penalties, self.validation.mean @ y - e)

    def _solve(self, penalties: Array, right: Array) -> Array:
        """(M + diag(penalties))^{-1} right for every column of penalties; one right side (d_y,) serves them all."""
        systems = self.training.mean + penalties.T[..., None] * np.eye(self.d_y)
        return np.asarray(np.linalg.solve(systems, right.T[..., None])[..., 0].T, dtype=np.float64)

    def constants(self, *, radius: float = np.inf, reading: Reading = "joint") -> dict[str, float]:
        """The constants of Assumptions 1-3 on ||(x, y - b)|| <= radius; see synthetic/ridge_constants.py."""
        return ridge_constants(
            training=self.training,
            validation=self.validation,
            m=self.m,
            b=self.b,
            radius=radius,
            reading=reading,
        )

    @cached_property
    def curvature(self) -> tuple[float, float]:
        """Smallest and largest eigenvalue of grad_yy g over all samples and all x."""
        lowest, highest = spectrum(self.training)
        return lowest + math.exp(-self.m), highest + math.exp(self.m)

    # Samples and sampled oracles, at columns of points.

    def sample_f(self, bits: Any) -> SampledBlock:
        return self.validation.sample(bits)

    def sample_g(self, bits: Any) -> SampledBlock:
        return self.training.sample(bits)

    def sample_hessian(self, bits: Any) -> SampledBlock:
        return self.training.sample(bits)

    def sample_jacobian(self, bits: Any) -> SampledBlock:
        """grad_xy g is the same for every row: no sign is drawn."""
        return SampledBlock()

    def grad_x_f(self, xi: SampledBlock, x: Any, y: Any) -> Any:
        return np.zeros_like(x)

    def grad_y_f(self, xi: SampledBlock, x: Any, y: Any) -> Any:
        return self.validation.gradient(xi, y)

    def grad_y_g(self, zeta: SampledBlock, x: Any, y: Any) -> Any:
        return self.training.gradient(zeta, y) + self._penalties_at(x) * y

    def hessian_g(self, zeta: SampledBlock, x: Any, y: Any, r: Any) -> Any:
        """grad_yy g(x, y; zeta) r."""
        return self.training.product(zeta, r) + self._penalties_at(x) * r

    def neumann_factor_g(self, zeta: SampledBlock, x: Any, y: Any, r: Any, theta: float) -> Any:
        """(I - theta grad_yy g(x, y; zeta)) r."""
        return r - theta * self.hessian_g(zeta, x, y, r)

    def jacobian_g(self, zeta: SampledBlock, x: Any, y: Any, r: Any) -> Any:
        """grad_xy g(x, y; zeta) r = phi'(x) y r, entry by entry."""
        return penalty_slope(x, self.m) * y * r

    def _penalties_at(self, x: Any) -> Any:
        if not isinstance(x, np.ndarray):
            raise UserTypeError("a penalty exp(m sin(x_j/m)) is not an affine function of x")
        return penalty(x, self.m)


@dataclass(frozen=True, kw_only=True, eq=False)
class SplitRidge(OfDevices, Ridge):
    """The mean of ridge problems with as many rows each: its rows are all of theirs, and its own samples their mean."""

    devices: tuple[Ridge, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if any(device.m != self.m for device in self.devices):
            raise UserError(
                f"m must be that of every device, {self.devices[0].m}, got m = {self.m}; use ridge(m=...)."
            )


def ridge(
    *, features: ArrayLike | None = None, targets: ArrayLike | None = None,
    names: Sequence[str] | None = None, m: float = 2.0, devices: int = 1, batch: int | None = 1,
    training: float = 2 / 3,
) -> Ridge:  # fmt: skip
    """Make the ridge problem of these rows, or of scikit-learn's diabetes data.

    features  (rows, columns), with targets (rows,); both are standardised
    names     of the columns
    m         log-penalties stay in [-m, m]
    devices   1: every device sees all rows, and there may be any number of them; more: rows are dealt to so many
    batch     rows per sample, a power of two; None: all of them, so that there is no noise
    training  the share of a device's rows that are for training, before numbers are rounded down to powers of two

    >>> import ratecert as rc
    >>> world = rc.worlds.ridge(features=[[0.0], [1.0], [2.0], [4.0]], targets=[0.0, 1.0, 2.0, 3.0])
    >>> print(world.d_x, f"{world.penalties(0.0)[0]:.1f}")
    1 1.0
    """
    m, training = _as_bound(m), as_number("training", training)
    if not 0 < training < 1:
        raise UserError(f"training must lie in (0, 1), got training = {training}.")
    devices = require_whole("devices", devices, least=1)
    if features is None or targets is None:
        if not (features is None and targets is None and names is None):
            raise UserError("features and targets must be given together; names only go with them.")
        features, targets, names = diabetes()
    table = as_table(features, targets, names)
    rows_g, rows_f, batch_g, batch_f = deal(
        len(table.targets), devices=devices, training=training, batch=batch
    )
    pool_g, pool_f = table.rows(rows_g.ravel()), table.rows(rows_f.ravel())
    common: dict[str, Any] = {
        "m": m,
        "b": frozen(
            np.linalg.solve(pool_g.mean + np.eye(len(pool_g.mean)), pool_g.pull)
        ),  # y*(0), as phi(0) = 1
        "names": table.names,
        "left_out": tuple(sorted({*range(len(table.targets))} - {*pool_g.numbers, *pool_f.numbers})),
    }
    each = tuple(
        Ridge(training=table.rows(g, batch_g), validation=table.rows(f, batch_f), **common)
        for g, f in zip(rows_g, rows_f, strict=True)
    )
    return each[0] if devices == 1 else SplitRidge(training=pool_g, validation=pool_f, devices=each, **common)


def _starts(d: int) -> Array:
    """Points of [-1, 1]^d: some on its diagonal, and some of the sequence of low discrepancy (0.5 + k/g^j) mod 1.

    g > 1 solves g^{d+1} = g + 1; for d = 1 it is the golden ratio.
    """
    g = float(scipy.optimize.brentq(lambda s: s ** (d + 1) - s - 1, 1.0, 2.0))
    spread = np.outer(np.arange(1, SCATTERED + 1), g ** -np.arange(1.0, d + 1))
    return np.vstack([np.linspace(-1, 1, EQUAL)[:, None] * np.ones(d), 2 * ((0.5 + spread) % 1) - 1])


def _as_bound(m: float) -> float:
    m = as_number("m", m)
    if not LEAST_M <= m <= LARGEST_M:
        raise UserError(f"m must lie in [{LEAST_M}, {LARGEST_M}], got m = {m}.")
    return m
