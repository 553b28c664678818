"""Files: written whole or not at all, and refused early where they cannot be; and data that somebody may have sent.

Such a file, TOML or JSON, is read into plain tables, lists, texts and numbers. Nothing in it is run, and nothing of it
reaches a terminal that could move its cursor: texts with control characters are refused, as are names that stand twice,
and numbers and files beyond any use.
"""

import errno
import json
import math
import os
import re
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ratecert.base.errors import UnwritableError, UserError

LARGEST = 2**26  # bytes of a file; the results of all papers together take a fiftieth
# what moves a cursor, ends a line, turns text round, and halves of characters, which no file can hold
CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
DEEPEST = 32  # tables and lists inside one another
# A key of more parts: tomllib keeps every beginning of it, which is memory by the square.
LONG_KEY = re.compile(rf"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{DEEPEST}}}""")
DIGITS = 300  # of a whole number; beyond them it has no float


def require_writable(folder: Path) -> None:
    """Make the folder, and try it, before any work is done."""
    with _naming(folder):
        if folder.exists() and not folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "this is a file, not a folder")
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            pass


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """A temporary file beside `path` that takes its place when the block ends well, and vanishes when not."""
    with _naming(path):
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            temporary.chmod(0o644)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def write_text(path: Path, text: str) -> None:
    """The whole text or nothing of it, with the same line ends on every system."""
    with atomic_write(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """The system's errors name a temporary file, or (a full disk) none at all; the user knows only `path`."""
    try:
        yield
    except OSError as error:
        raise UnwritableError(error.errno, error.strerror or str(error), str(path)) from error


def come_along(inside: str, beside: str, kind: str, key: str = "") -> list[Path]:
    """Files that come with ratecert, all or those of one paper, sorted; in the package, or beside it in a checkout."""
    package = Path(__file__).parents[1]
    for folder in (package / inside, package.parent / beside):
        if folder.is_dir():
            return sorted(folder.glob(f"{key}.*.{kind}" if key else f"*.{kind}"))
    raise UserError(f"no folder {inside} in {package} and no {beside} beside it; install ratecert again.")


def read_data(path: Path, refusal: type[UserError], advice: str) -> dict[str, Any]:
    """The table that a file holds; what cannot be read is one sentence that ends with the advice."""
    try:
        return tables_of(_text(path), as_json=path.suffix == ".json")
    except (UserError, ValueError, RecursionError) as error:
        kind = "JSON" if path.suffix == ".json" else "TOML"
        raise refusal(
            f"{str(path)!r:.200} cannot be read as {kind}: {_first_line(error)}; {advice}"
        ) from error


def tables_of(text: str, *, as_json: bool) -> dict[str, Any]:
    """The table that a text stands for; otherwise a ValueError says why not."""
    if not as_json and LONG_KEY.search(text):
        raise UserError(f"a key has more than {DEEPEST} parts")
    found = (
        json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
        if as_json
        else tomllib.loads(text)
    )
    if not isinstance(found, dict):
        raise UserError(f"it must hold a table, got {found!r:.60}")
    _require_plain(found)
    return found


def _text(path: Path) -> str:
    if "\0" in str(path):
        raise UserError("its name has a NUL in it")
    size = path.stat().st_size
    if path.exists() and not path.is_file():
        raise UserError("it is no file")
    if size > LARGEST:
        raise UserError(f"it has {size:.3g} bytes, and at most {LARGEST:.3g} are read")
    return path.read_text(encoding="utf-8")


def _require_plain(found: Any) -> None:
    """Go through all of it without recursion, which a file could exhaust."""
    waiting = [(found, 0)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, dict | list):
            if depth == DEEPEST:
                raise UserError(f"tables and lists are nested deeper than {DEEPEST}")
            names = value if isinstance(value, dict) else ()
            inside = value.values() if isinstance(value, dict) else value
            waiting += [(each, depth + 1) for part in (names, inside) for each in part]
        elif isinstance(value, str) and CONTROL.search(value):
            raise UserError(f"{value!r:.60} has a control character in it")
        elif isinstance(value, int) and abs(value) >= 10**DIGITS:
            raise UserError(f"a whole number has more than {DIGITS} digits")


def _once(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The table of these pairs, no name twice."""
    pairs = list(pairs)
    twice = [name for name, times in Counter(name for name, _ in pairs).items() if times > 1]
    if twice:
        raise UserError(f"{twice[0]!r:.60} stands there twice")
    return dict(pairs)


def _no_number(constant: str) -> None:
    raise UserError(f"{constant} is no number of JSON")


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def as_json(value: Any) -> str:
    """The text of plain data as JSON."""
    return json.dumps(finite(value), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def finite(value: Any) -> Any:
    """The same, with null for numbers that JSON lacks."""
    if isinstance(value, dict):
        return {name: finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def visible(text: str, *, colours: bool = False) -> str:
    """The text with its control characters as escapes, for a terminal; colours may stay."""
    found = re.compile(f"{COLOUR.pattern}|{CONTROL.pattern}") if colours else CONTROL
    return found.sub(lambda each: each[0] if len(each[0]) > 1 else ascii(each[0])[1:-1], text)
