"""The constant step with which a method needs the fewest iterations until its measure is eps.

For a step eta the measure is nearly rest + slope/T, so T is found by the secant method in 1/T. As a function of log eta
log T has one minimum, which is that of the parabola through three steps around a first guess.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

APART = 0.2  # of the three steps, in log eta
ROUGH, CLOSE = 1e-2, 1e-3  # relative, of two T in a row: the last one is then good to the square of it
MOST_RUNS = 12


@dataclass(frozen=True)
class BestStep:
    eta: float
    T: int
    shift: float  # of the best step from the guess, in units of APART: beyond 1/2 the guess was poor


class Iterations:
    """T as a function of eta; it remembers where it found the last one."""

    def __init__(self, measure: Callable[[float, int], float], eps: float, eta_T: float) -> None:
        self.measure = measure
        self.eps = eps
        self.eta_T = eta_T  # about the same for all steps
        self.rest = 0.2 * eps  # where the measure would be after ever more iterations

    def log_T(self, log_eta: float, close: float) -> float:
        eta = math.exp(log_eta)
        T, before = self.eta_T / eta, (0.0, self.rest)
        for runs in range(MOST_RUNS):
            here = (1 / T, self.measure(eta, round(T)))
            if runs == 0 and not self.rest < min(self.eps, here[1]):
                before = (0.0, 0.0)  # what was remembered is of no use here
            slope = (here[1] - before[1]) / (here[0] - before[0])
            inverse = here[0] + (self.eps - here[1]) / slope
            if inverse <= 0:
                raise ArithmeticError(
                    f"no T reaches eps = {self.eps:g} with eta = {eta:g}; look near a smaller eta."
                )
            T, last, before = 1 / inverse, T, here
            if abs(T / last - 1) < close:
                self.eta_T, self.rest = T * eta, here[1] - slope * here[0]
                return math.log(T)
        raise ArithmeticError(f"no T with eta = {eta:g} within {MOST_RUNS} runs.")


def best_step(measure: Callable[[float, int], float], eps: float, *, near: float, eta_T: float) -> BestStep:
    """measure(eta, T) after T iterations; `near` is a first guess of eta, `eta_T` one of eta T."""
    iterations, middle = Iterations(measure, eps, eta_T), math.log(near)
    low, mid, high = (iterations.log_T(middle + shift, ROUGH) for shift in (-APART, 0.0, APART))
    shift = APART / 2 * (low - high) / (low - 2 * mid + high)
    T = math.ceil(math.exp(iterations.log_T(middle + shift, CLOSE)))
    return BestStep(math.exp(middle + shift), T, shift / APART)
