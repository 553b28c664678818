"""Where federated methods rest on devices that differ, against stationarity: which carry the bias of local inverses.

Lemma 1 asks for the inverse of the mean Hessian; a device has its own only. With an average after every step
(p = tau = 1) where a method rests depends on what it averages alone (places.py):

    x_local     LocalBSGM, LocalBSGVRM in all readings, LocalSGD, LFedNest    y is shared, the inverse is a device's own
    x_own       FedBiOAcc                                                     y and the inverse are a device's own
    x_star      FedNest, FedBiOAccGlobal                                      r, or each product of a series, is shared

    claims/at_rest.py            the methods at each of these places
    claims/at_rest_rounds.py     what local steps (p, tau > 1) add

STEM has no lower level, and the methods for one machine see no devices: none of this concerns them.
"""
