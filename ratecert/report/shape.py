"""The shape of results.json: the first entry that has another is told in one sentence.

A claim is known by its id and a check by its name, so that neither may be missing nor stand twice.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ratecert.base.errors import ResultsError
from ratecert.base.words import VERDICTS
from ratecert.claims.check import RELATIONS, RESULTS

TOP = (
    *("schema", "ratecert", "paper", "title", "budget", "seed", "versions"),
    *("errata", "worlds", "claims"),
)
NUMBERS = ("measured", "predicted", "relation", "tolerance", "uncertainty")
PER_CLAIM = (
    *("id", "of", "statement", "sentence", "verdict", "expected", "because", "evidence", "reason"),
    *(*NUMBERS, "checks"),
    *("regime", "settings", "method", "notes", "table", "false_alarm", "chart", "figures", "command"),
)
PER_CHECK = ("name", "verdict", *NUMBERS)


def require_shape(path: Path, results: Mapping[str, Any]) -> None:
    """Refuse results in which an entry is missing, stands twice, or is of another kind than it has to be."""
    _require_keys(path, "the file", results, TOP)
    for name in ("paper", "title", "budget"):
        _require_text(path, name, results[name])
    for i, claim in enumerate(_listed(path, "claims", results["claims"])):
        _require_claim(path, i + 1, claim)
    _require_different(path, "claims have the id", [claim["id"] for claim in results["claims"]])


def _require_claim(path: Path, number: int, claim: Any) -> None:
    what = f"claim {number}"
    if not isinstance(claim, dict):
        raise ResultsError(f"{path}: {what} must be a mapping, got {claim!r:.60}.")
    _require_keys(path, f"claim {claim.get('id', number)!r}", claim, PER_CLAIM)
    _require_text(path, f"id of {what}", claim["id"])
    what = f"claim {claim['id']!r}"
    for name in ("verdict", "expected"):
        _require_one_of(path, f"{name} of {what}", claim[name], VERDICTS)
    for i, check in enumerate(_listed(path, f"checks of {what}", claim["checks"])):
        _require_check(path, f"check {i + 1} of {what}", check)
    _require_different(path, f"checks of {what} have the name", [check["name"] for check in claim["checks"]])


def _require_check(path: Path, what: str, check: Any) -> None:
    if not isinstance(check, dict):
        raise ResultsError(f"{path}: {what} must be a mapping, got {check!r:.60}.")
    _require_keys(path, what, check, PER_CHECK)
    _require_text(path, f"name of {what}", check["name"])
    _require_one_of(path, f"verdict of {what}", check["verdict"], RESULTS)
    _require_one_of(path, f"relation of {what}", check["relation"], RELATIONS)
    for name in ("measured", "predicted", "tolerance", "uncertainty"):
        value = check[name]
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise ResultsError(f"{path}: {name} of {what} must be a number, or null, got {value!r:.60}.")


def _require_keys(path: Path, what: str, mapping: Mapping[str, Any], keys: Sequence[str]) -> None:
    missing = [name for name in keys if name not in mapping]
    if missing:
        raise ResultsError(f"{path}: {what} lacks {', '.join(missing)}; write it again with ratecert verify.")


def _require_text(path: Path, what: str, value: Any) -> None:
    if not isinstance(value, str) or not value:
        raise ResultsError(f"{path}: {what} must be a text that is not empty, got {value!r:.60}.")


def _require_one_of(path: Path, what: str, value: Any, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise ResultsError(f"{path}: {what} must be one of {', '.join(allowed)}, got {value!r:.60}.")


def _listed(path: Path, what: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ResultsError(f"{path}: {what} must be a list, got {value!r:.60}.")
    return value


def _require_different(path: Path, what: str, names: Sequence[str]) -> None:
    name, times = max(Counter(names).items(), key=lambda item: item[1], default=("", 0))
    if times > 1:
        raise ResultsError(f"{path}: two {what} {name!r:.60}; each may stand there once.")
