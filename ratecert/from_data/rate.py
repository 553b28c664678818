"""A corollary on trial: its exponents, measured with exact moments along its own scalings.

Every letter that the corollary scales is a unit times its order in K and T. O(.) leaves the unit open: it is a part
of the largest with which all runs are inside the theorem's conditions. Exponents are read at the end of a long range,
between the last two values; by how much they have moved since the two before is their uncertainty.
"""

import math
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import pairwise

from ratecert import registry
from ratecert.claim.check import Check
from ratecert.claim.checks import at_most, equal
from ratecert.claim.claim import Budget, Claim, Json, Piece
from ratecert.claim.rows import Row, Rows
from ratecert.errors import UndecidedError
from ratecert.executable.executable import Executable
from ratecert.executable.letters import chosen
from ratecert.executable.setting import Setting
from ratecert.from_data.code import require_version
from ratecert.from_data.theorem import findings, undecided_by_mistakes
from ratecert.theory.language.letters import letter
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Corollary, Theorem
from ratecert.theory.numbers.evaluation import evaluate, number
from ratecert.theory.orders.derivation import as_monomial

T_RANGE = tuple(2**n for n in (28, 32, 36, 40))
K_RANGE = (1, 64, 4096)
FEWEST = 3  # values from which an exponent is read
TOLERANCE = 1e-3
PART, SMALL = 0.5, 1e-3  # of the largest unit; of a letter that falls with T, so that it is small at the end


def measured(paper: str, corollary: str, code: str) -> list[Json]:
    """The measure at every K and T, with the steps that the corollary says; `code`: the version of the file."""
    require_version(paper, code)
    with undecided_by_mistakes():
        return _measured(registry.paper("printed", paper), registry.executables(paper), corollary)


def _measured(source: Paper, runs: Mapping[str, Executable], corollary: str) -> list[Json]:
    statement = source.the(Corollary, corollary)
    run = runs[statement.theorem]
    own = run.families[0]
    devices = own.count(own.ordinary())
    places = [(K, T) for K in _devices(run, devices) for T in T_RANGE if _inside(statement, K, T)]
    if len({T for _, T in places}) < FEWEST:
        raise UndecidedError(
            f"fewer than {FEWEST} of the T tried, {T_RANGE}, are inside the window of {corollary}."
        )
    settings = {place: _setting(run, *place) for place in places}
    units = _units(source, statement, run, settings)
    rows = []
    for (K, T), setting in settings.items():
        values = {**run.given_by(setting), **_scaled(source, statement, units, K, T)}
        theorem = source.the(Theorem, statement.theorem)
        sides = run.run(source, theorem, setting, values)
        evaluate(source, theorem.id, values | sides.letters())  # refuses what is outside the conditions
        rows.append({"K": K, "T": T, "measure": sides.left, "precision": sides.precision, **units})
    return rows


def _devices(run: Executable, fixed: int | None) -> tuple[int, ...]:
    """The numbers of devices that are tried: those of the world, where it has a number of its own."""
    if fixed is not None:
        return (fixed,)
    return K_RANGE if run.devices else (1,)


def _inside(statement: Corollary, K: int, T: int) -> bool:
    """Whether the corollary's window has room for these."""
    at = {letter("K"): K, letter("T"): T}
    return all(bool(relation.subs(at)) for relation in statement.window)


def _setting(run: Executable, K: int, T: int) -> Setting:
    own = run.families[0]
    world = own.member(own.ordinary())
    return Setting(world, K, T, own.begin(world, own.ordinary()))


