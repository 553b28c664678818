"""The verifier can see: a line changed in a copy of the sources turns the exit code to 1, with the claim named."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

SUBSTITUTIONS = {
    "a coefficient of Algorithm 1": (
        "solvers/methods/local_bsgm.py",
        "u = (1 - self.alpha * eta) * s.u",
        "u = (1 - 0.99 * self.alpha * eta) * s.u",
        ["communication-period.drift"],
    ),
    "the period off by one": (
        "solvers/methods/local_method.py",
        "repeats=self.p,",
        "repeats=self.p + 1,",
        ["communication-period.drift"],
    ),
    "a 1/K dropped in Theorem 1": (
        "papers/federated_bilevel/statements.py",
        "L_tilde**2 / (3 * K * mu**2),",
        "L_tilde**2 / (3 * mu**2),",
        ["corollary-1.exponents"],
    ),
}


BY_DAY = "a coefficient of Algorithm 1"
TRIED = [what if what == BY_DAY else pytest.param(what, marks=pytest.mark.nightly) for what in SUBSTITUTIONS]


@pytest.mark.parametrize("what", TRIED)
def test_a_substitution_is_caught_and_the_claim_named(what, tmp_path):
    file, old, new, claims = SUBSTITUTIONS[what]
    shutil.copytree(ROOT / "ratecert", tmp_path / "ratecert", ignore=shutil.ignore_patterns("__pycache__"))
    for stored in ("witnesses", "proofs"):
        shutil.copytree(ROOT / stored, tmp_path / stored)
    changed = tmp_path / "ratecert" / file
    text = changed.read_text(encoding="utf-8")
    assert text.count(old) == 1
    changed.write_text(text.replace(old, new), encoding="utf-8")
    run = verify(tmp_path, *claims)
    assert run.returncode == 1, run.stderr
    for claim in claims:
        expected = "proved" if claim.endswith(".exponents") else "not refuted"
        assert f"ratecert: {claim} is refuted, expected was {expected}" in run.stderr


@pytest.mark.nightly
def test_without_a_substitution_the_same_claims_hold(tmp_path):
    claims = sorted({claim for *_, claims in SUBSTITUTIONS.values() for claim in claims})
    run = verify(ROOT, *claims, out=tmp_path)
    assert run.returncode == 0, run.stderr


def verify(sources, *claims, out=None):
    folder = str(out or sources / "out")
    command = [sys.executable, "-m", "ratecert", "verify", *claims, "--quick", "--jobs", "1", "--out", folder]
    environment = {**os.environ, "PYTHONPATH": str(sources), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        command, env=environment, cwd=sources, capture_output=True, text=True, check=False, timeout=300
    )
