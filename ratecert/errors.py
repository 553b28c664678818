"""Every exception that ratecert raises on purpose; what each of them means is in ratecert/base/errors.py."""

from typing import TYPE_CHECKING

from ratecert.base import errors as _errors
from ratecert.base.errors import *  # noqa: F403
from ratecert.base.gone import face as _face

__all__ = [name for name in vars(_errors) if not name.startswith("_")]

if not TYPE_CHECKING:  # or every name would be one to a type checker
    __getattr__ = _face(__name__, __all__)
