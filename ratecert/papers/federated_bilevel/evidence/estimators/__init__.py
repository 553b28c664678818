"""Three ways to estimate the hypergradient, side by side: the same bias at the same number of terms, other variances.

    E1    the Neumann series cut at random, N terms          E2    the full sum with fresh samples, Q + 1 terms
    E3    an auxiliary variable r that takes n steps with (x, y) fixed, tau = theta

    claims/estimators_bias.py         the bias of each, and what it does to running methods
    claims/estimators_variance.py     their covariances

laws.py has the laws of the bias and of the covariances, with their reasons. Against them stand the exact moments of
the estimators' own code and the mean over all outcomes of their samples.
"""
