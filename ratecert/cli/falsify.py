"""`ratecert falsify` and `ratecert check`."""

import json
import os
from collections.abc import Callable
from pathlib import Path

from ratecert.errors import WitnessError
from ratecert.falsify import rendering as telling
from ratecert.falsify import witness
from ratecert.falsify.cases import case as case_of
from ratecert.falsify.finding import Confirmed, Outcome, confirm, falsify
from ratecert.falsify.mistakes import all_places
from ratecert.output.files import require_writable
from ratecert.output.terminal import show
from ratecert.papers.federated_bilevel.search.theorem import TheoremCase
from ratecert.registry import paper
from ratecert.run.progress import progress_of
from ratecert.solvers.contract.validation import require_whole
from ratecert.synthetic import huberised
from ratecert.theory.numbers.assumptions import check_assumptions


def print_falsified(
    statement: str, *, variant: str, budget: int, seed: int, jobs: int | None, out: Path, as_json: bool
) -> int:
    """Search, write the witnesses and tell; a counterexample is the result, not a failure: exit code 0."""
    case = case_of(statement, variant)
    budget = require_whole("budget", budget, least=1)
    seed = require_whole("seed", seed, least=0, most=2**64 - 1)
    jobs = os.cpu_count() or 1 if jobs is None else require_whole("jobs", jobs, least=1)
    require_writable(out)
    with progress_of(f"falsify {statement}", budget) as advance:
        outcome = falsify(case, budget=budget, seed=seed, jobs=jobs, advance=_many(advance))
    files = _written(outcome, out)
    if as_json:
        show(json.dumps(telling.as_object(outcome, files), indent=1, allow_nan=False) + "\n")
    else:
        show(telling.as_lines(outcome, files))
    return 0


def _many(advance: Callable[[], None]) -> Callable[[int], None]:
    def advance_by(n: int) -> None:
        for _ in range(n):
            advance()

    return advance_by


def _written(outcome: Outcome, out: Path) -> dict[str, Path]:
    files = {}
    for finding in outcome.findings:
        for name, confirmed in ((".simple", finding.simple), ("", finding.found)):
            name = confirmed.witness.name + name
            files[name] = out / f"{name}.toml"
            witness.write(confirmed.witness, files[name])
    return files


def print_check(path: Path) -> int:
    """Replay a witness: 0 confirmed, 1 not; what is no witness, or is outside the conditions, is refused."""
    read = witness.read(path)
    try:
        check, assumptions = replayed(read)
    except (ValueError, ArithmeticError) as error:
        raise WitnessError(f"{path}: {error}") from error
    code, sentence = telling.verdict_of(check, read.ratio)
    show(telling.report_of(check, assumptions) + f"{path}: {sentence}\n")
    return code


def replayed(read: witness.Witness, *, twice: bool = True) -> tuple[Confirmed, list[str]]:
    """Both sides, by both ways or by one, and the standing of the assumptions on the whole space."""
    case = case_of(read.statement, read.variant)
    case.require(read.instance)
    if read.place and read.place not in (places := sorted(all_places(case))):
        raise WitnessError(f"place must be empty or one of {', '.join(places)}, got {read.place!r}.")
    check = confirm(case, read.instance, read.place, twice=twice)
    if not isinstance(case, TheoremCase):
        return check, []
    world = huberised(case.setting(read.instance).problem(), radius=check.tried.radius)
    standings = check_assumptions(paper(read.variant), world)
    for standing in standings:
        if standing.holds != "everywhere":
            raise WitnessError(f"{standing.assumption} does not hold on the whole space: {standing.because}.")
    certified = (
        f"no outcome leaves the ball of radius {check.tried.radius:.6g} around (a, b); outside it f is linear"
    )
    return check, [f"{s.assumption} holds {s.holds}: {s.because}" for s in standings] + [certified]
