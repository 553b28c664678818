"""Notebooks looked at: their form, what is stored in them, and a small one in the agreed form."""

import json
import re
from pathlib import Path
from typing import Any

from tools import course


def differences(notebook: Any, other: Any) -> list[str]:
    """The ids of the cells of one that are not in the same place in the other."""
    cells, others = ([_identity(cell) for cell in each.cells] for each in (notebook, other))
    longest = max(len(cells), len(others))
    padded = [[*each, *[None] * (longest - len(each))] for each in (cells, others)]
    return [f"cell-{i}" for i, (a, b) in enumerate(zip(*padded, strict=True), start=1) if a != b]


def _identity(cell: Any) -> tuple[Any, ...]:
    return cell.id, cell.cell_type, cell.source, tuple(cell.metadata.get("tags", ()))


def faults(notebook: Any) -> list[str]:
    """What is missing of the agreed form."""
    cells, code = notebook.cells, [cell for cell in notebook.cells if cell.cell_type == "code"]
    prose = [cell.source for cell in cells if cell.cell_type == "markdown"]
    exercise = next((i for i, cell in enumerate(cells) if "## Exercise" in cell.source), None)
    after = [] if exercise is None else [cell for cell in cells[exercise:] if cell.cell_type == "code"]
    solved = course.solutions(notebook)
    blocks = [block for s in prose for block in re.findall(r"^```python$", s, re.MULTILINE)]
    found = {
        "title": bool(cells) and cells[0].cell_type == "markdown" and cells[0].source.startswith("# "),
        "10 to 13 code cells": 10 <= len(code) <= 13,
        "outputs": [cell.execution_count for cell in code] == [*range(1, len(code) + 1)],
        "a figure": any(pictures(cell) for cell in code),
        "something to move": any("interact(" in cell.source for cell in code),
        "exercise": exercise is not None,
        "a solution that is checked": bool(solved) and all("assert" in block for block in solved),
        "solutions folded": len(blocks) == len(solved) and len(after) <= 1,
        "assertions at the end": bool(code) and cells[-1] is code[-1] and "assert" in code[-1].source,
    }
    return [name for name, present in found.items() if not present]


def pictures(cell: Any) -> int:
    return sum("image/png" in output.get("data", {}) for output in cell.outputs)


def printed(notebook: Any) -> list[str]:
    """What each code cell wrote."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return ["".join(output.get("text", "") for output in cell.outputs) for cell in code]


def of_the_machine(notebook: Any) -> list[str]:
    """Words in outputs that another machine, or another run, would not have written: folders, addresses, ids."""
    text = json.dumps([cell.outputs for cell in notebook.cells if cell.cell_type == "code"])
    text = re.sub(r'"image/png": "[^"]*"', "", text)
    return re.findall(r"/(?:home|tmp|root|usr|var)/|\b0x[0-9a-f]{6,}|model_id|\\u001b|[0-9a-f]{32}", text)


NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")


def same_text(a: str, b: str, *, rtol: float = 1e-3, tiny: float = 1e-9) -> bool:
    """The same words in the same places, but for blanks, and numbers that agree or are both rounding."""
    words = [NUMBER.sub("#", text).split() for text in (a, b)]
    numbers = [[float(n) for n in NUMBER.findall(text)] for text in (a, b)]
    return words[0] == words[1] and all(
        abs(x - y) <= max(tiny, rtol * abs(x)) for x, y in zip(*numbers, strict=True)
    )


FIGURE = """import matplotlib.pyplot as plt

# %matplotlib inline
plt.plot([0, 1])
plt.show()"""
SOLVED = "<details><summary>Solution</summary>\n\n```python\ny = x_3 + 1\nassert y == 4\n```\n\n</details>"


def written(folder: Path) -> Path:
    """A short text in the agreed form."""
    cells = ["# %% [markdown]\n# # A title", *(f"# %%\nx_{i} = {i}\nprint(x_{i})" for i in range(8))]
    cells += [f"# %%\n{FIGURE}", "# %%\nfrom ipywidgets import interact\n\ninteract(lambda x: None, x=3)"]
    prose = "\n".join(f"# {line}".rstrip() for line in f"## Exercise\n\n{SOLVED}".split("\n"))
    cells += [f"# %% [markdown]\n{prose}", "# %%\nassert x_1 == 1"]
    text = folder / "01_example.py"
    text.write_text("\n\n".join(cells) + "\n")
    return text
