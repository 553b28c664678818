"""Steps whose sizes vary: finitely many moves between which the step at every t lies.

Let the step be a polynomial in sizes s_1, s_2, ..., such as eta_t and eta_{t-1}, each in [0, its largest value]. In
the basis of Bernstein,

    step(s) = sum_k B_k(s) move_k,        B_k >= 0,        sum_k B_k = 1,

so for every outcome of the noise step(s) w lies in the convex hull of the move_k w, and a convex set that no move
leaves is left by no step, whatever the schedule is. A step that is affine in eta_t has two moves: to stay, and the
largest step. From coefficients c_i of s^i, s in units of its largest value, of degree n

    move_k = sum_{i <= k} binom(k, i)/binom(n, i) c_i,        one factor for every size.

This is for noise that does not grow with the iterates: it enters by a matrix that is a polynomial, too.
"""

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

from flint import arb, fmpq
from numpy.typing import NDArray

from ratecert.base.arrays import Balls
from ratecert.base.errors import NoCertificateError, NotPolynomialError
from ratecert.base.exact import ball
from ratecert.solvers.engines.certificates.invariant import Move, Push
from ratecert.solvers.engines.moments.bounds import noise_bound
from ratecert.solvers.engines.moments.frame import Frame
from ratecert.solvers.engines.moments.interpreter import Interpreter
from ratecert.solvers.engines.moments.layout import Steps
from ratecert.solvers.engines.moments.step_sizes import Variable

Array = NDArray[Any]  # of balls
Degrees = Mapping[Variable, int]
Corner = Mapping[Variable, int]  # k


def control_moves(interpreter: Interpreter, stage: int, frame: Frame) -> list[Move]:
    """The moves of a step, the largest step last."""
    try:
        mean, samples = interpreter.polynomial_step(stage)
    except (NotPolynomialError, TypeError, AttributeError):
        raise NoCertificateError(
            "no certificate: a step is not a polynomial in its step sizes; make them constant"
        ) from None
    noises = []
    for moments, enters, _ in samples:
        gain, constant = noise_bound(moments)
        if not gain == 0:
            raise NoCertificateError(
                "no certificate: step sizes vary and the noise grows with the iterates (E or F is not zero); "
                "make the step size constant"
            )
        noises.append((constant, enters))
    degrees = _degrees([mean, *(enters for _, enters in noises)])
    largest = {variable: ball(getattr(interpreter.solver, variable[0]).largest) for variable in degrees}

    def move(k: Corner) -> Move:
        D = frame.increment(_at(mean, k, degrees, largest))
        nothing = Balls.zeros(0, len(D) - 1)
        pushes = [Push(_at(enters, k, degrees, largest)[:-1], nothing, arb(0), c) for c, enters in noises]
        return Move(D[:-1, :-1], D[:-1, -1], pushes)

    corners = product(*(range(degree + 1) for degree in degrees.values()))
    return [move(dict(zip(degrees, corner, strict=True))) for corner in corners]


def _degrees(polynomials: list[Steps]) -> Degrees:
    found: dict[Variable, int] = {}
    for monomial in (m for polynomial in polynomials for m in polynomial.parts):
        for variable, power in monomial:
            found[variable] = max(found.get(variable, 0), power)
    return found


def _at(polynomial: Steps, k: Corner, degrees: Degrees, largest: Mapping[Variable, arb]) -> Array:
    total = Balls.zeros(*next(iter(polynomial.parts.values())).shape)
    for monomial, coefficient in polynomial.parts.items():
        weight = arb(1)
        for variable, i in monomial:
            binomials = fmpq(math.comb(k[variable], i), math.comb(degrees[variable], i))
            weight = weight * binomials * largest[variable] ** i
        total = total + weight * coefficient
    return total
