"""Every whole number in a proof, edited one at a time, and whether it still proves anything."""

import contextlib
import io
import tokenize
from collections.abc import Iterator
from itertools import islice


def edited(source: str) -> Iterator[tuple[str, str]]:
    """(what was edited, the source with that): each number once one larger and, where it is positive, one smaller.

    Docstrings, comments and texts are none; a number inside an f-string is not edited either.
    """
    lines = source.splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NUMBER:
            (row, start), (_, end) = token.start, token.end
            for other in (int(token.string) + 1, int(token.string) - 1):
                if other >= 0:
                    line = lines[row - 1]
                    changed = line[:start] + str(other) + line[end:]
                    what = f"line {row}: {token.string} -> {other} in {line.strip()[:90]}"
                    yield what, "".join([*lines[: row - 1], changed, *lines[row:]])


def fails(text: str) -> bool:
    """Whether a proof ends in an error."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(text, "edited.py", "exec"), {"__name__": "__main__"})
    except (AssertionError, ArithmeticError, LookupError, StopIteration, TypeError, ValueError):
        return True
    return False


def survivors(text: str, every: int = 1) -> list[str]:
    """Edits that a proof does not notice; of every so many only one is tried."""
    return [what for what, changed in islice(edited(text), 0, None, every) if not fails(changed)]
