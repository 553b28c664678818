"""Every exception that ratecert raises on purpose; what each of them means is in ratecert/base/errors.py."""

from typing import TYPE_CHECKING

from ratecert.api.gone import refuse as _refuse
from ratecert.base.errors import *  # noqa: F403
from ratecert.base.errors import __all__ as __all__

if not TYPE_CHECKING:  # or every name would be one to a type checker

    def __getattr__(name: str) -> object:
        return _refuse(__name__, __all__, name)
