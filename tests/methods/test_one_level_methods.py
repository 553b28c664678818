"""What every method for one level keeps: a new one joins by its line in solvers.ONE_LEVEL and an example here."""

from collections.abc import Callable
from typing import Any

import pytest

from ratecert.solvers import ONE_LEVEL
from ratecert.testing import AlgorithmCase, checks_of, parametrize_with_checks

pytestmark = pytest.mark.untraced  # long computations of lines that other tests run as well

EXAMPLES: dict[str, dict[str, Any]] = {
    "SGD": {"alpha": 0.2, "p": 2},
    "HeavyBall": {"alpha": 0.1, "beta": 0.5, "p": 2},
    "Nesterov": {"alpha": 0.1, "beta": 0.5, "p": 2},
    "TripleMomentum": {"alpha": 0.1, "beta": 0.5, "gamma": 0.25, "delta": 0.125, "p": 2},
    "AveragedSGD": {"alpha": 0.2, "gamma": 0.5, "p": 2},
    "SVRG": {"alpha": 0.2, "m": 3},
    "FedAvg": {"alpha": 0.2, "p": 2, "m": 1},
    "LocalGD": {"alpha": 0.2, "p": 2},
    "ProxSkip": {"gamma": 0.2, "p": 0.4},
    "SCAFFOLD": {"eta_l": 0.2, "eta_g": 0.8, "p": 2},
    "FedProx": {"mu": 2.0},
}
EVERY = ("noise_H", "correlated", "s")
UNSEEN = {  # noise that is the same at both points cancels; full gradients have none
    "SVRG": ("correlated", "s"),
    "LocalGD": EVERY,
    "FedProx": EVERY,
}
STEPS = {"ProxSkip": "gamma", "SCAFFOLD": "eta_l", "FedProx": ""}  # a proximal step is never too long
CASES = [
    AlgorithmCase(
        ONE_LEVEL[name](**EXAMPLES[name]),
        step=STEPS.get(name, "alpha"),
        sees=tuple(sorted(set(EVERY) - set(UNSEEN.get(name, ())))),
    )
    for name in ONE_LEVEL
]


@parametrize_with_checks(CASES)
def test_every_method_conforms(subject: Any, check: Callable[[Any], None]) -> None:
    check(subject)


class Forgetful(ONE_LEVEL["HeavyBall"]):  # type: ignore[misc]
    """Does not read its beta."""

    def step(self, t: int, s: Any, oracle: Any) -> Any:
        return ONE_LEVEL["HeavyBall"](alpha=self.alpha, beta=0.5, p=self.p).step(t, s, oracle)


def test_a_method_that_does_not_read_a_number_fails() -> None:
    case = AlgorithmCase(Forgetful(alpha=0.1, beta=0.5, p=2))
    with pytest.raises(AssertionError, match="beta of Forgetful changes nothing"):
        checks_of(case)["every_hyperparameter_matters"](case)
