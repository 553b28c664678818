"""The words of claims: what was found of a statement, on what that rests, and how its print was had.

Nothing is imported here, so that a command line that offers these words starts at once.

    refuted          a check fails, inside the statement's conditions
    undecided        no check fails, and one could not be decided
    not refuted      it was searched or measured, with exact numbers or sampled ones, and every check passes
    proved           every check passes, and all of them are equalities or inequalities in exact arithmetic
    not applicable   there is nothing to check

Where a statement is refuted and a proof of that is kept (evidence "proof in fractions"), or the measure at its witness
is enclosed above the bound, readers are told so: it is *proved false*. In results.json the verdict is still `refuted`.

"Not refuted" is never "proved": it says that nothing was found in the regime that is stated.
"""

from typing import Literal, get_args

Verdict = Literal["refuted", "undecided", "not refuted", "proved", "not applicable"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
WORDS = ("proved false", *VERDICTS)  # as readers are told
ON_QUADRATICS, BY_THE_LINTER = (
    "on quadratics",
    "by the linter alone",
)  # what is added, where a verdict rests on these
OF_THE_LIBRARY = (
    *WORDS,
    f"not refuted {ON_QUADRATICS}",
    *(f"{verdict}, {BY_THE_LINTER}" for verdict in ("refuted", "not refuted")),
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
"""What a verdict rests on. exact moments: expectations without sampling. enumeration: all outcomes of the noise.
derivation: exact rationals. second transcription: an independent reading of the print, in plain floating point. bound
in numbers: the terms of a bound, evaluated. linter: units, symbols and orders of the statement itself. proof in
fractions: a kept file that refutes the statement, and that anyone can run (ratecert/proofs)."""
EVIDENCE: tuple[Evidence, ...] = get_args(Evidence)

CERTAINTY = {  # how the print was had, and what is said of it
    "": "",
    "text": "after the source's own text",
    "note": "after lecture notes or documentation that quote the source",
    "memory": "from memory: to be compared with the source",
    "ours": "beside what is printed there, not printed itself",
}
