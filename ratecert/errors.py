"""Every exception that ratecert raises on purpose; what each of them means is in ratecert/base/errors.py."""

from typing import TYPE_CHECKING

from ratecert.api.gone import refuse as _refuse
from ratecert.base import errors as _errors
from ratecert.base.errors import *  # noqa: F403

__all__ = [name for name in vars(_errors) if not name.startswith("_")]

if not TYPE_CHECKING:  # or every name would be one to a type checker

    def __getattr__(name: str) -> object:
        return _refuse(__name__, __all__, name)
