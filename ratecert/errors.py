"""Every exception that ratecert raises on purpose; what each of them means is in ratecert/base/errors.py."""

from ratecert.base.errors import *  # noqa: F403
from ratecert.base.errors import __all__ as __all__
