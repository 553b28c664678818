"""What the docstrings of PEPit's examples have in common: letters with their units, the class of functions, a run."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ratecert.binding.binding import Binding
from ratecert.theory.language.paper import Paper, by_id
from ratecert.theory.language.statements import Algorithm, Assumption, Theorem
from ratecert.theory.language.symbols import Symbol, table

RELEASE = "0.5.1"  # of PEPit
LETTERS = table(
    Symbol("n", "n", "number of iterations", units="1", least=1),
    Symbol("gamma", r"\gamma", "step size", units="x^2 f^-1"),
    Symbol("alpha", r"\alpha", "step size", units="x^2 f^-1"),
    Symbol("L", "L", "Lipschitz constant of the gradient", units="f x^-2"),
    Symbol("mu", r"\mu", "strong convexity", units="f x^-2"),
    Symbol("kappa", r"\kappa", "L/mu", units="1"),
    Symbol("rho", r"\rho", "rate", units="1"),
    Symbol("R", r"\|x_0-x_\star\|", "distance of the start from a minimiser", units="x"),
    Symbol("Delta", r"(f(x_0)-f_\star)", "f(x_0) - f*", units="f"),
)

SMOOTH = Assumption(
    id="smooth",
    title="Smooth and convex",
    source="first lines of the docstrings",
    sentence="f is L-smooth and mu-strongly convex (mu = 0: convex).",
    constants={"L": 0.0},
)
METHOD = Algorithm(
    id="method",
    title="The method",
    source="Algorithm",
    hyperparameters=(),
    starts_from=(),
    lines=(),
    updates={},
)


def paper(
    key: str, about: str, notation: dict[str, Any], *statements: Any, steps: Mapping[str, str], **more: Any
) -> Paper:
    """A page of the library: docstrings quote papers, so that all is by notes.

    `steps` has the methods by the ids of their theorems.
    """
    found = [
        replace(each, steps=steps[each.id]) if isinstance(each, Theorem) else each for each in statements
    ]
    return Paper(
        key=key,
        title=f"PEPit {RELEASE}: {about}",
        certainty="note",
        edition=f"here that of PEPit {RELEASE}",
        notation=notation,
        statements=by_id(METHOD, *found),
        bindings={},
        **more,
    )


def letters(names: str, *own: Any) -> dict[str, Any]:
    """Common letters by name, and others."""
    return {**{name: LETTERS[name] for name in names.split()}, **table(*own)}


def theorem(id: str, title: str, source: str, measure: str, units: str, bound: Any, **more: Any) -> Theorem:
    """A guarantee of one term."""
    usual: dict[str, Any] = {"assumptions": (SMOOTH.id,), "conditions": {}}
    return Theorem(
        id=id,
        title=title,
        source=source,
        algorithm=METHOD.id,
        measure=measure,
        measure_units=units,
        terms={"start": bound},
        **usual | more,
    )


def run(method: Any, hyperparameters: dict[str, Any], measure: Any, constants: Any, **more: Any) -> Binding:
    """From one direction of a quadratic, on one machine, for up to 64 iterations."""
    usual: dict[str, Any] = {"worlds": ("quadratics",), "most_iterations": 64, "elsewhere": _numbers}
    return Binding(
        method=method,
        hyperparameters=hyperparameters,
        measure=measure,
        constants=constants,
        devices="",
        iterations="n",
        **usual | more,
    )


def _numbers(id: str) -> list[dict[str, Any]]:
    """PEPit's, beside the printed guarantee and the worst quadratic; the table needs the papers, which need this."""
    from ratecert.papers.pep.table import of_statement

    return of_statement(id)
