"""What measures are called, which units they have, and their factors that are formulas of letters."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy

from ratecert.base.errors import UserError
from ratecert.short.formulas import Formula, Place
from ratecert.short.letters import Letter
from ratecert.solvers.contract.measures import Measure
from ratecert.theory.notation import latex_names, names_of
from ratecert.theory.numbers.enclosed import enclosed, ends
from ratecert.theory.orders.monomials import ONE
from ratecert.theory.statements import Theorem
from ratecert.theory.units import Units, readings, units_of

KINDS = {  # of a form: units, LaTeX in <v>, the field, at <t>
    "gradient": ("f^2 x^-2", r"\|\nabla F(<v>_{<t>})\|^2"),
    "gap": ("f", r"F(<v>_{<t>})-F_\star"),
    "distance": ("x^2", r"\|<v>_{<t>}-x_\star\|^2"),
    "tracking": ("x^2", r"\|y_{<t>}-y_\star(x_{<t>})\|^2"),
    "drift": ("x^2", r"\frac{1}{K}\sum_k\|<v>_{<t>}^k-\bar{<v>}_{<t>}\|^2"),
    "sampled_gradient": ("f^2 x^-2", r"\|g(<v>_{<t>})\|^2"),
    "control": ("f^2 x^-2", r"\|<v>_{<t>}-\nabla F(x_\star)\|^2"),
}
AT = {  # when it is read: LaTeX before it in <T>, the number of iterations, and the index
    "last": (r"\mathbb{E}", "<T>"),
    "average": (r"\frac{1}{<T>}\sum_{t<<T>}\mathbb{E}", "t"),
    "smallest": (r"\min_{t<<T>}\mathbb{E}", "t"),
    "largest": (r"\max_{t<<T>}\mathbb{E}", "t"),
    "mean": (r"\mathbb{E}", r"\mathrm{mean}"),
    "drawn": (r"\mathbb{E}", r"\tau"),
}


def factors(measure: Any) -> list[Formula]:
    """Those of its forms that are formulas of letters; a function of the letters' values has its own."""
    forms = measure.forms if isinstance(measure, Measure) else ()
    return [factor for factor, _ in forms if isinstance(factor, Formula)]


def with_letters(measure: Any) -> Any:
    """The measure, or where its factors are formulas a function of the letters' values: at their lower ends."""
    if not factors(measure):
        return measure

    def number(factor: Any, values: Mapping[str, Any]) -> Any:
        if not isinstance(factor, Formula):
            return factor
        return ends(enclosed(factor.value, {name: values[name] for name in names_of(factor.value)}))[0]

    def made(values: Mapping[str, Any]) -> Measure:
        found: Measure = replace(
            measure, forms=tuple((number(factor, values), form) for factor, form in measure.forms)
        )
        return found

    return made


def units(measure: Measure, known: Mapping[str, Letter], here: Place) -> str:
    """Those of all its forms, with their factors."""
    letters, found = _units(known), list[str]()
    for factor, form in measure.forms:
        if form.kind not in KINDS:
            raise UserError(
                f"{here}: a measure of your own says neither its units nor its look; write measure_units='x^2' and "
                f"measure_latex=r'...' beside it."
            )
        read = readings(factor.value, letters) if isinstance(factor, Formula) else {}
        found.append(_said(units_of(KINDS[form.kind][0]) * next(iter(read), ONE)))
    if other := next((each for each in found if each != found[0]), ""):
        raise UserError(
            f"{here}: the measure adds what has the units {found[0]} and {other}; give each form a factor of letters "
            f"with which they fit, such as L / 2 * rc.measures.distance(), or say measure_units='f'."
        )
    return found[0]


def require_units(theorem: Theorem, known: Mapping[str, Letter], here: Place) -> None:
    """Refuse a bound whose terms have other units than the measure; what is quoted with a source may, as a finding."""
    letters, needed = _units(known), units_of(theorem.measure_units)
    if not letters.keys() >= names_of(*theorem.terms.values()):
        return  # some follow from where the letter occurs, which is for the linter to say
    for name, term in theorem.terms.items():
        found = readings(term, letters)
        if found and needed not in found:
            raise UserError(
                f"{here}: the measure has the units {theorem.measure_units}, and the term {name} of the bound, {term}, "
                f"has {_said(next(iter(found)))}; correct one of them, say what a letter means with rc.letter, or, if "
                f"it is printed so, where: source='Theorem 2', and the linter will report it."
            )


def _units(known: Mapping[str, Letter]) -> dict[str, Units]:
    return {name: units_of(each.symbol.units) for name, each in known.items() if each.symbol.units}


def _said(found: Units) -> str:
    powers = (name if power == 1 else f"{name}^{Fraction(power)}" for name, power in found.powers)
    return " ".join(powers) or "1"


def latex(measure: Any, iterations: str, known: Mapping[str, Letter]) -> str:
    """As it would be printed."""
    if not isinstance(measure, Measure):
        return r"\text{its own}"
    T = known[iterations].symbol.latex
    before, index = AT[measure.at]
    notation = {name: each.symbol for name, each in known.items()}
    parts = []
    for factor, form in measure.forms:
        look = KINDS.get(form.kind, ("", r"\text{its own}"))[1]
        look = look.replace("<v>", (form.reads or ("x",))[0])
        number = factor.value if isinstance(factor, Formula) else sympy.nsimplify(float(factor))
        shown = "" if number == 1 else sympy.latex(number, symbol_names=latex_names(notation, [number]))
        parts.append(shown + (f"({look})" if shown and form.kind == "gap" else look))
    inside = "+".join(parts)
    wrapped = rf"\left[{inside}\right]" if len(parts) > 1 or "-" in inside[:1] else f"[{inside}]"
    return (before + wrapped).replace("<t>", index).replace("<T>", T)
