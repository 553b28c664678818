"""What a proof says before it computes: the theorem, its letters, its assumptions and where the world is."""

from textwrap import fill
from typing import Any

from ratecert.proofs.by_data.script import WIDTH
from ratecert.theory.language.letters import names_of
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Theorem


def head(
    paper: Paper, theorem: Theorem, place: str, because: str, axes: int, left_out: int
) -> dict[str, Any]:
    """The parts of the docstring."""
    names = names_of(
        *theorem.terms.values(), *(e for c in theorem.conditions.values() for e in (c.left, c.right))
    )
    defined = {name: paper.constants[name] for name in paper.constants if name in names}
    names |= names_of(*defined.values()) if defined else set()
    width = max(map(len, (*theorem.terms, *names))) + 2
    return {
        "title": f"{theorem.title} ({theorem.source})",
        "short": theorem.id,
        "verdict": "false as printed" if theorem.printed else "false",
        "source": _paragraph(f'{theorem.id} of "{paper.title}"{_entered(paper, theorem)}.'),
        "because": _paragraph(because[:1].upper() + because[1:] + "." if because else ""),
        "place": place,
        "conditions": [_row(f"{c.left} {c.relation} {c.right}", width) for c in theorem.conditions.values()],
        "definitions": [_row(f"{name} = {value}", width) for name, value in defined.items()],
        "measure": theorem.measure_text or theorem.measure,
        "terms": [_row(f"{name:<{width}}{term}", width) for name, term in theorem.terms.items()],
        "letters": [
            _row(f"{name:<{width}}{symbol.meaning}", width)
            for name, symbol in paper.notation.items()
            if name in names
        ],
        "assumptions": [_paragraph(str(getattr(paper[id], "sentence", ""))) for id in theorem.assumptions],
        "about": _paragraph(_about(axes, left_out)),
    }


def _entered(paper: Paper, theorem: Theorem) -> str:
    """How the print was had, where that is known."""
    how = paper.entered(theorem)
    return f", entered {how}" if how else ""


def _about(axes: int, left_out: int) -> str:
    where = "one number" if axes == 1 else f"{axes} numbers, and no axis sees another"
    still = " Further axes, along which the run is at rest, are left out." if left_out else ""
    return (
        f"The world: x is {where}. The gradient is affine, so that second moments, E z z' with z = (1, the fields of "
        f"the state), are all that is needed to know the measure exactly.{still} Every number below is a fraction; a "
        f"comparison has the room that is left as its last argument."
    )


def _row(text: str, width: int) -> str:
    return fill(
        f"    {text}",
        WIDTH,
        subsequent_indent=" " * (4 + width),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _paragraph(text: str) -> str:
    return fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)
