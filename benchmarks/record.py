"""bench.json: one run, the numbers as they were measured.

schema     2; a file with another number is refused
machine    processor, compiler, versions
and for each part a list of rows, whose cells sampling.py and exact.py explain
"""

import json
import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks import exact, sampling
from benchmarks.c_reference import FLAGS, compiler
from ratecert.base.files import write_text

SCHEMA = 2
PARTS = {**sampling.PARTS, **exact.PARTS}

Record = dict[str, Any]


class UnreadableRecordError(ValueError):
    """A file that is not a bench.json."""


def write(record: Record, path: Path) -> None:
    write_text(path, json.dumps({"schema": SCHEMA, **rounded(record)}, indent=1, allow_nan=False) + "\n")


def rounded(value: Any) -> Any:
    """Four digits: no clock is better."""
    if isinstance(value, dict):
        return {name: rounded(item) for name, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def read(path: Path) -> Record:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UnreadableRecordError(
            f"{path} is not there; `python -m benchmarks --out {path}` makes it."
        ) from None
    except (OSError, ValueError) as error:
        raise UnreadableRecordError(f"{path} cannot be read as JSON: {error}") from error
    if not isinstance(record, dict) or record.get("schema") != SCHEMA:
        raise UnreadableRecordError(
            f"{path} is no record of benchmarks with schema = {SCHEMA}; make it again."
        )
    missing = [name for name in ("machine", *PARTS) if name not in record]
    if missing:
        raise UnreadableRecordError(
            f"{path} lacks {', '.join(missing)}; make it again with `python -m benchmarks`."
        )
    return record


def machine() -> dict[str, Any]:
    """What was measured on: processor, compiler and versions."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "compiler": _compiler(),
        "flags": " ".join(flag for flag in FLAGS if flag[:2] in ("-O", "-m", "-f")),
        "python": platform.python_version(),
        **{name: _version(name) for name in ("numpy", "scipy", "numba", "llvmlite")},
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
    shown = subprocess.run([cc, "--version"], capture_output=True, text=True, check=True).stdout
    return shown.splitlines()[0]
