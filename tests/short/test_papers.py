"""A file with theorems is a paper: ids are its variables, and what else it says stands beside them."""

import re
from pathlib import Path

import pytest

import ratecert as rc
from ratecert.base.asked import asked
from ratecert.cli.main import main
from ratecert.explore import presets
from ratecert.explore.answer import answer
from ratecert.explore.state import read

FILE = '''"""On steps.

More is said below."""

from sympy import sqrt

import ratecert as rc

PAPER = rc.about("On steps", authors="A. Author", arxiv="1234.56789", certainty="text")
T, K, eta, L, sigma, Delta, eps = rc.letters("T K eta L sigma Delta eps")


def sgd(x, grad, *, eta):
    return x - eta * grad(x)


lemma_3_8_z = rc.theorem(
    sgd,
    measure=rc.measures.gradient(),
    bound=2 * Delta / (eta * T) + L * eta * sigma**2 / K,
    where=[eta <= 1 / L],
    source="Lemma 3.8",
    sentence="The mean of squared gradients is small.",
    latex=r"\\frac{2\\Delta}{\\eta T}+\\frac{L\\eta\\sigma^2}{K}",
)
in_T = rc.corollary(lemma_3_8_z, along={eta: sqrt(K / T)}, rate=1 / sqrt(K * T), window=[T >= K])
in_eps = rc.corollary(
    lemma_3_8_z, along={T: 1 / (K * eps**2), eta: K * eps}, rate=eps, window=[1 / K >= eps], same_as=in_T
)
costs = rc.cost(in_eps, iterations=1 / (K * eps**2), samples=1 / (K * eps**2), linear_speedup=True)
REMARK = rc.statements.Text(id="remark", title="A remark", source="below", sentence="More could be said.")
'''


@pytest.fixture
def paper(tmp_path: Path) -> str:
    path = tmp_path / "on_steps.py"
    path.write_text(FILE, encoding="utf-8")
    return str(path)


def test_its_statements_have_the_names_of_variables(paper: str) -> None:
    found = rc.paper(key=paper)
    assert (found.key, found.title) == ("on-steps", "On steps (A. Author, arXiv:1234.56789)")
    assert [*found.statements] == [
        "smooth", "bounded-variance", "sgd-step", "lemma-3-8-z", "in-T", "in-eps", "costs", "remark",
    ]  # fmt: skip
    assert rc.lint(paper) == []


