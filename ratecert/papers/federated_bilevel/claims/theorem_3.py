"""Theorem 3: the measure of LocalBSGVRM with a decaying step is at most the bound, inside the theorem's conditions.

As printed this is false in two ways. Each is a claim of its own, with a witness that stays one when the other is cured.
Both witnesses have sigma = 0, start at the solution, have p > 1 and B > 1, which the printed algorithm asks for, and
run past t = 200^3 K^2 p^3, where steps begin to decay.

    noise_u   charges the noise of g, sigma, for samples of the hypergradient. With a large first batch B and small rho
              only the bias and a drift of order rho^2 (KT)^(-2/3) are left of the bound. The truth is of order
              rho_1 eta_T/K, once rho_1 (sum of eta_t) exceeds 1.
    G         is defined as a second moment and squared again, as in Theorems 1 and 2; here even with a small B.
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

B = 10**15  # a large first batch makes start_u and start_v small; no condition limits it
WITNESSES = {
    "G": Witness(
        setting=TheoremSetting(
            name="f small", world=SMALL_F, K=8, p=2, T=2**33, Q=5, B=2, fixed={"rho_2": 5e-4}
        ),
        shorter=tuple(2**n for n in (8, 12, 16, 20, 24, 28)),
    ),
    "noise_u": Witness(
        setting=TheoremSetting(
            name="noise in f alone",
            world=scalar(mu=1.0, L_1=1.01, s_f=0.025),
            K=64,
            p=16,
            T=2**48,
            Q=4,
            B=B,
            fixed={"rho_2": 1e-6},
        ),
        shorter=tuple(2**n for n in (36, 38, 40, 42, 44, 46)),
    ),
}

TRIALS = Trials(
    tight_settings={
        "start_x": TheoremSetting(world=WORLDS["quiet"], K=10**6, p=1, T=10**15, x_off=1.0),
        "start_y": TheoremSetting(world=STILL, K=10**6, p=1, T=2**50, Q=4, y_off=1.0),
        "start_u": TheoremSetting(world=NOISY_F, K=1, p=10**6, T=2**62, Q=5),
        "start_v": TheoremSetting(world=NOISY_G, K=1, p=10**6, T=2**62, Q=5),
        "noise_u": TheoremSetting(world=NOISY_F, K=10**6, p=1, T=2**62, Q=4, B=B, fixed={"rho_2": 1e-4}),
        "noise_v": TheoremSetting(world=NOISY_G, K=10**6, p=1, T=2**62, Q=5, B=B),
        "bias": TheoremSetting(world=BIASED, K=10**3, p=1, T=2**43, Q=1, B=B),
    },
    untested_terms=("drift", "noise_u"),
    sweep=TheoremSetting(name="noisy", world=WORLDS["noisy"], K=8, p=16, T=1, Q=40, x_off=1.0, y_off=1.0),
    times=tuple(10**n for n in (1, 3, 5, 7, 9, 11, 13)),
)

CLAIMS = (
    *(printed("theorem-3", *each) for each in WITNESSES.items()),
    repaired("theorem-3", TRIALS, WITNESSES),
)
