"""Every statement that can be falsified, by id: theorems, constants and lemmas.

Those of the first paper have their cases in this package; other papers bring theirs in their claims (`FALSIFIABLE`).
"""

from ratecert.falsify.case import Case
from ratecert.falsify.constant import ConstantCase
from ratecert.falsify.lemma import LemmaCase
from ratecert.falsify.theorem import TheoremCase
from theory.papers import holding, paper
from theory.statements import Definition, Theorem

LEMMAS = ("lemma-1",)


def case(statement: str, variant: str) -> Case:
    """Constants of a world are joint ones, by the letter of Assumption 2."""
    from ratecert.claims import FALSIFIABLE  # claims know cases, too

    if statement in FALSIFIABLE:
        return FALSIFIABLE[statement](variant)
    found = holding(statement, variant)[statement]
    if isinstance(found, Theorem):
        return TheoremCase(statement, variant)
    if isinstance(found, Definition):
        return ConstantCase(statement, variant)
    if statement in LEMMAS:
        return LemmaCase(statement, variant)
    raise ValueError(
        f"{statement} is no inequality that an instance could break; those that are: {', '.join(known())}. "
        f"For the others there is `ratecert verify`."
    )


def known() -> list[str]:
    from ratecert.claims import FALSIFIABLE

    source = paper("printed")
    return [*(s.id for kind in (Theorem, Definition) for s in source.of_kind(kind)), *LEMMAS, *FALSIFIABLE]
