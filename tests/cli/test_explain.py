"""`ratecert explain` and `lint`: statements as they stand, what errata change, and findings.

That every statement of every paper typesets is tests/typeset/test_typeset.py's.
"""

import json
import re

import pytest
import sympy

from ratecert.cli.main import main
from ratecert.papers.federated_bilevel.paper import PRINTED, REPAIRED
from ratecert.theory.lint.finding import KINDS, SEVERITIES
from ratecert.typeset.printed import as_latex, for_terminal
from ratecert.verdicts.statement import errata_of


@pytest.fixture
def told(capsys):
    """The output of a command, and its exit code where that is not 0."""

    def of(*arguments, code=0):
        assert main(list(arguments)) == code
        out, err = capsys.readouterr()
        return err if code == 2 else out

    return of


def test_a_theorem_shows_its_conditions_terms_and_where_constants_come_from():
    theorem = PRINTED["theorem-2"]
    text = for_terminal(PRINTED, theorem)
    for name in (*theorem.conditions, *theorem.terms):
        assert re.search(rf"^  {name}$", text, flags=re.MULTILINE), name
    for constant in ("constant.L_hat", "constant.L_tilde", "constant.G", "constant.Delta_Q"):
        assert constant in text
    assert "constant.L_Phi" not in text


def test_undefined_symbols_errata_and_letters_of_constants_are_shown():
    printed, repaired = (for_terminal(paper, paper["theorem-1"]) for paper in (PRINTED, REPAIRED))
    assert "L_12 is defined nowhere; L_21 is used for it" in printed
    assert "L_12" not in repaired.replace("L_12:", "")
    assert "theorem-1.term.noise_u: for sigma read G." in repaired
    assert "  L_22: " in repaired
    assert "  sigma_H: " in repaired


def test_latex_has_terms_labels_assignments_and_orders():
    theorem = as_latex(PRINTED, PRINTED["theorem-1"])
    assert r"\frac{4 \alpha \eta \sigma^{2}}{K}" in theorem
    assert r"\theta < \frac{1}{L_1}" in theorem
    assert r"\text{start$_x$" not in theorem
    assert r"u_t \leftarrow" in as_latex(PRINTED, PRINTED["algorithm-1"])
    assert r"\text{samples:}" in as_latex(PRINTED, PRINTED["table-1"])
    assert r"\tilde{O}" in as_latex(PRINTED, PRINTED["corollary-6"])
    assert PRINTED["corollary-6"].claim.order == sympy.Symbol("eps", positive=True)


def test_the_command_explains(told):
    """A place of the linter by its statement; without a name the list of ids."""
    for id in ("theorem-1", "theorem-1.term.noise_u"):
        verdict, shown = told("explain", id).split("\n", 1)
        assert verdict == "Verdict: proved false; `ratecert verify theorem-1` computes it."
        assert shown.startswith("theorem-1 (printed): Convergence of LocalBSGM")
    assert told("explain", "corollary-1", "--variant", "repaired").startswith("Verdict: not refuted; ")
    assert told("explain", "assumption-1").startswith("assumption-1 (printed)")
    assert r"G^{2} = " in told("explain", "constant.G", "--variant", "repaired", "--latex")
    assert [line.split()[0] for line in told("explain").splitlines()] == list(PRINTED.statements)
    for label in ("alpha: Coefficient alpha", "gamma: Coefficient gamma", "kappa: Condition"):
        assert label in told("explain", "pep-robust-momentum:robust-momentum-mixed")  # which the run has
    assert "gamma_c" not in told("explain", "pep-robust-momentum:robust-momentum-mixed")  # the code's
    assert "As it is run\n  p\n      E\n" in told("explain", "fedavg:theorem-1")
    assert r"\textbf{As it is run.}" in told("explain", "fedavg:theorem-1", "--latex")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["explain", "theorem-7"], "no statement has the id 'theorem-7'; did you mean theorem-"),
        (["explain", "theorem-1x"], "no statement has the id 'theorem-1x'; did you mean theorem-1"),
        (["explain", "theorem-9", "--diff"], "no statement has the id 'theorem-9'"),
        (["explain", ""], "the name of a statement is missing; `ratecert explain` alone lists"),
        (["lint", "--paper", "nobody-2020"], "paper must be one of federated-bilevel"),
    ],
)
def test_a_wrong_name_is_one_sentence(arguments, sentence, told):
    assert told(*arguments, code=2).startswith(f"ratecert: {sentence}")


def test_printed_and_repaired_side_by_side(told):
    """What errata change of it and of its constants, and nothing else; where there are none, that is said."""
    shown = told("explain", "theorem-1", "--diff")
    places = {line for line in shown.splitlines() if not line.startswith(" ")}
    own = {e.place for e in REPAIRED.errata if e.place.startswith("theorem-1.")}
    assert own < places == {e.place for e in errata_of("federated-bilevel", "theorem-1")}
    assert "constant.G.left\n  printed   G\n  repaired  G²\n  because   The right side" in shown
    assert "theorem-2" not in shown
    same = told("explain", "parallel-sgd:sgd-descent", "--diff")
    assert same == "Printed and repaired are the same.\n"


def test_lint_lists_findings_within_the_width_and_fails_on_errors_only(told, monkeypatch):
    findings = json.loads(told("lint", "--json", code=1))
    assert findings
    for finding in findings:
        assert {"place", "kind", "printed", "fits", "severity"} <= set(finding)
        assert finding["kind"] in KINDS
        assert finding["severity"] in SEVERITIES
    monkeypatch.setenv("COLUMNS", "64")
    shown = told("lint", code=1)
    assert f"{sum(finding['severity'] == 'error' for finding in findings)} errors, " in shown
    places = [line for line in shown.splitlines() if line[:1] not in ("", " ") and ": " in line]
    assert all(": error, " in line for line in places)
    assert "; --all shows what is no error." in " ".join(shown.split())
    assert len(told("lint", "--all", code=1)) > 2 * len(shown)
    assert max(map(len, shown.splitlines())) <= 64
    sound = told("lint", "--variant", "repaired")
    assert sound.endswith("Nothing found; that is not a proof.\n")
