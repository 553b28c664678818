"""Kinds of numbers beside doubles, in arrays that read like numpy's.

    Rationals   fractions of whole numbers of any size: every operation is exact, and so is every test for zero
    Balls       midpoint and radius: the true value lies in the ball, whatever was rounded on the way
    Polynomials in the step size and in one over the number of devices, with rational coefficients

A double is a rational, so data are taken as exactly the numbers they are. One formula, written with +, -, *, / and @,
runs on every kind; what it is given decides. Balls are computed to the bits of `working_precision`.
"""
