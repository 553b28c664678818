"""Papers that live in this process alone, as a notebook makes them: the parts that a file would have, by key."""

import uuid
from types import ModuleType
from typing import Any

_HELD: dict[str, ModuleType] = {}


def hold(key: str, **parts: Any) -> None:
    """Keep the parts of a paper, in the place of what was held under its key before."""
    module = ModuleType(key)
    module.__file__ = f"<registered as {key}>"
    vars(module).update(parts, VERSION=uuid.uuid4().hex[:16])
    _HELD[key] = module


def held(key: str) -> ModuleType | None:
    """The parts that are held under a key."""
    return _HELD.get(key)


def version_held(key: str) -> str | None:
    """The version of what is held: another one each time, so that nothing that was kept is taken for it."""
    module = held(key)
    return str(module.VERSION) if module else None
