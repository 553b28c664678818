"""`ratecert falsify` and `ratecert check`."""

import os
from collections.abc import Callable
from pathlib import Path

from ratecert.base.data_files import as_json as json_of
from ratecert.base.errors import RatecertError, UserError, WitnessError
from ratecert.base.files import require_writable
from ratecert.base.progress import progress_of
from ratecert.base.terminal import echo, folded
from ratecert.catalogue.find import VARIANTS
from ratecert.counterexamples import conjecture, rendering, witness, witness_files
from ratecert.counterexamples.cases import case as case_of
from ratecert.counterexamples.falsifiable import Falsifiable
from ratecert.counterexamples.finding import Outcome, falsify
from ratecert.counterexamples.replay import replayed
from ratecert.counterexamples.search import FEWEST, MOST
from ratecert.solvers.contract.validation import require_whole


def print_falsified(
    statement: str, *, variant: str, budget: int, seed: int, jobs: int | None, out: Path, as_json: bool
) -> int:
    """Search, write the witnesses and tell; a counterexample is the result, not a failure: exit code 0."""
    case = (
        _conjectured(Path(statement), variant) if statement.endswith(".toml") else case_of(statement, variant)
    )
    budget = require_whole("budget", budget, least=FEWEST, most=MOST)
    seed = require_whole("seed", seed, least=0, most=2**64 - 1)
    jobs = os.cpu_count() or 1 if jobs is None else require_whole("jobs", jobs, least=1)
    require_writable(out)
    with progress_of(f"falsify {statement}", budget) as advance:
        outcome = falsify(case, budget=budget, seed=seed, jobs=jobs, advance=_many(advance))
    files = _written(outcome, out)
    if as_json:
        echo(json_of(rendering.as_object(outcome, files)))
    else:
        echo(rendering.as_lines(outcome, files))
    return 0


def _conjectured(path: Path, variant: str) -> Falsifiable:
    """That of the file, which says itself what it is about."""
    read = conjecture.read(path)
    if variant not in (VARIANTS[0], read.variant):
        raise UserError(f"{path} is about the {read.variant} statement; leave --variant {variant} out.")
    return read.case()


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


def print_check(name: str | None) -> int:
    """Replay a witness, kept or in a file: 0 confirmed, 1 not; what is none, or outside the conditions, is refused.

    Without a name, list those that are kept.
    """
    if name is None:
        echo("".join(f"{path.stem}\n" for path in witness_files.kept()))
        return 0
    path = witness_files.named(name)
    read = witness.read(path)
    try:
        check, assumptions = replayed(read)
    except RatecertError as error:
        raise WitnessError(f"{path}: {error}") from error
    code, sentence = rendering.verdict_of(check, read.ratio)
    echo(rendering.report_of(check, assumptions) + folded(f"{name}: {sentence}"))
    return code
