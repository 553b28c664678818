"""The one definition of a method, written down in letters: its start and its steps, along one axis.

The definition is run on letters instead of numbers, for any method on one level: the fields of the state are numbers
along one axis, hyperparameters are letters, and an estimate is g(point) or full(point).

Steps that change with t are numbers of the proof: their own recursion makes them, one for every t of a short run. A
schedule is copied with letters in the place of its doubles and asked for its value at every t, which is no double
either. What has no formula then, because it goes through doubles, is refused.
"""

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass, replace
from fractions import Fraction
from typing import Any

import sympy

from ratecert.base.errors import NotExactError, RatecertError
from ratecert.proofs.formulas import Formulas
from ratecert.proofs.known import Known, expression_of
from ratecert.proofs.script import exact, not_written
from ratecert.solvers.contract.draws import Choice
from ratecert.solvers.contract.schedule import Constant, is_schedule
from ratecert.solvers.contract.stage import Estimator, Sampled, Stage, State, name_of
from ratecert.solvers.estimators.gradient import FullGradient, Gradient
from ratecert.theory.notation import letter

SAME = 1e-12  # a double is this close to the fraction that it stands for
FULL, STEPS = "full", "steps"
MOST = 16  # iterations with steps that change
TIMES = (0, 1, 2, 3, 17)  # at which steps are read: the first may differ, and no other


@dataclass(frozen=True)
class Written:
    """A function of the fields before it that makes those after it; `draws` are the samples that it takes."""

    before: tuple[str, ...]
    after: Mapping[str, Any]
    draws: tuple[str, ...]


@dataclass(frozen=True)
class WrittenMethod:
    fields: tuple[str, ...]
    start: Written
    first: Written
    later: Written
    averaged: tuple[str, ...]  # over devices
    period: int  # the number of steps after which they are
    changing: tuple[str, ...] = ()  # numbers of a step that change with t; beta is the letter beta_t in it


def written(
    solver: Any,
    values: Mapping[str, Fraction],
    given: Sequence[str] = ("x",),
    write_changing: Callable[[str, Any], None] | None = None,
) -> WrittenMethod:
    """The method with letters in the place of these hyperparameters; `values` by the names that the file has.

    given           the fields that the run starts with
    write_changing  of a name and a schedule that changes with t: writes its numbers down; none is refused
    """
    own = solver.stages
    if any(not isinstance(each, Stage) or each.drawn or isinstance(each.step, Choice) for each in own):
        raise NotExactError(
            f"{name_of(solver)} draws what a step does, and such proofs have no draws but samples of the gradient"
        )
    if len(own) != 1:
        raise NotExactError(f"{name_of(solver)} has more than one kind of iteration")
    changing: list[str] = []

    def in_letters(of: "Field[Any]", value: Any) -> Any:
        if is_schedule(value) and math.isfinite(value.constant_until):
            if write_changing is None:
                raise NotExactError(f"the step size {of.name} changes with t")
            write_changing(of.name, value)
            changing.append(of.name)
            return _constant(letter(at_t(of.name)))
        if is_schedule(value):
            return _constant(letter_of(of, value(0), values))
        return letter_of(of, value, values) if isinstance(value, float) else value

    lettered = _copied(solver, in_letters)
    stages = lettered.stages
    begun = _started(lettered, tuple(given))
    names = tuple(begun.after)
    steps = [_run(names, lambda s, oracle, t=t: stages[0].step(t, s, oracle)) for t in TIMES]
    first, later, *others = steps
    if any(other != later for other in others):
        raise NotExactError(f"the steps of {name_of(solver)} change with t")
    if set(first.after) != set(names):
        raise NotExactError(f"the first step of {name_of(solver)} adds to its state")
    averaged = tuple(stages[0].averaged)
    return WrittenMethod(names, begun, first, later, averaged, stages[0].repeats, tuple(changing))


def standing(given: tuple[str, ...]) -> WrittenMethod:
    """Whatever the method is, of a run without a step: it is where it starts."""
    same = Written(before=given, after={name: sympy.Symbol(name) for name in given}, draws=())
    return WrittenMethod(given, same, same, same, averaged=given, period=1)


def at_t(name: str) -> str:
    """What a number that changes with t is called in a step."""
    return f"{name}_t"


def _started(lettered: Any, given: tuple[str, ...]) -> Written:
    """Fields that the run starts with are what they are, whatever the method makes of x."""
    begun = _run(("x",), lettered.start)
    if unknown := [name for name in given if name not in begun.after]:
        raise NotExactError(f"the run starts with {unknown[0]}, which the method does not have")
    others = {name: sympy.Symbol(name) for name in given if name != "x"}
    return replace(begun, before=given, after={**begun.after, **others})


def with_means(method: WrittenMethod) -> WrittenMethod:
    """Carry the means of all fields over the iterates so far along: each is divided by the number of steps first."""

    def carried(each: Written) -> Written:
        before = (*each.before, *map(mean_of, method.fields))
        means = {
            mean_of(f): sympy.Symbol(mean_of(f)) + sympy.Symbol(f) / sympy.Symbol(STEPS)
            for f in method.fields
        }
        return replace(each, before=before, after={**each.after, **means})

    nothing = {mean_of(name): sympy.Integer(0) for name in method.fields}
    return replace(
        method,
        fields=(*method.fields, *nothing),
        start=replace(method.start, after={**method.start.after, **nothing}),
        first=carried(method.first),
        later=carried(method.later),
    )


