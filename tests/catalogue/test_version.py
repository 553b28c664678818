"""The version of a paper's code is that of all files of its user, however they are imported."""

import sys
from pathlib import Path

import pytest

from oracles import long_form
from ratecert.base.asked import asked
from ratecert.catalogue.load import _files_of, version_of

FILES = {
    "beside.py": "A = 1",
    "sub/__init__.py": "from . import more",
    "sub/more.py": "M = 1",
    "sub/consts.py": "from .deep import D\nfrom ..up import U",
    "sub/deep.py": "D = 1",
    "up.py": "U = 1",
    "far/farlib.py": "F = 1",
    "unused.py": "N = 1",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with the example in it, and a helper that lies elsewhere."""
    folder = tmp_path / "versions_pkg"
    for name, text in FILES.items():
        path = tmp_path / name if name.startswith("far/") else folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "__init__.py").touch()
    imports = "import json\nimport numpy\nfrom versions_pkg.beside import A\nfrom .sub.consts import D\nimport farlib\n"
    source = Path(str(long_form.__file__)).read_text("utf-8")
    paper = source.replace("import ratecert as rc\n", f"import ratecert as rc\n{imports}", 1)
    (folder / "paper.py").write_text(paper.replace('"example-paper"', '"versions"'), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tmp_path / "far"), *sys.path])
    for name in [*sys.modules]:
        if name.partition(".")[0] in ("versions_pkg", "farlib"):
            monkeypatch.delitem(sys.modules, name)
    return folder


def test_a_file_that_is_imported_is_a_part_of_it(package: Path) -> None:
    """What is installed is not, nor Python's own modules, nor ours."""
    for name, text in FILES.items():
        before = version_of(asked("versions_pkg.paper"))
        path = package.parent / name if name.startswith("far/") else package / name
        path.write_text(f"{text}\nB = 2", encoding="utf-8")
        assert (version_of("versions_pkg.paper") != before) is (name != "unused.py"), name
    files = _files_of(asked("versions_pkg.paper"))
    assert package / "paper.py" in files
    assert all(package.parent in file.parents for file in files)
