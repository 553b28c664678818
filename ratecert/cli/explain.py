"""`ratecert explain`: a statement of a paper, typeset in the terminal or as LaTeX; without an id, the list of ids."""

import shutil
import sys

from ratecert.output.terminal import show
from ratecert.registry import KEYS
from ratecert.registry import paper as find
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.typeset import WIDTH, as_latex, for_terminal

NARROWEST = 60


def explain(*, id: str | None, key: str | None, variant: str, latex: bool) -> int:
    """Without a key, in the paper that has the statement."""
    paper = find(variant, key) if key else _with(id or "", variant)
    if id is None:
        show(_contents(paper))
        return 0
    statement = paper[paper.owner(id)]  # a place, as the linter gives it, shows its whole statement
    if latex:
        show(as_latex(paper, statement))
    else:
        show(for_terminal(paper, statement, width=terminal_width(), unicode=_has_unicode()))
    return 0


def _with(place: str, variant: str) -> Paper:
    """The paper that has this place, or else the first one."""
    papers = [find(variant, key) for key in KEYS]
    return next((paper for paper in papers if paper.owner(place) in paper.statements), papers[0])


def _contents(paper: Paper) -> str:
    rows = (f"{id:<21} {statement.title}\n" for id, statement in paper.statements.items())
    return "".join(rows)


def terminal_width() -> int:
    return max(NARROWEST, min(WIDTH, shutil.get_terminal_size(fallback=(WIDTH, 24)).columns))


def _has_unicode() -> bool:
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
