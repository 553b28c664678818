"""What every method for one level keeps: a new one joins by its line in solvers.ONE_LEVEL and an example here."""

from collections.abc import Callable
from typing import Any

import pytest

from ratecert.solvers import ONE_LEVEL
from ratecert.testing import AlgorithmCase, checks_of, parametrize_with_checks

EXAMPLES: dict[str, dict[str, Any]] = {
    "SGD": {"alpha": 0.2, "p": 2},
    "HeavyBall": {"alpha": 0.1, "beta": 0.5, "p": 2},
    "Nesterov": {"alpha": 0.1, "beta": 0.5, "p": 2},
    "TripleMomentum": {"alpha": 0.1, "beta": 0.5, "gamma": 0.25, "delta": 0.125, "p": 2},
    "AveragedSGD": {"alpha": 0.2, "gamma": 0.5, "p": 2},
    "FISTA": {"alpha": 0.2, "p": 2},
    "OGM": {"alpha": 0.2, "N": 3, "p": 2},
    "ITEM": {"alpha": 0.2, "q": 0.25, "p": 2},
    "Halpern": {"alpha": 0.2, "p": 2},
    "SVRG": {"alpha": 0.2, "m": 3},
    "FedAvg": {"alpha": 0.2, "p": 2, "m": 1},
    "LocalGD": {"alpha": 0.2, "p": 2},
    "ProxSkip": {"gamma": 0.2, "p": 0.4},
    "SCAFFOLD": {"eta_l": 0.2, "eta_g": 0.8, "p": 2},
    "FedProx": {"mu": 2.0},
    "SAGA": {"alpha": 0.2, "n": 3, "p": 3},
    "PAGE": {"alpha": 0.3, "p": 0.0625, "b": 1},
    "STORM": {"eta": 0.2, "c": 2.0, "p": 2},
}
EVERY = ("noise_H", "correlated", "s", "spread")
UNSEEN = {  # noise that is the same at both points cancels; full gradients have none
    **dict.fromkeys(("SVRG", "PAGE"), ("correlated", "s")),
    **dict.fromkeys(("LocalGD", "FedProx"), EVERY),
}
STEP = {  # alpha of the others; a larger eta would be refused with its c, and a proximal step is never too long
    "STORM": "",
    "ProxSkip": "gamma",
    "SCAFFOLD": "eta_l",
    "FedProx": "",
}
DELAY = {"PAGE": 2}  # its first gradient is the full one, which makes the second point
TERMS = {"SAGA": 3}
CASES = [
    AlgorithmCase(
        ONE_LEVEL[name](**EXAMPLES[name]),
        step=STEP.get(name, "alpha"),
        sees=tuple(sorted(set(EVERY) - set(UNSEEN.get(name, ())))),
        terms=TERMS.get(name, 0),
        delay=DELAY.get(name, 1),
    )
    for name in ONE_LEVEL
]


@pytest.mark.by_night(
    *(f"{name}-divergence_is_a_refusal" for name in ("FISTA", "Halpern", "ITEM", "OGM")),
)
@parametrize_with_checks(CASES)
def test_every_method_conforms(subject: Any, check: Callable[[Any], None]) -> None:
    check(subject)


class Careless(ONE_LEVEL["SAGA"]):  # type: ignore[misc]
    """Does not look at how many terms a sum has."""

    def check(self, problem: Any) -> None:
        """Take anything."""


def test_a_method_for_finite_sums_that_takes_any_number_of_terms_fails() -> None:
    case = AlgorithmCase(Careless(**EXAMPLES["SAGA"]), terms=3)
    with pytest.raises(AssertionError, match="Careless takes any n"):
        checks_of(case)["every_hyperparameter_matters"](case)


def test_noise_that_is_seen_late_needs_its_delay() -> None:
    case = AlgorithmCase(ONE_LEVEL["PAGE"](**EXAMPLES["PAGE"]), sees=("noise_H",))
    with pytest.raises(AssertionError, match="twice as much noise_H changes no measure of PAGE"):
        checks_of(case)["exact_moments_equal_the_mean_over_all_outcomes"](case)
