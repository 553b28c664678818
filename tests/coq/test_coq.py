"""The proofs in Coq: they compile, assume nothing, and an edited number breaks them. `make test-proofs` runs this."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ratecert.cli.main import main
from ratecert.counterexamples.witness_files import kept

pytestmark = [
    pytest.mark.skipif(not shutil.which("coqc"), reason="coqc is not installed (Debian's package coq)"),
    pytest.mark.nightly,
]
WITNESSES = [path for path in kept() if not path.stem.endswith(".simple")]


def written(witness: Path, folder: Path) -> Path:
    file = folder / "proof.v"
    assert main(["prove", str(witness), "--coq", "--out", str(file)]) == 0
    return file


def compiled(file: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["coqc", "-q", file.name], cwd=file.parent, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.parametrize("witness", WITNESSES, ids=lambda path: path.stem)
def test_a_proof_compiles_and_assumes_nothing(witness, tmp_path):
    run = compiled(written(witness, tmp_path))
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.strip() == "Closed under the global context"


@pytest.mark.parametrize(
    ("printed", "wrong"),
    [
        (r"Definition rho_1 : Q := \(1 # 1000\)", "Definition rho_1 : Q := (1 # 100)"),
        (r"Definition L_0 : Q := \((\d+) #", r"Definition L_0 : Q := (1 #"),
        (r"Definition s : Q := \(1 # ", "Definition s : Q := (1000000 # "),
        (r"Definition mu : Q := \(2 #", "Definition mu : Q := (3 #"),
        (r"at_most (.*) \((\d+) # ", r"at_most \1 (1\2 # "),
    ],
)
def test_an_edited_number_breaks_a_proof(printed, wrong, tmp_path):
    (witness,) = [path for path in WITNESSES if path.stem.endswith("theorem-1.printed-G")]
    file = written(witness, tmp_path)
    text, edits = re.subn(printed, wrong, file.read_text(encoding="utf-8"), count=1)
    assert edits == 1
    file.write_text(text, encoding="utf-8")
    run = compiled(file)
    assert run.returncode != 0
    assert "Error" in run.stderr
