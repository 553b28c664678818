"""Proofs of theorems that are bound to runs by data: papers of one's own, what is refused, and the engines."""

import math
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import mpmath
import pytest

import ratecert as rc
from oracles.edited_numbers import survivors
from ratecert.base.asked import asked
from ratecert.base.errors import NotExactError, WitnessError
from ratecert.catalogue.cases import case_for, case_of, stored
from ratecert.cli.main import main
from ratecert.proofs import prove as proving
from ratecert.proofs.method import written
from ratecert.proofs.prove import Proof, prove
from ratecert.proofs.script import Script
from ratecert.proofs.theorem import refuted
from ratecert.proofs.world import directions_of, simple
from ratecert.search import witness
from ratecert.search.case import Case
from ratecert.search.witness import Witness

s = rc.statements
HEAVY_BALL = Path(__file__).parents[2] / "docs" / "theorems" / "heavy_ball.py"
asked(str(HEAVY_BALL))
AT_REST = {"L": 1.0, "spread": 1.0, "x_off": 0.0, "s": 1.0}
STORED = {w.statement: w for w in map(witness.read, stored()) if ":" in w.statement}


def proved(found: Witness) -> Proof:
    return prove(case_for(found), found)


def heavy_ball() -> Case:
    return case_of(f"{HEAVY_BALL}:theorem-1", "printed")


def of(statement: str, **tables) -> Witness:
    return Witness(statement=asked(statement), variant="printed", place="", ratio=2.0, instance=tables)


def replay(tmp_path: Path, text: str) -> subprocess.CompletedProcess:
    path = tmp_path / "proof.py"
    path.write_text(text, encoding="utf-8")
    return subprocess.run([sys.executable, "-I", "-S", str(path)], capture_output=True, text=True, timeout=60)


# A paper of one's own.


@pytest.fixture
def long(new, tmp_path: Path):
    """The same of the example in the long form."""
    text = (Path(__file__).parents[1] / "oracles" / "long_form.py").read_text(encoding="utf-8")
    (tmp_path / "my_paper.py").write_text(text.replace("example-paper", "my-paper"), encoding="utf-8")
    return new


@pytest.fixture
def new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The key of the paper that `ratecert new` writes, with one thing changed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert main(["new", "my_paper"]) == 0

    def changed(before: str, after: str) -> str:
        text = (tmp_path / "my_paper.py").read_text(encoding="utf-8")
        assert text.count(before) == 1
        (tmp_path / "other.py").write_text(text.replace(before, after), encoding="utf-8")
        return asked(f"{tmp_path / 'other.py'}:theorem-1")

    return changed


