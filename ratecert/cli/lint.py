"""`ratecert lint`: what is unsound in a paper's statements themselves, as text or as JSON."""

import json
import textwrap
from collections import Counter

from ratecert.base.terminal import echo
from ratecert.base.words import CERTAINTY
from ratecert.catalogue.find import paper as find
from ratecert.catalogue.find import require_bound, split
from ratecert.cli.explain import terminal_width
from ratecert.theory.language.paper import Paper
from ratecert.theory.lint import SEVERITIES, Finding, lint
from ratecert.theory.numbers.standing_in import with_constants_of


def print_findings(*, id: str, variant: str, least: str, as_json: bool, strict: bool) -> int:
    """Print the findings at least this severe, of a paper or of one statement; with `strict`, errors are a failure."""
    key, statement = split(id) if ":" in id else (id, "")
    paper = find(variant, key)
    kept = SEVERITIES[: SEVERITIES.index(least) + 1]
    findings = [finding for finding in lint(paper) if finding.severity in kept]
    if statement:
        own = with_constants_of(paper, paper.owner(statement))
        findings = [finding for finding in findings if paper.owner(finding.place) in own]
    echo(as_list(findings) if as_json else as_report(paper, findings))
    require_bound(key)
    return int(strict and any(finding.severity == "error" for finding in findings))


def as_list(findings: list[Finding]) -> str:
    return json.dumps([finding.as_dict() for finding in findings], indent=2) + "\n"


def as_report(paper: Paper, findings: list[Finding]) -> str:
    width = terminal_width()
    how = f"{CERTAINTY[paper.certainty]}, " if paper.certainty else ""
    lines = [*textwrap.wrap(f"{paper.title} ({how}{paper.variant})", width), _summary(findings), ""]
    for finding in findings:
        lines += [f"{finding.place}: {finding.severity}, {finding.kind}"]
        for label in ("printed", "fits", "because"):
            text = getattr(finding, label)
            lines += textwrap.wrap(
                f"{label:<9}{text}", width, initial_indent="  ", subsequent_indent=" " * 11
            )
        lines += [""]
    return "\n".join(lines)


def _summary(findings: list[Finding]) -> str:
    counts = Counter(finding.severity for finding in findings)
    parts = [f"{counts[s]} {s}{'' if counts[s] == 1 else 's'}" for s in SEVERITIES if counts[s]]
    return f"{', '.join(parts)}." if parts else "Nothing found; that is not a proof."
