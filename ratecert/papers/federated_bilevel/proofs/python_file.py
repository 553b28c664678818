"""A proof as a Python file of its own: the pages theorem.py.jinja and constant.py.jinja, filled in."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from textwrap import fill
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.proofs.constant import ConstantProof
from ratecert.papers.federated_bilevel.proofs.potential import numbers
from ratecert.papers.federated_bilevel.proofs.theorem import BATCHED, TheoremProof, Version
from ratecert.papers.federated_bilevel.proofs.world import World
from ratecert.proofs.sheet import RATE, AtBothEnds, Defined, Logarithm, Quotient, Sheet
from ratecert.proofs.traced_step import TracedStep
from ratecert.proofs.writing import PythonWriter, fraction
from ratecert.theory.language.statements import Theorem

WIDTH = 118
NAMES = 12  # the longest name of a term, and a blank


def page(name: str, context: Mapping[str, Any]) -> str:
    folder = FileSystemLoader(Path(__file__).parent)
    environment = Environment(
        loader=folder, undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True
    )
    return environment.get_template(name).render(context)


def head(world: World, sheet: Sheet, **of: str) -> dict[str, Any]:
    """What the pages begin with: the world and the assumptions."""
    values = {name: fraction(value) for name, value in sheet.values.items()}
    return {
        "paper": paper().title,
        "world": _together({name: fraction(getattr(world, name)) for name in of["letters"].split()}),
        "assumed": _together({name: values[name] for name in ("mu", "L_1", "L_0")}),
        "steepest": of["steepest"],
        "slope": fraction(world.slope_squared / sheet.values["L_0"] ** 2),
    }


def theorem_file(proof: TheoremProof) -> str:
    theorem, sheet, given = proof.statement, proof.sheet, proof.given
    write = PythonWriter(sheet.values).doprint
    batched, place = theorem.algorithm == BATCHED, theorem.source.rpartition(", ")[2]
    context = {
        **head(proof.measured.world, sheet, letters="A P s R", steepest="(P*R + s)**2 + s**2"),
        "title": f"{place} ({theorem.title})",
        "short": place,
        "source": theorem.source,
        "place": proof.place or "a place that is not known",
        "algorithm": paper()[theorem.algorithm].source.rpartition(", ")[2],
        "conditions": [_prose(_condition(theorem, name), "") for name in theorem.conditions],
        "terms": [_prose(str(term), f"{name:<{NAMES}}") for name, term in theorem.terms.items()],
        "given": _together({name: fraction(value) for name, value in given.items()}),
        "positive": ", ".join(given),
        "more_than_one": "p*p > p and B*B > B" if batched else "p*p > p",
        "batched": batched,
        "many": given["K"] > 1,
        "defined": [line for d in sheet.defined for line in _defined(d, sheet, write)],
        "quotients": [_quotient(q, write) for q in proof.quotients],
        "ends": proof.at_both_ends and _ends(proof.at_both_ends, write),
        "logarithm": [line for log in sheet.logarithms for line in _logarithm(log, sheet, write)],
        "printed": _version(proof.printed, {}, write),
        "others": proof.others and _version(proof.others, proof.printed.terms, write),
        "alone": proof.alone and _version(proof.alone, proof.printed.terms, write),
        "steps": [_step(n, s, write) for n, s in zip(("first", "later"), proof.steps, strict=True)],
        "later_fields": ", ".join("z" if f == "x_previous" else f for f in proof.steps[1].fields),
        "signs": "K*(B + T - 2)" if batched else "K*(T - 1)",
        "outcomes": proof.measured.outcomes,
        "apart": fraction(proof.measured.apart),
        "enumerated": proof.measured.potential is None,
        "low": fraction(proof.measured.low),
    }
    if found := proof.measured.potential:
        said = numbers(found, proof.measured.world, given.get("B", Fraction(1)))
        context |= {name: fraction(value) for name, value in said.items()}
    return page("theorem.py.jinja", context)


def constant_file(proof: ConstantProof) -> str:
    sheet = proof.sheet
    write = PythonWriter(sheet.values).doprint
    context = {
        **head(proof.world, sheet, letters="A P R", steepest="(P*R)**2"),
        "name": proof.statement.symbol.name,
        "source": proof.statement.source,
        "place": proof.place or "a place that is not known",
        "definition": _prose(f"{proof.statement.left} = {proof.statement.right}", ""),
        "enumerated": False,
        "given": _together({name: fraction(value) for name, value in proof.given.items()}),
        "theta": _quotient(proof.theta, write),
        "defined": [line for d in sheet.defined for line in _defined(d, sheet, write)],
        "measured": fraction(proof.measure),
        "printed": fraction(proof.printed),
        "alone": proof.alone and fraction(proof.alone),
    }
    return page("constant.py.jinja", context)


def _together(values: Mapping[str, str]) -> str:
    """Several letters in one assignment, as many as fit."""
    lines: list[dict[str, str]] = [{}]
    for name, value in values.items():
        if len(_assignment({**lines[-1], name: value})) > WIDTH:
            lines.append({})
        lines[-1][name] = value
    return "\n".join(_assignment(line) for line in lines)


def _assignment(values: Mapping[str, str]) -> str:
    return f"{', '.join(values)} = {', '.join(values.values())}"


def folded(line: str, indent: str = "    ") -> str:
    """A long line of code; all of them are inside brackets, and blanks are where they may be broken."""
    return fill(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _prose(formula: str, name: str) -> str:
    return fill(
        f"    {name}{formula}",
        WIDTH,
        subsequent_indent=" " * 16,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _condition(theorem: Theorem, name: str) -> str:
    condition = theorem.conditions[name]
    clauses = ", ".join(str(clause) for clause in condition.clauses)
    of = {True: clauses, False: f"{condition.of.__name__.lower()}({clauses})"}[len(condition.clauses) == 1]
    return f"{condition.left} {condition.relation} {of}"


def _defined(defined: Defined, sheet: Sheet, write: Any) -> Iterable[str]:
    if defined.power == 1:
        yield f"{defined.name} = {write(defined.right)}"
    else:
        yield f"{defined.name} = {fraction(sheet.values[defined.name])}"
        root = "*".join([defined.name] * defined.power)
        yield f'require({root} == {write(defined.right)}, "{defined.name} is a root")'


def _quotient(quotient: Quotient, write: Any) -> str:
    """The clause by its number: the text has it in full."""
    expression = write(quotient.expression)
    if quotient.relation == "=":
        return folded(f'require({expression} == 1, "{quotient.part}")')
    check = {"<=": "at_most", "<": "below"}[quotient.relation]
    return folded(f'{check}("{quotient.part}", {expression}, {fraction(quotient.value)})')


def _ends(ends: AtBothEnds, write: Any) -> dict[str, Any]:
    return {
        "name": ends.name,
        "clauses": ", ".join(write(c) for c in ends.clauses),
        "shares": [
            (end, ", ".join(fraction(share) for share in shares))
            for end, shares in zip(("Fraction(0)", "T - 1"), ends.shares, strict=True)
        ],
        "quotients": [_quotient(q, write) for q in ends.quotients],
    }


def _logarithm(log: Logarithm, sheet: Sheet, write: Any) -> Iterable[str]:
    """exp(rate) exceeds four terms of its series, which exceed the base."""
    series = 1 + RATE + RATE**2 / 2 + RATE**3 / 6
    share = sheet.value(log.argument) / 2**log.n
    yield f"base, rate, n = Fraction(2), {fraction(RATE)}, Fraction({log.n})"
    yield "below_exp = 1 + rate + rate**2/2 + rate**3/6"
    yield f'require(base < below_exp == {fraction(series)}, "log(base) < rate")'
    yield f'at_most("log({log.argument}) <= n rate", ({write(log.argument)})/base**n, {fraction(share)})'
    yield f"{log.name} = n*rate  # in the place of log({log.argument}), which is smaller"


def _version(version: Version, printed: Mapping[str, Any], write: Any) -> dict[str, Any]:
    """Without what is as in the print."""
    changed = {n: write(term) for n, term in version.terms.items() if printed.get(n) != term}
    return {
        "terms": [folded(f'"{name}": {term},', " " * 8) for name, term in changed.items()],
        "quotients": [_quotient(q, write) for q in version.quotients],
        "value": fraction(version.value),
    }


def _step(name: str, step: TracedStep, write: Any) -> dict[str, Any]:
    return {
        "name": name,
        "fields": ", ".join(step.fields),
        "lines": [f"{target} = {write(value)}" for target, value in step.named],
        "result": ", ".join(write(value) for value in step.result),
    }
