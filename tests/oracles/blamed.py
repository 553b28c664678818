"""The places of errata that cure an instance by themselves."""

from ratecert.search.falsifiable import Falsifiable, Trial, ratio_in
from ratecert.search.mistakes import cured, places_of


def blamed(case: Falsifiable, tried: Trial) -> list[str]:
    """Places whose errata alone bring the ratio below 1."""
    return [p for p in places_of(case) if ratio_in(case, tried, cured(case, (p,))) < 1]
