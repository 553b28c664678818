"""Problems that are quadratic near (a, b) only, and when exact moments apply to them all the same.

Such a problem has two attributes:

    quadratic_part    a quadratic problem with the same g, the same y* and the same samples
    radius            where ||(x - a, y - b)|| <= radius, the gradients of f of the two are the same

From one start and with the same noise both take the same path as long as f is asked for its gradient within the radius
only, and have the same measures as long as (xbar, y*(xbar)) lies there too. So, by induction over t, it is enough that
for every outcome and every t, in a run of the quadratic part,

    the iterates (x_k, y_k) and the points (xbar, y*(xbar)) stay within the radius: certified by reach.py
    f is asked at iterates, or at averages of them over devices, only: seen by running the steps here
"""

from typing import Any

from numpy.typing import ArrayLike

from ratecert.base.errors import NoCertificateError
from ratecert.solvers.contract.draws import moves_of
from ratecert.solvers.contract.problem import Problem, is_nearly_quadratic
from ratecert.solvers.contract.signs import GivenNumbers, SignSource
from ratecert.solvers.contract.stage import Algorithm, Estimator, Sampled, State, name_of
from ratecert.solvers.engines.certificates.reach import certified_reach

ROUNDS = (1, 1, 3, 1)  # steps before each average: as with p = 1 and with a larger p


def quadratic_part(
    problem: Problem, solver: Algorithm, K: int, *, x0: ArrayLike | None = None, y0: ArrayLike | None = None
) -> Problem:
    """What exact moments may run instead of the problem: itself, or its part; or NoCertificateError.

    Without a start the iterates begin at the solution.
    """
    if not is_nearly_quadratic(problem):
        return problem
    only = f"{type(problem).__name__} is quadratic within radius = {problem.radius:.6g} of (a, b) only, and"
    try:
        reach = certified_reach(problem.quadratic_part, solver, K, x0=x0, y0=y0)
    except NoCertificateError as error:
        raise NoCertificateError(f"{only} for the iterates there is {error}; use simulate.") from error
    if not asks_at_iterates_only(solver):
        raise NoCertificateError(
            f"{only} {name_of(solver)} asks for gradients of f away from its iterates, for which nothing is "
            f"certified; use simulate."
        )
    needed = max(reach.iterates, reach.truth)
    if not needed <= problem.radius:
        raise NoCertificateError(
            f"{only} its iterates may get {reach.iterates:.6g} and (xbar, y*(xbar)) {reach.truth:.6g} away; "
            f"make radius >= {needed * (1 + 1e-5):.6g} or use simulate."
        )
    return problem.quadratic_part


def asks_at_iterates_only(solver: Algorithm) -> bool:
    """Whether every gradient of f is taken at an iterate, at an earlier one or at an average of such over devices."""
    asked, stage = Asked(), moves_of(solver.stages)[0]
    s = solver.start(State(x=UnknownVector(), y=UnknownVector()), asked)
    visited, t = [(s.x, s.y)], 0
    for steps in ROUNDS:
        for _ in range(steps):
            s, t = stage.step(t, s, asked), t + 1
            visited.append((s.x, s.y))
        mean = {getattr(s, name): UnknownVector() for name in stage.averaged}
        s = State(**{**vars(s), **{name: mean[getattr(s, name)] for name in stage.averaged}})
        visited += [(mean[x], mean[y]) for x, y in visited if x in mean and y in mean] + [(s.x, s.y)]
    return set(asked.points) <= set(visited)


class UnknownVector:
    """A vector of which nothing is known but which one it is: arithmetic makes others."""

    __array_ufunc__ = None

    def _another(self, _operand: Any = None) -> "UnknownVector":
        return UnknownVector()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = _another


class Asked:
    """Oracle and problem in one: computes nothing and writes down the points at which f is asked."""

    def __init__(self) -> None:
        self.points: list[tuple[Any, Any]] = []

    def sample(self, estimator: Estimator, t: int, *, batch: int = 1) -> Sampled:
        sample = estimator.sample(self, GivenNumbers())
        return lambda *point: estimator.evaluate(self, sample, *point)

    def sample_f(self, _bits: SignSource) -> None: ...

    sample_g = sample_hessian = sample_jacobian = sample_f

    def grad_x_f(self, _xi: None, x: Any, y: Any) -> UnknownVector:
        self.points.append((x, y))
        return UnknownVector()

    grad_y_f = grad_x_f

    def grad_y_g(self, *_: Any) -> UnknownVector:
        return UnknownVector()

    hessian_g = neumann_factor_g = jacobian_g = grad_y_g
