"""Papers by key and statements by id; and the papers that the user has named.

An id is `paper:statement`; a bare one means the first paper.

Only papers that the user has named are run, beside those that come with ratecert.
A paper's file is Python, so that to look into it is to run it. What is typed on a command line or given to the face
names a paper, and that is consent (`asked`). A file of data, which somebody else may have sent, can mean such a paper
(`meant_by`), and gets no other one run: what it names is compared, and no file is read for it.
"""

import os
from pathlib import PurePath

from ratecert.base.errors import UserError

FIRST = "federated-bilevel"  # the paper that bare ids mean
VARIANTS = ("printed", "repaired")
_ASKED: dict[str, str] = {}  # key for any process of this machine -> as the user wrote it


def parted(id: str) -> tuple[str, str]:
    """The paper's key, and the id inside the paper."""
    key, colon, inside = id.rpartition(":")
    return (key, inside) if colon else (FIRST, id)


def full_id(key: str, inside: str) -> str:
    """The inverse: ids of the first paper stay bare."""
    return inside if key == FIRST else f"{key}:{inside}"


def asked(id: str) -> str:
    """Remember a paper, or the paper of a statement, that the user has named; return the id as it is."""
    if isinstance(id, str) and not id.endswith(".toml"):  # a witness or a conjecture, which are data
        for key in filter(None, (id, id.rpartition(":")[0])):
            _ASKED.setdefault(resolved(key), key)
    return id


def all_asked() -> dict[str, str]:
    """What this process was asked for, for its workers."""
    return dict(_ASKED)


def ask_for(papers: dict[str, str]) -> None:
    """In a worker: what the parent was asked for."""
    _ASKED.update(papers)


def require_asked(key: str) -> None:
    """Refuse to run a paper that the user has not named."""
    if resolved(key) not in _ASKED:
        raise UserError(f"{key!r:.80} is a paper that you have not named, and is not run.")


def meant_by(key: str) -> list[str]:
    """Papers that the user has named and that a file of data can mean by a key: the same, or a file of that name."""
    if resolved(key) in _ASKED:
        return [_ASKED[resolved(key)]]
    return [own for own in files_asked() if PurePath(own).name == PurePath(key).name]


def files_asked() -> list[str]:
    """The papers among what the user has named that are files."""
    return [own for own in _ASKED.values() if is_file(own)]


def resolved(key: str) -> str:
    """The same key for a process in another folder."""
    return os.path.realpath(key) if is_file(key) else key


def is_file(key: str) -> bool:
    return key.endswith(".py") and "\0" not in key


def registered_only(key: str, jobs: int) -> UserError:
    """The refusal to share the work on a paper that other processes cannot load."""
    return UserError(
        f"{key} is registered in this process alone, and jobs = {jobs} asks for others, which load papers from files; "
        f"take jobs = 1, or write the paper to a file."
    )
