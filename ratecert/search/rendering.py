"""What was found, and what a check computed, as text and as JSON."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from ratecert.base.lists import BEYOND, as_ratio, as_text
from ratecert.base.terminal import FOR_TABLES, columns, folded
from ratecert.search.case import Case
from ratecert.search.finding import Confirmed, Finding, Outcome
from ratecert.search.in_words import in_words
from ratecert.search.witness import Instance
from ratecert.typeset.plain_latex import as_plain

OUTCOMES = "all outcomes one by one in fractions"


def as_object(outcome: Outcome, files: dict[str, Path]) -> dict[str, Any]:
    """For --json; `files` are the written witnesses by name. The finding that comes first has the largest ratio."""
    findings = [_finding(finding, files) for finding in outcome.findings]
    nothing = {"ratio": min(outcome.largest, BEYOND), "term": None, "witness": None, "simplified": None}
    return {
        "statement": outcome.case.statement,
        "variant": outcome.case.variant,
        "falsified": outcome.falsified,
        "verdict": outcome.word,
        **(findings[0] if findings else nothing),
        "worlds": outcome.tried,
        "inside": outcome.inside,
        "broken_after": outcome.broken_after,
        "unconfirmed": outcome.unconfirmed,
        "findings": findings,
    }


def _finding(finding: Finding, files: dict[str, Path]) -> dict[str, Any]:
    name, found = finding.found.witness.name, finding.found
    return {
        "ratio": min(found.ratios.itself, BEYOND),
        "term": found.witness.place or None,
        "with_this_erratum_alone": found.ratios.alone if found.witness.place else None,
        "with_all_others": found.ratios.others if found.witness.place else None,
        "witness": str(files[name]),
        "simplified": str(files[f"{name}.simple"]),
        "simplified_ratio": min(finding.simple.ratios.itself, BEYOND),
    }


def as_lines(outcome: Outcome, files: dict[str, Path], standing: Sequence[Path] = ()) -> str:
    """For a terminal; `files` are as above, or none; `standing` are earlier ones that still break the statement."""
    factors = ", with factors" if outcome.case.factors else ""
    what = f"{outcome.id} ({outcome.case.variant}{factors})"
    if not outcome.falsified:
        doubt = "; not confirmed by enclosures or by a second way" if outcome.unconfirmed else ""
        worlds = f"{outcome.tried} worlds, {outcome.inside} of them inside the conditions"
        worlds += ", when the time ended" * outcome.late
        word = f"refuted by an earlier search, {standing[0]}; not by this one" if standing else outcome.word
        said = f"{what}: {word} (largest ratio {as_ratio(outcome.largest, 4)} after {worlds}{doubt})\n"
        return said + _nearest(outcome) + _limits(outcome.case) + _entered(outcome.case)
    first = f", the first by world {outcome.broken_after}" if outcome.broken_after else ""
    worlds = f"{outcome.tried} worlds, {outcome.inside} of them inside the conditions{first}"
    lines = [f"{what}: {outcome.word}, after {worlds}"]
    for finding in outcome.findings:
        lines += _lines(finding, files)
    return "\n".join(lines) + "\n" + _entered(outcome.case)


def _entered(case: Case) -> str:
    """What is measured, how the print was had, where that is known, and what was taken where it says nothing."""
    how, theorem = case.printed.entered(case.printed[case.statement]), case.theorem
    measure = folded(f"  measured: {theorem.measure_text or as_plain(theorem.measure, unicode=False)}")
    taken = "".join(folded(f"  taken: {said}") for said in case.binding.taken)
    return measure + (f"  the statement is entered {how}\n" if how else "") + taken


def _nearest(outcome: Outcome) -> str:
    """The world with the largest ratio, and whether it says anything."""
    if not outcome.nearest:
        return ""
    tables = [
        f"{table} " * (table not in ("run", "letters"))
        + ", ".join(f"{n} = {value:.4g}" for n, value in entries.items())
        for table, entries in outcome.nearest.items()
        if entries
    ]
    still = "; that run hardly moves, so that its ratio says little" * outcome.hardly_moves
    world = _in_words(outcome.case, outcome.nearest)
    return folded(f"  largest where {world}{still}") + f"  in numbers: {'; '.join(tables)}\n"


def _in_words(case: Case, instance: Instance) -> str:
    """The world, the run and the letters of an instance, in a sentence."""
    letters = "".join(f"; {name} = {value:.4g}" for name, value in instance["letters"].items())
    return in_words(case.setting_and_letters(instance)[0]) + letters


def _limits(case: Case) -> str:
    """What such a search cannot say."""
    blind = f"\n  not seen here: {case.binding.blind}" if case.binding.blind else ""
    searched = f"\n  searched: {case.searched}"
    return f"  on quadratics: of other functions nothing follows{searched}{blind}\n"


def _lines(finding: Finding, files: dict[str, Path]) -> list[str]:
    name, found, simple = finding.found.witness.name, finding.found, finding.simple
    written = f"{files[f'{name}.simple']}, " if files else ""
    return [
        f"  measured/bound = {as_ratio(found.ratios.itself, 4)}{_without_bound(found)}{_blame(found)}",
        *(f"    witness     {files[name]}" for name in [name] if files),
        f"    simplified  {written}measured/bound = {as_ratio(simple.ratios.itself, 4)}",
        *(f"    that is     {_in_words(simple.case, each)}" for each in [simple.witness.instance] if each),
        *(f"    assumption  {said}" for said in found.interpreted),
    ]


def _without_bound(found: Confirmed) -> str:
    """Why the ratio is no number, where it is none."""
    if found.tried.bound > 0:
        return ""
    return f", since the bound is {'negative' if found.tried.bound < 0 else '0'} there"


def _blame(found: Confirmed) -> str:
    """What is wrong, where errata say; a paper without any says nothing."""
    if found.witness.place:
        cured = (
            f"with its erratum alone {found.ratios.alone:.3g}, with all the others {found.ratios.others:.3g}"
        )
        return f"; the term to blame is {found.witness.place} ({cured})"
    return "; no erratum alone cures it" if found.case.repaired.errata else ""


def report_of(check: Confirmed) -> str:
    """A replay, line by line: assumptions, conditions with their ratios, both sides by both ways."""
    tried, again = check.tried, check.again
    table = Table(title=f"{check.witness.statement} ({check.witness.variant}), computed again")
    for name in ("what", "value", "limit", "ratio"):
        text = name == "what"  # is folded before a number is
        table.add_column(name, justify="left" if text else "right", no_wrap=not text, overflow="fold")
    for row in tried.conditions:
        margin = "" if row["margin"] is None else f"{row['margin']:.8g}"
        table.add_row(str(row["part"]), f"{row['left']:.6g}", f"{row['right']:.6g}", margin)
    for place, factor in check.witness.factors.items():
        table.add_row(f"factor at {place}", f"{factor:.6g}", "", "")
    table.add_row("measured, at least", f"{tried.measured:.10g}", "", "")
    if again.measured is not None:
        table.add_row(f"measured, {again.how}", f"{again.measured:.10g}", "", "")
    if again.counted is not None:
        table.add_row(f"measured, {OUTCOMES}", f"{again.counted[0]:.10g}", "", "")
    table.add_row("bound", f"{tried.bound:.10g}", "", "")
    if again.bound is not None:
        table.add_row(f"bound, {again.bound_how}", f"{again.bound:.10g}", "", "")
    if again.counted is not None:
        table.add_row("bound, in fractions", f"{again.counted[1]:.10g}", "", "")
    for term, value in tried.terms.items():
        table.add_row(f"  term {term}", f"{value:.4g}", "", "")
    table.add_row("measured/bound", f"{as_ratio(check.ratios.itself, 10)}", "1", "")
    if check.witness.place:
        table.add_row(
            f"  with the erratum at {check.witness.place} alone", f"{check.ratios.alone:.4g}", "1", ""
        )
        table.add_row("  with all errata but this one", f"{check.ratios.others:.4g}", "1", "")
    return (
        "".join(map(folded, check.assumptions))
        + as_text(table, min(FOR_TABLES, columns()))
        + _entered(check.case)
    )


def verdict_of(check: Confirmed, stated: float) -> tuple[int, str]:
    """The exit code and one sentence."""
    ratio = check.ratios.itself
    if not check.confirmed:
        if ratio > 1:
            (left, right), objection = (
                check.again.counted or (check.again.measured, check.again.bound),
                check.again.objection,
            )
            return 1, f"not confirmed: the second way has {objection or f'measured {left}, bound {right}'}."
        return 1, f"not confirmed: measured/bound is {as_ratio(ratio, 6)}, not above 1."
    if check.witness.place and not check.ratios.shows:
        return (
            1,
            f"measured/bound is {as_ratio(ratio, 6)}, but {check.witness.place} alone is not what is wrong here.",
        )
    if not math.isclose(ratio, stated, rel_tol=1e-6):
        return 1, f"measured/bound is {as_ratio(ratio, 10)}; the file says ratio = {stated!r}."
    ways = "by moments " + ("enclosed in balls" if check.again.measured is not None else check.again.how)
    ways += f" and by {OUTCOMES}" if check.again.counted else f" alone, since {check.again.missing}"
    shown = f"measured/bound is {as_ratio(ratio, 6)}"
    if factors := check.witness.factors:
        changed = ", ".join(f"{place} times {factor:.10g}" for place, factor in factors.items())
        shown += f" with {changed} and all else as it stands"
    shown += "".join(f"; {said}" for said in check.interpreted)
    again = ", ".join(f"proofs/{name}.py" for name in check.proofs)
    proved = f" {check.witness.statement} is proved false: {again}, run again." if again else ""
    return 0, f"{check.word}, {ways}: {shown}.{proved}"
