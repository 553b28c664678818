"""The run of a method as lines of a proof: its functions, exact second moments, and measures read of them."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sympy

from ratecert.proofs.measure import CURVATURE
from ratecert.proofs.method import Written, WrittenMethod, at_t
from ratecert.proofs.script import PythonWriter, Script
from ratecert.solvers.contract.measures import Measure

LONG, DIGITS = 200, 30  # bits of a number that is written as it is, and digits of another
OVER_T = {"average": "mean", "smallest": "min", "largest": "max"}  # over t < T
READ = {
    "average": "as the mean over all t but the last",
    "smallest": "as the smallest over all t but the last",
    "largest": "as the largest over all t but the last",
    "last": "at the last t",
    "mean": "at the mean of the iterates, which is known at the last t",
}


def write_functions(script: Script, method: WrittenMethod) -> None:
    """How the state begins, the first step and the later ones."""
    script.line(f'fields = "{" ".join(method.fields)}".split()')
    write = PythonWriter({}).doprint
    for name in ("start", "first", "later"):
        each: Written = getattr(method, name)
        if name == "later" and each == method.first:
            script.line("later, later_draws = first, first_draws")
            continue
        numbers = map(at_t, method.changing) if name != "start" else ()
        arguments = ", ".join((*each.before, "full", *each.draws, *numbers))
        results = "".join(f"        {write(each.after[field])},\n" for field in method.fields)
        script.line(f'{name}_draws = "{" ".join(each.draws)}".split()')
        script.line(f"\n\ndef {name}({arguments}):\n    return (\n{results}    )\n\n")


def write_history(script: Script, others: Sequence[str]) -> None:
    """The moments at every t, along every axis; `others` are fields that the run starts with, beside x."""
    if not others:
        script.line("history = [list(moments(x, samples)) for x, samples in world]")
        return
    script.line(f'given = "{" ".join(("x", *others))}".split()')
    script.line(f"starts = zip([x for x, _ in world], {', '.join(map(at_start, others))}, strict=True)")
    each = "for begun, (_, samples) in zip(starts, world, strict=True)"
    script.line(f"history = [list(moments(begun, samples)) {each}]")


def at_start(field: str) -> str:
    """The list of what a field starts with, axis by axis."""
    return f"{field}_0"


def write_measure(
    script: Script,
    name: str,
    measure: Measure,
    form: Any,
    fields: Sequence[str],
    known: dict[Any, str],
) -> None:
    """The measure, a quadratic form, under this name, read when it says; `known` has the forms that are written."""
    script.lines.append(f"# A quadratic form of the fields less x*, along one axis; read {READ[measure.at]}.")
    if form not in known:
        known[form] = f"{name}_form"
        write = PythonWriter({**script.names, CURVATURE: Fraction(1)}).doprint  # one curvature may be 1
        terms = "\n        + ".join(map(write, sympy.Add.make_args(form)))
        arguments = ", ".join((CURVATURE, *fields))
        script.line(f"\n\ndef {name}_form({arguments}):\n    return (\n        {terms}\n    )\n\n")
    script.line(f"{name}_over_t = formed({known[form]})")
    if measure.at in ("last", "mean"):
        script.line(f"*_, {name} = {name}_over_t")
    else:
        script.line(f"*before, _ = {name}_over_t")
        script.line(f"{name} = {OVER_T[measure.at]}(before)")


def write_value(script: Script) -> None:
    """What was found as `measured`; where that is long, rounded down, and as `measured_above`, rounded up."""
    if not isinstance(script.names["found"], int | Fraction):
        script.line("found, found_above = low(found), high(found)")
        _rounded(script, above="found_above")
        return
    found = Fraction(script.names["found"])
    if max(found.numerator, found.denominator).bit_length() <= LONG:
        script.set("measured", found)
        script.line('require(found == measured, "the measure")')
        script.line("measured_above = measured")
        return
    _rounded(script, above="found")


def _rounded(script: Script, above: str) -> None:
    found = Fraction(script.names["found"])
    n = DIGITS - math.floor(math.log10(found.numerator) - math.log10(found.denominator))
    digits = math.floor(found * Fraction(10) ** n)
    script.line(
        f"digits, scale = {digits}, Fraction(10)**{n}"
        if n >= 0
        else f"digits, scale = {digits}, Fraction(10)**({n})"
    )
    script.line('require(found*scale//one == digits, "the measure, rounded down")')
    last = "(digits + one)/scale" if above == "found" else above
    script.line(f"measured, measured_above = digits/scale, {last}")
