"""results.json of schema 1 in the words and ids of schema 2.

Schema 1 said "holds" of a check and of a claim alike, had no kinds of evidence, and gave the claims of all papers bare
ids. These are taken from the claims of today; what has no claim any more stays as it was, and counts as measured.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ratecert.base.errors import ResultsError
from ratecert.from_data.claims import claims

OF_CHECKS = {"holds": "passes", "violated": "fails", "inconclusive": "undecided"}
OF_CLAIMS = {
    "holds": "not refuted",
    "violated": "refuted",
    "inconclusive": "undecided",
    "not applicable": "not applicable",
}


def upgraded(path: Path, results: Mapping[str, Any]) -> dict[str, Any]:
    try:
        found = [_claim(claim) for claim in results["claims"]]
    except (KeyError, TypeError, AttributeError) as error:
        raise ResultsError(
            f"{path} has schema 1 and is not whole ({error}); write it again with ratecert verify."
        ) from error
    return {**results, "schema": 2, "claims": found}


def _claim(claim: Mapping[str, Any]) -> dict[str, Any]:
    id = _full_id(claim["id"])
    today = claims().get(id)
    words = {**OF_CLAIMS, "holds": "proved"} if today and today.exact else OF_CLAIMS
    return {
        **claim,
        "id": id,
        "of": list(today.of) if today else claim["of"],
        "verdict": words[claim["verdict"]],
        "expected": words[claim["expected"]],
        "evidence": list(today.evidence) if today else [],
        "checks": [{**check, "verdict": OF_CHECKS[check["verdict"]]} for check in claim["checks"]],
    }


def _full_id(bare: str) -> str:
    """The id with its paper, if one other than the first has it and the first has not."""
    known = claims()
    return next((id for id in known if bare not in known and id.endswith(f":{bare}")), bare)
