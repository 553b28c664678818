"""A paper of one's own, from one file: commands take it, seeded mistakes are found, the sound one is clean."""

import json
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.base.asked import asked
from ratecert.binding.outcomes import FAMILIES
from ratecert.binding.setting import Setting
from ratecert.claims.claim import Budget, Task
from ratecert.cli.main import main
from ratecert.errors import NothingTriedError, UndecidedError, UserError
from ratecert.run.tasks import key as key_of
from ratecert.verdicts.collect import claims_of

EXAMPLE = Path(__file__).parents[1] / "oracles" / "long_form.py"
THEOREM = "theorem-1"


@pytest.fixture
def paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """In the long form, with the test that `ratecert new` writes beside a paper."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert main(["new", "my_paper"]) == 0
    text = EXAMPLE.read_text(encoding="utf-8").replace("example-paper", "my-paper")
    (tmp_path / "my_paper.py").write_text(text, encoding="utf-8")
    return tmp_path / "my_paper.py"


def edited(path: Path, before: str, after: str, name: str = "other.py") -> str:
    """The key of a copy in which one thing is changed."""
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1, before
    other = path.parent / name
    other.write_text(text.replace(before, after), encoding="utf-8")
    return str(other)


def test_the_sound_one_is_clean(paper: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert rc.lint(str(paper)) == []
    outcome = rc.falsify(f"{paper}:{THEOREM}", budget=80)
    assert not outcome.falsified
    assert outcome.inside == outcome.tried > 40
    assert 0.99 < outcome.largest <= 1  # it is attained
    assert main(["lint", "my_paper.py"]) == 0
    assert main(["explain", "my_paper.py"]) == 0
    assert main(["explain", f"my_paper.py:{THEOREM}"]) == 0
    assert "Convergence of parallel SGD" in capsys.readouterr().out


def test_notes_do_not_fail_the_generated_test_nor_the_command(paper: Path) -> None:
    """Warnings and errors fail the test, errors alone the command."""
    suite: dict[str, Any] = {"__file__": str(paper)}
    exec(paper.with_name("test_my_paper.py").read_text(encoding="utf-8"), suite)
    spare = '    s.Symbol("Delta", '
    unused = edited(
        paper, spare, f'    s.Symbol("spare", "w", "a letter of no statement"),\n{spare}', "noted.py"
    )
    assert [finding.severity for finding in rc.lint(unused)] == ["note"]
    assert main(["lint", unused]) == 0
    suite["PAPER"] = unused
    suite["test_the_statements_are_sound"]()
    suite["PAPER"] = edited(paper, *MISTAKES["sigma for sigma^2"], "units.py")
    assert main(["lint", suite["PAPER"]]) == 1
    with pytest.raises(AssertionError):
        suite["test_the_statements_are_sound"]()


MISTAKES = {
    "K^2 for K": ("sigma**2 / K}", "sigma**2 / K**2}"),
    "a condition too wide": ("(1 / L,)", "(5 / (2 * L),)"),
    "a constant halved": ("2 * Delta / (alpha * T)", "Delta / (alpha * T)"),
    "sigma for sigma^2": ("sigma**2 / K}", "sigma / K}"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_wrong_theorem_is_refuted(paper: Path, mistake: str) -> None:
    """With a witness, which is confirmed by an enclosure, and which the sound theorem survives."""
    outcome = rc.falsify(f"{edited(paper, *MISTAKES[mistake])}:{THEOREM}", budget=80)
    assert outcome.falsified
    assert outcome.broken_after is not None
    simple = outcome.findings[0].simple
    assert simple.again.how.startswith("enclosed")
    assert simple.again.measured > simple.again.bound


def test_an_erratum_is_blamed(paper: Path) -> None:
    """The bound is exceeded twofold at most, so that the first search is never satisfied, and leaves some worlds."""
    text = paper.read_text(encoding="utf-8").replace("2 * Delta / (alpha * T)", "Delta / (alpha * T)")
    text += """
