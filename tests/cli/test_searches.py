"""What `falsify` and `check` say: which command is meant, earlier witnesses, wrong units, and what to do next."""

from dataclasses import replace
from pathlib import Path

import pytest

from ratecert.cli.main import main
from ratecert.search import finding

FALSE = '''"""Gradient descent contracts less than this says."""

import ratecert as rc

T, gamma, L, mu, R = rc.letters("T gamma L mu R")


def gradient_descent(x, grad, *, gamma):
    return x - gamma * grad(x)


theorem_1 = rc.theorem(
    gradient_descent,
    measure=rc.measures.distance().last(),
    bound=(1 - gamma * mu) ** (3 * T) * R**2,
    where=[gamma <= 1 / (2 * L)],
)
'''
SEARCH = ("falsify", "mine.py:theorem-1", "--budget", "16", "--jobs", "1")


@pytest.fixture(autouse=True)
def paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(FALSE, encoding="utf-8")
    (tmp_path / "other.py").write_text("import ratecert as rc\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return path


def test_a_counterexample_is_told_in_words_with_what_to_do_next(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(list(SEARCH)) == 0
    out = capsys.readouterr().out
    assert (
        "    that is     F has the Hessian diag(1, 1, 1) and its minimum at (0, 0, 0); gradients are exact; "
        in out
    )
    assert "a run from x = (0, 1, 0) on one device, for 1 iteration; gamma = 0.5\n" in out
    after = out.rpartition("ratecert ")[2].split()
    assert main(after) == 0
    assert "its units are wrong" not in out


def test_a_wrong_paper_is_told_with_the_right_one(capsys: pytest.CaptureFixture[str]) -> None:
    main(list(SEARCH))
    (witness, _) = sorted(map(str, Path("results/witnesses").glob("*.toml")))
    text = Path(witness).read_text("utf-8").replace("mine.py:", "else.py:")
    Path("w.toml").write_text(text, encoding="utf-8")
    capsys.readouterr()
    for wrong, said in {"other.py": "(you have named ", "no.py": "no.py, where there is no file"}.items():
        assert main(["check", "w.toml", "--paper", wrong]) == 2
        error = capsys.readouterr().err
        assert said in error
        assert "--paper else.py" in error


@pytest.mark.parametrize("earlier", [True, False])
def test_the_headline_says_that_an_earlier_witness_holds(
    earlier: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second search, which finds nothing, for a test."""
    main([*SEARCH, *(() if earlier else ("--out", "elsewhere"))])
    capsys.readouterr()
    found = finding.falsify
    monkeypatch.setattr(
        finding, "falsify", lambda *given, **how: replace(found(*given, **how), findings=(), largest=0.5)
    )
    assert main(list(SEARCH)) == 0
    first, *others = capsys.readouterr().out.splitlines()
    assert ("(printed): refuted by an earlier search, results/" in first) == earlier
    assert ("(printed): not refuted (largest ratio" in first) != earlier
    assert ("ratecert check results/" in others[-1]) == earlier


def test_wrong_units_are_said_in_a_line(paper: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paper.write_text(FALSE.replace("R**2,", "R, source='(1)',"), encoding="utf-8")
    assert main(list(SEARCH)) == 0
    assert (
        "  its units are wrong (1 place): R*(-gamma*mu + 1)**(3*T) has units x, needs units x^2, at theorem-1.term."
        in (capsys.readouterr().out)
    )


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["check", "mine.py"], "`ratecert falsify mine.py:theorem-1` searches"),
        (["prove", "mine.py:lemma"], "`ratecert falsify mine.py:lemma` searches"),
        (["falsify", "w.toml"], "`ratecert check` on the file computes it again"),
        (["lint", "w.toml"], "`ratecert check w.toml` computes"),
        (["verify", "w.toml"], "`ratecert check w.toml` computes"),
        (["explain", "w.toml"], "`ratecert check w.toml` computes"),
        (["sharpen", "w.toml"], "`ratecert check w.toml` computes"),
        (["falsify", "mine.py"], "such as mine.py:theorem-1"),
        (["falsify", "mine"], "did you mean the paper mine.py?"),
        (
            ["falsify", "parallel-sgd:sgd-descent", "--variant", "repaired"],
            "has no correction that could be tried",
        ),
    ],
    ids=" ".join,
)
def test_a_wrong_command_is_told_the_right_one(
    command: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("w.toml").write_text('format = 1\nstatement = "mine.py:theorem-1"\n', encoding="utf-8")
    assert main(command) == 2
    assert says in capsys.readouterr().err
