"""The constant G is too small as printed.

Section 3, below Assumption 3 of "On the Convergence of Momentum-Based Algorithms for Federated Bilevel Optimization Problems".
What is wrong is at constant.G.left.

This file proves that, with Python and nothing else, in fractions. Run it: one line and exit code 0 say that it is
proved; with any number edited it ends in an error that says what no longer holds.

The paper sets, and the theorems use G^2 as a bound on the second moment E|h|^2 of the stochastic hypergradient h,
    G = 4*L_0**2*L_1**2*sigma**2*theta**4*(Q + 1)**2*(Q + 2) + 12*L_0**2*L_1**2*theta**2*(Q + 1)**2 + 2*L_0**2

The world: x and y are numbers, and nothing is noisy.

    g(x, y) = A y^2/2,    f(x, y) = P huber(x)
    huber(x) = x^2/2 where |x| <= R, and R |x| - R^2/2 beyond: its slope is x clipped to [-R, R]

g is quadratic and has no noise, so sigma = L_21 = L_22 = 0. As g does not see x, h is the slope of f in x, whatever
the Neumann sum is. In the names below _2 means squared, and _read a constant as the erratum reads it.
"""

from fractions import Fraction


def require(truth, sentence):
    """Unlike an assert statement, this is not skipped by python -O."""
    if not truth:
        raise AssertionError(sentence)


def at_most(sentence, quotient, value):
    """left <= right, as left/right to a power that leaves no root: exactly this value, and at most one."""
    require(quotient == value and value.numerator <= value.denominator, f"{sentence}: {quotient}")


def below(sentence, quotient, value):
    require(quotient == value and value.numerator < value.denominator, f"{sentence}: {quotient}")


# The world, and the assumptions on the whole plane.
A, P, R = Fraction(2), Fraction(2), Fraction(1, 10000000)
mu, L_1, L_0 = Fraction(2), Fraction(2), Fraction(1, 5000000)
require(mu == A, "Assumption 1: g is A-strongly convex in y")
require(L_1 == max(A, P), "Assumption 2: the slope of g is A-Lipschitz, that of f P-Lipschitz")
at_most("Assumption 2: no sample of f is steeper than L_0", ((P*R)**2)/L_0**2, Fraction(1))

# The sample.
theta, Q = Fraction(9, 20), Fraction(1)
below("theta < clause 1", L_1*theta, Fraction(9, 10))

# The constant.
G = 2*L_0**2 + 12*L_0**2*L_1**2*theta**2*(1 + Q)**2
G_read_2 = 2*L_0**2 + 12*L_0**2*L_1**2*theta**2*(1 + Q)**2


# The second moment at x = R, where f is steepest.
measured = (P*max(-R, min(R, R)))**2
allowed = Fraction(261121, 10**22*5**10)
require(measured == Fraction(1, 10**12*5**2), "E|h|^2")
require(G**2 == allowed, "G^2 as printed")
require(measured > allowed, "E|h|^2 > G^2")
require(measured < G_read_2 == Fraction(511, 10**11*5**5), "E|h|^2 < G^2, this erratum applied")
print(f"proved: G is too small as printed, E|h|^2/G^2 is about {float(measured/allowed):.6g}")
