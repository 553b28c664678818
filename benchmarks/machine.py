"""What was measured on: processor, compiler and versions."""

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.c_reference import FLAGS, compiler


def machine() -> dict[str, Any]:
    packages = ("numpy", "scipy", "numba", "llvmlite")
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "compiler": _compiler(),
        "flags": " ".join(flag for flag in FLAGS if flag[:2] in ("-O", "-m", "-f")),
        "python": platform.python_version(),
        **{name: _version(name) for name in packages},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    described = Path("/proc/cpuinfo")
    if described.exists():
        for line in described.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _compiler() -> str | None:
    cc = compiler()
    if cc is None:
        return None
    return subprocess.run([cc, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[
        0
    ]
