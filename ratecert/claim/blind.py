"""Where the tool is blind: a note that begins so says what the numbers of a claim cannot show."""

from collections.abc import Iterable

NOT_SEEN = "Not seen here: "


def not_seen(what: str) -> str:
    """As a note."""
    return NOT_SEEN + what


def blind_of(notes: Iterable[str]) -> str:
    """What such notes say; empty where there is none."""
    return " ".join(note.removeprefix(NOT_SEEN) for note in notes if note.startswith(NOT_SEEN))
