"""Federated methods on one level: who makes an average, what devices know of one another, how often they meet.

g_k is the sampled gradient of device k's own F_k.
"""

from dataclasses import dataclass

from ratecert.base.errors import UserError
from ratecert.solvers.contract.draws import Drawn, Switch, switch
from ratecert.solvers.contract.problem import Problem
from ratecert.solvers.contract.stage import Oracle, Stage, State
from ratecert.solvers.estimators.gradient import FullGradient, Gradient, Prox, ProxOfRegulariser
from ratecert.solvers.methods.base import Method, OneLevel
from ratecert.solvers.methods.momentum import SGD


@dataclass(frozen=True, kw_only=True)
class FedAvg(SGD):
    """Local SGD in which some of the devices, drawn anew for every round, make the average (Li et al. 2020).

    x_k <- x_k - alpha_t g_k(x_k)                    p times on every device
    x   <- the mean of x_k over m drawn devices      sent to all

    With replacement devices are drawn by their weights, and one may be drawn twice; else they are m different ones.
    What the others compute is thrown away, so that they need not compute it; costs are counted for a device that is
    drawn.
    """

    m: int  # devices that are drawn for a round
    replacement: bool = False  # whether one may be drawn twice

    @property
    def drawn(self) -> Drawn:
        """Which devices an average is over."""
        return Drawn(self.m, self.replacement)


@dataclass(frozen=True, kw_only=True)
class LocalGD(OneLevel):
    """Full gradients on every device; devices average every p steps (Khaled et al. 2019).

    x_k <- x_k - alpha_t grad F_k(x_k)
    """

    p: int = 1  # communication period

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One step along the device's own gradient."""
        return State(x=s.x - self.step_size(t) * oracle.sample(FullGradient(), t)(s.x))


@dataclass(frozen=True, kw_only=True)
class ProxSkip(Method):
    """Local steps with control variates, and an average with probability p: Scaffnew (Mishchenko et al. 2022).

    v_k <- x_k - gamma (g_k(x_k) - h_k)
    with probability p, one coin for all devices:
        x   <- prox of (gamma/p) r at the mean over devices of v_k - (gamma/p) h_k
        h_k <- h_k + (p/gamma)(x - v_k)
    else:
        x_k <- v_k

    The average is the proximal step of the constraint that all devices agree; where the problem has a regulariser r,
    such as rc.worlds.Regularised, its own follows. h_k learns the device's gradient at the solution, which lets the
    devices go on alone for a long time.
    """

    gamma: float  # step size
    p: float  # probability of an average

    levels = 1
    step_letter = "gamma"
    fractions = ("p",)

    @property
    def stages(self) -> tuple[Switch, ...]:
        together = (Stage(self.meet, 1, ("x",)), Stage(self.learn, 1, ()))
        return (switch((self.p, together), (1 - self.p, (Stage(self.skip, 1, ()),))),)

    def start(self, s: State, oracle: Oracle) -> State:
        """Control variates that know nothing."""
        return State(x=s.x, h=0 * s.x, v=s.x)

    def moved(self, t: int, s: State, oracle: Oracle) -> State:
        """The local step."""
        g = oracle.sample(Gradient(), t)
        return s.but(v=s.x - self.gamma * (g(s.x) - s.h))

    def skip(self, t: int, s: State, oracle: Oracle) -> State:
        """The step alone."""
        s = self.moved(t, s, oracle)
        return s.but(x=s.v)

    def meet(self, t: int, s: State, oracle: Oracle) -> State:
        """The step, and what is averaged after it."""
        s = self.moved(t, s, oracle)
        return s.but(x=s.v - (self.gamma / self.p) * s.h)

    def learn(self, t: int, s: State, oracle: Oracle) -> State:
        """What the average has taught; v is where x is again."""
        x = oracle.sample(ProxOfRegulariser(self.gamma / self.p), t)(s.x)
        return State(x=x, h=s.h + (self.p / self.gamma) * (x - s.v), v=x)


@dataclass(frozen=True, kw_only=True)
class SCAFFOLD(Method):
    """Local steps corrected by control variates, all devices in every round (Karimireddy et al. 2020, option II).

    y_k <- y_k - eta_l (g_k(y_k) - c_k + c)           p times, from y_k = x
    c_k <- c_k - c + (x - y_k)/(p eta_l)
    c   <- the mean over devices of c_k
    x   <- x + eta_g times the mean over devices of y_k - x

    A round is p + 1 iterations. The state has d_k = y_k - x in the place of y_k.
    """

    eta_l: float  # step of the devices
    eta_g: float = 1.0  # step of the server
    p: int  # local steps in a round

    levels = 1
    step_letter = "eta_l"

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (
            Stage(self.step, repeats=self.p, averaged=()),
            Stage(self.report, repeats=1, averaged=("x", "c")),
        )

    def start(self, s: State, oracle: Oracle) -> State:
        """Control variates that know nothing."""
        return State(x=s.x, d_k=0 * s.x, c_k=0 * s.x, c=0 * s.x)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One local step."""
        g = oracle.sample(Gradient(), t)
        return s.but(d_k=s.d_k - self.eta_l * (g(s.x + s.d_k) - s.c_k + s.c))

    def report(self, t: int, s: State, oracle: Oracle) -> State:
        """What a device has learnt, and what it would have the server do; the average of it is what the server does."""
        c_k = s.c_k - s.c - (1 / (self.p * self.eta_l)) * s.d_k
        return State(x=s.x + self.eta_g * s.d_k, d_k=0 * s.x, c_k=c_k, c=c_k)


@dataclass(frozen=True, kw_only=True)
class FedProx(Method):
    """Exact proximal steps: a device minimises its own F_k, tied to where the round began (Li et al. 2020).

    w_k <- argmin_w F_k(w) + (mu/2) ||w - w^t||^2
    w   <- the mean of w_k over m devices, drawn by their weights with replacement; over all where m is not given
    """

    mu: float  # how tightly devices are tied
    m: int | None = None  # devices that are drawn for a round; None: all

    levels = 1
    step_letter = "1/mu"
    averaged = ("x",)

    @property
    def drawn(self) -> Drawn | None:
        """Which devices an average is over; None: all of them."""
        return None if self.m is None else Drawn(self.m, replacement=True)

    def check(self, problem: Problem) -> None:
        """Refuse a problem whose proximal step is not known."""
        super().check(problem)
        for device in getattr(problem, "devices", (problem,)):
            if not hasattr(device, "prox"):
                raise UserError(
                    f"{type(device).__name__} does not give its proximal step, which FedProx takes; use SingleLevel or "
                    f"FiniteSum."
                )

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """The proximal step of the device."""
        return State(x=oracle.sample(Prox(1 / self.mu), t)(s.x))

    def step_size(self, t: int) -> float:
        return 1 / self.mu
