"""Devices gone wrong: the period, what is averaged and how, and whose noise is whose."""

from functools import partial

from ratecert.papers.federated_bilevel.wrong.reached import BOTH
from ratecert.power.edits import Edit, Mistake, mistake

SHARED, SAMPLING, MOMENTS = (
    "solvers/methods/local_method.py",
    "solvers/engines/monte_carlo/numpy_tile.py",
    "solvers/engines/moments/interpreter.py",
)
in_both = partial(mistake, BOTH, SHARED)

WRONG_DEVICES = (
    in_both("period off by one: a round takes p + 1 steps", "repeats=self.p,", "repeats=self.p + 1,"),
    in_both("period off by one: a round takes p - 1 steps", "repeats=self.p,", "repeats=max(1, self.p - 1),"),
    in_both(
        "momenta not averaged",
        'averaged: ClassVar[tuple[str, ...]] = ("x", "y", "u", "v")',
        'averaged: ClassVar[tuple[str, ...]] = ("x", "y")',
    ),
    in_both("y and v not averaged", '= ("x", "y", "u", "v")', '= ("x", "u")'),
    Mistake(
        "averages with the weight 1/2 on the device's own value",
        BOTH,
        (
            Edit(
                SAMPLING,
                "np.tile(mean, (1, shares.K))",
                "0.5 * np.tile(mean, (1, shares.K)) + 0.5 * new[name]",
            ),
            Edit(MOMENTS, " if not all(name in averaged for averaged in averages)]", "]"),
            Edit(MOMENTS, "kept: Array = basis @ left", "kept: Array = basis @ left / 2"),
        ),
    ),
    Mistake(
        "noise shared over devices",
        BOTH,
        (
            Edit(
                "solvers/engines/monte_carlo/noise.py",
                "devices *= np.uint64(not self.shared)",
                "devices *= np.uint64(0)",
            ),
            Edit("solvers/engines/enumeration.py", "start + i, k)", "start + i, 0)"),
            Edit("solvers/engines/expect.py", "alone = 1 if shared_noise else experiment.K", "alone = 1"),
            Edit("solvers/engines/stationary.py", "alone = 1 if shared_noise else K", "alone = 1"),
        ),
    ),
    mistake(
        BOTH,
        SAMPLING,
        "the sampling engine divides by K + 1",
        "lanes.sum(axis=1) / shares.K if",
        "lanes.sum(axis=1) / (shares.K + 1) if",
    ),
)
