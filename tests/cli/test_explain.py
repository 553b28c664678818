"""`ratecert explain`: every id typesets, in a terminal of any width and encoding and in LaTeX, and says enough."""

import json
import re
import unicodedata

import pytest
import sympy

from ratecert.cli.main import main
from ratecert.papers.federated_bilevel.paper import PRINTED, REPAIRED
from ratecert.theory.language.statements import Corollary, Theorem
from ratecert.theory.language.typeset import as_latex, for_terminal
from ratecert.theory.lint.finding import KINDS, SEVERITIES

PAPERS = {"printed": PRINTED, "repaired": REPAIRED}


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
@pytest.mark.parametrize("id", PRINTED.statements)
def test_every_statement_typesets(paper, id):
    for unicode in (True, False):
        text = for_terminal(paper, paper[id], width=72, unicode=unicode)
        assert text.startswith(f"{id} ({paper.variant}): {paper[id].title}\n  {paper[id].source}\n")
        assert all(line == line.rstrip() for line in text.split("\n"))
        assert "\n\n\n" not in text.replace("\n\n\n      ", "")


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
@pytest.mark.parametrize("id", PRINTED.statements)
def test_latex_is_ascii_and_balanced(paper, id):
    text = as_latex(paper, paper[id])
    assert text.isascii()
    assert text.count("{") == text.count("}")
    for opening in set(re.findall(r"\\begin\{(.*?)\}", text)):
        assert text.count(rf"\begin{{{opening}}}") == text.count(rf"\end{{{opening}}}")
    assert len(re.findall(r"\\left(?!arrow)", text)) == text.count(r"\right")
    outside = re.sub(r"\\begin\{gather\*\}.*?\\end\{gather\*\}|\$.*?\$|%.*", "", text, flags=re.DOTALL)
    assert not re.search(r"(?<!\\)[_^&#]", outside)


def test_latex_of_a_term_is_the_term():
    """SymPy reads back what it wrote, with the paper's letters."""
    text = as_latex(PRINTED, PRINTED["theorem-1"])
    assert r"\frac{4 \alpha \eta \sigma^{2}}{K}" in text
    assert r"\theta < \frac{1}{L_1}" in text


def test_a_theorem_shows_its_conditions_terms_and_where_constants_come_from():
    theorem = PRINTED.the(Theorem, "theorem-2")
    text = for_terminal(PRINTED, theorem)
    for name in (*theorem.conditions, *theorem.terms):
        assert re.search(rf"^  {name}$", text, flags=re.MULTILINE), name
    for constant in ("constant.L_hat", "constant.L_tilde", "constant.G", "constant.Delta_Q"):
        assert constant in text
    assert "constant.L_Phi" not in text


def test_undefined_symbols_and_errata_are_shown():
    assert "L_12 is defined nowhere; L_21 is used for it" in for_terminal(PRINTED, PRINTED["theorem-1"])
    assert "L_12" not in for_terminal(REPAIRED, REPAIRED["theorem-1"]).replace("L_12:", "")
    assert "theorem-1.term.noise_u: for sigma read G." in for_terminal(REPAIRED, REPAIRED["theorem-1"])


