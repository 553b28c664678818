"""A witness on disk: a small TOML file with everything that `ratecert check` needs to compute both sides again.

    format     1; a file with another number is refused
    statement  such as theorem-1; of another paper than the first, with its key: PAPER:theorem-1
    variant    printed or repaired
    place      of the erratum that cures it; empty where none is known
    ratio      what was found; the check computes its own
    [factors]  at terms or conditions of the statement, where it is broken with these (search/factored.py)
    [tables]   of numbers: the instance (ratecert/search/falsifiable.py)

Reading is strict: a key that is missing or unknown, a value of another type and a number that is not one are refused
with the key. The statement is looked up among the papers that ship with ratecert or that the user has named; nothing is
ever executed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import tomli_w

from ratecert.base.errors import WitnessError
from ratecert.base.files import read_data, tables_of, write_text
from ratecert.catalogue.find import VARIANTS, meant, split
from ratecert.search.falsifiable import Instance
from ratecert.search.witness_schema import require_numbers

FORMAT = 1
TEXTS = ("statement", "variant", "place")
HEADER = "# A counterexample. `ratecert check` computes both sides of the statement again from what is written here.\n"
WITH_FACTORS = "# It breaks the statement with these factors at its parts: no proof can have them.\n"


@dataclass(frozen=True, kw_only=True)
class Witness:
    """A counterexample as data: the statement that it breaks, the part to blame, and the world and steps."""

    statement: str
    variant: str
    place: str
    ratio: float
    instance: Instance
    factors: Mapping[str, float] = field(default_factory=dict)

    @property
    def mistake(self) -> str:
        """noise_u for a mistake at theorem-1.term.noise_u; empty where its place is not known."""
        return self.place.removeprefix("constant.").removesuffix(".left").rpartition(".")[2]

    @property
    def name(self) -> str:
        """PAPER.theorem-1.printed-noise_u, and with factors PAPER.theorem-1.printed.term.noise_u."""
        key, inside = split(self.statement)
        paper = Path(key).stem if key.endswith(".py") else key
        statement = ".".join((paper, inside, self.variant))
        if self.factors:
            return f"{statement}.{'+'.join(self.factors)}"
        return statement + (f"-{self.mistake}" if self.mistake else "")


def write(witness: Witness, path: Path) -> None:
    head = {"format": FORMAT, **{name: getattr(witness, name) for name in TEXTS}, "ratio": witness.ratio}
    factors = {"factors": dict(witness.factors)} if witness.factors else {}
    header = HEADER + (WITH_FACTORS if factors else "")
    write_text(path, header + tomli_w.dumps({**head, **factors, **witness.instance}))


def read(path: Path) -> Witness:
    """The witness in a file, its shape checked; whether the numbers make sense is the statement's affair."""
    return _checked(str(path), read_data(path, WitnessError, "ratecert falsify writes such files."))


def parsed(name: str, text: str) -> Witness:
    """The witness that a text stands for."""
    return _checked(name, tables_of(text, as_json=False))


def _checked(name: str, data: Mapping[str, Any]) -> Witness:
    try:
        found = _witness(data)
    except WitnessError as error:
        raise WitnessError(f"{name}: {error}") from error
    return replace(found, statement=meant(found.statement, name))


def _witness(data: Mapping[str, Any]) -> Witness:
    require_format(data)
    if "conjecture" in data:
        raise WitnessError(
            "this is a conjecture, which has no world to compute again; `ratecert falsify` on the file tries it."
        )
    texts = {name: _text(data, name) for name in TEXTS}
    if texts["variant"] not in VARIANTS:
        raise WitnessError(f"variant must be one of {', '.join(VARIANTS)}, got {texts['variant']!r:.60}.")
    known = ("format", "ratio", "factors", *TEXTS)
    instance = {name: value for name, value in data.items() if name not in known}
    for name, table in instance.items():
        if not isinstance(table, dict):
            raise WitnessError(f"{name!r:.60} is no key of a witness; remove it.")
    require_numbers("ratio", data.get("ratio"), infinite=True)
    return Witness(**texts, ratio=data["ratio"], instance=instance, factors=read_factors(data))


def require_format(data: Mapping[str, Any]) -> None:
    """Refuse a file of another format; true is no 1."""
    if data.get("format") != FORMAT or data.get("format") is True:
        raise WitnessError(f"format must be {FORMAT}, got {data.get('format')!r:.60}.")


def read_factors(data: Mapping[str, Any]) -> Mapping[str, float]:
    """The table of factors of a file, empty where it has none."""
    factors = data.get("factors", {})
    if not isinstance(factors, dict):
        raise WitnessError(f"factors must be a table, got {factors!r:.60}.")
    for place, factor in factors.items():
        require_numbers(f"factors.{place}", factor)
    return factors


def _text(data: Mapping[str, Any], name: str) -> str:
    if not isinstance(data.get(name), str):
        raise WitnessError(f"{name} must be a text, got {data.get(name)!r:.60}.")
    return str(data[name])
