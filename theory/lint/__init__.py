"""The linter: is a statement itself sound? It knows rules, not answers, and runs on any paper in this form."""

from ratecert.base.errors import UserError
from ratecert.theory.lint.corollaries import lint_derivable, lint_forms, lint_rates, lint_scalings
from ratecert.theory.lint.counts import lint_counts
from ratecert.theory.lint.finding import KINDS, SEVERITIES, Finding
from ratecert.theory.lint.symbols import lint_symbols
from ratecert.theory.lint.theorems import lint_conditions, lint_lookalikes, lint_noise, lint_siblings
from ratecert.theory.lint.units import lint_units
from ratecert.theory.lint.windows import lint_windows
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Corollary, Counts

RULES = (
    lint_units,
    lint_symbols,
    lint_noise,
    lint_lookalikes,
    lint_siblings,
    lint_derivable,
    lint_rates,
    lint_conditions,
    lint_scalings,
    lint_forms,
    lint_counts,
    lint_windows,
)


def lint(paper: Paper) -> list[Finding]:
    """All findings, in the order of the paper's statements; within a statement the worst first."""
    _require_roles(paper)
    found = dict.fromkeys(finding for rule in RULES for finding in rule(paper))
    worse = {(f.place, f.kind) for f in found if f.severity != "note"}
    findings = [f for f in found if f.severity != "note" or (f.place, f.kind) not in worse]
    order = {id: i for i, id in enumerate(paper.statements)}

    def rank(finding: Finding) -> tuple[int, int, str]:
        owner = paper.owner(finding.place)
        return order.get(owner, len(order)), SEVERITIES.index(finding.severity), finding.place

    return sorted(findings, key=rank)


def _require_roles(paper: Paper) -> None:
    """Orders of growth are read in fixed letters, which a paper in other letters has to be written in.

    Whatever else is a whole number may be the devices; a paper with none but T is about one machine. Without a letter
    that could be the period every step is a round.
    """
    whole = {name for name, symbol in paper.notation.items() if symbol.least is not None}
    needed = {"T", *("K" if whole - {"T"} else "")} if any(paper.of_kind(Corollary)) else set()
    missing = sorted(needed - set(paper.notation))
    if missing:
        raise UserError(
            f"the notation of {paper.key} lacks {', '.join(missing)}: corollaries are read in the letters K (devices), "
            f"T (iterations), t (iteration), p (steps in a round) and eps (accuracy); write the paper in these."
        )
    rounds = [
        counts.place(c) for counts in paper.of_kind(Counts) for c in counts.costs if "rounds" in c.counts
    ]
    if rounds and "p" not in paper.notation and whole - {"K", "T"}:
        raise UserError(
            f"{rounds[0]} counts rounds, of which there are T/p, and the notation of {paper.key} lacks p, the steps in "
            f"a round; write the paper's period as p."
        )


__all__ = ["KINDS", "RULES", "SEVERITIES", "Finding", "lint"]
