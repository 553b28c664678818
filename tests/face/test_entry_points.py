"""What an installed package offers by entry points appears under its name; a name that is taken is refused."""

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import ratecert as rc
from ratecert import entry_points, outside
from ratecert.cli.main import main

EXAMPLE = Path(rc.__file__).parent / "executable" / "example_paper.py"
METHODS = """
import ratecert as rc

class Twice(rc.methods.SGD):
    pass

NOTHING = 3
"""
CLAIMS = """
from ratecert.claim import Claim, Piece
from ratecert.claim.checks import equal

def half(of):
    return [{"half": of / 2}]

CLAIMS = (Claim(
    id="half", of=("parallel-sgd:sgd-descent",), sentence="Half of four is two.",
    pieces=lambda budget: [Piece(half, {"of": 4.0})],
    checks=lambda rows: [equal("half of four", rows[0]["half"], 2.0, 1e-9)],
    regime="everywhere", method="division", evidence=("closed forms",), settings={}),)
"""
Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Write packages as an installer leaves them, in a folder on the path of imports."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    modules = {"guest_methods": METHODS, "guest_claims": CLAIMS, "guest_paper": EXAMPLE.read_text("utf-8")}
    for name, text in modules.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")

    def installed(groups: dict[str, str], package: str = "guest") -> None:
        folder = tmp_path / f"{package}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", "utf-8")
        text = "".join(f"[ratecert.{group}]\n{lines}\n" for group, lines in groups.items())
        (folder / "entry_points.txt").write_text(text, encoding="utf-8")
        importlib.invalidate_caches()
        entry_points.points.cache_clear()

    yield installed
    entry_points.points.cache_clear()
    outside._from_name.cache_clear()
    for name in modules:
        sys.modules.pop(name, None)


def test_methods_and_worlds_appear_under_their_names(install: Install) -> None:
    install({"methods": "Twice = guest_methods:Twice", "worlds": "flat = ratecert.synthetic:single_level"})
    run = rc.expect(rc.worlds.flat([1.0, 2.0]), rc.methods.Twice(alpha=0.1), K=1, T=4, x0=[1.0, 1.0])
    assert run.gap > 0
    assert "Twice" in dir(rc.methods)
    assert "flat" in dir(rc.worlds)
    with pytest.raises(AttributeError, match=r"'ratecert.methods' has no attribute 'Thrice'"):
        _ = rc.methods.Thrice


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (
            "Thrice = guest_methods:Thrice",
            r"Thrice, guest_methods:Thrice of the installed package guest, does not l",
        ),
        ("Twice = no_such_module:Twice", r"does not load: No module named 'no_such_module'"),
        (
            "Twice = guest_methods:NOTHING",
            r"must be a class or a function, got 3; name one with module:Class",
        ),
    ],
)
def test_what_does_not_load_is_told(install: Install, lines: str, sentence: str) -> None:
    install({"methods": lines})
    with pytest.raises(rc.errors.UserError, match=sentence):
        getattr(rc.methods, lines.partition(" ")[0])


def test_a_name_of_the_package_is_refused(install: Install) -> None:
    install({"methods": "SGD = guest_methods:Twice"})
    with pytest.raises(
        rc.errors.UserError, match=r"ratecert.methods.SGD is a name of ratecert, and guest_methods:T"
    ):
        importlib.reload(rc.methods)
    importlib.reload(rc.worlds)  # the twin


def test_a_name_that_is_offered_twice_is_refused(install: Install) -> None:
    install({"methods": "Twice = guest_methods:Twice"})
    install({"methods": "Twice = guest_methods:NOTHING"}, "other-guest")
    with pytest.raises(
        rc.errors.UserError, match=r"Twice is offered twice in ratecert.methods, by guest_methods:"
    ):
        _ = rc.methods.Twice


def test_a_paper_is_asked_for_by_its_key(install: Install, capsys: pytest.CaptureFixture[str]) -> None:
    install({"papers": "example-paper = guest_paper"})
    assert rc.paper(key="example-paper").key == "example-paper"
    assert rc.lint("guest_paper.py") == []  # the same file, by its path
    assert main(["new", "mine"]) == 0
    text = Path("mine.py").read_text("utf-8").replace('key="mine"', 'key="example-paper"')
    Path("mine.py").write_text(text, encoding="utf-8")
    assert main(["lint", "mine.py"]) == 2
    assert "mine.py and guest_paper are two papers with the key 'example-paper'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("groups", "key", "sentence"),
    [
        (
            {"papers": "parallel-sgd = guest_paper"},
            "parallel-sgd",
            "guest_paper and ratecert.papers.parallel_sgd",
        ),
        (
            {"papers": "mine = guest_paper", "claims": "mine = guest_claims"},
            "mine",
            "mine is the key of guest_paper of the installed package guest and of guest_claims of the",
        ),
    ],
)
def test_a_key_with_two_meanings_is_refused(
    install: Install, groups: dict[str, str], key: str, sentence: str
) -> None:
    install(groups)
    with pytest.raises(rc.errors.UserError, match=sentence):
        rc.paper(key=key)


def test_claims_on_a_paper_of_others_are_verified(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install({"claims": "guest-claims = guest_claims"})
    assert main(["verify", "guest-claims", "--jobs", "1", "--out", "out"]) == 0
    (claim,) = json.loads(Path("out/results.json").read_text("utf-8"))["claims"]
    assert (claim["id"], claim["verdict"]) == ("guest-claims:half", "not refuted")
    assert claim["command"] == "ratecert verify guest-claims"
    capsys.readouterr()
    assert main(["lint", "guest-claims"]) == 2
    assert "has no PRINTED that is a Paper" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("CLAIMS = (", "NONE = (", "has no CLAIMS, so there is nothing to verify"),
        ("sgd-descent", "sgd-descend", "no statement has the id 'sgd-descend'"),
    ],
)
def test_claims_with_a_mistake_are_refused_before_they_run(
    install: Install, capsys: pytest.CaptureFixture[str], before: str, after: str, sentence: str
) -> None:
    Path("guest_claims.py").write_text(CLAIMS.replace(before, after), encoding="utf-8")
    install({"claims": "guest-claims = guest_claims"})
    assert main(["verify", "guest-claims", "--out", "out"]) == 2
    assert sentence in capsys.readouterr().err
