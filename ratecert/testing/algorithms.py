"""What every algorithm must satisfy, whatever it does: engines agree on it, its steps are pure, its costs are counted.

Each check takes an AlgorithmCase and raises AssertionError with a sentence. The worlds are quadratic, with curvatures
between 1 and 2.5 and noise of every kind, of two levels or, for a method whose `levels` is 1, of one. A case with
`terms` is run on finite sums, whose only noise is how far their terms are apart.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.errors import DivergedError, NoLimitError, UserError
from ratecert.base.validation import require_whole
from ratecert.solvers import Stage, State, enumerate_outcomes, expect, name_of, simulate, stationary
from ratecert.solvers.contract.draws import Switch, moves_of, with_steps
from ratecert.solvers.contract.measures import Measure, defaults, form
from ratecert.solvers.contract.problem import AnyProblem
from ratecert.solvers.contract.schedule import is_schedule, only_whole
from ratecert.solvers.contract.stage import letter_of_step, require_algorithm
from ratecert.solvers.engines.counting import count, counted, fields_at_start, ones
from ratecert.synthetic import FiniteSum, Quadratic, random_quadratic, scalar, single_level

Array = NDArray[np.float64]

ALL_NOISE: dict[int, dict[str, Any]] = {
    1: {"noise_H": 0.2, "correlated": 0.2, "s": 0.3},
    2: {"sigma_H": 0.2, "sigma_J": 0.2, "s_f": 0.3, "s_g": 0.3},
}
SPREAD = {"spread": 0.4}  # the noise of finite sums: how far the minimisers of their terms are apart
TOO_LARGE = 1000  # times the step of x
LONG = 10**6  # iterations
LONG_BY_STEPS = 1000  # of methods whose coefficients are defined at whole t only


@dataclass(frozen=True)
class AlgorithmCase:
    """An algorithm and what is expected of it.

    algorithm   an instance that converges on curvatures between 1 and 2.5
    K           devices to run it on; 2 unless given, 1 for a method with `one_machine`
    one_level   it is for problems of two levels without coupling between them
    sees        kinds of noise of which twice as much has to change its measures: sigma_H, sigma_J, s_f, s_g, or on one
                level noise_H, correlated, s, or of finite sums spread; none: it takes no samples
    step        the field that is its step size of x; with it, divergence is tried
    terms       it is for finite sums, of so many terms
    delay       cycles after which its measures see a first sample; 1 unless given
    """

    algorithm: Any
    K: int = 0
    one_level: bool = False
    sees: tuple[str, ...] = ("s_f", "s")
    step: str = ""
    terms: int = 0
    delay: int = 1

    def __post_init__(self) -> None:
        require_algorithm(self.algorithm)
        for name, least in (("K", 0), ("terms", 0), ("delay", 1)):
            require_whole(name, getattr(self, name), least=least)

    @classmethod
    def of(cls, subject: Any) -> "AlgorithmCase":
        """The subject itself, or the case of an algorithm of which nothing else is known."""
        return subject if isinstance(subject, cls) else cls(subject)

    @property
    def name(self) -> str:
        """The name that the checks call it by."""
        return type(self.algorithm).__name__

    @property
    def devices(self) -> int:
        """How many devices the checks run it on."""
        return self.K or (1 if getattr(self.algorithm, "one_machine", False) else 2)

    @property
    def cycle(self) -> int:
        """Iterations in one cycle of stages."""
        return sum(stage.repeats for stage in self.algorithm.stages)

    @property
    def levels(self) -> int:
        """How many levels the problems have that it is for."""
        return int(getattr(self.algorithm, "levels", 2))

    @property
    def all_noise(self) -> dict[str, Any]:
        """Every kind of noise that its problems can have."""
        return SPREAD if self.terms else ALL_NOISE[self.levels]

    def run(self, T: int, *, x: float = 1.0, d_x: int = 1, d_y: int = 1, **options: Any) -> dict[str, Any]:
        """The arguments of a run of T iterations from x and, on two levels, y = 1."""
        lower = {"y0": np.ones(d_y)} if self.levels == 2 else {}
        return {"K": self.devices, "T": T, "x0": np.full(d_x, x), **lower, **options}

    def suited(self, world: Quadratic) -> Quadratic:
        """The world, without coupling where the algorithm is for one level."""
        if not self.one_level:
            return world
        return replace(world, B=np.zeros_like(world.B), F=np.zeros_like(world.F))

    def line(self, **noise: Any) -> Any:
        """A quadratic world with one variable on each level and this noise, as the algorithm takes it."""
        if self.terms:
            return _finite_sum(self.terms, np.array([1.5]), **noise)
        if self.levels == 1:
            return single_level([1.5], a=0.5, **noise)
        return self.suited(scalar(a=1.0, b=0.5, **noise))

    def plane(self, d_y: int = 2, seed: int = 1, **noise: Any) -> Any:
        """The same with two variables x."""
        if self.terms:
            return _finite_sum(self.terms, np.array([1.0, 2.0]), **noise)
        if self.levels == 1:
            return single_level([1.0, 2.5], seed=seed, **noise)
        return self.suited(random_quadratic(d_x=2, d_y=d_y, seed=seed, **noise))


def _finite_sum(n: int, spectrum: Array, spread: float = 0.0) -> FiniteSum:
    """Terms whose curvatures are up to a quarter off their mean, and their minimisers up to `spread` off 1/2."""
    off = np.linspace(-1.0, 1.0, n)
    H = [np.diag(spectrum * (1 + 0.25 * each)) for each in off]
    return FiniteSum(H=H, a=0.5 + spread * off[:, None] * np.cos(np.arange(len(spectrum))))


def values(result: Any) -> Array:
    return np.array(list(result.values.values()), dtype=np.float64)


def keeps_the_contract(case: AlgorithmCase) -> None:
    """Its steps return a State, it averages fields that they make, and its step_size is the one that it is told as."""
    world = case.plane(d_y=3)
    state, _ = counted(world, case.algorithm, partial(case.algorithm.start, ones(world)))
    for t, stage in enumerate(moves_of(case.algorithm.stages)):
        state, _ = counted(world, case.algorithm, partial(stage.step, t, state))
        missing = sorted(set(stage.averaged) - set(vars(state)))
        assert not missing, f"{case.name} averages {', '.join(missing)}, which its step does not make."
    _tells_its_step_size(case)


def _tells_its_step_size(case: AlgorithmCase) -> None:
    """Messages say `eta = step_size(t)`: where there is a field eta, or as step_letter calls it, it has that value."""
    letter = letter_of_step(case.algorithm)
    field: Any = getattr(case.algorithm, letter, None)
    for t in range(max(2, case.cycle)):
        told = case.algorithm.step_size(t)
        sound = isinstance(told, Real) and 0 < float(told) < np.inf
        assert sound, f"step_size({t}) of {case.name} must be a finite number > 0, got {told!r}."
        used = field(t) if is_schedule(field) else field
        assert not _is_number(used) or np.isclose(told, used, rtol=1e-12, atol=0), (
            f"step_size({t}) of {case.name} is {told:.6g}, and its {letter} is {used:.6g}; its step_letter has to name "
            f"the field that step_size gives."
        )


def costs_are_counted(case: AlgorithmCase) -> None:
    """Ten cycles cost samples, and rounds exactly if something is sent."""
    counts = count(case.plane(d_y=3), case.algorithm, 10 * case.cycle)
    assert counts.samples_f + counts.samples_g >= 10, (
        f"ten cycles of {case.name} take {counts}: hardly a sample."
    )
    assert (counts.rounds > 0) == (counts.floats_sent > 0), (
        f"{case.name} has rounds in which nothing is sent."
    )
    if case.devices > 1:
        assert counts.rounds > 0, f"{case.name} never averages over its {case.devices} devices."


def exact_moments_equal_the_mean_over_all_outcomes(case: AlgorithmCase) -> None:
    """A whole cycle and a step more, each kind of noise alone, every draw included."""
    T = case.delay * case.cycle + 1
    for noise in case.all_noise:
        world, louder = (case.line(**{noise: level}) for level in (0.3, 0.6))
        run = case.run(T, times=range(T))
        try:
            outcomes = enumerate_outcomes(world, case.algorithm, **run)
        except UserError:  # too many
            run["K"] = 1
            outcomes = enumerate_outcomes(world, case.algorithm, **run)
        exact, changed = (expect(each, case.algorithm, **run) for each in (world, louder))
        for kind, one, other in (
            ("averages", exact, outcomes),
            ("curves", exact.curves, outcomes.curves),
        ):
            message = f"{case.name}, {noise}: {kind} of exact moments"
            np.testing.assert_allclose(values(one), values(other), rtol=1e-12, atol=1e-20, err_msg=message)
        if noise in case.sees:
            change = np.max(np.abs(values(changed.curves) - values(outcomes.curves)))
            assert change > 1e-6, f"twice as much {noise} changes no measure of {case.name}."


def sampling_agrees_with_exact_moments(case: AlgorithmCase) -> None:
    """5 standard errors, probability 6e-7 each, fixed seed; twice the noise is rejected."""
    run = case.run(max(12, 3 * case.cycle), d_x=2, d_y=2, times=[])
    sampled = simulate(case.plane(**case.all_noise), case.algorithm, replicates=2000, seed=0, **run)

    def z(level: float) -> float:
        exact = expect(case.plane(**{n: level * s for n, s in case.all_noise.items()}), case.algorithm, **run)
        error = values(sampled.standard_error) + 1e-12 * values(exact) + 1e-20
        return float(np.max(np.abs(values(sampled) - values(exact)) / error))

    assert z(1.0) <= 5, f"sampled and exact measures of {case.name} are {z(1.0):.3g} standard errors apart."
    assert not case.sees or z(2.0) > 5, f"sampling {case.name} cannot tell its noise from twice as much."


class Repeated:
    """An algorithm whose steps are done twice, on arrays that cannot be written to: both have to give the same."""

    def __init__(self, algorithm: Any) -> None:
        self.algorithm = algorithm

    def __getattr__(self, name: str) -> Any:
        return getattr(self.algorithm, name)

    @property
    def stages(self) -> tuple[Stage | Switch, ...]:
        return with_steps(self.algorithm.stages, self._twice)

    def _twice(self, step: Callable[..., State]) -> Callable[..., State]:
        def twice(t: int, s: State, oracle: Any) -> State:
            for array in vars(s).values():
                array.flags.writeable = False
            try:
                first, second = step(t, s, oracle), step(t, s, oracle)
            except ValueError as error:
                if "read-only" not in str(error):
                    raise
                sentence = (
                    f"the step at t = {t} writes into the state that it is given, which is read-only here."
                )
                raise AssertionError(sentence) from error
            for name, array in vars(first).items():
                np.testing.assert_array_equal(
                    getattr(second, name), array, err_msg=f"{name}: the step at t = {t}, done twice, differs"
                )
            return second

        return twice


def steps_are_pure(case: AlgorithmCase) -> None:
    """A step neither changes the state it is given nor remembers anything, and runs are deterministic."""
    world = case.plane(d_y=3, seed=0, **{name: 0.1 for name in case.all_noise if name != "sigma_J"})
    T = 2 * case.delay * case.cycle
    run = case.run(T, d_x=2, d_y=3, replicates=3, seed=0)
    pure = values(simulate(world, Repeated(case.algorithm), **run))
    first, again = (values(simulate(world, case.algorithm, **run)) for _ in range(2))
    assert np.array_equal(first, again), f"two runs of {case.name} with the same seed differ."
    assert np.array_equal(first, pure), f"{case.name} depends on how often its step is called."
    other = values(simulate(world, case.algorithm, **{**run, "seed": 1}))
    assert not case.sees or not np.array_equal(first, other), (
        f"{case.name} does not see its samples: another seed changes nothing."
    )


def every_hyperparameter_matters(case: AlgorithmCase) -> None:
    """1 % more of a number, one more of a count: the expectations change. For dataclasses.

    The number of terms of a finite sum is a number of the world: one more is refused.
    """
    if not is_dataclass(case.algorithm):
        return
    world, steady = case.line(**case.all_noise), _steady(case.algorithm)
    measures = {**defaults(world), **_every_field(case, world)}
    run = case.run(5 * case.cycle, x=2.0, times=[], measures=measures)
    base = values(expect(world, steady, **run))
    alone = case.devices == 1 or not case.sees  # devices that do what all others do have nothing to average
    for name in (f.name for f in fields(steady) if f.init):
        value = _at_0(getattr(steady, name))
        if (name == "p" and alone) or not _is_number(value):
            continue  # a period without averages; a reading, or an estimator
        changed = replace(steady, **{name: value + 1 if isinstance(value, int) else 1.01 * value})
        if name == "n" and case.terms:
            _refused(UserError, partial(changed.check, world), f"{case.name} takes any n")
            continue
        other = values(expect(world, changed, **run))
        assert np.max(np.abs(other - base)) > 1e-7, f"{name} of {case.name} changes nothing: is it read?"


def _every_field(case: AlgorithmCase, world: Any) -> dict[str, Measure]:
    """The size of every field that the algorithm has from the start: a number may be used in one of them alone."""
    at_start = fields_at_start(world, case.algorithm)
    return {f"size_of_{name}": form(partial(_field, name), reads=(name,)) for name in at_start}


def _field(name: str, _problem: AnyProblem, s: State) -> Any:
    return getattr(s, name)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _steady(algorithm: Any) -> Any:
    """With constant step sizes: those of t = 0."""
    return replace(
        algorithm, **{f.name: _at_0(getattr(algorithm, f.name)) for f in fields(algorithm) if f.init}
    )


def _at_0(value: Any) -> Any:
    """A number for a step size that changes."""
    return value(0) if is_schedule(value) else value


def divergence_is_a_refusal(case: AlgorithmCase) -> None:
    """Steps of x a thousand times too large are refused with the name; the good ones are taken by all engines."""
    good, world = case.algorithm, case.plane(**case.all_noise)
    long = case.run(LONG_BY_STEPS if only_whole(good) else LONG, d_x=2, d_y=2, times=[])
    assert np.isfinite(values(expect(world, good, **long))).all(), f"{case.name} has no finite measures."
    if not case.step:
        return
    steady = _steady(good)
    bad = replace(steady, **{case.step: TOO_LARGE * _at_0(getattr(steady, case.step))})
    taken = f"{case.name} with {case.step} {TOO_LARGE} times too large was not refused"
    _refused(DivergedError, lambda: expect(world, bad, **long), taken, steady)
    sampled = {**long, "T": 600, "replicates": 20, "seed": 0}
    _refused(DivergedError, lambda: simulate(world, bad, **sampled), taken, steady)
    if not only_whole(bad):
        _refused(NoLimitError, lambda: stationary(world, bad, K=case.devices), taken)


def _refused(kind: type[Exception], run: Callable[[], Any], taken: str, named: Any = None) -> None:
    """A refusal of this kind, which names an algorithm where one is given; else the sentence `taken`."""
    try:
        run()
    except kind as error:
        if named is not None and not str(error).startswith(f"{name_of(named)} diverged: "):
            raise AssertionError(f"a refusal has to name the method, got: {error}") from error
        return
    raise AssertionError(f"{taken}.")


CHECKS: dict[str, Callable[[AlgorithmCase], None]] = {
    check.__name__: check
    for check in (
        keeps_the_contract,
        costs_are_counted,
        exact_moments_equal_the_mean_over_all_outcomes,
        sampling_agrees_with_exact_moments,
        steps_are_pure,
        every_hyperparameter_matters,
        divergence_is_a_refusal,
    )
}