def test_every_command_takes_it(paper: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", f"{paper}:lemma-3-8-z"]) == 0
    shown = capsys.readouterr().out
    assert "The mean of squared gradients is small." in shown
    assert "x = x - eta * grad(x)" in shown
    assert main(["lint", paper]) == 0
    assert not rc.falsify(
        f"{paper}:lemma-3-8-z", budget=40, jobs=2
    ).falsified  # workers load the file themselves
    (found,) = rc.verify(f"{paper}:in-T", quick=True)
    assert found.verdict == "not refuted"


def test_a_theorem_answers_itself() -> None:
    """Here in a module, as in a notebook: by its file, or in this process alone."""
    T, gamma, L, mu, R = rc.letters("T gamma L mu R")

    def gradient_descent(x, grad, *, gamma):  # type: ignore[no-untyped-def]
        return x - gamma * grad(x)

    true = rc.theorem(
        gradient_descent,
        measure=rc.measures.distance().last(),
        bound=(1 - gamma * mu) ** (2 * T) * R**2,
        where=[gamma > 0, gamma <= 1 / L],
    )
    false = rc.theorem(
        gradient_descent,
        measure=rc.measures.distance().last(),
        bound=(1 - gamma * mu) ** (3 * T) * R**2,
        where=[gamma > 0, gamma <= 1 / L],
    )
    holds, breaks = true.falsify(budget=40), false.falsify(budget=40)
    assert (holds.falsified, breaks.falsified) == (False, True)
    assert true.lint() == []
    assert "gradient descent" in repr(true).lower()
    assert "<math" in true._repr_html_()
    for outcome, said in ((holds, "not refuted (largest ratio 1 after"), (breaks, "refuted, after")):
        page = outcome._repr_html_()
        assert f": {said}" in re.sub(r"<h4>.*?\(printed\)", "", page)
        assert "<math" in page  # the statement, above
        assert "F has the Hessian" in page  # the world, in words
        assert "<p>measured: E[||x_T - x_*||" in page
        assert "say rc.letter(" in page  # the readings that were taken
    assert "toml" not in breaks._repr_html_()  # nothing is written
    cure = rc.theorem(
        gradient_descent,
        measure=rc.measures.distance().last(),
        bound=(1 - gamma * mu) ** (2 * T) * R**2,
        where=[gamma > 0, gamma <= 1 / L],
        repairs=false,
        because="the exponent",
    )
    found = cure.falsify(budget=40)
    assert (found.case.variant, found.falsified) == ("repaired", False)


MISTAKES = {
    "assigned-again": (
        "lemma_3_8_z = rc.theorem(\n    sgd, measure=rc.measures.gap(), bound=2 * Delta)\n",
        r"on_steps.py, line \d+: lemma_3_8_z = rc.theorem\(: lemma_3_8_z is another theorem from line \d+ on",
    ),
    "two-of-one-name": (
        "lemma = rc.theorem(sgd, measure=rc.measures.gradient(), bound=2 * Delta / (eta * T), id='lemma-3-8-z')\n",
        r"another theorem with the id 'lemma-3-8-z'",
    ),
    "other-units": (
        "other = rc.theorem(sgd, measure=rc.measures.gap(), bound=2 * Delta / (eta * T))\n",
        r"on_steps.py, line \d+: .*the measure has the units f, and the term start .* has f\^2 x\^-2; .*source=",
    ),
    "no-units": (
        "own = rc.theorem(sgd, measure=rc.measures.form(lambda problem, s: s.x), bound=Delta)\n",
        r"write measure_units='x\^2'",
    ),
    "two-units": (
        "own = rc.theorem(sgd, measure=rc.measures.gap() + rc.measures.distance(), bound=Delta)\n",
        r"the measure adds what has the units f and x\^2",
    ),
    "no-measure": (
        "own = rc.theorem(sgd, measure=Delta, bound=Delta)\n",
        "measure must be one of rc.measures",
    ),
    "no-bound": (
        "own = rc.theorem(sgd, measure=rc.measures.gap(), bound='Delta')\n",
        "bound must be a formula",
    ),
    "no-where": (
        "own = rc.theorem(sgd, measure=rc.measures.gap(), bound=Delta, where='eta <= 1 / L')\n",
        "where must be a list of conditions",
    ),
    "no-hyperparameter": (
        "own = rc.theorem(sgd, measure=rc.measures.gap(), bound=Delta, hyperparameters={'step': eta})\n",
        "sgd has no hyperparameter 'step'; it has eta",
    ),
    "no-argument": (
        "own = rc.theorem(sgd, measure=rc.measures.gap(), bound=Delta, boundary=1)\n",
        "boundary is no argument of rc.theorem; did you mean bound",
    ),
    "no-letter-of-that-name": (
        "def step(x, grad, *, stepsize):\n    return x - stepsize * grad(x)\n\n\n"
        "own = rc.theorem(step, measure=rc.measures.gap(), bound=Delta)\n",
        "stepsize has to be a letter, and stepsize is no letter",
    ),
    "another-meaning": (
        "Delta = rc.letter('Delta', means='distance of the start')\n"
        "own = rc.theorem(sgd, measure=rc.measures.distance(), bound=Delta**2)\n",
        r"line \d+: Delta = .*: Delta means 'distance of the start' here, and 'gap at the start' in .* line 10",
    ),
    "no-theorem": ("own = rc.corollary('lemma', along={}, rate=1)\n", "theorem must be one of rc.theorem"),
    "no-field": ("own = rc.about('On steps', author='A')\n", "author is no field of a paper"),
    "assigned-to-something-else": (
        "def lemma_3_8_z():\n    pass\n",
        r"line \d+: lemma_3_8_z = rc.theorem\(: a theorem needs a variable of its own.*, and lemma_3_8_z is <function",
    ),
    "measure-not-called": (
        "own = rc.theorem(sgd, measure=rc.measures.gap().last, bound=Delta)\n",
        r"measure must be one of .* \(call it: last\(\)\)",
    ),
    "worlds-as-a-text": (
        "own = rc.theorem(sgd, measure=rc.measures.gap(), bound=Delta, worlds='quadratics')\n",
        r"worlds must be a list such as \['quadratics'\]",
    ),
    "field-that-is-not-there": (
        "own = rc.theorem(sgd, measure=rc.measures.distance('z'), bound=Delta / L)\n",
        "measure reads the field 'z', and sgd has x",
    ),
    "returns-nothing": (
        "def lost(x, grad):\n    x = x - grad(x)\n\n\nown = rc.theorem(lost, measure=rc.measures.gap(), bound=Delta)\n",
        r"lost \(on_steps.py, line \d+\) returns nothing and takes 1: x; return the next x",
    ),
    "two-titles": ("AGAIN = rc.about('Other steps')\n", r"line \d+: AGAIN = .* a second time"),
    "cost-of-a-theorem": (
        "own = rc.cost(lemma_3_8_z, iterations=1 / eps)\n",
        "corollary must be one of rc.corollary",
    ),
    "counts-of-nothing": (
        "own = rc.cost(in_eps, iters=1 / eps)\n",
        "counts iterations, samples, rounds, got 'iters'",
    ),
    "along-a-list": ("own = rc.corollary(lemma_3_8_z, along=[eta], rate=eps)\n", "along must be a mapping"),
    "same-as-a-theorem": (
        "own = rc.corollary(lemma_3_8_z, along={eta: 1}, rate=eps, same_as=lemma_3_8_z)\n",
        "same_as must be one of rc.corollary",
    ),
    "repairs-a-name": (
        "own = rc.theorem(sgd, measure=rc.measures.gap(), bound=Delta, repairs='lemma')\n",
        "repairs must be a theorem",
    ),
    "assuming-a-name": (
        "own = rc.theorem(sgd, measure=rc.measures.gap(), bound=Delta, assuming=['smooth'])\n",
        "assuming must be a list of assumptions",
    ),
    "no-terms": (
        "own = rc.theorem(sgd, measure=rc.measures.gap(), bound={})\n",
        "bound must be a formula of letters",
    ),
    "divides-by-zero": ("own = Delta / 0\n", "a formula divides by zero"),
    "infinite": ("own = eta <= float('inf')\n", "a formula has no inf"),
    "sqrt-of-math": ("import math\n\nown = math.sqrt(T)\n", "T is a formula; take SymPy's"),
    "sqrt-of-numpy": ("import numpy\n\nown = numpy.sqrt(T)\n", "T is a formula; take SymPy's"),
    "lost": (
        "cure = rc.theorem(sgd, measure=rc.measures.gap(), bound=Delta, because='so', repairs=rc.theorem(\n"
        "    sgd, measure=rc.measures.gap(), bound=2 * Delta))\n",
        "repairs= names a theorem that has no variable in this file",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_sentence_with_its_line(name: str, tmp_path: Path) -> None:
    lines, says = MISTAKES[name]
    path = tmp_path / "on_steps.py"
    path.write_text(FILE + lines, encoding="utf-8")
    with pytest.raises(rc.errors.UserError, match=says) as caught:
        rc.lint(str(path))
    assert "line " in str(caught.value)
    assert "Traceback" not in str(caught.value)


def test_what_is_stated_without_a_variable_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "on_steps.py"
    alone = FILE.partition("in_T =")[0].replace("lemma_3_8_z = ", "")
    follows = FILE.partition("in_eps =")[0].replace("in_T = ", "")
    for text, says in {alone: r"rc.theorem\(: a theorem needs", follows: "what follows needs"}.items():
        path.write_text(text, encoding="utf-8")
        with pytest.raises(rc.errors.UserError, match=rf"line \d+: .*{says} a variable of its own"):
            rc.lint(str(path))


STEPS = {  # a step -> whether its numbers stand for units
    "def step(x, grad, *, eta):\n    return x - eta * grad(x)\n": False,
    "def step(x, grad):\n    return x - 0.1 * grad(x)\n": True,
    "def step(x, m=0, *, grad, eta, q):\n    m = q * m + (1 - q) * grad(x)\n    return x - eta * m, m\n": False,
    "def step(x, m=0, *, grad, eta, beta):\n    m = beta * m + grad(x)\n    return x - m, m\n": True,
    "def step(x, grad, *, eta):\n    return x - eta * grad(x) + eta * x\n": True,
    "def step(x, z='x', *, grad, eta):\n    return x - eta * grad.full(z), 2 * x - z\n": False,
    "def step(x, grad, *, eta):\n    return x - (1 - eta) * grad(x)\n": True,
}


@pytest.mark.parametrize("step", STEPS)
def test_numbers_of_a_step_that_have_units_are_seen(step: str, tmp_path: Path) -> None:
    path = tmp_path / "stepping.py"
    head = "import ratecert as rc\n\nR, beta, eta, q = rc.letters('R beta eta q')\n\n\n"
    stated = "\n\ntheorem = rc.theorem(step, measure=rc.measures.distance(), bound=R**2)\n"
    path.write_text(head + step + stated, encoding="utf-8")
    found = [each for each in rc.lint(str(path)) if each.severity != "note"]
    assert {(each.kind, each.severity) for each in found} == (
        {("units", "warning")} if STEPS[step] else set()
    )
    assert all(each.place.startswith("step-step.") for each in found)


def test_the_explorer_opens_it(paper: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["ratecert"])
    state = presets.named(asked(f"{paper}:lemma-3-8-z"))
    assert answer(read(state.query, "LocalBSGM"))["bound"]["ratio"] <= 1


def test_a_docstring_is_the_title_and_no_markup_of_a_page(tmp_path: Path) -> None:
    path = tmp_path / "titled.py"
    lines = "def sgd(x, grad, *, eta):\n"
    path.write_text(FILE.replace(lines, f'{lines}    """<b>Stochastic</b> gradients."""\n'), encoding="utf-8")
    assert rc.paper(key=str(path))["lemma-3-8-z"].title == "<b>Stochastic</b> gradients"
    page = rc.falsify(f"{path}:lemma-3-8-z", budget=20)._repr_html_()
    assert "&lt;b&gt;Stochastic" in page
    assert "<b>" not in page


def test_a_theorem_is_restated_with_other_parts() -> None:
    """An unknown one is refused; the id, and what it corrected, are not taken over."""
    T, gamma, R = rc.letters("T gamma R")
    first = rc.theorem(
        rc.methods.SGD,
        hyperparameters={"alpha": gamma},
        measure=rc.measures.distance().last(),
        bound=R**2,
        id="first",
        title="One",
        because="no reason",
        most_iterations=8,
    )
    second = first.restated(bound=R**2 / T, blind="nothing")
    assert (second.title, second.id, second.because) == ("One", "", "")
    assert second.theorem.terms["start"] == (R**2 / T).value
    assert second.place.line > first.place.line
    assert second.binding is not None
    assert (second.binding.most_iterations, second.binding.blind) == (8, "nothing")
    assert first.theorem.terms["start"] == (R**2).value
    with pytest.raises(
        rc.errors.UserTypeError, match=r"bond is no argument of rc.theorem; did you mean bound"
    ):
        first.restated(bond=R)


def test_a_letter_that_only_the_method_has_is_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The period of local steps, in no term and in no condition; another one is noted."""
    text = (Path(__file__).parents[2] / "docs" / "theorems" / "local_sgd.py").read_text(encoding="utf-8")
    path = tmp_path / "no_period.py"
    path.write_text(
        text.replace("\n    + 2 * L * gamma**2 * (p - 1) * sigma**2 / mu,", ","), encoding="utf-8"
    )
    assert main(["lint", str(path), "--all"]) == 0
    assert "notation.p" not in capsys.readouterr().out
    other = tmp_path / "no_length.py"
    other.write_text(
        path.read_text(encoding="utf-8").replace("(1 - gamma * mu) ** T * ", ""), encoding="utf-8"
    )
    assert main(["lint", str(other), "--all"]) == 0
    assert "notation.T: note" in capsys.readouterr().out
