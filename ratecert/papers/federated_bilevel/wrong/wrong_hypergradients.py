"""The estimate of the hypergradient gone wrong: the Neumann sum, its samples, and the implicit term."""

from ratecert.papers.federated_bilevel.wrong.reached import BOTH
from ratecert.power.edits import Edit, Mistake

NEUMANN, WORLD = "solvers/estimators/hypergradient.py", "synthetic/worlds/quadratic.py"

WRONG_HYPERGRADIENTS = (
    Mistake(
        "one Neumann factor too many: Q + 1",
        BOTH,
        (Edit(NEUMANN, "for _ in range(self.Q))", "for _ in range(self.Q + 1))"),),
    ),
    Mistake(
        "one Neumann factor too few: Q - 1",
        BOTH,
        (Edit(NEUMANN, "for _ in range(self.Q))", "for _ in range(self.Q - 1))"),),
    ),
    Mistake(
        "the sum without its first term, q = 0",
        BOTH,
        (Edit(NEUMANN, "total = 1.0 * r", "total = 0.0 * r"),),
    ),
    Mistake(
        "the last power instead of the sum of all",
        BOTH,
        (Edit(NEUMANN, "total += r", "total = 1.0 * r"),),
    ),
    Mistake(
        "theta forgotten in front of the sum",
        BOTH,
        (
            Edit(
                NEUMANN,
                "r = self.theta * problem.grad_y_f(sample.xi, x, y)",
                "r = problem.grad_y_f(sample.xi, x, y)",
            ),
        ),
    ),
    Mistake(
        "one Hessian sample for all factors",
        BOTH,
        (
            Edit(
                NEUMANN,
                "tuple(problem.sample_hessian(bits) for _ in range(self.Q))",
                "(problem.sample_hessian(bits),) * self.Q",
            ),
        ),
    ),
    Mistake(
        "Horner's scheme: the factors multiplied from the other side",
        BOTH,
        (
            Edit(NEUMANN, "            r = problem.neumann_factor_g(zeta_j, x, y, r, self.theta)\n", ""),
            Edit(
                NEUMANN, "total += r", "total = r + problem.neumann_factor_g(zeta_j, x, y, total, self.theta)"
            ),
        ),
        unseen="The mean is the same, and so is the variance where samples of the Hessian commute, as they do in one "
        "dimension. Elsewhere the variance is another, of the same order: no rate and no bound tells.",
    ),
    Mistake(
        "the sign of the implicit term",
        BOTH,
        (
            Edit(
                NEUMANN,
                "gradient -= problem.jacobian_g(sample.zeta",
                "gradient += problem.jacobian_g(sample.zeta",
            ),
        ),
    ),
    Mistake(
        "the implicit term forgotten",
        BOTH,
        (Edit(NEUMANN, "gradient -= problem", "gradient -= 0.0 * problem"),),
    ),
    Mistake(
        "the Jacobian transposed",
        BOTH,
        (
            Edit(
                WORLD,
                "SignedSum(-self.B.T, -np.swapaxes(self.F, 1, 2))",
                "SignedSum(-self.B, -self.F)",
            ),
        ),
    ),
)
