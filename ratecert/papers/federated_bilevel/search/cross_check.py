"""Both sides of a theorem by a second way: 80-digit arithmetic and the transcription of the print.

It covers worlds with d = 1 and steps that are constant. The measured side comes from transcription/
many_digits.py, which shares no code with the solvers; in place of T = infinity it takes T = 2^200, where an average
over all t differs from its limit by less than any double shows. The bound comes from the transcription of the print,
which shares no code with theory/; that of a repaired statement has no second way.
"""

import math
from collections.abc import Mapping

from ratecert.papers.federated_bilevel.evidence.theorems.grid import TheoremSetting
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.transcription import bounds
from ratecert.papers.federated_bilevel.transcription.many_digits import method, moments
from ratecert.search.case import Again
from ratecert.theory.language.statements import Theorem
from ratecert.theory.numbers.admissible import schedule

FOREVER = 2**200
STEPS = ("alpha", "beta", "rho_1", "rho_2", "theta")
ALGORITHMS = {"algorithm-1": "LocalBSGM", "algorithm-2": "LocalBSGVRM"}


def cross_checked(theorem: str, variant: str, setting: TheoremSetting, values: Mapping[str, float]) -> Again:
    printed = variant == "printed"
    bound = math.fsum(bounds.TERMS[theorem](_letters(values))) if printed else None
    if setting.problem().d_x > 1:
        return Again(measured=None, bound=bound, how="80 digits are for d = 1")
    return Again(measured=_measured(theorem, variant, setting, values), bound=bound, how="80 digits")


def _letters(values: Mapping[str, float]) -> dict[str, float]:
    """Those of the print, without the constants that it defines."""
    defined = paper("printed").constants
    return {"L_12": values["L_21"], **{n: v for n, v in values.items() if n not in defined}}


def _measured(theorem: str, variant: str, setting: TheoremSetting, values: Mapping[str, float]) -> float:
    statement = paper(variant).the(Theorem, theorem)
    decay = schedule(statement, values)
    eta = decay["scale"] / max(decay["offset"], decay["floor"]) ** (1 / 3) if decay else values["eta"]
    steps = {name: float(values[name]) for name in STEPS}
    counts = {"p": setting.p, "Q": setting.Q, "B": setting.B}
    algorithm = method(ALGORITHMS[statement.algorithm], eta=float(eta), **steps, **counts)
    world, T = setting.problem(), FOREVER if math.isinf(setting.T) else int(setting.T)
    x0 = world.x_star + setting.x_off
    start = {"x0": float(x0[0]), "y0": float(world.y_star(x0)[0] + setting.y_off)}
    ((averages, _),) = moments(world, algorithm, K=setting.K, lengths=[T], **start)
    return float(averages["gradient"] + float(values["L_tilde"]) ** 2 * averages["tracking"])
