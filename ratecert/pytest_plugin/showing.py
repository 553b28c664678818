"""What is shown of a failed assertion: a small table of its points, the fit and its interval, and its figure."""

import hashlib
import os
import re
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ratecert.rates.asserting import BoundEvidence, SlopeEvidence

MOST = 24  # rows of a table

Evidence = SlopeEvidence | BoundEvidence


def show(evidence: Evidence, test: str, *, folder: Path, here: Path) -> str:
    """The table; the figure goes into `folder` and is named as seen from `here`."""
    lines = slope_table(evidence) if isinstance(evidence, SlopeEvidence) else bound_table(evidence)
    if evidence.drawable:
        lines.append(f"figure     {_saved(evidence, test, folder, here)}")
    return "\n".join(lines)


def slope_table(evidence: SlopeEvidence) -> list[str]:
    lines = []
    x, y = evidence.points
    if not x:
        lines.append(
            "points     unknown: a fitted slope does not carry them; give them as points=(x, y) to see them"
        )
    else:
        fit = evidence.line(evidence.slope.value)
        off = [a / b - 1 for a, b in zip(y, fit, strict=True)]
        cells = [
            (_number(a), f"{b:.6g}", f"{c:.6g}", f"{d:+.2g}")
            for a, b, c, d in zip(x, y, fit, off, strict=True)
        ]
        lines += _table(("x", "y", "fit", "y/fit - 1"), cells, np.abs(off).tolist())
    lines.append(f"fit        {evidence.slope}")
    lines.append(f"{evidence.known_as:<9}  {evidence.reference:.6g}")
    return lines


def bound_table(evidence: BoundEvidence) -> list[str]:
    columns = (evidence.at, evidence.measured, evidence.uncertainty, evidence.bound, evidence.room)
    cells = [
        (_number(at), f"{m:.6g}", f"{u:.2g}", f"{b:.6g}", f"{room:+.2g}")
        for at, m, u, b, room in zip(*columns, strict=True)
    ]
    nearest = [-room if room == room else np.inf for room in evidence.room]
    return _table(("at", "measured", "+-", "at most", "room"), cells, nearest)


def figure_name(test: str) -> str:
    """Readable, and different for different tests."""
    readable = re.sub(r"[^\w.-]+", "-", test, flags=re.ASCII).strip("-")[-80:]
    return f"{readable}-{hashlib.sha256(test.encode()).hexdigest()[:6]}.svg"


def _saved(evidence: Evidence, test: str, folder: Path, here: Path) -> str:
    """A folder that cannot be written does not hide the failure that is to be shown."""
    path = folder / figure_name(test)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with warnings.catch_warnings():  # the suite of a user may turn them into errors
            warnings.simplefilter("ignore")
            from ratecert.pytest_plugin.drawing import draw

            draw(evidence, test, path)
    except OSError as error:
        return f"not saved: {error}"
    inside = path.is_relative_to(here)
    return Path(os.path.relpath(path, here)).as_posix() if inside else str(path)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], weights: Sequence[float]) -> list[str]:
    """Right-aligned; of many rows those with the largest weights, in their order."""
    chosen = sorted(np.argsort(-np.asarray(weights), kind="stable")[:MOST].tolist())
    shown = [head, *(rows[i] for i in chosen)]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    lines = ["  ".join(f"{c:>{w}}" for c, w in zip(row, widths, strict=True)) for row in shown]
    if len(rows) > MOST:
        lines.append(f"({MOST} of {len(rows)} points, the most telling ones)")
    return lines


def _number(value: object) -> str:
    """2**36 with all its digits."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"
    return str(value)
