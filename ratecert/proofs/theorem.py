"""A theorem that is bound to runs by data, refuted in fractions at one instance: the text of a file of its own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from textwrap import fill
from typing import Any

import sympy

from ratecert.base.errors import NotExactError, WitnessError
from ratecert.binding.setting import Setting, Within
from ratecert.proofs.formulas import Formulas
from ratecert.proofs.known import OwnFunctions
from ratecert.proofs.measure import form_of
from ratecert.proofs.method import (
    WrittenMethod,
    standing,
    with_means,
    write_changing,
    written,
)
from ratecert.proofs.run import (
    at_start,
    write_functions,
    write_history,
    write_measure,
    write_value,
)
from ratecert.proofs.script import WIDTH, Script, exact, folded, fraction, number, page
from ratecert.proofs.world import Direction, check_world, directions_of, further_fields, write_constant
from ratecert.search.blame import cured, source_of
from ratecert.search.case import Case
from ratecert.search.witness import Instance
from ratecert.solvers.contract.measures import Measure
from ratecert.solvers.contract.schedule import is_schedule
from ratecert.solvers.contract.stage import name_of
from ratecert.theory.notation import names_of
from ratecert.theory.numbers.evaluation import complete
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Theorem

MOST_STEPS, MOST_DEVICES, MOST_OUTCOMES, MOST_WORK = 1000, 4, 256, 10**5
PERIOD = "p"  # what methods call the number of steps between two averages
PLAIN = 100  # the largest denominator of a power


@dataclass(frozen=True)
class Refuted:
    """The file, and measure/bound; None where the bound is zero."""

    text: str
    ratio: Fraction | None


def refuted(case: Case, place: str, instance: Instance) -> Refuted:
    """NotExactError where this instance cannot be written so, WitnessError where it refutes nothing."""
    return _Proof(case, place, instance).written()


class _Proof:
    def __init__(self, case: Case, place: str, instance: Instance) -> None:
        self.case, self.place, self.instance = case, place, instance
        self.binding = case.binding
        self.paper = case.printed
        self.theorem = self.paper.the(Theorem, case.statement)
        self.setting, self.doubles = case.setting_and_letters(instance)
        for name, what, most in (("K", "devices", MOST_DEVICES), ("T", "iterations", MOST_STEPS)):
            if (count := getattr(self.setting, name)) > most:
                raise NotExactError(
                    f"the run has {name} = {count} {what}, and such proofs have {most} at most"
                )
        self.every, self.others = directions_of(self.setting), further_fields(self.setting)
        opaque = any(callable(source) for source in self.binding.constants.values())  # may see every axis
        self.axes = tuple(axis for axis in self.every if opaque or not axis.silent)
        if all(axis.silent for axis in self.every):
            raise NotExactError("nothing ever moves in this run")
        if any(len(axis.samples) ** self.setting.K > MOST_OUTCOMES for axis in self.axes):
            raise NotExactError(f"a step of all devices has more than {MOST_OUTCOMES} outcomes")
        self.many = self.setting.K > 1
        self.script = Script(many=self.many)
        self.forms: dict[Any, str] = {}
        self.formulas = Formulas(self.script, self.paper, self.theorem, self._given())
        self.own = OwnFunctions(self.formulas, self.binding)

    def written(self) -> Refuted:
        """Part by part, each run as it is written."""
        script, parts = self.script, {}
        parts["world"] = self._world()
        solver, names = self._solver()
        values = {name: script.names[name] for name in names}
        given = ("x", *self.others)
        change = None if self.many else partial(write_changing, self.formulas, values, self.setting.T)
        method = written(solver, values, given, change) if self.setting.T else standing(given)
        self.formulas.drop_unused()
        self.measures = self._measures()
        parts["hyperparameters"] = script.part()
        how = {"several": bool(self.others), "changing": bool(method.changing)}
        if any(how.values()):
            script.follow(**how)
        self.state = method.fields
        if any(measure.at == "mean" for measure in self.measures.values()):
            method = with_means(method)
        self.fields = method.fields
        self._require_short(method)
        if method.changing:
            script.line(f"changing = [{', '.join(f'{name}_over_t' for name in method.changing)}]")
        write_functions(script, method)
        if self.many:
            self._devices(method, names)
        parts["functions"] = script.part()
        self._run()
        parts["run"] = script.part()
        for condition in self.theorem.conditions.values():
            self.formulas.condition(condition)
        parts["required"] = script.part() or ["# There are none."]
        allowed = self._bound(self.formulas, "bound", "allowed", "the bound as printed")
        parts["bound"] = script.part()
        measured = Fraction(script.names["measured"])
        if not measured > allowed:
            raise WitnessError("it is no counterexample: the measure does not exceed the bound there.")
        self._versions()
        parts["versions"] = script.part()
        lines = [text for part in parts.values() for text in part]
        tools = {"roots": "Between(", "outward": "outward("}
        used = {name: any(tool in text for text in lines) for name, tool in tools.items()}
        still = "" if self.setting.T else ", of which the run takes no step,"
        text = page(
            "theorem.py.jinja",
            **_head(self.paper, self.theorem, self.place, self.binding.because),
            **parts,
            about=_about(self.every, self.axes),
            kit=page("kit.py.jinja", many=self.many, **used, **how),
            method=name_of(solver) + still,
            zero_bound=allowed == 0,
        )
        return Refuted(text, measured / allowed if allowed else None)

    def _require_short(self, method: WrittenMethod) -> None:
        """Numbers grow with every step, so that what takes seconds is not much."""
        K, T = self.setting.K, self.setting.T
        work = T * (1 + K * len(method.fields)) ** 3 * sum(len(axis.samples) ** K for axis in self.axes)
        if work > MOST_WORK:
            raise NotExactError("a run of that many outcomes and steps takes too long in fractions")

    def _world(self) -> list[str]:
        script = self.script
        script.line("zero, one = Fraction(0), Fraction(1)")
        script.line("half = one/(one + one)")
        rows = ""
        for axis in self.axes:
            samples = ", ".join(f"({fraction(h)}, {fraction(push)})" for h, push in axis.samples)
            rows += f"    {folded(f'({fraction(axis.start)}, [{samples}]),', ' ' * 8)}\n"
        script.line(f"world = [  # x_0, [(curvature, push), ...]: a sample is curvature x + push\n{rows}]")
        script.line("curvatures = [mean([curvature for curvature, _ in samples]) for _, samples in world]")
        script.line("pushes = [mean([push for _, push in samples]) for _, samples in world]")
        script.line("centers = [-push/h for h, push in zip(curvatures, pushes, strict=True)]  # x*")
        for i, name in enumerate(self.others):
            values = ", ".join(fraction(axis.others[i]) for axis in self.axes)
            script.line(f"{at_start(name)} = [{values}]  # axis by axis")
        check_world(self.formulas, self.setting.world)
        return script.part()

    # Letters.

    def _given(self) -> dict[str, Callable[[str], None]]:
        binding, letters = self.binding, self.instance["letters"]
        names = (*binding.constants, *letters, binding.iterations, *filter(None, [binding.devices]))
        return dict.fromkeys((*names, *binding.measured), self._give)

    def _give(self, name: str) -> None:
        script, binding, letters = self.script, self.binding, self.instance["letters"]
        if name in binding.measured:
            raise NotExactError(f"the method needs {name}, which only its run gives")
        if name == binding.devices:
            script.set(name, Fraction(self.setting.K))
            if not self.many:
                script.line(f'require({name}*{name} == {name} and positive({name}), "there is one device")')
        elif name == binding.iterations:
            script.set(name, Fraction(self.setting.T + binding.counts_from))
        elif name in letters:
            script.set(name, exact(f"letters.{name}", letters[name]))
        else:
            self._constant(name, binding.constants[name])

    def _constant(self, name: str, source: str | Within | Callable[[Setting], float]) -> None:
        if isinstance(source, Within):
            raise NotExactError(
                f"{name} holds on a ball, of which there is a certificate, but none in fractions"
            )
        if isinstance(source, str):
            write_constant(self.formulas, self.every, source, name)
        elif isinstance(found := self.own.constant(name, source, self.setting), sympy.Basic):
            self.script.lines.append(f"# {name}, by the paper's own function in letters.")
            self.formulas.give(name, found)
        else:
            self.script.set(name, number(name, found), "by the paper's own function")

    # The method.

    def _solver(self) -> tuple[Any, list[str]]:
        """Of doubles, and the names that its hyperparameters have in the file."""
        full = complete(self.paper, self.theorem, self.doubles, later=set(self.binding.measured))
        names = []
        for field, value in self.binding.hyperparameters.items():
            own = callable(value) and not isinstance(value, sympy.Basic)
            made = self.own.made(f"hyperparameters[{field!r}]", value) if own else value
            if is_schedule(made):
                raise NotExactError(f"the hyperparameter {field} is a schedule")
            lettered = isinstance(made, sympy.Basic)
            text = self.formulas.text(made) if lettered else fraction(number(field, made))
            if lettered and not names_of(made):
                text = fraction(Fraction(self.script.value(text)))
            name = field if field == text or field not in self.script.names else f"the_{field}"
            if name != text:
                self.script.assign(name, text)
            if not isinstance(self.script.names[name], int | Fraction):
                raise NotExactError(f"the hyperparameter {field} is no fraction there")
            if own and lettered:
                self.formulas.stands_for(name, made)
            names.append(name)
        return self.binding.solver(self.paper, full), names

    def _devices(self, method: WrittenMethod, names: list[str]) -> None:
        """How many there are, what they average, and after how many steps."""
        if self.binding.devices:
            self.formulas.require(self.binding.devices)
        K = self.binding.devices or fraction(Fraction(self.setting.K))
        self.script.line(f"devices = range(int({K}))")
        self.script.line(f'averaged = "{" ".join(method.averaged)}".split()')
        same = [name for name in names if name.removeprefix("the_") == PERIOD]
        period = same[0] if same else "one" if method.period == 1 else fraction(Fraction(method.period))
        self.script.line(f"period = {period}")

    # The run, and both sides.

    def _run(self) -> None:
        script, binding = self.script, self.binding
        self.formulas.require(binding.iterations)
        less = f" - {fraction(Fraction(binding.counts_from))}" if binding.counts_from else ""
        script.line(f"steps = {binding.iterations}{less}")
        if not self.setting.T:
            script.line('require(steps == zero, "the run has no step")')
        write_history(script, self.others)
        self._measure("found", "measure")
        write_value(script)
        if r"\min" in self.theorem.measure and getattr(binding.measure, "at", "") == "last":
            script.line('require(found == min(found_over_t), "the last is the smallest")')
        for name, each in binding.measured.items():
            if each.before:
                raise NotExactError(f"the letter {name} is read before the last iteration")
            self._measure(f"found_{name}", f"measured[{name!r}]")
            power = Fraction(each.power).limit_denominator(PLAIN)
            if power.numerator != 1:
                raise NotExactError(f"the letter {name} is a power of what is measured")
            if power == 1:
                script.line(f"{name} = found_{name}")
            else:
                self.formulas.root_of(name, f"found_{name}", power.denominator)
            self.formulas.values[name] = script.names[name]

    def _measure(self, name: str, what: str) -> None:
        measure = self.measures[what]
        form = form_of(self.formulas, measure, self.axes, self.state, many=self.many)
        write_measure(self.script, name, measure, form, self.fields, self.forms)

    def _measures(self) -> dict[str, Measure]:
        """All that is measured, in letters where it can be made of them, else of their values."""
        given = {"measure": self.binding.measure}
        given |= {f"measured[{name!r}]": each.measure for name, each in self.binding.measured.items()}
        return {what: self.own.made(what, each) if callable(each) else each for what, each in given.items()}

    def _bound(self, formulas: Formulas, name: str, allowed: str, sentence: str) -> Fraction:
        value = formulas.bound(name)
        self.script.set(allowed, value)
        self.script.line(f'require(high(sum({name}.values())) == {allowed}, "{sentence}")')
        return value

    def _versions(self) -> None:
        """With all other errata it is still false; with this one alone it is not.

        Nothing is said of a run without a step, where a power may be 1 whatever it is a power of.
        """
        if not (self.place and self.setting.T):
            return
        others, alone = (
            self._version(source)
            for source in (source_of(self.case, self.place), cured(self.case, (self.place,)))
        )
        if others.theorem != self.theorem:
            self.script.lines.append(f"\n# With every erratum of the paper but the one at {self.place}.")
            self._changed(others)
            self._bound(others, "others", "allowed_by_others", "the bound with all other errata")
            self.script.line(
                'require(measured > allowed_by_others, "measure > bound, all other errata applied")'
            )
        self.script.lines.append(f"\n# With the erratum at {self.place} alone.")
        self._changed(alone)
        self._bound(alone, "cured", "allowed_if_cured", "the bound with this erratum")
        names = self.script.names  # what is known between two fractions counts by its other end here
        left = "measured" if names["measured_above"] == names["measured"] else "measured_above"
        known = isinstance(self.script.value("sum(cured.values())"), int | Fraction)
        right = "allowed_if_cured" if known else "low(sum(cured.values()))"
        self.script.compared("at_most", "measure <= bound, this erratum applied", left, right)

    def _version(self, source: Paper) -> Formulas:
        """Letters that are defined otherwise are written again, under their own names: there are none so far."""
        if source.constants != self.paper.constants:
            raise NotExactError("an erratum of the paper changes the definition of a letter")
        return replace(self.formulas, paper=source, theorem=source.the(Theorem, self.case.statement))

    def _changed(self, version: Formulas) -> None:
        for name, condition in version.theorem.conditions.items():
            if self.theorem.conditions.get(name) != condition:
                version.condition(condition)


# What the file says before it computes.


def _head(paper: Paper, theorem: Theorem, place: str, because: str) -> dict[str, Any]:
    """The parts of the docstring."""
    names = names_of(
        *theorem.terms.values(), *(e for c in theorem.conditions.values() for e in (c.left, c.right))
    )
    defined = {name: paper.constants[name] for name in paper.constants if name in names}
    names |= names_of(*defined.values()) if defined else set()
    width = max(map(len, (*theorem.terms, *names))) + 2
    how = paper.entered(theorem)  # the print was had, where that is known
    return {
        "title": f"{theorem.title} ({theorem.source})",
        "short": theorem.id,
        "verdict": "false as printed" if theorem.printed else "false",
        "source": _paragraph(f'{theorem.id} of "{paper.title}"{f", entered {how}" if how else ""}.'),
        "because": _paragraph(because[:1].upper() + because[1:] + "." if because else ""),
        "place": place,
        "conditions": [_row(f"{c.left} {c.relation} {c.right}", width) for c in theorem.conditions.values()],
        "definitions": [_row(f"{name} = {value}", width) for name, value in defined.items()],
        "measure": theorem.measure_text or theorem.measure,
        "terms": [_row(f"{name:<{width}}{term}", width) for name, term in theorem.terms.items()],
        "letters": [
            _row(f"{name:<{width}}{symbol.meaning}", width)
            for name, symbol in paper.notation.items()
            if name in names
        ],
        "assumptions": [_paragraph(str(getattr(paper[id], "sentence", ""))) for id in theorem.assumptions],
    }


def _about(every: Sequence[Direction], axes: Sequence[Direction]) -> str:
    where = "one number" if len(axes) == 1 else f"{len(axes)} numbers, and no axis sees another"
    still = " Further axes, along which the run is at rest, are left out." if len(every) > len(axes) else ""
    return _paragraph(
        f"The world: x is {where}. The gradient is affine, so that second moments, E z z' with z = (1, the fields of "
        f"the state), are all that is needed to know the measure exactly.{still} Every number below is a fraction; a "
        f"comparison has the room that is left as its last argument."
    )


_paragraph = partial(fill, width=WIDTH, break_long_words=False, break_on_hyphens=False)


def _row(text: str, width: int) -> str:
    return _paragraph(f"    {text}", subsequent_indent=" " * (4 + width))
