"""A witness on disk: a small TOML file with everything that `ratecert check` needs to compute both sides again.

    format     1; a file with another number is refused
    statement  such as theorem-1; of another paper than the first, with its key: PAPER:theorem-1
    variant    printed or repaired
    place      of the erratum that cures it; empty where none is known
    ratio      what was found; the check computes its own
    [factors]  at terms or conditions of the statement, where it is broken with these (factors.py)
    [tables]   of numbers: the instance

A conjecture is such a file, too, as `ratecert sharpen` leaves it and `ratecert falsify FILE.toml` goes on with it: a
theorem with factors at its terms, and no world.

    format, variant, [factors]  the same
    conjecture                  the statement

Reading is strict: a key that is missing or unknown, a value of another type and a number that is not one are refused
with the key. The statement is looked up among the papers that ship with ratecert or that the user has named
(catalogue/cases.py); nothing is ever executed.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli_w

from ratecert.base.asked import VARIANTS, parted
from ratecert.base.errors import WitnessError
from ratecert.base.files import read_data, tables_of, write_text

Instance = Mapping[str, Mapping[str, Any]]  # tables of numbers, or of lists of numbers
FORMAT = 1
LARGEST = 1e75  # products of four such numbers have a float
TEXTS = ("statement", "variant", "place")
HEADER = "# A counterexample. `ratecert check` computes both sides of the statement again from what is written here.\n"
WITH_FACTORS = "# It breaks the statement with these factors at its parts: no proof can have them.\n"
CONJECTURE = {"format", "conjecture", "variant", "factors"}
CONJECTURED = (
    "# A conjecture: no world that was tried exceeds the theorem with these factors at its terms. It is no theorem.\n"
    "# `ratecert falsify` on this file goes on with the search.\n"
)


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
        statement = named(self.statement, self.variant)
        if self.factors:
            return f"{statement}.{'+'.join(self.factors)}"
        return statement + (f"-{self.mistake}" if self.mistake else "")


@dataclass(frozen=True)
class Conjecture:
    """A theorem with factors at its terms."""

    statement: str
    variant: str
    factors: Mapping[str, float]


def named(statement: str, variant: str) -> str:
    """PAPER.theorem-1.printed, with which the names of its files begin."""
    key, inside = parted(statement)
    return ".".join((Path(key).stem if key.endswith(".py") else key, inside, variant))


def write(witness: Witness, path: Path) -> None:
    head = {"format": FORMAT, **{name: getattr(witness, name) for name in TEXTS}, "ratio": witness.ratio}
    factors = {"factors": dict(witness.factors)} if witness.factors else {}
    header = HEADER + (WITH_FACTORS if factors else "")
    write_text(path, header + tomli_w.dumps({**head, **factors, **witness.instance}))


def write_conjecture(conjecture: Conjecture, path: Path) -> None:
    head = {"format": FORMAT, "conjecture": conjecture.statement, "variant": conjecture.variant}
    write_text(path, CONJECTURED + tomli_w.dumps({**head, "factors": dict(conjecture.factors)}))


def read(path: Path) -> Witness:
    """The witness in a file, its shape checked; whether the numbers make sense is the statement's affair."""
    return _read(str(path), read_data(path, WitnessError, "ratecert falsify writes such files."))


def parsed(name: str, text: str) -> Witness:
    """The witness that a text stands for."""
    return _read(name, tables_of(text, as_json=False))


def read_conjecture(path: Path) -> Conjecture:
    """The conjecture in a file, its shape checked."""
    data = read_data(path, WitnessError, "ratecert sharpen writes such files.")
    try:
        return _conjecture(data)
    except WitnessError as error:
        raise WitnessError(f"{path}: {error}") from error


def _read(name: str, data: Mapping[str, Any]) -> Witness:
    try:
        return _witness(data)
    except WitnessError as error:
        raise WitnessError(f"{name}: {error}") from error


def _witness(data: Mapping[str, Any]) -> Witness:
    _require_format(data)
    if "conjecture" in data:
        raise WitnessError(
            "this is a conjecture, which has no world to compute again; `ratecert falsify` on the file tries it."
        )
    texts = {name: _text(data, name) for name in TEXTS}
    _require_variant(texts["variant"])
    known = ("format", "ratio", "factors", *TEXTS)
    instance = {name: value for name, value in data.items() if name not in known}
    for name, table in instance.items():
        if not isinstance(table, dict):
            raise WitnessError(f"{name!r:.60} is no key of a witness; remove it.")
    require_numbers("ratio", data.get("ratio"), infinite=True)
    return Witness(**texts, ratio=data["ratio"], instance=instance, factors=_factors(data))


def _conjecture(data: Mapping[str, Any]) -> Conjecture:
    _require_format(data)
    factors = _factors(data)
    if "statement" in data:
        raise WitnessError(
            "this is a witness, no conjecture; `ratecert check` on the file computes it again."
        )
    unknown = sorted(set(data) - CONJECTURE)
    if unknown:
        raise WitnessError(f"{unknown[0]!r:.60} is no key of a conjecture; ratecert sharpen writes them.")
    statement, variant = data.get("conjecture"), data.get("variant")
    if not isinstance(statement, str):
        raise WitnessError(f"conjecture must be the id of a theorem, got {statement!r:.60}.")
    _require_variant(variant)
    if not factors:
        raise WitnessError("factors must have at least one place, got none.")
    return Conjecture(statement, str(variant), factors)


def _require_format(data: Mapping[str, Any]) -> None:
    """Refuse a file of another format; true is no 1."""
    if data.get("format") != FORMAT or data.get("format") is True:
        raise WitnessError(f"format must be {FORMAT}, got {data.get('format')!r:.60}.")


def _require_variant(variant: Any) -> None:
    if variant not in VARIANTS:
        raise WitnessError(f"variant must be one of {', '.join(VARIANTS)}, got {variant!r:.60}.")


def _factors(data: Mapping[str, Any]) -> Mapping[str, float]:
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


def require_tables(instance: Instance, wanted: Mapping[str, Sequence[str]]) -> None:
    """Exactly these tables with these keys."""
    for table, keys in wanted.items():
        if table not in instance:
            raise WitnessError(f"the table [{table}] is missing.")
        missing = [key for key in keys if key not in instance[table]]
        if missing:
            raise WitnessError(f"{table}.{missing[0]} is missing.")
    for table, entries in instance.items():
        if table not in wanted:
            raise WitnessError(f"{table!r:.60} is no table of this witness; known are {', '.join(wanted)}.")
        unknown = [key for key in entries if key not in wanted[table]]
        if unknown:
            raise WitnessError(
                f"{table}.{unknown[0]:.60} is no key here; known are {', '.join(wanted[table])}."
            )


def require_numbers(name: str, value: Any, *, infinite: bool = False) -> None:
    """A finite number; infinite only where that means something."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and infinite and value == math.inf:
        return
    if not is_number or not abs(value) <= LARGEST:
        raise WitnessError(
            f"{name} must be a finite number{' or inf' if infinite else ''}, of size at most {LARGEST:g}, got "
            f"{value!r:.60}."
        )
