"""Exact expectations without sampling: the first two moments of an algorithm on a quadratic world.

On such a world a local step is a random affine map of the device's state, fresh on every device and at every
t, so the second moments obey a linear recursion of their own. Bottom up:

    forms       an estimator as a polynomial in its signs: its mean and its covariance
    affine      a step as an affine map with 50-digit coefficients, found by running the step itself
    step_map    the same in numbers: increments D = M - I and noise
    pair        two matrices that describe any number of devices, and how a step and an average change them
    segment     many steps at once, by doubling
"""
