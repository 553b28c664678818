"""FedProx with exact proximal steps: a device minimises its own F_k, tied to where the round began (Li et al. 2020).

w_k <- argmin_w F_k(w) + (mu/2) ||w - w^t||^2
w   <- the mean of w_k over m devices, drawn by their weights with replacement; over all where m is not given
"""

from dataclasses import dataclass
from typing import ClassVar

from ratecert.base.errors import UserError
from ratecert.base.validation import require_whole
from ratecert.solvers.contract.draws import Drawn
from ratecert.solvers.contract.problem import Problem
from ratecert.solvers.contract.stage import Oracle, Stage, State
from ratecert.solvers.estimators.gradient import Prox
from ratecert.solvers.methods.one_level import ForOneLevel


@dataclass(frozen=True, kw_only=True)
class FedProx(ForOneLevel):
    """An exact proximal step on every device, and an average, in every iteration."""

    mu: float  # how tightly devices are tied
    m: int | None = None  # devices that are drawn for a round; None: all

    step_letter: ClassVar[str] = "1/mu"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.m is not None:
            require_whole("m", self.m, least=1)

    @property
    def stages(self) -> tuple[Stage, ...]:
        drawn = None if self.m is None else Drawn(self.m, replacement=True)
        return (Stage(self.step, repeats=1, averaged=("x",), drawn=drawn),)

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
