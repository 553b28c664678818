"""`ratecert sharpen`."""

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ratecert.base.data_files import as_json as json_of
from ratecert.base.drawing import svgs
from ratecert.base.files import require_writable, write_text
from ratecert.base.progress import stages_of
from ratecert.base.terminal import echo
from ratecert.counterexamples import conjecture, witness
from ratecert.counterexamples.conjecture import Conjecture
from ratecert.counterexamples.finding import Confirmed
from ratecert.counterexamples.search import MOST
from ratecert.sharpening import shown
from ratecert.sharpening.by_id import LEAST_BUDGET, theorem_case
from ratecert.sharpening.curves import chart, curves
from ratecert.sharpening.statement import sharpened_theorem
from ratecert.sharpening.whole import Sharpened, sharpen
from ratecert.solvers.contract.validation import require_whole
from ratecert.theory.language.typeset import as_latex


def print_sharpened(
    statement: str, *, variant: str, budget: int, seed: int, jobs: int | None, out: Path, as_json: bool
) -> int:
    """Search, write witnesses, conjecture and figures, and tell."""
    case = theorem_case(statement, variant)
    budget = require_whole("budget", budget, least=LEAST_BUDGET, most=MOST)
    seed = require_whole("seed", seed, least=0, most=2**32 - 1)
    jobs = os.cpu_count() or 1 if jobs is None else require_whole("jobs", jobs, least=1)
    require_writable(out)
    with stages_of(f"sharpen {statement}") as begun:
        result = sharpen(case, budget=budget, seed=seed, jobs=jobs, begun=begun)
        begun("figures")
        files = _written(result, out)
    text = json_of(shown.as_object(result, files))
    write_text(files["conjecture"].with_suffix(".json"), text)
    if as_json:
        echo(text)
    else:
        echo(shown.as_lines(result, files))
    return 0


def _written(result: Sharpened, out: Path) -> dict[str, Path]:
    files = {}
    for place, name, found in _worlds(result):
        files[place] = out / f"{name}.toml"
        as_typed = replace(found.witness, statement=result.id)  # workers know it by a whole path
        witness.write(as_typed, files[place])
    name = witness.Witness(
        statement=result.id, variant=result.case.variant, place="", ratio=1.0, instance={}
    ).name
    files["conjecture"] = out / f"{name}.sharpened.toml"
    conjecture.write(Conjecture(result.id, result.case.variant, result.conjecture), files["conjecture"])
    files["typeset"] = out / f"{name}.sharpened.tex"
    write_text(files["typeset"], as_latex(*sharpened_theorem(result)))
    if found_curves := curves(result):
        for along, svg in zip(found_curves, svgs(chart(result, found_curves)), strict=True):
            files[f"along {along}"] = out / f"{name}.sharpened-{along}.svg"
            write_text(files[f"along {along}"], svg)
    return files


def _worlds(result: Sharpened) -> Iterator[tuple[str, str, Confirmed]]:
    """Place, name of the file and world of every lower bound: of terms, of conditions, and of both ends of a power."""
    for found in (*(each.witness for each in result.least), *(each.witness for each in result.room)):
        if found is not None:
            (place,) = found.witness.factors
            yield place, found.witness.name, found
    for exponent in result.exponents:
        for end, found in zip(shown.ENDS, exponent.pair, strict=False):
            along = f"along {exponent.along}, {end}"
            yield f"term.{exponent.term} {along}", f"{found.witness.name}.{_dashed(along)}", found


def _dashed(text: str) -> str:
    return re.sub(r"\W+", "-", text)
