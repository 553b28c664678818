"""No file imports itself by way of others; imports inside functions and those for type checkers alone count, too.

The face names everything for type checkers, and imports nothing: what it names is left out.
"""

from graphlib import CycleError, TopologicalSorter

import grimp
import pytest

FACES = ("ratecert", "ratecert.methods", "ratecert.worlds")


def imports() -> dict[str, set[str]]:
    graph = grimp.build_graph("ratecert", cache_dir=None)
    return {
        name: graph.find_modules_directly_imported_by(name) - {"ratecert"}
        for name in graph.modules
        if name not in FACES
    }


def test_no_imports_go_round() -> None:
    found = imports()
    assert len(found) > 200
    TopologicalSorter(found).prepare()


def test_imports_that_go_round_are_found() -> None:
    found = imports()
    assert "ratecert.report.page" in found["ratecert.cli.verify"]  # inside a function
    assert "ratecert.solvers.contract.stage" in found["ratecert.solvers.contract.counts"]
    found["ratecert.solvers.contract.stage"] = {"ratecert.solvers.contract.counts"}
    with pytest.raises(CycleError, match="cycle"):
        TopologicalSorter(found).prepare()
