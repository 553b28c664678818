"""The statement of a claim, typeset for a page: as `ratecert explain` shows it."""

from collections.abc import Mapping
from typing import Any

from ratecert.errors import UserError


def typeset(claim: Mapping[str, Any]) -> str:
    """All statements that a claim is of; nothing where their paper is not at hand, as a file that has gone."""
    from ratecert.registry import paper, split  # slow to import, and not needed to read results
    from ratecert.theory.language.typeset import for_terminal

    variant = "repaired" if claim["id"].endswith(".repaired") else "printed"
    shown = []
    for id in claim["of"]:
        key, inside = split(id)
        try:
            source = paper(variant, key)
            shown.append(for_terminal(source, source[inside], width=88))
        except UserError:
            continue
    return "\n".join(shown)
