"""Statements of the library in the short form are the records that the long form writes out; one file mixes both."""

from pathlib import Path

import pytest
from sympy import Ge, sqrt

import ratecert as rc
from ratecert.base.asked import asked
from ratecert.catalogue.find import bindings

s = rc.statements
K, T, tau, b, eta, L, sigma, Delta = s.letters("K T tau b eta L sigma Delta")


def test_it_is_the_record_of_the_long_form() -> None:
    paper = rc.paper(key="pasgd")
    theorem, corollary = paper.the(s.Theorem, "theorem-1"), paper.the(s.Corollary, "corollary-1")
    assert theorem.terms == {
        "start": 2 * Delta / (eta * T),
        "noise": eta * L * sigma**2 / (K * b),
        "drift": eta**2 * L**2 * sigma**2 * (tau - 1) / b,
    }
    assert theorem.conditions == {"eta": s.Condition(eta * L + eta**2 * L**2 * tau * (tau - 1), "<=", (1,))}
    assert (theorem.measure_units, theorem.assumptions) == ("f^2 x^-2", ("smooth",))
    assert corollary.scalings == {
        "eta": s.Scaling(sqrt(K) / sqrt(T), "Theta"),
        "tau": s.Scaling(sqrt(T / K**3)),
        "b": s.Scaling(1),
    }
    assert (corollary.claim, corollary.window) == (s.Scaling(1 / sqrt(K * T)), (Ge(T, K**3),))
    looks = {name: (each.latex, each.units, each.least) for name, each in paper.notation.items()}
    assert [*looks] == ["K", "T", "tau", "b", "eta", "L", "sigma", "Delta"]
    assert (looks["K"], looks["b"]) == (("m", "1", 1), ("b", "1", 1))
    run = bindings("pasgd")["theorem-1"]
    assert run.constants == {"L": "L", "sigma": "sigma", "Delta": "gap"}
    assert (run.devices, run.iterations, run.measured) == ("K", "T", {})


def test_it_runs_as_the_class_does() -> None:
    """One world, both methods."""
    world = rc.worlds.single_level([2.0, 0.5], s=0.5)
    run = bindings("pasgd")["theorem-1"]
    solver = run.solver(rc.paper(key="pasgd"), {"eta": 0.1, "tau": 4.0, "b": 1.0})
    ours, theirs = (
        rc.expect(world, each, K=4, T=40, start={"x": [1.0, 1.0]}).gradient
        for each in (solver, rc.methods.SGD(alpha=0.1, p=4))
    )
    assert ours == pytest.approx(theirs, rel=1e-12)


BESIDE = '''"""A theorem, and what the short form cannot say."""

from sympy import sqrt

import ratecert as rc

s = rc.statements
n = rc.letter("n", means="number of iterations")
gamma, L, mu, R = rc.letters("gamma L mu R")
kappa = rc.define("kappa", L / mu, units="1", id="condition", title="Condition", source="Algorithm")
rho = rc.define("rho", 1 - 1 / sqrt(kappa), units="1")
z = rc.letter("z", means="what nobody runs", units="x^2")
unused = rc.letter("unused", means="in no statement")
SMOOTH = s.Assumption(id="own", title="", source="", sentence="F is L-smooth.", constants={"L": 0.0})


def step(x, grad, *, gamma):
    return x - gamma * grad(x)


once = rc.theorem(
    step, measure=rc.measures.distance().last(), bound=rho * R**2, where=[gamma <= 1 / (L + mu)],
    assuming=[SMOOTH], printed=False,
)
quoted = s.Theorem(
    id="quoted", title="", source="", algorithm="step-step", assumptions=("own",), measure="z", measure_units="x^2",
    conditions={"gamma": s.Condition(gamma, "<=", (1 / L,))}, terms={"start": rho * z},
)
WRONG = s.Erratum(place="quoted.term.start", printed=rho, read=rho**2, reason="", evidence="")
'''


@pytest.fixture
def beside(tmp_path: Path) -> str:
    path = tmp_path / "beside.py"
    path.write_text(BESIDE, encoding="utf-8")
    return asked(str(path))


