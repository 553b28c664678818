"""The words of claims: what was found of a statement, by what evidence, and how its print was had; and names that are
near to one that is not known.

Nothing heavy is imported here, so that a command line that offers these words starts at once.

    refuted          a check fails, inside the statement's conditions
    undecided        no check fails, and one could not be decided
    not refuted      it was searched or measured, with exact numbers or sampled ones, and every check passes
    proved           every check passes, and all of them are equalities or inequalities in exact arithmetic
    not applicable   there is nothing to check

Where a statement is refuted and a stored proof of that was run again (evidence "proof in fractions"), readers are told
so: it is *proved false*. A world that breaks a statement by enclosed moments, and whose outcomes could not be gone
through in fractions, makes it *refuted (one way)*. In results.json the verdict of either is `refuted`.

"Not refuted" is never "proved": it says that nothing was found in the regime that is stated.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Literal, get_args

VerdictWord = Literal["refuted", "undecided", "not refuted", "proved", "not applicable"]
VERDICTS: tuple[VerdictWord, ...] = get_args(VerdictWord)
ONE_WAY = "refuted (one way)"
REFUTED = ("proved false", "refuted", ONE_WAY)  # as readers are told
WORDS = ("proved false", ONE_WAY, *VERDICTS)
ON_QUADRATICS, BY_THE_LINTER = (
    "on quadratics",
    "by the linter alone",
)  # what is added, where nothing else was looked at
UNLIKE_CODE = "text and code differ"  # a text is refuted, and the code beneath it is right
OF_THE_LIBRARY = (
    *WORDS,
    UNLIKE_CODE,
    f"not refuted {ON_QUADRATICS}",
    f"refuted, {BY_THE_LINTER}",
    f"not refuted, {BY_THE_LINTER}",
)

Evidence = Literal[
    "exact moments",
    "enumeration",
    "sampled",
    "derivation",
    "counting",
    "fixed points",
    "closed forms",
    "difference quotients",
    "second transcription",
    "bound in numbers",
    "search",
    "linter",
    "proof in fractions",
]
"""How a verdict was found. exact moments: expectations without sampling. enumeration: all outcomes of the noise.
derivation: exact rationals. second transcription: an independent reading of the print, in plain floating point. bound
in numbers: the terms of a bound, evaluated. linter: units, symbols and orders of the statement itself. proof in
fractions: a stored file that refutes the statement, and that anyone can run (ratecert/proofs)."""
EVIDENCE: tuple[Evidence, ...] = get_args(Evidence)

CERTAINTY = {  # how the print was had, and what is said of it
    "": "",
    "text": "after the source's own text",
    "note": "after lecture notes or documentation that quote the source",
    "memory": "from memory: to be compared with the source",
    "ours": "beside what is printed there, not printed itself",
}


ALIKE, FAINTLY = 0.6, 0.4  # parts of two names that are the same; the second where names are long


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "", *, alike: float = ALIKE) -> str:
    """The question that ends a refusal, or what else to say where no known name comes near."""
    near = near_to(name, known, alike=alike)
    return f"did you mean {' or '.join(near)}?" if near else otherwise


def near_to(name: str, known: Iterable[str], most: int = 3, *, alike: float = ALIKE) -> list[str]:
    """Known names that come near, that they begin with first; so SDG is near SGD, sgd too, and dist near distance."""
    by_lower, asked = {each.lower(): each for each in known}, name.lower()
    near = get_close_matches(asked, by_lower, n=most, cutoff=alike)
    return [by_lower[each] for each in sorted(near, key=lambda each: not each.startswith(asked))]


NOT_SEEN = "Not seen here: "


def not_seen(what: str) -> str:
    """As a note."""
    return NOT_SEEN + what


def blind_of(notes: Iterable[str]) -> str:
    """What such notes say; empty where there is none."""
    return " ".join(note.removeprefix(NOT_SEEN) for note in notes if note.startswith(NOT_SEEN))
