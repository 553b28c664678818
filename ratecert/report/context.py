"""What a reader needs beside the verdicts: corrections, and worlds with their constants."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ratecert.claims.claim import build
from ratecert.run.tasks import as_json

RADIUS = 1.0  # of the ball on which the constants are given


def errata(papers: Iterable[str]) -> list[dict[str, str]]:
    from ratecert.catalogue.find import paper

    found = (erratum for key in papers for erratum in paper("repaired", key).errata)
    return [{"place": e.place, "reason": e.reason, "evidence": e.evidence} for e in found]


def worlds(entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Every world that a claim names in its settings, once, with the constants of Assumptions 1 to 3."""
    specs = {as_json(spec): spec for entry in entries for spec in _specs(entry["settings"])}
    return [{"world": text, **_constants(spec)} for text, spec in sorted(specs.items())]


def _constants(spec: Mapping[str, Any]) -> dict[str, float]:
    constants: dict[str, float] = build(spec).constants(radius=RADIUS)
    return {name: float(value) for name, value in constants.items()}


def _specs(value: Any) -> Iterator[Mapping[str, Any]]:
    """World specifications, wherever they stand in the settings."""
    if isinstance(value, Mapping) and isinstance(value.get("world"), str):
        yield value
    elif isinstance(value, Mapping):
        for inside in value.values():
            yield from _specs(inside)
    elif isinstance(value, (list, tuple)):
        for inside in value:
            yield from _specs(inside)
