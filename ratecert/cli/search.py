"""Counterexamples: `ratecert falsify`, `check` and `prove`; and `sharpen`, how much better a theorem could be."""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ratecert.base.terminal import echo, folded
from ratecert.cli.options import (
    add_json,
    add_out,
    add_papers,
    add_search,
    add_variant,
    add_witness,
    named,
    workers,
)

if TYPE_CHECKING:
    from ratecert.search.case import Case
    from ratecert.search.finding import Confirmed, Outcome
    from ratecert.sharpening.sharpen import Sharpened


def _add_check(check: argparse.ArgumentParser) -> None:
    check.epilog = (
        "Exits with 0 if it is confirmed, with 1 if not; a file that is no witness is refused with 2."
    )
    add_witness(check, nargs="?", otherwise="; without it, the list of those")
    check.set_defaults(run=_check)


def _add_prove(prove: argparse.ArgumentParser) -> None:
    prove.description = (
        "Writes a Python file of its own that checks every condition of the printed statement and `measure > bound` in "
        "fractions, for theorems on one level. Where the witness cannot be written so, a simpler one of the same "
        "mistake is taken."
    )
    add_witness(prove)
    prove.add_argument("--out", type=Path, metavar="FILE", help="(default: results/proofs/NAME.py)")
    prove.set_defaults(run=_prove)


def _add_falsify(falsify: argparse.ArgumentParser) -> None:
    falsify.description = (
        "Searches worlds and steps inside the statement's own conditions for the largest measured/bound, with exact "
        "moments. A ratio above 1 is a counterexample; none found within the budget is no proof. "
        "Exits with 0 whatever is found."
    )
    falsify.epilog = "A counterexample is a result, not a failure: the exit code is 0 either way."
    what = "such as theorem-1, svrg:theorem-1, my_paper.py:theorem-1, or a conjecture's file.toml"
    falsify.add_argument("statement", type=named, metavar="STATEMENT", help=what)
    add_variant(falsify)
    worlds = "worlds to try at most (default: 4000)"
    add_search(falsify, budget=4000, worlds=worlds)
    ends = "after which the search ends with what it has, to be confirmed (default: 4)"
    falsify.add_argument("--minutes", type=float, default=4.0, help=ends)
    add_json(falsify, "an object")
    add_out(falsify, "results/witnesses", "folder for witnesses")
    add_papers(falsify)
    falsify.set_defaults(run=_falsify)


def _falsify(options: argparse.Namespace) -> int:
    """Search, write the witnesses and tell; a counterexample is the result, not a failure: exit code 0."""
    from ratecert.api.searches import of_search
    from ratecert.base.errors import UserError
    from ratecert.base.files import as_json, require_writable
    from ratecert.base.progress import progress_of
    from ratecert.base.validation import require_positive
    from ratecert.catalogue.cases import case_of
    from ratecert.search import finding, rendering

    with workers(options) as jobs:
        conjectured = options.statement.endswith(".toml")
        case = (_conjectured if conjectured else case_of)(options.statement, options.variant)
        if options.variant == "repaired" and not (case.repaired.errata or conjectured):
            raise UserError(
                f"{options.statement} has no correction that could be tried; leave --variant out."
            )
        run = of_search(budget=options.budget, seed=options.seed, jobs=jobs)
        require_positive("--minutes", options.minutes)
        require_writable(options.out)
        with progress_of(f"falsify {options.statement}", run["budget"]) as advance:
            outcome = finding.falsify(case, **run, advance=advance, seconds=60 * options.minutes)
    files = _witnesses(outcome, options.out)
    removed, standing = _of_earlier(outcome.case, options.out, set(files.values()))
    if options.json:
        earlier = {"removed": [str(path) for path in removed], "earlier": [str(path) for path in standing]}
        echo(as_json(rendering.as_object(outcome, files) | earlier))
        return 0
    told = rendering.as_lines(outcome, files, standing) + _units_of(outcome.case)
    echo("".join(map(folded, told.splitlines())))
    for path in standing:
        echo(f"  {path}, of an earlier search, still breaks it\n")
    for path in removed:
        echo(f"  {path}, of an earlier search, no longer breaks it, and is removed\n")
    if written := [*files.values(), *standing]:
        echo(f"  next        ratecert check {written[0]}{_paper_of(outcome.case.key)}\n")
    return 0


