"""Words of the vocabulary on a command line."""


def spoken(word: str) -> str:
    """A word as we say it; on a command line not-refuted needs no quotes."""
    return word.replace("-", " ")
