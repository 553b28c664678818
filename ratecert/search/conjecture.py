"""A conjecture on disk: a theorem of a paper with factors at its terms, as `ratecert sharpen` leaves it.

    format     1; a file with another number is refused
    conjecture the statement, such as theorem-1 or PAPER:theorem-1
    variant    printed or repaired
    [factors]  place -> factor, such as term.noise = 0.5

`ratecert falsify FILE.toml` goes on with it. Data only; nothing is ever executed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import tomli_w

from ratecert.base.errors import WitnessError
from ratecert.base.files import read_data, write_text
from ratecert.catalogue.find import VARIANTS, meant, paper
from ratecert.search.cases import case as case_of
from ratecert.search.factored import factored
from ratecert.search.falsifiable import Falsifiable
from ratecert.search.witness import FORMAT, read_factors, require_format
from ratecert.theory.language.statements import Theorem

KEYS = {"format", "conjecture", "variant", "factors"}
HEADER = (
    "# A conjecture: no world that was tried exceeds the theorem with these factors at its terms. It is no theorem.\n"
    "# `ratecert falsify` on this file goes on with the search.\n"
)


@dataclass(frozen=True)
class Conjecture:
    statement: str
    variant: str
    factors: Mapping[str, float]

    def case(self) -> Falsifiable:
        """What is tried; every term has a factor."""
        case = case_of(self.statement, self.variant)
        terms = paper(self.variant, case.key).the(Theorem, case.statement).terms
        if missing := sorted({f"term.{name}" for name in terms} - set(self.factors)):
            raise WitnessError(
                f"{self.statement}: {missing[0]} has no factor; write 1.0 where its constant stays, 0.0 where it goes."
            )
        return factored(case, self.factors)


def write(conjecture: Conjecture, path: Path) -> None:
    head = {"format": FORMAT, "conjecture": conjecture.statement, "variant": conjecture.variant}
    write_text(path, HEADER + tomli_w.dumps({**head, "factors": dict(conjecture.factors)}))


def read(path: Path) -> Conjecture:
    """Refused with the key where something is missing, unknown or of another type."""
    data = read_data(path, WitnessError, "ratecert sharpen writes such files.")
    try:
        require_format(data)
        factors = read_factors(data)
    except WitnessError as error:
        raise WitnessError(f"{path}: {error}") from error
    unknown = sorted(set(data) - KEYS)
    if unknown:
        raise WitnessError(
            f"{path}: {unknown[0]!r:.60} is no key of a conjecture; ratecert sharpen writes them."
        )
    statement, variant = data.get("conjecture"), data.get("variant")
    if not isinstance(statement, str):
        raise WitnessError(f"{path}: conjecture must be the id of a theorem, got {statement!r:.60}.")
    if variant not in VARIANTS:
        raise WitnessError(f"{path}: variant must be one of {', '.join(VARIANTS)}, got {variant!r:.60}.")
    if not factors:
        raise WitnessError(f"{path}: factors must have at least one place, got none.")
    return Conjecture(meant(statement, path), variant, factors)