def test_the_command_explains(capsys):
    assert main(["explain", "theorem-1"]) == 0
    assert "theorem-1 (printed): Convergence of LocalBSGM" in capsys.readouterr().out
    assert main(["explain", "constant.G", "--variant", "repaired", "--latex"]) == 0
    assert r"G^{2} = " in capsys.readouterr().out
    assert main(["explain"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == list(PRINTED.statements)


def test_a_wrong_id_is_one_sentence(capsys):
    assert main(["explain", "theorem-7"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("ratecert: no statement has the id 'theorem-7'; did you mean theorem-")
    assert main(["lint", "--paper", "nobody-2020"]) == 2
    assert "paper must be one of federated-bilevel" in capsys.readouterr().err


def test_lint_prints_a_list_of_findings(capsys):
    assert main(["lint", "--json"]) == 0
    findings = json.loads(capsys.readouterr().out)
    assert findings
    for finding in findings:
        assert {"place", "kind", "printed", "fits", "severity"} <= set(finding)
        assert finding["kind"] in KINDS
        assert finding["severity"] in SEVERITIES
    assert main(["lint", "--severity", "error"]) == 0
    errors = sum(finding["severity"] == "error" for finding in findings)
    assert f"{errors} errors.\n" in capsys.readouterr().out


def test_strict_lint_fails_on_errors_only(capsys):
    assert main(["lint", "--strict"]) == 1
    assert main(["lint", "--strict", "--variant", "repaired"]) == 0
    assert capsys.readouterr().out.endswith("Nothing found; that is not a proof.\n")


def test_orders_read_as_orders():
    corollary = PRINTED.the(Corollary, "corollary-6")
    assert "Õ" in unicodedata.normalize("NFC", for_terminal(PRINTED, corollary))
    assert r"\tilde{O}" in as_latex(PRINTED, corollary)
    assert corollary.claim.order == sympy.Symbol("eps", positive=True)


def test_a_place_of_the_linter_is_explained_by_its_statement(capsys):
    assert main(["explain", "theorem-1.term.noise_u"]) == 0
    assert capsys.readouterr().out.startswith("theorem-1 (printed)")
    assert main(["explain", "theorem-1x"]) == 2


def test_without_unicode_everything_is_ascii():
    for id in PRINTED.statements:
        assert for_terminal(PRINTED, PRINTED[id], unicode=False).isascii(), id


def test_lint_keeps_to_the_width_of_the_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "64")
    assert main(["lint", "--severity", "error"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 64


def test_letters_of_the_constants_are_explained_too():
    text = for_terminal(REPAIRED, REPAIRED["theorem-1"])
    assert "  L_22: " in text
    assert "  sigma_H: " in text


def test_latex_has_labels_and_assignments():
    assert r"\text{start$_x$" not in as_latex(PRINTED, PRINTED["theorem-1"])
    assert r"u_t \leftarrow" in as_latex(PRINTED, PRINTED["algorithm-1"])
    assert r"\text{samples:}" in as_latex(PRINTED, PRINTED["table-1"])


def test_printed_and_repaired_side_by_side(capsys):
    """What errata change, and nothing else; where there are none, that is said."""
    assert main(["explain", "theorem-1", "--diff"]) == 0
    shown = capsys.readouterr().out
    places = [line for line in shown.splitlines() if not line.startswith(" ")]
    errata = {e.place for e in REPAIRED.errata if e.place.startswith("theorem-1.")}
    assert set(places) == errata
    assert (
        "  printed   4*alpha*eta*sigma**2/K\n  repaired  4*G**2*alpha*eta/K\n  because   alpha weighs"
        in shown
    )
    assert main(["explain", "parallel-sgd:sgd-descent", "--diff"]) == 0
    assert capsys.readouterr().out == "Printed and repaired are the same.\n"
    assert main(["explain", "theorem-9", "--diff"]) == 2


def test_how_a_method_is_set_where_it_is_run_is_shown(capsys):
    """alpha and gamma are in no term: the run has them; kappa is in rho alone."""
    assert main(["explain", "pep-robust-momentum:robust-momentum-mixed"]) == 0
    shown = capsys.readouterr().out
    for label in ("alpha: Coefficient alpha", "gamma: Coefficient gamma", "kappa: Condition"):
        assert label in shown
    assert "gamma_c" not in shown  # the code's
    assert main(["explain", "fedavg:theorem-1"]) == 0
    assert "As it is run\n  p\n      E\n" in capsys.readouterr().out
    assert main(["explain", "svrg:theorem-1", "--latex"]) == 0
    assert r"\textbf{As it is run.}" in capsys.readouterr().out