def mean_of(field: str) -> str:
    """What the mean of a field over the iterates is called."""
    return f"mean_{field}"


def _copied(record: Any, changed: "Callable[[Field[Any], Any], Any]") -> Any:
    """The record with other values in its fields, which are not checked again."""
    if not is_dataclass(record):
        raise NotExactError(f"{type(record).__name__} is no record of its numbers")
    made: Any = copy.copy(record)
    for each in fields(record):
        object.__setattr__(made, each.name, changed(each, getattr(record, each.name)))
    return made


def _constant(step: Any) -> Any:
    """A schedule that has this letter at every t."""
    return _copied(Constant(1.0), lambda *_: step)


def letter_of(of: "Field[Any]", value: float, values: Mapping[str, Fraction]) -> Any:
    """The hyperparameter that a double in the record stands for, that of its own name first."""
    names = sorted(values, key=lambda name: name.removeprefix("the_") != of.name)
    for name in names:
        if math.isclose(float(values[name]), value, rel_tol=SAME):
            return letter(name)
    if of.default is not MISSING and of.default == value:
        return sympy.Rational(exact(of.name, value))
    raise NotExactError(f"the method makes {of.name} = {value} of its hyperparameters in doubles")


def _run(names: tuple[str, ...], step: Any) -> Written:
    oracle = _Writes()
    state = State(**{name: sympy.Symbol(name) for name in names})
    try:
        after = vars(step(state, oracle))
        found = {name: _exactly(sympy.sympify(value)) for name, value in after.items()}
    except NotExactError:
        raise
    except (TypeError, AttributeError, ValueError, ArithmeticError, sympy.SympifyError) as error:
        raise not_written("a step", error) from error
    for value in found.values():
        _require_affine(value, names)
    return Written(names, found, tuple(oracle.draws))


def _exactly(value: Any) -> Any:
    """Numbers in the definition are those that are written there."""
    return value.replace(lambda e: e.is_Float, lambda e: sympy.Rational(exact("a number", float(e))))


def _require_affine(value: Any, names: tuple[str, ...]) -> None:
    c, p = sympy.symbols("c p")
    put_in = value.replace(
        lambda e: isinstance(e, sympy.core.function.AppliedUndef), lambda e: c * e.args[0] + p
    )
    unknowns = [sympy.Symbol(name) for name in names]
    if not put_in.is_polynomial(*unknowns) or sympy.Poly(put_in, *unknowns).total_degree() > 1:
        raise NotExactError(f"a step is not affine: {value}")


class _Writes:
    """An oracle whose samples write down where they are evaluated."""

    def __init__(self) -> None:
        self.labels: dict[Any, str] = {}

    @property
    def draws(self) -> list[str]:
        return list(self.labels.values())

    def sample(self, estimator: Estimator, t: int, *, batch: int = 1) -> Sampled:
        if batch != 1:
            raise NotExactError("a step takes batches of samples")
        if isinstance(estimator, FullGradient):
            return sympy.Function(FULL)  # type: ignore[no-any-return]
        if not isinstance(estimator, Gradient):
            raise NotExactError(f"a step takes the estimate {type(estimator).__name__}")
        n = len(self.labels)
        name = self.labels.setdefault((estimator.label, t), "g" if n == 0 else f"g_{n + 1}")
        return sympy.Function(name)  # type: ignore[no-any-return]

    def choose(self, choice: Any, t: int, s: State) -> State:
        raise NotExactError(
            "a step is drawn from several, and such proofs have no draws but samples of the gradient"
        )


# Steps that change with t.


def write_changing(
    formulas: Formulas, values: Mapping[str, Fraction], steps: int, name: str, schedule: Any
) -> None:
    """name_0, name_1, ... and the list of them, name_over_t."""
    if steps > MOST:
        raise NotExactError(
            f"the step size {name} changes with t, and such proofs have {MOST} iterations at most"
        )
    if at_t(name) in formulas.script.names:
        raise NotExactError(f"the letter {at_t(name)} is taken")
    lettered = _in_letters(formulas, schedule, values)
    each = [f"{name}_{t}" for t in range(steps)]
    formulas.script.lines.append(f"# {name} at every t, by its own recursion.")
    for t, own in enumerate(each):
        try:
            formulas.give(own, expression_of(lettered(Known(formulas, sympy.Integer(t)))))
        except (TypeError, AttributeError, ValueError, ArithmeticError, RatecertError) as error:
            raise not_written(f"the step size {name}, which changes with t,", error) from error
    formulas.script.line(f"{name}_over_t = [{', '.join(each)}]")


def _in_letters(formulas: Formulas, schedule: Any, values: Mapping[str, Fraction]) -> Any:
    def in_letters(of: "Field[Any]", value: Any) -> Any:
        if is_schedule(value):
            return _in_letters(formulas, value, values)
        if isinstance(value, float):
            return Known(formulas, letter_of(of, value, values))
        return _States(formulas) if isinstance(value, list) else value

    return _copied(schedule, in_letters)


class _States(list[Any]):
    """Of a recursion, which keeps them: each gets a letter."""

    def __init__(self, formulas: Formulas) -> None:
        super().__init__()
        self.formulas = formulas

    def append(self, state: Any) -> None:
        """Infinity stays what it is, where a recursion starts with it."""
        if state != math.inf:
            state = Known(self.formulas, self.formulas.name(expression_of(state), "state"))
        super().append(state)