def _units_of(case: "Case") -> str:
    """The first mistake of the statement's units, which no search sees."""
    from ratecert.theory.lint.units import lint_units
    from ratecert.theory.numbers.evaluation import with_constants_of

    own = with_constants_of(case.source, case.statement)
    wrong = [each for each in lint_units(case.source) if case.source.owner(each.place) in own]
    return "".join(
        f"  its units are wrong ({len(wrong)} place{'s' * (len(wrong) > 1)}): {each.printed} {each.because}, at "
        f"{each.place}; `ratecert lint {case.id}` tells all\n"
        for each in wrong[:1]
    )


def _paper_of(key: str) -> str:
    """The option with which a file of data may mean a paper of the user's."""
    from ratecert.catalogue.find import KEYS
    from ratecert.catalogue.load import library

    return "" if key in (*KEYS, *library()) else f" --paper {key}"


def _conjectured(file: str, variant: str) -> "Case":
    """That of the file, which says itself what it is about."""
    from ratecert.base.asked import VARIANTS
    from ratecert.base.errors import UserError
    from ratecert.catalogue import cases

    read = cases.read_conjecture(Path(file))
    if variant not in (VARIANTS[0], read.variant):
        raise UserError(f"{file} is about the {read.variant} statement; leave --variant {variant} out.")
    return cases.conjectured(read)


def _witnesses(outcome: "Outcome", out: Path) -> dict[str, Path]:
    from ratecert.search import witness

    files = {}
    for finding in outcome.findings:
        for name, confirmed in ((".simple", finding.simple), ("", finding.found)):
            name = confirmed.witness.name + name
            files[name] = out / f"{name}.toml"
            witness.write(confirmed.witness, files[name])
    return files


def _of_earlier(case: "Case", out: Path, written: set[Path]) -> tuple[list[Path], list[Path]]:
    """Witnesses that earlier searches have left of the same statement: those that are removed, and those that hold."""
    from ratecert.base.errors import RatecertError
    from ratecert.catalogue import cases
    from ratecert.search.witness import Witness

    name = Witness(
        statement=case.id, variant=case.variant, place="", ratio=0.0, instance={}, factors=case.factors
    ).name
    own = re.compile(rf"{re.escape(name)}(-[^.]+)?(\.simple)?\.toml")
    removed, standing = [], []
    for path in sorted(set(out.glob("*.toml")) - written):
        if not own.fullmatch(path.name):
            continue
        try:
            holds = cases.confirmed(cases.read(path)).confirmed
        except (RatecertError, ArithmeticError, ValueError):
            holds = False
        if holds:
            standing.append(path)
        else:
            path.unlink()
            removed.append(path)
    return removed, standing


def _check(options: argparse.Namespace) -> int:
    """Replay a witness, stored or in a file: 0 confirmed, 1 not; what is none, or outside the conditions, is refused.

    Without a name, list those that are stored.
    """
    from ratecert.base.errors import RatecertError, WitnessError
    from ratecert.catalogue import cases
    from ratecert.search import rendering

    if options.witness is None:
        echo("".join(f"{path.stem}\n" for path in cases.stored()))
        return 0
    path = cases.file_of(options.witness)
    read = cases.read(path)
    try:
        check = cases.replayed(read)
    except RatecertError as error:
        raise WitnessError(f"{path}: {error}") from error
    code, sentence = rendering.verdict_of(check, read.ratio)
    echo(rendering.report_of(check) + folded(f"{options.witness}: {sentence}"))
    return code


def _prove(options: argparse.Namespace) -> int:
    """Write the proof, and say where it is; what is no witness, or cannot be proved so, is refused."""
    from ratecert.base.errors import RatecertError, WitnessError
    from ratecert.base.files import require_writable, write_text
    from ratecert.catalogue import cases
    from ratecert.proofs.prove import prove

    path = cases.file_of(options.witness)
    read = cases.read(path)
    try:
        proof = prove(cases.case_for(read), read)
    except RatecertError as error:
        raise WitnessError(f"{path}: {error}") from error
    file = options.out or Path("results/proofs") / f"{proof.name}.py"
    require_writable(file.parent)
    write_text(file, proof.text)
    if proof.instead:
        echo(
            f"The witness itself cannot be written so ({proof.instead}); a simpler one of the same mistake is.\n"
        )
    zero = proof.ratio is None
    how_far = "and the bound is zero" if zero else f"measure/bound is about {float(proof.ratio or 0):.6g}"
    echo(f"Wrote {file}: proved false, {how_far}; python {file} replays it.\n")
    return 0


