"""The second way: all outcomes of a short run on one level, one by one, in fractions.

It shares neither arithmetic nor constants with the first way, which encloses moments in balls. The doubles of a world
and of steps are rationals; a step that is a root is taken to fifty digits. The engine that samples takes the steps and
reads the measure. A constant is not computed again: that it holds is tested, ||H|| <= L by the pivots of L^2 I - H'H.
Bounds and conditions are SymPy's.
"""

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import sympy
from flint import fmpq

from ratecert.base.arrays import Rationals, solve, summed
from ratecert.base.errors import NotExactError, OutsideConditionsError
from ratecert.base.exact import rational
from ratecert.base.own_code import called
from ratecert.base.promised import above, below
from ratecert.binding.binding import Binding, made
from ratecert.binding.setting import Setting
from ratecert.solvers.contract.measures import slope_and_constant
from ratecert.solvers.contract.problem import weights_of
from ratecert.solvers.contract.stage import State
from ratecert.solvers.engines.experiment import Experiment
from ratecert.solvers.engines.sampling.enumeration import LongestOutcome, Outcomes
from ratecert.solvers.engines.sampling.measured import Readings
from ratecert.solvers.engines.sampling.tile import Shares, one_iteration, oracle_of, schedule_of_steps, start
from ratecert.theory.notation import names_of
from ratecert.theory.numbers.evaluation import complete, is_schedule
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Theorem

MOST_STEPS, MOST_OUTCOMES, MOST_WORK = 64, 2**14, 2**17  # the last: steps of all devices in all outcomes
DIGITS = 50  # of a number that is no fraction


class Exact(Rationals):
    """Rationals that take a double for the rational that it is, such as a step size, and refuse an array of them."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **how: Any) -> Any:
        plain = [rational(each) if isinstance(each, float) else _plain(each) for each in inputs]
        found = getattr(ufunc, method)(*plain, **{name: _plain(each) for name, each in how.items()})
        return found.view(Exact) if isinstance(found, np.ndarray) and found.dtype == object else found


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return value.view(np.ndarray) if isinstance(value, Exact) else value


def over_outcomes(
    binding: Binding, paper: Paper, theorem: Theorem, setting: Setting, values: Mapping[str, float]
) -> tuple[float, float]:
    """The measure, rounded down, and the bound, rounded up; NotExactError where they are no fractions, or take long.

    OutsideConditionsError where a constant does not hold, or a condition: then the theorem says nothing there.
    """
    if not setting.K * setting.T <= MOST_STEPS:
        raise NotExactError(f"K T is above {MOST_STEPS}, and outcomes are too many")
    if binding.on_balls:
        raise NotExactError("constants hold on a ball alone")
    world = _exactly(setting.world)
    _require_promises(binding, setting, world, values)
    full = complete(paper, theorem, values, later=set(binding.measured), compute=_value)
    known: Any = {name: _fraction(value) for name, value in full.items()}
    whole = {name for name, symbol in paper.notation.items() if symbol.least is not None}
    steps = {name: _step(name, each, full, known, whole) for name, each in binding.hyperparameters.items()}
    solver = called("method", binding.method, **steps)
    begun = {name: Exact.of(np.atleast_1d(point)) for name, point in setting.start.items()}

    def mean(name: str, measure: Any, before: int = 0) -> Any:
        read = {name: made(name, measure, known)}
        return _mean(Experiment(world, solver, setting.K, setting.T - before, begun, (), read, False))

    for name, each in binding.measured.items():
        value = above(mean(name, each.measure, each.before)) ** each.power
        values = {**values, name: value and math.nextafter(value, math.inf)}
    full = complete(paper, theorem, values, compute=_value)
    _require_inside(theorem, full)
    bound = _value(theorem.bound, full)
    top = _fraction(bound)
    error = 0 if bound.is_Rational else abs(top) / 10 ** (DIGITS - 5)
    return below(mean("measure", binding.measure)), above(top + error)


def _exactly(value: Any) -> Any:
    """A world, or what it is made of, with every double as the rational that it is, and nothing that it computed."""
    if isinstance(value, np.ndarray | float):
        return Exact.of(value) if isinstance(value, np.ndarray) else rational(value)
    if isinstance(value, tuple):
        return tuple(map(_exactly, value))
    if not hasattr(value, "__dict__"):
        return value
    found = copy.copy(value)
    found.__dict__.clear()
    for name, each in vars(value).items():
        if not isinstance(getattr(type(value), name, None), cached_property):
            object.__setattr__(found, name, _exactly(each))
    return found


# Letters, conditions and the bound.


def _value(expression: Any, values: Mapping[str, Any]) -> Any:
    found = sympy.sympify(expression)
    found = found.xreplace({each: sympy.Rational(each) for each in found.atoms(sympy.Float)})
    known = {each: values[each.name] for each in found.free_symbols}
    return found.subs({each: sympy.Rational(v) if isinstance(v, float) else v for each, v in known.items()})


def _fraction(value: Any) -> fmpq:
    if not (isinstance(value, float) or value.is_Rational):
        value = sympy.N(value, DIGITS, strict=True)
    exact = sympy.Rational(value)
    return fmpq(int(exact.p), int(exact.q))


def _require_inside(theorem: Theorem, values: Mapping[str, Any]) -> None:
    for condition in theorem.conditions.values():
        if is_schedule(condition):
            continue  # it prescribes steps
        left, right = (_value(each, values) for each in (condition.left, condition.right))
        off = _fraction(left - right) if left != right else 0
        met = {"<=": off <= 0, "<": off < 0, "=": off == 0, ">": off > 0, ">=": off >= 0}
        if not met[condition.relation]:
            raise OutsideConditionsError(f"{condition.name} is outside the conditions")


def _step(name: str, given: Any, full: Mapping[str, Any], known: Mapping[str, fmpq], whole: set[str]) -> Any:
    """A hyperparameter: a count, a fraction, or what the paper's own function makes of fractions."""
    if isinstance(given, sympy.Basic):
        found = _value(given, full)
        return int(found) if found.is_Integer and names_of(given) <= whole else _fraction(found)
    found = called(f"hyperparameters[{name!r}]", given, known) if callable(given) else given
    return rational(found) if isinstance(found, float) else found


