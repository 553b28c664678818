"""The estimate of the hypergradient gone wrong: the Neumann sum, its samples, and the implicit term."""

from functools import partial

from ratecert.papers.federated_bilevel.wrong.reached import BOTH
from ratecert.power.edits import mistake

NEUMANN, WORLD = "solvers/estimators/hypergradient.py", "synthetic/worlds/quadratic.py"
in_estimator = partial(mistake, BOTH, NEUMANN)

WRONG_HYPERGRADIENTS = (
    in_estimator(
        "one Neumann factor too many: Q + 1", "for _ in range(self.Q))", "for _ in range(self.Q + 1))"
    ),
    in_estimator(
        "one Neumann factor too few: Q - 1", "for _ in range(self.Q))", "for _ in range(self.Q - 1))"
    ),
    in_estimator("the sum without its first term, q = 0", "total = 1.0 * r", "total = 0.0 * r"),
    in_estimator("the last power instead of the sum of all", "total += r", "total = 1.0 * r"),
    in_estimator(
        "theta forgotten in front of the sum",
        "r = self.theta * problem.grad_y_f(sample.xi, x, y)",
        "r = problem.grad_y_f(sample.xi, x, y)",
    ),
    in_estimator(
        "one Hessian sample for all factors",
        "tuple(problem.sample_hessian(bits) for _ in range(self.Q))",
        "(problem.sample_hessian(bits),) * self.Q",
    ),
    in_estimator(
        "Horner's scheme: the factors multiplied from the other side",
        "            r = problem.neumann_factor_g(zeta_j, x, y, r, self.theta)\n",
        "",
        "total += r",
        "total = r + problem.neumann_factor_g(zeta_j, x, y, total, self.theta)",
        unseen="The mean is the same, and so is the variance where samples of the Hessian commute, as they do in one "
        "dimension. Elsewhere the variance is another, of the same order: no rate and no bound tells.",
    ),
    in_estimator(
        "the sign of the implicit term",
        "gradient -= problem.jacobian_g(sample.zeta",
        "gradient += problem.jacobian_g(sample.zeta",
    ),
    in_estimator("the implicit term forgotten", "gradient -= problem", "gradient -= 0.0 * problem"),
    mistake(
        BOTH,
        WORLD,
        "the Jacobian transposed",
        "SignedSum(-self.B.T, -np.swapaxes(self.F, 1, 2))",
        "SignedSum(-self.B, -self.F)",
    ),
)
