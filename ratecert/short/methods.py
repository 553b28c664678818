"""A function is a method: its arguments are fields, its keywords hyperparameters, what it returns the next fields.

    def heavy_ball(x, m=0, *, grad, alpha, beta):
        m = beta * m + grad(x)
        return x - alpha * m, m

x, and y of a lower level, are where a run starts; another field starts at its default: 0, the name of a field, or a
function of any of these arguments. `grad` and `t` may stand among them; the other keywords are hyperparameters, and a
schedule among them is its number at t. Of the class that is made of it the engines read stages like of any other.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, make_dataclass
from typing import Any, ClassVar

from ratecert.base.errors import NotAffineError, UserError, UserTypeError
from ratecert.base.own_code import own_lines
from ratecert.short.formulas import Formula, place
from ratecert.solvers.contract.problem import UNKNOWNS, Problem, require_two_levels
from ratecert.solvers.contract.schedule import is_schedule
from ratecert.solvers.contract.stage import Estimator, Oracle, Stage, State, Vector, name_of
from ratecert.solvers.engines.moments.affine import Affine, symbol
from ratecert.solvers.estimators.gradient import FullGradient, Gradient
from ratecert.solvers.methods.method import Method
from ratecert.solvers.methods.one_level import require_one_level

GIVEN = ("grad", "t")  # arguments that a step may ask for


class Gradients:
    """What `grad` is in a step: grad(x) samples, grad.full(x) does not; two calls with one `sample` share it."""

    def __init__(self, oracle: Oracle, t: int) -> None:
        self._oracle, self._t, self._drawn = oracle, t, 0

    def __call__(self, x: Vector, *, sample: str = "", batch: int = 1) -> Vector:
        """The gradient of a sample, of a new one unless it has a name; or the mean of a batch of them."""
        if not sample:
            self._drawn += 1
            sample = "xi" if self._drawn == 1 else f"xi {self._drawn}"
        return self.by(Gradient(sample), x, batch=batch)

    def full(self, x: Vector) -> Vector:
        """grad F itself."""
        return self.by(FullGradient(), x)

    def by(self, estimator: Estimator, *point: Vector, batch: int = 1) -> Vector:
        """Another estimator of rc.contract, or of one's own, at a point."""
        return self._oracle.sample(estimator, self._t, batch=batch)(*point)


@dataclass(frozen=True)
class Local:
    """A step that devices take several times before they average."""

    function: Callable[..., Any]
    every: Any  # a number, or the letter of the period
    average: tuple[str, ...] | None


def local(step: Callable[..., Any], *, every: Any, average: tuple[str, ...] | str | None = None) -> Local:
    """Make a step local: devices take it `every` times, and then average.

    step      the function
    every     a letter such as p, or a number
    average   names of the fields that are averaged; all of them unless given

    >>> import ratecert as rc
    >>> (p,) = rc.letters("p")
    >>> def sgd(x, grad, *, eta):
    ...     return x - eta * grad(x)
    >>> rc.local(sgd, every=p).average
    """
    if not inspect.isfunction(step):
        raise UserTypeError(
            f"{place()}: step must be a function such as step(x, grad, *, eta), got {step!r:.60}."
        )
    letter = isinstance(every, Formula) and every.value.is_Symbol
    if not letter and (not isinstance(every, int) or isinstance(every, bool) or every < 1):
        raise UserError(
            f"{place()}: every must be a letter such as p, or a whole number >= 1, got {every!r:.60}."
        )
    averaged = (average,) if isinstance(average, str) else average
    return Local(step, every, None if averaged is None else tuple(averaged))


