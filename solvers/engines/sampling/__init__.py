"""Many runs side by side as arrays: lanes are devices x replicates, and signs come from a seed or are all outcomes.

noise.py        signs as a pure function of (seed, replicate, device, t, label, member, index)
oracle.py       estimates on arrays, of devices that are alike, that differ, or of one of these alone
tile.py         a tile of replicates through all iterations, and what is averaged
measured.py     the measures of a tile, and their means and covariances
compiled.py     the same steps under jax.jit
simulate.py     many tiles: `rc.simulate`
enumeration.py  every outcome once: `rc.enumerate_outcomes`
"""
