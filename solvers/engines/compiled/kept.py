"""Whether the kernel has been compiled before: numba keeps its code in a folder, and looking there needs no numba."""

import os
from pathlib import Path

FILES = "kernel.iterate-*.nbi"  # numba's own name for the index of what it has compiled of `iterate`


def is_kept() -> bool:
    """Look where numba does: in the folder that is named, else beside the kernel or among the user's caches."""
    named = os.environ.get("NUMBA_CACHE_DIR")
    caches = os.environ.get("XDG_CACHE_HOME") or Path(os.environ.get("HOME", ""), ".cache")
    beside = Path(__file__).parent / "__pycache__"
    folders = (Path(named),) if named else (beside, Path(caches, "numba"))
    return any(True for folder in folders for _ in folder.rglob(FILES))
