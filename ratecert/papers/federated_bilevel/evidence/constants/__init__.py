"""What the constants of Section 3 have to bound, measured on a world.

With z = (x, y), h(z; s) the stochastic hypergradient with outcome s of all its signs, and the norm of a map of s being
the root of the mean square over all outcomes (enumerated, none is sampled), each constant is at least

    L_Phi      ||grad Phi(x) - grad Phi(x')|| / ||x - x'||
    L_tilde    ||grad Phi(x) - tilde(x, y)|| / ||y - y*(x)||     tilde: Lemma 1 at (x, y), inverse solved
    L_hat      ||h(z; .) - h(z'; .)|| / ||z - z'||
    G          ||h(z; .)||, and so ||h(z; .) - hat(z)||          G^2 bounds a second moment, and so a variance
    Delta_Q    ||hat(z) - tilde(z)||,  hat(z) = E h(z; .)

for points of the set ||(x - a, y - b)|| <= radius on which the assumptions' constants hold. For the first two also
(x, y*(x)) is in it, and (x', y*(x)): both halves are within radius/sqrt(2). Points are random ones, and from them those
in the steepest measured direction, which on a quadratic world gives the exact operator norm.

Every number is attained at points of the set, so it is never more than the supremum that the constant bounds, up to
rounding: a constant that is exceeded is too small; one that is not exceeded has not been refuted. Only what every
world offers is used.
"""