REPAIRED = PRINTED.repaired((s.Erratum(
    place="theorem-1.term.start", printed=Delta / (alpha * T), read=2 * Delta / (alpha * T),
    reason="the sum telescopes to half of it", evidence="ratecert falsify"),))
"""
    (paper.parent / "errata.py").write_text(text, encoding="utf-8")
    outcome = rc.falsify("errata.py:theorem-1", budget=80)
    assert [f.simple.witness.place for f in outcome.findings] == ["theorem-1.term.start"]
    assert outcome.tried <= 80
    assert not rc.falsify("errata.py:theorem-1", "repaired", budget=20).falsified


def test_a_witness_that_is_stale_is_removed_and_one_that_holds_is_named(
    paper: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sound, out = paper.read_text(encoding="utf-8"), paper.parent / "results" / "witnesses"
    search = ["falsify", "my_paper.py:theorem-1", "--jobs", "1", "--budget"]
    paper.write_text(sound.replace("2 * Delta / (alpha * T)", "Delta / (alpha * T)"), encoding="utf-8")
    assert main([*search, "80"]) == 0
    both = [out / f"my_paper.theorem-1.printed{end}.toml" for end in ("", ".simple")]
    other = out / "my_paper.theorem-1.repaired.toml"
    other.write_bytes(both[0].read_bytes())
    older = both[0].with_name("my_paper.theorem-1.printed-start.toml")
    older.write_bytes(both[0].read_bytes())
    capsys.readouterr()
    assert main([*search, "80"]) == 0  # it holds, though this search does not write it
    assert (
        f"{older.relative_to(paper.parent)}, of an earlier search, still breaks it" in capsys.readouterr().out
    )
    paper.write_text(sound, encoding="utf-8")
    assert main([*search, "40", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["falsified"], found["earlier"]) == (False, [])
    assert sorted(found["removed"]) == sorted(str(each.relative_to(paper.parent)) for each in (*both, older))
    assert list(out.iterdir()) == [other]


DOCS = Path(__file__).parents[2] / "docs"
HEAVY_BALL = (DOCS / "theorems" / "heavy_ball.py").read_text(encoding="utf-8")


@pytest.fixture
def heavy_ball(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The paper of the page, where its commands look for it."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "docs" / "theorems" / "heavy_ball.py"
    path.parent.mkdir(parents=True)
    path.write_text(HEAVY_BALL, encoding="utf-8")
    return path


@pytest.mark.nightly
def test_the_page_shows_what_is_printed_of_heavy_ball(
    heavy_ball: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Command by command; what it and the README show of the file is there."""
    section = (
        (DOCS / "your_own_paper.md").read_text(encoding="utf-8").partition("## An example: heavy ball\n")[2]
    )
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    parts = [part for text in (section, readme) for part in re.findall(r"```py\n(.*?)```", text, re.DOTALL)]
    assert len(parts) == 2
    assert all(part in HEAVY_BALL for part in parts)
    (block,) = re.findall(r"```text\n(.*?)```", section, re.DOTALL)
    shown = dict(re.findall(r"\$ (.*)\n((?:(?!\$).*\n)*)", block))
    assert [line.split()[1] for line in shown] == ["lint", "falsify", "check"]
    for line, said in shown.items():
        assert main(line.split()[1:]) == 0
        printed = capsys.readouterr().out
        assert printed == said or "check" in line
    for line, said in re.findall(r"^\$ (.*)\n((?:(?!\$|```).*\n)*)", readme, re.MULTILINE):
        assert main(line.split()[1:]) == 0
        assert set(said.splitlines()) <= set(capsys.readouterr().out.splitlines())


@pytest.mark.nightly
def test_heavy_ball_is_sound_with_the_factor_that_was_lost(heavy_ball: Path) -> None:
    """The ratio that the page shows is the closed form of the limit where alpha = (1 - beta)/L."""
    outcome = rc.falsify(f"{heavy_ball}:{THEOREM}", "repaired", budget=100)
    assert not outcome.falsified
    assert 0.6 < outcome.largest < 1
    beta = 0.9
    limit = rc.falsify(f"{heavy_ball}:{THEOREM}", budget=200).largest
    assert limit == pytest.approx((1 + beta) / ((1 - beta) * (1 + 3 * beta)), rel=1e-3)