def _units(
    source: Paper, statement: Corollary, run: Executable, settings: Mapping[tuple[int, int], Setting]
) -> dict[str, float]:
    """For every scaled letter a part of what all runs allow; letters come in the order in which they are chosen."""
    theorem = source.the(Theorem, statement.theorem)
    order = run.free(source, theorem)
    largest = dict.fromkeys(order, math.inf)
    for (K, T), setting in settings.items():
        most = chosen(source, theorem, run.given_by(setting), dict.fromkeys(order, 1.0), order)
        for name in order:
            scaling = statement.scalings.get(name)
            size = number(scaling.order, {"K": K, "T": T}) if scaling else 1.0
            largest[name] = min(largest[name], most[name] / size)
    falls = {name: as_monomial(s.order).exponent("T") < 0 for name, s in statement.scalings.items()}
    return {
        f"unit of {name}": (SMALL if falls.get(name) else PART) * value for name, value in largest.items()
    }


def _scaled(
    source: Paper, statement: Corollary, units: Mapping[str, float], K: int, T: int
) -> dict[str, float]:
    values = {}
    for unit, value in units.items():
        name = unit.removeprefix("unit of ")
        scaling = statement.scalings.get(name)
        values[name] = value * (number(scaling.order, {"K": K, "T": T}) if scaling else 1.0)
        if source.notation[name].least is not None:
            values[name] = float(max(source.notation[name].least or 1, math.floor(values[name])))
    return values


def claim_of(key: str, corollary: Corollary, code: str) -> Claim:
    """The corollary follows from its theorem, and the measure falls at least as fast as it says."""
    exponents = as_monomial(corollary.claim.order)
    return Claim(
        id=corollary.id,
        of=(corollary.id,),
        sentence=f"{corollary.title}: the rate follows from the theorem, and what is measured falls at least as fast.",
        pieces=partial(_pieces, key, corollary.id, code),
        checks=partial(_checks, {name: float(exponents.exponent(name)) for name in ("T", "K")}),
        regime="along the corollary's scalings, with a part of the largest steps that the theorem's conditions allow",
        method="exact moments; orders in exact rationals",
        evidence=("exact moments", "derivation"),
        settings={"world": registry.executables(key)[corollary.theorem].families[0].ordinary()},
        table=("K", "T", "measure", "precision"),
    )


def _pieces(key: str, corollary: str, code: str, _: Budget) -> list[Piece]:
    same = {"paper": key, "code": code}
    return [
        Piece(measured, {**same, "corollary": corollary}, 2.0),
        Piece(findings, {**same, "statement": corollary, "variant": "printed"}),
    ]


def _checks(exponents: Mapping[str, float], rows: Rows) -> Iterator[Check]:
    runs = rows.having("measure")
    for name, other in (("T", "K"), ("K", "T")):
        if len(set(runs.cells(name))) > 1:
            held, here = _longest(runs, other)
            value, uncertainty = _at_the_end(here, name)
            label = f"exponent of {name} in the measure, from {len(here)} runs with {other} = {held}"
            yield at_most(label, value, exponents[name], uncertainty, TOLERANCE)
    unsound = [row for row in rows.having("finding") if row["finding"] != "none"]
    yield equal("findings of the linter", float(len(unsound)), 0.0, 0.0)


def _longest(runs: Rows, other: str) -> tuple[float, list[Row]]:
    """The runs with the largest value of a letter at which there are enough of them; a window may cut some off."""
    by_value = {value: [row for row in runs if row[other] == value] for value in set(runs.cells(other))}
    enough = [value for value, rows in by_value.items() if len(rows) >= FEWEST]
    held = max(enough or by_value)
    return held, by_value[held]


def _at_the_end(rows: list[Row], name: str) -> tuple[float, float]:
    """Between the last two, and by how much it has moved."""
    points = sorted((float(row[name]), float(row["measure"])) for row in rows)
    if any(y <= 0 for _, y in points):
        raise UndecidedError("a measure of zero has no exponent.")
    if len(points) < FEWEST:
        raise UndecidedError(
            f"{len(points)} values of {name} do not say by how much an exponent still moves."
        )
    slopes = [math.log(y_2 / y_1) / math.log(x_2 / x_1) for (x_1, y_1), (x_2, y_2) in pairwise(points)]
    return slopes[-1], abs(slopes[-1] - slopes[-2])
