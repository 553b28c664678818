"""The fast engine of Monte Carlo: an algorithm's own definition, written down once and run by compiled code.

    expression.py     vectors that write down what is done to them
    trace.py          the algorithm's step and the estimators, run on such vectors
    recording.py      the step as instructions on panels of 64 replicates (body.py: an estimate)
    program.py        instructions as arrays
    machine.py        all of it for one algorithm on one problem
    kernel.py         the loop over iterations, devices and instructions, compiled by numba
    engine.py         tiles of replicates through the kernel

Nothing here knows an algorithm: what can be traced is fast, and everything else runs on numpy.
"""