MISTAKES = {  # what is printed and what stands there; s, x_off, K, T and alpha; measure/bound
    "halved": ("2 * Delta / (alpha * T)", "Delta / (alpha * T)", (0.0, 1.0, 1, 1, 1.0), 2),
    "K squared": ("sigma**2 / K,", "sigma**2 / K**2,", (1.0, 0.0, 2, 4, 1.0), Fraction(3, 2)),
    "too wide": ("alpha <= 1 / L", "5 / (2 * L) >= alpha", (1.0, 0.0, 1, 4, 2.0), 3),
    "a root": ("sigma**2 / K,", "sigma / K, source='as printed',", (1.0, 0.0, 1, 8, 1.0), 1.237436867),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_a_paper_of_ones_own_is_proved(new, tmp_path, mistake):
    before, after, (noise, x_off, K, T, alpha), ratio = MISTAKES[mistake]
    world, run = {**AT_REST, "s": noise, "x_off": x_off}, {"K": K, "T": T}
    proof = proved(of(new(before, after), single_level=world, run=run, letters={"alpha": alpha}))
    assert proof.name == "other.theorem-1"
    assert not proof.instead
    assert math.isclose(proof.ratio, ratio, rel_tol=1e-9)
    done = replay(tmp_path, proof.text)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("proved: theorem-1 is false as printed, measure/bound is about ")
    assert survivors(proof.text) == []


STEP = "return rc.contract.State(x=state.x - self.alpha * g(state.x))"
STAGE, MEASURE = 'repeats=1, averaged=("x",)', "rc.measures.gradient()"
NO_FRACTIONS = {  # what stands there, and what is said of it
    "drawn devices": (STAGE, f"{STAGE}, drawn=rc.contract.Drawn(1)", "ParallelSGD draws what a step does"),
    "a double": (STEP, STEP.replace("self.alpha", "float(self.alpha)"), "a step .*double of a letter"),
    "a choice": (STEP, STEP.replace("self.alpha", "min(self.alpha, 1.0)"), "a step .*the size of a letter"),
    "mixed": ('{"alpha": alpha}', '{"alpha": lambda v: v["alpha"] * 1.5**0.5 / 1.5}', "mixes fractions with doubles"),
    "in the measure": (MEASURE, "rc.measures.form(lambda p, s: 2**0.5 * (p.H @ s.x))", "the measure .*in doubles"),
    "numpy's root": (STEP, STEP.replace("self.alpha", "__import__('numpy').sqrt(self.alpha) ** 2"), "takes a root"),
}  # fmt: skip
PYTHON = (
    "unsupported operand",
    "fmpq",
    "Relational",
    "Cannot convert",
    "Between",
    "'Symbol'",
    "truth value",
    "ufunc",
)


@pytest.mark.parametrize("wrong", NO_FRACTIONS)
def test_what_cannot_be_written_is_said_with_the_reason_and_in_no_words_of_python(long, wrong):
    before, after, said = NO_FRACTIONS[wrong]
    long(before, after)
    path = Path("other.py")
    text = path.read_text(encoding="utf-8").replace("2 * Delta / (alpha * T)", "Delta / (100 * alpha * T)")
    path.write_text(text, encoding="utf-8")
    tables = {"single_level": {**AT_REST, "L": 2.0, "x_off": 1.0, "s": 0.25}, "run": {"K": 1, "T": 4}}
    with pytest.raises(NotExactError, match=said) as refusal:
        proved(of(f"{path.resolve()}:theorem-1", **tables, letters={"alpha": 1 / 32}))
    assert not any(word in str(refusal.value).split("): ")[-1] for word in PYTHON)


def test_an_odd_root_is_said_by_its_degree(long):
    print_of = long("sigma**2 / K}", "sigma**2 / K * T ** (K / (3 * K)) / 100}")
    path = Path("other.py")
    text = path.read_text(encoding="utf-8").replace("2 * Delta / (alpha * T)", "Delta / (4 * alpha * T)")
    path.write_text(text, encoding="utf-8")
    tables = {"single_level": {**AT_REST, "L": 2.0, "x_off": 1.0, "s": 0.25}, "run": {"K": 1, "T": 4}}
    assert (
        "the 3rd root of T is no fraction"
        in proved(of(print_of, **tables, letters={"alpha": 1 / 32})).instead
    )


def test_the_heavy_ball_of_the_guide(tmp_path, capsys, monkeypatch):
    """Written by the command."""
    monkeypatch.chdir(tmp_path)
    run = {"run": {"K": 1, "T": 16}, "letters": {"beta": 0.75, "alpha": 0.25}}
    witness.write(of(f"{HEAVY_BALL}:theorem-1", single_level=AT_REST, **run), tmp_path / "w.toml")
    assert main(["prove", "w.toml"]) == 0
    said = capsys.readouterr().out
    assert "Wrote results/proofs/heavy_ball.theorem-1.py: proved false, measure/bound is about " in said
    assert "simpler" not in said
    text = (tmp_path / "results/proofs/heavy_ball.theorem-1.py").read_text(encoding="utf-8")
    assert "m*beta + g(x)" in text
    assert replay(tmp_path, text).returncode == 0
    wrong = text.replace("m*beta + g(x)", "m + g(x)")
    assert "AssertionError" in replay(tmp_path, wrong).stderr


@pytest.mark.parametrize(("K", "T"), [(1, 24), (2, 16)])
def test_the_ratio_is_that_of_the_engines(K, T):
    world, letters = {**AT_REST, "spread": 2.0}, {"beta": 0.875, "alpha": 0.125}
    instance = {"single_level": world, "run": {"K": K, "T": T}, "letters": letters}
    case = heavy_ball()
    ratio = refuted(case, "", instance).ratio
    assert math.isclose(ratio, case.attempt(instance, case.printed).ratio, rel_tol=1e-8)
    other = {**instance, "letters": {"beta": 0.875, "alpha": 0.12}}
    assert not math.isclose(ratio, case.attempt(other, case.printed).ratio, rel_tol=1e-4)


@pytest.mark.parametrize("K", [1, 2])
def test_at_the_mean_of_the_iterates(new, tmp_path, K):
    """With K devices, as in the engines; and a file that forgets an iterate fails."""
    means = new("measure=rc.measures.gradient()", "measure=rc.measures.gradient().at_mean()")
    path = tmp_path / "other.py"
    text = path.read_text(encoding="utf-8").replace("2 * Delta / (alpha * T)", "Delta / (100 * alpha * T)")
    path.write_text(text, encoding="utf-8")
    case = case_of(means, "printed")
    world = {**AT_REST, "x_off": 1.0, "s": 0.125, "spread": 2.0}
    instance = {"single_level": world, "run": {"K": K, "T": 3}, "letters": {"alpha": 0.5}}
    found = refuted(case, "", instance)
    assert math.isclose(found.ratio, case.attempt(instance, case.printed).ratio, rel_tol=1e-8)
    assert replay(tmp_path, found.text).returncode == 0
    assert "mean_x + x/steps" in found.text
    assert replay(tmp_path, found.text.replace("mean_x + x/steps", "mean_x")).returncode == 1


def test_a_long_number_is_rounded_down(tmp_path):
    """Of thousands of digits, thirty are written; all that are written count."""
    letters = {"beta": 0.9, "alpha": 0.09999999999999998}
    instance = {"single_level": AT_REST, "run": {"K": 1, "T": 32}, "letters": letters}
    found = refuted(heavy_ball(), "", instance)
    assert math.isclose(found.ratio, 3.58631566, rel_tol=1e-8)
    assert replay(tmp_path, found.text).returncode == 0
    (line,) = [line for line in found.text.splitlines() if line.startswith("digits, scale = ")]
    digits = line.split()[3].rstrip(",")
    assert len(digits) == 31
    for other in (int(digits) + 1, int(digits) - 1):
        assert "the measure, rounded down" in replay(tmp_path, found.text.replace(digits, str(other))).stderr
    longer = {**instance, "run": {"K": 4, "T": 900}}
    with pytest.raises(NotExactError, match="takes too long in fractions"):
        refuted(heavy_ball(), "", longer)


# Other instances in the place of the witness'.


def test_another_instance_is_taken_where_this_one_is_not_exact(tmp_path, capsys):
    """A rotation by one is irrational, and the one by pi is not."""
    found = STORED["pep-fixed-point:long-steps"]
    tables = {**found.instance, "rotations": {"angle": 1.0, "x_off": 1.0}, "letters": {"gamma": 0.95}}
    path = tmp_path / "w.toml"
    witness.write(replace(found, instance=tables), path)
    assert main(["prove", str(path), "--out", str(tmp_path / "proof.py")]) == 0
    said = capsys.readouterr().out
    assert "(the world is curved along other directions than its axes); a simpler one" in said
    assert float(said.split("measure/bound is about ")[1].split(";")[0]) > 1


def test_a_bound_of_zero_is_said(tmp_path):
    found = STORED["pep-fixed-point:long-steps"]
    proof = proved(replace(found, instance={**found.instance, "letters": {"gamma": 1.0}}))
    assert proof.ratio is None
    assert replay(tmp_path, proof.text).stdout.endswith("the bound is zero and the measure is not\n")


def test_where_nothing_simpler_is_broken_that_is_said(monkeypatch):
    found = STORED["pep-momentum:triple-momentum"]
    table = {"quadratics": {**found.instance["quadratics"], "spread": 3.0}}
    other = replace(found, instance={**found.instance, **table})
    assert proved(other).instead == "the hyperparameter alpha is no fraction there"
    monkeypatch.setattr(proving, "MOST", 0)
    with pytest.raises(NotExactError, match=r"is no fraction there, and no simpler instance was found\.$"):
        proved(other)


def test_a_file_that_computes_another_ratio_than_the_engines_is_no_proof(monkeypatch):
    found = STORED["pep-momentum:triple-momentum"]
    monkeypatch.setattr(proving, "MOST", 0)
    monkeypatch.setattr(proving, "refuted", lambda *given: replace(refuted(*given), ratio=Fraction(5)))
    with pytest.raises(NotExactError, match="5 in fractions and 4 in the engines"):
        proved(found)


@pytest.mark.parametrize(
    ("statement", "tables", "why"),
    [
        (
            "pep-momentum:triple-momentum",
            {"quadratics": {"spread": 3.0}},
            "the hyperparameter alpha is no fraction",
        ),
        ("pep-momentum:triple-momentum", {"run": {"T": 10**6}}, "T = 1000000 iterations"),
        ("pep-momentum:triple-momentum", {"quadratics": {"x_off": 0.0}}, "nothing ever moves"),
        ("pep-fixed-point:long-steps", {"letters": {"gamma": 0.8}}, "gamma > "),
        ("pep-fixed-point:long-steps", {"rotations": {"angle": 1.0}}, "along other directions than its axes"),
        ("pep-nonconvex:smallest-gradient", {"letters": {"gamma": 1.0}}, "does not exceed the bound"),
        ("sg-noise-reduction:svrg-rate", {"run": {"T": 10}}, "1 > "),
    ],
)
def test_an_instance_that_does_not_do_is_told(statement, tables, why):
    found = STORED[statement]
    instance = {name: {**table, **tables.get(name, {})} for name, table in found.instance.items()}
    with pytest.raises((NotExactError, WitnessError), match=why):
        refuted(case_of(statement, "printed"), found.place, instance)
    assert refuted(case_of(statement, "printed"), found.place, found.instance).ratio > 1


# The parts.


def setting(world, x0, K=1, T=1):
    return s.Setting(world, K, T, {"x": x0})


def test_numbers_of_a_world_are_those_that_were_meant():
    assert simple([1 / 3, 0.1, 1e-17, 2.0, 0.12345678901234]) == [
        Fraction(1, 3),
        Fraction(1, 10),
        0,
        2,
        Fraction(12345678901234, 10**14),
    ]


def test_directions_of_every_kind_of_world():
    (axis,) = directions_of(setting(rc.worlds.SingleLevel(H=2.0, a=1.0, s=0.5), [3.0]))
    assert set(axis.samples) == {(2, Fraction(-3, 2)), (2, Fraction(-5, 2))}
    assert (axis.curvature, axis.minimiser, axis.silent) == (2, 1, False)
    (noisy,) = directions_of(setting(rc.worlds.SingleLevel(H=2.0, E=[0.5], c=[1.0]), [0.0]))
    assert set(noisy.samples) == {(Fraction(5, 2), 1), (Fraction(3, 2), -1)}
    (terms,) = directions_of(setting(rc.worlds.FiniteSum(H=[1.0, 3.0], a=[0.0, 1.0]), [0.75]))
    assert set(terms.samples) == {(1, 0), (3, -3)}
    assert terms.minimiser == Fraction(3, 4)
    assert not terms.silent  # its samples differ there
    (map_,) = directions_of(setting(rc.worlds.LinearMap(M=[[-1.0]], b=[1.0]), [0.5]))
    assert (map_.samples, map_.silent) == (((2, -1),), True)
    with pytest.raises(NotExactError, match="other directions than its axes"):
        directions_of(setting(rc.worlds.SingleLevel(H=[[2.0, 1.0], [1.0, 2.0]]), [0.0, 0.0]))
    with pytest.raises(NotExactError, match="worlds of the kind"):
        directions_of(setting(rc.worlds.Federated(devices=[rc.worlds.SingleLevel(H=1.0)] * 2), [0.0], K=2))


def test_a_method_is_written_in_letters():
    solver = rc.methods.HeavyBall(alpha=0.1, beta=0.5)
    found = written(solver, {"alpha": Fraction(1, 10), "the_beta": Fraction(1, 2)})
    assert found.fields == ("x", "m")
    assert str(found.later.after["m"]) == "m*the_beta + g(x)"
    assert found.first == found.later
    with pytest.raises(NotExactError, match=r"makes beta = 0\.5 of its hyperparameters in doubles"):
        written(solver, {"alpha": Fraction(1, 10)})


STILL = rc.contract.Stage(lambda t, state, oracle: state, repeats=1, averaged=())


@pytest.mark.parametrize(
    ("solver", "why"),
    [
        (SimpleNamespace(stages=(STILL, STILL), step_size=1.0), "more than one kind of iteration"),
        (rc.methods.SVRG(alpha=0.1, m=3), "SVRG draws what a step does"),
        (rc.methods.SAGA(alpha=0.1, n=2), "draws what a step does"),
        (rc.methods.FISTA(alpha=0.1), "the step size beta changes with t"),
        (rc.methods.PAGE(alpha=0.1, p=0.5), "PAGE draws what a step does"),
    ],
)
def test_methods_that_cannot_be_written_so_are_refused(solver, why):
    with pytest.raises(NotExactError, match=why):
        written(solver, {"alpha": Fraction(1, 10), "one": Fraction(1)})


def test_what_is_between_two_fractions_stays_there():
    Between = Script(many=False).names["Between"]
    x, y = Between(Fraction(14, 10), Fraction(15, 10)), Between(Fraction(17, 10), Fraction(18, 10))
    r, q = mpmath.sqrt(2), mpmath.sqrt(3)
    for found, value in (
        (x + y, r + q),
        (1 - x, 1 - r),
        (x - 1, r - 1),
        (3 * x * y, 3 * r * q),
        (x / y, r / q),
        (2 / x, 2 / r),
        (x ** Fraction(3), r**3),
        (-x, -r),
    ):
        assert mpmath.mpf(found.low.numerator) / found.low.denominator <= value
        assert value <= mpmath.mpf(found.high.numerator) / found.high.denominator
        assert found.high - found.low < 2
    for wrong in (lambda: 1 / (x - y - Between(Fraction(-1), Fraction(1))), lambda: (x - 3) ** Fraction(2)):
        with pytest.raises(AssertionError):
            wrong()


def test_what_does_not_hold_is_no_line():
    script = Script(many=False)
    script.set("x", Fraction(1, 2))
    script.compared("at_most", "x <= 1", "x", "1")
    assert script.part() == ["x = Fraction(1, 2)", 'at_most("x <= 1", x, 1, Fraction(1, 2))']
    with pytest.raises(NotExactError, match="1 <= x: the room is -1/2"):
        script.compared("at_most", "1 <= x", "1", "x")
    assert script.part() == []
