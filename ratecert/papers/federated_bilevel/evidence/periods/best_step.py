"""The constant step with which a method needs the fewest iterations until its measure is eps.

For a step eta the measure is nearly rest + slope/T, so T is found by the secant method in 1/T. As a function of log eta
log T has one minimum, which is that of the parabola through three steps around a first guess.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from ratecert.errors import UndecidedError

APART = 0.2  # of the three steps, in log eta
ROUGH, CLOSE = 1e-2, 1e-3  # relative, of two T in a row: the last one is then good to the square of it
MOST_RUNS = 12


@dataclass(frozen=True)
class BestStep:
    eta: float
    T: int
    shift: float  # of the best step from the guess, in units of APART: beyond 1/2 the guess was poor


class Iterations:
    """T as a function of eta; it remembers what the measure tended to at the last one."""

    def __init__(self, measure: Callable[[float, int], float], eps: float) -> None:
        self.measure = measure
        self.eps = eps
        self.rest = 0.2 * eps  # where the measure would be after ever more iterations

    def log_T(self, log_eta: float, close: float, *, near: float) -> float:
        """The search begins at log T = `near`; two runs with the same eta at least, so that the secant is its own."""
        eta, T, before = math.exp(log_eta), math.exp(near), (0.0, self.rest)
        for runs in range(MOST_RUNS):
            here = (1 / T, self.measure(eta, round(T)))
            if runs == 0 and not self.rest < min(self.eps, here[1]):
                before = (0.0, 0.0)  # what was remembered is of no use here
            slope = (here[1] - before[1]) / (here[0] - before[0])
            inverse = here[0] + (self.eps - here[1]) / slope
            if inverse <= 0:
                raise UndecidedError(
                    f"no T reaches eps = {self.eps:g} with eta = {eta:g}; look near a smaller eta."
                )
            T, last, before = 1 / inverse, T, here
            if runs and abs(T / last - 1) < close:
                self.rest = here[1] - slope * here[0]
                return math.log(T)
        raise UndecidedError(f"no T with eta = {eta:g} within {MOST_RUNS} runs.")


def best_step(measure: Callable[[float, int], float], eps: float, *, near: float, eta_T: float) -> BestStep:
    """measure(eta, T) after T iterations; `near` is a first guess of eta, `eta_T` one of eta T."""
    iterations, middle = Iterations(measure, eps), math.log(near)
    low = iterations.log_T(middle - APART, ROUGH, near=math.log(eta_T) - (middle - APART))
    mid = iterations.log_T(middle, ROUGH, near=low)
    high = iterations.log_T(middle + APART, ROUGH, near=mid)
    bend = low - 2 * mid + high
    shift, bottom = APART / 2 * (low - high) / bend, mid - (low - high) ** 2 / (8 * bend)
    T = math.ceil(math.exp(iterations.log_T(middle + shift, CLOSE, near=bottom)))
    return BestStep(math.exp(middle + shift), T, shift / APART)