def verified(*arguments: str, code: int) -> dict[str, Any]:
    """The claims of a whole run, by id."""
    assert main(["verify", *arguments, "--quick", "--jobs", "1", "--out", "out"]) == code
    found = json.loads(Path("out/results.json").read_text(encoding="utf-8"))
    return {claim["id"]: claim for claim in found["claims"]}


def test_verdicts_follow_from_the_data(paper: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Theorem and corollary, nothing else is written; what is stored belongs to the text of the file."""
    found = verified("my_paper.py", code=0)
    assert "Nothing is refuted." in capsys.readouterr().out
    ids = ["my_paper.py:theorem-1", "my_paper.py:corollary-1"]
    assert {id: claim["verdict"] for id, claim in found.items()} == dict.fromkeys(ids, "not refuted")
    assert found[ids[1]]["measured"] == pytest.approx(-0.5, abs=1e-3)
    assert found[ids[1]]["command"] == "ratecert verify my_paper.py --quick"
    verified("my_paper.py", code=0)
    assert "0 computed, 6 stored" in Path("out/run.json").read_text(encoding="utf-8")
    text = paper.read_text(encoding="utf-8").replace("sigma**2 / K}", "sigma**2 / K**2}")
    paper.write_text(text.replace("1 / sqrt(K * T)", "1 / (K * sqrt(T))"), encoding="utf-8")
    capsys.readouterr()
    found = verified("my_paper.py", code=1)
    said = capsys.readouterr()
    assert "ratecert: my_paper.py:theorem-1 is refuted: largest measured/bound" in said.err
    assert "expected" not in said.err + said.out
    assert "expected: " not in Path("out/index.html").read_text(encoding="utf-8")
    assert "6 computed, 0 stored" in Path("out/run.json").read_text(encoding="utf-8")
    assert {claim["verdict"] for claim in found.values()} == {"refuted"}


OWN_CLAIM = """

from ratecert.claims import Claim, Task, equal
from beside import half


def tasks(budget):
    return [Task(half, {"of": 4.0})]


CLAIMS = (Claim(
    id="theorem-1.half", of=("theorem-1",), sentence="Half of four is two.", tasks=tasks,
    checks=lambda rows: [equal("half of four", rows[0]["half"], 2.0, 1e-9)],
    regime="everywhere", method="division", evidence=("closed forms",), settings={}, table=("of", "half"),
),)
"""


def with_an_own_claim(paper: Path, body: str) -> str:
    """A copy without RUNS, whose claim calls a function beside it."""
    name = edited(paper, "RUNS = {", "NO_RUNS = {")
    with Path(name).open("a", encoding="utf-8") as file:
        file.write(OWN_CLAIM)
    text = f"def half(of):\n    return [{{'half': {body}}}]\n"
    (paper.parent / "beside.py").write_text(text, encoding="utf-8")
    return "other.py"


def test_an_own_claim_belongs_to_the_code_beside_the_paper(
    paper: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is stored of it is another task after a change; an old task is not computed with new code."""
    monkeypatch.setattr(sys, "modules", {**sys.modules})

    def task() -> Task:
        (claim,) = claims_of(asked("other.py")).values()
        (found,) = claim.tasks(Budget())
        return found

    with_an_own_claim(paper, "of / 2")
    before = task()
    assert before.function(**before.arguments) == [{"half": 2.0}]
    assert key_of(task()) == key_of(before)
    with_an_own_claim(paper, "of / 2 + 0")
    assert key_of(task()) != key_of(before)
    with pytest.raises(UndecidedError, match=r"other.py has changed since this run began"):
        before.function(**before.arguments)


@pytest.mark.nightly
def test_workers_find_the_function_of_an_own_claim(paper: Path) -> None:
    """Also where no task before it has loaded the paper; a mistake in the function leaves the claim undecided."""
    verify = f"{sys.executable} -m ratecert verify other.py --quick --out out --jobs 2".split()
    for body, verdict in (("of / 2", "not refuted"), ("of / 3", "refuted"), ("of / 0", "undecided")):
        with_an_own_claim(paper, body)
        done = subprocess.run(verify, capture_output=True, text=True, check=False)
        assert done.returncode == int(verdict != "not refuted"), done.stderr
        (claim,) = json.loads(Path("out/results.json").read_text(encoding="utf-8"))["claims"]
        assert claim["verdict"] == verdict
    assert "half (beside.py, line 2) raised ZeroDivisionError" in claim["reason"]


def test_an_own_claim_without_a_function_that_others_find_is_refused(
    paper: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with paper.open("a", encoding="utf-8") as file:
        file.write(OWN_CLAIM.replace("from beside import half", "half = lambda of: []"))
    assert main(["verify", "my_paper.py", "--out", "out"]) == 2
    assert "must stand at the top of a module, where other processes find it" in capsys.readouterr().err


BAD = {
    "a constant that no world gives": ('"sigma": "sigma"', '"sigma": "zeta"', "no constant 'zeta' for the letter"),
    "no such worlds": ('worlds=("single_level",)', 'worlds=("double",)', "must be among single_level, .*'double'"),
    "no paper": ("PRINTED = s.Paper", "PRINT = s.Paper", "states no theorem"),
    "a mistake": ("alpha: float", "alpha: flaot", r"other.py, line \d+: .*flaot; NameError: name 'flaot'"),
    "no Python": ("import ratecert as rc", "import ratecert as", r"line \d+: import ratecert as; SyntaxE"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_mistake_is_one_sentence_with_its_place(paper: Path, name: str) -> None:
    before, after, sentence = BAD[name]
    wrong = edited(paper, before, after)
    with pytest.raises(UserError, match=sentence):
        rc.falsify(f"{wrong}:{THEOREM}", budget=64)


NO_PAPER = [
    (["lint", "nowhere.py"], "nowhere.py: there is no such file"),
    (["lint", "no.such.module"], "the path of a file such as my_paper.py, or a module, got 'no.such.module'"),
    (["lint", "json.nothing"], "json.nothing is neither a paper of ratecert nor a file nor a module"),
    (["lint", "nothing"], "paper must be one of federated-bilevel, parallel-sgd, of the library"),
    (["lint", "svgr"], "got 'svgr'; did you mean svrg or sg?"),
    (["falsify", "svrg"], "svrg is a paper; of its statements, which `ratecert explain svrg` lists, name one"),
    (["verify", "svgr"], "no claim is called 'svgr'; did you mean svrg"),
    (["falsify", "my_paper.py:corollary-1"], "no inequality that an instance could break; of my_paper.py those that "
     "are: my_paper.py:theorem-1. For the others there is `ratecert verify`."),
    (["sharpen", "my_paper.py:corollary-1"], "only theorems have terms to sharpen: my_paper.py:theorem-1."),
    (["new", "my_paper"], "is there already"),
    (["new", "my-paper.py"], "NAME must be a Python name"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "sentence"), NO_PAPER)
def test_what_is_no_paper_is_refused(
    paper: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    assert main(arguments) == 2
    assert sentence in capsys.readouterr().err


def test_two_papers_with_one_key_are_refused(paper: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In one command, and against a paper that comes with the package; both places are named."""
    edited(paper, "1 / sqrt(K * T)", "1 / (K * T)")
    edited(paper, 'key="my-paper"', 'key="parallel-sgd"', "taken.py")
    edited(paper, 'key="my-paper"', 'key="local-sgd-identical"', "shelved.py")
    for arguments, sentence in (
        (
            ["verify", "my_paper.py", "other.py"],
            "my_paper.py and other.py are two papers with the key 'my-paper'",
        ),
        (["lint", "taken.py"], "taken.py and ratecert.papers.parallel_sgd are two papers with the key"),
        (["lint", "shelved.py"], "shelved.py and ratecert.papers.library.local_sgd_identical are two papers"),
    ):
        assert main(arguments) == 2
        assert sentence in capsys.readouterr().err


def test_one_paper_named_twice_is_one_paper(paper: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same file, and the package's own papers by the names of their modules."""
    edited(paper, "RUNS = {", "NO_RUNS = {")
    assert main(["verify", "other.py", "./other.py"]) == 2
    assert "has nothing to verify" in capsys.readouterr().err
    assert rc.paper(key="ratecert.papers.parallel_sgd").key == "parallel-sgd"
    assert rc.paper(key="ratecert.papers.library.local_sgd_identical").key == "local-sgd-identical"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('"Delta": "gap"', '"Delta": lambda setting: setting.nothing', "AttributeError: .*nothing"),
        ("self.alpha * g(state.x)", "(1 / 0) * g(state.x)", "ZeroDivisionError"),
    ],
    ids=["a constant", "a step"],
)
def test_a_mistake_in_the_papers_own_lines_is_shown_with_its_line(
    paper: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, said: str
) -> None:
    """By falsify in one sentence; by verify as an undecided claim with that sentence. Not as a bug of ratecert."""
    edited(paper, before, after)
    for command, code in ((f"falsify other.py:{THEOREM} --budget 64", 2), ("verify other.py --quick", 1)):
        assert main([*command.split(), "--jobs", "1"]) == code
        told = " ".join(capsys.readouterr().err.split())
        assert re.search(rf"other.py, line \d+.*{said}", told)
        assert ("theorem-1 is undecided: " in told) is (code == 1)
        assert "bug in ratecert" not in told


def test_an_algorithm_need_not_be_comparable(paper: Path) -> None:
    """Two of the same steps may differ for Python, as where they are no records or hold arrays."""
    edited(paper, "    alpha: float\n", "    alpha: float\n    __eq__ = object.__eq__\n")
    outcome = rc.falsify(f"other.py:{THEOREM}", budget=64)
    assert outcome.inside == outcome.tried > 40


def test_conditions_that_admit_nothing_give_no_verdict(paper: Path) -> None:
    empty = edited(paper, "(1 / L,)", "(1 / L,)), 'K': s.Condition(K, '<', (1 / K,)")
    with pytest.raises(NothingTriedError, match=r"of \d+ worlds none was inside the conditions.*: .*K"):
        rc.falsify(f"{empty}:{THEOREM}", budget=64)
    (found,) = rc.verify(f"{empty}:{THEOREM}", quick=True)
    assert found.verdict == "undecided"
    assert "none was inside the conditions" in found.reason


def test_a_start_at_a_rounding_of_the_minimiser_is_off_it() -> None:
    """x* = 3/23 is no double: both sides know how far the start is from it, and a true bound holds there."""
    family = FAMILIES["federated"]
    world = family.world({**family.usual, "uneven": 1.3, "apart": 1.0})
    known = Setting(world, 2, 1, {"x": world.x_star}).constants
    curved = [[Fraction(h) for h in np.diag(device.H).tolist()] for device in world.devices]
    exact = [(one - two) / (one + two) for one, two in zip(*curved, strict=True)]  # minimisers at 1 and -1
    away = [Fraction(x) - truth for x, truth in zip(world.x_star.tolist(), exact, strict=True)]
    assert any(away)
    squared = sum(each**2 for each in away)
    assert Fraction(known["squared_distance"]) >= squared > 0.5 * Fraction(known["squared_distance"])
    assert Fraction(known["distance"]) ** 2 >= squared
    assert known["gap"] > 0
    away_by_1 = Setting(rc.worlds.single_level([1.0, 4.0]), 1, 1, {"x": [1.0, 1.0]}).constants
    assert (away_by_1["squared_distance"], away_by_1["gap"]) == (2.0, 2.5)  # exact where they are doubles