# The run.


def _mean(experiment: Experiment) -> Any:
    """The expectation of the one measure."""
    (measure,) = experiment.measures.values()
    noise, n = _every(experiment.K, lambda noise: _read(experiment, noise, 1), experiment.K * experiment.T)
    *before, last = (fmpq(0) + each[0].sum() / n for each in _read(experiment, noise, n))
    if measure.at in ("last", "mean"):
        return last
    if measure.at == "drawn":
        return sum(
            rational(float(p)) * each for (p,), each in zip(experiment.factors(), before, strict=False)
        )
    choose: dict[str, Any] = {"largest": max, "smallest": min, "average": _mean_of}
    return choose[measure.at](before)


def _every(K: int, use: Callable[[Any], Any], work: int = 1) -> tuple[Outcomes, int]:
    """All outcomes of what is used, equally likely, and how many there are."""
    numbers, bases = dict[Any, int](), dict[Any, Any]()
    use(LongestOutcome(K, numbers, bases))
    n = 2 ** len(numbers) * math.prod(map(len, bases.values()))
    if n > MOST_OUTCOMES or n * work > MOST_WORK or any(len(set(cases)) > 1 for cases in bases.values()):
        raise NotExactError(f"there are {n:.6g} outcomes, or they are not equally likely")
    return Outcomes(0, n, K, numbers, bases), n


def _read(experiment: Experiment, noise: Outcomes, n: int) -> list[Any]:
    """The measures at every t, in every outcome."""
    oracle, shares = oracle_of(experiment, noise, n), Shares(experiment.problem, experiment.K, noise)
    s, readings = start(experiment, oracle, n), Readings(experiment, n)
    found = [readings.at(0, s)]
    for t, stage, ends in islice(schedule_of_steps(experiment.solver, experiment.T), experiment.T):
        readings.passed(t, s)
        after = vars(one_iteration(stage, t, s, oracle, shares, ends=ends))
        s = State(**{name: field.view(Exact) for name, field in after.items()})  # np.where forgets the kind
        found.append(readings.at(t + 1, s))
    return found


# The constants.