def test_records_beside_theorems_are_made_of_the_same_letters(beside: str) -> None:
    printed = rc.paper(key=beside)
    rho, z = rc.statements.letters("rho z")
    assert printed["quoted"].terms == {"start": rho * z}  # type: ignore[attr-defined]
    assert rc.paper("repaired", beside)["quoted"].terms == {"start": rho**2 * z}  # type: ignore[attr-defined]
    assert [*printed.notation] == ["n", "gamma", "L", "mu", "R", "kappa", "rho", "z"]
    ids = [each.id for each in printed.of_kind(rc.statements.Definition)]
    assert ids == ["condition", "constant.rho"]  # what defines another comes before it
    assert printed["condition"].source == "Algorithm"
    assert (printed["once"].printed, printed["quoted"].printed) == (False, True)


def test_the_letter_for_iterations_is_the_one_that_the_file_has(beside: str) -> None:
    assert bindings(beside)["once"].iterations == "n"


def test_assumptions_that_are_given_are_all(beside: str) -> None:
    assert rc.paper(key=beside)["once"].assumptions == ("own",)  # type: ignore[attr-defined]


# A method of which nothing is run, devices that no formula counts, an erratum with a letter of its own.
MIXED = '''"""Mixed forms."""

import ratecert as rc
from sympy import log

T, K, gamma, L, R = rc.letters("T K gamma L R")
mu = rc.letter("mu", means="strong convexity")
late = rc.define("late", 1 / L + 1 / L, means="a step", id="a-step", source="Section 3")
later = rc.define("later", late * log(T), means="a longer step", source="Section 3")
PAPER = rc.about("Mixed forms", fractions={1 - gamma * L: "gamma L <= 1"})


def sgd(x, grad, *, gamma):
    return x - gamma * grad(x)


theorem_1 = rc.theorem(
    sgd, measure=rc.measures.distance().last(), bound=R**2, where=[gamma <= 1 / L], assuming=[rc.smooth], devices=K
)
theorem_2 = rc.theorem(
    None, measure=None, measure_units="x^2", measure_latex="d", bound=R**2, where=[gamma <= 1 / L], source="Section 3"
)
REMARKS = tuple(
    rc.statements.Text(id=id, title=id, source="below", sentence="More could be said.") for id in ("one", "two")
)
LOST = rc.statements.Erratum(
    place="theorem-1.term.start", printed=R**2, read=(1 - gamma * mu) ** (2 * T) * R**2, reason="", evidence=""
)
'''


@pytest.fixture
def mixed(tmp_path: Path) -> str:
    path = tmp_path / "mixed.py"
    path.write_text(MIXED, encoding="utf-8")
    return asked(str(path))


def test_what_stands_beside_the_theorems_is_stated_too(mixed: str) -> None:
    """A definition that has an id, though nothing uses it; texts in a tuple; not what is only a letter."""
    paper = rc.paper(key=mixed)
    assert {"one", "two", "a-step"} <= {*paper.statements}
    assert "constant.later" not in paper.statements
    assert [*paper.notation] == ["T", "K", "gamma", "L", "R", "mu", "late"]
    assert paper.fractions == {1 - s.letter("gamma") * L: "gamma L <= 1"}
    assert bindings(mixed)["theorem-1"].devices == "K"


def test_a_file_with_records_alone_is_a_paper(tmp_path: Path) -> None:
    path = tmp_path / "said.py"
    lines = MIXED.partition("def sgd")[0] + "REMARKS" + MIXED.partition("REMARKS")[2].partition("LOST")[0]
    path.write_text(lines, encoding="utf-8")
    assert [*rc.paper(key=asked(str(path))).statements] == ["one", "two", "a-step"]


def test_of_no_method_the_linter_alone_reads_the_theorem(mixed: str) -> None:
    assert [*bindings(mixed)] == ["theorem-1"]
    (found,) = rc.verify(f"{mixed}:theorem-2", quick=True)
    assert found.verdict == "not refuted"
    with pytest.raises(rc.errors.UserError, match="theorem-2"):
        rc.falsify(f"{mixed}:theorem-2", budget=10)


def test_an_erratum_may_speak_of_another_number_of_the_world(mixed: str) -> None:
    assert bindings(mixed)["theorem-1"].constants == {"L": "L", "R": "distance", "mu": "mu"}
    term = rc.paper("repaired", mixed).the(s.Theorem, "theorem-1").terms["start"]
    assert {str(each) for each in term.free_symbols} == {"T", "gamma", "mu", "R"}
    assert not rc.falsify(f"{mixed}:theorem-1", budget=30, variant="repaired").falsified
