"""The four packages are importable, and come from the wheel when the wheel is what is tested."""

import importlib
import os
from pathlib import Path

import pytest

PACKAGES = ("theory", "synthetic", "solvers", "ratecert")


@pytest.mark.smoke
@pytest.mark.parametrize("name", PACKAGES)
def test_package_is_where_it_should_be(name: str) -> None:
    package = importlib.import_module(name)
    folder = Path(package.__file__).resolve().parent
    assert (folder / "py.typed").is_file()
    expected = os.environ.get("RATECERT_EXPECT_PREFIX")
    if expected:
        assert folder.is_relative_to(Path(expected).resolve())
