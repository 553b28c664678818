"""The communication period p: what it costs, how devices drift apart, and how long it may be.

Each claim is in a file of its own in claims/. Where devices are alike and noise is additive, p does nothing to the
measure at all; the files then use the drift, Hessian noise, or devices that differ, which are outside the paper's
homogeneity.

    communication_fixed_T.py           error against rounds at fixed T
    communication_invariance.py        where averaging commutes with the steps
    communication_drift.py             the drift's exponent in p
    communication_hessian_noise.py     what p adds with Hessian noise
    communication_excess.py            how far p moves the limit where devices differ
    communication_largest_p.py         the largest p for 1 %, devices that differ
    communication_alike.py             the largest p for 1 %, devices that are alike
    communication_bound.py             where the bounds' drift terms dominate
    communication_to_eps.py            rounds to eps
    communication_front.py             samples against rounds to eps
"""