def _add_sharpen(sharpen: argparse.ArgumentParser) -> None:
    sharpen.description = (
        "Every world is a lower bound on the constants of any theorem of the same form. Tells for each term the "
        "smallest factor that no world forbids, for each condition how far a step may go until a world breaks the "
        "bound, which powers the worst case needs, and the smallest bound of the same form that no world exceeds: a "
        "conjecture, tried with ten times the budget."
    )
    what = "a theorem, such as theorem-1 or my_paper.py:theorem-1"
    sharpen.add_argument("statement", type=named, metavar="STATEMENT", help=what)
    add_variant(sharpen)
    add_search(sharpen, budget=400, worlds="worlds of one search (default: 400)")
    add_json(sharpen, "an object")
    add_out(sharpen, "results/sharpened", "folder for witnesses, the conjecture and figures")
    sharpen.set_defaults(run=_sharpen)


def _sharpen(options: argparse.Namespace) -> int:
    """Search, write witnesses, conjecture and figures, and tell."""
    from ratecert.api.searches import of_sharpen, theorem_case
    from ratecert.base.files import as_json, require_writable, write_text
    from ratecert.base.progress import stages_of
    from ratecert.sharpening import shown
    from ratecert.sharpening.sharpen import sharpen

    with workers(options) as jobs:
        case = theorem_case(options.statement, options.variant)
        run = of_sharpen(budget=options.budget, seed=options.seed, jobs=jobs)
        require_writable(options.out)
        with stages_of(f"sharpen {options.statement}") as begun:
            result = sharpen(case, **run, begun=begun)
            begun("figures")
            files = _sharpened_files(result, options.out)
    text = as_json(shown.as_object(result, files))
    write_text(files["conjecture"].with_suffix(".json"), text)
    echo(text if options.json else shown.as_lines(result, files))
    return 0


def _sharpened_files(result: "Sharpened", out: Path) -> dict[str, Path]:
    """Write every witness, the conjecture as TOML and typeset, and the curves."""
    from dataclasses import replace

    from ratecert.base.drawing import svgs
    from ratecert.base.files import write_text
    from ratecert.search import witness
    from ratecert.sharpening.shown import chart, curves, sharpened_theorem
    from ratecert.typeset.printed import as_latex

    files, id, variant = {}, result.id, result.case.variant
    for place, name, found in _worlds(result):
        files[place] = out / f"{name}.toml"
        as_typed = replace(found.witness, statement=id)  # workers know it by a whole path
        witness.write(as_typed, files[place])
    name = witness.named(id, variant)
    files["conjecture"] = out / f"{name}.sharpened.toml"
    witness.write_conjecture(witness.Conjecture(id, variant, result.conjecture), files["conjecture"])
    files["typeset"] = out / f"{name}.sharpened.tex"
    write_text(files["typeset"], as_latex(*sharpened_theorem(result)))
    if found_curves := curves(result):
        for along, svg in zip(found_curves, svgs(chart(result, found_curves)), strict=True):
            files[f"along {along}"] = out / f"{name}.sharpened-{along}.svg"
            write_text(files[f"along {along}"], svg)
    return files


def _worlds(result: "Sharpened") -> "Iterator[tuple[str, str, Confirmed]]":
    """Place, name of the file and world of every lower bound: of terms, of conditions, and of both ends of a power."""
    from ratecert.sharpening.shown import ENDS

    for found in (*(each.witness for each in result.least), *(each.witness for each in result.room)):
        if found is not None:
            (place,) = found.witness.factors
            yield place, found.witness.name, found
    for exponent in result.exponents:
        for end, found in zip(ENDS, exponent.pair, strict=False):
            along = f"along {exponent.along}, {end}"
            name = re.sub(r"\W+", "-", along)
            yield f"term.{exponent.term} {along}", f"{found.witness.name}.{name}", found


COMMANDS = {
    "falsify": ("search for a world that breaks a statement", _add_falsify),
    "sharpen": ("how much better a theorem could be", _add_sharpen),
    "check": ("replay a counterexample: a stored one, or one of falsify", _add_check),
    "prove": ("write a counterexample as a proof, in fractions alone", _add_prove),
}
