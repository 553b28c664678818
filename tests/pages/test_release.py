"""A release: every place that states the version says the new one, and what cannot be released is refused."""

import re
from pathlib import Path

import pytest

pytest.importorskip("tools", reason="needs the repository, not the wheel")

from tools.release import NAMES, ReleaseError, main, prepare

TEXTS = {
    "pyproject.toml": '[project]\nname = "ratecert"\nversion = "0.1.0"\ndependencies = ["numpy>=0.1.0"]\n',
    "ratecert/__init__.py": '"""Doc."""\n\n__version__ = "0.1.0"\n',
    "CITATION.cff": "cff-version: 1.2.0\nversion: 0.1.0\n",
    "CHANGELOG.md": "# Changelog\n\n## [Unreleased]\n\n### Added\n- A thing.\n",
}
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("version", ["0.1.1", "0.2.0", "1.0.0"])
def test_every_place_states_the_new_version(version: str) -> None:
    files = prepare(version, "2030-01-02", TEXTS).files
    assert f'\nversion = "{version}"\n' in files["pyproject.toml"]
    assert "numpy>=0.1.0" in files["pyproject.toml"]
    assert f'__version__ = "{version}"' in files["ratecert/__init__.py"]
    assert files["CITATION.cff"] == f"cff-version: 1.2.0\nversion: {version}\n"
    assert (
        files["CHANGELOG.md"]
        == f"# Changelog\n\n## [Unreleased]\n\n## [{version}] - 2030-01-02\n\n### Added\n- A thing.\n"
    )


@pytest.mark.parametrize("version", ["0.1.0", "0.1.2", "0.3.0", "2.0.0", "0.2", "v0.2.0", "0.2.0rc1"])
def test_a_version_that_does_not_follow_is_refused(version: str) -> None:
    with pytest.raises(ReleaseError, match=re.escape("must be one of 0.1.1, 0.2.0, 1.0.0")):
        prepare(version, "2030-01-02", TEXTS)


@pytest.mark.parametrize(
    "changelog", ["# Changelog\n", "# Changelog\n\n## [Unreleased]\n\n## [0.1.0]\n- Old.\n"]
)
def test_nothing_to_release_is_refused(changelog: str) -> None:
    with pytest.raises(ReleaseError, match="Unreleased"):
        prepare("0.2.0", "2030-01-02", {**TEXTS, "CHANGELOG.md": changelog})


def test_this_repository_could_be_released(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["0.2.0"]) == 0
    assert capsys.readouterr().out == f"would change {', '.join(NAMES)}, commit and tag v0.2.0\n"
    assert main(["7.0.0"]) == 2
    assert "release: the version after" in capsys.readouterr().err
