"""`ratecert sharpen`."""

import json
import os
from pathlib import Path

from ratecert.counterexamples import conjecture, witness
from ratecert.counterexamples.cases import case as case_of
from ratecert.counterexamples.conjecture import Conjecture
from ratecert.output.files import require_writable, write_text
from ratecert.output.terminal import echo
from ratecert.report.drawing import svgs
from ratecert.run.progress import stages_of
from ratecert.sharpening import shown
from ratecert.sharpening.by_id import LEAST_BUDGET
from ratecert.sharpening.curves import chart, curves
from ratecert.sharpening.whole import Sharpened, sharpen
from ratecert.solvers.contract.validation import require_whole


def print_sharpened(
    statement: str, *, variant: str, budget: int, seed: int, jobs: int | None, out: Path, as_json: bool
) -> int:
    """Search, write witnesses, conjecture and figures, and tell."""
    case = case_of(statement, variant)
    budget = require_whole("budget", budget, least=LEAST_BUDGET)
    seed = require_whole("seed", seed, least=0, most=2**32 - 1)
    jobs = os.cpu_count() or 1 if jobs is None else require_whole("jobs", jobs, least=1)
    require_writable(out)
    with stages_of(f"sharpen {statement}") as begun:
        result = sharpen(case, budget=budget, seed=seed, jobs=jobs, begun=begun)
        begun("figures")
        files = _written(result, out)
    text = json.dumps(shown.as_object(result, files), indent=1, allow_nan=False, default=str) + "\n"
    write_text(files["conjecture"].with_suffix(".json"), text)
    if as_json:
        echo(text)
    else:
        echo(shown.as_lines(result, files))
    return 0


def _written(result: Sharpened, out: Path) -> dict[str, Path]:
    files = {}
    for found in (*(each.witness for each in result.least), *(each.witness for each in result.room)):
        if found is None:
            continue
        (place,) = found.witness.factors
        files[place] = out / f"{found.witness.name}.toml"
        witness.write(found.witness, files[place])
    name = witness.Witness(
        statement=result.id, variant=result.case.variant, place="", ratio=1.0, instance={}
    ).name
    files["conjecture"] = out / f"{name}.sharpened.toml"
    conjecture.write(Conjecture(result.id, result.case.variant, result.conjecture), files["conjecture"])
    if found_curves := curves(result):
        for along, svg in zip(found_curves, svgs(chart(result, found_curves)), strict=True):
            files[f"along {along}"] = out / f"{name}.sharpened-{along}.svg"
            write_text(files[f"along {along}"], svg)
    return files
