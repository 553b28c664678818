r"""Every statement of every paper that is shipped typesets: plain text for a terminal, and LaTeX that is well formed.

Formulas are read by matplotlib's parser, which knows the mathematics of LaTeX but a few names; what is between them has
to close its braces, dollars and environments. A name is split where its second letter has left the index: `L_Phi` is
L_P hi.
"""

import re
from collections.abc import Iterator
from itertools import accumulate

import pytest
from matplotlib.mathtext import MathTextParser

from ratecert.base.asked import VARIANTS
from ratecert.catalogue.find import KEYS, paper
from ratecert.catalogue.load import library
from ratecert.typeset.plain_latex import as_plain
from ratecert.typeset.printed import as_formulas, as_latex, for_terminal
from ratecert.typeset.prose import as_prose

UNKNOWN = {r"\Big": "", r"\leqslant": r"\leq", r"\textstyle": ""}  # to matplotlib
GATHER = re.compile(r"\\begin\{gather\*\}(.*?)\\end\{gather\*\}", re.DOTALL)
LABEL = re.compile(r"\\text\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}\\quad")
COMMAND = re.compile(r"\\[A-Za-z|]|\$")
IN_MEASURES = re.compile(r"\\(frac|sum|mathbb|nabla|bar|hat|tilde|star|min)|\$")  # roots in ASCII have \, too
MATHEMATICS = MathTextParser("path")
PAPERS = [(key, variant) for key in (*KEYS, *library()) for variant in VARIANTS]


def formulas(text: str) -> Iterator[str]:
    for body in GATHER.findall(text):
        yield from (LABEL.sub("", row).strip() for row in body.split("\\\\\n"))
    yield from re.findall(r"(?<!\\)\$(.+?)(?<!\\)\$", GATHER.sub("", text))


def complaints(text: str) -> Iterator[str]:
    """What is wrong with a fragment of LaTeX."""
    depths = [0, *accumulate(1 if brace == "{" else -1 for brace in re.findall(r"(?<!\\)[{}]", text))]
    if min(depths) < 0:
        yield "a brace is closed that was not opened"
    if depths[-1] > 0:
        yield "a brace stays open"
    if len(re.findall(r"(?<!\\)\$", text)) % 2:
        yield "a dollar stays open"
    if re.search(r"^\\\\$", text, re.MULTILINE):
        yield "there is no line to end"
    prose = re.sub(r"(?<!\\)\$.+?(?<!\\)\$|^%.*$", "", GATHER.sub("", text), flags=re.MULTILINE)
    if re.search(r"(?<!\\)[_^&#%]", prose):
        yield "a sign of mathematics stands in prose"
    for formula in formulas(text):
        if re.search(r"[_^][A-Za-z]{2}|(?<![\\A-Za-z{])[A-Za-z]{3,}", re.sub(r"\\[A-Za-z]+", " ", formula)):
            yield f"a name is split in {formula}"
        for name, by in UNKNOWN.items():
            formula = formula.replace(name, by)
        try:
            MATHEMATICS.parse(f"${formula}$")
        except ValueError as error:
            yield f"{formula}: {error}"


@pytest.mark.parametrize(("key", "variant"), PAPERS)
def test_every_statement_is_plain_text_and_sound_latex(key: str, variant: str) -> None:
    """Of a repaired paper those statements alone that differ from the print."""
    source, printed = paper(variant, key), paper("printed", key)
    for id, statement in source.statements.items():
        if variant != "printed" and statement == printed.statements[id]:
            continue
        latex = as_latex(source, statement)
        assert latex.isascii()
        assert (id, list(complaints(latex))) == (id, [])
        for width, unicode in ((100, True), (60, True), (60, False)):
            text = for_terminal(source, statement, width=width, unicode=unicode)
            assert unicode or text.isascii()
            assert not (COMMAND if unicode else IN_MEASURES).search(text), id


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        (r"$L_Phi$-smooth", "a name is split in L_Phi"),
        (r"$\frac{1}{2$", "a brace stays open"),
        ("}{", "a brace is closed that was not opened"),
        ("$x", "a dollar stays open"),
        ("L_0 is a constant", "a sign of mathematics stands in prose"),
        ("\\textbf{Requires.}\n\\\\\n", "there is no line to end"),
        (r"$\nosuchcommand x$", r"\nosuchcommand x: "),
        ("\\begin{gather*}\n  \\left( x\n\\end{gather*}", "\\left( x: "),
    ],
)
def test_wrong_latex_is_seen(wrong: str, complaint: str) -> None:
    assert any(found.startswith(complaint) for found in complaints(wrong))


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("Phi is L_Phi-smooth", r"$\Phi$ is $L_{\Phi}$-smooth"),
        ("L_hat and L_21", r"$\hat{L}$ and $L_{21}$"),
        ("E||h||^2 <= G^2", r"E$\|$h$\|^{2}$ $\leq$ G$^{2}$"),
        ("x_{t+1} = y*(x_t)", r"$x_{t+1}$ = y$^*$($x_{t}$)"),
        ("the term drift_p2_u", r"the term drift\_p2\_u"),
        ("for L_0**2 read 1/(6*L_1)", r"for $L_0^{2}$ read 1/(6$*L_1$)"),
        ("50 % of {a} & #1 ~ \\", r"50 \% of \{a\} \& \#1 \~{} \textbackslash{}"),
        ("beta, not a beat", r"$\beta$, not a beat"),
        ("c_alpha, c_max, c_{2}", r"$c_{\alpha}$, $c_{\mathrm{max}}$, $c_{2}$"),
    ],
)
def test_prose_has_letters_as_they_are_printed(text: str, latex: str) -> None:
    assert as_prose(text, paper("repaired").notation) == latex


@pytest.mark.parametrize(
    ("latex", "unicode", "ascii"),
    [
        (r"\frac{1}{T}\sum_{t<T}\mathbb{E}\|\nabla f(\bar{x}_t)\|^2", "1/T Σ_{t<T} E‖∇f(x̄_t)‖²",
         "1/T sum_{t<T} E||grad f(xbar_t)||^2"),
        (r"$\mathbb{E}f(\hat{x}_T)-f^*$", "E f(x̂_T) - f*", "E f(xhat_T) - f*"),
        (r"\min_{t\leqslant n}\lambda^{10}", "min_{t≤n} λ^10", "min_{t<=n} lambda^10"),
        (r"\frac{a+b}{2}\sqrt{xy}", "(a + b)/2 √xy", "(a + b)/2 sqrt(xy)"),
        (r"\Big(\operatorname{tr}A\Big)\,\nosuch", "(trA) nosuch", "(trA) nosuch"),
    ],
)  # fmt: skip
def test_measures_are_plain_text(latex: str, unicode: str, ascii: str) -> None:
    assert (as_plain(latex), as_plain(latex, unicode=False)) == (unicode, ascii)


def test_blocks_of_formulas_are_those_that_have_some() -> None:
    """A theorem has its terms among them; an assumption in words has none."""
    source = paper("printed", "parallel-sgd")
    blocks = dict(as_formulas(source, source["sgd-descent"]))
    assert all(blocks.values())
    assert [name for name, _ in blocks["The measure is at most the sum of"]] == ["start", "noise"]
    assert as_formulas(source, source["sgd-smooth"]) == []