def _require_promises(binding: Binding, setting: Setting, world: Any, values: Mapping[str, float]) -> None:
    """Test every constant that a letter stands for; NotExactError where there is no test of it."""
    devices = getattr(world, "devices", (world,))
    likely, one = [*map(rational, weights_of(world, len(devices)))], Exact.identity(world.d_x)
    own = [slope_and_constant(device.gradient, one, len(one)) for device in devices]
    H, g = (summed(p * each[i] for p, each in zip(likely, own, strict=True)) for i in (0, 1))
    x_star = solve(H, -g)
    off, samples = (
        Exact.of(np.atleast_1d(setting.x0))[:, None] - x_star,
        [_samples(device, x_star) for device in devices],
    )
    squares = [[h.T @ h for h, _ in each] for each in samples]
    letters = [(name, source) for name, source in binding.constants.items() if isinstance(source, str)]
    promised = {**setting.constants, **{source: values[name] for name, source in letters}}

    def convex(h: Any) -> bool:
        return bool((h == h.T).all())  # of a map ||x - T(x)|| >= mu ||x - x*||

    def norms(*of: Any) -> Callable[[fmpq], bool]:
        return lambda c: all(positive(c * c * one - A.T @ A) for A in of)

    def varies(M_V: Any, M: Any) -> bool:
        """Whether M_V ||grad F||^2 + M - Var g, a quadratic form in (x - x*, 1), is nowhere negative."""
        forms = [_noise(each) for each in samples]
        blocks = ([[M_V * H.T @ H - A, -b], [-b.T, M - c]] for A, b, c in forms)
        return all(positive(np.block(block)) for block in blocks)

    def grows(_: fmpq) -> bool:
        return len(devices) == 1 and varies(*(rational(float(promised[name])) for name in ("M_V", "M")))

    tests: dict[str, Callable[[fmpq], Any]] = {
        "L": norms(*(h for h, _ in own)),
        "mu": lambda c: all(positive(h - c * one if convex(h) else h.T @ h - c * c * one) for h, _ in own),
        **dict.fromkeys(("L_max", "L_sample"), norms(*(h for each in samples for h, _ in each))),
        "L_average": lambda c: all(positive(c * c * one - _mean_of(each)) for each in squares),
        "calL": lambda c: len(devices) == 1 and positive(c * H - _mean_of(squares[0])),
        **dict.fromkeys(("M", "M_V"), grows),
        "sigma": lambda c: varies(0, c * c),
        "sigma_star": lambda c: all(c * c >= _noise(each)[2] for each in samples),
        "gap": lambda c: c >= (off * (H @ off)).sum() / 2,
        "distance": lambda c: c * c >= _square(off),
        "squared_distance": lambda c: c >= _square(off),
        "heterogeneity": lambda c: (
            c * c >= sum(map(lambda p, a: p * _square(a[0] @ x_star + a[1]), likely, own))
        ),
        "n": lambda c: all(c == len(each) for each in samples),
    }
    for name, source in letters:
        if source not in tests:
            raise NotExactError(f"there is no test of {source}")
        if not (values[name] >= 0 and tests[source](rational(values[name]))):
            raise OutsideConditionsError(f"{name} = {values[name]:.6g} is not {source} of this world")


def _samples(world: Any, x_star: Any) -> list[tuple[Any, Any]]:
    """H and g of all samples H (x - x*) + g of the gradient."""
    noise, n = _every(1, lambda noise: world.sample_f(noise.reader(0, "xi", 0, 0)))
    xi = world.sample_f(noise.reader(0, "xi", 0, 0))
    points = (
        np.repeat(x, n, axis=1) for x in (x_star, *(x_star + e[:, None] for e in Exact.identity(world.d_x)))
    )
    g, *others = (np.asarray(world.grad_f(xi, x)) for x in points)
    H = np.stack([other - g for other in others], axis=1)
    return [(H[..., i].view(Exact), g[:, i : i + 1].view(Exact)) for i in range(n)]


def _noise(samples: Sequence[tuple[Any, Any]]) -> list[Any]:
    """A, b and c with Var g = u'A u + 2 b'u + c, u = x - x*."""
    H, g = (_mean_of([each[i] for each in samples]) for i in (0, 1))
    off = [(h - H, r - g) for h, r in samples]
    return [_mean_of([pair[i].T @ pair[j] for pair in off]) for i, j in ((0, 0), (0, 1), (1, 1))]


def _mean_of(values: Sequence[Any]) -> Any:
    return summed(values) / len(values)


def _square(v: Any) -> Any:
    return (v * v).sum()


def positive(A: Any) -> bool:
    """Whether a symmetric matrix has no negative eigenvalue: no pivot is below 0, and a row is 0 where it is."""
    while len(A):
        pivot, row = A[0, 0], A[0, 1:]
        if pivot < 0 or (pivot == 0 and any(row)):
            return False
        A = A[1:, 1:] - (row[:, None] * row[None, :] / pivot if pivot else 0)
    return True
