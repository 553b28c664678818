"""`ratecert prove`: what it writes, and what it refuses, in one sentence each."""

import tomllib
from fractions import Fraction
from pathlib import Path

import pytest
import sympy
import tomli_w

from ratecert.cli.main import main
from ratecert.counterexamples.witness_files import kept
from ratecert.errors import NotExactError
from ratecert.papers.federated_bilevel.proofs.instances import SIMPLEST
from ratecert.papers.federated_bilevel.proofs.theorem import theorem_proof
from ratecert.proofs.exact_numbers import exact, exact_root, root_from_above, rounded_up
from ratecert.proofs.sheet import Sheet
from ratecert.proofs.writing import PythonWriter, fraction
from ratecert.registry import paper
from ratecert.theory.language.letters import letter
from ratecert.theory.language.statements import Condition

WITNESS = {path.stem: path for path in kept()}
SIMPLE_G = WITNESS["federated-bilevel.constant.G.printed-G.simple"]


def changed(tmp_path: Path, name: str, **entries) -> Path:
    """A witness with other entries; a mapping changes a table."""
    data = tomllib.loads(WITNESS[name].read_text(encoding="utf-8"))
    for key, value in entries.items():
        data[key] = {**data[key], **value} if isinstance(value, dict) else value
    path = tmp_path / "witness.toml"
    path.write_text(tomli_w.dumps(data), encoding="utf-8")
    return path


