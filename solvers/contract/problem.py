"""What the engines ask of a problem. A problem and a solver meet as arguments; neither imports the other."""

from typing import Any

from ratecert.errors import UserTypeError
from ratecert.solvers.contract.validation import require_instance

TRUTH = ("d_x", "d_y", "y_star", "hypergradient", "curvature")
SAMPLES = ("sample_f", "sample_g", "sample_hessian", "sample_jacobian")
ORACLES = ("grad_x_f", "grad_y_f", "grad_y_g", "hessian_g", "neumann_factor_g", "jacobian_g")


def require_problem(problem: Any) -> None:
    require_instance("problem", problem)
    missing = [name for name in TRUTH + SAMPLES + ORACLES if not hasattr(problem, name)]
    if missing:
        raise UserTypeError(
            f"{type(problem).__name__} cannot be used as a problem: it lacks {', '.join(missing)}; "
            f"a problem has {', '.join(TRUTH + SAMPLES + ORACLES)}."
        )
