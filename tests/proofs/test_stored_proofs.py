"""The stored proofs: they need nothing but Python, they are what `prove` writes, and any edited number breaks them."""

import ast
import math
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from oracles.edited_numbers import fails, survivors
from ratecert.base.asked import FIRST
from ratecert.catalogue.cases import case_for, replayed
from ratecert.catalogue.cases import stored as stored_witnesses
from ratecert.proofs.prove import Proof, prove, stored
from ratecert.search import witness
from ratecert.search.witness import Witness
from ratecert.verdicts.collect import claims

PAGE = Path(__file__).parents[2] / "docs" / "falsify.md"
FILES = stored()
WITNESSES = {
    path: witness.read(path) for path in stored_witnesses(FIRST) if not path.stem.endswith(".simple")
}
BY_DATA = {path: witness.read(path) for path in stored_witnesses() if path not in stored_witnesses(FIRST)}
each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def proved(found: Witness) -> Proof:
    return prove(case_for(found), found)


def test_every_mistake_with_a_witness_has_a_proof():
    """And the constant G, which is refuted at a point and has no witness to be searched for."""
    named = [path.stem.removesuffix(".simple") for path in (*WITNESSES, *BY_DATA)]
    proved = {name.replace(".printed-", ".").removesuffix(".printed") for name in named}
    assert {path.stem for path in FILES} == {*proved, f"{FIRST}.constant.G.G"}
    assert len(BY_DATA) == 8


@pytest.mark.smoke
@each_file
def test_a_proof_runs_alone(path):
    """Isolated and without site-packages: the standard library is all there is."""
    run = subprocess.run([sys.executable, "-I", "-S", str(path)], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("proved: ")
    assert run.stdout.count("\n") == 1


@each_file
def test_a_proof_computes_in_fractions_alone(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported <= {"fractions", "itertools"}
    assert not any(isinstance(node, ast.Import | ast.Assert) for node in ast.walk(tree))
    assert not any(
        isinstance(node, ast.Constant) and isinstance(node.value, float) for node in ast.walk(tree)
    )
    last = tree.body[-1]  # a decimal is printed, and nothing else is ever one
    floats = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == "float"]
    assert [n for n in ast.walk(last) if isinstance(n, ast.Name) and n.id == "float"] == floats


@pytest.mark.parametrize("path", BY_DATA, ids=lambda path: path.stem)
def test_a_proof_by_data_is_what_prove_writes_of_its_witness(path):
    found = proved(BY_DATA[path])
    (file,) = [file for file in FILES if file.stem == found.name]
    assert file.read_text(encoding="utf-8") == found.text
    assert found.ratio > 1
    assert not found.instead
    assert math.isclose(found.ratio, BY_DATA[path].ratio, rel_tol=1e-8)  # which is a lower end


@pytest.mark.parametrize("path", BY_DATA, ids=lambda path: path.stem)
def test_a_stored_witness_of_the_library_is_confirmed_by_two_ways(path):
    """What is no mistake of a formula is cured by the method as the code has it, a statement of its own."""
    found = BY_DATA[path]
    check = replayed(found)
    assert check.confirmed
    right = (
        {"variant": "repaired"}
        if found.place
        else {"statement": f"{found.statement.removesuffix('-mixed')}-code"}
    )
    assert not replayed(replace(found, **right)).confirmed


def test_the_page_has_the_ratios_that_the_proofs_print():
    """Of a potential only what is surely reached: the whole part."""
    row = re.compile(r"^\| \[`[^`]+`\]\(\.\./proofs/([^)]+)\) \| (?:≥ )?(\S+) \|", re.MULTILINE)
    rows = dict(row.findall(PAGE.read_text(encoding="utf-8")))
    assert set(rows) == {path.name for path in FILES}
    for path in FILES:
        run = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True)
        assert run.stdout.split()[-1] == rows[path.name]


@pytest.mark.parametrize(
    "claim", [c for c in claims().values() if "proof in fractions" in c.evidence], ids=lambda c: c.id
)
def test_a_claim_that_is_called_proved_false_has_its_proof(claim):
    assert claim.expected == "refuted"
    (statement,) = claim.of
    proofs = [path.stem for path in FILES if path.stem.startswith(f"{FIRST}.{statement}.")]
    mistake = claim.id.rpartition("printed-")[2]
    assert f"{FIRST}.{statement}.{mistake}" in proofs or claim.id == "G.printed" == f"{proofs[0][-1]}.printed"


def test_every_proof_has_a_claim_that_names_it():
    assert len([c for c in claims().values() if "proof in fractions" in c.evidence]) == len(stored(FIRST))


@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.nightly), 9])
@each_file
def test_an_edited_number_breaks_a_proof(path, every):
    assert survivors(path.read_text(encoding="utf-8"), every) == []


def test_a_number_that_nothing_depends_on_is_noticed():
    idle = "from fractions import Fraction\nidle = Fraction(7)\nif Fraction(3) + 1 != 4:\n    raise AssertionError\n"
    assert [what.split(" in ")[0] for what in survivors(idle)] == ["line 2: 7 -> 8", "line 2: 7 -> 6"]


ONE, ITEM, ROBUST = (
    "federated-bilevel.theorem-1.G",
    "pep-item.item",
    "pep-robust-momentum.robust-momentum-mixed",
)


@pytest.mark.parametrize(
    ("name", "printed", "wrong"),
    [
        (ONE, "u*(1 - alpha*eta) + alpha*eta*h(x, m)", "u + alpha*eta*h(x, m)"),
        (ONE, "max(-R, min(x, R))", "x + R"),
        (ONE, "x - u_t*eta*rho_1, u_t", "x + u_t*eta*rho_1, u_t*u_t"),
        (ONE, '"bias": 4*Delta_Q**2', '"bias": 4*Delta_Q'),
        (ONE, "(t + 1) % p", "(t + p - 1) % T"),
        (ITEM, "delta_over_t = [delta_0, delta_1, delta_2", "delta_over_t = [delta_0, delta_1, delta_1"),
        (ITEM, "beta_t*(x - z)", "beta_t*(z - x)"),
        (ROBUST, "        x,\n        last,\n    )", "        x,\n        x,\n    )"),
        (ROBUST, "last*beta - curvature*alpha", "last*beta + curvature*alpha"),
    ],
)
def test_an_edited_formula_breaks_a_proof(name, printed, wrong):
    (path,) = [path for path in FILES if path.stem == name]
    text = path.read_text(encoding="utf-8")
    assert printed in text
    assert fails(text.replace(printed, wrong))
    assert not fails(text)
