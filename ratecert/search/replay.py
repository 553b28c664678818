"""A witness on trial again."""

from ratecert.base.errors import WitnessError
from ratecert.search.cases import case as case_of
from ratecert.search.factored import factored
from ratecert.search.finding import Confirmed, confirm
from ratecert.search.mistakes import all_places
from ratecert.search.witness import Witness


def replayed(read: Witness, *, twice: bool = True) -> tuple[Confirmed, list[str]]:
    """Both sides, by both ways or by one, and the standing of the assumptions on the whole space."""
    case = factored(case_of(read.statement, read.variant), read.factors)
    case.require(read.instance)
    if read.place and read.place not in (places := sorted(all_places(case))):
        raise WitnessError(f"place must be empty or one of {', '.join(places)}, got {read.place!r}.")
    check = confirm(case, read.instance, read.place, twice=twice)
    return check, case.standings(read.instance, check.tried)
