"""Words that options take. Tests hold them to the vocabulary of claims, which is slow to import."""

VERDICTS = ("refuted", "undecided", "not refuted", "proved", "not applicable")
IN_LIBRARY = ("proved false", *VERDICTS)
EVIDENCE = (
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
)
CERTAINTY = ("text", "note", "memory", "ours")


def spoken(word: str) -> str:
    """A word as we say it; on a command line not-refuted needs no quotes."""
    return word.replace("-", " ")
