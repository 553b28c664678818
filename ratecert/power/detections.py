"""What a claim has to say about a mistake: its verdict, whether that has changed, and by which margin.

The margin is that of the failing check that is farthest outside: its strain is 1 at the edge of what is allowed, and
100 where a number is off by a hundred times the tolerance. Where no number could be computed there is none.
"""

import math
from collections.abc import Mapping
from typing import Any

from ratecert.claims.check import RESULTS_OF, Check, decisive
from ratecert.claims.claim import Claim, Json, Judgement
from ratecert.report.results import finite
from ratecert.report.shape import NUMBERS


def caught(entry: Mapping[str, Any]) -> Json | None:
    """From a claim's entry, as results.json has it; None where the verdict is the expected one."""
    if entry["verdict"] == entry["expected"]:
        return None
    checks = [_check(check) for check in entry["checks"] if all(check[n] is not None for n in NUMBERS)]
    same = [check for check in checks if check.verdict == RESULTS_OF.get(entry["verdict"])]
    return _catch(
        entry["id"], entry["verdict"], entry["expected"], decisive(same) if same else None, entry["reason"]
    )


def caught_by(claim: Claim, judgement: Judgement) -> Json | None:
    """The same, from a judgement."""
    if judgement.verdict == claim.expected:
        return None
    check = judgement.decisive
    return _catch(claim.id, judgement.verdict, claim.expected, check, str(check or "nothing to check"))


def failed(claim: Claim, error: Exception) -> Json:
    """A claim that cannot be judged any more."""
    return _catch(claim.id, "undecided", claim.expected, None, f"{type(error).__name__}: {error}")


def _check(numbers: Mapping[str, Any]) -> Check:
    return Check(name=numbers["name"], **{name: numbers[name] for name in NUMBERS})


def _catch(claim: str, verdict: str, expected: str, check: Check | None, why: str) -> Json:
    numbers = {name: finite(getattr(check, name, None)) for name in NUMBERS}
    strain = check.used_tolerance if check else math.inf
    return {
        "claim": claim,
        "verdict": verdict,
        "expected": expected,
        "check": check.name if check else None,
        **numbers,
        "strain": finite(strain),
        "reason": why[:300],
    }
