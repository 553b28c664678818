"""Rule: symbols. What is used is defined before, and what is declared is used.

In formulas: every letter is in the notation. In functions: every variable on the right is an argument on the left. In
pseudocode: every variable that a line reads at iteration t has been given or assigned by then; one pass over the first
iterations, round included, shows it.
"""

from collections.abc import Iterator

from ratecert.theory.lint.finding import Finding
from ratecert.theory.lint.units import constants_units
from ratecert.theory.notation import names_of
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Algorithm, Formula

ITERATIONS = range(2)  # t = 0 and t = 1 meet every kind of line


def lint_symbols(paper: Paper) -> list[Finding]:
    findings = [*_undefined(paper), *_unused(paper)]
    for formula in paper.of_kind(Formula):
        findings += _arguments(formula)
    for algorithm in paper.of_kind(Algorithm):
        findings += _reads(algorithm)
        findings += _calls(paper, algorithm)
    return findings


def _undefined(paper: Paper) -> Iterator[Finding]:
    defined = {name for name, s in paper.notation.items() if not s.ours or paper.variant == "repaired"}
    for statement in paper.statements.values():
        for place, expression in statement.parts():
            for name in sorted(names_of(expression) - defined):
                yield Finding(
                    place=place,
                    kind="symbol",
                    printed=name,
                    fits=_likely(paper, name) or "a definition",
                    severity="error",
                    because=f"{name} is defined nowhere; evaluations take {paper.bindings.get(name, 'nothing')} for it",
                )


def _likely(paper: Paper, name: str) -> str:
    """The symbol with the units that the context asks for, and the most similar name."""
    units = constants_units(paper)
    alike = [n for n in paper.notation if n in units and units[n] == units.get(name)]
    return min(alike, key=lambda n: _distance(n, name), default="")


def _distance(name: str, other: str) -> tuple[bool, int]:
    """Names with the same letters in another order are nearest, then those that share most letters."""
    return sorted(name) != sorted(other), -len(set(name) & set(other))


def _unused(paper: Paper) -> Iterator[Finding]:
    used = set().union(*(names_of(e) for s in paper.statements.values() for _, e in s.parts()))
    used = used.union(*(s.hyperparameters for s in paper.statements.values() if isinstance(s, Algorithm)))
    for name, symbol in paper.notation.items():
        if name not in used and not symbol.ours:
            yield Finding(
                place=f"notation.{name}",
                kind="symbol",
                printed=name,
                fits="nothing",
                severity="note",
                because=f"{name} ({symbol.meaning}) is declared and occurs in no statement",
            )


def _arguments(formula: Formula) -> Iterator[Finding]:
    missing = [name for name in formula.depends_on if name not in formula.arguments]
    if missing:
        yield Finding(
            place=formula.id,
            kind="symbol",
            printed=f"a function of ({', '.join(formula.arguments)})",
            fits=f"a function of ({', '.join((*formula.arguments, *missing))})",
            severity="warning",
            because=f"the right side depends on {', '.join(missing)} too",
        )


def _reads(algorithm: Algorithm) -> Iterator[Finding]:
    """Run the assignments with p = 1, so that every iteration ends a round; report each line once."""
    known = set(algorithm.starts_from)
    reported = set()
    for t in ITERATIONS:
        for line in algorithm.lines:
            if (line.when, t > 0) in {("first", True), ("later", False)}:
                continue
            for name, shift in line.reads:
                if (name, t + shift) not in known and (name, shift) not in reported:
                    reported.add((name, shift))
                    yield _unread(algorithm, line.text, name, shift, t)
                    known.add((name, t + shift))
            known |= {(name, t + shift) for name, shift in line.assigns}


def _unread(algorithm: Algorithm, text: str, name: str, shift: int, t: int) -> Finding:
    index = "t" if shift == 0 else f"t{shift:+d}"
    given = ", ".join(f"{n}_{i}" for n, i in algorithm.starts_from)
    earlier = f"{name}_t" if shift > 0 else f"{name}_{t + shift} among what is given"
    return Finding(
        place=f"{algorithm.id}.{name}",
        kind="symbol",
        printed=f"{name}_{{{index}}} in: {text}",
        fits=earlier,
        severity="warning",
        because=f"at t = {t} nothing has assigned {name}_{t + shift}; given are {given}",
    )


def _calls(paper: Paper, algorithm: Algorithm) -> Iterator[Finding]:
    for line in algorithm.lines:
        for id, arguments in line.calls:
            wanted = paper.the(Formula, id).depends_on
            if arguments != wanted:
                yield Finding(
                    place=f"{algorithm.id}.{line.assigns[0][0]}",
                    kind="symbol",
                    printed=f"{id} at ({', '.join(arguments)})",
                    fits=f"{id} at ({', '.join(wanted)})",
                    severity="warning",
                    because="the arguments differ from those of the definition",
                )
