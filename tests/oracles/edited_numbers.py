"""Every whole number in a Python source, edited one at a time."""

import io
import tokenize
from collections.abc import Iterator


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
