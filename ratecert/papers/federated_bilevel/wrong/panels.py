"""Which claims a wrong algorithm is tried on.

    letter     the claims that compare with a transcription of the print: they see every deviation from it
    measured   all other claims that run an algorithm or its estimator. They know rates, bounds and closed forms, and
               nothing of the printed lines. The cheap ones come first, and the first one that changes ends the trial.
               Claims that are expected to be violated come last: it says more if a true thing seems false than if
               a mistake of the print seems to be gone.

A claim that runs only one of the algorithms cannot see a mistake in the other. Claims that run nothing, because they
read statements, see no mistake in an algorithm at all. The counterexamples are on neither panel: they compare with the
letter, in 80 digits, where that has been done already.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from ratecert.claim.claim import Claim

LETTER = {1: "algorithm-1", 2: "algorithm-2"}
READ_ONLY = ("statements", "L_Phi", "L_tilde", "assumptions", "remark-3")
READ_ONLY_ENDINGS = (".exponents", ".printed", ".repaired")  # of corollaries: derived from the statements

ALGORITHM_OF = {
    **dict.fromkeys(("theorem-1", "corollary-1", "corollary-2", "remark-1", "table-1.LocalBSGM"), 1),
    **dict.fromkeys(("theorem-2", "theorem-3", "remark-2", "remark-4", "table-1.LocalBSGVRM-constant"), 2),
    **dict.fromkeys(("corollary-3", "corollary-4", "corollary-5", "corollary-6"), 2),
    "table-1.LocalBSGVRM-decaying": 2,
    "linear-speedup.corollary-1": 1,
    "linear-speedup.corollary-3": 2,
}
SECONDS = {
    "theorem-1.repaired": 4,
    "theorem-2.repaired": 5,
    "theorem-3.repaired": 14,
    "L_hat": 1.5,
    "G.repaired": 3,
    "readings": 5,
    "delta-q.floor": 4,
    "delta-q.terms": 8,
    "corollary-5.measured": 9,
    "corollary-6.measured": 5,
    "table-1.LocalBSGM": 1.4,
    "table-1.LocalBSGVRM-constant": 2,
    "table-1.LocalBSGVRM-decaying": 16,
    "corollary-1.nonconvex": 14,
    "corollary-3.ridge": 32,
    "linear-speedup.corollary-1": 6,
    "linear-speedup.corollary-3": 10,
    "communication-period.largest-p-alike": 2.5,
    "communication-period.rounds-to-eps": 3.5,
    "communication-period.front": 15,
    "communication-period.fixed-T": 7,
    "communication-period.invariance": 4,
    "communication-period.drift": 3.5,
    "communication-period.hessian-noise": 1.8,
    "communication-period.excess": 1.6,
    "communication-period.largest-p": 13,
    "complexity-table": 12,
    "estimators": 1.5,
    "at-rest": 6,
}
"""About how long a claim takes, where that is more than a second; only the order depends on it."""


def letter(algorithms: Iterable[int]) -> list[str]:
    return [LETTER[number] for number in algorithms]


def measured(algorithms: Iterable[int], claims: Mapping[str, Claim]) -> list[str]:
    """Those of the claims that can see a mistake in these algorithms, in the order in which they are tried."""
    wanted = set(algorithms)
    found = [id for id in claims if _runs(id) and _of(id, ALGORITHM_OF, None) in (*wanted, None)]
    return sorted(found, key=lambda id: (claims[id].expected != "holds", _of(id, SECONDS, 0.5)))


def _runs(id: str) -> bool:
    derived = id.startswith("corollary-") and id.endswith(READ_ONLY_ENDINGS)
    again = id in LETTER.values() or id.endswith(".counterexamples")
    return not again and id.partition(".")[0] not in READ_ONLY and not derived


def _of(id: str, known: dict[str, Any], otherwise: Any) -> Any:
    """Of the claim, or else of its statement."""
    return known.get(id, known.get(id.partition(".")[0], otherwise))
