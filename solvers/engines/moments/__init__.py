"""Exact expectations without sampling: the first two moments of an algorithm on a quadratic world.

On such a world a local step is a random affine map of the device's state, fresh on every device and at every t, so the
second moments obey a linear recursion of their own. Bottom up:

    packing         symmetric matrices as vectors
    forms           an estimator as a polynomial in its signs: mean and covariance; bounds: its largest deviation
    mixture         estimators that draw whole numbers: the mean over their cases
    step_sizes      step sizes as symbols
    affine          a step as an affine map, found by running the step itself on symbols
    layout          vectors in named blocks
    step_map        a step in numbers: increments D = M - I, and noise
    interpreter     from an algorithm's definition to its steps in numbers
    mean_cycle      the mean state over a cycle of stages, whose fixed point is the origin
    device_moments  two matrices that describe any number of devices, and how a step and an average change them
    readings        a form of the state in exact numbers; measures: forms as functionals of the moments
    measuring       which coordinates of an algorithm each measure reads
    segment         many local steps at once; round_map: many rounds; doubling: n of either in log n compositions
    varying_steps   long runs with slowly varying step sizes
    dependence      coordinates that follow from others, proved
    matrix_free     the limit of many iterations on large problems
    engine          all of it for one algorithm on one problem; exchangeable: devices alike; joint: devices that differ
"""
