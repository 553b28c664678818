"""What measures are called, which units they have, and their factors that are formulas of letters."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy

from ratecert.base.errors import UserError
from ratecert.short.formulas import Formula, Place
from ratecert.short.letters import Letter
from ratecert.solvers.contract.measures import Form, Measure
from ratecert.theory.language.letters import latex_names, names_of
from ratecert.theory.language.statements import Theorem
from ratecert.theory.numbers.enclosed import enclosed, ends
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

    def made(values: Mapping[str, Any]) -> Measure:
        forms = []
        for factor, form in measure.forms:
            if isinstance(factor, Formula):
                known = {name: values[name] for name in names_of(factor.value)}
                forms.append((ends(enclosed(factor.value, known))[0], form))
            else:
                forms.append((factor, form))
        found: Measure = replace(measure, forms=tuple(forms))
        return found

    return made


def units(measure: Measure, known: Mapping[str, Letter], here: Place) -> str:
    """Those of all its forms, with their factors."""
    letters = _units(known)
    found = [_units_of(factor, form, letters, here) for factor, form in measure.forms]
    for other in found[1:]:
        if other != found[0]:
            raise UserError(
                f"{here}: the measure adds what has the units {_said(found[0])} and {_said(other)}; give each form a "
                f"factor of letters with which they fit, such as L / 2 * rc.measures.distance(), or say "
                f"measure_units='f'."
            )
    return _said(found[0])


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


def _units_of(factor: Any, form: Form, letters: Mapping[str, Units], here: Place) -> Units:
    if form.kind not in KINDS:
        raise UserError(
            f"{here}: a measure of your own says neither its units nor its look; write measure_units='x^2' and "
            f"measure_latex=r'...' beside it."
        )
    own = units_of(KINDS[form.kind][0])
    if not isinstance(factor, Formula):
        return own
    read = readings(factor.value, letters)
    return own * next(iter(read)) if read else own


def _said(found: Units) -> str:
    return (
        " ".join(name if power == 1 else f"{name}^{Fraction(power)}" for name, power in found.powers) or "1"
    )


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
        parts.append(shown + look)
    inside = "+".join(parts)
    wrapped = rf"\left[{inside}\right]" if len(parts) > 1 or "-" in inside[:1] else f"[{inside}]"
    return (before + wrapped).replace("<t>", index).replace("<T>", T)