def refused(capsys, *arguments) -> str:
    assert main(["prove", *map(str, arguments)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("ratecert: ")
    assert said.count("\n") == 1
    return said


def test_a_witness_that_is_exact_is_proved_itself(tmp_path, capsys):
    out = tmp_path / "deep" / "proof.py"
    assert main(["prove", str(SIMPLE_G), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "proved false, measure/bound is about 5.98382e+10" in said
    assert "simpler" not in said
    assert "R = Fraction(1)" in out.read_text(encoding="utf-8").replace(
        "A, P, R = Fraction(1), Fraction(1, 10000000), ", "R = "
    )


def test_the_same_in_coq(tmp_path, capsys):
    out = tmp_path / "proof.v"
    assert (
        main(
            ["prove", str(WITNESS["federated-bilevel.theorem-3.printed-noise_u"]), "--coq", "--out", str(out)]
        )
        == 0
    )
    assert f"coqc {out} replays it" in capsys.readouterr().out
    text = out.read_text(encoding="utf-8")
    assert "Theorem false_as_printed : bound < low." in text
    assert "Axiom" not in text
    assert "Admitted" not in text


def test_a_short_run_of_a_users_own_is_proved_itself(tmp_path, capsys):
    """The postcard: one device, two iterations, two outcomes."""
    run = {"T": 2, "K": 1}
    path = changed(tmp_path, "federated-bilevel.theorem-1.printed-G.simple", run=run, world={"s_f": 1e-9})
    assert main(["prove", str(path), "--out", str(tmp_path / "proof.py")]) == 0
    assert "simpler" not in capsys.readouterr().out
    text = (tmp_path / "proof.py").read_text(encoding="utf-8")
    assert "2 equally likely outcomes" in text
    compile(text, "proof.py", "exec")


@pytest.mark.nightly
def test_another_witness_is_taken_where_this_one_is_not_exact(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["prove", str(WITNESS["federated-bilevel.theorem-1.printed-noise_u"])]) == 0
    said = capsys.readouterr().out
    assert "run.T has to be a fraction, got inf" in said
    assert "simpler one of the same mistake" in said
    assert (tmp_path / "results/proofs/federated-bilevel.theorem-1.noise_u.py").is_file()


def test_no_other_witness_is_taken_for_one_that_shows_nothing(tmp_path, capsys):
    name = "sg-noise-reduction.svrg-rate.printed-start.simple"
    said = refused(capsys, changed(tmp_path, name, run={"T": 6000}))
    assert "not above 1: it shows no mistake" in said
    assert "ratecert falsify sg-noise-reduction:svrg-rate" in said


def test_what_is_no_witness_is_refused(tmp_path, capsys):
    (tmp_path / "x.toml").write_text("nonsense [", encoding="utf-8")
    assert "cannot be read as TOML" in refused(capsys, tmp_path / "x.toml")
    assert "is neither a file nor one of the counterexamples that are kept" in refused(
        capsys, tmp_path / "absent.toml"
    )
    name = "federated-bilevel.theorem-1.printed-G.simple"
    assert "run.T must be a finite number" in refused(capsys, changed(tmp_path, name, run={"T": "seven"}))
    assert "place must be empty or one of" in refused(
        capsys, changed(tmp_path, name, place="theorem-1.term.x")
    )
    assert "variant must be printed" in refused(capsys, changed(tmp_path, name, variant="repaired"))


def test_a_statement_about_orders_is_refused(tmp_path, capsys):
    path = changed(tmp_path, "federated-bilevel.theorem-1.printed-G.simple", statement="corollary-1")
    assert "refuted by derivation" in refused(capsys, path)


def test_a_statement_without_proofs_is_refused(tmp_path, capsys):
    name = "federated-bilevel.constant.G.printed-G.simple"
    path = changed(tmp_path, name, statement="constant.L_hat")
    assert "has no proofs in fractions; the statements of its paper that have: theorem-1" in refused(
        capsys, path
    )


def test_without_a_mistake_there_is_no_other_instance(tmp_path, capsys):
    path = changed(tmp_path, "federated-bilevel.theorem-1.printed-G", place="")
    assert "run.T has to be a fraction, got inf, and no simpler instance is known" in refused(capsys, path)


def test_a_folder_that_cannot_be_written_is_named(tmp_path, capsys):
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert "this is a file, not a folder" in refused(
        capsys, SIMPLE_G, "--out", tmp_path / "file" / "proof.py"
    )


@pytest.mark.parametrize(
    ("table", "name", "value", "why"),
    [
        ("steps", "rho_1", Fraction(1), "does not hold"),
        ("steps", "eta", Fraction(1, 2), "does not hold"),
        ("world", "s_f", 1, "does not exceed the bound"),
        ("world", "B", 1, "world.B is not 0"),
        ("world", "A", [[1.0]], "has to be a fraction"),
        ("run", "x_off", 1, "does not start at the solution"),
        ("run", "T", 100, "more than 1024 outcomes, on more than one device"),
    ],
)
def test_an_instance_that_refutes_nothing_is_told(table, name, value, why):
    key = ("theorem-1", "constant.G.left")
    instance = {**SIMPLEST[key], table: {**SIMPLEST[key][table], name: value}}
    with pytest.raises(NotExactError, match=why):
        theorem_proof(*key, instance)


def test_an_instance_of_another_mistake_is_told():
    with pytest.raises(NotExactError, match="does not exceed the bound"):
        theorem_proof("theorem-1", "theorem-1.term.noise_u", SIMPLEST["theorem-1", "constant.G.left"])


# The arithmetic.


def test_numbers_are_those_that_are_written():
    assert exact("x", 0.1) == Fraction(1, 10)
    for value in (float("inf"), True, [1.0], "1"):
        with pytest.raises(NotExactError, match="x has to be a fraction"):
            exact("x", value)


def test_roots():
    assert exact_root(Fraction(8, 27), 3) == Fraction(2, 3)
    assert exact_root(Fraction(10**60), 3) == 10**20
    assert exact_root(Fraction(2), 2) is None
    for value in (Fraction(2), Fraction(1, 3), Fraction(123456, 10**20), Fraction(4)):
        root = root_from_above(value, 3)
        assert value <= root**2 < value * Fraction(102, 100) ** 2
    assert root_from_above(Fraction(4), 3) == 2
    assert rounded_up(Fraction(1234), 2) == 1300
    assert rounded_up(Fraction(12, 10**5), 1) == Fraction(2, 10**4)


def test_a_condition_loses_its_roots():
    x, y = letter("x"), letter("y")
    sheet = Sheet({"x": Fraction(1, 3), "y": Fraction(2)}, {})
    found = sheet.quotient(paper(), Condition(x, "<=", (1 / sympy.sqrt(y),)), 0)
    assert (found.expression, found.value) == (x**2 * y, Fraction(2, 9))
    with pytest.raises(NotExactError, match="keeps a root"):
        sheet.quotient(paper(), Condition(x, "<=", (1 + sympy.sqrt(y),)), 0)
    with pytest.raises(NotExactError, match="does not hold"):
        sheet.quotient(paper(), Condition(y, "<", (1 / sympy.sqrt(x),)), 0)
    with pytest.raises(NotExactError, match="is not positive there"):  # its square would pass
        sheet.quotient(paper(), Condition(x, "<=", ((x - 2) * sympy.sqrt(y),)), 0)
    with pytest.raises(NotExactError, match="no fraction"):
        sheet.value(sympy.sqrt(y))


def test_writing_divides_no_whole_numbers():
    """SymPy would write 12/25, which Python rounds."""
    x, y = letter("x"), letter("y")
    write = PythonWriter({"x": Fraction(1), "y": Fraction(2)}).doprint
    assert write(sympy.Rational(12, 25) + x) == "Fraction(12, 25) + x"
    assert write(x**2 * y**2) == "(x*x)*y**2"
    values = {"x": Fraction(1), "y": Fraction(2), "Fraction": Fraction}
    expression = sympy.Rational(3, 7) / (x + y) ** 2 - 5 * y**-3 + sympy.Rational(1, 3)
    assert eval(write(expression), values) == Fraction(3, 63) - Fraction(5, 8) + Fraction(1, 3)


def test_long_numbers_are_written_short():
    assert fraction(Fraction(3, 10**30)) == "Fraction(3, 10**30)"
    assert fraction(Fraction(7)) == "Fraction(7)"
    assert fraction(Fraction(-3 * 10**20, 7)) == "Fraction(-10**20*3, 7)"
    for value in (Fraction(0), Fraction(10**12 + 1, 3), Fraction(-(2**50), 3**40)):
        assert eval(fraction(value)) == value
