"""Theorem 1: the measure of LocalBSGM with a constant step is at most the bound, inside the theorem's conditions.

As printed this is false in two ways. Each is a claim of its own, with a witness that stays one when the other is cured.
Both witnesses have sigma = 0, start at the solution, and have p > 1, which the printed algorithm asks for.

    noise_u   charges alpha with the noise of g, sigma, where samples of the hypergradient are averaged, which are noisy
              if f is. The printed bound is then O(eta^2) + O(1/(eta T)) + 4 Delta_Q^2. But the run is a walk with slow
              steps, whose measure in the long run is about rho_1 eta Phi'' N^2/2, N^2 the variance of those samples.
    G         is defined as a second moment and squared again. Where f is s times as large, x is s times as fast, y lags
              behind y*(x) by s times as much, and the measure is s^2 times as large; the terms with G only s^4 times.
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
    scalar,
)

WITNESSES = {
    "G": Witness(
        setting=TheoremSetting(
            name="f small", world=SMALL_F, K=8, p=2, T=2**20, Q=5, fixed={"eta": 0.05, "rho_2": 0.01}
        ),
        shorter=tuple(2**n for n in (2, 4, 6, 8, 12, 16)),
    ),
    "noise_u": Witness(
        setting=TheoremSetting(
            name="noise in f alone",
            world=scalar(mu=1.0, L_1=1.01, s_f=0.025),
            K=1,
            p=2,
            T=2**62,
            Q=4,
            fixed={"alpha": 5e4, "beta": 5e4, "rho_2": 2e-7, "eta": 1e-5},
        ),
        shorter=tuple(2**n for n in (42, 46, 50, 54, 58)),
    ),
}

TRIALS = Trials(
    tight_settings={
        "start_x": TheoremSetting(
            world=WORLDS["quiet"], K=10**6, p=1, T=10**15, x_off=1.0, fractions={"rho_1": 1e-2, "eta": 1e-6}
        ),
        "start_y": TheoremSetting(
            world=STILL, K=1, p=1, T=2**40, Q=4, y_off=1.0, fixed={"alpha": 1e3, "beta": 1e3, "eta": 1e-4}
        ),
        "start_u": TheoremSetting(world=NOISY_F, K=1, p=1, T=2**60, Q=2, fixed={"eta": 1e-13}),
        "start_v": TheoremSetting(world=NOISY_G, K=1, p=1, T=2**40, Q=4, fixed={"beta": 3.0, "eta": 1e-9}),
        "noise_u": TheoremSetting(
            world=NOISY_F,
            K=1,
            p=1,
            T=2**63,
            Q=2,
            fixed={"alpha": 3e3, "beta": 3e3, "eta": 1e-6, "rho_2": 2e-5},
        ),
        "noise_v": TheoremSetting(world=NOISY_G, K=1, p=1, T=2**50, Q=4, fixed={"beta": 3.0, "eta": 1e-4}),
        "bias": TheoremSetting(world=BIASED, K=1, p=1, T=2**62, Q=1, fixed={"eta": 1e-9}),
    },
    untested_terms=("drift", "noise_u", "start_u"),
    sweep=TheoremSetting(
        name="noisy", world=WORLDS["noisy"], K=8, p=1, T=1, Q=40, x_off=1.0, y_off=1.0, fixed={"eta": 1e-6}
    ),
    times=tuple(10**n for n in (1, 3, 5, 7, 9, 11, 13, 15)),
)

CLAIMS = (
    *(printed("theorem-1", *each) for each in WITNESSES.items()),
    repaired("theorem-1", TRIALS, WITNESSES),
)
