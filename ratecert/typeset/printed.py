"""Statements typeset: for a terminal with SymPy's two-dimensional printer, or as LaTeX."""

import textwrap
from collections.abc import Mapping
from typing import Any

import sympy
from sympy.codegen.ast import Assignment
from sympy.core.function import AppliedUndef

from ratecert.theory.notation import Symbol, latex_names
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Statement
from ratecert.typeset.outline import Item, OutlineBlock, Run, Sentence, Shown, outline
from ratecert.typeset.plain_latex import as_plain
from ratecert.typeset.prose import as_prose

WIDTH = 100
INDENT = 6


def for_terminal(
    paper: Paper, statement: Statement, run: Run = None, *, width: int = WIDTH, unicode: bool = True
) -> str:
    lines = [f"{statement.id} ({paper.variant}): {statement.title}", f"  {_where(paper, statement)}", ""]
    for block in outline(paper, statement, run):
        items = (_item(paper, item, width, unicode) for item in block.items)
        body = [line for item in items for line in item]
        lines += [block.heading, *(body[:-1] if body[-1:] == [""] else body), ""]
    return "\n".join(line.rstrip() for line in lines).rstrip() + "\n"


def _where(paper: Paper, statement: Statement) -> str:
    """Where it stands, and how the print was had."""
    return ", ".join(filter(None, (statement.source, paper.entered(statement))))


def _item(paper: Paper, item: Item, width: int, unicode: bool) -> list[str]:
    if isinstance(item, Sentence):
        known = unicode or item.text.isascii() or not item.latex
        plain = item.text if known else as_plain(item.latex, unicode=False) + item.prose
        return textwrap.wrap(plain, width, initial_indent="  ", subsequent_indent="    ")
    formulas = [item.formula, *item.clauses]
    printed = [_pretty(paper, formula, width - INDENT, unicode) for formula in formulas]
    label = [f"  {item.label}"] if item.label else []
    return [
        *label,
        *(line for text in printed for line in [*textwrap.indent(text, " " * INDENT).split("\n"), ""]),
    ]


def _pretty(paper: Paper, expression: Any, width: int, unicode: bool) -> str:
    formula = sympy.sympify(expression)  # a count may be a plain 1
    shown = _renamed(formula, paper.notation) if unicode else formula
    return str(sympy.pretty(shown, use_unicode=unicode, order="rev-lex", num_columns=width))


def _renamed(expression: Any, notation: Mapping[str, Symbol]) -> Any:
    """With the names that read well in a terminal."""
    symbols = {
        s: sympy.Symbol(notation[s.name].text or s.name, commutative=s.is_commutative)
        for s in expression.free_symbols
        if s.name in notation
    }
    return _samples(expression, {name: s.text or name for name, s in notation.items()}).xreplace(symbols)


def _samples(expression: Any, names: Mapping[str, str]) -> Any:
    """With other names for numbered samples, which are functions: hessian_g(j)."""
    samples = [f for f in expression.atoms(AppliedUndef) if f.func.__name__ in names]
    return expression.xreplace(
        {f: sympy.Function(names[f.func.__name__], commutative=False)(*f.args) for f in samples}
    )


def as_latex(paper: Paper, statement: Statement, run: Run = None) -> str:
    """A fragment that compiles with amsmath."""
    lines = [
        f"% {statement.id} ({paper.variant}), {_where(paper, statement)}",
        rf"\paragraph{{{as_prose(statement.title, paper.notation)}}}",
    ]
    for block in outline(paper, statement, run):
        lines += _latex_block(paper, block)
    return "\n".join(lines) + "\n"


def as_formulas(
    paper: Paper, statement: Statement, run: Run = None
) -> list[tuple[str, list[tuple[str, str]]]]:
    """(heading, [(label, LaTeX)]) for every block of the statement that has formulas; sentences have no label."""
    blocks = []
    for block in outline(paper, statement, run):
        formulas = [
            (item.label, _latex(paper, item)) if isinstance(item, Shown) else ("", item.latex.strip("$"))
            for item in block.items
            if isinstance(item, Shown) or item.latex
        ]
        blocks += [(block.heading, formulas)] if formulas else []
    return blocks


def _latex_block(paper: Paper, block: OutlineBlock) -> list[str]:
    lines = [rf"\textbf{{{as_prose(block.heading, paper.notation)}.}}"]
    sentences = [item for item in block.items if isinstance(item, Sentence)]
    lines += [
        item.latex + as_prose(item.prose if item.latex else item.text, paper.notation) + r"\\"
        for item in sentences
    ]
    formulas = [_labelled(paper, item) for item in block.items if isinstance(item, Shown)]
    if formulas:
        lines += [r"\begin{gather*}", " \\\\\n".join(f"  {f}" for f in formulas), r"\end{gather*}"]
    return lines


def _labelled(paper: Paper, item: Shown) -> str:
    label = rf"\text{{{as_prose(item.label, paper.notation)}:}}\quad " if item.label else ""
    return label + _latex(paper, item)


def _latex(paper: Paper, item: Shown) -> str:
    names = latex_names(paper.notation, [item.formula, *item.clauses])
    if isinstance(item.formula, Assignment):
        return rf"{_printed(item.formula.lhs, names)} \leftarrow {_printed(item.formula.rhs, names)}"
    if not item.clauses:
        samples = {name: symbol.latex for name, symbol in paper.notation.items()}
        return _printed(_samples(sympy.sympify(item.formula), samples), names)  # a count may be a plain 1
    clauses = r",\ ".join(_printed(clause, names) for clause in item.clauses)
    function = r"\max" if "largest" in str(item.formula) else r"\min"
    return _printed(item.formula, {**names, item.formula.rhs: rf"{function}\Big\{{{clauses}\Big\}}"})


def _printed(expression: Any, names: Mapping[Any, str]) -> str:
    return str(sympy.latex(expression, symbol_names=dict(names)))
