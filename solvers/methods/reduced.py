"""Methods on one level with reduced variance: sampled gradients corrected by what is known from before."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from ratecert.base.errors import UserError
from ratecert.solvers.contract.draws import Choice, Switch, random_rounds, switch
from ratecert.solvers.contract.problem import Problem
from ratecert.solvers.contract.stage import Estimator, Oracle, Sampled, Stage, State, name_of
from ratecert.solvers.estimators.gradient import FullGradient, Gradient, TableGradient, TermGradient
from ratecert.solvers.methods.base import OneLevel


@dataclass(frozen=True, kw_only=True)
class SVRG(OneLevel):
    """Variance-reduced gradients with a snapshot, of which a random iterate becomes the next.

    an epoch        x <- x - alpha (g_i(x) - g_i(w) + G)          k times, k uniform on {0, ..., m - 1}
                    w <- x,   G <- grad F(w)

    g_i is the gradient of one sample i, the same at both points. An epoch is two iterations: the first has the k steps,
    all devices with the same k, the second takes the snapshot and averages over devices.
    """

    m: int  # the inner steps are fewer than m

    averaged = ("x", "w", "G")

    @property
    def stages(self) -> tuple[Stage | Switch, ...]:
        return (
            random_rounds(Stage(self.step, repeats=1, averaged=()), self.m),
            Stage(self.snapshot, repeats=1, averaged=self.averaged),
        )

    def start(self, s: State, oracle: Oracle) -> State:
        """The first snapshot."""
        return self.snapshot(0, s, oracle)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One inner step."""
        g = oracle.sample(Gradient(), t)
        return State(x=s.x - self.step_size(t) * (g(s.x) - g(s.w) + s.G), w=s.w, G=s.G)

    def snapshot(self, t: int, s: State, oracle: Oracle) -> State:
        """Keep the point and the full gradient there."""
        return State(x=s.x, w=s.x, G=oracle.sample(FullGradient(), t)(s.x))


@dataclass(frozen=True, kw_only=True)
class SAGA(OneLevel):
    """Gradients of a finite sum, corrected by a table of n points (Defazio, Bach, Lacoste-Julien 2014).

    j uniform on {0, ..., n - 1}, drawn by each device for itself
    x+     = x - alpha_t (g_j(x) - g_j(phi_j) + (1/n) sum_i g_i(phi_i))
    phi_j+ = x                                                           the other points of the table stay
    every p steps x and the table are averaged over devices

    g_i is the gradient of term i. At the start all points of the table are the first x. The gradients at the table are
    kept, so that a step costs one term, and the start all n.
    """

    n: int  # terms of the sum
    p: int = 1  # communication period

    @property
    def table(self) -> tuple[str, ...]:
        """The names of the points phi_0, ..., phi_{n-1}."""
        return tuple(f"phi_{i}" for i in range(self.n))

    @property
    def stages(self) -> tuple[Stage, ...]:
        steps: list[Callable[[int, State, Oracle], State]] = [partial(self.term, j) for j in range(self.n)]
        drawn = Choice(*((Fraction(1, self.n), step) for step in steps), label="term")
        return (Stage(drawn, repeats=self.p, averaged=("x", *self.table)),)

    def start(self, s: State, oracle: Oracle) -> State:
        """The first point n times; the gradients there are computed once."""
        oracle.sample(FullGradient(), 0)(s.x)
        return State(x=s.x, **dict.fromkeys(self.table, s.x))

    def term(self, j: int, t: int, s: State, oracle: Oracle) -> State:
        """One step along the corrected gradient of term j."""
        g, phi = oracle.sample(TermGradient(j), t), [getattr(s, name) for name in self.table]
        mean = oracle.sample(TableGradient(), t)(*phi)
        return s.but(x=s.x - self.step_size(t) * (g(s.x) - g(phi[j]) + mean), **{f"phi_{j}": s.x})

    def check(self, problem: Problem) -> None:
        """Refuse a problem that is not a sum of n terms."""
        super().check(problem)
        for device in getattr(problem, "devices", (problem,)):
            terms = getattr(device, "n", None)
            if terms is None:
                raise UserError(
                    f"{name_of(self)} is a method for finite sums, and {type(device).__name__} has no terms; use "
                    f"rc.worlds.FiniteSum."
                )
            if terms != self.n:
                raise UserError(f"n must be {terms}, the number of terms of this problem, got {self.n}.")


@dataclass(frozen=True, kw_only=True)
class PAGE(OneLevel):
    """A gradient estimate that is now and then the full gradient (Li, Bao, Zhang, Richtarik 2021).

    x+ = x - alpha_t g
    g+ = grad F(x+)                  with probability p, one draw for all devices
    g+ = g + h(x+) - h(x)            else; h: the mean of b sampled gradients, the same samples at both points

    x and g are averaged over devices in every iteration. At the start g = grad F(x).
    """

    p: float  # probability of a full gradient
    b: int = 1  # batch of a difference

    averaged = ("x", "g")
    fractions = ("p",)

    @property
    def stages(self) -> tuple[Stage | Switch, ...]:
        full = Stage(self.full, repeats=1, averaged=self.averaged)
        corrected = Stage(self.corrected, repeats=1, averaged=self.averaged)
        return (switch((self.p, [full]), (1 - self.p, [corrected])),)

    def start(self, s: State, oracle: Oracle) -> State:
        """The full gradient."""
        return State(x=s.x, g=oracle.sample(FullGradient(), 0)(s.x))

    def full(self, t: int, s: State, oracle: Oracle) -> State:
        """One step, and the full gradient at the new point."""
        x = s.x - self.step_size(t) * s.g
        return State(x=x, g=oracle.sample(FullGradient(), t)(x))

    def corrected(self, t: int, s: State, oracle: Oracle) -> State:
        """One step, and the difference that a batch of samples sees."""
        x = s.x - self.step_size(t) * s.g
        h = oracle.sample(Gradient(), t, batch=self.b)
        return State(x=x, g=s.g + h(x) - h(s.x))

    def to_coordinates(self, s: State, mean: Callable[[Estimator], Sampled]) -> State:
        """The estimate through its error g - grad F(x), which is often zero."""
        return State(x=s.x, g=s.g - mean(FullGradient())(s.x))

    def from_coordinates(self, c: State, mean: Callable[[Estimator], Sampled]) -> State:
        """The inverse of to_coordinates."""
        return State(x=c.x, g=c.g + mean(FullGradient())(c.x))
