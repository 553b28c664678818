"""Imports of the package: none goes round, and none inside takes from the face; those in functions count, too.

The face names everything for type checkers, and imports nothing: its names are left out where circles are sought.
"""

import inspect
from graphlib import CycleError, TopologicalSorter

import grimp
import pytest

import ratecert as rc

FACE = {"ratecert", *(f"ratecert.{n}" for n in rc.__all__ if inspect.ismodule(getattr(rc, n)))} - {
    "ratecert.errors"  # which are everybody's
}


@pytest.fixture
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("ratecert", cache_dir=None)


def test_no_imports_go_round(graph: grimp.ImportGraph) -> None:
    names = graph.modules - {"ratecert", "ratecert.methods", "ratecert.worlds"}
    found = {name: graph.find_modules_directly_imported_by(name) - {"ratecert"} for name in names}
    assert len(found) > 200
    TopologicalSorter(found).prepare()
    assert "ratecert.report.page" in found["ratecert.cli.verify"]  # inside a function
    assert "ratecert.solvers.contract.stage" in found["ratecert.solvers.engines.counting"]
    found["ratecert.solvers.contract.stage"] = {"ratecert.solvers.engines.counting"}
    with pytest.raises(CycleError, match="cycle"):
        TopologicalSorter(found).prepare()


def imports_of_the_face(graph: grimp.ImportGraph) -> set[tuple[str, str]]:
    """Who takes what, but for papers, which are written as users write theirs."""
    pairs = {(by, each) for each in FACE for by in graph.find_modules_that_directly_import(each)}
    return {
        (by, str(detail["line_contents"]))
        for by, each in pairs
        if by != "ratecert" and not by.startswith("ratecert.papers.")
        for detail in graph.get_import_details(importer=by, imported=each)
    }


def test_nobody_inside_imports_from_the_face(graph: grimp.ImportGraph) -> None:
    version = "from ratecert import __version__"
    allowed = {("ratecert.cli.main", version), ("ratecert.report.judge", version)}
    assert imports_of_the_face(graph) == allowed
    wrong = ("ratecert.run.tasks", "import ratecert.worlds")
    graph.add_import(importer=wrong[0], imported="ratecert.worlds", line_number=1, line_contents=wrong[1])
    assert imports_of_the_face(graph) == {*allowed, wrong}
