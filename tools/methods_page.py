"""docs/methods.md: its prose is written by hand, its table is made of docs/results.json (tools/markdown.py).

python -m tools.methods_page docs/results.json docs/methods.md
"""

import sys
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from ratecert.base.lists import Grid
from ratecert.papers.federated_bilevel.claims.complexity_table import Claimed, claimed
from ratecert.papers.federated_bilevel.evidence.complexity.families import FAMILIES
from ratecert.report.results import read
from ratecert.solvers import ALGORITHMS, name_of
from tools.markdown import replace_tables

HEADER = (
    *("method", "hypergradient", "samples: claimed", "measured", "rounds: claimed", "measured"),
    *("linear speedup claimed", "exponent of K, tension", "no tension"),
    *("with K in its steps, tension", "no tension"),
)
OF_K = ("tension", "no tension", "tension, K in its steps", "no tension, K in its steps")


def tables(results: Mapping[str, Any]) -> dict[str, str]:
    (claim,) = (claim for claim in results["claims"] if claim["id"] == "complexity-table")
    measured = {check["name"]: check["measured"] for check in claim["checks"]}
    return {"complexity": Grid("", HEADER, [_row(method, measured) for method in FAMILIES]).as_markdown()}


def _row(method: str, measured: Mapping[str, float]) -> tuple[str, ...]:
    name, claim = name_of(ALGORITHMS[method]), claimed(method)

    def found(what: str) -> str:
        value = measured.get(f"{name}: exponent of {what}")
        return "-" if value is None else f"{value:.4f}"

    return (
        name,
        FAMILIES[method].estimator,
        _shown(claim, claim.samples),
        found("1/eps in samples"),
        _shown(claim, claim.rounds),
        found("1/eps in rounds"),
        {True: "yes", False: "no", None: "-"}[claim.speedup],
        *(found(f"K in samples, {_place(method, where)}") for where in OF_K),
    )


def _place(method: str, where: str) -> str:
    """The method without a lower level has a world of its own."""
    return "one level" if FAMILIES[method].lower_level == "none" and where == "tension" else where


def _shown(claim: Claimed, exponent: Fraction | None) -> str:
    return str(exponent) if claim.stated and exponent is not None else "-"


if __name__ == "__main__":
    replace_tables(Path(sys.argv[2]), tables(read(Path(sys.argv[1]))))
