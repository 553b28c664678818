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

from ratecert.base.errors import NotAffineError, UserError
from ratecert.base.own_code import own_lines
from ratecert.short.formulas import Formula, require
from ratecert.solvers.contract.problem import UNKNOWNS, Problem, require_two_levels
from ratecert.solvers.contract.schedule import is_schedule
from ratecert.solvers.contract.stage import Estimator, Oracle, Stage, State, Vector, name_of
from ratecert.solvers.engines.moments.affine import Affine, symbol
from ratecert.solvers.estimators.gradient import FullGradient, Gradient
from ratecert.solvers.methods.base import Method, require_one_level
from ratecert.theory.notation import letter

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
    every: Any = 1  # a number, or the letter of the period
    average: tuple[str, ...] | None = None  # the fields; all of them


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
    require("step", step, inspect.isfunction(step), "a function such as step(x, grad, *, eta)")
    letter = isinstance(every, Formula) and every.value.is_Symbol
    counts = type(every) is int and every >= 1
    require("every", every, letter or counts, "a letter such as p, or a whole number >= 1")
    return Local(step, every, (average,) if isinstance(average, str) else average)


@dataclass(frozen=True, kw_only=True)
class FunctionMethod(Method):
    """A base for the methods that functions are; the hyperparameters are fields of the class that is made of one."""

    given: ClassVar[Local]  # its period is the name of a field, or a number
    starts: ClassVar[Mapping[str, Any]]  # field -> what it starts from, x and y first, which have none

    @property
    def stages(self) -> tuple[Stage, ...]:
        every = self.given.every
        repeats = getattr(self, every) if isinstance(every, str) else every
        return (Stage(self.step, repeats=repeats, averaged=self.given.average or ()),)

    def start(self, s: State, oracle: Oracle) -> State:
        begun: dict[str, Vector] = {n: getattr(s, n) for n, each in self.starts.items() if each is None}
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
        known = {**vars(s), "t": t, "grad": Gradients(oracle, t), **self._settings(t)}
        asked = inspect.signature(self.given.function).parameters
        after = self.given.function(**{name: known[name] for name in asked})
        parts = after if isinstance(after, tuple) else (after,)
        if after is None or len(parts) != len(self.starts):
            names, count = ", ".join(self.starts), "nothing" if after is None else f"{len(parts)} fields"
            raise UserError(
                f"{where(self.given.function)} returns {count} and takes {len(self.starts)}: {names}; return the next "
                f"{names}{', in this order' * (len(self.starts) > 1)}."
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
        names = inspect.signature(self.given.function).parameters
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name in names}
        return {name: value(t) if is_schedule(value) else value for name, value in values.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        """The class is made again where there is none."""
        return _remade, (self.given, {f.name: getattr(self, f.name) for f in fields(self)})


def _remade(step: Local, values: dict[str, Any]) -> FunctionMethod:
    made: FunctionMethod = method_of(step)(**values)
    return made


def method_of(step: Any) -> Any:
    """The class that a function is; a class of methods is one already, and a function without x makes one."""
    if step is None:
        return the_method
    if isinstance(step, type) and hasattr(step, "stages"):
        return step
    if inspect.isfunction(step) and not {"x", "grad"} & {*inspect.signature(step).parameters}:
        return step
    wanted = "a function such as step(x, grad, *, gamma), rc.local of one, or a class of rc.methods"
    require("the method", step, isinstance(step, Local) or inspect.isfunction(step), wanted)
    given = step if isinstance(step, Local) else Local(step)
    function = given.function
    starts, settings = _signature(function)
    period = str(given.every) if isinstance(given.every, Formula) else given.every
    if isinstance(period, str):
        settings.setdefault(period, inspect.Parameter.empty)
    averaged = tuple(starts) if given.average is None else tuple(given.average)
    if unknown := [name for name in averaged if name not in starts]:
        raise UserError(
            f"{where(function)} has no field {unknown[0]!r} to average; it has {', '.join(starts)}."
        )
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
            "given": Local(function, period, averaged),
            "starts": starts,
            "levels": 2 if "y" in starts and starts["y"] is None else 1,
            "step_letter": next(iter(settings), "eta"),
        },
        frozen=True,
        kw_only=True,
    )
    _try(made)
    return made


def the_method() -> None:
    """The method of a theorem that is left to the linter."""


def hyperparameters(made: Any) -> dict[str, bool]:
    """Those of a method, or of a function that makes one, and whether they have to be given."""
    if is_dataclass(made):
        return {f.name: f.default is MISSING for f in fields(made) if f.init}
    return {name: each.default is each.empty for name, each in inspect.signature(made).parameters.items()}


