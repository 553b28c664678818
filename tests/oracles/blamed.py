"""The places of errata that cure an instance by themselves."""

from ratecert.search.blame import cured, places_of
from ratecert.search.case import Case, Trial


def blamed(case: Case, tried: Trial) -> list[str]:
    """Places whose errata alone bring the ratio below 1."""
    return [p for p in places_of(case) if case.ratio_in(tried, cured(case, (p,))) < 1]
