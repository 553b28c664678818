"""The run of a method as lines of a proof: its functions, exact second moments, and measures read of them."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from ratecert.proofs.by_data.directions import Direction
from ratecert.proofs.by_data.measured import Squares, squares
from ratecert.proofs.by_data.method import Written, WrittenMethod, mean_of
from ratecert.proofs.by_data.script import Script
from ratecert.proofs.writing import PythonWriter, fraction
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
        arguments = ", ".join((*each.before, "full", *each.draws))
        results = "".join(f"        {write(each.after[field])},\n" for field in method.fields)
        script.line(f'{name}_draws = "{" ".join(each.draws)}".split()')
        script.line(f"\n\ndef {name}({arguments}):\n    return (\n{results}    )\n\n")


def write_measure(
    script: Script,
    name: str,
    measure: Measure,
    axes: Sequence[Direction],
    fields: Sequence[str],
    *,
    many: bool,
) -> None:
    """The measure under this name, read when it says."""
    read = squares(measure, axes, fields, many=many)
    script.lines.append(f"# Weights of (field - x*)^2, axis by axis; read {READ[measure.at]}.")
    if measure.at == "mean":
        read = [replace(each, field=mean_of(each.field)) for each in read]
    for each in read:
        script.line(f"{name}_of_{each.field} = [{_weights(each)}]")
    terms = [f'along({name}_of_{each.field}, "{each.field}")' for each in read]
    script.line(f"{name}_over_t = [sum(parts) for parts in zip({', '.join(terms)}, strict=True)]")
    if measure.at in ("last", "mean"):
        script.line(f"*_, {name} = {name}_over_t")
    else:
        script.line(f"*before, _ = {name}_over_t")
        script.line(f"{name} = {OVER_T[measure.at]}(before)")


def write_value(script: Script) -> None:
    """What was found as `measured`; where that is long, rounded down, and as `measured_above`, rounded up."""
    found = Fraction(script.names["found"])
    if max(found.numerator, found.denominator).bit_length() <= LONG:
        script.set("measured", found)
        script.line('require(found == measured, "the measure")')
        script.line("measured_above = measured")
        return
    n = DIGITS - math.floor(math.log10(found.numerator) - math.log10(found.denominator))
    digits = math.floor(found * Fraction(10) ** n)
    script.line(
        f"digits, scale = {digits}, Fraction(10)**{n}"
        if n >= 0
        else f"digits, scale = {digits}, Fraction(10)**({n})"
    )
    script.line('require(found*scale//one == digits, "the measure, rounded down")')
    script.line("measured, measured_above = digits/scale, (digits + one)/scale")


def _weights(each: Squares) -> str:
    """Axis by axis; powers as products, since one curvature may be 1."""
    if not each.polynomial:
        return ", ".join(map(fraction, each.weight))
    terms = [_term(c, i) for i, c in enumerate(each.weight) if c]
    return f"{' + '.join(terms)} for h in curvatures"


def _term(coefficient: Fraction, power: int) -> str:
    product = "*".join(["h"] * power) or "one"
    if coefficient.numerator == 1:
        return product if coefficient == 1 else f"{product}/{coefficient.denominator}"
    return f"{fraction(coefficient)}*{product}"