def _signature(function: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fields with their starts, and hyperparameters with their defaults."""
    starts, settings, given = dict[str, Any](), dict[str, Any](), inspect.signature(function).parameters
    x = given.get("x")
    if x is None or x.default is not x.empty or x.kind is x.KEYWORD_ONLY:
        raise UserError(f"{where(function)} must have x as its first field, without a default.")
    for name, each in given.items():
        default = None if each.default is each.empty else each.default
        if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
            raise UserError(f"{where(function)} has *{name}; name its fields and its hyperparameters.")
        if name in GIVEN:
            continue
        if each.kind is each.KEYWORD_ONLY:
            settings[name] = each.default
        elif default is None and name not in UNKNOWNS:
            raise UserError(
                f'{where(function)} has the field {name} without a start; write {name}=0, {name}="x" or {name}=a '
                f"function of x and grad, or, if it is a hyperparameter, put it behind a *."
            )
        elif default in (None, 0) or isinstance(default, str) or callable(default):
            starts[name] = default
        else:
            raise UserError(
                f"{where(function)} starts {name} at {default!r:.40}; a field starts at 0, at another field by "
                f'its name, such as "x", or at a function of x and grad.'
            )
    return starts, settings


def where(function: Any) -> str:
    """A function with its place."""
    code = function.__code__
    return f"{function.__name__} ({code.co_filename.rpartition('/')[2]}, line {code.co_firstlineno})"


class _Symbols:
    """An oracle whose every estimate is a symbol."""

    def sample(self, estimator: Estimator, t: int, *, batch: int = 1) -> Callable[..., Affine]:
        return lambda *point: symbol(estimator.label, point[0].d)


def _try(made: type[FunctionMethod]) -> None:
    """Take steps with symbols and some numbers: what cannot be read of them is seen where it is written."""
    function, after, later = made.given.function, State(), State()
    begun = State(**{name: symbol(name, 1) for name, each in made.starts.items() if each is None})
    oracle = _Symbols()
    for number in (0.5, 2):  # a hyperparameter may be a fraction, or a count
        solver = made(**{f.name: number for f in fields(made) if f.init})
        try:
            before = solver.step(1, solver.step(0, solver.start(begun, oracle), oracle), oracle)
            after, later = (solver.step(t, before, oracle) for t in (2, 5))
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
    for name, value in vars(after).items():
        if not isinstance(value, Affine):
            raise UserError(
                f"{where(function)} returns {value!r:.40} as the next {name}; return a field, or a sum of fields and "
                f"gradients."
            )
        if value.mean != getattr(later, name).mean:
            raise NotAffineError(
                f"{where(function)} changes with t; t says whether it is the first step, and a step size that falls is "
                f"a schedule: hyperparameters={{'gamma': lambda letters: rc.contract.Power(scale=letters['gamma'], "
                f"offset=1.0, exponent=1.0)}} is gamma/(t + 1)."
            )


class _Letters:
    """An oracle whose every estimate is a letter."""

    def __init__(self) -> None:
        self.units = dict[str, str]()

    def sample(self, estimator: Estimator, t: int, *, batch: int = 1) -> Callable[..., Any]:
        def drawn(*point: Any) -> Any:
            name = f"{estimator.label}({', '.join(map(str, point))})"
            if isinstance(estimator, Gradient | FullGradient):
                name = f"grad({point[0]})"
                self.units[name] = "f x^-1"
            return letter(name)

        return drawn


def in_letters(made: Any) -> dict[str, Any]:
    """The step and the units of its letters, for the linter; nothing where it is no function of them."""
    oracle = _Letters()
    try:
        solver = made(**{f.name: letter(f.name) for f in fields(made) if f.init})
        after = solver.step(1, State(**{name: letter(name) for name in made.starts}), oracle)
    except Exception:  # noqa: BLE001  what the user's function may raise on letters
        return {}
    known = {name: "x" for name, begins in made.starts.items() if begins is None}
    return {"step": vars(after), "step_units": known | oracle.units}


def heading(made: Any) -> str:
    """The first line of a function's docstring; empty where it has none."""
    said = inspect.getdoc(made.given.function) if hasattr(made, "given") else ""
    return (said or "").partition("\n")[0].rstrip(".")


def shown(made: Any) -> str:
    """The lines of a function as the steps of a method, without its signature and its docstring."""
    try:
        source = textwrap.dedent(inspect.getsource(made.given.function))
        body = ast.parse(source).body[0].body  # type: ignore[attr-defined]
    except (AttributeError, OSError, SyntaxError, TypeError):
        return ""
    lines = [ast.unparse(each) for each in body if not isinstance(getattr(each, "value", None), ast.Constant)]
    return "; ".join(line.replace("return ", f"{', '.join(made.starts)} = ", 1) for line in lines)