@dataclass(frozen=True, kw_only=True)
class FunctionMethod(Method):
    """A base for the methods that functions are; the hyperparameters are fields of the class that is made of one."""

    function: ClassVar[Callable[..., Any]]
    starts: ClassVar[Mapping[str, Any]]  # field -> what it starts from, x and y first, which have none
    asked: ClassVar[frozenset[str]]  # of GIVEN
    period: ClassVar[Any]  # the name of a field, or a number
    averaged: ClassVar[tuple[str, ...]]

    @property
    def stages(self) -> tuple[Stage, ...]:
        repeats = getattr(self, self.period) if isinstance(self.period, str) else self.period
        return (Stage(self.step, repeats=repeats, averaged=self.averaged),)

    def start(self, s: State, oracle: Oracle) -> State:
        begun: dict[str, Vector] = {name: getattr(s, name) for name in given_fields(self.starts)}
        for name, begins in self.starts.items():
            if name in begun:
                continue
            if callable(begins):
                asked = inspect.signature(begins).parameters
                known = {**begun, "grad": Gradients(oracle, 0), **self._settings(0)}
                begun[name] = begins(**{each: known[each] for each in asked if each in known})
            else:
                begun[name] = begun[begins] if isinstance(begins, str) else begins * begun["x"]
        return State(**begun) if len(begun) > len(vars(s)) else s

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """What the function returns, field by field."""
        given = {"t": t, "grad": Gradients(oracle, t)}
        arguments = {name: getattr(s, name) for name in self.starts}
        arguments |= {name: given[name] for name in self.asked} | self._settings(t)
        after = type(self).function(**arguments)
        if after is None:
            raise UserError(f"{where(type(self).function)} returns nothing; return the next fields.")
        parts = after if isinstance(after, tuple) else (after,)
        if len(parts) != len(self.starts):
            names = ", ".join(self.starts)
            raise UserError(
                f"{where(type(self).function)} returns {len(parts)} fields and takes {len(self.starts)}: {names}; "
                f"return the next {names}, in this order."
            )
        return State(**dict(zip(self.starts, parts, strict=True)))

    def check(self, problem: Problem) -> None:
        if self.levels == 1:
            require_one_level(self, problem)
        else:
            require_two_levels(name_of(self), problem)

    def step_size(self, t: int) -> float:
        return float(next((v for v in self._settings(t).values() if not isinstance(v, int)), 1.0))

    def _settings(self, t: int) -> dict[str, Any]:
        names = inspect.signature(type(self).function).parameters
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name in names}
        return {name: value(t) if is_schedule(value) else value for name, value in values.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        """The class is made again where there is none."""
        made = type(self)
        return _remade, (
            Local(made.function, made.period, made.averaged),
            {f.name: getattr(self, f.name) for f in fields(self)},
        )


def _remade(step: Local, values: dict[str, Any]) -> FunctionMethod:
    made: FunctionMethod = method_of(step)(**values)
    return made


def method_of(step: Any) -> Any:
    """The class that a function is; a class of methods is one already, and a function without x makes one."""
    if isinstance(step, type) and hasattr(step, "stages"):
        return step
    if inspect.isfunction(step) and "x" not in inspect.signature(step).parameters:
        return step
    given = step if isinstance(step, Local) else Local(step, 1, None)
    function = given.function
    if not inspect.isfunction(function):
        raise UserTypeError(
            f"{place()}: the method must be a function such as step(x, grad, *, gamma), rc.local of one, or a class "
            f"of rc.methods, got {step!r:.60}."
        )
    starts, settings = _signature(function)
    period = str(given.every.value) if isinstance(given.every, Formula) else given.every
    if isinstance(period, str):
        settings.setdefault(period, inspect.Parameter.empty)
    averaged = tuple(starts) if given.average is None else given.average
    if unknown := [name for name in averaged if name not in starts]:
        raise UserError(
            f"{where(function)} has no field {unknown[0]!r} to average; it has {', '.join(starts)}."
        )
    asked = frozenset(GIVEN).intersection(inspect.signature(function).parameters)
    made = make_dataclass(
        function.__name__,
        [
            (name, Any) if default is inspect.Parameter.empty else (name, Any, field(default=default))
            for name, default in settings.items()
        ],
        bases=(FunctionMethod,),
        namespace={
            "__doc__": inspect.getdoc(function) or f"The function {function.__name__}.",
            "__module__": function.__module__,
            "function": staticmethod(function),
            "starts": starts,
            "asked": asked,
            "period": period,
            "averaged": averaged,
            "levels": 2 if "y" in starts and starts["y"] is None else 1,
            "step_letter": next(iter(settings), "eta"),
        },
        frozen=True,
        kw_only=True,
    )
    _try(made, starts)
    return made


def hyperparameters(made: Any) -> dict[str, bool]:
    """Those of a method, or of a function that makes one, and whether they have to be given."""
    if is_dataclass(made):
        return {f.name: f.default is MISSING for f in fields(made) if f.init}
    return {name: each.default is each.empty for name, each in inspect.signature(made).parameters.items()}


def _signature(function: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fields with their starts, and hyperparameters with their defaults."""
    starts, settings = dict[str, Any](), dict[str, Any]()
    for name, each in inspect.signature(function).parameters.items():
        if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
            raise UserError(f"{where(function)} has *{name}; name its fields and its hyperparameters.")
        if name in GIVEN:
            continue
        if each.kind is each.KEYWORD_ONLY:
            settings[name] = each.default
        elif each.default is each.empty and name not in UNKNOWNS:
            raise UserError(
                f'{where(function)} has the field {name} without a start; write {name}=0, {name}="x" or {name}=a '
                f"function of x and grad, or, if it is a hyperparameter, put it behind a *."
            )
        elif each.default in (each.empty, 0) or isinstance(each.default, str) or callable(each.default):
            starts[name] = None if each.default is each.empty else each.default
        else:
            raise UserError(
                f"{where(function)} starts {name} at {each.default!r:.40}; a field starts at 0, at another field by "
                f'its name, such as "x", or at a function of x and grad.'
            )
    if "x" not in starts or starts["x"] is not None:
        raise UserError(f"{where(function)} must have x as its first field, without a default.")
    return starts, settings


def given_fields(starts: Mapping[str, Any]) -> list[str]:
    """x, and y of a lower level: a y with a default is a field like any other."""
    return [name for name in UNKNOWNS if starts.get(name, "") is None]


def where(function: Any) -> str:
    """A function with its place."""
    code = function.__code__
    return f"{function.__name__} ({code.co_filename.rpartition('/')[2]}, line {code.co_firstlineno})"


class _Symbols:
    """An oracle whose every estimate is a symbol."""

    def sample(self, estimator: Estimator, t: int, *, batch: int = 1) -> Callable[..., Affine]:
        return lambda *point: symbol(estimator.label, point[0].d)


def _try(made: type[FunctionMethod], starts: Mapping[str, Any]) -> None:
    """Take steps with symbols and some numbers: what cannot be read of them is seen where it is written."""
    begun, oracle = State(**{name: symbol(name, 1) for name in given_fields(starts)}), _Symbols()
    after = State()
    for number in (0.5, 2):  # a hyperparameter may be a fraction, or a count
        solver = made(**{f.name: number for f in fields(made) if f.init})
        try:
            after = solver.step(1, solver.step(0, solver.start(begun, oracle), oracle), oracle)
            break
        except (ArithmeticError, ValueError, TypeError, AttributeError) as error:
            lines = own_lines(error)
            if number == 2 and isinstance(error, TypeError | AttributeError) and lines:
                raise NotAffineError(
                    f"{lines[-1]}: a step may add and subtract fields and gradients and multiply them by numbers, and "
                    f"nothing else: no branch on a field, no product of two; "
                    f"write 1 / c * x for x / c, and grad(x), with a point, for a gradient."
                ) from error
            if number == 2:
                raise
    if wrong := [name for name, value in vars(after).items() if not isinstance(value, Affine)]:
        raise UserError(
            f"{where(made.function)} returns {getattr(after, wrong[0])!r:.40} as the next {wrong[0]}; return a field, "
            f"or a sum of fields and gradients."
        )


def heading(made: Any) -> str:
    """The first line of a function's docstring; empty where it has none."""
    said = inspect.getdoc(made.function) if hasattr(made, "function") else ""
    return (said or "").partition("\n")[0].rstrip(".")


def shown(function: Any) -> str:
    """The lines of a function as the steps of a method, without its signature and its docstring."""
    try:
        body = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0].body  # type: ignore[attr-defined]
    except (OSError, SyntaxError, TypeError):
        return ""
    lines = [
        each for each in body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
    ]
    fields_ = ", ".join(_signature(function)[0])
    return "; ".join(ast.unparse(each).replace("return ", f"{fields_} = ", 1) for each in lines)
