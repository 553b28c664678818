"""`ratecert prove`: what it writes, and what it refuses, in one sentence each."""

import ast
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest
import sympy
import tomli_w

from ratecert.base.errors import NotExactError
from ratecert.catalogue.cases import stored
from ratecert.cli.main import main
from ratecert.proofs.formulas import exact_root, root_from_above
from ratecert.proofs.script import PythonWriter, exact, folded, fraction
from ratecert.theory.notation import letter

WITNESS = {path.stem: path for path in stored()}
ONE_LEVEL = "sg-noise-reduction.svrg-rate.printed-start.simple"


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


def test_no_other_witness_is_taken_for_one_that_shows_nothing(tmp_path, capsys):
    said = refused(capsys, changed(tmp_path, ONE_LEVEL, run={"T": 6000}))
    assert "not above 1: it shows no mistake" in said
    assert "ratecert falsify sg-noise-reduction:svrg-rate" in said


def test_what_is_no_witness_is_refused(tmp_path, capsys):
    """What else a file may not be: tests/run/test_damaged_files.py and tests/search/test_falsify.py."""
    assert "T must be" in refused(capsys, changed(tmp_path, ONE_LEVEL, run={"T": "seven"}))
    assert "variant must be printed" in refused(capsys, changed(tmp_path, ONE_LEVEL, variant="repaired"))


@pytest.mark.parametrize("name", [name for name in WITNESS if name.startswith("federated-bilevel")])
def test_what_is_not_on_one_level_is_refused(name, capsys):
    """Also a constant, which is a statement about no run; and a theorem on one level is not."""
    said = refused(capsys, name)
    assert "is on two levels, and `ratecert prove` writes proofs on one level" in said or (
        "has no proof in fractions: `ratecert prove` writes those of theorems on one level" in said
    )


def test_a_folder_that_cannot_be_written_is_named(tmp_path, capsys):
    (tmp_path / "file").write_text("", encoding="utf-8")
    out = tmp_path / "file" / "proof.py"
    assert "this is a file, not a folder" in refused(capsys, ONE_LEVEL, "--out", out)
    assert main(["prove", ONE_LEVEL, "--out", str(tmp_path / "deep" / "proof.py")]) == 0
    assert "proved false, measure/bound is about 6.49884" in capsys.readouterr().out


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


def test_writing_divides_no_whole_numbers():
    """SymPy would write 12/25, which Python rounds."""
    x, y = letter("x"), letter("y")
    write = PythonWriter({"x": Fraction(1), "y": Fraction(2)}).doprint
    assert write(sympy.Rational(12, 25) + x) == "Fraction(12, 25) + x"
    assert write(x**2 * y**2) == "(x*x)*y**2"
    values = {"x": Fraction(1), "y": Fraction(2), "Fraction": Fraction}
    expression = sympy.Rational(3, 7) / (x + y) ** 2 - 5 * y**-3 + sympy.Rational(1, 3)
    assert eval(write(expression), values) == Fraction(3, 63) - Fraction(5, 8) + Fraction(1, 3)


def test_a_long_line_is_broken_outside_of_its_texts():
    """A line that ends in the middle of a text is no Python."""
    for n in range(60):
        line = f'require({"x" * n} + a == b, "what is said of both sides is long, {"and has many blanks, " * 3}")'
        assert ast.dump(ast.parse(folded(line))) == ast.dump(ast.parse(line))
    assert folded("first(" + ", ".join(["second"] * 30) + ")").count("\n") == 2


def test_long_numbers_are_written_short():
    assert fraction(Fraction(3, 10**30)) == "Fraction(3, 10**30)"
    assert fraction(Fraction(7)) == "Fraction(7)"
    assert fraction(Fraction(-3 * 10**20, 7)) == "Fraction(-10**20*3, 7)"
    for value in (Fraction(0), Fraction(10**12 + 1, 3), Fraction(-(2**50), 3**40)):
        assert eval(fraction(value)) == value
