"""The fast engine of Monte Carlo: an algorithm's own definition, traced and run by compiled code.

    expression.py     vectors that write down what is done to them
    trace.py          the algorithm's step and the estimators, run on such vectors
    instructions.py   what the kernel can do, on panels of 64 replicates
    step_code.py      the step as instructions (estimate_code.py: an estimate, sum_code.py: a sum)
    program.py        instructions as arrays
    machine.py        all of it for one algorithm on one problem
    sign_words.py     the signs of solvers/engines/monte_carlo/noise.py as words of 64
    lanes.py          a few numbers as one value, for compiled code
    kernel.py         the loop over iterations, devices and instructions, compiled by numba
    engine.py         tiles of replicates through the kernel
    kept.py           whether the kernel has been compiled before

Nothing here knows an algorithm: what can be traced is fast, and everything else runs on numpy.
"""
