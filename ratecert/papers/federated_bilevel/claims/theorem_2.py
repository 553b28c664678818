"""Theorem 2: the measure of LocalBSGVRM with a constant step is at most the bound, inside the theorem's conditions.

As printed this is false. G is defined as a second moment and squared again in the bound. Where f is s times as large, x
is s times as fast, y lags behind y*(x) by s times as much, and the measure is s^2 times as large; the terms with G are
s^4 times as large. With sigma = 0 and the start at the solution, the bias is all that is left besides, and it is small.
The witness has p > 1 and B > 1, which the printed algorithm asks for.
"""

from ratecert.papers.federated_bilevel.evidence.theorems.claims import Trials, Witness, printed, repaired
from ratecert.papers.federated_bilevel.evidence.theorems.grid import (
    BIASED,
    NOISY_F,
    NOISY_G,
    SMALL_F,
    STILL,
    WORLDS,
    TheoremSetting,
)

WITNESSES = {
    "G": Witness(
        setting=TheoremSetting(
            name="f small", world=SMALL_F, K=8, p=2, T=2**24, Q=5, B=2, fixed={"rho_2": 1e-3}
        ),
        shorter=tuple(2**n for n in (6, 9, 12, 15, 18, 21)),
        far=False,
    ),
}

B = 10**12  # a large first batch makes start_u and start_v small; no condition limits it
SLOW = {"alpha": 1e-4, "beta": 1e-4, "eta": 1e-4}  # x and y follow u and v, so the measure shows their errors

TRIALS = Trials(
    tight_settings={
        "start_x": TheoremSetting(world=WORLDS["quiet"], K=10**6, p=1, T=10**15, x_off=1.0),
        "start_y": TheoremSetting(world=STILL, K=1, p=1, T=2**50, Q=4, y_off=1.0),
        "start_u": TheoremSetting(world=NOISY_F, K=10**6, p=1, T=2**50, Q=3, fixed=SLOW),
        "start_v": TheoremSetting(
            world=NOISY_G, K=10**4, p=1, T=2**50, Q=4, fixed={"beta": 1e-2, "eta": 1e-5}
        ),
        "bias": TheoremSetting(world=BIASED, K=1, p=1, T=2**62, Q=1, fixed={"eta": 1e-6}),
        "noise_u": TheoremSetting(world=NOISY_F, K=10**6, p=1, T=2**62, Q=3, B=B, fixed=SLOW),
        "noise_v": TheoremSetting(
            world=NOISY_G, K=10**4, p=1, T=2**62, Q=4, B=B, fixed={"beta": 1e-2, "eta": 1e-5}
        ),
    },
    untested_terms=("drift",),
    sweep=TheoremSetting(name="noisy", world=WORLDS["noisy"], K=8, p=16, T=1, Q=40, x_off=1.0, y_off=1.0),
    times=tuple(10**n for n in (1, 3, 5, 7, 9, 11, 13, 15, 17)),
)

CLAIMS = (
    *(printed("theorem-2", *each) for each in WITNESSES.items()),
    repaired("theorem-2", TRIALS, WITNESSES),
)
